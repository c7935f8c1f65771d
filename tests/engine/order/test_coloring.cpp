// SPDX-License-Identifier: BSD-2-Clause
// Colorings by order and by parity, and their balancing.
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

Index degree(const Graph &g, Index row) { return g.ptr(row + 1) - g.ptr(row); }

Index largest_degree(const Graph &g)
{
  Index most = 0;
  for (Index i = 0; i < g.rows; ++i) most = std::max(most, degree(g, i));
  return most;
}

// The degeneracy: the maximum of the smallest degrees, when rows are removed one after another.
Index find_degeneracy(const Graph &g)
{
  std::vector<Index> left;
  for (Index i = 0; i < g.rows; ++i) left.push_back(degree(g, i));
  Index degeneracy = 0;
  for (Index removed = 0; removed < g.rows; ++removed) {
    Index row = -1;
    for (Index i = 0; i < g.rows; ++i)
      if (left[std::size_t(i)] >= 0 && (row < 0 || left[std::size_t(i)] < left[std::size_t(row)])) row = i;
    degeneracy = std::max(degeneracy, left[std::size_t(row)]);
    left[std::size_t(row)] = -1;
    for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e)
      if (left[std::size_t(g.col(e))] >= 0) --left[std::size_t(g.col(e))];
  }
  return degeneracy;
}

std::vector<Index> class_sizes(const Coloring &c)
{
  std::vector<Index> size(std::size_t(c.colors), 0);
  for (const Index color : to_vector(c.color)) ++size[std::size_t(color)];
  return size;
}

Index spread(const Coloring &c)
{
  const auto size = class_sizes(c);
  if (size.empty()) return 0;
  return *std::max_element(size.begin(), size.end()) - *std::min_element(size.begin(), size.end());
}

TEST(Symmetrize, IsTheUnionWithoutDiagonal)
{
  for (const Graph &g : make_graphs()) {
    Rows plain(std::size_t(g.rows), std::set<Index>{}), transposed = plain, both = plain;
    for (Index i = 0; i < g.rows; ++i)
      for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e) {
        const Index j = g.col(e);
        plain[std::size_t(i)].insert(j);
        transposed[std::size_t(j)].insert(i);
        if (i == j) continue;
        both[std::size_t(i)].insert(j);
        both[std::size_t(j)].insert(i);
      }
    bool was_symmetric = false;
    const Graph s = symmetrize(g, &was_symmetric), expected = make_graph(both);
    EXPECT_EQ(to_vector(s.ptr), to_vector(expected.ptr));
    EXPECT_EQ(to_vector(s.col), to_vector(expected.col));
    EXPECT_EQ(was_symmetric, plain == transposed);
    const Graph t = transpose(g, g.rows);
    EXPECT_EQ(to_vector(t.col), to_vector(make_graph(transposed).col));
  }
}

TEST(Coloring, EveryKindIsValid)
{
  const Grid grid{{6, 5, 4}};
  for (const Graph &g : make_graphs()) {
    const Graph s = symmetrize(g);
    for (const ColoringKind kind : kinds) {
      const auto c = make_coloring(kind, s, grid);
      EXPECT_TRUE(c || kind == ColoringKind::red_black);
      if (!c) continue;
      EXPECT_TRUE(is_valid(g, *c)) << int(kind);
      EXPECT_TRUE(is_valid(s, *c)) << int(kind);
      EXPECT_LE(c->colors, kind == ColoringKind::level ? s.rows : largest_degree(s) + 1);
      const auto again = make_coloring(kind, s, grid);
      EXPECT_EQ(to_vector(c->color), to_vector(again->color));
    }
    EXPECT_LE(color_smallest_last(s).colors, find_degeneracy(s) + (s.rows > 0));
  }
}

TEST(Coloring, GreedyOrdersEqualPlainOnes)
{
  for (const Graph &g : make_symmetric_graphs()) {
    auto order = natural_order(g.rows);
    EXPECT_EQ(to_vector(color_greedy(g).color), color_plainly(g, order));
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return degree(g, a) > degree(g, b); });
    EXPECT_EQ(to_vector(color_largest_first(g).color), color_plainly(g, order));
  }
}

TEST(Coloring, KnownNumbersOfColors)
{
  for (const ColoringKind kind : {ColoringKind::greedy, ColoringKind::largest_first, ColoringKind::smallest_last,
                                  ColoringKind::hash, ColoringKind::automatic}) {
    const auto colors = [&](const Graph &g) { return make_coloring(kind, symmetrize(g))->colors; };
    EXPECT_EQ(colors(make_graph({})), kind == ColoringKind::automatic ? 2 : 0); // a grid without boxes fits
    EXPECT_EQ(colors(make_graph(Rows(7))), 1);
    EXPECT_EQ(colors(make_complete(40)), 40);
    EXPECT_EQ(colors(make_hub(50, 49)), 2);
  }
  EXPECT_EQ(color_greedy(symmetrize(make_grid_graph({6, 6, 6}, Stencil::box))).colors, 8);
  EXPECT_EQ(color_smallest_last(symmetrize(make_path(101))).colors, 2);
}

TEST(Coloring, OrdersMatter)
{
  // Rows 2 m and 2 n + 1 are coupled unless m = n. Two colors suffice, but the natural order needs one for each
  // pair.
  Rows crown(std::size_t(20), std::set<Index>{});
  for (Index a = 0; a < 20; a += 2)
    for (Index b = 1; b < 20; b += 2)
      if (b != a + 1) {
        crown[std::size_t(a)].insert(b);
        crown[std::size_t(b)].insert(a);
      }
  EXPECT_EQ(color_greedy(make_graph(crown)).colors, 10);
  EXPECT_EQ(color_smallest_last(make_graph(crown)).colors, 2);
}

TEST(Coloring, WhatIsNotValid)
{
  const Graph g = make_graph({{0, 1}, {1}, {2}});
  EXPECT_TRUE(is_valid(g, {2, to_array("color", {0, 1, 0})}));
  EXPECT_TRUE(is_valid(g, {5, to_array("color", {0, 4, 0})}));
  EXPECT_FALSE(is_valid(g, {2, to_array("color", {1, 1, 0})}));
  EXPECT_FALSE(is_valid(g, {2, to_array("color", {0, 2, 0})}));
  EXPECT_FALSE(is_valid(g, {2, to_array("color", {0, 1, -1})}));
  EXPECT_FALSE(is_valid(g, {2, to_array("color", {0, 1})}));

  const Coloring c{2, to_array("color", {0, 1})};
  const Graph coupling = make_graph({{0, 2}, {1}});
  const auto valid = [&](std::vector<Index> ghosts) { return is_valid(coupling, c, ghosts.data()); };
  EXPECT_TRUE(valid({1, 0, 1}));
  EXPECT_FALSE(valid({1, 1, 1}));
  EXPECT_FALSE(valid({1, 0, -1}));
  EXPECT_FALSE(valid({2, 0, 1}));
  EXPECT_TRUE(is_valid(Graph{}, c, nullptr));
}

TEST(RedBlack, IsTheParityOfPoints)
{
  const Box box{4, 3, 2};
  const auto c = color_red_black({box}, {}, make_grid_graph(box, Stencil::star));
  ASSERT_TRUE(c);
  EXPECT_EQ(c->colors, 2);
  EXPECT_EQ(to_vector(c->color), (std::vector<Index>{0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, //
                                                     1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0}));
}

TEST(RedBlack, FitsWhereParitiesDiffer)
{
  const auto fits = [](Box box, const Graph &g) {
    const auto c = color_red_black({box}, {}, g);
    EXPECT_TRUE(!c || is_valid(g, *c));
    return c.has_value();
  };
  const Box even{6, 4, 4}, odd{5, 4, 3};
  EXPECT_TRUE(fits(odd, make_grid_graph(odd, Stencil::star)));
  EXPECT_TRUE(fits(odd, symmetrize(make_grid_graph(odd, Stencil::star))));
  EXPECT_TRUE(fits(even, make_grid_graph(even, Stencil::star, 1, {true, true, true})));
  EXPECT_TRUE(fits(odd, make_grid_graph(odd, Stencil::star, 1, {false, true, false})));
  EXPECT_FALSE(fits(odd, make_grid_graph(odd, Stencil::star, 1, {true, false, false})));
  EXPECT_FALSE(fits(odd, make_grid_graph(odd, Stencil::star, 1, {false, false, true})));
  EXPECT_FALSE(fits(even, make_grid_graph(even, Stencil::star, 2)));
  EXPECT_FALSE(fits(even, make_grid_graph(even, Stencil::box)));
  EXPECT_TRUE(fits({7, 1, 1}, make_grid_graph({7, 1, 1}, Stencil::box)));
  EXPECT_FALSE(fits({6, 4, 3}, make_grid_graph(even, Stencil::star))); // another number of points
  EXPECT_FALSE(fits({4, 6, 4}, make_grid_graph(even, Stencil::star)));
}

TEST(RedBlack, AlwaysHasTwoColors)
{
  for (const auto &[grid, g] : {std::pair<Grid, Graph>{{}, make_graph({})},
                                {{{0, 3, 3}}, make_graph({})},
                                {{{1, 1, 1}}, make_graph({{0}})},
                                {{{3, 1, 1}}, make_graph(Rows(3))}}) {
    const auto c = color_red_black(grid, {}, g);
    ASSERT_TRUE(c);
    EXPECT_EQ(c->colors, 2);
  }
}

TEST(RedBlack, BoxesCountFromTheirFirstPoint)
{
  // A line of 7 points as two boxes, of which the second begins with an odd number.
  const Grid grid{{3, 1, 1}, {4, 1, 1}};
  const Graph g = make_path(7);
  const auto c = color_red_black(grid, {{0, 5, 1}, {3, 5, 1}}, g);
  ASSERT_TRUE(c);
  EXPECT_EQ(to_vector(c->color), (std::vector<Index>{0, 1, 0, 1, 0, 1, 0}));
  EXPECT_FALSE(color_red_black(grid, {}, g)); // otherwise rows 2 and 3 would both be even
  EXPECT_FALSE(color_red_black(grid, {{0, 5, 1}}, g));
  EXPECT_EQ(to_vector(color_red_black({{2, 2, 1}}, {{-1, 0, 4}}, make_graph(Rows(4)))->color),
            (std::vector<Index>{1, 0, 0, 1}));
}

TEST(Balance, KeepsColorsAndEvensOutClasses)
{
  for (const Graph &g : make_symmetric_graphs())
    for (const ColoringKind kind : kinds) {
      const auto before = make_coloring(kind, g, {{6, 5, 4}});
      if (!before) continue;
      Coloring c{before->colors, to_array("color", to_vector(before->color))}, again = c;
      again.color = to_array("color", to_vector(before->color));
      balance_colors(g, c);
      balance_colors(g, again);
      EXPECT_EQ(to_vector(c.color), to_vector(again.color));
      EXPECT_EQ(c.colors, before->colors);
      EXPECT_TRUE(is_valid(g, c));
      EXPECT_LE(spread(c), spread(*before));
      const auto was = class_sizes(*before), is = class_sizes(c);
      for (std::size_t k = 0; k < is.size(); ++k) EXPECT_TRUE(is[k] > 0 || was[k] == 0);
    }
}

TEST(Balance, MakesUnevenClassesEven)
{
  Coloring free{4, to_array("color", std::vector<Index>(41, 2))}; // no couplings
  balance_colors(make_graph(Rows(41)), free);
  EXPECT_EQ(class_sizes(free), (std::vector<Index>{10, 10, 11, 10}));

  const Graph g = symmetrize(make_random_graph(3000, 6, true, 3));
  Coloring c = color_greedy(g);
  const Index before = spread(c);
  balance_colors(g, c);
  EXPECT_LT(10 * spread(c), before);
}

} // namespace
