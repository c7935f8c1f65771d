// SPDX-License-Identifier: BSD-2-Clause
// Grids, hyperplanes, level sets: groups are independent and preserve the direction of the natural order.
#include "graphs.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

TEST(Hyperplanes, HandChecked)
{
  const Box box{3, 2, 2};
  const auto s = schedule_hyperplanes({box}, make_grid_graph(box, Stencil::star));
  ASSERT_TRUE(s);
  EXPECT_EQ(s->groups(), 5); // i + j + k = 0 .. 4
  const Index order[] = {0, 1, 3, 6, 2, 4, 7, 9, 5, 8, 10, 11}, group[] = {0, 1, 4, 8, 11, 12};
  for (Index p = 0; p < 12; ++p) EXPECT_EQ(s->order(p), order[p]) << p;
  for (Index k = 0; k < 6; ++k) EXPECT_EQ(s->group(k), group[k]) << k;
}

// The example of Luo et al. (2015), who count points from 1: N_5 = 6 and N_12 = 25 on 10 x 5 x 5 points.
TEST(Hyperplanes, WidthsOfThePapersExample)
{
  const Box box{10, 5, 5};
  const auto s = schedule_hyperplanes({box}, make_grid_graph(box, Stencil::star));
  ASSERT_TRUE(s);
  EXPECT_EQ(s->groups(), 18);
  EXPECT_EQ(s->group(5 - 2) - s->group(5 - 3), 6);
  EXPECT_EQ(s->group(12 - 2) - s->group(12 - 3), 25);
}

// Table V of Dufrechou et al.: on 512 x 128 x 128 points, the planes before the widest that have fewer than 1024 b
// points, b = 1 to 16. These are the first 255 planes, which 255 points along i have too.
TEST(Hyperplanes, MergedPlanesOfDufrechousTableV)
{
  const Box box{255, 128, 128};
  const Index rows = Index(box.points());
  const Graph uncoupled{rows, HostArray<Index>("ptr", std::size_t(rows) + 1), {}};
  const auto s = schedule_hyperplanes({box}, uncoupled);
  ASSERT_TRUE(s);
  const Index merged[] = {44, 63, 77, 90, 100, 110, 119, 127, 135, 144, 154, 164, 177, 191, 210, 254};
  for (Index b = 1; b <= 16; ++b) {
    Index narrow = 0;
    for (Index h = 0; h < 255; ++h) narrow += s->group(h + 1) - s->group(h) < 1024 * b;
    EXPECT_EQ(narrow, merged[b - 1]) << b << " blocks";
  }
}

TEST(Hyperplanes, WeightsFollowTheStencil)
{
  const Box box{7, 6, 5};
  const auto weights = [&](const Graph &g) {
    const auto h = find_hyperplanes({box}, g);
    return h ? h->weight : PlaneWeights{};
  };
  EXPECT_EQ(weights(make_grid_graph(box, Stencil::star)), (PlaneWeights{1, 1, 1}));
  EXPECT_EQ(weights(make_grid_graph(box, Stencil::star, 2)), (PlaneWeights{1, 1, 1}));
  EXPECT_EQ(weights(make_grid_graph(box, Stencil::star, 1, {true, true, true})), (PlaneWeights{1, 1, 1}));
  EXPECT_EQ(weights(make_grid_graph(box, Stencil::box, 1)), (PlaneWeights{1, 2, 4}));
  EXPECT_EQ(weights(make_grid_graph(box, Stencil::box, 2)), (PlaneWeights{1, 3, 9}));
}

TEST(Hyperplanes, OneExtraCouplingIsNotMissed)
{
  const Box box{6, 5, 4};
  Rows rows(std::size_t(box.points()));
  const Graph star = make_grid_graph(box, Stencil::star);
  for (Index i = 0; i < star.rows; ++i)
    rows[std::size_t(i)].insert(star.col.data() + star.ptr(i), star.col.data() + star.ptr(i + 1));
  // (0,1,0) and (5,0,0): the row order has the same direction, the planes have the opposite one, for every weight up
  // to (1, 4, 16).
  rows[6].insert(5);
  const auto h = find_hyperplanes({box}, make_graph(rows));
  EXPECT_FALSE(h);
  rows[6].erase(5);
  rows[5].insert(6);
  EXPECT_FALSE(find_hyperplanes({box}, make_graph(rows)));
  rows[5].erase(6);
  EXPECT_TRUE(find_hyperplanes({box}, make_graph(rows)));
}

TEST(Hyperplanes, GridOfAnotherSizeDoesNotFit)
{
  const Graph g = make_grid_graph({8, 6, 5}, Stencil::star);
  EXPECT_FALSE(find_hyperplanes({{8, 6, 4}}, g));
  EXPECT_FALSE(find_hyperplanes({{6, 8, 5}}, g));
  EXPECT_FALSE(find_hyperplanes({}, g));
}

TEST(Schedule, GroupsAreIndependent)
{
  const Box box{6, 5, 4};
  for (const Stencil stencil : {Stencil::star, Stencil::box})
    for (const int width : {1, 2})
      for (const bool wrap : {false, true}) {
        const Graph g = make_grid_graph(box, stencil, width, {wrap, false, wrap});
        EXPECT_TRUE(follows_couplings(schedule_levels(g), g));
        const auto s = schedule_hyperplanes({box}, g);
        EXPECT_TRUE(!s || follows_couplings(*s, g));
        EXPECT_EQ(!s, wrap && stencil == Stencil::box);
      }
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Graph g = make_random_graph(60, int(seed % 5), seed % 2, seed);
    EXPECT_TRUE(follows_couplings(schedule_levels(g), g));
  }
}

TEST(Schedule, LevelsOfAStarAreItsHyperplanes)
{
  const Box box{5, 4, 3};
  const Graph g = make_grid_graph(box, Stencil::star);
  const auto a = schedule_levels(g), b = *schedule_hyperplanes({box}, g);
  ASSERT_EQ(a.groups(), b.groups());
  for (Index p = 0; p < g.rows; ++p) EXPECT_EQ(a.order(p), b.order(p));
}

TEST(Windows, KeepEveryDirectionAndEveryRow)
{
  std::vector<Graph> graphs{make_grid_graph({40, 30, 1}, Stencil::star), make_grid_graph({20, 10, 10}, Stencil::box),
                            make_grid_graph({30, 30, 1}, Stencil::star, 1, {true, true, false})};
  for (unsigned seed = 0; seed < 10; ++seed) graphs.push_back(make_random_graph(700, int(seed % 4), seed % 2, seed));
  for (const Graph &g : graphs)
    for (const double width : {1.5, 1.9, 3.0}) {
      const auto order = order_windows(g, width);
      ASSERT_EQ(Index(order.extent(0)), g.rows);
      std::vector<Index> position(std::size_t(g.rows), -1);
      for (Index p = 0; p < g.rows; ++p) position[std::size_t(order(p))] = p;
      for (Index i = 0; i < g.rows; ++i) {
        ASSERT_GE(position[std::size_t(i)], 0);
        for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e)
          EXPECT_EQ(g.col(e) < i, position[std::size_t(g.col(e))] < position[std::size_t(i)]);
      }
    }
}

TEST(Windows, HandChecked)
{
  // 64 x 4 points: a window of two lines has 65 levels, with the points (i, 0) and (i - 1, 1) on level i.
  const auto order = order_windows(make_grid_graph({64, 4, 1}, Stencil::star), 1.9);
  ASSERT_EQ(order.extent(0), 256u);
  const Index first[] = {0, 1, 64, 2, 65, 3, 66};
  for (Index p = 0; p < 7; ++p) EXPECT_EQ(order(p), first[p]);
  EXPECT_EQ(order(127), 127);
  EXPECT_EQ(order(128), 128);
  EXPECT_EQ(order_windows(make_grid_graph({500, 1, 1}, Stencil::star), 1.9).extent(0), 0u); // a chain has no windows
}

TEST(Schedule, WidthsAreCounted)
{
  const Widths w = measure_widths(*schedule_hyperplanes({{3, 2, 2}}, make_grid_graph({3, 2, 2}, Stencil::star)));
  EXPECT_EQ(w.groups, 5);
  EXPECT_EQ(w.min, 1);
  EXPECT_EQ(w.max, 4);
  EXPECT_DOUBLE_EQ(w.mean, 12. / 5);
  EXPECT_EQ(measure_widths(schedule_levels(make_graph({}))).groups, 0);
}

} // namespace
