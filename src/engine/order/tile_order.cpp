// SPDX-License-Identifier: BSD-2-Clause
#include "order/tile_order.hpp"

#include "order/coloring.hpp"
#include "order/levels.hpp"

#include <algorithm>
#include <utility>

namespace finegrain
{

namespace
{

// Finds the tile of each row, numbered over all grids. Returns the number of tiles.
Index find_tiles(const Grid &grid, const Box &tile, const HostArray<Index> &tile_of)
{
  Index first = 0, tiles = 0;
  for (const Box &box : grid) {
    each_tile(box, tile, [&](const Box &at, const Box &size) {
      for (Index k = at.k; k < at.k + size.k; ++k)
        for (Index j = at.j; j < at.j + size.j; ++j)
          for (Index i = at.i; i < at.i + size.i; ++i) tile_of(first + i + box.i * (j + box.j * k)) = tiles;
      ++tiles;
    });
    first += Index(box.points());
  }
  return tiles;
}

// Returns the graph of tiles: two are coupled if any of their rows are. by_tile has a group for each tile.
Graph couple_tiles(const Graph &g, const Schedule &by_tile, const HostArray<Index> &tile_of)
{
  const Index tiles = by_tile.groups();
  std::vector<Index> ptr{0}, col, seen_by(std::size_t(tiles), -1);
  for (Index t = 0; t < tiles; ++t) {
    for (Index p = by_tile.group(t); p < by_tile.group(t + 1); ++p) {
      const Index row = by_tile.order(p);
      for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e) {
        const Index other = tile_of(g.col(e));
        if (std::exchange(seen_by[std::size_t(other)], t) != t) col.push_back(other);
      }
    }
    std::sort(col.begin() + ptr.back(), col.end());
    ptr.push_back(Index(col.size()));
  }
  return {tiles, to_array("finegrain::ptr", ptr), to_array("finegrain::col", col)};
}

} // namespace

HostArray<Index> order_tiles(const Grid &grid, const Box &tile, const Graph &g)
{
  auto tile_of = make_array<Index>("finegrain::tile_of", std::size_t(g.rows));
  const Index tiles = find_tiles(grid, tile, tile_of);
  const Schedule by_tile = sort_rows(ScheduleKind::level, tiles, tile_of);
  const Coloring coloring = color_greedy(symmetrize(couple_tiles(g, by_tile, tile_of)));
  auto color_of = make_array<Index>("finegrain::color_of", std::size_t(g.rows));
  for (Index i = 0; i < g.rows; ++i) color_of(i) = coloring.color(tile_of(i));
  const std::vector<Index> visit(by_tile.order.data(), by_tile.order.data() + g.rows);
  return sort_rows(ScheduleKind::color, coloring.colors, color_of, visit).order;
}

} // namespace finegrain
