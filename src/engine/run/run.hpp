// SPDX-License-Identifier: BSD-2-Clause
// One execution of a row function over the groups or tasks of a schedule, as methods describe it to execute.hpp.
#pragma once

#include "base/kinds.hpp"
#include "run/task_flags.hpp"

namespace finegrain
{

// Tasks as kernels read them.
struct TaskList {
  Index count = 0;
  const Index *first = nullptr, *wait_ptr = nullptr, *wait = nullptr, *set_ptr = nullptr, *set_first = nullptr;
};

namespace detail
{

// Loop of a worker, which executes tasks until none is left. The code is the same for a host thread and a team.
template <class Worker>
KOKKOS_FORCEINLINE_FUNCTION void work(const TaskList &tasks, const TaskFlags &progress, const Worker &worker)
{
  for (;;) {
    const Index t = Index(worker.draw(progress));
    if (t < 0 || t >= tasks.count) return;
    stress();
    worker.prepare(tasks, t);
    const Index first = tasks.wait_ptr[t], last = tasks.wait_ptr[t + 1];
    worker.each(first, last, [&](Index w) { progress.await(tasks.wait[w]); });
    worker.barrier();
    worker.run(tasks, t);
    worker.barrier();
    worker.once([&]() { progress.publish(t); });
  }
}

} // namespace detail

// One execution over the sweep indices of all groups, group after group. It allocates nothing.
template <class Exec> struct Run {
  typename Exec::execution_space exec;
  Algorithm algorithm = Algorithm::sequential; // never automatic
  const Index *group = nullptr; // first sweep index of each group, and the end of the last; on the host
  Index groups = 0;
  const Index *visit = nullptr;    // sweep indices of each group in the order of visits; null: ascending
  Offset *launches = nullptr;      // counts kernels
  const TaskList *tasks = nullptr; // for algorithm tasks
  TaskFlagMemory<typename Exec::memory_space> *progress = nullptr;
};

} // namespace finegrain
