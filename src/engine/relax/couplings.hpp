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

struct LargestArguments {
  const Index *ptr;
  CouplingValues source;
  Real *largest; // by position
};

// Finds the largest entry of a row's couplings. Real and imaginary parts count separately, NaN does not count.
template <int N> struct LargestRow {
  BlockSize<N> n;
  LargestArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n * n; }

  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void operator()(Index pos, const Lanes &lanes, Scalar *) const
  {
    const Real largest = lanes.largest(n * n, [&](int at, int count) FINEGRAIN_INLINE {
      constexpr int independent = Lanes::scalar_by_scalar ? 1 : 4; // maxima that do not wait for each other
      Real maxima[std::size_t(independent)] = {};
      for (Index e = arg.ptr[pos]; e < arg.ptr[pos + 1]; ++e) {
        if (at == 0) arg.source.template prefetch_block<N>(e);
        arg.source.read(n, e, [&](const auto &a) {
          for (int i = at; i < at + count; ++i)
            maxima[(i - at) % independent] = larger(a(i), maxima[(i - at) % independent]);
        });
      }
      Real m = 0;
      for (const Real maximum : maxima) m = larger(maximum, m);
      return m;
    });
    lanes.once([&] { arg.largest[pos] = largest; });
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION static Real larger(Real a, Real most)
  {
    const Real m = a < 0 ? -a : a;
    return m > most ? m : most;
  }
#if defined(FINEGRAIN_COMPLEX)
  KOKKOS_FORCEINLINE_FUNCTION static Real larger(Scalar a, Real most)
  {
    return larger(a.imag(), larger(a.real(), most));
  }
#endif
};

template <class OffDiagonal> KOKKOS_FORCEINLINE_FUNCTION bool are_finite(const OffDiagonal *a, int count)
{
  Scalar check = Scalar(0); // 0 times Inf or NaN is not 0
  for (int i = 0; i < count; ++i) check = madd(Scalar(0), convert<Scalar>(a[i]), check);
  return is_finite(magnitude(check));
}

struct CheckArguments {
  RelaxRows rows;
  const void *blocks;
  PivotReport *pivot_report;
};

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
  const Real *largest; // by position, gives each row a scale; null: `scale`
  Real scale;
  Shift shift;
  void *blocks; // null: couplings are narrowed in place
  void *diagonal;
  Real *unscale; // by position, with `largest`
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
    const Index row = arg.row_of ? arg.row_of[pos] : pos;
    const Real beta = arg.largest ? find_scale(arg.largest[pos]) : arg.scale;
    if (arg.largest) lanes.once([&] { arg.unscale[pos] = 1 / beta; });
    if (blocks()) {
      if constexpr (Lanes::scalar_by_scalar) store_scalars(lanes, pos, row, beta);
      else
        for (Index e = arg.ptr[pos]; e < arg.ptr[pos + 1]; ++e) {
          arg.source.template prefetch_block<N>(e);
          store_block(lanes, e, row, beta, block);
        }
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
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void store_block(const Lanes &lanes, Index e, Index row, Real beta, Scalar *space) const
  {
    const Scalar *a = arg.source.view(lanes, n, e, space);
    OffDiagonal *to = blocks() + Offset(e) * n * n;
    lanes.ranges(n * n, [&](int at, int count) FINEGRAIN_INLINE {
      const Offset flushed = narrow(a + at, count, beta, to + at);
      report(row, flushed, are_finite(to + at, count));
    });
  }
  // Stores couplings on devices, where each lane has one entry of a block. A lane reads its entry of eight blocks at
  // a time, so that their loads overlap, and reports once per row.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void store_scalars(const Lanes &lanes, Index pos, Index row, Real beta) const
  {
    constexpr int batch = 8;
    const Index first = arg.ptr[pos], last = arg.ptr[pos + 1];
    lanes.ranges(n * n, [&](int at, int) FINEGRAIN_INLINE {
      Offset flushed = 0;
      bool finite = true;
      for (Index e = first; e < last; e += batch) {
        Scalar a[std::size_t(batch)];
        arg.source.template read_scalars<batch>(n, e, last, at, a);
        for (int k = 0; k < batch && e + k < last; ++k) {
          OffDiagonal *to = blocks() + Offset(e + k) * n * n + at;
          flushed += narrow(a + k, 1, beta, to);
          finite = are_finite(to, 1) && finite;
        }
      }
      report(row, flushed, finite);
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void report(Index row, Offset flushed, bool finite) const
  {
    if (flushed > 0) atomic_add(&arg.pivot_report->flushed, flushed);
    if (!finite) atomic_lower(&arg.pivot_report->bad_coupling, row);
  }
  KOKKOS_FORCEINLINE_FUNCTION OffDiagonal *blocks() const { return static_cast<OffDiagonal *>(arg.blocks); }
  KOKKOS_FORCEINLINE_FUNCTION Diagonal *diagonal() const { return static_cast<Diagonal *>(arg.diagonal); }
};

} // namespace finegrain
