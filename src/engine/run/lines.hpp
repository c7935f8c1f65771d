// SPDX-License-Identifier: BSD-2-Clause
// Sweeps by lines: on complete stars of grids with one unknown per point a sweep knows where a point's neighbors
// are, and reads no structure (line_sweep.hpp).
//
// A bundle is several lines along i, side by side in j, visited together: point i of the first, then i - 1 of the
// second, and so on. These points do not depend on each other, and what a point needs of its own line and of the one
// beside it was found in the step before. Storage is in this order, so that all coefficients are one stream.
#pragma once

#include "order/graph.hpp"
#include "order/grid.hpp"

namespace finegrain
{

// Two lines hide the latency of one sum, three also where all is in cache; with four and eight there are more streams
// of vectors than the prefetchers of an EPYC follow.
inline constexpr Index bundle_lines = 3;

// A box of points that one thread sweeps without interruption. i, j, k count from the corner where the sweep begins.
struct LineBox {
  Index first = 0, slot = 0; // the corner's row and slot
  Box size;
  std::array<Index, 3> step{};           // rows from a point to the next
  std::array<bool, 3> before{}, after{}; // whether there are points of the grid beyond the part, by direction
  Index head = bundle_lines;             // lines of the first bundle of a plane; none of the others is larger

  // f(j, lines) for the bundles of a plane.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void bundles(const F &f) const
  {
    for (Index j = 0, lines = head; j < size.j; j += lines, lines = bundle_lines)
      f(j, lines < size.j - j ? lines : size.j - j);
  }
};

// Whether a row of a graph is that of a point of the complete star of a box.
KOKKOS_FORCEINLINE_FUNCTION bool is_star_row(const Index *ptr, const Index *col, Index row, const Box &box, Index i,
                                             Index j, Index k)
{
  const Index step[] = {-box.i * box.j, -box.i, -1, 0, 1, box.i, box.i * box.j};
  const bool inside[] = {k > 0, j > 0, i > 0, true, i + 1 < box.i, j + 1 < box.j, k + 1 < box.k};
  Index e = ptr[row];
  const Index end = ptr[row + 1];
  for (int d = 0; d < 7; ++d)
    if (inside[d] && (e == end || col[e++] != row + step[d])) return false;
  return e == end;
}

// Whether the graph is the complete star of the boxes in natural order: what a sweep by lines takes for granted.
bool is_complete_star(const Graph &, const Grid &);

// Parts of the boxes, in the order of cut_tiles(), for forward sweeps. `ordering` gives the row at each place of the
// elimination, the natural order of the boxes or of mirrored ones (empty: natural). Slots are those of parts that
// follow one another.
std::vector<LineBox> cut_boxes(const Grid &, Box tile, const HostArray<Index> &ordering);

// The same part for sweeps that run from the last slot to the first.
LineBox reverse_box(const LineBox &, Index rows);

// Rows of a part in the order in which it is swept, from row_at[part.slot] on.
void order_box(const LineBox &, Index *row_at);

} // namespace finegrain
