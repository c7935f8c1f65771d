// SPDX-License-Identifier: BSD-2-Clause
// Applies a factor: the base class of the sweeps, with one subclass for each storage of a factor. The engine of
// factorization.cpp chooses the subclass.
#pragma once

#include "factor/factor_kernels.hpp"
#include "factor/stored_factor.hpp"
#include "product/residuals.hpp"

namespace finegrain
{

template <class Exec> class Sweeps
{
public:
  using Space = typename Exec::memory_space;

  Sweeps(ResidualRunner<Exec> &run, StoredFactor<Exec> &factor) : runner_(run), factor_(factor) {}
  virtual ~Sweeps() = default;
  Sweeps(const Sweeps &) = delete;
  Sweeps &operator=(const Sweeps &) = delete;

  // Prepares the sweeps for a new pattern of the factor.
  virtual void begin(const EngineOptions &, const Plan &plan)
  {
    forward_lines_ = plan.lines;
    for (auto p = plan.lines.rbegin(); p != plan.lines.rend(); ++p)
      backward_lines_.push_back(reverse_box(*p, runner_.rows));
  }
  // Stores the blocks that a factorization has computed in `computed`.
  virtual void adopt(StoredBlocks<Space> & /*computed*/) {}
  // Receives the report of that factorization.
  virtual void keep_report(const FactorReport &) {}
  virtual void allow_corrections(const OperatorView &, const Selection &) {}

  virtual void reserve(const Application &) = 0;
  virtual void apply(const Application &) = 0;
  virtual void apply_split(const SplitApplication &) = 0;
  // Returns false if the caller has to compute a residual and apply the factor.
  virtual bool correct(const Correction &) { return false; }
  virtual bool has_short_residual() const { return false; }

  virtual std::size_t block_bytes() const { return factor_.bytes(); } // read by an application
  virtual std::size_t work_bytes() const { return 0; }
  virtual std::size_t difference_bytes() const { return 0; } // kept for residuals
  std::size_t line_bytes() const { return 2 * forward_lines_.size() * sizeof(LineBox); }

  bool goes_by_lines() const { return !forward_lines_.empty(); } // with one vector

protected:
  LineList forward_lines() const { return list(forward_lines_); }
  LineList backward_lines() const { return list(backward_lines_); }

  ResidualRunner<Exec> &runner_;
  StoredFactor<Exec> &factor_;

private:
  static LineList list(const std::vector<LineBox> &boxes) { return {boxes.data(), Index(boxes.size())}; }

  std::vector<LineBox> forward_lines_, backward_lines_; // in the order of tasks; empty: sweeps go by rows
};

} // namespace finegrain
