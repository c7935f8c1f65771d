// A factor in fewer bits (numerics.md 1): what factorization.cpp's engine has made in working precision becomes
// M = D (1 + L) (1 + U), is rounded into memory of its own size, and is applied by sweeps of its own.
#pragma once

#include "base/atomics.hpp"
#include "base/rounding.hpp"
#include "base/threads.hpp"
#include "base/units.hpp"
#include "kernels/compact.hpp"
#include "kernels/kernels.hpp"
#include "methods/block_storage.hpp"
#include "methods/engine.hpp"
#include "plan/factor_pattern.hpp"
#include "run/look_ahead.hpp"
#include "run/sweep_order.hpp"

namespace finegrain
{

template <class Exec> struct Runner; // runner.hpp: of the engine that has this as a member

// Blocks times the factor of their entry. Outside of the class, for nvcc.
struct ScaleBlocks {
  Scalar *blocks;
  const Real *factor; // n^2
  int nn;

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const { blocks[i] = factor[i % nn] * blocks[i]; }
};

// The first row, in the order of slots, with an entry that is not finite.
struct FindNotFinite {
  const Index *ptr, *row_of;
  Index last_position; // of the upper part, else -1
  const Scalar *blocks;
  Offset nn;
  Trouble *trouble;

  KOKKOS_INLINE_FUNCTION void operator()(Offset slot) const
  {
    const Index pos = last_position < 0 ? Index(slot) : last_position - Index(slot);
    for (Offset i = ptr[slot] * nn; i < ptr[slot + 1] * nn; ++i)
      if (!is_finite(largest_part(blocks[i])))
        return atomic_lower(&trouble->bad_coupling, row_of ? row_of[pos] : pos);
  }
};

// x by row times S or its inverse. Outside of the class, for nvcc.
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

// to[i] = To(single(scale from[i])). Outside of the class, for nvcc.
template <class To> struct NarrowNumbers {
  const Real *from;
  To *to;
  Real scale;
  Offset count;
  Offset *flushed; // null: not counted

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const
  {
    if (narrow_one(from[i], scale, to[i]) && flushed) atomic_add(flushed, 1);
  }
  // By threads of a host, each of which has one range.
  void run_part(Index part, Index parts) const
  {
    const Offset first = cut(part, parts);
    const Offset lost = narrow(from + first, cut(part + 1, parts) - first, scale, to + first);
    if (lost && flushed) atomic_add(flushed, lost);
  }
  Offset cut(Index part, Index parts) const
  {
    return part == parts ? count : count / parts * part / 64 * 64; // whole vectors
  }
};
template <class Exec> class CompactForm
{
  using Space = typename Exec::memory_space;
  using Blocks = StoredBlocks<Space>;

public:
  // The factor of an engine, as it is stored.
  struct Factor {
    Runner<Exec> &run;
    const Pattern<Space> &pattern;
    const Blocks &blocks;
    LineList forward, backward;
  };

  // For a factor of blocks of n, if these options ask for one.
  void begin(const EngineOptions &r, int n)
  {
    storage_ = {r.precision, r.diagonal, r.single_sums};
    const PermittedStorage *row = find_storage(Method::factorization, storage_);
    used_ = row && row->compact;
    if (!used_) return;
    kernels_ = find_compact_kernels<Exec>(n, storage_);
    any_size_ = any_size_compact_kernels_for<Exec>(storage_);
    y_ = y_many_ = {};
  }
  bool used() const { return used_; }
  // Of any factor.
  Storage made_in() const { return used_ ? Storage() : Storage{storage_.off_diagonal, storage_.diagonal}; }

  // Rounds what was made to where it is stored, and gives back its memory part by part. Whether the arguments of
  // applications are others than before.
  bool compact(const Factor &f, Blocks &made)
  {
    Scalar *const made_lower = scalars(made.lower), *const made_upper = scalars(made.upper),
                  *const made_diagonal = scalars(made.diagonal);
    Runner<Exec> &run = f.run;
    const Pattern<Space> &p = f.pattern;
    const Offset n = run.n, nn = n * n;
    const auto largest = make_array<std::uint64_t, Space>("finegrain::largest", std::size_t(nn));
    Kokkos::deep_copy(run.exec, largest, std::uint64_t(0));
    kernels_.lower(run.all(), run.n,
                   {.lower_ptr = p.lower.ptr.data(),
                    .upper_ptr = p.upper.ptr.data(),
                    .last_position = run.rows - 1,
                    .diagonal = made_diagonal,
                    .upper = made_upper,
                    .lower = made_lower,
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
    const Real scale = storage_.off_diagonal == Precision::half ? find_scale(most) : Real(1);
    bool changed = std::exchange(unscale_, 1 / scale) != 1 / scale;
    if (const auto there = to_space("finegrain::unit", unit); unit_.extent(0) == there.extent(0))
      Kokkos::deep_copy(unit_, there);
    else {
      unit_ = there;
      changed = true;
    }
    const Offset lower = Offset(p.lower.col.extent(0)) * nn, upper = Offset(p.upper.col.extent(0)) * nn;
    if (!finite) {
      run.for_each(run.rows, FindNotFinite{p.lower.ptr.data(), run.row_of(), -1, made_lower, nn, run.trouble.data()});
      run.for_each(run.rows,
                   FindNotFinite{p.upper.ptr.data(), run.row_of(), run.rows - 1, made_upper, nn, run.trouble.data()});
    }
    if (std::any_of(unit.begin(), unit.end(), [](Real s) { return s != Real(1); })) {
      const auto of_couplings = to_space("finegrain::factor", coupling),
                 of_diagonals = to_space("finegrain::factor", diagonal);
      run.for_each(lower, ScaleBlocks{made_lower, of_couplings.data(), int(nn)});
      run.for_each(upper, ScaleBlocks{made_upper, of_couplings.data(), int(nn)});
      run.for_each(run.rows * nn, ScaleBlocks{made_diagonal, of_diagonals.data(), int(nn)});
      run.exec.fence(); // before the factors go
    }
    Offset *const flushed = &run.trouble.data()->flushed;
    round(run, made.lower, lower, storage_.off_diagonal, scale, f.blocks.lower, flushed);
    round(run, made.upper, upper, storage_.off_diagonal, scale, f.blocks.upper, flushed);
    round(run, made.diagonal, run.rows * nn, storage_.diagonal, 1, f.blocks.diagonal, nullptr);
    return changed;
  }

  void reserve(Runner<Exec> &run, const Application &a)
  {
    work(run, a.vectors > 1 || a.transposed || a.in_parts, a.vectors > 1 ? a.stride : Offset(run.scalars()));
  }
  void apply(const Factor &f, const Application &a)
  {
    Runner<Exec> &run = f.run;
    for (int first = 0; first < a.vectors; first += most_vectors) {
      const Vectors some{std::min(most_vectors, a.vectors - first), a.stride};
      CompactArguments s = arguments(f, false);
      s.vectors = some;
      s.b = a.b + first * a.stride;
      s.x = a.x + first * a.stride;
      s.total = a.total;
      s.y = work(run, a.vectors > 1, a.stride);
      const auto sweep = a.vectors > 1 ? kernels_.many_sweep : kernels_.sweep;
      sweep(run.sweep(run.forward), run.n, s);
      take_part(f, true, s);
      sweep(run.sweep(run.backward), run.n, s);
    }
  }
  // The transposed pattern is that of the engine (Transposed).
  void apply_transposed(const Factor &f, const Transposed<Space> &t, const Application &a)
  {
    using Step = CompactTransposedArguments::Step;
    Runner<Exec> &run = f.run;
    for (int first = 0; first < a.vectors; first += most_vectors) {
      const Vectors some{std::min(most_vectors, a.vectors - first), a.stride};
      Scalar *y = static_cast<Scalar *>(work(run, true, a.vectors > 1 ? a.stride : Offset(run.scalars())));
      const auto step = [&](Step which, const typename Transposed<Space>::Part &part, const void *blocks,
                            const Scalar *in, Scalar *out, const SweepOrder<Space> &order) {
        any_size_.transposed(which == Step::last ? run.all() : run.sweep(order), run.n,
                             {.step = which,
                              .ptr = part.ptr.data(),
                              .entry = part.entry.data(),
                              .col = part.row.data(),
                              .row_of = run.row_of(),
                              .last_position = run.rows - 1,
                              .blocks = blocks,
                              .unscale = unscale_,
                              .unit = unit_.data(),
                              .in = in,
                              .out = out,
                              .vectors = some});
      };
      step(Step::first, t.upper, f.blocks.upper.data(), a.b + first * a.stride, y, run.forward);
      step(Step::second, t.lower, f.blocks.lower.data(), y, y, run.backward);
      step(Step::last, t.lower, f.blocks.diagonal.data(), y, a.x + first * a.stride, run.backward);
    }
  }
  // P_L^-1 = (1 + L)^-1 D^-1 and P_R^-1 = (1 + U)^-1.
  void apply_part(const Factor &f, Part part, const Scalar *b, Scalar *x)
  {
    Runner<Exec> &run = f.run;
    CompactArguments s = arguments(f, false);
    s.b = b;
    s.x = x;
    s.y = work(run, true, Offset(run.scalars()));
    s.vectors = {1, Offset(run.scalars())};
    Scalar *y = static_cast<Scalar *>(s.y);
    if (part == Part::left_inverse) {
      kernels_.many_sweep(run.sweep(run.forward), run.n, s);
      run.for_each(Offset(run.scalars()), ScaleRows{unit_.data(), false, run.n, y, x});
    } else {
      run.for_each(Offset(run.scalars()), ScaleRows{unit_.data(), true, run.n, b, y});
      take_part(f, true, s);
      kernels_.many_sweep(run.sweep(run.backward), run.n, s);
    }
  }

private:
  static Scalar *scalars(const BlockStorage<Space> &blocks) { return static_cast<Scalar *>(blocks.data()); }
  // To where blocks are stored, if that is elsewhere; then the memory goes.
  static void round(Runner<Exec> &run, BlockStorage<Space> &from, Offset count, Precision precision, Real scale,
                    const BlockStorage<Space> &to, Offset *flushed)
  {
    const auto narrow_to = [&]<class To>(std::type_identity<To>) {
      const NarrowNumbers<To> all{static_cast<const Real *>(from.data()), static_cast<To *>(to.data()), scale,
                                  Parts<Scalar>::count * count, flushed};
      if constexpr (works_in_teams<Exec>) run.for_each(all.count, all);
      else {
        const Index threads = all.count < 8192 ? 1 : usable_threads();
        for_threads(threads, [&](Index part) { all.run_part(part, threads); });
      }
      run.exec.fence();
    };
    if (from.data() == to.data()) return;
    if (precision == Precision::half) narrow_to(std::type_identity<Half>());
    else narrow_to(std::type_identity<float>());
    from.give_back();
  }
  static Array<Real, Space> to_space(const char *name, const std::vector<Real> &numbers)
  {
    const auto a = make_array<Real>(name, numbers.size());
    std::copy(numbers.begin(), numbers.end(), a.data());
    return copy_to<Space>(a);
  }
  CompactArguments arguments(const Factor &f, bool backward)
  {
    CompactArguments s;
    s.diagonal = f.blocks.diagonal.data();
    s.unscale = unscale_;
    s.unit = unit_.data();
    s.ahead = ahead_of(works_in_teams<Exec>);
    take_part(f, backward, s);
    return s;
  }
  void take_part(const Factor &f, bool backward, CompactArguments &s)
  {
    const auto &part = backward ? f.pattern.upper : f.pattern.lower;
    s.ptr = part.ptr.data();
    s.col = part.col.data();
    s.row_of = f.run.row_of();
    s.backward = backward;
    s.last_position = f.run.rows - 1;
    s.blocks = (backward ? f.blocks.upper : f.blocks.lower).data();
    s.lines = backward ? f.backward : f.forward;
  }
  void *work(Runner<Exec> &run, bool several, Offset stride) // at first use
  {
    Array<Scalar, Space> &y = several ? y_many_ : y_;
    const std::size_t size = several ? std::size_t(stride) * most_vectors : run.scalars();
    if (y.extent(0) < size) y = make_array<Scalar, Space>("finegrain::y", size);
    return y.data();
  }

  Storage storage_;
  bool used_ = false;
  CompactKernels<Exec> kernels_{};
  AnySizeCompactKernels<Exec> any_size_{};
  Array<Real, Space> unit_;
  Real unscale_ = 1;
  Array<Scalar, Space> y_, y_many_;
};

} // namespace finegrain
