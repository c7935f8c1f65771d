// SPDX-License-Identifier: BSD-2-Clause
// Row functions of multicolor point-implicit relaxation (numerics.md 2):
//   z = d^-1 (b - sum of o x),   x <- z, or x + omega (z - x)
// over the couplings o of the row, including those to ghosts. Rows of one color do not depend on each other.
#pragma once

#include "base/column_sums.hpp"
#include "base/prefetch.hpp"
#include "relax/relaxation_rows.hpp"

namespace finegrain
{

// 1 / scale of stored couplings: one for all rows, or one per position.
struct Unscale {
  const Real *by_position = nullptr;
  Real all = 1;

  KOKKOS_FORCEINLINE_FUNCTION Real of(Index pos) const { return by_position ? by_position[pos] : all; }
};

struct RelaxArguments {
  RelaxRows rows;
  bool from_zero; // x is zero in rows that this sweep has not visited
  const void *blocks, *diagonal;
  Unscale unscale;
  Real omega;
  const Scalar *b;
  Scalar *x; // null: not stored
  void *y;   // x as neighbors read it
  const void *ghosts;
  Vectors vectors;
  Offset prefetch_distance = 0; // in bytes; 0: no prefetch (base/prefetch_distance.hpp)
};

// Computes x in the row of a sweep index, for V vectors at once; vector v begins at v stride. Neighbors are read from
// `y`. It is x itself or, for one vector with sums in single precision, a copy in single precision of half the size.
// With a copy, x is stored only if requested.
template <int N, class OffDiagonal, class Diagonal, class Sum, int V = 1> struct RelaxRow {
  using Entry = std::conditional_t<V == 1, Sum, Scalar>;
  BlockSize<N> n;
  RelaxArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return V * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return V * n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *scratch) const
  {
    const Index pos = arg.rows.position(sweep_index), row = arg.rows.row(pos), first = begin(pos), last = end(pos);
    const Offset nn = Offset(n) * n;
    const Real unscale = arg.unscale.of(pos);
    const auto column = [=, this](Index e, int v) FINEGRAIN_INLINE {
      const Index c = arg.rows.col[e];
      return c < arg.rows.owned ? y() + v * arg.vectors.stride + Offset(c) * n
                                : ghosts() + Offset(c - arg.rows.owned) * n;
    };
    sum_up(lanes, pos, first, last, column, [=, this](auto s, int v, const Sum *total) FINEGRAIN_INLINE {
      Accumulator<s.width> sums; // the scale is a power of two: the product is exact
      sums.load(arg.b + v * arg.vectors.stride + Offset(row) * n + s.first);
      sums.subtract_product(multiplier(Scalar(unscale)), total);
      sums.store(scratch + v * n + s.first);
    });
    for_each_strip<V>(lanes, arg.vectors.count, [=, this](auto s, auto lane_vectors) FINEGRAIN_INLINE {
      lane_vectors.each([&](int v) FINEGRAIN_INLINE {
        Accumulator<s.width> sums;
        sums.zero();
        accumulate<Sign::plus>(s, n, diagonal() + pos * nn, scratch + v * n, sums);
        const Offset at = v * arg.vectors.stride + Offset(row) * n + s.first;
        if (arg.omega != Real(1)) relax(sums, arg.x + at);
        if (arg.x) sums.store(arg.x + at);
        if constexpr (!std::is_same_v<Entry, Scalar>) sums.store(y() + at);
      });
    });
  }

private:
  // begin() and end() bound the entries that this sweep reads. A first sweep from zero reads those of visited rows
  // only.
  KOKKOS_FORCEINLINE_FUNCTION Index begin(Index pos) const
  {
    return arg.from_zero && arg.rows.backward ? arg.rows.mid[pos] : arg.rows.ptr[pos];
  }
  KOKKOS_FORCEINLINE_FUNCTION Index end(Index pos) const
  {
    return arg.from_zero && !arg.rows.backward ? arg.rows.mid[pos] : arg.rows.ptr[pos + 1];
  }
  KOKKOS_FORCEINLINE_FUNCTION const OffDiagonal *blocks() const
  {
    return static_cast<const OffDiagonal *>(arg.blocks);
  }
  KOKKOS_FORCEINLINE_FUNCTION const Diagonal *diagonal() const { return static_cast<const Diagonal *>(arg.diagonal); }
  KOKKOS_FORCEINLINE_FUNCTION Entry *y() const { return static_cast<Entry *>(arg.y); }
  KOKKOS_FORCEINLINE_FUNCTION const Entry *ghosts() const { return static_cast<const Entry *>(arg.ghosts); }
  // Blocks are one stream, prefetched into the first-level cache alone. Wide blocks use the prefetch distance of a
  // product with the matrix, 16-bit blocks a third of it, because they keep a core as busy as its memory
  // (docs/tuning.md).
  static constexpr bool is_short = sizeof(OffDiagonal) <= 2;
  // Prefetches the right-hand side and the result of a later row. Rows of one color are far from each other, and the
  // hardware does not find the next one (docs/tuning.md).
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_row(Index pos) const
  {
    if (pos < 0 || pos >= arg.rows.owned) return;
    const Offset row = arg.rows.row(pos);
    prefetch<N * sizeof(Scalar)>(arg.b + row * N);
    prefetch<N * sizeof(Entry)>(y() + row * N);
  }
  // Calls put(strip, v, sums of the products of its rows) for the rows of these lanes.
  template <class Lanes, class Column, class Put>
  KOKKOS_FORCEINLINE_FUNCTION void sum_up(const Lanes &lanes, [[maybe_unused]] Index pos, Index first, Index last,
                                          const Column &column, const Put &put) const
  {
    if constexpr (N > 0) prefetch_row(pos + (arg.rows.backward ? -8 : 8));
    const Offset distance = is_short ? arg.prefetch_distance / 3 : arg.prefetch_distance;
    if (N > 0 && distance) {
      prefetch<N * N * sizeof(Diagonal), Caches::first>(diagonal() + Offset(pos + 4) * (N * N));
      prefetch<1, Caches::first>(arg.rows.col + first + 64);
    }
    sum_products<N, Sum, V>(
      lanes, n, arg.vectors.count, first, last,
      [&](Index e) FINEGRAIN_INLINE {
        const OffDiagonal *block = blocks() + Offset(arg.rows.block_index(e)) * n * n;
        prefetch_block<N>(block, distance);
        return block;
      },
      column, put);
  }
  // Computes sums <- omega sums + (1 - omega) x.
  template <int W> KOKKOS_FORCEINLINE_FUNCTION void relax(Accumulator<W> &sums, const Scalar *old) const
  {
    Scalar z[std::size_t(W)];
    sums.store(z);
    for (int i = 0; i < W; ++i)
      z[i] = madd(Scalar(arg.omega), z[i], arg.from_zero ? Scalar(0) : product(Scalar(1 - arg.omega), old[i]));
    sums.load(z);
  }
};

struct TransposedRelaxArguments {
  RelaxRows rows;     // ptr and col: entries by column, and the position of the row of each
  const Index *entry; // index of each entry's block
  const void *blocks, *diagonal;
  Unscale unscale;
  Real omega;
  const Scalar *in, *x; // by row
  Scalar *out;
  Vectors vectors;
};

// Transposed sweep: sums of o^T x over the entries of each column, which are gathered through an index of their own.
// Without `diagonal` the columns are those of ghosts, and the negative sums are the result: what ghosts contribute to
// the right-hand sides of their owners.
template <class OffDiagonal, class Diagonal> struct TransposedRelaxRow {
  static constexpr int V = most_vectors;
  BlockSize<0> n;
  TransposedRelaxArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return V * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *scratch) const
  {
    const Offset nn = Offset(n) * n;
    const Index pos = of_ghosts() ? sweep_index : arg.rows.position(sweep_index),
                row = of_ghosts() ? sweep_index : arg.rows.row(pos);
    each_output<V>(lanes, arg.vectors, [&](int i, int v) FINEGRAIN_INLINE {
      const Offset at = v * arg.vectors.stride;
      Scalar sum = Scalar(0);
      for (Index e = arg.rows.ptr[pos]; e < arg.rows.ptr[pos + 1]; ++e) {
        const Index from = arg.rows.col[e];
        const Scalar *xe = arg.x + at + Offset(arg.rows.row(from)) * n;
        const OffDiagonal *column = blocks() + arg.entry[e] * nn + i * n;
        const Real unscale = arg.unscale.of(from);
        for (int a = 0; a < n; ++a) sum = madd(xe[a] * unscale, convert<Scalar>(column[a]), sum);
      }
      if (of_ghosts()) arg.out[at + Offset(row) * n + i] = -sum;
      else scratch[v * n + i] = arg.in[at + Offset(row) * n + i] - sum;
    });
    if (of_ghosts()) return;
    each_output<V>(lanes, arg.vectors, [&](int i, int v) FINEGRAIN_INLINE {
      Scalar sum = Scalar(0);
      for (int a = 0; a < n; ++a) sum = madd(scratch[v * n + a], Scalar(diagonal()[pos * nn + i * n + a]), sum);
      Scalar &to = arg.out[v * arg.vectors.stride + Offset(row) * n + i];
      to = madd(Scalar(arg.omega), sum, product(Scalar(1 - arg.omega), to));
    });
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION bool of_ghosts() const { return !arg.diagonal; }
  KOKKOS_FORCEINLINE_FUNCTION const OffDiagonal *blocks() const
  {
    return static_cast<const OffDiagonal *>(arg.blocks);
  }
  KOKKOS_FORCEINLINE_FUNCTION const Diagonal *diagonal() const { return static_cast<const Diagonal *>(arg.diagonal); }
};

} // namespace finegrain
