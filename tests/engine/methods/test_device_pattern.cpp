// Patterns that a device makes by flat kernels, beside those that a host makes row after row.
#include "graphs.hpp"

#include "methods/device_pattern.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

void expect_equal(const Pattern<Kokkos::HostSpace> &expected, const Pattern<Kokkos::HostSpace> &found)
{
  EXPECT_EQ(expected.rows, found.rows);
  EXPECT_EQ(expected.permuted, found.permuted);
  EXPECT_EQ(expected.y, found.y);
  EXPECT_EQ(expected.searched, found.searched);
  EXPECT_EQ(to_vector(expected.row_of), to_vector(found.row_of));
  EXPECT_EQ(to_vector(expected.diagonal), to_vector(found.diagonal));
  EXPECT_EQ(to_vector(expected.lower.ptr), to_vector(found.lower.ptr));
  EXPECT_EQ(to_vector(expected.lower.col), to_vector(found.lower.col));
  EXPECT_EQ(to_vector(expected.lower.source), to_vector(found.lower.source));
  EXPECT_EQ(to_vector(expected.upper.ptr), to_vector(found.upper.ptr));
  EXPECT_EQ(to_vector(expected.upper.col), to_vector(found.upper.col));
  EXPECT_EQ(to_vector(expected.upper.source), to_vector(found.upper.source));
  const auto lists = [](const Pattern<Kokkos::HostSpace> &p) {
    return std::array{p.to_diagonal, p.to_lower, p.to_upper};
  };
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(to_vector(lists(expected)[i].ptr), to_vector(lists(found)[i].ptr));
    EXPECT_EQ(to_vector(lists(expected)[i].left), to_vector(lists(found)[i].left));
    EXPECT_EQ(to_vector(lists(expected)[i].right), to_vector(lists(found)[i].right));
  }
}

struct Case {
  const char *name;
  Selection selection;
};

Selection fill_of(const Selection &s, int levels)
{
  Offset dropped;
  return *find_fill(s, {}, levels, {}, &dropped);
}

std::vector<Case> cases()
{
  const Graph star = make_grid_graph({7, 5, 4}, Stencil::star);
  const Graph two = make_grid_graph({6, 6, 2}, Stencil::star);
  return {{"star", {star, {}, {}, {}}},
          {"two grids", select_within_grids(two, {{6, 6, 1}, {6, 6, 1}})}, // entries have other numbers
          {"box", {make_grid_graph({5, 4, 3}, Stencil::box), {}, {}, {}}},
          {"unsymmetric", {make_random_graph(60, 3, false, 5), {}, {}, {}}},
          {"fill", fill_of({make_grid_graph({6, 5, 4}, Stencil::star), {}, {}, {}}, 2)},
          {"fill, unsymmetric", fill_of({make_random_graph(40, 3, false, 9), {}, {}, {}}, 1)},
          {"one row", {make_grid_graph({1, 1, 1}, Stencil::star), {}, {}, {}}}};
}

TEST(DevicePattern, IsThatOfAHost)
{
  int with_lists = 0, dilu = 0;
  for (const Case &c : cases())
    for (const bool permuted : {false, true})
      for (const Layout y : {Layout::row, Layout::position})
        for (const FactorKind asked : {FactorKind::automatic, FactorKind::dilu, FactorKind::ilu0}) {
          SCOPED_TRACE(c.name);
          const HostArray<Index> row_of = permuted ? schedule_levels(c.selection.graph).order : HostArray<Index>();
          FactorKind expected_kind = asked, kind = asked;
          const auto expected = split_pattern(c.selection, {}, row_of, y, expected_kind);
          const auto found = split_on_device(HostExec(), DeviceGraph<HostExec>(HostExec(), c.selection.graph),
                                             c.selection.entry, row_of, y, kind);
          EXPECT_EQ(kind, expected_kind);
          expect_equal(expected, found);
          ++(expected.to_lower.ptr.extent(0) > 0 ? with_lists : dilu);
        }
  EXPECT_GT(with_lists, 0);
  EXPECT_GT(dilu, 0);
}

TEST(DevicePattern, HasTheLongestRow)
{
  EXPECT_EQ(find_longest_row(HostExec(), to_array("ptr", {0, 0, 3, 3, 8, 9})), 5);
  EXPECT_EQ(find_longest_row(HostExec(), to_array("ptr", {0})), 0);
  EXPECT_EQ(find_longest_row(HostExec(), HostArray<Index>()), 0);
}

// Of tiles whose slots are 0 to 1, 2 to 4 of five rows.
TEST(DevicePattern, MarksColumnsOfTiles)
{
  Plan plan;
  plan.tasks.tasks.slot = to_array("slot", {0, 2, 5});
  plan.tasks.tasks.step_ptr = to_array("step", {0, 2, 4});
  plan.tasks.tasks.step = to_array("step", {0, 1, 2, 3, 5});
  plan.tasks.tasks.wait_ptr = to_array("wait", {0, 0, 1});
  plan.tasks.tasks.wait = to_array("wait", {0});
  plan.tasks.level = {0, 1};
  Pattern<Kokkos::HostSpace> p;
  p.rows = 5;
  p.permuted = true;
  p.y = Layout::position;
  p.row_of = to_array("row_of", {1, 0, 4, 2, 3});
  p.lower.ptr = to_array("ptr", {0, 0, 1, 2, 4, 6});
  p.lower.col = to_array("col", {0, 1, 0, 2, 1, 3}); // positions
  p.upper.ptr = to_array("ptr", {0, 0, 1, 1, 3, 4}); // slots 4 - position
  p.upper.col = to_array("col", {3, 4, 2, 0});       // rows
  plan.schedule.order = to_array("order", {1, 0, 2, 4, 3});
  SweepOrder<Kokkos::HostSpace> forward, backward;
  set_tiles(HostExec(), plan, p, forward, backward);
  EXPECT_EQ(forward.tiles.rows, 3);
  EXPECT_EQ(forward.tiles.entries, 5);
  EXPECT_EQ(backward.tiles.rows, 3);
  EXPECT_EQ(backward.tiles.entries, 3);
  EXPECT_EQ(to_vector(forward.tile_columns), std::vector<Index>({~0, 1, 0, ~0, 1, ~1}));
  // Rows 3, 2 and 4 have slots 0 to 2 backward, the first tile, rows 0 and 1 slots 3 and 4.
  EXPECT_EQ(to_vector(backward.tile_columns), std::vector<Index>({~0, 4, 2, ~0}));
  EXPECT_EQ(forward.tile_range(1).entry, 1);
  EXPECT_EQ(forward.tile_range(1).last_entry, 6);
  EXPECT_EQ(backward.tile_range(1).slot, 3);
  EXPECT_EQ(backward.tile_range(1).last_entry, 4);
  EXPECT_EQ(backward.tile_range(0).last_step, 2);
  // Groups beside them: rows in their order, by slots.
  EXPECT_EQ(to_vector(forward.visit), std::vector<Index>({0, 1, 3, 2, 4}));
  EXPECT_EQ(to_vector(backward.visit), std::vector<Index>({0, 2, 1, 3, 4}));
}

} // namespace
