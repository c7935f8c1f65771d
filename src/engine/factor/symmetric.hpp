// SPDX-License-Identifier: BSD-2-Clause
// Row functions of the factorization of a symmetric matrix without its upper blocks (numerics.md 1): DILU as a
// square-root-free incomplete Cholesky factorization, and the backward sweep that reads the lower blocks transposed.
// The forward sweep is sweep.hpp's. symmetric_factor.hpp runs them.
#pragma once

#include "base/atomics.hpp"
#include "base/inversion.hpp"
#include "base/matrix_values.hpp"
#include "factor/sweep.hpp"
#include "factor/factor_pattern.hpp"

namespace finegrain
{

struct SymmetricFactorArguments {
  const Index *lower_ptr;
  const Index *upper_source, *diagonal_source; // for each lower block (i, k), block (k, i) of the matrix, or ~(i, k)
  const Index *pivot;                          // and the position of row k
  const Index *row_of;
  Index last_position;
  MatrixValues source;
  Real diagonal_shift; // of diagonal entries: a becomes a + shift |a|
  Shift shift;
  void *lower, *diagonal; // blocks, as they are stored
  Scalar *difference;     // modified less original diagonal blocks, for residuals; null: not kept
  PivotReport *pivot_report;
};

// Loads one row of the operator, of which the upper triangle is read, and factors it:
//   l_ik = a_ki^T,   d_i = (a_ii - sum l_ik d_k l_ik^T)^-1,   k ascending.
// Products use the stored (rounded) l. With Shift::definite d_i^-1 must be positive definite, and then M is.
template <int N, class OffDiagonal, class Diagonal> struct SymmetricFactorRow {
  BlockSize<N> n;
  SymmetricFactorArguments arg;

  static constexpr bool may_not_fit = true; // in a team's scratch
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return 3 * n * n + 5 * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n * n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *scratch) const
  {
    const Offset nn = Offset(n) * n;
    Scalar *d = scratch, *block = d + nn, *scaled = block + nn, *work = scaled + nn;
    prefetch_row(sweep_index);

    load_diagonal(lanes, sweep_index, arg.diagonal_shift, d);
    Real sizes = magnitude(arg.source.scalar(n, arg.diagonal_source[sweep_index], 0));
    for (Index e = arg.lower_ptr[sweep_index]; e < arg.lower_ptr[sweep_index + 1]; ++e) {
      OffDiagonal *l = static_cast<OffDiagonal *>(arg.lower) + e * nn;
      const Diagonal *pivot = diagonal() + arg.pivot[e] * nn;
      load_lower(lanes, arg.upper_source[e], l, block);
      lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
        Accumulator<s.width> sums;
        sums.zero();
        accumulate<Sign::plus>(s, n, pivot, block + c * n, sums);
        sums.store(scaled + c * n + s.first);
      });
      lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
        Accumulator<s.width> sums;
        sums.load(d + c * n + s.first);
        accumulate<Sign::minus>(s, n, l, scaled + c * n, sums);
        sums.store(d + c * n + s.first);
      });
      if (n == 1) sizes = add_size(*l, *scaled, sizes);
    }
    clear_cancelled<OffDiagonal>(lanes, n, d, sizes, arg.shift);
    if (arg.difference) {
      load_diagonal(lanes, sweep_index, 0, block);
      lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
        for (int i = c * n + s.first; i < c * n + s.first + s.width; ++i)
          arg.difference[sweep_index * nn + i] = d[i] - block[i];
      });
    }
    Inversion definite;
    if (arg.shift.definite) {
      lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
        for (int i = c * n + s.first; i < c * n + s.first + s.width; ++i) block[i] = d[i];
      });
      check_definite(
        lanes, n, block, arg.shift, [&](int k) FINEGRAIN_INLINE { return scalar(sweep_index, k, k); }, definite);
    }
    Inversion inversion = invert_pivot_block(
      lanes, n, d, work, block, arg.shift, [&](int i) FINEGRAIN_INLINE { return scalar(sweep_index, i % n, i / n); });
    inversion.good = inversion.good && definite.good;
    inversion.indefinite = definite.indefinite;
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.load(d + c * n + s.first);
      sums.store(diagonal() + sweep_index * nn + c * n + s.first);
    });
    report_pivot(lanes, inversion, arg.row_of, sweep_index, arg.pivot_report);
  }

private:
  // Prefetches the matrix's blocks of a later row, on hosts (FactorBlocks does it for unsymmetric factors).
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_row([[maybe_unused]] Index sweep_index) const
  {
#if !defined(FINEGRAIN_ON_DEVICE)
    sweep_index += MatrixValues::prefetch_rows;
    if (N < 2 || sweep_index > arg.last_position) return;
    for (Index e = arg.lower_ptr[sweep_index]; e < arg.lower_ptr[sweep_index + 1]; ++e)
      arg.source.template prefetch_entry<N>(arg.upper_source[e] >= 0 ? arg.upper_source[e] : ~arg.upper_source[e]);
    arg.source.template prefetch_entry<N>(arg.diagonal_source[sweep_index]);
#endif
  }
  // Loads a lower block from the upper triangle (or transposed, if ~from), rounds it to l, and copies l^T to `block`.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void load_lower(const Lanes &lanes, Index from, OffDiagonal *l, Scalar *block) const
  {
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      for (int r = s.first; r < s.first + s.width; ++r)
        l[r * n + c] = convert<OffDiagonal>(from >= 0 ? arg.source.scalar(n, from, c * n + r)
                                                      : arg.source.scalar(n, ~from, r * n + c));
    });
    keep_rounding(l);
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      for (int r = s.first; r < s.first + s.width; ++r) block[c * n + r] = convert<Scalar>(l[r * n + c]);
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION Diagonal *diagonal() const { return static_cast<Diagonal *>(arg.diagonal); }
  // Entry of the diagonal block of a row.
  KOKKOS_FORCEINLINE_FUNCTION Scalar scalar(Index sweep_index, int r, int c) const
  {
    return arg.source.scalar(n, arg.diagonal_source[sweep_index], r < c ? c * n + r : r * n + c);
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void load_diagonal(const Lanes &lanes, Index sweep_index, Real shift, Scalar *d) const
  {
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      for (int r = s.first; r < s.first + s.width; ++r) {
        const Scalar a = scalar(sweep_index, r, c);
        d[c * n + r] = r == c && shift > 0 ? madd(Scalar(shift), Scalar(magnitude(a)), a) : a;
      }
    });
  }
};

struct SymmetricBackwardArguments {
  const Index *ptr, *entry, *col,
    *row_of; // by sweep index: lower blocks of this row's column, and the rows they are of
  bool y_by_row;
  Index last_position;
  const void *lower, *diagonal; // blocks, as they are stored
  const Scalar *y;
  Scalar *x;
  Scalar *total; // null, or x is added to it; one vector only
  Vectors vectors;
};

// x_i = y_i - d_i sum l_ji^T x_j over later rows j, in the order of the upper part.
template <int N, class OffDiagonal, class Diagonal, int V> struct SymmetricBackwardRow {
  BlockSize<N> n;
  SymmetricBackwardArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return V * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return V * n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *scratch) const
  {
    const Offset nn = Offset(n) * n;
    const Index pos = arg.last_position - sweep_index, row = arg.row_of ? arg.row_of[pos] : pos;
    const Index first = arg.ptr[sweep_index], last = arg.ptr[sweep_index + 1];
    for_each_strip<V, 8>(lanes, arg.vectors.count, [=, this](auto s, auto lane_vectors) FINEGRAIN_INLINE {
      lane_vectors.each([&](int v) FINEGRAIN_INLINE {
        Scalar sums[std::size_t(s.width)];
        for (int c = 0; c < s.width; ++c) sums[c] = Scalar(0);
        for (Index f = first; f < last; ++f) {
          const OffDiagonal *l = static_cast<const OffDiagonal *>(arg.lower) + arg.entry[f] * nn + s.first * n;
          if constexpr (N > 0 && V == 1) // they come from several places, one beside the next only now and then
            prefetch<std::size_t(N) * N * sizeof(OffDiagonal), Caches::second>(
              static_cast<const OffDiagonal *>(arg.lower) + arg.entry[f + symmetric_prefetch_entries] * nn);
          const Scalar *x = arg.x + v * arg.vectors.stride + Offset(arg.col[f]) * n;
          for (int c = 0; c < s.width; ++c)
            for (int a = 0; a < n; ++a) sums[c] = madd(x[a], convert<Scalar>(l[c * n + a]), sums[c]);
        }
        for (int c = 0; c < s.width; ++c) scratch[v * n + s.first + c] = sums[c];
      });
    });
    for_each_strip<V>(lanes, arg.vectors.count, [=, this](auto s, auto lane_vectors) FINEGRAIN_INLINE {
      lane_vectors.each([&](int v) FINEGRAIN_INLINE {
        const Offset to = v * arg.vectors.stride + Offset(row) * n + s.first;
        Accumulator<s.width> sums;
        sums.load(arg.y + v * arg.vectors.stride + Offset(arg.y_by_row ? row : pos) * n + s.first);
        accumulate<Sign::minus>(s, n, static_cast<const Diagonal *>(arg.diagonal) + pos * nn, scratch + v * n, sums);
        sums.store(arg.x + to);
        if (arg.total)
          for (int i = 0; i < s.width; ++i) arg.total[to + i] += arg.x[to + i];
      });
    });
  }
};

} // namespace finegrain
