// SPDX-License-Identifier: BSD-2-Clause
// Work of a device's team: its rows of a group, or tasks. A thread of the team computes a row with its lanes.
#pragma once

#include "base/block.hpp"
#include "run/run.hpp"
#include "run/teams.hpp"

namespace finegrain::detail
{

// Allocates scratch for `scalars` scalars. `space` is a reference, because allocation moves its mark.
template <class Space> KOKKOS_FUNCTION Scalar *allocate_scratch(const Space &space, int scalars)
{
  if (scalars == 0) return nullptr;
  return static_cast<Scalar *>(space.get_shmem_aligned(sizeof(Scalar) * std::size_t(scalars), sizeof(Scalar)));
}

// Returns true if the row function lists the data that it reads besides results of other rows.
template <class Row> consteval bool prefetches()
{
  if constexpr (requires { Row::prefetches; }) return Row::prefetches;
  else return false;
}

// A worker (run.hpp) that is a team.
template <int N, class Row, class Member> struct Team {
  const Row &row;
  const Member &member;
  Scalar *scratch; // scratch of this thread

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
  // Before a team waits for other tasks, it prefetches all data except their results into the second-level cache of
  // a GPU (docs/tuning.md, GPU).
  KOKKOS_FUNCTION void prepare([[maybe_unused]] const TaskList &tasks, [[maybe_unused]] Index t) const
  {
#if defined(FINEGRAIN_ON_DEVICE)
    if constexpr (prefetches<Row>()) {
      constexpr std::size_t line = 64;
      const Index first = tasks.set_first[tasks.set_ptr[t]], last = tasks.set_first[tasks.set_ptr[t + 1]];
      row.reads(first, last, [&](const void *from, std::size_t bytes) {
        Kokkos::parallel_for(Kokkos::TeamVectorRange(member, int((bytes + line - 1) / line)), [&](int i) {
          on_device::prefetch_line(static_cast<const char *>(from) + std::size_t(i) * line);
        });
      });
      Kokkos::parallel_for(Kokkos::TeamVectorRange(member, last - first),
                           [&](int i) { on_device::prefetch_line(row.begins_with(first + i)); });
    }
#endif
  }
  KOKKOS_FUNCTION void barrier() const { member.team_barrier(); }
  template <class F> KOKKOS_FUNCTION void once(const F &f) const { Kokkos::single(Kokkos::PerTeam(member), f); }

  // Executes the level sets of a task one after the other.
  KOKKOS_FUNCTION void run(const TaskList &tasks, Index t) const
  {
    const TeamLanes<N, Member> lanes{row.n, member};
    for (Index s = tasks.set_ptr[t]; s < tasks.set_ptr[t + 1]; ++s) {
      if (s > tasks.set_ptr[t]) member.team_barrier();
      each(tasks.set_first[s], tasks.set_first[s + 1], [&](Index sweep_index) { row(sweep_index, lanes, scratch); });
    }
  }
};

template <int N, class Exec, class Row> struct TeamBody {
  using Member = typename Kokkos::TeamPolicy<typename Exec::execution_space>::member_type;
  Row row;
  TaskList tasks;
  TaskFlags progress;

  KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    Scalar *scratch = allocate_scratch(member.thread_scratch(0), Row::scratch_size(row.n));
    work(tasks, progress, Team<N, Row, Member>{row, member, scratch});
  }
};

// Kernel of algorithm levels, with as many teams as the group needs.
template <int N, class Exec, class Row> struct GroupBody {
  using Member = typename Kokkos::TeamPolicy<typename Exec::execution_space>::member_type;
  Row row;
  const Index *visit; // null: sweep indices ascend
  Index first, last;

  KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const Index at = first + Index(member.league_rank()) * Index(member.team_size()) + Index(member.team_rank());
    if (at >= last) return;
    Scalar *scratch = allocate_scratch(member.thread_scratch(0), Row::scratch_size(row.n));
    row(visit ? visit[at] : at, TeamLanes<N, Member>{row.n, member}, scratch);
  }
};

// Limit of a kernel's size. Kokkos passes larger kernels in constant memory, and then waits for the previous kernel
// each time.
inline constexpr std::size_t most_kernel_bytes = 512;
// Bytes that Kokkos adds to a body: policy, scratch and sizes.
inline constexpr std::size_t kokkos_kernel_bytes = 192;

// Launch bounds of teams; 0: none. Five teams on a multiprocessor leave 96 registers for each lane. ptxas then keeps
// at least 19 loads in flight in sweeps, products and factorizations of 4, 5, 6 and 8 unknowns, without spills.
// Without bounds it assumes teams of 1024 lanes and keeps 5. These numbers are from the generated code, not from
// times. The bounds are those of one block as large as all these teams: Kokkos refuses a team if fewer blocks fit at
// once than the bounds request, for example because each row needs scratch memory.
#if !defined(FINEGRAIN_TEAMS_PER_SM)
#define FINEGRAIN_TEAMS_PER_SM 5
#endif
static_assert(FINEGRAIN_TEAMS_PER_SM <= 8, "FINEGRAIN_TEAMS_PER_SM is 8 at most: bounds are those of one block");
using TeamBounds = Kokkos::LaunchBounds<FINEGRAIN_TEAMS_PER_SM *unsigned(team_lanes), (FINEGRAIN_TEAMS_PER_SM > 0)>;

// Returns the policy of `teams` teams for Body, with scratch for the row function.
template <class Body, class Space, class Row>
auto make_teams(const Space &exec, Index teams, TeamShape shape, const Row &row)
{
  using Policy = Kokkos::TeamPolicy<Space, TeamBounds>;
  static_assert(sizeof(Body) + kokkos_kernel_bytes < most_kernel_bytes, "This kernel is too large to pass by value");
#if defined(FINEGRAIN_GPU)
  static_assert(sizeof(Kokkos::Impl::ParallelFor<Body, Policy, Space>) < most_kernel_bytes);
#endif
  Policy policy(exec, teams, shape.threads, shape.lanes);
  policy.set_scratch_size(0, Kokkos::PerThread(ScratchBytes(scratch_bytes(Row::scratch_size(row.n)))));
  return policy;
}

} // namespace finegrain::detail
