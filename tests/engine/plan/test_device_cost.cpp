// The model of sweeps on a device: by hand, at its limits, beside tasks that have been cut, and what plans take by
// it.
#include "plan/elimination.hpp"
#include "plan/make_plan.hpp"
#include "problems.hpp"
#include "run/sweep_order.hpp"
#include "kernels/sweep.hpp"
#include "run/tile_work.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

HostArray<Index> make_group(const std::vector<Index> &widths)
{
  std::vector<Index> group{0};
  for (const Index w : widths) group.push_back(group.back() + w);
  return to_array("group", group);
}

// Hyperplanes of a star.
HostArray<Index> make_planes(const Box &box)
{
  std::vector<Index> width(std::size_t(box.i + box.j + box.k - 2), 0);
  for (Index k = 0; k < box.k; ++k)
    for (Index j = 0; j < box.j; ++j)
      for (Index i = 0; i < box.i; ++i) ++width[std::size_t(i + j + k)];
  return make_group(width);
}

constexpr double star_blocks = 7;

constexpr std::size_t tile_scratch = 44 * 1024;

Machine make_device(Index at_once = 16, const DeviceCost &cost = {})
{
  return {true, 0, tile_scratch, at_once, cost};
}

// Of a row of the star.
SweepWork make_work(Index at_once, int block, std::size_t scratch = tile_scratch)
{
  return {sweep_bytes(star_blocks, block, sizeof(Scalar)), at_once, true, block, 3, scratch};
}

Plan choose(const Graph &g, int block, const EngineOptions &options, const Machine &machine)
{
  Elimination e;
  Plan plan;
  EXPECT_FALSE(choose_elimination(g, options, e));
  EXPECT_FALSE(make_plan(e, block, options, machine, plan));
  return plan;
}

bool operator==(const TaskLevel &a, const TaskLevel &b)
{
  return a.tasks == b.tasks && a.rounds == b.rounds && a.all_rounds == b.all_rounds && a.rows == b.rows;
}
void expect_equal(const TaskLevels &found, const TaskLevels &cut)
{
  ASSERT_EQ(found.size(), cut.size());
  for (std::size_t l = 0; l < cut.size(); ++l) EXPECT_TRUE(found[l] == cut[l]) << "level " << l;
}

TEST(DeviceCost, NarrowGroupsShareAKernel)
{
  const auto cut = [](const std::vector<Index> &widths) {
    const HostArray<Index> found = cut_kernels(make_group(widths), 4);
    return std::vector<Index>(found.data(), found.data() + found.extent(0));
  };
  using List = std::vector<Index>;
  EXPECT_EQ(cut({}), (List{0}));
  EXPECT_EQ(cut({9}), (List{0, 1}));
  EXPECT_EQ(cut({4}), (List{0, 1}));
  EXPECT_EQ(cut({1, 3, 4, 5, 6, 2, 9, 4, 0, 1}), (List{0, 3, 4, 5, 6, 7, 10}));
  EXPECT_EQ(cut({1, 1, 1}), (List{0, 3}));
}

TEST(DeviceCost, ByHand)
{
  // Two teams of four rows; a row takes 3 s, memory passes 2 rows a second.
  DeviceCost cost;
  cost.copy = 20;
  cost.row = 3;
  cost.gap = 1;
  cost.host = 0;
  cost.flag = 2;
  cost.teams = cost.task_teams = 2;
  const SweepWork work{10, 4};
  const auto launch = [&](const std::vector<Index> &widths) {
    return predict_launch(cost, work, make_group(widths), Launch::stream);
  };
  EXPECT_DOUBLE_EQ(launch({1}), 1 + 3);
  EXPECT_DOUBLE_EQ(launch({8}), 1 + 4); // 8 rows of memory
  EXPECT_DOUBLE_EQ(launch({9}), 1 + 6); // two waves
  EXPECT_DOUBLE_EQ(launch({5, 0, 8}), 4 + 5);
  EXPECT_DOUBLE_EQ(launch({}), 0);
  cost.host = 4.5;
  EXPECT_DOUBLE_EQ(launch({5, 8}), 4.5 + 5); // the host launches
  cost.early_gap = 0.5;
  cost.early_row = 1;
  cost.graph_gap = 0.75;
  EXPECT_DOUBLE_EQ(predict_launch(cost, work, make_group({1, 8}), Launch::graph), 0.75 + 3 + 0.75 + 4);
  EXPECT_DOUBLE_EQ(predict_launch(cost, work, make_group({1, 8})), 0.75 + 3 + 0.75 + 4);
  cost.host = 0.5; // as fast as the bytes: no graph
  EXPECT_DOUBLE_EQ(predict_launch(cost, work, make_group({1, 8})), launch({1, 8}));
  cost.host = 4.5;
  const std::vector<Index> many(std::size_t(most_replayed / 2 + 1), 5);
  EXPECT_DOUBLE_EQ(launch(many), predict_launch(cost, work, make_group(many)));
  EXPECT_DOUBLE_EQ(predict_launch(cost, work, make_group({1, 8}), Launch::dependent), 1.5 + 4);
  cost.starts_early = true;
  EXPECT_DOUBLE_EQ(predict_launch(cost, work, make_group({1, 8})), 1.5 + 4);
  // Three groups by one team: the second and the third take a second each.
  EXPECT_DOUBLE_EQ(launch({1, 4, 2, 8}), (1 + 3 + 2) + (1 + 4));
  EXPECT_DOUBLE_EQ(predict_launch(cost, work, make_group({1, 4, 2, 8}), Launch::graph), (0.75 + 3 + 2) + (0.75 + 4));
  EXPECT_DOUBLE_EQ(predict_launch(cost, work, make_group({1, 4, 2, 8}), Launch::dependent), (0.5 + 1 + 2) + 4);

  const auto tasks = [&](const TaskLevels &levels) {
    return predict_tasks(cost, work, levels, times_of_flags(cost));
  };
  EXPECT_DOUBLE_EQ(tasks({{1, 1, 1, 1}}), 2 + 1);                 // loaded before the wait
  EXPECT_DOUBLE_EQ(tasks({{1, 3, 3, 9}}), 2 + 1 + 2 * 3);         // rounds one after another
  EXPECT_DOUBLE_EQ(tasks({{3, 1, 3, 3}}), 3 * (2 + 1) / 2.);      // more tasks than teams
  EXPECT_DOUBLE_EQ(tasks({{2, 1, 2, 40}, {1, 1, 1, 1}}), 20 + 3); // memory
  EXPECT_DOUBLE_EQ(predict_tasks(cost, work, {{1, 3, 3, 9}}, {2, 3, 0.5, 2}), 2 + 3 + 2 * 0.5);
  cost.value = 0.5;
  cost.value_rest = 0.25;
  cost.task_teams = 4;
  EXPECT_DOUBLE_EQ(predict_tasks(cost, work, {{1, 1, 1, 1}}, times_of_self(cost, 6)), 2 + 1);
  cost.waits_for_values = true;
  EXPECT_DOUBLE_EQ(predict_tasks(cost, work, {{1, 1, 1, 1}}, times_of_self(cost, 6)), 0.5 + 0.25);
  EXPECT_DOUBLE_EQ(predict_tasks(cost, work, {{8, 1, 8, 1}}, times_of_self(cost, 5)), 8 * 0.75 / 4);
  EXPECT_DOUBLE_EQ(predict_tasks(cost, work, {{8, 1, 8, 1}}, times_of_self(cost, 6)), 8 * 0.75 / 3);
  cost.task_teams = 2;
  // Further waves begin late.
  EXPECT_DOUBLE_EQ(predict_launch(cost, {1, 4}, make_group({9}), Launch::dependent), 0.5 + 1 + 3);

  // Four tiles of 2 x 2 points on three levels, each with steps of 1, 2, 1 rows; two at once.
  cost.tile_step = 0.25;
  cost.tile_teams = 2;
  cost.processors = 1;
  const std::size_t space = most_tile_bytes(4, 4, 1);
  const double of_team = double(space) + 1024 + 4 * 3 * sizeof(Scalar);
  cost.shared = 2 * of_team;
  SweepWork tiled{10, 4, true, 1, 1, space};
  const Grid grid{{4, 4, 1}};
  const auto tiles = [&](Launch how) { return predict_tiles(cost, tiled, grid, {2, 2, 1}, how); };
  EXPECT_DOUBLE_EQ(tiles(Launch::dependent), (0.5 + 1 + 0.5) + 4 + (0.5 + 1 + 0.5)); // memory in the middle
  EXPECT_DOUBLE_EQ(tiles(Launch::graph), 3 * 0.75 + 3.5 + 4 + 3.5);
  EXPECT_DOUBLE_EQ(tiles(Launch::stream), 3 * 1 + 3.5 + 4 + 3.5);
  cost.host = 6;
  EXPECT_DOUBLE_EQ(tiles(Launch::stream), 3 * 6);
  EXPECT_DOUBLE_EQ(predict_tiles(cost, tiled, grid, {2, 2, 1}), tiles(Launch::dependent));
  cost.shared = 2 * of_team - 1; // one at once
  EXPECT_DOUBLE_EQ(tiles(Launch::dependent), 2 + (0.5 + 1 + 0.5 + 3.5) + 2);
  tiled.scratch = space - 1;
  EXPECT_EQ(tiles(Launch::dependent), 0);
}

// Many rows that wait for nobody pass at the speed of a copy; single rows cost their latency each.
TEST(DeviceCost, Limits)
{
  const DeviceCost cost;
  const Index many = 1 << 24;
  for (const Index at_once : {16, 32, 128}) {
    const SweepWork work{at_once == 128 ? 100. : 800., at_once};
    const double copy = many * work.bytes / cost.copy;
    const auto one = make_group({many});
    EXPECT_NEAR(predict_launch(cost, work, one), copy, 0.01 * copy);
    EXPECT_NEAR(
      predict_tasks(cost, work, self_levels(one, size_tasks(cost, work, one), at_once), times_of_flags(cost)), copy,
      0.2 * copy);
    const auto chain = make_group(std::vector<Index>(1000, 1));
    EXPECT_NEAR(predict_launch(cost, work, chain), cost.graph_gap + cost.row + 999 * cost.early_row, 1e-9);
    EXPECT_NEAR(predict_tasks(cost, work, self_levels(chain, {1, 1, true}, at_once), times_of_flags(cost)),
                1000 * (cost.flag + cost.early_row), 1e-9);
    EXPECT_NEAR(predict_tasks(cost, work, self_levels(chain, {10, 1, true}, at_once), times_of_flags(cost)),
                100 * (cost.flag + cost.early_row + 9 * cost.row), 1e-9); // levels that one task takes
    EXPECT_NEAR(predict_tiles(cost, make_work(at_once, 1), {{1000, 1, 1}}, {8, 1, 1}),
                125 * (cost.graph_gap + cost.row + 7 * cost.tile_step), 1e-9);
  }
}

// Slower is never faster.
TEST(DeviceCost, GrowsWithEachConstant)
{
  const SweepWork work{800, 16};
  const Grid grid{{40, 24, 16}};
  const auto planes = make_planes(grid[0]);
  const auto predict = [&](const DeviceCost &c) {
    return std::array{
      predict_launch(c, work, planes, Launch::stream),
      predict_launch(c, work, planes, Launch::graph),
      predict_launch(c, work, planes, Launch::dependent),
      predict_tasks(c, work, self_levels(planes, size_tasks({}, work, planes), 16), times_of_flags(c)),
      predict_tasks(c, work, self_levels(planes, {16, 1, true}, 16), times_of_values(c, 5)),
      predict_tiles(c, make_work(16, 5), grid, {4, 2, 2}, Launch::stream),
      predict_tiles(c, make_work(16, 5), grid, {4, 2, 2}, Launch::dependent)};
  };
  const auto before = predict({});
  std::array<bool, 7> moved{};
  for (double DeviceCost::*constant : {&DeviceCost::row, &DeviceCost::gap, &DeviceCost::host, &DeviceCost::flag,
                                       &DeviceCost::graph_gap, &DeviceCost::early_gap, &DeviceCost::early_row,
                                       &DeviceCost::tile_step, &DeviceCost::value, &DeviceCost::value_rest}) {
    DeviceCost slower;
    slower.*constant *= 2;
    const auto after = predict(slower);
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_GE(after[i], before[i]);
      moved[i] = moved[i] || after[i] > 1.05 * before[i];
    }
  }
  for (const bool m : moved) EXPECT_TRUE(m);
  for (double DeviceCost::*constant : {&DeviceCost::copy, &DeviceCost::teams, &DeviceCost::task_teams}) {
    DeviceCost slower;
    slower.*constant /= 100;
    const auto after = predict(slower);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_GE(after[i], before[i]);
    EXPECT_EQ(after[3] > before[3], constant != &DeviceCost::teams); // self
  }
  DeviceCost few; // tiles at once: 16
  few.processors = 2;
  const double most = predict(few)[5];
  EXPECT_GT(most, before[5]);
  few.shared = 1; // 2, as with the next
  EXPECT_GT(predict(few)[5], 2 * most);
  few.shared = DeviceCost().shared;
  few.tile_teams = 1;
  EXPECT_GT(predict(few)[5], 2 * most);
  EXPECT_EQ(predict_tiles({}, make_work(16, 5), grid, {16, 16, 16}), 0); // does not fit
}

// What is counted without a cut is what has been cut.
TEST(DeviceCost, CountsTheTasksOfACut)
{
  for (const Box &box : {Box{7, 6, 5}, Box{16, 16, 16}, Box{30, 1, 1}, Box{9, 20, 1}}) {
    const Graph g = make_grid_graph(box, Stencil::star);
    for (const Index at_once : {1, 4, 16}) {
      const Chunks rows = cut_runs(g.rows, 1);
      for (const TaskSize &size : {TaskSize{16, 1}, TaskSize{16, 1, true}, TaskSize{1, 1}, TaskSize{64, 1, true}})
        expect_equal(self_levels(make_planes(box), size, at_once),
                     task_levels(plan_tasks(g, rows, find_chunk_levels(g, rows), size, 0), at_once));
      for (const Box &tile : {Box{2, 3, 2}, Box{4, 4, 4}, Box{8, 1, 1}, Box{1, 1, 1}, Box{30, 20, 16}}) {
        const auto tiles = cut_tiles({box}, tile, g);
        ASSERT_TRUE(tiles);
        expect_equal(tile_levels({box}, tile, at_once),
                     task_levels(plan_tasks(g, *tiles, find_chunk_levels(g, *tiles), {}, 0), at_once));
      }
    }
  }
  // Boxes side by side.
  const TaskLevels two = tile_levels({{4, 2, 2}, {6, 2, 2}}, {2, 2, 2}, 4);
  ASSERT_EQ(two.size(), 3u);
  EXPECT_TRUE((two[1] == TaskLevel{2, 4, 8, 16}));
  EXPECT_TRUE((two[2] == TaskLevel{1, 4, 4, 8}));
}

TEST(DeviceCost, TasksOfSelfAreARoundOfATeam)
{
  for (const Index at_once : {16, 128}) {
    EngineOptions options;
    options.executor = ExecutorKind::self;
    const Graph g = make_grid_graph({20, 20, 20}, Stencil::star);
    const Plan plan = choose(g, 5, options, make_device(at_once));
    Index most = 0;
    for (const TaskLevel &l : task_levels(plan.tasks, at_once)) most = std::max(most, l.rounds);
    const auto &slot = plan.tasks.tasks.slot;
    for (Index t = 0; t < plan.tasks.tasks.count(); ++t) EXPECT_LE(slot(t + 1) - slot(t), at_once);
    EXPECT_GE(plan.tasks.tasks.count(), 8000 / at_once);
  }
  // Colors: some rounds, more rows being there than teams.
  const DeviceCost cost;
  const SweepWork work{800, 16};
  EXPECT_EQ(size_tasks(cost, work, make_group({1000, 1000})).rows, 16);
  EXPECT_EQ(size_tasks(cost, work, make_group({25000, 25000})).rows, 2 * 16);
  EXPECT_EQ(size_tasks(cost, work, make_group({1 << 20, 1 << 20})).rows, 4 * 16);
  EXPECT_EQ(size_tasks(cost, work, make_group({})).rows, 16);
}

TEST(DeviceCost, ChoosesTheBestTile)
{
  for (const Box &box : {Box{64, 64, 64}, Box{40, 24, 16}, Box{100, 3, 1}})
    for (const std::size_t scratch : {std::size_t(0), most_tile_bytes(2, 6, 5) - 1, tile_scratch})
      for (const double gap : {0.9e-6, 100e-6}) {
        DeviceCost cost;
        cost.graph_gap = gap;
        cost.host = 1; // a graph
        const SweepWork work = make_work(16, 5, scratch);
        const auto time = [&](const Box &t) { return predict_tiles(cost, work, {box}, t); };
        const auto shapes = choose_tiles(cost, work, {box});
        ASSERT_EQ(shapes.size(), 3u);
        EXPECT_EQ(shapes[1].j * shapes[1].k, 1);
        EXPECT_EQ(shapes[2].points(), 1);
        if (scratch == 0) {
          EXPECT_EQ(shapes[0].points(), 1);
          EXPECT_EQ(time(shapes[0]), 0);
          continue;
        }
        for (const Box &t : {Box{1, 1, 1}, Box{2, 2, 1}, Box{2, 4, 4}, Box{4, 2, 1}, Box{16, 1, 1}, Box{1, 1, 8}})
          if (const double seconds = time(t); seconds > 0 && t.i <= box.i && t.j <= box.j && t.k <= box.k) {
            EXPECT_LE(time(shapes[0]), seconds);
            EXPECT_TRUE(t.j * t.k > 1 || time(shapes[1]) <= seconds);
          }
        // Dear kernels want large tiles.
        if (box.k > 1 && gap > 1e-5) {
          const Offset twice = 2 * shapes[0].points();
          EXPECT_GT(most_tile_bytes(twice, 3 * twice, 5), scratch);
        }
      }
}

// Three typical cases: wide hyperplanes or colors, a chain, and constants by which others would pay.
TEST(DeviceCost, PlansTakeTheLeastTime)
{
  EngineOptions grid, none, colors;
  const Box box{64, 64, 60};
  const Graph star = make_grid_graph(box, Stencil::star), chain = make_grid_graph({4000, 1, 1}, Stencil::star);
  grid.grid = {box};
  colors.schedule = ScheduleKind::color;
  const Plan wide = choose(star, 5, none, make_device());
  EXPECT_EQ(wide.executor, ExecutorKind::launch); // no tiles without a grid
  EXPECT_STREQ(wide.reason, "least time by a model");
  EXPECT_EQ(wide.tasks.tasks.count(), 0);
  EXPECT_EQ(choose(star, 5, colors, make_device()).executor, ExecutorKind::launch);
  const Plan narrow = choose(chain, 5, none, make_device());
  EXPECT_EQ(narrow.executor, ExecutorKind::launch); // one team, one kernel
  EXPECT_STREQ(narrow.reason, "least time by a model");

  const Plan tiled = choose(star, 5, grid, make_device());
  EXPECT_EQ(tiled.executor, ExecutorKind::tile);
  EXPECT_STREQ(tiled.reason, "least time by a model");
  SweepWork work = make_work(16, 5);
  work.bytes = sweep_bytes(double(star.entries()) / star.rows, 5, sizeof(Scalar));
  EXPECT_EQ(tiled.tile, choose_tiles({}, work, {box})[0]);
  EXPECT_GT(tiled.tile.points(), 1);
  Machine rough = make_device();
  rough.plain = false;
  EXPECT_EQ(choose(star, 5, grid, rough).executor, ExecutorKind::launch);

  DeviceCost cost;
  cost.tile_step = 2e-6;
  EXPECT_EQ(choose(star, 5, grid, make_device(16, cost)).executor, ExecutorKind::launch);
  cost.worth = 1; // flags that have proved themselves
  EXPECT_EQ(choose(star, 5, grid, make_device(16, cost)).executor, ExecutorKind::self);
}

// Kernels of a level of tiles, and what goes by groups beside them: each row once, on its hyperplane.
TEST(DeviceCost, TilesHaveGroupsBesideThem)
{
  EngineOptions options;
  const Box box{9, 7, 6};
  options.grid = {box};
  options.executor = ExecutorKind::tile;
  options.tile = {2, 3, 2};
  const Graph g = make_grid_graph(box, Stencil::star);
  const Plan plan = choose(g, 5, options, make_device());
  EXPECT_TRUE(plan.by_tiles);
  const Schedule &groups = plan.schedule;
  ASSERT_EQ(groups.order.extent(0), std::size_t(g.rows));
  ASSERT_EQ(groups.groups(), box.i + box.j + box.k - 2);
  std::vector<int> seen(std::size_t(g.rows), 0);
  for (Index group = 0; group < groups.groups(); ++group)
    for (Index i = groups.group(group); i < groups.group(group + 1); ++i) {
      const Index row = groups.order(i);
      ++seen[std::size_t(row)];
      EXPECT_EQ(row % box.i + row / box.i % box.j + row / (box.i * box.j), group);
    }
  for (const int count : seen) EXPECT_EQ(count, 1);
  const HostArray<Index> level = cut_levels(plan.tasks);
  ASSERT_EQ(Index(level.extent(0)) - 1, plan.tasks.levels);
  for (Index l = 0; l < plan.tasks.levels; ++l)
    for (Index t = level(l); t < level(l + 1); ++t) EXPECT_EQ(plan.tasks.level[std::size_t(t)], l);
}

// Shapes that do not fit, and sweeps that do not go by tiles: the plan is that of launch.
TEST(DeviceCost, NoTilesAreGroups)
{
  const Box box{20, 9, 8};
  EngineOptions options, colors, none;
  options.grid = {box};
  options.tile = box;
  options.executor = colors.executor = none.executor = ExecutorKind::tile;
  colors.schedule = ScheduleKind::color;
  const Graph star = make_grid_graph(box, Stencil::star);
  Machine rough = make_device();
  rough.plain = false;
  for (const auto &[r, machine] : {std::pair(options, make_device()), std::pair(colors, make_device()),
                                   std::pair(none, make_device()), std::pair(options, rough)}) {
    const Plan plan = choose(star, 5, r, machine);
    EXPECT_EQ(plan.executor, ExecutorKind::tile);
    EXPECT_STREQ(plan.reason, "no tiles: by groups");
    EXPECT_EQ(plan.tasks.tasks.count(), 0);
    EXPECT_EQ(plan.tile.points(), 0);
    EXPECT_FALSE(plan.by_tiles);
    EngineOptions launched = r;
    launched.executor = ExecutorKind::launch;
    launched.tile = {};
    const Plan same = choose(star, 5, launched, machine);
    EXPECT_EQ(plan.y, same.y);
    ASSERT_EQ(plan.schedule.groups(), same.schedule.groups());
    for (Index i = 0; i <= same.schedule.groups(); ++i) EXPECT_EQ(plan.schedule.group(i), same.schedule.group(i));
    ASSERT_EQ(plan.row_of.extent(0), same.row_of.extent(0));
    for (std::size_t i = 0; i < same.row_of.extent(0); ++i) EXPECT_EQ(plan.row_of(i), same.row_of(i));
  }
  // Rows at hand decide, not their mean.
  options.tile = {2, 2, 2};
  EXPECT_GT(choose(star, 5, options, make_device()).tasks.tasks.count(), 0);
  Machine small = make_device();
  small.scratch = most_tile_bytes(8, 24, 5) - 1; // eight rows inside have 24 entries
  EXPECT_EQ(choose(star, 5, options, small).tasks.tasks.count(), 0);
  small.scratch += 1;
  EXPECT_GT(choose(star, 5, options, small).tasks.tasks.count(), 0);
}

// Sweeps ask for the most rows and the most entries of any tile, be they of two.
TEST(DeviceCost, TilesOfManyRowsAndOfManyEntries)
{
  Rows neighbors(12); // 0 to 7 need no other, 8 to 11 all before them
  for (Index i = 0; i < 12; ++i) {
    neighbors[std::size_t(i)].insert(i);
    for (Index j = 0; j < i; ++j)
      if (i >= 8) {
        neighbors[std::size_t(i)].insert(j);
        neighbors[std::size_t(j)].insert(i);
      }
  }
  EngineOptions options;
  options.executor = ExecutorKind::tile;
  options.grid = {{12, 1, 1}};
  options.tile = {8, 1, 1};
  const Graph g = make_graph(neighbors);
  Machine machine = make_device();
  machine.scratch = most_tile_bytes(8, 38, 5);
  EXPECT_EQ(choose(g, 5, options, machine).tasks.tasks.count(), 2);
  machine.scratch -= 1;
  EXPECT_EQ(choose(g, 5, options, machine).tasks.tasks.count(), 0);
  EXPECT_LT(most_tile_bytes(4, 38, 5), machine.scratch);
}

// An emulated device takes the plan of a real one with its scratch memory, whose teams do 128 rows of scalars and 16
// of blocks of 5.
TEST(DeviceCost, EnginesPlanByTeamsOfADevice)
{
  if (where != Where::device) GTEST_SKIP() << "with --backend=device only";
  const Box box{12, 11, 10};
  for (const int n : {1, 5})
    for (const ExecutorKind executor : {ExecutorKind::automatic, ExecutorKind::self, ExecutorKind::tile})
      for (const Method method : {Method::factorization, Method::relaxation}) {
        const Problem p(make_grid_graph(box, Stencil::star), n);
        EngineOptions options;
        options.method = method;
        options.executor = executor;
        if (method == Method::factorization) options.grid = {box};
        const auto engine = make_tested_engine(method);
        ASSERT_FALSE(engine->analyze(p.view(), options));
        const Statistics s = engine->statistics();
        if (method == Method::relaxation) {
          if (executor == ExecutorKind::self) {
            EXPECT_GE(s.tasks, 660 / (n == 1 ? 128 : 16));
          }
          continue;
        }
        Machine machine = make_device(n == 1 ? 128 : 16);
        machine.scratch = detail::tile_room<DeviceExec>(ForwardRow<0, Scalar, Scalar>{BlockSize<0>(n), {}});
        const Plan plan = choose(p.graph, n, options, machine);
        EXPECT_EQ(s.executor, plan.executor);
        EXPECT_EQ(s.tasks, plan.tasks.tasks.count());
        EXPECT_EQ(s.tile, plan.tile);
        EXPECT_STREQ(s.reason, plan.reason);
      }
}

} // namespace
