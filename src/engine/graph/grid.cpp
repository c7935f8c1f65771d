#include "graph/grid.hpp"

#include "base/pieces.hpp"
#include "graph/graph.hpp"

#include <algorithm>

namespace finegrain
{

namespace
{

constexpr Index widest_box_stencil = 3;

Hyperplanes number_planes(const Grid &grid, Index rows, std::array<Index, 3> w)
{
  Hyperplanes h{w, 0, make_array<Index>("finegrain::plane", std::size_t(rows))};
  Index row = 0;
  for (const Box &box : grid) {
    for (Index k = 0; k < box.k; ++k)
      for (Index j = 0; j < box.j; ++j)
        for (Index i = 0; i < box.i; ++i) h.plane(row++) = w[0] * i + w[1] * j + w[2] * k;
    if (box.points() > 0)
      h.count = std::max(h.count, w[0] * (box.i - 1) + w[1] * (box.j - 1) + w[2] * (box.k - 1) + 1);
  }
  return h;
}

bool fits(const Hyperplanes &h, const Graph &g)
{
  return Pieces(g.rows).all_rows([&](Index row) {
    for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e) {
      const Index col = g.col(e);
      if (col < row && h.plane(col) >= h.plane(row)) return false;
      if (col > row && h.plane(col) <= h.plane(row)) return false;
    }
    return true;
  });
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
    Hyperplanes h = number_planes(grid, g.rows, {1, s + 1, (s + 1) * (s + 1)});
    if (fits(h, g)) return h;
  }
  return std::nullopt;
}

} // namespace finegrain
