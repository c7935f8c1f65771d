// SPDX-License-Identifier: BSD-2-Clause
// Sweeps of a factor whose blocks are stored without scaling: y = d^-1 (b - l y), x = y - w x. Correction iterations
// of DILU compute the residual from the vectors of the sweeps (numerics.md 1).
#pragma once

#include "factor/sweeps.hpp"

#include <optional>

namespace finegrain
{

// Copies y by position to x by row. Outside of the class, for nvcc.
struct ToRows {
  const Index *row_of;
  int n;
  const Scalar *y;
  Scalar *x;

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const { x[Offset(row_of[i / n]) * n + i % n] = y[i]; }
};

template <class Exec> class WorkingSweeps : public Sweeps<Exec>
{
public:
  using Base = Sweeps<Exec>;
  using Base::Base, Base::runner_, Base::factor_;
  using typename Base::Space;

  void begin(const EngineOptions &options, const Plan &plan) override
  {
    Base::begin(options, plan);
    kernels_ = find_factor_kernels<Exec>(runner_.n, factor_.storage);
    transposed_kernel_ = find_factor_kernels<Exec>(0, factor_.storage).transposed;
    y_ = make_array<Scalar, Space>("finegrain::y", factor_.y_by_row() ? 0 : runner_.scalars());
  }
  void keep_report(const FactorReport &report) override
  {
    shifted_ = report.shifted > 0;
    runner_.residuals.difference_known = runner_.residuals.keeps_difference;
  }
  void allow_corrections(const OperatorView &, const Selection &selection) override
  {
    Residuals<Space> &r = runner_.residuals;
    y_known_ = false;
    r.ignored.set(selection.ignored, selection.ignored_entry);
    r.y = make_array<Scalar, Space>("finegrain::y", runner_.scalars());
    if (!y_.extent(0)) y_ = make_array<Scalar, Space>("finegrain::y", runner_.scalars());
    r.keeps_difference = keeps_difference();
    if (r.keeps_difference)
      r.difference = make_array<Scalar, Space>("finegrain::difference", runner_.scalars() * std::size_t(runner_.n));
  }

  void reserve(const Application &a) override
  {
    if (a.vectors > 1 && !a.transposed && !this->goes_by_lines()) make_room_for_several(a.stride);
    if (a.transposed && !is_symmetric()) factor_.find_transposed();
  }
  void apply(const Application &a) override
  {
    if (a.transposed && !is_symmetric()) return apply_transposed(a);
    if (a.vectors > 1) return apply_to_several(a);
    Scalar *y = y_.extent(0) ? y_.data() : a.x;
    y_known_ = y_.extent(0) > 0 && !a.total;
    sweep_forward(a.b, y);
    sweep_backward(y, a.x, a.total);
    runner_.statistics.bytes_read += double(this->block_bytes());
    runner_.finish();
  }
  void apply_split(const SplitApplication &a) override
  {
    const bool left = a.split == Split::left_inverse;
    if (a.transposed) { // P_R^-T = (I + W^T)^-1, P_L^-T = (D^T + L^T)^-1: sweeps of a transposed application
      factor_.find_transposed();
      sweep_transposed(left, a.b, a.x, {});
    } else if (left) {
      Scalar *y = factor_.y_by_row() ? a.x : y_.data();
      y_known_ = false;
      sweep_forward(a.b, y);
      if (y != a.x) runner_.for_each(Offset(runner_.scalars()), ToRows{runner_.row_of(), runner_.n, y, a.x});
    } else sweep_backward(a.b, a.x, nullptr, {}, true);
    runner_.finish();
  }

  bool correct(const Correction &c) override
  {
    const bool is_short = has_short_residual() && y_known_ && c.last && c.values.short_residual;
    Residuals<Space> &r = runner_.residuals;
    if (is_short) std::swap(y_, r.y); // the residual reads y of the last sweep; this sweep writes the other vector
    runner_.find_residual(c.values, c.b, is_short ? c.last : c.x, is_short);
    ForwardArguments forward = factor_.forward(r.rhs.data(), y_.data(), this->forward_lines());
    forward.z = r.y.data();
    y_known_ = true;
    (is_short ? kernels_.corrected_forward : kernels_.forward)(runner_.sweep(runner_.forward), runner_.n, forward);
    sweep_backward(y_.data(), c.step, c.total);
    const Statistics &s = runner_.statistics;
    runner_.statistics.bytes_read +=
      double(s.factor_bytes) + double(is_short ? s.residual_bytes : s.long_residual_bytes);
    runner_.finish();
    return true;
  }
  bool has_short_residual() const override { return runner_.residuals.difference_known && !shifted_; }

  std::size_t work_bytes() const override { return y_.span() * sizeof(Scalar); }
  std::size_t difference_bytes() const override { return runner_.residuals.difference.span() * sizeof(Scalar); }

protected:
  // Returns true if M^T = M, without conjugation (FactorKind::icc).
  virtual bool is_symmetric() const { return false; }
  // Returns true if factorizations keep the difference that short residuals read.
  virtual bool keeps_difference() const
  {
    return !factor_.drops_after && runner_.statistics.factor == FactorKind::dilu && factor_.storage == Storage();
  }
  // Completes an application of one vector or, with separate kernels, of several. y is stored in the layout of the
  // forward sweep, or by row.
  virtual void sweep_backward(const Scalar *y, Scalar *x, Scalar *total, std::optional<Vectors> vectors = {},
                              bool by_row = false)
  {
    BackwardArguments a = factor_.backward(y, by_row, x, this->backward_lines());
    a.total = total;
    a.vectors = vectors.value_or(Vectors());
    (vectors ? kernels_.many_backward : kernels_.backward)(runner_.sweep(runner_.backward), runner_.n, a);
  }

  FactorKernels<Exec> kernels_{};
  Array<Scalar, Space> y_;
  bool y_known_ = false; // y_ is that of the last application, for the next correction

private:
  void sweep_forward(const Scalar *b, Scalar *y)
  {
    kernels_.forward(runner_.sweep(runner_.forward), runner_.n, factor_.forward(b, y, this->forward_lines()));
  }
  void sweep_transposed(bool backward, const Scalar *in, Scalar *out, const Vectors &vectors)
  {
    transposed_kernel_(runner_.sweep(backward ? runner_.backward : runner_.forward), runner_.n,
                       factor_.transposed_sweep(backward, in, out, vectors));
  }
  // Allocates a separate y for several vectors, if sweeps need one; returns true if so.
  bool make_room_for_several(Offset stride)
  {
    const bool separate = !factor_.y_by_row();
    if (separate && Offset(y_many_.extent(0)) < stride * most_vectors) // allocated at first use
      y_many_ = make_array<Scalar, Space>("finegrain::y", std::size_t(stride) * std::size_t(most_vectors));
    return separate;
  }
  void apply_to_several(const Application &a)
  {
    const bool separate = make_room_for_several(a.stride);
    for (int first = 0; first < a.vectors; first += most_vectors) {
      const Offset at = first * a.stride;
      Scalar *y = separate ? y_many_.data() : a.x + at;
      ForwardArguments forward = factor_.forward(a.b + at, y);
      forward.vectors = {std::min(most_vectors, a.vectors - first), a.stride};
      kernels_.many_forward(runner_.sweep(runner_.forward), runner_.n, forward);
      sweep_backward(y, a.x + at, nullptr, forward.vectors);
      runner_.statistics.bytes_read += double(this->block_bytes());
    }
    runner_.finish();
  }
  void apply_transposed(const Application &a)
  {
    factor_.find_transposed();
    for (int first = 0; first < a.vectors; first += most_vectors) {
      const Offset at = first * a.stride;
      const Vectors vectors{std::min(most_vectors, a.vectors - first), a.stride};
      sweep_transposed(false, a.b + at, a.x + at, vectors);
      sweep_transposed(true, a.x + at, a.x + at, vectors);
      runner_.statistics.bytes_read += double(runner_.statistics.factor_bytes);
    }
    runner_.finish();
  }

  decltype(FactorKernels<Exec>::transposed) transposed_kernel_ = nullptr;
  Array<Scalar, Space> y_many_;
  bool shifted_ = false;
};

} // namespace finegrain
