// How the groups or tasks of a schedule are run: free functions over (how to run, row function).
//
// natural and shuffle are loops of one host thread, launch is a kernel per group (on a device one for a chain of
// narrow groups), self is one kernel whose workers draw tasks by a ticket and wait for those that they need
// (tasks.hpp, task_flags.hpp). A worker is a thread on a host (host_work.hpp) and a team on a device (team_work.hpp).
// tile is the same as self on a host; on a device it is a kernel per level of tiles (tile_work.hpp), and launch where
// a row function does not go by tiles.
#pragma once

#include "run/host_work.hpp"
#include "run/team_work.hpp"
#include "run/tile_work.hpp"

namespace finegrain
{

namespace detail
{

// One kernel of launch on a device, launched or recorded.
template <class Bounds, class Exec, class Body>
void launch_teams(const Run<Exec> &run, Index teams, const Body &body, std::size_t of_team)
{
  const TeamShape shape = shape_on<Exec>(body.row);
  if constexpr (HasEnds<decltype(body.row)>)
    if (run.replay) {
      const ReplayedBody<Body> replayed{body, run.replay->ends()};
      run.replay->add(make_teams<ReplayedBody<Body>, Bounds>(run.exec, teams, shape, body.row, of_team), replayed);
      return;
    }
  Kokkos::parallel_for("finegrain::teams", make_teams<Body, Bounds>(run.exec, teams, shape, body.row, of_team), body);
}

template <int N, class Exec, class Row> void launch_group(const Run<Exec> &run, const Row &row, Index g)
{
  const Index first = run.group[g], last = run.group[g + 1];
  if constexpr (works_in_teams<Exec>) {
    const Index threads = shape_on<Exec>(row).threads;
    const std::size_t staged = staged_bytes(row, threads, run.longest);
    if (staged && run.copying) ++*run.copying;
    launch_teams<TeamBounds>(run, (last - first + threads - 1) / threads,
                             GroupBody<N, Exec, Row>{row, run.visit, first, last, int(staged)},
                             team_bytes(staged, threads));
  } else {
    const Index shares = std::min(Index(usable_threads(run.exec)), last - first);
    for_threads(run.exec, shares, HostShare<N, Row>{row, run.visit, first, last, shares});
  }
}

// A kernel for each cut of the groups: a group, or a chain of narrow ones.
template <int N, class Exec, class Row> void launch_cuts(const Run<Exec> &run, const Row &row)
{
  for (Index k = 0; k < run.kernels; ++k) {
    const Index first = run.cut[k], groups = run.cut[k + 1] - first;
    if (groups == 1) launch_group<N>(run, row, first);
    else launch_teams<LoneBounds>(run, 1, ChainBody<N, Exec, Row>{row, run.step + first, groups}, 0);
  }
  if (!run.replay) *run.launches += run.kernels;
}

// A kernel for each level of tiles.
template <int N, class Exec, class Row> void launch_tiles(const Run<Exec> &run, const Row &row)
{
  const TileLevels &tiles = run.tiles;
  const std::size_t space = tile_bytes(row, tiles.rows, tiles.entries);
  for (Index k = 0; k < tiles.count; ++k)
    launch_teams<TileBounds>(
      run, tiles.first[k + 1] - tiles.first[k],
      TileBody<N, Exec, Row>{row, tiles.range + tiles.first[k], tiles.step, tiles.columns, int(space)}, space);
  if (!run.replay) *run.launches += tiles.count;
}

template <int N, class Neighbors, class Exec, class Row> void run_team_tasks(const Run<Exec> &run, const Row &row)
{
  const TaskList &tasks = *run.tasks;
  const TeamShape shape = shape_on<Exec>(row);
  const Index teams =
    std::max(Index(1), std::min(tasks.count, Index(run.exec.concurrency() / (shape.threads * shape.lanes))));
  using Body = TeamBody<N, Exec, Row, Neighbors>;
  Kokkos::parallel_for("finegrain::teams",
                       make_teams<Body, TaskBounds<N, Row, Neighbors>>(run.exec, teams, shape, row, 0),
                       Body{row, tasks, run.progress->next()});
  run.progress->advance(tasks.count, teams);
}

template <int N, class Exec, class Row> void run_tasks(const Run<Exec> &run, const Row &row)
{
  [[maybe_unused]] const TaskList &tasks = *run.tasks;
  if constexpr (works_in_teams<Exec>) {
    if constexpr (Plain<Row>)
      if (row.arg.late) return run_team_tasks<N, Arriving>(run, row);
    run_team_tasks<N, Everywhere>(run, row);
  } else {
    const Index workers = std::min(tasks.count, Index(usable_threads(run.exec)));
    for_threads(run.exec, workers, ThreadBody<N, Row>{row, tasks, run.progress->next()});
    run.progress->advance(tasks.count, workers);
  }
}

} // namespace detail

template <int N, class Exec, class Row> void execute(const Run<Exec> &run, const Row &row)
{
  if (run.groups == 0) return;
  if (run.executor == ExecutorKind::self || (run.executor == ExecutorKind::tile && !works_in_teams<Exec>)) {
    if (run.tasks->count == 0) return; // groups may all be empty
    detail::run_tasks<N>(run, row);
    ++*run.launches;
    return;
  }
  if constexpr (!works_in_teams<Exec>) {
    if (run.executor == ExecutorKind::natural || run.executor == ExecutorKind::shuffle)
      return detail::visit_rows<N>(row, run.visit, run.group[0], run.group[run.groups]);
  } else if constexpr (detail::Plain<Row>) {
    if (run.tiles.count > 0) return detail::launch_tiles<N>(run, row);
    if (run.kernels > 0) return detail::launch_cuts<N>(run, row);
  }
  for (Index g = 0; g < run.groups; ++g) detail::launch_group<N>(run, row, g);
  if (!run.replay) *run.launches += run.groups;
}

// The same for a sweep that does `count` tasks, by natural or tile on a host.
template <detail::DoesTasks Sweep> void execute_tasks(const Run<HostExec> &run, const Sweep &sweep, Index count)
{
  if (run.executor == ExecutorKind::tile) {
    if (count == 0) return;
    detail::run_tasks<1>(run, sweep);
    ++*run.launches;
    return;
  }
  for (Index t = 0; t < count; ++t) sweep.run(t);
}

} // namespace finegrain
