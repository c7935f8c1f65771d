// SPDX-License-Identifier: BSD-2-Clause
// Row functions of residuals (numerics.md 1) and of products with the matrix and its transpose. In: values of the
// matrix, and vectors. Out: one block row of the result. residuals.hpp and device_copy.cpp run them.
#pragma once

#include "base/matrix_values.hpp"

namespace finegrain
{

struct ResidualArguments {
  const Index *order = nullptr;  // position at each sweep index; null: positions ascend
  const Index *row_of = nullptr; // row at each position; null: positions are rows
  bool y_by_row = true;
  EntryList inside, ghost; // by row; columns are owned and ghost block rows
  // For each entry of `ghost`, the entry of `inside` before which it is added. Null: ghosts of a row are added last.
  const Index *next_inside = nullptr;
  MatrixValues owned, coupling;
  const Scalar *difference = nullptr; // D - D_A by position
  const Scalar *b, *x, *ghosts;
  Scalar *r;                    // by row
  Scalar *z = nullptr;          // y on entry, and in the layout of y
  Offset prefetch_distance = 0; // in bytes; 0: no prefetch (base/prefetch_distance.hpp)
};

// Without `difference` the row function computes
//   r = b - sum of a x over all couplings of the row.
// With it, for DILU, (D + E) y = r and x = y - D^-1 F x hold for the previous application, and it computes
//   r = (D - D_A) x - sum of a x over the ignored couplings,   z = y - x.
// The residual after that application is r + E z. It reads neither upper blocks nor the matrix's diagonal, and the
// next forward sweep reads E anyway. Sign::plus is the product, r = b + sum of a x; b null: zero.
//
// Plain means no difference, positions that are rows, and entries that are in order and dense. It is a template
// parameter, because a row of scalars is too short for run-time tests. The matrix is then one stream, which is
// prefetched where that is faster (base/prefetch_distance.hpp).
template <int N, bool Plain = false, Sign sign = Sign::minus> struct ResidualRow {
  BlockSize<N> n;
  ResidualArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *) const
  {
    const Index pos = arg.order ? arg.order[sweep_index] : sweep_index,
                row = !Plain && arg.row_of ? arg.row_of[pos] : pos;
    const Offset at = Offset(row) * n, z_at = Offset(arg.y_by_row ? row : pos) * n;
    lanes.strips([=, this](auto s) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      if (!Plain && arg.difference) {
        sums.zero();
        accumulate<Sign::plus>(s, n, arg.difference + Offset(pos) * n * n, arg.x + at, sums);
        for (int i = s.first; i < s.first + s.width; ++i) arg.z[z_at + i] -= arg.x[at + i];
      } else if (sign == Sign::plus && !arg.b) {
        sums.zero();
      } else {
        sums.load(arg.b + at + s.first);
      }
      const auto inside = [&](Index first, Index last) FINEGRAIN_INLINE {
        add_up(s, simplify(arg.inside), first, last, simplify(arg.owned), arg.x, sums);
      };
      const auto ghosts = [&](Index first, Index last) FINEGRAIN_INLINE {
        add_up(s, simplify(arg.ghost), first, last, simplify(arg.coupling), arg.ghosts, sums);
      };
      Index next = first_of(arg.inside, row);
      const Index first = first_of(arg.ghost, row), last = first_of(arg.ghost, row + 1);
      if (!Plain && arg.next_inside)
        for (Index e = first; e < last; ++e) {
          inside(next, arg.next_inside[e]);
          ghosts(e, e + 1);
          next = arg.next_inside[e];
        }
      inside(next, first_of(arg.inside, row + 1));
      if (Plain || !arg.next_inside) ghosts(first, last);
      sums.store(arg.r + at + s.first);
    });
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION static Index first_of(const EntryList &l, Index row) { return l.ptr ? l.ptr[row] : 0; }
  KOKKOS_FORCEINLINE_FUNCTION static EntryList simplify(const EntryList &l)
  {
    return {l.ptr, l.col, Plain ? nullptr : l.entry};
  }
  KOKKOS_FORCEINLINE_FUNCTION static MatrixValues simplify(const MatrixValues &v)
  {
    return {v.values, Plain ? nullptr : v.base, v.mask};
  }
  template <int W> KOKKOS_FORCEINLINE_FUNCTION void add_up(Strip<W> s, const EntryList &list, Index first, Index last,
                                                           const MatrixValues &values, const Scalar *from,
                                                           Accumulator<W> &sums) const
  {
    if (!list.ptr) return;
    if (N == 1 && arg.prefetch_distance) prefetch<1>(values.values + first + 256);
    if ((N == 1 || Plain) && arg.prefetch_distance) prefetch<1>(list.col + first + 256);
    for (Index e = first; e < last; ++e) {
      if constexpr (Plain) prefetch_block<N>(values.values + Offset(e) * n * n, arg.prefetch_distance);
      values.template accumulate_product<sign>(s, n, list.entry ? list.entry[e] : e, from + Offset(list.col[e]) * n,
                                               sums);
    }
  }
};

// Adds the products of x with some columns of a block: sums[c] += x times column first + c, rows in ascending order.
template <int W, int N> KOKKOS_FORCEINLINE_FUNCTION void add_columns(Strip<W> s, BlockSize<N> n, const Scalar *block,
                                                                     const Scalar *x, Scalar *sums)
{
  for (int c = 0; c < W; ++c)
    for (int a = 0; a < n; ++a) sums[c] = madd(x[a], block[(s.first + c) * n + a], sums[c]);
}

struct TransposedProductArguments {
  EntryList by_row;               // if given, one host thread scatters, and `out` contains `in` on entry
  const Index *ptr, *entry, *row; // gathered: entries of each column, and their rows
  const Scalar *blocks, *in, *x;
  Scalar *out;
};

// Computes row `column` of out = in + A^T x, from this column of A: the sum of a^T x over its entries, gathered
// through an index of their own. `in` null: zero. Rows are summed in ascending order. Hosts prefetch the block
// transposed_prefetch_entries entries ahead, and the list of entries has as many entries more.
inline constexpr Index transposed_prefetch_entries = 16;
template <int N> struct TransposedProductRow {
  BlockSize<N> n;
  TransposedProductArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n; }

  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void operator()(Index column, const Lanes &lanes, Scalar *) const
  {
    lanes.template strips<8>([=, this](auto s) FINEGRAIN_INLINE {
      const Offset at = Offset(column) * n + s.first;
      Scalar sums[std::size_t(s.width)];
      for (int c = 0; c < s.width; ++c) sums[c] = arg.in ? arg.in[at + c] : Scalar(0);
      for (Index e = arg.ptr[column]; e < arg.ptr[column + 1]; ++e) {
        if constexpr (N > 0)
          prefetch<std::size_t(N) * N * sizeof(Scalar)>(arg.blocks +
                                                        Offset(arg.entry[e + transposed_prefetch_entries]) * n * n);
        add_columns(s, n, arg.blocks + Offset(arg.entry[e]) * n * n, arg.x + Offset(arg.row[e]) * n, sums);
      }
      for (int c = 0; c < s.width; ++c) arg.out[at + c] = sums[c];
    });
  }
};

// The same for one host thread, which visits rows in order and adds to their columns, so that the matrix is one
// stream. `out` contains `in`, or zero, on entry.
template <int N> struct ScatterRow {
  BlockSize<N> n;
  TransposedProductArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int) { return 1; }

  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void operator()(Index row, const Lanes &lanes, Scalar *) const
  {
    const Scalar *xr = arg.x + Offset(row) * n;
    for (Index e = arg.by_row.ptr[row]; e < arg.by_row.ptr[row + 1]; ++e) {
      const Scalar *block = arg.blocks + Offset(e) * n * n;
      Scalar *to = arg.out + Offset(arg.by_row.col[e]) * n;
      if constexpr (N > 0) prefetch<std::size_t(N) * N * sizeof(Scalar), Caches::first>(block + 768);
      lanes.template strips<8>([=, this](auto s) FINEGRAIN_INLINE {
        Scalar sums[std::size_t(s.width)]; // a local copy, because stores to `to` could change the block
        for (int c = 0; c < s.width; ++c) sums[c] = to[s.first + c];
        add_columns(s, n, block, xr, sums);
        for (int c = 0; c < s.width; ++c) to[s.first + c] = sums[c];
      });
    }
  }
};

} // namespace finegrain
