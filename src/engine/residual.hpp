// The row functions of residuals, right-hand sides of correction iterations (numerics.md 1), and of products.
#pragma once

#include "source.hpp"

namespace finegrain
{

// Entries of the operator by block row: their columns, and their numbers in the Source; entry null: in order.
struct EntryList {
  const Index *ptr = nullptr, *col = nullptr, *entry = nullptr;
};

// Without `difference`:  r = b - sum of a x over all couplings of the row.
// With it, for DILU with (D + E) y = r and x = y - D^-1 F x of the application before:
//   r = (D - D_A) x - sum of a x over the couplings that are not in the factor,   z = y - x,
// so that the residual after that application is r + E z: neither upper blocks nor the matrix's diagonal are read,
// and the next forward sweep reads E anyway.
// Sign::plus is the product, r = b + sum of a x; b null: zero.
// Plain: no difference, positions are rows, entries are in order and dense, which is known when this is compiled: a
// row of scalars is too short to ask. The matrix is then one stream, and it is asked for early: a stream that is not
// has a third to a half of the bandwidth (docs/performance.md).
template <int N, bool Plain = false, Sign sign = Sign::minus> struct ResidualRow {
  BlockSize<N>  n;
  const Index  *slots;  // the positions to visit; null: all in order
  const Index  *row_of; // row at each position; null: the same
  bool          y_by_row;
  EntryList     inside, ghost; // by row; columns of owned and of ghost block rows
  Source        owned, coupling;
  const Scalar *difference; // D - D_A by position
  const Scalar *b, *x, *ghosts;
  Scalar       *r; // by row
  Scalar       *z; // y at entry; stored as y is

  static constexpr bool                            keeps_tile = false;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *, Everywhere) const
  {
    const Index  pos = slots ? slots[slot] : slot, row = !Plain && row_of ? row_of[pos] : pos;
    const Offset at = Offset(row) * n, z_at = Offset(y_by_row ? row : pos) * n;
    lanes.strips([=, this](auto s) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      if (!Plain && difference) {
        sums.zero();
        accumulate<Sign::plus>(s, n, difference + Offset(pos) * n * n, x + at, sums);
        for (int i = s.first; i < s.first + s.width; ++i) z[z_at + i] -= x[at + i];
      } else if (sign == Sign::plus && !b) {
        sums.zero();
      } else {
        sums.load(b + at + s.first);
      }
      add_up(s, simplify(inside), row, simplify(owned), x, sums);
      add_up(s, simplify(ghost), row, simplify(coupling), ghosts, sums);
      sums.store(r + at + s.first);
    });
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION static EntryList simplify(const EntryList &l)
  {
    return {l.ptr, l.col, Plain ? nullptr : l.entry};
  }
  KOKKOS_FORCEINLINE_FUNCTION static Source simplify(const Source &v)
  {
    return {v.values, Plain ? nullptr : v.base, v.mask};
  }
  template <int W> KOKKOS_FORCEINLINE_FUNCTION void add_up(Strip<W> s, const EntryList &list, Index row,
                                                           const Source &values, const Scalar *from,
                                                           Accumulator<W> &sums) const
  {
    if (!list.ptr) return;
    const Index first = list.ptr[row], last = list.ptr[row + 1];
    if constexpr (N == 1) look_ahead<1>(values.values + first + 256);
    if constexpr (N == 1 || Plain) look_ahead<1>(list.col + first + 256);
    for (Index e = first; e < last; ++e) {
      if constexpr (N > 1 && Plain)
        look_ahead<std::size_t(N) * N * sizeof(Scalar), Caches::first>(values.values + Offset(e) * n * n + 768);
      values.template accumulate_product<sign>(s, n, list.entry ? list.entry[e] : e, from + Offset(list.col[e]) * n,
                                               sums);
    }
  }
};

// sums[c] += column first + c of a block times x, for some columns of the block: rows in ascending order.
template <int W, int N> KOKKOS_FORCEINLINE_FUNCTION void add_columns(Strip<W> s, BlockSize<N> n, const Scalar *block,
                                                                     const Scalar *x, Scalar *sums)
{
  for (int c = 0; c < W; ++c)
    for (int a = 0; a < n; ++a) sums[c] = madd(x[a], block[(s.first + c) * n + a], sums[c]);
}

// Row `slot` of out = in + A^T x, which is a column of A: the sum of a^T x over its entries, gathered through an
// index of their own. `in` null: zero. Its rows are summed in ascending order. A host asks for the blocks of this
// many entries later; the list goes on that long.
inline constexpr Index transposed_ahead = 16;
template <int N> struct TransposedProductRow {
  BlockSize<N>  n;
  const Index  *ptr, *entry, *row; // entries of each column, and the row that each is of
  const Scalar *blocks, *in, *x;
  Scalar       *out;

  static constexpr bool                            keeps_tile = false;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *, Everywhere) const
  {
    lanes.template strips<8>([=, this](auto s) FINEGRAIN_INLINE {
      const Offset at = Offset(slot) * n + s.first;
      Scalar       sums[std::size_t(s.width)];
      for (int c = 0; c < s.width; ++c) sums[c] = in ? in[at + c] : Scalar(0);
      for (Index e = ptr[slot]; e < ptr[slot + 1]; ++e) {
        if constexpr (N > 0)
          look_ahead<std::size_t(N) * N * sizeof(Scalar)>(blocks + Offset(entry[e + transposed_ahead]) * n * n);
        add_columns(s, n, blocks + Offset(entry[e]) * n * n, x + Offset(row[e]) * n, sums);
      }
      for (int c = 0; c < s.width; ++c) out[at + c] = sums[c];
    });
  }
};

// The same for one thread of a host, which visits rows in order and adds to the columns they have: the matrix is one
// stream. out holds `in`, or zero.
template <int N> struct ScatterRow {
  BlockSize<N>  n;
  EntryList     inside;
  const Scalar *blocks, *x;
  Scalar       *out;

  static constexpr bool                            keeps_tile = false;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int) { return 1; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index row, const Lanes &lanes, Scalar *, Everywhere) const
  {
    const Scalar *xr = x + Offset(row) * n;
    for (Index e = inside.ptr[row]; e < inside.ptr[row + 1]; ++e) {
      const Scalar *block = blocks + Offset(e) * n * n;
      Scalar       *to    = out + Offset(inside.col[e]) * n;
      if constexpr (N > 0) look_ahead<std::size_t(N) * N * sizeof(Scalar), Caches::first>(block + 768);
      lanes.template strips<8>([=, this](auto s) FINEGRAIN_INLINE {
        Scalar sums[std::size_t(s.width)]; // of its own: stores to `to` could change the block
        for (int c = 0; c < s.width; ++c) sums[c] = to[s.first + c];
        add_columns(s, n, block, xr, sums);
        for (int c = 0; c < s.width; ++c) to[s.first + c] = sums[c];
      });
    }
  }
};

} // namespace finegrain
