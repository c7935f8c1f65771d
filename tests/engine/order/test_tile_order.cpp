// SPDX-License-Identifier: BSD-2-Clause
// The order of elimination by colored tiles: a grid of 4 x 4 points by hand, and grids of all kinds compared with a
// plain order.
#include "graphs.hpp"

#include "order/levels.hpp"
#include "order/tile_order.hpp"

#include <map>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Points are numbered 0 1 2 3 / 4 5 6 7 / 8 9 10 11 / 12 13 14 15. The tiles of 2 x 2 points begin at 0, 2, 8 and 10.
TEST(TileOrder, OfFourTilesOnAStarHasTwoColorsAndFiveGroups)
{
  const Box box{4, 4, 1};
  const Graph star = make_grid_graph(box, Stencil::star);
  const HostArray<Index> order = order_tiles({box}, {2, 2, 1}, star);
  EXPECT_EQ(to_vector(order), (std::vector<Index>{0, 1, 4, 5, 10, 11, 14, 15, 2, 3, 6, 7, 8, 9, 12, 13}));
  // First color: {0, 10}, {1, 4, 11, 14}, {5, 15}. Point 2 needs point 1, so that its tile begins with the third
  // group: {2, 8}, {3, 6, 9, 12}, {7, 13}. In natural order there are seven groups.
  EXPECT_EQ(schedule_levels(permute(star, order)).groups(), 5);
  EXPECT_EQ(schedule_levels(star).groups(), 7);
}

TEST(TileOrder, OfFourTilesOnABoxStencilHasFourColors)
{
  const Box box{4, 4, 1};
  EXPECT_EQ(to_vector(order_tiles({box}, {2, 2, 1}, make_grid_graph(box, Stencil::box))),
            (std::vector<Index>{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15}));
}

TEST(TileOrder, HasGroupsThatDoNotGrowWithTheGrid)
{
  const auto count = [](Index edge) {
    const Box box{edge, edge, edge};
    const Graph star = make_grid_graph(box, Stencil::star);
    return schedule_levels(permute(star, order_tiles({box}, {4, 4, 4}, star))).groups();
  };
  EXPECT_EQ(count(8), count(24));
  EXPECT_LE(count(24), 2 * (3 * 3 + 1));
}

// A plain order: tiles by the coordinates of their points, their couplings as sets of pairs, greedy colors, and a
// stable sort of the rows by color and tile.
std::vector<Index> order_plainly(const Grid &grid, const Box &tile, const Graph &g, Index &colors)
{
  using Key = std::array<Index, 4>; // grid, k, j, i
  std::vector<Key> key_of;
  for (Index b = 0; b < Index(grid.size()); ++b)
    for (Index p = 0; p < Index(grid[std::size_t(b)].points()); ++p) {
      const Box at = grid[std::size_t(b)].point(p);
      key_of.push_back({b, at.k / tile.k, at.j / tile.j, at.i / tile.i});
    }
  std::map<Key, std::set<Key>> beside;
  for (Index i = 0; i < g.rows; ++i) {
    const Key mine = key_of[std::size_t(i)];
    beside[mine];
    for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e)
      if (const Key other = key_of[std::size_t(g.col(e))]; other != mine) {
        beside[mine].insert(other);
        beside[other].insert(mine);
      }
  }
  std::map<Key, Index> color;
  colors = 0;
  for (const auto &[key, neighbors] : beside) {
    std::set<Index> used;
    for (const Key &other : neighbors)
      if (color.count(other)) used.insert(color[other]);
    Index c = 0;
    while (used.count(c)) ++c;
    color[key] = c;
    colors = std::max(colors, c + 1);
  }
  std::vector<Index> order = natural_order(g.rows);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    const Key ka = key_of[std::size_t(a)], kb = key_of[std::size_t(b)];
    return std::pair(color[ka], ka) < std::pair(color[kb], kb);
  });
  return order;
}

TEST(TileOrder, EqualsAPlainOneOnAnyGrid)
{
  struct Case {
    Grid grid;
    Graph graph;
    Box tile;
    Index colors;
  };
  const Box box{7, 6, 5}, ring{6, 5, 1};
  const Index rows = 7 * 6 * 5;
  const std::vector<Case> cases = {
    {{box}, make_grid_graph(box, Stencil::star), {2, 3, 2}, 2},
    {{box}, make_grid_graph(box, Stencil::star), {8, 8, 8}, 1}, // one tile
    {{box}, make_grid_graph(box, Stencil::box), {3, 2, 2}, 8},
    {{box}, make_grid_graph(box, Stencil::star, 2), {1, 1, 1}, -1},                         // wider than a tile
    {{ring}, make_grid_graph(ring, Stencil::star, 1, {true, false, false}), {2, 2, 1}, 4},  // three tiles in a ring
    {{{7, 6, 2}, {0, 4, 4}, {7, 6, 3}}, make_grid_graph(box, Stencil::star), {4, 4, 2}, 2}, // three grids, one empty
    {{box}, make_random_graph(rows, 2, false, 3), {3, 3, 3}, -1},
    {{}, make_graph({}), {8, 8, 8}, 0}};
  for (const Case &c : cases) {
    Index colors;
    const HostArray<Index> order = order_tiles(c.grid, c.tile, c.graph);
    ASSERT_TRUE(is_permutation(order, c.graph.rows));
    EXPECT_EQ(to_vector(order), order_plainly(c.grid, c.tile, c.graph, colors));
    if (c.colors >= 0) {
      EXPECT_EQ(colors, c.colors);
    }
  }
}

} // namespace
