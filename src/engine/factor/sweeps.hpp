// SPDX-License-Identifier: BSD-2-Clause
// How a factor is applied: a class for each way to store one, which the engine of factorization.cpp picks.
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

  Sweeps(ResidualRunner<Exec> &run, StoredFactor<Exec> &factor) : run_(run), factor_(factor) {}
  virtual ~Sweeps() = default;
  Sweeps(const Sweeps &) = delete;
  Sweeps &operator=(const Sweeps &) = delete;

  // Once, for a factor whose pattern is there.
  virtual void begin(const EngineOptions &, const Plan &plan)
  {
    forward_lines_ = plan.lines;
    for (auto p = plan.lines.rbegin(); p != plan.lines.rend(); ++p)
      backward_lines_.push_back(reverse_box(*p, run_.rows));
  }
  // Takes what a factorization has made in `made`.
  virtual void take(StoredBlocks<Space> & /*made*/) {}
  // What is known of it then.
  virtual void note(const FactorReport &) {}
  virtual void allow_corrections(const OperatorView &, const Selection &) {}

  virtual void reserve(const Application &) = 0;
  virtual void apply(const Application &) = 0;
  virtual void apply_part(const PartApplication &) = 0;
  // False: the caller takes a residual and an application.
  virtual bool correct(const Correction &) { return false; }
  virtual bool has_short_residual() const { return false; }

  virtual std::size_t block_bytes() const { return factor_.bytes(); } // that an application reads
  virtual std::size_t work_bytes() const { return 0; }
  virtual std::size_t difference_bytes() const { return 0; } // kept for residuals
  std::size_t line_bytes() const { return 2 * forward_lines_.size() * sizeof(LineBox); }

  bool goes_by_lines() const { return !forward_lines_.empty(); } // of one vector

protected:
  LineList forward_lines() const { return list(forward_lines_); }
  LineList backward_lines() const { return list(backward_lines_); }

  ResidualRunner<Exec> &run_;
  StoredFactor<Exec> &factor_;

private:
  static LineList list(const std::vector<LineBox> &parts) { return {parts.data(), Index(parts.size())}; }

  std::vector<LineBox> forward_lines_, backward_lines_; // in the order of tasks; empty: sweeps go by rows
};

} // namespace finegrain
