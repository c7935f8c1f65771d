// SPDX-License-Identifier: BSD-2-Clause
// Sweeps by lines: on complete stars of grids with one unknown per point, a sweep computes where the neighbors of a
// point are, and reads no structure (factor/line_sweep.hpp).
//
// A bundle is several lines along i, adjacent in j, that are visited together: point i of the first line, then i - 1
// of the second, and so on. These points do not depend on each other. A point needs values of its own line and of
// the adjacent one, which were computed in the previous step. Storage is in this order, so that all coefficients are
// one stream.
#pragma once

#include "order/graph.hpp"
#include "order/grid.hpp"

namespace finegrain
{

// Number of lines in a bundle. Two lines hide the latency of one sum, three do so in cache too. Four and eight have
// more streams of vectors than the prefetchers of an EPYC follow.
inline constexpr Index bundle_lines = 3;

// A box of points that one thread sweeps without interruption. i, j, k are counted from the corner where the sweep
// begins.
struct LineBox {
  Index first = 0, sweep_index = 0; // row and sweep index of the corner
  Box size;
  std::array<Index, 3> stride{};         // distance in rows from a point to the next, by direction
  std::array<bool, 3> before{}, after{}; // true if the grid has points before or after the box, by direction
  Index head = bundle_lines;             // lines of the first bundle of a plane; the others have at most bundle_lines

  // Calls f(j, lines) for the bundles of a plane.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void bundles(const F &f) const
  {
    for (Index j = 0, lines = head; j < size.j; j += lines, lines = bundle_lines)
      f(j, lines < size.j - j ? lines : size.j - j);
  }
};

// Returns true if a row of a graph is that of a point of the complete star of a box.
KOKKOS_FORCEINLINE_FUNCTION bool is_star_row(const Index *ptr, const Index *col, Index row, const Box &box, Index i,
                                             Index j, Index k)
{
  const Index distance[] = {-box.i * box.j, -box.i, -1, 0, 1, box.i, box.i * box.j};
  const bool inside[] = {k > 0, j > 0, i > 0, true, i + 1 < box.i, j + 1 < box.j, k + 1 < box.k};
  Index e = ptr[row];
  const Index end = ptr[row + 1];
  for (int d = 0; d < 7; ++d)
    if (inside[d] && (e == end || col[e++] != row + distance[d])) return false;
  return e == end;
}

// Returns true if the graph is the complete star of the boxes in natural order, which sweeps by lines require.
bool is_complete_star(const Graph &, const Grid &);

// Cuts the boxes into tiles, in the order of cut_tiles(), for forward sweeps. `ordering` is the row at each place of
// the elimination, in the natural order of the boxes or of boxes with reversed axes (empty: natural). The sweep
// indices of a tile follow those of the tile before.
std::vector<LineBox> cut_boxes(const Grid &, Box tile, const HostArray<Index> &ordering);

// Returns the same box for sweeps from the last sweep index to the first.
LineBox reverse_box(const LineBox &, Index rows);

// Writes the rows of a box, in the order of the sweep, from row_at[box.sweep_index] on.
void order_box(const LineBox &, Index *row_at);

} // namespace finegrain
