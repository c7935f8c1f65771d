// SPDX-License-Identifier: BSD-2-Clause
#include "order/grid.hpp"

#include "base/pieces.hpp"
#include "order/graph.hpp"

#include <algorithm>

namespace finegrain
{

namespace
{

Hyperplanes number_planes(const Grid &grid, Index rows, PlaneWeights w)
{
  Hyperplanes h{w, w.planes(grid), make_array<Index>("finegrain::plane", std::size_t(rows))};
  Index row = 0;
  for (const Box &box : grid)
    for (Index k = 0; k < box.k; ++k)
      for (Index j = 0; j < box.j; ++j)
        for (Index i = 0; i < box.i; ++i) h.plane(row++) = w.plane(i, j, k);
  return h;
}

bool fits(const Hyperplanes &h, const Graph &g)
{
  return Pieces(g.rows).all_rows(
    [&](Index row) { return keeps_directions(g.ptr.data(), g.col.data(), h.plane.data(), row); });
}

} // namespace

Offset count_points(const Grid &grid)
{
  Offset points = 0;
  for (const Box &box : grid) points += box.points();
  return points;
}

Index PlaneWeights::planes(const Grid &grid) const
{
  Index count = 0;
  for (const Box &box : grid)
    if (box.points() > 0) count = std::max(count, plane(box.i - 1, box.j - 1, box.k - 1) + 1);
  return count;
}

std::optional<Hyperplanes> find_hyperplanes(const Grid &grid, const Graph &g)
{
  if (count_points(grid) != g.rows) return std::nullopt;
  for (Index s = 0; s <= widest_box_stencil; ++s) {
    Hyperplanes h = number_planes(grid, g.rows, plane_weights(s));
    if (fits(h, g)) return h;
  }
  return std::nullopt;
}

} // namespace finegrain
