// SPDX-License-Identifier: BSD-2-Clause
// The tasks of a grid of 4 x 2 points, numbered 0 1 2 3 / 4 5 6 7, in tiles of 2 x 1.
#include "graphs.hpp"

#include "run/tasks.hpp"

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Tiles A = {0 1}, B = {2 3}, C = {4 5}, D = {6 7}: B and C wait for A, and D waits for both. The critical path is
// A, B or C, D; two tasks may run at once.
TEST(RunByHand, TilesWaitForTheirNeighbors)
{
  const Box box{4, 2, 1};
  const Graph star = make_grid_graph(box, Stencil::star);
  const auto tiles = cut_tiles({box}, {2, 1, 1}, star);
  ASSERT_TRUE(tiles);
  EXPECT_EQ(tiles->count, 4);
  const ChunkLevels levels = find_chunk_levels(star, *tiles);
  const TaskPlan plan = plan_tasks(star, *tiles, levels, {}, -1);
  ASSERT_EQ(plan.tasks.count(), 4);
  EXPECT_EQ(plan.levels, 3);
  EXPECT_EQ(plan.widest, 2);
  const auto waits = [&](Index task) {
    std::set<Index> found;
    for (Index w = plan.tasks.wait_ptr(task); w < plan.tasks.wait_ptr(task + 1); ++w)
      found.insert(plan.tasks.wait(w));
    return found;
  };
  EXPECT_EQ(waits(0), (std::set<Index>{}));
  EXPECT_EQ(waits(1), (std::set<Index>{0}));
  EXPECT_EQ(waits(2), (std::set<Index>{0}));
  EXPECT_EQ(waits(3), (std::set<Index>{1, 2}));
}

} // namespace
