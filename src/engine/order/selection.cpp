// SPDX-License-Identifier: BSD-2-Clause
#include "order/selection.hpp"

#include <vector>

namespace finegrain
{

Selection select_within_grids(const Graph &g, const Grid &grid)
{
  std::vector<Index> box_of;
  for (std::size_t b = 0; b < grid.size(); ++b) box_of.insert(box_of.end(), std::size_t(grid[b].points()), Index(b));
  const auto inside = [&](Index row, Index e) { return box_of[std::size_t(row)] == box_of[std::size_t(g.col(e))]; };
  Index kept = 0;
  for (Index row = 0; row < g.rows; ++row)
    for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e) kept += inside(row, e);
  if (kept == g.entries()) return {g, {}, {}, {}};

  const auto select = [&](bool within, Index size, HostArray<Index> &entry) {
    Graph selected{g.rows, make_array<Index>("finegrain::ptr", std::size_t(g.rows) + 1),
                   make_array<Index>("finegrain::col", std::size_t(size))};
    entry = make_array<Index>("finegrain::entry", std::size_t(size));
    selected.ptr(0) = 0;
    for (Index row = 0, to = 0; row < g.rows; ++row) {
      for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e)
        if (inside(row, e) == within) {
          selected.col(to) = g.col(e);
          entry(to++) = e;
        }
      selected.ptr(row + 1) = to;
    }
    return selected;
  };
  Selection s;
  s.graph = select(true, kept, s.entry);
  s.ignored = select(false, g.entries() - kept, s.ignored_entry);
  return s;
}

Selection select_for_factor(const Graph &g, const Grid &grid, GridCoupling coupling)
{
  if (coupling == GridCoupling::block_jacobi && count_points(grid) == g.rows) return select_within_grids(g, grid);
  return {g, {}, {}, {}};
}

} // namespace finegrain
