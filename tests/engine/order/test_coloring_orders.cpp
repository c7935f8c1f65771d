// SPDX-License-Identifier: BSD-2-Clause
// Schedules and orders computed from colorings.
#include "order/coloring.hpp"
#include "graphs.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

constexpr ColoringKind kinds[] = {ColoringKind::automatic,     ColoringKind::greedy, ColoringKind::largest_first,
                                  ColoringKind::smallest_last, ColoringKind::hash,   ColoringKind::red_black,
                                  ColoringKind::level};

TEST(ScheduleColors, HandChecked)
{
  const Coloring c{4, to_array("color", {2, 0, 2, 3, 0, 2})}; // no row has color 1
  const auto key = make_keys({9, 8, 3, 1, 4, 6});
  Schedule s = schedule_colors(c);
  EXPECT_EQ(s.kind, ScheduleKind::color);
  EXPECT_EQ(to_vector(s.order), (std::vector<Index>{1, 4, 0, 2, 5, 3}));
  EXPECT_EQ(to_vector(s.group), (std::vector<Index>{0, 2, 2, 5, 6}));
  EXPECT_EQ(measure_widths(s).min, 0);
  s = schedule_colors(c, key);
  EXPECT_EQ(to_vector(s.order), (std::vector<Index>{4, 1, 2, 5, 0, 3}));
  EXPECT_EQ(to_vector(s.group), (std::vector<Index>{0, 2, 2, 5, 6}));
  const std::vector<char> boundary{1, 0, 0, 0, 0, 1}, none;
  s = schedule_colors(c, key, &boundary);
  EXPECT_EQ(to_vector(s.order), (std::vector<Index>{4, 1, 5, 0, 2, 3}));
  EXPECT_EQ(to_vector(s.group), (std::vector<Index>{0, 0, 2, 2, 2, 4, 5, 5, 6}));
  s = schedule_colors({3, to_array("color", {})}, {}, &none);
  EXPECT_EQ(to_vector(s.group), std::vector<Index>(7, 0));
}

TEST(ScheduleColors, GroupsAreIndependent)
{
  for (const Graph &g : make_symmetric_graphs()) {
    const Coloring c = color_hash(g);
    const auto key = random_keys(g.rows, 1);
    std::vector<char> boundary;
    for (Index i = 0; i < g.rows; ++i) boundary.push_back(i % 3 == 0);
    const Schedule s = schedule_colors(c, make_keys(key), &boundary);
    ASSERT_TRUE(is_permutation(s.order, g.rows));
    ASSERT_EQ(s.groups(), 2 * c.colors);
    EXPECT_EQ(s.group(s.groups()), g.rows);
    for (Index k = 0; k < s.groups(); ++k)
      for (Index p = s.group(k); p < s.group(k + 1); ++p) {
        const Index row = s.order(p);
        EXPECT_EQ(c.color(row), k / 2);
        EXPECT_EQ(boundary[std::size_t(row)], k % 2 == 0);
        EXPECT_TRUE(p == s.group(k) || key[std::size_t(s.order(p - 1))] < key[std::size_t(row)]);
      }
  }
}

void check_order(const Graph &g, const HostArray<Index> &rank)
{
  const auto order = order_by_neighbors(g, rank);
  ASSERT_TRUE(is_permutation(order, g.rows));
  std::vector<Index> place(std::size_t(g.rows), 0);
  for (Index p = 0; p < g.rows; ++p) place[std::size_t(order(p))] = p;
  for (Index i = 0; i < g.rows; ++i)
    for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e) {
      const Index j = g.col(e);
      EXPECT_EQ(place[std::size_t(i)] < place[std::size_t(j)], rank(i) < rank(j)) << i << " " << j;
    }
}

TEST(NeighborOrder, FollowsRanks)
{
  for (const Graph &g : make_symmetric_graphs()) {
    for (const ColoringKind kind : kinds) {
      const auto c = make_coloring(kind, g, {{6, 5, 4}});
      if (c) check_order(g, c->color);
    }
    auto numbers = natural_order(g.rows);
    check_order(g, to_array("rank", numbers));
    EXPECT_EQ(to_vector(order_by_neighbors(g, to_array("rank", numbers))), numbers);
    std::reverse(numbers.begin(), numbers.end());
    check_order(g, to_array("rank", numbers));
  }
}

TEST(NeighborOrder, StaysNearNeighbors)
{
  const Graph g = symmetrize(make_grid_graph({4, 3, 1}, Stencil::star));
  EXPECT_EQ(to_vector(order_by_neighbors(g, color_red_black({{4, 3, 1}}, {}, g)->color)),
            (std::vector<Index>{0, 2, 5, 1, 7, 3, 8, 4, 10, 6, 9, 11}));
}

TEST(NeighborOrder, ReachesDeep)
{
  const Index rows = 100000;
  auto falling = natural_order(rows);
  std::reverse(falling.begin(), falling.end());
  const Graph path = symmetrize(make_path(rows));
  const auto order = order_by_neighbors(path, to_array("rank", falling));
  EXPECT_EQ(to_vector(order), falling);
  EXPECT_EQ(to_vector(order_by_neighbors(path, to_array("rank", natural_order(rows)))), natural_order(rows));
}

} // namespace
