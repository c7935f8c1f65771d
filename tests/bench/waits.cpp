// SPDX-License-Identifier: BSD-2-Clause
// Replaces the engine's run/tasks.cpp in bench_algorithms and adds a switch that removes the waits of all tasks. The
// library has no such switch.
#include "run/tasks.hpp"

#define plan_tasks plan_waiting_tasks
#include "run/tasks.cpp"
#undef plan_tasks

namespace finegrain
{

namespace test
{
bool tasks_wait = true;
}

TaskPlan plan_tasks(const Graph &g, const Chunks &chunks, const ChunkLevels &levels, TaskSize size, double width,
                    const HostArray<Index> &key)
{
  TaskPlan plan = plan_waiting_tasks(g, chunks, levels, size, width, key);
  if (!test::tasks_wait) {
    Kokkos::deep_copy(plan.tasks.wait_ptr, 0);
    plan.tasks.wait = {};
  }
  return plan;
}

} // namespace finegrain
