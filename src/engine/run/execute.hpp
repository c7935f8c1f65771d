// SPDX-License-Identifier: BSD-2-Clause
// Executes a row function over the groups or tasks of a schedule by one of the algorithms (Algorithm,
// base/kinds.hpp).
//
// sequential is a loop of one host thread. levels is one kernel for each group. tasks is one kernel whose workers
// draw tasks by a ticket and wait for the tasks that a task depends on (tasks.hpp, task_flags.hpp). A worker is a
// host thread (host_work.hpp) or a team of a device (team_work.hpp).
#pragma once

#include "base/threads.hpp"
#include "run/host_work.hpp"
#include "run/team_work.hpp"

namespace finegrain
{

namespace detail
{

template <int N, class Exec, class Row>
void launch_group(const Run<Exec> &run, const Row &row, Index g, [[maybe_unused]] Index threads)
{
  const Index first = run.group[g], last = run.group[g + 1];
  if constexpr (works_in_teams<Exec>) {
    using Body = GroupBody<N, Exec, Row>;
    const TeamShape shape = shape_on<Exec>(row);
    const Index teams = (last - first + shape.threads - 1) / shape.threads;
    const Body body{row, run.visit, first, last};
    Kokkos::parallel_for("finegrain::rows", make_teams<Body>(run.exec, teams, shape, row), body);
  } else {
    const Index shares = std::min(threads, last - first);
    for_threads(shares, HostShare<N, Row>{row, run.visit, first, last, shares});
  }
}

template <int N, class Exec, class Row> void run_tasks(const Run<Exec> &run, const Row &row)
{
  const TaskList &tasks = *run.tasks;
  if (tasks.count == 0) return; // all groups may be empty
  Index workers = 0;
  if constexpr (works_in_teams<Exec>) {
    using Body = TeamBody<N, Exec, Row>;
    const TeamShape shape = shape_on<Exec>(row);
    workers =
      std::max(Index(1), std::min(tasks.count, Index(run.exec.concurrency() / (shape.threads * shape.lanes))));
    Kokkos::parallel_for("finegrain::rows", make_teams<Body>(run.exec, workers, shape, row),
                         Body{row, tasks, run.progress->next()});
  } else {
    workers = std::min(tasks.count, Index(usable_threads()));
    for_threads(workers, ThreadBody<N, Row>{row, tasks, run.progress->next()});
  }
  run.progress->advance(tasks.count, workers);
  ++*run.launches;
}

} // namespace detail

template <int N, class Exec, class Row> void execute(const Run<Exec> &run, const Row &row)
{
  if (run.groups == 0) return;
  if (run.algorithm == Algorithm::tasks) return detail::run_tasks<N>(run, row);
  if constexpr (!works_in_teams<Exec>)
    if (run.algorithm == Algorithm::sequential)
      return detail::visit_rows<N>(row, run.visit, run.group[0], run.group[run.groups]);
  const Index threads = works_in_teams<Exec> ? 1 : usable_threads();
  for (Index g = 0; g < run.groups; ++g) detail::launch_group<N>(run, row, g, threads);
  *run.launches += run.groups;
}

// Wraps a row function, which is constructed from the arguments alone, as an entry of a table of kernels. A row
// function for any block size is compiled with those of block size 0.
template <int N, class Row, class Exec, class Arguments>
void kernel(const Run<Exec> &run, int n, const Arguments &arguments)
{
  execute<N>(run, Row{BlockSize<N>(n), arguments});
}
template <int N, class Row, class Exec, class Arguments>
void any_size_kernel([[maybe_unused]] const Run<Exec> &run, [[maybe_unused]] int n,
                     [[maybe_unused]] const Arguments &arguments)
{
  if constexpr (N == 0) kernel<0, Row>(run, n, arguments);
}

// Executes a sweep of `count` tasks on a host, sequentially or by tasks.
template <detail::DoesTasks Sweep> void execute_tasks(const Run<HostExec> &run, const Sweep &sweep, Index count)
{
  if (run.algorithm == Algorithm::tasks) return detail::run_tasks<1>(run, sweep);
  for (Index t = 0; t < count; ++t) sweep.run(t);
}

} // namespace finegrain
