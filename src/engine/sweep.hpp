// Row functions of the triangular sweeps (numerics.md 1): y = d^-1 (b - l y), then x = y - w x.
//
// A row function is a plain struct of pointers and sizes, called with a slot, the lanes that share the row, and
// scratch of scratch_size() scalars.
#pragma once

#include "block.hpp"

namespace finegrain
{

// y of the slot's row = d^-1 (b - sum of l y over earlier rows). y is stored by row or by position.
template <int N, class OffDiagonal, class Diagonal> struct ForwardRow {
  BlockSize<N>       n;
  const Index       *ptr, *col, *row_of; // row_of null: positions are rows
  bool               y_by_row;
  const OffDiagonal *lower;
  const Diagonal    *diagonal;
  const Scalar      *b;
  Scalar            *y;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *scratch) const
  {
    const Offset nn    = Offset(n) * n;
    const Index  row   = row_of ? row_of[slot] : slot;
    const Index  first = ptr[slot], last = ptr[slot + 1];
    lanes.strips([&](auto s) {
      Accumulator<s.width> sums;
      sums.load(b + Offset(row) * n + s.first);
      for (Index e = first; e < last; ++e)
        accumulate<Sign::minus>(s, n, lower + e * nn, y + Offset(col[e]) * n, sums);
      sums.store(scratch + s.first);
    });
    lanes.strips([&](auto s) {
      Accumulator<s.width> sums;
      sums.zero();
      accumulate<Sign::plus>(s, n, diagonal + slot * nn, scratch, sums);
      sums.store(y + Offset(y_by_row ? row : slot) * n + s.first);
    });
  }
};

// x of the slot's row = y - sum of w x over later rows. Slots run from the last position to the
// first.
template <int N, class OffDiagonal> struct BackwardRow {
  BlockSize<N>       n;
  const Index       *ptr, *col, *row_of;
  bool               y_by_row;
  Index              last_position;
  const OffDiagonal *upper;
  const Scalar      *y;
  Scalar            *x; // may be y if that is by row

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n; }

  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *) const
  {
    const Offset nn  = Offset(n) * n;
    const Index  pos = last_position - slot, row = row_of ? row_of[pos] : pos;
    const Index  first = ptr[slot], last = ptr[slot + 1];
    lanes.strips([&](auto s) {
      Accumulator<s.width> sums;
      sums.load(y + Offset(y_by_row ? row : pos) * n + s.first);
      for (Index f = first; f < last; ++f)
        accumulate<Sign::minus>(s, n, upper + f * nn, x + Offset(col[f]) * n, sums);
      sums.store(x + Offset(row) * n + s.first);
    });
  }
};

} // namespace finegrain
