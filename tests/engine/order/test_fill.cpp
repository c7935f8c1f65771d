// SPDX-License-Identifier: BSD-2-Clause
// Powers of patterns, fill of ILU(p), and dropping by colors, compared with plain dense loops.
#include "order/elimination.hpp"
#include "order/fill.hpp"
#include "fill_oracle.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

constexpr ColoringKind orders[] = {ColoringKind::greedy, ColoringKind::largest_first, ColoringKind::smallest_last,
                                   ColoringKind::hash};

// Grids, special cases and random graphs small enough for dense loops: symmetric or not, some without diagonals.
std::vector<Graph> small_graphs()
{
  std::vector<Graph> graphs;
  for (const Graph &g : make_graphs())
    if (g.rows <= 80) graphs.push_back(g);
  graphs.push_back(make_grid_graph({8, 7, 1}, Stencil::star));
  graphs.push_back(make_grid_graph({7, 6, 1}, Stencil::box, 1, {true, false, false}));
  graphs.push_back(make_grid_graph({4, 4, 3}, Stencil::box));
  graphs.push_back(make_graph({{0}, {1}, {2}, {3}}));
  graphs.push_back(make_islands());
  return graphs;
}

Selection whole(const Graph &g) { return {g, {}, {}, {}}; }

// Expects the entries that have levels: those of the graph with their number entry(e), fill with -1.
void expect_fill(const Selection &from, const Selection &to, const PlainFill &plain)
{
  const Graph &g = from.graph;
  ASSERT_EQ(to.graph.rows, g.rows);
  for (Index i = 0; i < g.rows; ++i) {
    std::vector<std::pair<Index, Index>> expected, found;
    for (Index j = 0, e = g.ptr(i); j < g.rows; ++j) {
      const bool own = e < g.ptr(i + 1) && g.col(e) == j;
      if (own) expected.push_back({j, from.entry.extent(0) ? from.entry(e) : e});
      else if (i != j && plain.has(i, j)) expected.push_back({j, -1});
      e += own;
    }
    for (Index f = to.graph.ptr(i); f < to.graph.ptr(i + 1); ++f)
      found.push_back({to.graph.col(f), to.entry.extent(0) ? to.entry(f) : f});
    ASSERT_EQ(found, expected) << "row " << i;
  }
}

TEST(Power, IsTheBooleanPower)
{
  for (const Graph &g : make_graphs())
    for (int q = 1; q <= 5; ++q) {
      const auto power = find_power(symmetrize(g), q);
      ASSERT_TRUE(power);
      const Graph expected = plain_power(g, q);
      EXPECT_EQ(to_vector(power->ptr), to_vector(expected.ptr)) << q;
      EXPECT_EQ(to_vector(power->col), to_vector(expected.col)) << q;
    }
}

TEST(Power, ColorsSeparateRowsWithinItsCouplings)
{
  for (const Graph &g : small_graphs())
    for (int q = 1; q <= 4; ++q) {
      const Graph power = *find_power(symmetrize(g), q), expected = plain_power(g, q);
      for (const ColoringKind kind : orders)
        for (const bool balanced : {false, true}) {
          Coloring c = make_coloring(kind, power).value();
          if (balanced) balance_colors(power, c);
          EXPECT_TRUE(is_valid(expected, c)) << int(kind) << " " << q;
        }
      EXPECT_EQ(to_vector(color_greedy(power).color), color_plainly(expected, natural_order(g.rows)));
    }
}

TEST(Fill, EqualsTheLevelsOfTheDenseLoop)
{
  unsigned seed = 0;
  for (const Graph &g : small_graphs())
    for (int p = 0; p <= 4; ++p) {
      const Coloring c = color_greedy(symmetrize(g));
      HostArray<Index> none;
      for (const auto &order : {none, to_order(random_order(g.rows, ++seed)), schedule_colors(c).order,
                                to_order(natural_order(g.rows))}) {
        const auto plain_order = order.extent(0) ? to_vector(order) : natural_order(g.rows);
        for (const auto &color : {none, c.color, to_order(random_order(g.rows, seed))}) {
          Offset dropped = -1;
          const auto fill = find_fill(whole(g), order, p, color, &dropped);
          const PlainFill plain(g, plain_order, p, to_vector(color));
          ASSERT_TRUE(fill);
          expect_fill(whole(g), *fill, plain);
          EXPECT_EQ(dropped, plain.dropped);
        }
      }
    }
}

// Heuveline et al., section 2: for any order of elimination, ILU(p) fills only entries of |A|^(p+1).
TEST(Fill, IsInsideThePowerOfTheNextHigherLevel)
{
  unsigned seed = 0;
  Offset inside = 0;
  for (const Graph &g : small_graphs())
    for (int p = 0; p <= 4; ++p) {
      const auto power = find_power(symmetrize(g), p + 1);
      Offset dropped;
      const auto fill = find_fill(whole(g), to_order(random_order(g.rows, ++seed)), p, {}, &dropped);
      ASSERT_TRUE(power && fill);
      for (Index i = 0; i < g.rows; ++i) {
        const Index *first = power->col.data() + power->ptr(i), *last = power->col.data() + power->ptr(i + 1);
        for (Index e = fill->graph.ptr(i); e < fill->graph.ptr(i + 1); ++e, ++inside)
          EXPECT_TRUE(fill->graph.col(e) == i || std::binary_search(first, last, fill->graph.col(e)))
            << p << " " << i;
      }
    }
  EXPECT_GT(inside, 10000);
}

TEST(Fill, ColorsThatAreFewDropWhatWouldFollow)
{
  for (const Graph &g : small_graphs())
    for (int q = 1; q <= 3; ++q) {
      const Coloring c = color_greedy(*find_power(symmetrize(g), q));
      const auto order = schedule_colors(c).order;
      for (int p = 1; p <= 4; ++p) {
        Offset dropped = -1, none = -1;
        const auto fill = find_fill(whole(g), order, p, c.color, &dropped);
        const auto full = find_fill(whole(g), order, p, {}, &none);
        const PlainFill plain(g, to_vector(order), p, to_vector(c.color));
        expect_fill(whole(g), *fill, plain);
        EXPECT_EQ(dropped, plain.dropped);
        EXPECT_TRUE(is_valid(fill->graph, c));
        EXPECT_EQ(none, 0);
        EXPECT_EQ(is_valid(full->graph, c), dropped == 0);
        EXPECT_GE(full->graph.entries() - fill->graph.entries(), dropped); // and fill that would follow
        if (q > p) {
          EXPECT_EQ(dropped, 0);
          EXPECT_EQ(to_vector(fill->graph.col), to_vector(full->graph.col));
        }
      }
    }
}

TEST(Fill, KeepsWhatTheSelectionSays)
{
  const Graph g = make_grid_graph({5, 4, 1}, Stencil::star);
  Selection s{g, make_graph({{0}, {1}}), make_array<Index>("entry", std::size_t(g.entries())), to_order({7, 5})};
  for (Index e = 0; e < g.entries(); ++e) s.entry(e) = 1000 - 3 * e;
  for (int p = 0; p <= 2; ++p) {
    Offset dropped;
    const auto fill = find_fill(s, {}, p, {}, &dropped);
    expect_fill(s, *fill, PlainFill(g, natural_order(g.rows), p, {}));
    EXPECT_EQ(to_vector(fill->ignored.col), to_vector(s.ignored.col));
    EXPECT_EQ(to_vector(fill->ignored_entry), to_vector(s.ignored_entry));
  }
}

TEST(Fill, SmallCases)
{
  Offset dropped = -1;
  const auto fill = [&](const Graph &g, int p) { return find_fill(whole(g), {}, p, {}, &dropped)->graph; };
  for (int p = 0; p <= 3; ++p) {
    EXPECT_EQ(fill(make_graph({}), p).entries(), 0);
    EXPECT_EQ(fill(make_graph({{0}}), p).entries(), 1);
    EXPECT_EQ(fill(make_graph({{0}, {1}, {2}}), p).entries(), 3);
    EXPECT_EQ(fill(make_complete(9), p).entries(), 81);
    EXPECT_EQ(fill(make_path(9), p).entries(), 25); // no fill, if elimination begins at one end
    // All rows are coupled to the row that is eliminated first, or last.
    EXPECT_EQ(fill(symmetrize(make_hub(9, 0)), p).entries(), 16 + (p > 0 ? 56 : 0));
    EXPECT_EQ(fill(symmetrize(make_hub(9, 8)), p).entries(), 16);
  }
  // A ring of six: row 1 is coupled to row 5 at level 1, row 2 at level 2, row 3 at level 3.
  const Graph ring = make_grid_graph({6, 1, 1}, Stencil::star, 1, {true, false, false});
  for (int p = 0; p <= 5; ++p) EXPECT_EQ(fill(ring, p).entries(), 18 + 2 * std::min(p, 3));
  for (const Graph &g : {make_graph({}), make_graph({{0}}), make_graph({{0}, {1}, {2}})})
    for (int q = 1; q <= 5; ++q) EXPECT_EQ(find_power(symmetrize(g), q)->entries(), 0);
  EXPECT_EQ(find_power(symmetrize(make_complete(9)), 3)->entries(), 72);
  for (int q = 1; q <= 9; ++q) // 8 rows on either side of the middle one
    EXPECT_EQ(find_power(symmetrize(make_path(9)), q)->entries(), q < 9 ? q * (17 - q) : 72);
}

// The table of numerics.md 3 for gr_30_30, a box stencil on 30 x 30 points.
TEST(Fill, NumbersOfAKnownMatrix)
{
  const Graph g = make_grid_graph({30, 30, 1}, Stencil::box);
  for (int q = 1; q <= 4; ++q) EXPECT_EQ(color_greedy(*find_power(symmetrize(g), q)).colors, (q + 1) * (q + 1));
  const Index depth[] = {87, 116, 145, 174};
  for (int p = 0; p <= 3; ++p) {
    Offset dropped;
    EXPECT_EQ(schedule_levels(find_fill(whole(g), {}, p, {}, &dropped)->graph).groups(), depth[p] + 1);
  }
}

TEST(Elimination, SortsRowsByColorAndOrdering)
{
  for (const Graph &g : small_graphs()) {
    if (find_pattern_defects(g, g.rows).no_diagonal >= 0) continue;
    for (const bool ordered : {false, true})
      for (const ColoringKind kind : orders)
        for (const int q : {0, 1, 3}) {
          EngineOptions r;
          r.schedule = ScheduleKind::color;
          r.levels = 1;
          r.power = q;
          r.coloring = kind;
          r.balanced = kind == ColoringKind::hash;
          if (ordered) r.ordering = to_order(random_order(g.rows, 3));
          Elimination e;
          ASSERT_FALSE(choose_elimination(g, r, e));
          const PlainColors plain(g, r);
          EXPECT_EQ(to_vector(e.color), plain.color) << int(kind) << " " << q;
          EXPECT_EQ(to_vector(e.ordering), plain.order);
          EXPECT_EQ(e.colors, plain.colors);
          ASSERT_EQ(Index(e.group.extent(0)), e.colors + 1);
          for (Index k = 0; k < e.colors; ++k)
            for (Index at = e.group(k); at < e.group(k + 1); ++at) EXPECT_EQ(e.color(e.ordering(at)), k);
          EXPECT_EQ(e.group(e.colors), g.rows);
          EXPECT_EQ(e.coloring, kind);
        }
  }
}

TEST(Elimination, GroupsAreColorsOnlyWhereSweepsHaveNoFillInsideOne)
{
  const Graph g = make_grid_graph({6, 5, 2}, Stencil::star);
  EngineOptions r;
  r.schedule = ScheduleKind::color;
  r.levels = 2;
  for (const Drop drop : {Drop::during, Drop::after, Drop::none})
    for (int q = 1; q <= 3; ++q) {
      r.drop = drop;
      r.power = q;
      Elimination e;
      ASSERT_FALSE(choose_elimination(g, r, e));
      const PlainIlu plain(Problem(g, 1), r);
      EXPECT_EQ(e.group.extent(0) > 0, drop != Drop::none || q == 3);
      EXPECT_EQ(e.drops_after, drop == Drop::after && q < 3);
      EXPECT_EQ(e.fill, plain.fill);
      EXPECT_EQ(e.dropped, plain.dropped);
      EXPECT_EQ(e.dropped > 0, drop != Drop::none && q < 3);
      Index inside = 0;
      for (Index i = 0; i < g.rows; ++i)
        for (Index f = e.selection.graph.ptr(i); f < e.selection.graph.ptr(i + 1); ++f)
          inside += is_dropped(e, i, e.selection.graph.col(f));
      EXPECT_EQ(inside, drop == Drop::after ? plain.inside : 0);
    }
}

TEST(Elimination, LooksAtSymmetry)
{
  for (const bool symmetric : {false, true}) {
    EngineOptions r;
    r.schedule = ScheduleKind::color;
    Elimination e;
    ASSERT_FALSE(choose_elimination(make_random_graph(30, 3, symmetric, 4), r, e));
    EXPECT_EQ(e.symmetrized, !symmetric);
    EXPECT_EQ(e.symmetric, symmetric);
  }
}

} // namespace
