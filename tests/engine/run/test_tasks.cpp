// SPDX-License-Identifier: BSD-2-Clause
// Tasks contain every row once, depend on earlier tasks only, and wait for all that they depend on.
#include "graphs.hpp"
#include "order/elimination.hpp"
#include "run/lines.hpp"
#include "run/make_plan.hpp"
#include "problems.hpp"

#include <gtest/gtest.h>

#include <cstring>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

using Host = Kokkos::HostSpace;

// closure[t]: all tasks that are finished when t begins. These are the tasks that it waits for or, if each level is
// a kernel, those of lower levels.
std::vector<std::set<Index>> close_waits(const Tasks<Host> &t, const std::vector<Index> &level)
{
  std::vector<std::set<Index>> closure(std::size_t(t.count()));
  for (std::size_t i = 0; i < level.size(); ++i)
    for (std::size_t j = 0; j < level.size(); ++j)
      if (level[j] < level[i]) closure[i].insert(Index(j));
  for (Index i = 0; i < t.count(); ++i)
    for (Index w = t.wait_ptr(i); w < t.wait_ptr(i + 1); ++w) {
      auto &mine = closure[std::size_t(i)];
      EXPECT_LT(t.wait(w), i);
      mine.insert(t.wait(w));
      mine.insert(closure[std::size_t(t.wait(w))].begin(), closure[std::size_t(t.wait(w))].end());
    }
  return closure;
}

// row_of: row of each sweep index. backward: rows depend on larger ones. level: level of each task, if tasks do not
// wait for each other.
void check_tasks(const Graph &g, const Tasks<Host> &t, const std::vector<Index> &row_of, bool backward,
                 const std::vector<Index> &level)
{
  std::vector<Index> task_of(std::size_t(g.rows), -1), slot_of(std::size_t(g.rows), -1);
  ASSERT_EQ(t.first(0), 0);
  ASSERT_EQ(t.first(t.count()), g.rows);
  for (Index i = 0; i < t.count(); ++i) {
    EXPECT_LT(t.first(i), t.first(i + 1));
    for (Index s = t.first(i); s < t.first(i + 1); ++s) {
      EXPECT_EQ(task_of[std::size_t(row_of[std::size_t(s)])], -1);
      task_of[std::size_t(row_of[std::size_t(s)])] = i;
      slot_of[std::size_t(row_of[std::size_t(s)])] = s;
    }
  }
  std::vector<Index> set_of(std::size_t(g.rows), -1);
  for (Index i = 0; t.set_first.extent(0) && i < t.count(); ++i) {
    EXPECT_EQ(t.set_first(t.set_ptr(i)), t.first(i));
    EXPECT_EQ(t.set_first(t.set_ptr(i + 1)), t.first(i + 1));
    for (Index s = t.set_ptr(i); s < t.set_ptr(i + 1); ++s)
      for (Index p = t.set_first(s); p < t.set_first(s + 1); ++p) set_of[std::size_t(row_of[std::size_t(p)])] = s;
  }
  const auto closure = close_waits(t, level);
  for (Index i = 0; i < g.rows; ++i)
    for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e) {
      const Index j = g.col(e);
      if (j == i) continue;
      const auto early = std::size_t((j < i) != backward ? j : i), late = std::size_t((j < i) != backward ? i : j);
      const Index a = task_of[early], b = task_of[late];
      if (a == b) {
        EXPECT_LT(slot_of[early], slot_of[late]);
        if (t.set_first.extent(0)) {
          EXPECT_LT(set_of[early], set_of[late]);
        }
      } else {
        EXPECT_TRUE(closure[std::size_t(b)].count(a)) << "row " << late << " needs row " << early;
      }
    }
}

void check_plan(const Graph &g, const TaskPlan &plan)
{
  std::vector<Index> rows(plan.order.data(), plan.order.data() + g.rows), level;
  if (plan.tasks.wait.extent(0) == 0) level = plan.level;
  check_tasks(g, plan.tasks, rows, false, level);
  std::reverse(rows.begin(), rows.end());
  std::reverse(level.begin(), level.end());
  for (Index &l : level) l = -l;
  check_tasks(g, reverse_tasks(plan.tasks), rows, true, level);
}

std::vector<Graph> graphs()
{
  return {make_grid_graph({7, 6, 5}, Stencil::star),
          make_grid_graph({7, 6, 5}, Stencil::box),
          make_grid_graph({7, 6, 5}, Stencil::star, 2),
          make_grid_graph({9, 8, 1}, Stencil::star, 1, {true, true, false}),
          make_random_graph(90, 3, false, 1),
          make_random_graph(90, 2, true, 2),
          make_graph({{0}, {1}, {2}})};
}

TEST(Tasks, RunsOfAnyLength)
{
  for (const Graph &g : graphs())
    for (const Index length : {1, 2, 5, 32, 1000})
      for (const TaskSize size : {TaskSize{}, TaskSize{16, 1}, TaskSize{64, 3}})
        for (const double width : {0., 1.9}) {
          const Chunks chunks = cut_ranges(g.rows, length);
          check_plan(g, plan_tasks(g, chunks, find_chunk_levels(g, chunks), size, width));
        }
}

TEST(Tasks, RandomGraphsRunsAndSizes)
{
  std::mt19937 random(1);
  const auto up_to = [&](unsigned most) { return Index(random() % (most + 1)); };
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Graph g = make_random_graph(1 + up_to(60), int(up_to(4)), up_to(1) == 1, seed);
    const Chunks chunks = cut_ranges(g.rows, 1 + up_to(9));
    const TaskSize size = {1 + up_to(30), 1 + up_to(5)};
    const double widths[] = {0, 1.9, 3};
    check_plan(g, plan_tasks(g, chunks, find_chunk_levels(g, chunks), size, widths[up_to(2)]));
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Tasks, TilesOfAnyShapeFitStars)
{
  const Box box{7, 6, 5};
  const Graph g = make_grid_graph(box, Stencil::star, 1, {true, false, true});
  for (const Box tile : {Box{1, 1, 1}, Box{7, 2, 2}, Box{3, 4, 2}, Box{100, 100, 100}, Box{2, 6, 1}})
    for (const double width : {0., 1.9}) {
      const auto chunks = cut_tiles({box}, tile, g);
      ASSERT_TRUE(chunks);
      const TaskPlan plan = plan_tasks(g, *chunks, find_chunk_levels(g, *chunks), {}, width);
      check_plan(g, plan);
      ASSERT_EQ(plan.tasks.wait.extent(0) > 0, plan.tasks.count() > 1);
    }
}

TEST(Tasks, TilesThatNeedEachOtherAreRefused)
{
  const Box box{7, 6, 5};
  const Graph g = make_grid_graph(box, Stencil::box);
  EXPECT_FALSE(cut_tiles({box}, {3, 2, 1}, g)); // the point to the lower right is in the next tile
  EXPECT_FALSE(cut_tiles({box}, {7, 2, 2}, g));
  EXPECT_TRUE(cut_tiles({box}, {7, 2, 1}, g));
  EXPECT_TRUE(cut_tiles({box}, {7, 6, 2}, g));
}

TEST(Tasks, HandChecked)
{
  // 4 x 4 points in tiles of 2 x 2: tile 0, then tiles 1 and 2, then tile 3.
  const Box box{4, 4, 1};
  const Graph g = make_grid_graph(box, Stencil::star);
  const auto chunks = cut_tiles({box}, {2, 2, 1}, g);
  ASSERT_TRUE(chunks);
  const TaskPlan plan = plan_tasks(g, *chunks, find_chunk_levels(g, *chunks), {}, 0);
  EXPECT_EQ(plan.tasks.count(), 4);
  EXPECT_EQ(plan.levels, 3);
  EXPECT_EQ(plan.widest, 2);
  const Index order[] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
  const Index wait[] = {0, 0, 1, 2}, wait_ptr[] = {0, 0, 1, 2, 4},
              set_first[] = {0, 1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16};
  EXPECT_TRUE(std::equal(order, order + 16, plan.order.data()));
  ASSERT_EQ(plan.tasks.wait.extent(0), 4u);
  EXPECT_TRUE(std::equal(wait, wait + 4, plan.tasks.wait.data()));
  EXPECT_TRUE(std::equal(wait_ptr, wait_ptr + 5, plan.tasks.wait_ptr.data()));
  ASSERT_EQ(plan.tasks.set_first.extent(0), 13u);
  EXPECT_TRUE(std::equal(set_first, set_first + 13, plan.tasks.set_first.data()));
  // With diagonal neighbors the wait for the diagonal tile is implied by the others.
  const auto tall = cut_tiles({Box{4, 4, 1}}, {4, 1, 1}, make_grid_graph(box, Stencil::box));
  const auto chain = plan_tasks(g, *tall, find_chunk_levels(g, *tall), {}, 0);
  EXPECT_EQ(chain.tasks.wait.extent(0), 3u);
  EXPECT_EQ(chain.levels, 4);
}

TEST(Tasks, SizesArePiecesOfLevels)
{
  // 64 independent rows.
  const Graph g = make_random_graph(64, 0, false, 1);
  const auto tasks = [&](Index length, TaskSize size) {
    const Chunks chunks = cut_ranges(64, length);
    return plan_tasks(g, chunks, find_chunk_levels(g, chunks), size, 0).tasks;
  };
  EXPECT_EQ(tasks(1, {64, 1}).count(), 1);
  EXPECT_EQ(tasks(1, {16, 1}).count(), 4);
  EXPECT_EQ(tasks(1, {64, 4}).count(), 4);
  EXPECT_EQ(tasks(32, {1, 8}).count(), 2);       // at most as many as chunks
  EXPECT_EQ(tasks(1, {20, 1}).count(), 3);       // 20 rows or more each
  EXPECT_EQ(tasks(1, {20, 1, true}).count(), 4); // 20 rows or fewer each
  const auto even = tasks(3, {16, 1});
  for (Index t = 0; t < even.count(); ++t) EXPECT_LE(even.first(t + 1) - even.first(t), 24);
  // Levels of one row in a chain are combined.
  const Graph line = make_grid_graph({60, 1, 1}, Stencil::star);
  const Chunks chunks = cut_ranges(60, 1);
  EXPECT_EQ(plan_tasks(line, chunks, find_chunk_levels(line, chunks), {20, 1}, 0).tasks.count(), 3);
}

SetupError make_plan(const Graph &g, int block, const EngineOptions &options, const Machine &machine, Plan &plan)
{
  Elimination e;
  if (const SetupError error = choose_elimination(g, options, e)) return error;
  return finegrain::make_plan(e, block, options, machine, plan);
}

// The plan that the engine chooses.
Plan choose(const Graph &g, const EngineOptions &options, const Machine &machine, int block = 5)
{
  Plan plan;
  EXPECT_FALSE(make_plan(g, block, options, machine, plan));
  return plan;
}

TEST(Plan, AutomaticAlgorithm)
{
  const Box box{40, 24, 16};
  const Graph star = make_grid_graph(box, Stencil::star), corners = make_grid_graph(box, Stencil::box);
  const Graph line = make_grid_graph({40000, 1, 1}, Stencil::star);
  const Machine one{false, 1}, two{false, 2}, gpu{true, 0, 16};
  EngineOptions r;
  EXPECT_EQ(choose(star, r, one).algorithm, Algorithm::sequential);
  EXPECT_EQ(choose(star, r, two).algorithm, Algorithm::tasks);
  EXPECT_EQ(choose(star, r, gpu).algorithm, Algorithm::tasks);
  EXPECT_EQ(choose(line, r, gpu).algorithm, Algorithm::tasks);
  const Graph few_groups = make_grid_graph({12, 11, 11}, Stencil::star),
              many_groups = make_grid_graph({12, 12, 11}, Stencil::star);
  EXPECT_EQ(choose(few_groups, r, gpu).algorithm, Algorithm::levels); // 32 groups
  const Plan flags = choose(many_groups, r, gpu);
  EXPECT_EQ(flags.algorithm, Algorithm::tasks);
  EXPECT_EQ(flags.factorization.groups(), 33); // 33 levels
  const Plan chain = choose(line, r, two);
  EXPECT_EQ(chain.algorithm, Algorithm::sequential); // no independent rows
  EXPECT_EQ(chain.tasks.tasks.count(), 0);
  r.grid = {box};
  EXPECT_EQ(choose(star, r, one).algorithm, Algorithm::sequential);
  EXPECT_EQ(choose(star, r, two).algorithm, Algorithm::tasks);
  EXPECT_EQ(choose(star, r, two).tile, (Box{40, 6, 4}));
  EXPECT_EQ(choose(corners, r, two).tile, (Box{40, 6, 1}));
  EXPECT_EQ(choose(star, r, gpu).algorithm, Algorithm::tasks);
  r.tile = {8, 8, 8};
  EXPECT_EQ(choose(star, r, two).tile, r.tile);
  EXPECT_EQ(choose(star, r, one).algorithm, Algorithm::tasks);
  Plan plan;
  EXPECT_EQ(make_plan(corners, 5, r, two, plan).reason, SetupError::tile_fit);
  r.schedule = ScheduleKind::level;
  EXPECT_EQ(make_plan(star, 5, r, two, plan).reason, SetupError::no_grid);
  r.schedule = ScheduleKind::automatic;
  r.grid = {};
  EXPECT_EQ(make_plan(star, 5, r, two, plan).reason, SetupError::no_grid);
  r.grid = {{3, 3, 3}};
  EXPECT_EQ(make_plan(star, 5, r, two, plan).reason, SetupError::grid_size);
  const Graph few = make_grid_graph({4, 4, 4}, Stencil::star);
  EXPECT_EQ(choose(few, {}, two).algorithm, Algorithm::sequential);
  // Several threads execute a color if it is worth starting them.
  EngineOptions colored;
  colored.schedule = ScheduleKind::color;
  EXPECT_EQ(choose(star, colored, one).algorithm, Algorithm::sequential);
  EXPECT_EQ(choose(star, colored, two).algorithm, Algorithm::levels);
  EXPECT_EQ(choose(star, colored, gpu).algorithm, Algorithm::levels);
  colored.power = 6;
  EXPECT_EQ(choose(star, colored, two).algorithm, Algorithm::tasks);
  EXPECT_EQ(choose(star, colored, gpu).algorithm, Algorithm::levels);
  // Many threads need thin tiles, so that enough of them are independent.
  EngineOptions thin;
  thin.grid = {{16, 48, 48}};
  const Plan many = choose(make_grid_graph({16, 48, 48}, Stencil::star), thin, {false, 16});
  EXPECT_EQ(many.tile, (Box{16, 2, 2}));
  EXPECT_GE(many.tasks.widest, 16);
}

TEST(Plan, DefaultTilesAndRunsCoverEveryRow)
{
  for (const Graph &g : graphs())
    for (const Machine &machine : {Machine{false, 1}, Machine{false, 2}, Machine{false, 64}, Machine{true, 0, 16}})
      for (const Grid &grid : {Grid{}, Grid{{7, 6, 5}}, Grid{{9, 8, 1}}}) {
        EngineOptions r;
        r.algorithm = Algorithm::tasks;
        r.grid = grid;
        check_plan(g, choose(g, r, machine, 2).tasks);
      }
}

// Many small tasks, repeated often: a missing wait would sooner or later change the result. Factorizations,
// applications, several vectors and transposes use the same progress flags in turn.
TEST(Repeats, GiveTheSameBits)
{
  const Box box{8, 9, 10};
  const Problem p(make_grid_graph(box, Stencil::star), 5), q(make_random_graph(400, 3, true, 3), 1);
  for (const Problem *problem : {&p, &q})
    for (const FactorKind factor : {FactorKind::dilu, FactorKind::ilu0}) {
      const std::size_t size = problem->b.size();
      std::vector<Scalar> first[3], x(2 * size), b(problem->b);
      b.insert(b.end(), problem->b.rbegin(), problem->b.rend());
      for (const Algorithm algorithm : algorithms()) {
        if (algorithm == Algorithm::levels && !first[0].empty()) continue;
        EngineOptions r;
        r.algorithm = algorithm;
        r.factor = factor;
        if (problem == &p) r.grid = {box};
        if (problem == &p && algorithm == Algorithm::tasks && where != Where::device) r.tile = {2, 3, 2};
        auto e = make_tested_engine();
        ASSERT_FALSE(e->analyze(problem->view(), r));
        const bool schedules_itself = algorithm == Algorithm::tasks;
        for (int repeat = 0; repeat < (schedules_itself ? 200 : 1); ++repeat) {
          const auto check = [&](int what, const std::vector<Scalar> &result) {
            if (first[what].empty()) first[what] = result;
            ASSERT_EQ(std::memcmp(result.data(), first[what].data(), result.size() * sizeof(Scalar)), 0)
              << "algorithm " << int(algorithm) << ", result " << what << ", repeat " << repeat;
          };
          if (repeat % 4 == 0) e->factor(problem->source());
          check(0, problem->apply(*e));
          if (repeat % 10) continue;
          std::fill(x.begin(), x.end(), Scalar(std::numeric_limits<Real>::quiet_NaN()));
          e->apply({.b = b.data(), .x = x.data(), .vectors = 2, .stride = Offset(size)});
          check(1, x);
          std::fill(x.begin(), x.end(), Scalar(std::numeric_limits<Real>::quiet_NaN()));
          e->apply({.b = b.data(), .x = x.data(), .vectors = 2, .stride = Offset(size), .transposed = true});
          check(2, x);
        }
      }
    }
}

// Levels are shared by threads only if that is faster. It is not for a plane of scalars, which has as many level
// sets as points along two edges, nor for a line.
TEST(Plan, AutomaticSharesLevelsThatAreWorthIt)
{
  const auto plan = [](const Box &box, int block, bool knows_grid, int threads) {
    EngineOptions r;
    if (knows_grid) r.grid = {box};
    return choose(make_grid_graph(box, Stencil::star), r, {.threads = threads}, block);
  };
  EXPECT_STREQ(plan({700, 700, 1}, 1, false, 1).reason, "one thread");
  const Plan plane = plan({700, 700, 1}, 1, false, 2);
  EXPECT_EQ(plane.algorithm, Algorithm::sequential);
  EXPECT_STREQ(plane.reason, "levels too short to share");
  EXPECT_EQ(plane.tasks.tasks.count(), 0);
  EXPECT_EQ(plan({40, 40, 40}, 5, false, 2).algorithm, Algorithm::tasks);
  EXPECT_EQ(plan({64, 64, 64}, 1, true, 2).algorithm, Algorithm::tasks);
  EXPECT_STREQ(plan({200000, 1, 1}, 2, false, 2).reason, "hardly any independent rows");
}

// Makes a graph with a diagonal, in which the rows with `coupled` are coupled to the row `reach` before them.
template <class Coupled> Graph make_chains(Index rows, Index reach, const Coupled &coupled)
{
  Graph g{rows, make_array<Index>("ptr", std::size_t(rows) + 1), make_array<Index>("col", 3 * std::size_t(rows))};
  Index at = g.ptr(0) = 0;
  for (Index i = 0; i < rows; ++i) {
    if (i >= reach && coupled(i)) g.col(at++) = i - reach;
    g.col(at++) = i;
    if (i + reach < rows && coupled(i + reach)) g.col(at++) = i + reach;
    g.ptr(i + 1) = at;
  }
  g.col = to_array("col", {g.col.data(), g.col.data() + at});
  return g;
}

// The width of the first levels says little about the others.
TEST(Plan, RunsAreAsLongAsTheyCanBe)
{
  const Graph chains = make_chains(131072, 1, [](Index i) { return i % 4096 != 0; });
  EngineOptions r;
  r.algorithm = Algorithm::tasks;
  for (const int threads : {8, 10}) // ranges of 128 rows
    EXPECT_EQ(choose(chains, r, {false, threads}).tasks.levels, 32) << threads;
}

// Levels of one row become one task, without waits between them.
TEST(Plan, LevelsOfOneRowAreNoReasonToStayAlone)
{
  const Graph g = make_chains(1000000, 100, [](Index i) { return i % 100 == 0; });
  const Plan plan = choose(g, EngineOptions(), {false, 2}, 2);
  EXPECT_EQ(plan.algorithm, Algorithm::tasks) << plan.reason;
  EXPECT_EQ(plan.schedule.groups(), 10000);
  EXPECT_LT(plan.tasks.levels, 10);
}

} // namespace
