// The row function of residuals: right-hand sides of correction iterations (numerics.md 1).
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
// Plain: no difference, positions are rows, entries are in order and dense, which is known when this is compiled: a
// row of scalars is too short to ask.
template <int N, bool Plain = false> struct ResidualRow {
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
    lanes.strips([&](auto s) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      if (!Plain && difference) {
        sums.zero();
        accumulate<Sign::plus>(s, n, difference + Offset(pos) * n * n, x + at, sums);
        for (int i = s.first; i < s.first + s.width; ++i) z[z_at + i] -= x[at + i];
      } else {
        sums.load(b + at + s.first);
      }
      subtract(s, simplify(inside), row, simplify(owned), x, sums);
      subtract(s, simplify(ghost), row, simplify(coupling), ghosts, sums);
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
  template <int W> KOKKOS_FORCEINLINE_FUNCTION void subtract(Strip<W> s, const EntryList &list, Index row,
                                                             const Source &values, const Scalar *from,
                                                             Accumulator<W> &sums) const
  {
    if (!list.ptr) return;
    const Index first = list.ptr[row], last = list.ptr[row + 1];
    if constexpr (N ==
                  1) { // in the matrix's order; a stream that is not asked for early has a third of the bandwidth
      look_ahead<1>(values.values + first + 256);
      look_ahead<1>(list.col + first + 256);
    }
    for (Index e = first; e < last; ++e)
      values.subtract_product(s, n, list.entry ? list.entry[e] : e, from + Offset(list.col[e]) * n, sums);
  }
};

} // namespace finegrain
