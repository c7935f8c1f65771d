// SPDX-License-Identifier: BSD-2-Clause
// Sweeps of a half precision factor (numerics.md 1). The factorization is in working precision. Its result is
// converted to M = D (1 + L) (1 + U) and rounded into the memory of the factor.
#pragma once

#include "base/rounding.hpp"
#include "base/threads.hpp"
#include "base/units.hpp"
#include "factor/half.hpp"
#include "factor/sweeps.hpp"

namespace finegrain
{

// Multiplies each entry of blocks by the scale of its place in the block. Outside of the class, for nvcc.
struct ScaleBlocks {
  Scalar *blocks;
  const Real *factor; // n^2
  int nn;

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const { blocks[i] = factor[i % nn] * blocks[i]; }
};

// Finds the smallest row with an entry that is not finite.
struct FindNotFinite {
  const Index *ptr, *row_of;
  Index last_position; // upper triangle only, else -1
  const Scalar *blocks;
  Offset nn;
  PivotReport *pivot_report;

  KOKKOS_INLINE_FUNCTION void operator()(Offset sweep_index) const
  {
    const Index pos = last_position < 0 ? Index(sweep_index) : last_position - Index(sweep_index);
    for (Offset i = ptr[sweep_index] * nn; i < ptr[sweep_index + 1] * nn; ++i)
      if (!is_finite(largest_part(blocks[i])))
        return atomic_lower(&pivot_report->bad_coupling, row_of ? row_of[pos] : pos);
  }
};

// Multiplies a vector, by row, by S or its inverse. Outside of the class, for nvcc.
struct ScaleRows {
  const Real *unit;
  bool divides;
  int n;
  const Scalar *from;
  Scalar *to;

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const
  {
    const Real s = unit[i % n];
    to[i] = (divides ? 1 / s : s) * from[i];
  }
};

// Computes to[i] = To(single(scale from[i])). Outside of the class, for nvcc.
template <class To> struct NarrowScalars {
  const Real *from;
  To *to;
  Real scale;
  Offset count;
  Offset *flushed; // null: not counted

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const
  {
    if (narrow_one(from[i], scale, to[i]).flushed && flushed) atomic_add(flushed, 1);
  }
  // Converts one share of the scalars, for one of several host threads.
  void run_share(Index share, Index shares) const
  {
    const Offset first = cut(share, shares);
    const Offset lost = narrow(from + first, cut(share + 1, shares) - first, scale, to + first).flushed;
    if (lost && flushed) atomic_add(flushed, lost);
  }
  Offset cut(Index share, Index shares) const
  {
    return share == shares ? count : count / shares * share / 64 * 64; // multiples of 64 scalars: whole vectors
  }
};

template <class Exec> class HalfSweeps final : public Sweeps<Exec>
{
public:
  using Base = Sweeps<Exec>;
  using Base::Base, Base::runner_, Base::factor_;
  using typename Base::Space;

  void begin(const EngineOptions &options, const Plan &plan) override
  {
    Base::begin(options, plan);
    kernels_ = find_half_kernels<Exec>(runner_.n);
    transposed_kernel_ = find_half_kernels<Exec>(0).transposed;
  }

  // Rounds the computed blocks into the factor's memory, and frees their memory array by array.
  void adopt(StoredBlocks<Space> &computed) override
  {
    Scalar *const computed_lower = scalars(computed.lower), *const computed_upper = scalars(computed.upper),
                  *const computed_diagonal = scalars(computed.diagonal);
    Runner<Exec> &run = runner_;
    const Pattern<Space> &p = factor_.pattern;
    const Offset n = run.n, nn = n * n;
    const auto largest = make_array<std::uint64_t, Space>("finegrain::largest", std::size_t(nn));
    Kokkos::deep_copy(run.exec, largest, std::uint64_t(0));
    kernels_.lower(run.all(), run.n,
                   {.lower_ptr = p.lower.ptr.data(),
                    .upper_ptr = p.upper.ptr.data(),
                    .last_position = run.rows - 1,
                    .diagonal = computed_diagonal,
                    .upper = computed_upper,
                    .lower = computed_lower,
                    .largest = largest.data()});
    run.exec.fence();
    const auto bits = copy_to<Kokkos::HostSpace>(largest);
    std::vector<double> table(std::size_t(nn), 0);
    for (std::size_t k = 0; k < table.size(); ++k) table[k] = detail::bits_as<double>(bits(k));
    const std::vector<Real> unit = choose_units(table, run.n);
    std::vector<Real> coupling(table.size()), diagonal(table.size());
    Real most = 0;
    bool finite = true;
    for (int c = 0; c < run.n; ++c)
      for (int r = 0; r < run.n; ++r) {
        const std::size_t k = std::size_t(c * n + r);
        coupling[k] = unit[std::size_t(c)] / unit[std::size_t(r)];
        diagonal[k] = 1 / unit[std::size_t(r)];
        most = std::max(most, coupling[k] * Real(table[k]));
        finite = finite && std::isfinite(table[k]);
      }
    const Real scale = find_scale(most);
    unscale_ = 1 / scale;
    unit_ = to_space("finegrain::unit", unit);
    const Offset lower = Offset(p.lower.col.extent(0)) * nn, upper = Offset(p.upper.col.extent(0)) * nn;
    if (!finite) {
      run.for_each(run.rows,
                   FindNotFinite{p.lower.ptr.data(), run.row_of(), -1, computed_lower, nn, run.pivot_report.data()});
      run.for_each(run.rows, FindNotFinite{p.upper.ptr.data(), run.row_of(), run.rows - 1, computed_upper, nn,
                                           run.pivot_report.data()});
    }
    if (std::any_of(unit.begin(), unit.end(), [](Real s) { return s != Real(1); })) {
      const auto of_couplings = to_space("finegrain::factor", coupling),
                 of_diagonals = to_space("finegrain::factor", diagonal);
      run.for_each(lower, ScaleBlocks{computed_lower, of_couplings.data(), int(nn)});
      run.for_each(upper, ScaleBlocks{computed_upper, of_couplings.data(), int(nn)});
      run.for_each(run.rows * nn, ScaleBlocks{computed_diagonal, of_diagonals.data(), int(nn)});
      run.exec.fence(); // before the scales are freed
    }
    Offset *const flushed = &run.pivot_report.data()->flushed;
    round<Half>(computed.lower, lower, scale, factor_.lower, flushed);
    round<Half>(computed.upper, upper, scale, factor_.upper, flushed);
    round<float>(computed.diagonal, run.rows * nn, 1, factor_.diagonal, nullptr);
  }

  void reserve(const Application &a) override
  {
    work(a.vectors > 1 || a.transposed || a.in_split_form, a.vectors > 1 ? a.stride : Offset(runner_.scalars()));
    if (a.transposed) factor_.find_transposed();
  }
  void apply(const Application &a) override
  {
    if (a.transposed) apply_transposed(a);
    else sweep(a);
    runner_.statistics.bytes_read += double(this->block_bytes()) * ((a.vectors + most_vectors - 1) / most_vectors);
    runner_.finish();
  }
  // Applies P_L^-1 = (1 + L)^-1 D^-1 or P_R^-1 = (1 + U)^-1.
  void apply_split(const SplitApplication &a) override
  {
    const Offset size = Offset(runner_.scalars());
    HalfArguments s = arguments(a.split != Split::left_inverse);
    s.b = a.b;
    s.x = a.x;
    s.y = work(true, size);
    s.vectors = {1, size};
    Scalar *y = static_cast<Scalar *>(s.y);
    if (s.backward) {
      runner_.for_each(size, ScaleRows{unit_.data(), true, runner_.n, a.b, y});
      kernels_.many_sweep(runner_.sweep(runner_.backward), runner_.n, s);
    } else {
      kernels_.many_sweep(runner_.sweep(runner_.forward), runner_.n, s);
      runner_.for_each(size, ScaleRows{unit_.data(), false, runner_.n, y, a.x});
    }
    runner_.finish();
  }

  std::size_t work_bytes() const override { return (y_.span() + y_many_.span()) * sizeof(Scalar); }

private:
  static Scalar *scalars(const BlockStorage<Space> &blocks) { return static_cast<Scalar *>(blocks.data()); }
  // Rounds blocks of the factorization into the factor's memory, and frees the former unless both are the same
  // array.
  template <class To>
  void round(BlockStorage<Space> &from, Offset count, Real scale, const BlockStorage<Space> &to, Offset *flushed)
  {
    if (from.data() == to.data()) return;
    const NarrowScalars<To> all{static_cast<const Real *>(from.data()), static_cast<To *>(to.data()), scale,
                                Parts<Scalar>::count * count, flushed};
    if constexpr (works_in_teams<Exec>) runner_.for_each(all.count, all);
    else {
      const Index threads = all.count < 8192 ? 1 : usable_threads();
      for_threads(threads, [&](Index share) { all.run_share(share, threads); });
    }
    runner_.exec.fence();
    from.free_memory();
  }
  static Array<Real, Space> to_space(const char *name, const std::vector<Real> &values)
  {
    const auto a = make_array<Real>(name, values.size());
    std::copy(values.begin(), values.end(), a.data());
    return copy_to<Space>(a);
  }
  HalfArguments arguments(bool backward)
  {
    const auto &part = backward ? factor_.pattern.upper : factor_.pattern.lower;
    HalfArguments s;
    s.ptr = part.ptr.data();
    s.col = part.col.data();
    s.row_of = runner_.row_of();
    s.backward = backward;
    s.last_position = runner_.rows - 1;
    s.blocks = (backward ? factor_.upper : factor_.lower).data();
    s.diagonal = factor_.diagonal.data();
    s.unscale = unscale_;
    s.unit = unit_.data();
    s.lines = backward ? this->backward_lines() : this->forward_lines();
    s.prefetch_distance = prefetch_distance_of(works_in_teams<Exec>);
    return s;
  }
  void sweep(const Application &a)
  {
    const auto sweep = a.vectors > 1 ? kernels_.many_sweep : kernels_.sweep;
    for (int first = 0; first < a.vectors; first += most_vectors)
      for (const bool backward : {false, true}) {
        HalfArguments s = arguments(backward);
        s.vectors = {std::min(most_vectors, a.vectors - first), a.stride};
        s.b = a.b + first * a.stride;
        s.x = a.x + first * a.stride;
        s.total = a.total;
        s.y = work(a.vectors > 1, a.stride);
        sweep(runner_.sweep(backward ? runner_.backward : runner_.forward), runner_.n, s);
      }
  }
  void apply_transposed(const Application &a)
  {
    using Step = HalfTransposedArguments::Step;
    factor_.find_transposed();
    const Transposed<Space> &t = factor_.transposed;
    for (int first = 0; first < a.vectors; first += most_vectors) {
      const Vectors vectors{std::min(most_vectors, a.vectors - first), a.stride};
      Scalar *y = static_cast<Scalar *>(work(true, a.vectors > 1 ? a.stride : Offset(runner_.scalars())));
      const auto step = [&](Step which, const typename Transposed<Space>::Part &part, const void *blocks,
                            const Scalar *in, Scalar *out, const SweepOrder<Space> &order) {
        transposed_kernel_(which == Step::last ? runner_.all() : runner_.sweep(order), runner_.n,
                           {.step = which,
                            .ptr = part.ptr.data(),
                            .entry = part.entry.data(),
                            .col = part.row.data(),
                            .row_of = runner_.row_of(),
                            .last_position = runner_.rows - 1,
                            .blocks = blocks,
                            .unscale = unscale_,
                            .unit = unit_.data(),
                            .in = in,
                            .out = out,
                            .vectors = vectors});
      };
      step(Step::first, t.upper, factor_.upper.data(), a.b + first * a.stride, y, runner_.forward);
      step(Step::second, t.lower, factor_.lower.data(), y, y, runner_.backward);
      step(Step::last, t.lower, factor_.diagonal.data(), y, a.x + first * a.stride, runner_.backward);
    }
  }
  void *work(bool several, Offset stride) // allocated at first use
  {
    Array<Scalar, Space> &y = several ? y_many_ : y_;
    const std::size_t size = several ? std::size_t(stride) * most_vectors : runner_.scalars();
    if (y.extent(0) < size) y = make_array<Scalar, Space>("finegrain::y", size);
    return y.data();
  }

  HalfKernels<Exec> kernels_{};
  decltype(HalfKernels<Exec>::transposed) transposed_kernel_ = nullptr;
  Array<Real, Space> unit_;
  Real unscale_ = 1;
  Array<Scalar, Space> y_, y_many_;
};

} // namespace finegrain
