// How the groups or tasks of a schedule are run: free functions over (how to run, row function).
//
// natural and shuffle are loops of one host thread, launch is a kernel per group, self and tile are one kernel whose
// workers draw tasks by a ticket and wait for those that they need (tasks.hpp, task_flags.hpp). A worker is a thread
// on a host and a team on a device.
#pragma once

#include "run/neighbors.hpp"
#include "run/run.hpp"
#include "run/staging.hpp"
#include "run/teams.hpp"

namespace finegrain
{

namespace detail
{

// Scratch of one host lane. Bytes for a run-time block size, because the default constructor of Kokkos::complex would
// set every entry at every row.
template <class Row, int N> struct HostScratch {
  static constexpr int size = Row::scratch_size(N) > 0 ? Row::scratch_size(N) : 1;
  Scalar scalars[std::size_t(size)];
  KOKKOS_FORCEINLINE_FUNCTION Scalar *data() { return scalars; }
};
template <class Row> struct HostScratch<Row, 0> {
  static constexpr int size = Row::scratch_size(max_block) > 0 ? Row::scratch_size(max_block) : 1;
  alignas(64) unsigned char bytes[sizeof(Scalar) * std::size_t(size)];
  KOKKOS_FORCEINLINE_FUNCTION Scalar *data() { return reinterpret_cast<Scalar *>(bytes); }
};

// The loop of one host thread, which all executors of hosts share.
template <int N, class Row>
[[gnu::noinline]] KOKKOS_FUNCTION void run_rows(const Row &shared, Index first, Index last)
{
  const Row row = shared; // a copy of its own: stores of results cannot change it, so that it stays in registers
  for (Index slot = first; slot < last; ++slot) {
    HostScratch<Row, N> scratch;
    row(slot, HostLanes<N>{row.n}, scratch.data(), Everywhere());
  }
}

// Row functions of hosts that have memory of their own for each thread: of_thread(i) is theirs.
template <class Row> KOKKOS_FORCEINLINE_FUNCTION Row of_thread(const Row &row, [[maybe_unused]] Index thread)
{
  if constexpr (requires { row.of_thread(thread); }) return row.of_thread(thread);
  else return row;
}

// The slots visit[first] to visit[last - 1]; null: first to last - 1.
template <int N, class Row>
KOKKOS_FORCEINLINE_FUNCTION void visit_rows(const Row &row, const Index *visit, Index first, Index last)
{
  if (!visit) return run_rows<N>(row, first, last);
  for (Index i = first; i < last; ++i) run_rows<N>(row, visit[i], visit[i] + 1);
}

// The share of one thread in a group.
template <int N, class Row> struct HostShare {
  Row row;
  const Index *visit;
  Index first, last, shares;

  void operator()(const Index i) const
  {
    const auto cut = [&](Index share) { return first + Index(Offset(last - first) * share / shares); };
    visit_rows<N>(of_thread(row, i), visit, cut(i), cut(i + 1));
  }
};

// What a worker does: tasks until none is left. The text is the same for one host thread and for a team.
template <class Worker>
KOKKOS_FORCEINLINE_FUNCTION void work(const TaskList &tasks, const TaskFlags &progress, const Worker &worker)
{
  for (;;) {
    const Index t = Index(worker.draw(progress));
    if (t < 0 || t >= tasks.count) return;
    stress();
    const Index first = tasks.wait_ptr[t], last = tasks.wait_ptr[t + 1];
    worker.each(first, last, [&](Index w) { progress.await(tasks.wait[w]); });
    if (first < last) progress.acquire();
    worker.barrier();
    worker.run(tasks, t);
    worker.barrier();
    worker.once([&]() { progress.publish(t); });
  }
}

// A sweep that does a task by itself: run(t), without slots.
template <class Row>
concept DoesTasks = requires(const Row &row)
{
  row.run(Index());
};

template <int N, class Row> struct Thread {
  const Row &row;

  KOKKOS_FORCEINLINE_FUNCTION unsigned draw(const TaskFlags &progress) const { return progress.draw(); }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void each(Index first, Index last, const F &f) const
  {
    for (Index i = first; i < last; ++i) f(i);
  }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const {}
#if defined(__CUDACC__)
#pragma nv_exec_check_disable // sweeps that do tasks are the host's
#endif
  KOKKOS_FORCEINLINE_FUNCTION void run(const TaskList &tasks, Index t) const
  {
    if constexpr (DoesTasks<Row>) row.run(t);
    else run_rows<N>(row, tasks.slot[t], tasks.slot[t + 1]);
  }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void once(const F &f) const { f(); }
};

template <int N, class Row> struct ThreadBody {
  Row row;
  TaskList tasks;
  TaskFlags progress;
  void operator()(const Index i) const
  {
    const Row mine = of_thread(row, i);
    work(tasks, progress, Thread<N, Row>{mine});
  }
};

// The threads of a team, each with its vector lanes: a thread takes a row, its lanes share it.
template <int N, class Row, class Member> struct Team {
  const Row &row;
  const Member &member;
  const Index *tile_columns; // null: neighbors are read from global memory
  Scalar *scratch;           // of this thread
  Scalar *tile_rows;         // of the team

  KOKKOS_FUNCTION unsigned draw(const TaskFlags &progress) const
  {
    unsigned t = 0;
    Kokkos::single(
      Kokkos::PerTeam(member), [&](unsigned &drawn) { drawn = progress.draw(); }, t);
    return t;
  }
  template <class F> KOKKOS_FUNCTION void each(Index first, Index last, const F &f) const
  {
    for (Index i = first + Index(member.team_rank()); i < last; i += Index(member.team_size())) f(i);
  }
  KOKKOS_FUNCTION void barrier() const { member.team_barrier(); }
  template <class F> KOKKOS_FUNCTION void once(const F &f) const { Kokkos::single(Kokkos::PerTeam(member), f); }

  KOKKOS_FUNCTION void run(const TaskList &tasks, Index t) const
  {
    for (Index s = tasks.step_ptr[t]; s < tasks.step_ptr[t + 1]; ++s) {
      if (s > tasks.step_ptr[t]) barrier();
      each(tasks.step[s], tasks.step[s + 1], [&](Index slot) {
        if constexpr (Row::keeps_tile) {
          if (tile_columns) {
            row(slot, lanes(), scratch, InTile{tile_columns, tile_rows, slot - tasks.slot[t]});
            return;
          }
        }
        row(slot, lanes(), scratch, Everywhere());
      });
    }
  }

private:
  KOKKOS_FUNCTION TeamLanes<N, Member> lanes() const { return {row.n, member}; }
};

// Scratch for this many scalars. By reference: taking some moves the space's own mark.
template <class Space> KOKKOS_FUNCTION Scalar *take_scratch(const Space &space, int scalars)
{
  if (scalars == 0) return nullptr;
  return static_cast<Scalar *>(space.get_shmem_aligned(sizeof(Scalar) * std::size_t(scalars), sizeof(Scalar)));
}

template <int N, class Exec, class Row> struct TeamBody {
  using Member = typename Kokkos::TeamPolicy<typename Exec::execution_space>::member_type;
  Row row;
  TaskList tasks;
  TaskFlags progress;
  const Index *tile_columns;

  KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    Scalar *tile_rows = take_scratch(member.team_scratch(0), tile_columns ? tasks.most_rows * row.n : 0);
    Scalar *scratch = take_scratch(member.thread_scratch(0), Row::scratch_size(row.n));
    work(tasks, progress, Team<N, Row, Member>{row, member, tile_columns, scratch, tile_rows});
  }
};

// Row functions that take neighbors which come late.
template <class Row>
concept LoadsEarly = Row::loads_early;

// launch on a device: as many teams as the group needs.
template <int N, class Exec, class Row> struct GroupBody {
  using Member = typename Kokkos::TeamPolicy<typename Exec::execution_space>::member_type;
  Row row;
  const Index *visit; // null: slots are as they come
  Index first, last;
  int staged; // bytes for the blocks of a team; 0: they are read where they are

  KOKKOS_FUNCTION void operator()(const Member &member) const { run(member, Everywhere()); }
  template <class Neighbors>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Member &member, const Neighbors &neighbors) const
  {
    const Index rows = Index(member.team_size()), begin = first + Index(member.league_rank()) * rows;
    if constexpr (Stages<Row>)
      if (staged) {
        Row here = row;
        const StoredBytes stored = here.stored(begin, begin + rows < last ? begin + rows : last);
        const std::size_t space = std::size_t(staged);
        if (stored.fit(space))
          here.read_copy(stored,
                         stage_bytes(member, stored, member.team_scratch(0).get_shmem_aligned(space, line_bytes)));
        return run(here, begin, member, neighbors);
      }
    run(row, begin, member, neighbors);
  }

private:
  template <class Neighbors> KOKKOS_FORCEINLINE_FUNCTION void run(const Row &here, Index begin, const Member &member,
                                                                  const Neighbors &neighbors) const
  {
    const Index at = begin + Index(member.team_rank());
    Scalar *scratch = take_scratch(member.thread_scratch(0), Row::scratch_size(row.n));
    if constexpr (Neighbors::come_late && !LoadsEarly<Row>) neighbors.ready();
    using Given = std::conditional_t<Neighbors::come_late && !LoadsEarly<Row>, Everywhere, Neighbors>;
    if (at < last) here(visit ? visit[at] : at, TeamLanes<N, Member>{row.n, member}, scratch, Given());
    else if constexpr (Given::come_late) neighbors.ready();
  }
};

// The same for vectors that are known when it runs, in a kernel of a graph.
template <class Group> struct ReplayedBody {
  Group group;
  const Ends *ends;

  KOKKOS_FUNCTION void operator()(const typename Group::Member &member) const
  {
    let_next_kernel_begin();
    Group here = group;
    here.row.put_ends(*ends);
    here.run(member, AfterKernels());
  }
};

// Emulated devices have one lane a thread, and OpenMP's teams 32 KiB of scratch.
template <class Exec, class Row> TeamShape shape_on(const Row &row)
{
  static_assert(fits_or_says_so<Row>(), "A team of a device has too little scratch for this row function");
  if constexpr (builds_device && std::is_same_v<typename Exec::execution_space, HostExec>)
    return {Exec().concurrency() > 1 && scratch_bytes(Row::scratch_size(row.n)) <= 9 * 1024 ? 2 : 1, 1};
  return shape_team<Row>(row.n);
}

// Where Kokkos passes a kernel larger than this in constant memory, it waits for the kernel before: a wait a kernel.
inline constexpr std::size_t most_kernel_bytes = 512;
// How much Kokkos adds to a body: policy, scratch and sizes.
inline constexpr std::size_t kokkos_kernel_bytes = 192;

// Teams that a multiprocessor shall hold at once, for ptxas; 0: no bounds. Five leave each lane 96 registers, and
// ptxas keeps 19 loads or more under way in sweeps, products and factorizations of 4, 5, 6 and 8 unknowns, without
// spills. Without bounds it reckons with teams of 1024 lanes and keeps 5 (docs/gpu.md). From the code it makes, not
// from times.
#if !defined(FINEGRAIN_TEAMS_PER_SM)
#define FINEGRAIN_TEAMS_PER_SM 5
#endif
using TeamBounds = Kokkos::LaunchBounds<FINEGRAIN_TEAMS_PER_SM ? team_lanes : 0, FINEGRAIN_TEAMS_PER_SM>;

// A league of `teams` teams for Body, with scratch for the row function and bytes for each team.
template <class Body, class Space, class Row>
auto make_teams(const Space &exec, Index teams, TeamShape shape, const Row &row, std::size_t of_team)
{
  using Policy = Kokkos::TeamPolicy<Space, TeamBounds>;
  static_assert(sizeof(Body) + kokkos_kernel_bytes < most_kernel_bytes, "This kernel is too large to pass by value");
#if defined(KOKKOS_ENABLE_CUDA)
  static_assert(sizeof(Kokkos::Impl::ParallelFor<Body, Policy, Space>) < most_kernel_bytes);
#endif
  Policy policy(exec, teams, shape.threads, shape.lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(ScratchBytes(of_team)),
                          Kokkos::PerThread(ScratchBytes(scratch_bytes(Row::scratch_size(row.n)))));
  return policy;
}

template <int N, class Exec, class Row> void launch_group(const Run<Exec> &run, const Row &row, Index g)
{
  const Index first = run.group[g], last = run.group[g + 1];
  if constexpr (works_in_teams<Exec>) {
    using Body = GroupBody<N, Exec, Row>;
    const TeamShape shape = shape_on<Exec>(row);
    const Index teams = (last - first + shape.threads - 1) / shape.threads;
    const std::size_t staged = run.visit ? 0 : staged_bytes(row, shape.threads, run.longest);
    const Body body{row, run.visit, first, last, int(staged)};
    if (staged && run.copying) ++*run.copying;
    if constexpr (HasEnds<Row>)
      if (run.replay) {
        const ReplayedBody<Body> replayed{body, run.replay->ends()};
        run.replay->add(make_teams<ReplayedBody<Body>>(run.exec, teams, shape, row, staged), replayed);
        return;
      }
    Kokkos::parallel_for("finegrain::teams", make_teams<Body>(run.exec, teams, shape, row, staged), body);
  } else {
    const Index shares = std::min(Index(usable_threads(run.exec)), last - first);
    for_threads(run.exec, shares, HostShare<N, Row>{row, run.visit, first, last, shares});
  }
}

template <int N, class Exec, class Row> void run_tasks(const Run<Exec> &run, const Row &row)
{
  const TaskList &tasks = *run.tasks;
  if constexpr (works_in_teams<Exec>) {
    const TeamShape shape = shape_on<Exec>(row);
    const Index *tile_columns = Row::keeps_tile ? run.tile_columns : nullptr;
    const Index teams =
      std::max(Index(1), std::min(tasks.count, Index(run.exec.concurrency() / (shape.threads * shape.lanes))));
    using Body = TeamBody<N, Exec, Row>;
    Kokkos::parallel_for(
      "finegrain::teams",
      make_teams<Body>(run.exec, teams, shape, row, scratch_bytes(tile_columns ? tasks.most_rows * row.n : 0)),
      Body{row, tasks, run.progress->next(), tile_columns});
    run.progress->advance(tasks.count, teams);
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
  if (run.executor == ExecutorKind::self || run.executor == ExecutorKind::tile) {
    if (run.tasks->count == 0) return; // groups may all be empty
    detail::run_tasks<N>(run, row);
    ++*run.launches;
    return;
  }
  if constexpr (!works_in_teams<Exec>) {
    if (run.executor == ExecutorKind::natural || run.executor == ExecutorKind::shuffle)
      return detail::visit_rows<N>(row, run.visit, run.group[0], run.group[run.groups]);
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
