// How the groups of a schedule are run: free functions over (how to run, row function).
#pragma once

#include "recipe.hpp"

namespace finegrain
{

// One run over the slots of all groups, group after group. Nothing here is allocated per run.
template <class Exec> struct Run {
  Exec         exec;
  ExecutorKind executor = ExecutorKind::natural; // never automatic
  const Index *group    = nullptr;               // first slot of each group, and the end of the last; on the host
  Index        groups   = 0;
  const Index *visit    = nullptr; // shuffle: the slots of each group in the order of visits; null: in order
  Offset      *launches = nullptr; // counts kernels
};

namespace detail
{

// Scratch of one host lane. Bytes for a run-time block size, because the default constructor of Kokkos::complex would
// set every entry at every row.
template <class Row, int N> struct HostScratch {
  static constexpr int                size = Row::scratch_size(N) > 0 ? Row::scratch_size(N) : 1;
  Scalar                              scalars[std::size_t(size)];
  KOKKOS_FORCEINLINE_FUNCTION Scalar *data() { return scalars; }
};
template <class Row> struct HostScratch<Row, 0> {
  static constexpr int size = Row::scratch_size(max_block) > 0 ? Row::scratch_size(max_block) : 1;
  alignas(64) unsigned char bytes[sizeof(Scalar) * std::size_t(size)];
  KOKKOS_FORCEINLINE_FUNCTION Scalar *data() { return reinterpret_cast<Scalar *>(bytes); }
};

template <int N, class Row> KOKKOS_FORCEINLINE_FUNCTION void run_host_row(const Row &row, Index slot)
{
  HostScratch<Row, N> scratch;
  row(slot, HostLanes<N>{row.n}, scratch.data());
}

template <int N, class Row> struct HostBody {
  Row                  row;
  KOKKOS_FUNCTION void operator()(const Index slot) const { run_host_row<N>(row, slot); }
};

// A thread of the team takes a row, its vector lanes share it.
template <int N, class Exec, class Row> struct TeamBody {
  Row   row;
  Index first, last;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const Index slot = first + Index(member.league_rank()) * Index(member.team_size()) + Index(member.team_rank());
    const int   size = Row::scratch_size(row.n);
    Scalar     *scratch =
      size ? static_cast<Scalar *>(member.thread_scratch(0).get_shmem(sizeof(Scalar) * std::size_t(size))) : nullptr;
    if (slot < last) row(slot, TeamLanes<N, Member>{row.n, member}, scratch);
  }
};

inline int lanes_for(int parallelism)
{
  int lanes = 1;
  while (lanes < parallelism && lanes < 32) lanes *= 2;
  return lanes;
}

} // namespace detail

// natural and shuffle: one thread of the host.
template <int N, class Row> void run_sequential(const Row &shared, Index first, Index last, const Index *visit)
{
  const Row row = shared; // a copy of its own: stores of results cannot change it, so that it stays in registers
  if (visit)
    for (Index i = first; i < last; ++i) detail::run_host_row<N>(row, visit[i]);
  else
    for (Index slot = first; slot < last; ++slot) detail::run_host_row<N>(row, slot);
}

// launch on a device: a kernel of teams per group, ordered by the execution space's queue.
template <int N, class Exec, class Row> void launch_teams(const Exec &exec, const Row &row, Index first, Index last)
{
  using Policy      = Kokkos::TeamPolicy<Exec>;
  const int   n     = row.n;
  const int   lanes = runs_on_host<Exec> ? 1 : detail::lanes_for(Row::parallelism(n));
  const int   team  = runs_on_host<Exec> ? 1 : 128 / lanes;
  const Index teams = (last - first + team - 1) / team;
  Policy      policy(exec, teams, team, lanes);
  const int   bytes = static_cast<int>(sizeof(Scalar)) * Row::scratch_size(n) + static_cast<int>(alignof(Scalar));
  policy.set_scratch_size(0, Kokkos::PerThread(static_cast<ScratchBytes>(bytes)));
  Kokkos::parallel_for("finegrain::group", policy, detail::TeamBody<N, Exec, Row>{row, first, last});
}

// launch on a host: a range of rows per group.
template <int N, class Exec, class Row> void launch_range(const Exec &exec, const Row &row, Index first, Index last)
{
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
  Kokkos::parallel_for("finegrain::group", Policy(exec, first, last), detail::HostBody<N, Row>{row});
}

template <int N, class Exec, class Row> void execute(const Run<Exec> &run, const Row &row)
{
  if (run.groups == 0) return;
  if constexpr (runs_on_host<Exec>) {
    if (run.executor != ExecutorKind::launch) {
      run_sequential<N>(row, run.group[0], run.group[run.groups], run.visit);
      return;
    }
  }
  for (Index g = 0; g < run.groups; ++g) {
    if constexpr (runs_on_host<Exec>) launch_range<N>(run.exec, row, run.group[g], run.group[g + 1]);
    else launch_teams<N>(run.exec, row, run.group[g], run.group[g + 1]);
  }
  *run.launches += run.groups;
}

} // namespace finegrain
