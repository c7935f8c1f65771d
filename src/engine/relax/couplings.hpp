// SPDX-License-Identifier: BSD-2-Clause
// Row functions that store the data of a relaxation (relax.hpp): the couplings of a row, scaled and narrowed, and
// the inverse of its diagonal block.
#pragma once

#include "base/atomics.hpp"
#include "base/inversion.hpp"
#include "base/rounding.hpp"
#include "base/matrix_values.hpp"
#include "relax/relaxation_rows.hpp"

namespace finegrain
{

// Values of a row's couplings: entries of the owned square or, from `owned` on, of the couplings to ghosts.
struct CouplingValues {
  const Index *entry;
  Index entries, owned;
  MatrixValues inside, ghost;

  template <class Lanes, int N>
  KOKKOS_FORCEINLINE_FUNCTION const Scalar *view(const Lanes &lanes, BlockSize<N> n, Index e, Scalar *space) const
  {
    const Source s = source_of(e);
    return s.values.view(lanes, n, s.entry, space);
  }
  // Prefetches the block of a later coupling, on hosts, because rows of a color are far from each other in the
  // matrix.
  template <int N> KOKKOS_FORCEINLINE_FUNCTION void prefetch_block([[maybe_unused]] Index e) const
  {
#if !defined(FINEGRAIN_ON_DEVICE)
    constexpr Index distance = 16;
    if (N < 2 || e + distance >= entries) return;
    const Source s = source_of(e + distance);
    s.values.template prefetch_entry<N>(s.entry);
#endif
  }
  // Calls f(a), where a(at) is entry `at` of the block by columns. No block is stored.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION auto read(int n, Index e, const F &f) const
  {
    const Source s = source_of(e);
    if (!s.values.base) return f([a = s.values.values + Offset(s.entry) * n * n](int at) { return a[at]; });
    return f([&](int at) { return s.values.scalar(n, s.entry, at); });
  }
  // Reads entry `at` of the blocks e to e + count - 1. Blocks from `last` on are replaced by the one before `last`.
  template <int count>
  KOKKOS_FORCEINLINE_FUNCTION void read_scalars(int n, Index e, Index last, int at, Scalar *scalars) const
  {
    const auto next = [=](int k) { return e + k < last ? e + k : last - 1; };
    if (!inside.base && !ghost.base) { // dense: loads do not wait for each other
      const Scalar *from[std::size_t(count)];
      for (int k = 0; k < count; ++k) {
        const Index index = entry[next(k)];
        const bool is_ghost = index >= owned;
        from[k] = (is_ghost ? ghost.values : inside.values) + Offset(is_ghost ? index - owned : index) * n * n + at;
      }
      for (int k = 0; k < count; ++k) scalars[k] = *from[k];
    } else {
      for (int k = 0; k < count; ++k) {
        const Source s = source_of(next(k));
        scalars[k] = s.values.scalar(n, s.entry, at);
      }
    }
  }

private:
  struct Source {
    const MatrixValues &values;
    Index entry;
  };
  KOKKOS_FORCEINLINE_FUNCTION Source source_of(Index e) const
  {
    return entry[e] < owned ? Source{inside, entry[e]} : Source{ghost, entry[e] - owned};
  }
};

// The largest of `count` reals, at least `most`. NaN does not count.
KOKKOS_INLINE_FUNCTION Real find_largest_real(const Real *from, int count, Real most)
{
  int whole = 0;
#if !defined(FINEGRAIN_DEVICE_COMPILER)
  constexpr int width = 32 / sizeof(Real);
  VectorType<Real, width> most_of{}; // maxima that do not wait for each other
  for (; whole + width <= count; whole += width) {
    const auto a = vector_read<Real, width>(from + whole);
    const auto size = a < 0 ? -a : a;
    most_of = size > most_of ? size : most_of;
  }
  for (int i = 0; i < width; ++i) most = most_of[i] > most ? most_of[i] : most;
#endif
  for (; whole < count; ++whole) {
    const Real size = from[whole] < 0 ? -from[whole] : from[whole];
    most = size > most ? size : most;
  }
  return most;
}
KOKKOS_FORCEINLINE_FUNCTION Real larger_part(const Scalar &a, Real most)
{
  const Real *part = reinterpret_cast<const Real *>(&a);
  for (int i = 0; i < Parts<Scalar>::count; ++i) {
    const Real size = part[i] < 0 ? -part[i] : part[i];
    most = size > most ? size : most;
  }
  return most;
}

// Finds the largest entry of a row's couplings. Real and imaginary parts count separately, NaN does not count.
template <class Lanes, int N>
KOKKOS_FORCEINLINE_FUNCTION Real find_largest_coupling(const Lanes &lanes, BlockSize<N> n,
                                                       const CouplingValues &source, Index first, Index last,
                                                       [[maybe_unused]] Scalar *space)
{
  return lanes.largest(n * n, [&](int at, [[maybe_unused]] int count) FINEGRAIN_INLINE {
    Real most = 0;
    for (Index e = first; e < last; ++e)
      if constexpr (Lanes::scalar_by_scalar)
        source.read(n, e, [&](const auto &a) { most = larger_part(a(at), most); });
      else {
        source.template prefetch_block<N>(e);
        const Scalar *a = source.view(lanes, n, e, space);
        most = find_largest_real(reinterpret_cast<const Real *>(a), count * Parts<Scalar>::count, most);
      }
    return most;
  });
}

struct LargestArguments {
  const Index *ptr;
  CouplingValues source;
  Real *largest; // by position
};
template <int N> struct LargestRow {
  BlockSize<N> n;
  LargestArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return n * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n * n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index pos, const Lanes &lanes, Scalar *scratch) const
  {
    const Real most = find_largest_coupling(lanes, n, arg.source, arg.ptr[pos], arg.ptr[pos + 1], scratch);
    lanes.once([&] { arg.largest[pos] = most; });
  }
};

struct CheckArguments {
  RelaxRows rows;
  const void *blocks;
  PivotReport *pivot_report;
};

template <class OffDiagonal> KOKKOS_FORCEINLINE_FUNCTION bool are_finite(const OffDiagonal *a, int count)
{
  Scalar check = Scalar(0); // 0 times Inf or NaN is not 0
  for (int i = 0; i < count; ++i) check = madd(Scalar(0), convert<Scalar>(a[i]), check);
  return is_finite(magnitude(check));
}

// Finds couplings that are not finite after they were narrowed in place.
template <class OffDiagonal> struct CheckRow {
  BlockSize<0> n;
  CheckArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n * n; }

  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void operator()(Index pos, const Lanes &lanes, Scalar *) const
  {
    for (Index e = arg.rows.ptr[pos]; e < arg.rows.ptr[pos + 1]; ++e) {
      const OffDiagonal *block = blocks() + Offset(arg.rows.block_index(e)) * n * n;
      const auto report_unless = [&](bool finite) FINEGRAIN_INLINE {
        if (!finite) atomic_lower(&arg.pivot_report->bad_coupling, arg.rows.row(pos));
      };
      lanes.ranges(n * n, [&](int at, int count) FINEGRAIN_INLINE { report_unless(are_finite(block + at, count)); });
    }
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION const OffDiagonal *blocks() const
  {
    return static_cast<const OffDiagonal *>(arg.blocks);
  }
};

struct LoadArguments {
  const Index *ptr, *row_of, *diagonal_entry;
  CouplingValues source;
  Real scale;
  Shift shift;
  void *blocks; // null: couplings are narrowed in place
  void *diagonal;
  Real *unscale; // by position: each row has its own scale; null: `scale`
  Real *largest; // result by position: the largest scaled coupling, rounded to single, or more than any if one is
                 // not finite; null: not needed
  PivotReport *pivot_report;
};

// Stores one row: its couplings, scaled and narrowed, and the inverse of its diagonal block.
template <int N, class OffDiagonal, class Diagonal> struct LoadRow {
  BlockSize<N> n;
  LoadArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return 2 * n * n + 5 * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n * n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index pos, const Lanes &lanes, Scalar *scratch) const
  {
    const Offset nn = Offset(n) * n;
    Scalar *block = scratch, *d = block + nn, *work = d + nn;
    if (blocks()) {
      const Real beta = scale_of(pos, lanes, block);
      const Real most = lanes.largest(n * n, [&](int at, int count) FINEGRAIN_INLINE {
        const Narrowed found = store_couplings(lanes, pos, beta, at, count, block);
        report(pos, found);
        return Real(detail::bits_as<float>(found.finite ? found.largest : std::int32_t(0x7f800000)));
      });
      if (arg.largest) lanes.once([&] { arg.largest[pos] = most; });
    }
    arg.source.inside.load(lanes, n, arg.diagonal_entry[pos], d);
    const Inversion inversion =
      invert_pivot_block(lanes, n, d, work, block, arg.shift, arg.source.inside.scalars(n, arg.diagonal_entry[pos]));
    lanes.ranges(n * n, [&](int at, int count) FINEGRAIN_INLINE {
      for (int i = at; i < at + count; ++i) diagonal()[pos * nn + i] = Diagonal(d[i]);
    });
    report_pivot(lanes, inversion, arg.row_of, pos, arg.pivot_report);
  }

private:
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION Real scale_of(Index pos, const Lanes &lanes, Scalar *space) const
  {
    if (!arg.unscale) return arg.scale;
    const Real beta = find_scale(find_largest_coupling(lanes, n, arg.source, arg.ptr[pos], arg.ptr[pos + 1], space));
    lanes.once([&] { arg.unscale[pos] = 1 / beta; });
    return beta;
  }
  // Stores `count` entries of each block, from entry `at` on. On devices a lane has one entry. It reads those of
  // eight blocks at a time, so that their loads overlap.
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION Narrowed store_couplings(const Lanes &lanes, Index pos,
                                                                              Real beta, int at, int count,
                                                                              [[maybe_unused]] Scalar *space) const
  {
    const Index first = arg.ptr[pos], last = arg.ptr[pos + 1];
    const Offset nn = Offset(n) * n;
    Narrower<OffDiagonal, Scalar, true> narrower; // with the last scale, values may be too large
    if constexpr (Lanes::scalar_by_scalar) {
      constexpr int batch = 8;
      for (Index e = first; e < last; e += batch) {
        Scalar a[std::size_t(batch)];
        arg.source.template read_scalars<batch>(n, e, last, at, a);
        for (int k = 0; k < batch && e + k < last; ++k)
          narrower.convert(a + k, count, beta, blocks() + (e + k) * nn + at);
      }
    } else {
      for (Index e = first; e < last; ++e) {
        arg.source.template prefetch_block<N>(e);
        narrower.convert(arg.source.view(lanes, n, e, space) + at, count, beta, blocks() + e * nn + at);
      }
    }
    return narrower.found();
  }
  KOKKOS_FORCEINLINE_FUNCTION void report(Index pos, const Narrowed &found) const
  {
    if (found.flushed > 0) atomic_add(&arg.pivot_report->flushed, found.flushed);
    if (!found.finite) atomic_lower(&arg.pivot_report->bad_coupling, arg.row_of ? arg.row_of[pos] : pos);
  }
  KOKKOS_FORCEINLINE_FUNCTION OffDiagonal *blocks() const { return static_cast<OffDiagonal *>(arg.blocks); }
  KOKKOS_FORCEINLINE_FUNCTION Diagonal *diagonal() const { return static_cast<Diagonal *>(arg.diagonal); }
};

} // namespace finegrain
