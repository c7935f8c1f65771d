// Passes over a graph by flat kernels, beside those of the host.
#include "graphs.hpp"

#include "graph/fill.hpp"
#include "methods/device_couplings.hpp"
#include "plan/device_cost.hpp"
#include "plan/lines.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

using Device = DeviceGraph<HostExec>;

Device on_device(const Graph &g) { return {HostExec(), g}; }

// With level sets of many rows, and some that are narrow.
std::vector<Graph> graphs_of_devices()
{
  std::vector<Graph> graphs = make_graphs();
  graphs.push_back(make_grid_graph({20, 18, 16}, Stencil::star));
  graphs.push_back(make_grid_graph({14, 12, 10}, Stencil::box));
  graphs.push_back(make_complete(150));
  graphs.push_back(make_random_graph(4000, 6, true, 3));
  return graphs;
}

void expect_equal(const Schedule &expected, const Schedule &found)
{
  EXPECT_EQ(expected.kind, found.kind);
  EXPECT_EQ(to_vector(expected.group), to_vector(found.group));
  EXPECT_EQ(to_vector(expected.order), to_vector(found.order));
}

TEST(DeviceGraph, ChecksItsForm)
{
  Graph against = make_path(6), outside = make_path(6), without = make_path(6), backward = make_path(6),
        twice = make_path(6);
  std::swap(against.col(3), against.col(4));
  outside.col(outside.entries() - 1) = 6;
  without.col(2) = 1; // row 1 has 1 twice, which is no ascending order
  backward.ptr(2) = backward.ptr(1) - 1;
  twice.ptr(5) = twice.ptr(4); // row 4 is empty, and row 5 has its entries
  for (const Graph &g : {against, outside, without, backward, twice, make_graph({{0}, {0}, {1}}), make_path(6)}) {
    const Form expected = check_form(g, g.rows), found = on_device(g).check_form(g.rows);
    EXPECT_EQ(expected.good, found.good);
    if (expected.good) {
      EXPECT_EQ(expected.no_diagonal, found.no_diagonal);
    }
  }
  EXPECT_EQ(on_device(make_graph({{0}, {0}, {1}})).check_form(3).no_diagonal, 1);
  EXPECT_FALSE(on_device(make_path(6)).check_form(5).good);
  for (const Graph &g : graphs_of_devices()) {
    EXPECT_TRUE(on_device(g).check_form(g.rows).good);
    EXPECT_EQ(on_device(g).check_form(g.rows).no_diagonal, check_form(g, g.rows).no_diagonal);
  }
}

TEST(DeviceGraph, HasTheHostsLevelSetsAndColors)
{
  int symmetric = 0, others = 0;
  for (const Graph &g : graphs_of_devices()) {
    SCOPED_TRACE(g.rows);
    bool was_symmetric;
    const Graph without_diagonal = symmetrize(g, &was_symmetric);
    const Device there = on_device(g);
    EXPECT_EQ(there.is_symmetric(), was_symmetric);
    const auto levels = there.schedule_levels();
    const auto colors = there.color_greedy();
    const Coloring expected = color_greedy(without_diagonal);
    ++(was_symmetric ? symmetric : others);
    const Schedule on_host = schedule_levels(g);
    EXPECT_EQ(levels.has_value(), was_symmetric && on_host.groups() <= most_frontiers({}, g.rows));
    ASSERT_EQ(colors.has_value(), levels.has_value());
    if (!levels) continue;
    expect_equal(on_host, *levels);
    EXPECT_EQ(expected.colors, colors->colors);
    EXPECT_EQ(to_vector(expected.color), to_vector(colors->color));
    expect_equal(schedule_colors(*colors), there.schedule_colors(*colors));
    EXPECT_TRUE(there.is_valid(*colors));
    if (g.entries() > g.rows) { // a coupling
      Coloring wrong{colors->colors, to_array("color", to_vector(colors->color))};
      for (Index i = 0; i < g.rows; ++i) wrong.color(i) = 0;
      EXPECT_FALSE(there.is_valid(wrong));
      wrong = {colors->colors, to_array("color", to_vector(colors->color))};
      wrong.color(g.rows - 1) = colors->colors;
      EXPECT_FALSE(there.is_valid(wrong));
    }
  }
  EXPECT_GT(symmetric, 5);
  EXPECT_GT(others, 5);
}

// More than 64 colors: blocks of 70 rows that are coupled to all others of the block.
TEST(DeviceGraph, TakesManyColors)
{
  Rows rows;
  for (Index block = 0; block < 400; ++block)
    for (Index i = 0; i < 70; ++i) {
      rows.emplace_back();
      for (Index j = 0; j < 70; ++j) rows.back().insert(70 * block + j);
    }
  const Graph g = make_graph(rows);
  const auto colors = on_device(g).color_greedy();
  ASSERT_TRUE(colors);
  EXPECT_EQ(colors->colors, 70);
  EXPECT_EQ(to_vector(color_greedy(symmetrize(g)).color), to_vector(colors->color));
}

TEST(DeviceGraph, KnowsLongRows)
{
  EXPECT_FALSE(on_device(make_complete(512)).has_long_rows());
  EXPECT_TRUE(on_device(make_complete(513)).has_long_rows());
  EXPECT_FALSE(on_device(make_graph({})).has_long_rows());
}

TEST(DeviceGraph, KnowsWhoseItIs)
{
  const Graph g = make_path(4), same = make_path(4);
  EXPECT_TRUE(on_device(g).is_of(g));
  EXPECT_FALSE(on_device(g).is_of(same));
}

// Colors keep groups without a row, because ranks go through the same groups. Hyperplanes do not: weights (1, 3, 9)
// of boxes of 2 x 3 x 2 leave out every third.
TEST(DeviceGraph, KeepsEmptyColorsOnly)
{
  const Grid points(40, Box{1, 1, 1});
  const Coloring c = number_red_black(points);
  const Schedule colors = on_device(make_stars(points)).schedule_colors(c);
  EXPECT_EQ(to_vector(colors.group), std::vector<Index>({0, 40, 40}));
  expect_equal(schedule_colors(c), colors);

  const Grid grid(30, Box{2, 3, 2});
  const Graph g = make_stars(grid, Stencil::box, 2);
  const auto expected = schedule_hyperplanes(grid, g), found = on_device(g).schedule_hyperplanes(grid);
  ASSERT_TRUE(expected && found);
  EXPECT_LT(found->groups(), find_hyperplanes(grid, g)->count);
  expect_equal(*expected, *found);
}

// A kernel for each of them would take longer than a thread of the host.
TEST(DeviceGraph, LeavesNarrowLevelSetsToTheHost)
{
  EXPECT_TRUE(on_device(make_path(60)).schedule_levels());
  EXPECT_FALSE(on_device(make_path(2000)).schedule_levels());
  EXPECT_FALSE(on_device(make_path(2000)).color_greedy());
}

TEST(DeviceGraph, HasTheHostsHyperplanes)
{
  struct Case {
    const char *name;
    Graph graph;
    Grid grid;
  };
  const Box box{20, 18, 16}, flat{9, 7, 1};
  const Case cases[] = {{"star", make_grid_graph(box, Stencil::star), {box}},
                        {"wide star", make_grid_graph(box, Stencil::star, 2), {box}},
                        {"box", make_grid_graph(box, Stencil::box), {box}},
                        {"wide box", make_grid_graph({9, 9, 9}, Stencil::box, 2), {{9, 9, 9}}},
                        {"periodic", make_grid_graph(box, Stencil::star, 1, {true, true, true}), {box}},
                        {"two boxes", make_stars({box, flat, {1, 1, 1}}), {box, flat, {1, 1, 1}}},
                        {"a line", make_path(5000), {{5000, 1, 1}}},
                        {"another grid", make_grid_graph(box, Stencil::star), {{18, 20, 16}}},
                        {"too few points", make_grid_graph(box, Stencil::star), {flat}},
                        {"no grid", make_random_graph(60, 4, true, 1), {{5, 4, 3}}},
                        {"nothing", make_graph({}), {}}};
  int fit = 0, stars = 0;
  for (const Case &c : cases) {
    SCOPED_TRACE(c.name);
    const auto expected = schedule_hyperplanes(c.grid, c.graph),
               found = on_device(c.graph).schedule_hyperplanes(c.grid);
    ASSERT_EQ(expected.has_value(), found.has_value());
    if (found) expect_equal(*expected, *found);
    fit += found.has_value();
    EXPECT_EQ(is_complete_star(c.graph, c.grid), on_device(c.graph).is_complete_star(c.grid));
    stars += is_complete_star(c.graph, c.grid);
  }
  EXPECT_EQ(fit, 8);
  EXPECT_EQ(stars, 4);
}

TEST(DeviceGraph, HasTheHostsCouplings)
{
  int made = 0;
  for (const Graph &g : graphs_of_devices()) {
    if (check_form(g, g.rows).no_diagonal >= 0) continue;
    OperatorView view;
    view.owned = g;
    view.ghosts = 3;
    Rows ghosts(std::size_t(g.rows));
    for (Index i = 0; i < g.rows; i += 2) ghosts[std::size_t(i)] = {0, 2};
    view.coupling = make_graph(ghosts);
    const Coloring coloring = color_greedy(symmetrize(g));
    for (const Exchange exchange : {Exchange::none, Exchange::sweep})
      for (const bool ordered : {false, true}) {
        const HostArray<Index> row_of = ordered ? schedule_colors(coloring).order : HostArray<Index>();
        const auto expected = order_couplings(view, coloring, exchange, row_of);
        const auto found = order_couplings_on_device(HostExec(), on_device(g), view, coloring, exchange, row_of);
        ASSERT_EQ(found.has_value(), g.rows > 0);
        if (!found) continue;
        ++made;
        EXPECT_EQ(expected.rows, found->rows);
        EXPECT_EQ(expected.owned_entries, found->owned_entries);
        EXPECT_EQ(to_vector(expected.ptr), to_vector(found->ptr));
        EXPECT_EQ(to_vector(expected.mid), to_vector(found->mid));
        EXPECT_EQ(to_vector(expected.col), to_vector(found->col));
        EXPECT_EQ(to_vector(expected.source), to_vector(found->source));
        EXPECT_EQ(to_vector(expected.diagonal), to_vector(found->diagonal));
        EXPECT_EQ(to_vector(expected.row_of), to_vector(found->row_of));
        Index forward = 0, backward = 0;
        for (Index pos = 0; pos < g.rows; ++pos) {
          forward += expected.mid(pos) - expected.ptr(pos);
          backward += expected.ptr(pos + 1) - expected.mid(pos);
        }
        EXPECT_EQ(count_first_entries(HostExec(), *found, SweepKind::forward), forward);
        EXPECT_EQ(count_first_entries(HostExec(), *found, SweepKind::backward), backward);
      }
    view.agreed.key = make_keys(std::vector<std::int64_t>(std::size_t(g.rows) + 1));
    EXPECT_FALSE(order_couplings_on_device(HostExec(), on_device(g), view, coloring, Exchange::none, {}));
  }
  EXPECT_GT(made, 20);
}

} // namespace
