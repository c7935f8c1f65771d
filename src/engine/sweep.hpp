// Row functions of the triangular sweeps (numerics.md 1): y = d^-1 (b - l y), then x = y - w x.
//
// A row function is a plain struct of pointers and sizes, called with a slot, the lanes that share the row, and
// scratch of scratch_size() scalars.
#pragma once

#include "block.hpp"

namespace finegrain
{

// y at slot = d^-1 (b at the slot's row - sum of l y over earlier positions).
template <int N, class OffDiagonal, class Diagonal> struct ForwardRow {
  BlockSize<N>       n;
  const Index       *ptr, *col, *row_of; // row_of null: positions are rows
  const OffDiagonal *lower;
  const Diagonal    *diagonal;
  const Scalar      *b;
  Scalar            *y;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *scratch) const
  {
    const Offset  nn    = Offset(n) * n;
    const Scalar *rhs   = b + Offset(row_of ? row_of[slot] : slot) * n;
    const Index   first = ptr[slot], last = ptr[slot + 1];
    lanes.strips([&](auto s) {
      Scalar acc[s.width];
      for (int r = 0; r < s.width; ++r) acc[r] = rhs[s.first + r];
      for (Index e = first; e < last; ++e) accumulate<Sign::minus>(s, n, lower + e * nn, y + Offset(col[e]) * n, acc);
      for (int r = 0; r < s.width; ++r) scratch[s.first + r] = acc[r];
    });
    lanes.strips([&](auto s) {
      Scalar acc[s.width] = {};
      accumulate<Sign::plus>(s, n, diagonal + slot * nn, scratch, acc);
      for (int r = 0; r < s.width; ++r) y[Offset(slot) * n + s.first + r] = acc[r];
    });
  }
};

// x at the slot's row = y at its position - sum of w x over later rows. Slots run from the last position to the
// first.
template <int N, class OffDiagonal> struct BackwardRow {
  BlockSize<N>       n;
  const Index       *ptr, *col, *row_of;
  Index              last_position;
  const OffDiagonal *upper;
  const Scalar      *y;
  Scalar            *x; // may be y if positions are rows

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n; }

  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *) const
  {
    const Offset nn  = Offset(n) * n;
    const Index  pos = last_position - slot, row = row_of ? row_of[pos] : pos;
    const Index  first = ptr[slot], last = ptr[slot + 1];
    lanes.strips([&](auto s) {
      Scalar acc[s.width];
      for (int r = 0; r < s.width; ++r) acc[r] = y[Offset(pos) * n + s.first + r];
      for (Index f = first; f < last; ++f) accumulate<Sign::minus>(s, n, upper + f * nn, x + Offset(col[f]) * n, acc);
      for (int r = 0; r < s.width; ++r) x[Offset(row) * n + s.first + r] = acc[r];
    });
  }
};

} // namespace finegrain
