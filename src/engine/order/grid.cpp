// SPDX-License-Identifier: BSD-2-Clause
#include "order/grid.hpp"

#include "order/graph.hpp"

#include <algorithm>

namespace finegrain
{

namespace
{

Hyperplanes number_planes(const Grid &grid, Index rows, PlaneWeights w)
{
  Hyperplanes h{w, 0, make_array<Index>("finegrain::plane", std::size_t(rows))};
  Index row = 0;
  for (const Box &box : grid) {
    for (Index k = 0; k < box.k; ++k)
      for (Index j = 0; j < box.j; ++j)
        for (Index i = 0; i < box.i; ++i) h.plane(row++) = w.plane(i, j, k);
    if (box.points() > 0) h.count = std::max(h.count, w.plane(box.i - 1, box.j - 1, box.k - 1) + 1);
  }
  return h;
}

} // namespace

Offset count_points(const Grid &grid)
{
  Offset points = 0;
  for (const Box &box : grid) points += box.points();
  return points;
}

std::optional<Hyperplanes> find_hyperplanes(const Grid &grid, const Graph &g)
{
  if (count_points(grid) != g.rows) return std::nullopt;
  for (Index s = 0; s <= widest_box_stencil; ++s) {
    Hyperplanes h = number_planes(grid, g.rows, plane_weights(s));
    if (ascends(g, h.plane, 1)) return h;
  }
  return std::nullopt;
}

} // namespace finegrain
