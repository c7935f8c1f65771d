// What a team of a device does: its rows of a group, a chain of narrow groups, tasks; tile_work.hpp has tiles. A
// thread of the team takes a row, its lanes share it.
#pragma once

#include "run/run.hpp"
#include "run/staging.hpp"
#include "run/steps.hpp"
#include "run/teams.hpp"
#include "run/value_flags.hpp"

namespace finegrain::detail
{

// A worker (run.hpp) that is a team, whose rows find their neighbors' values Everywhere or Arriving.
template <int N, class Row, class Member, class Neighbors> struct Team {
  static constexpr bool waits_for_tasks = !Neighbors::arrive;
  const Row &row;
  const Member &member;
  Scalar *scratch; // of this thread

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

  template <class Wait> KOKKOS_FUNCTION void run(const TaskList &tasks, Index t, const Wait &wait) const
  {
    const Index begin = tasks.step_ptr[t];
    const Steps<N, Row, Member> steps{row, member, scratch, tasks.step + begin, tasks.step_ptr[t + 1] - begin};
    steps.template run<1>([](Index) { return Neighbors(); }, wait);
  }
};

template <int N, class Exec, class Row, class Neighbors> struct TeamBody {
  using Member = typename Kokkos::TeamPolicy<typename Exec::execution_space>::member_type;
  Row row;
  TaskList tasks;
  TaskFlags progress;

  KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    Scalar *scratch = take_scratch(member.thread_scratch(0), Row::scratch_size(row.n));
    work(tasks, progress, Team<N, Row, Member, Neighbors>{row, member, scratch});
  }
};

// launch: as many teams as the group needs. `replayed`: in a kernel of a graph, which waits for those ahead.
template <int N, class Exec, class Row> struct GroupBody {
  using Member = typename Kokkos::TeamPolicy<typename Exec::execution_space>::member_type;
  Row row;
  const Index *visit; // null: slots are as they come
  Index first, last;
  int staged; // bytes for the blocks of a row; 0: they are read where they are

  KOKKOS_FUNCTION void operator()(const Member &member) const { run<false>(member); }
  template <bool replayed> KOKKOS_FORCEINLINE_FUNCTION void run(const Member &member) const
  {
    const Index at = first + Index(member.league_rank()) * Index(member.team_size()) + Index(member.team_rank());
    const bool has_row = at < last;
    const Index slot = visit && has_row ? visit[at] : at;
    const TeamLanes<N, Member> lanes{row.n, member};
    if constexpr (Stages<Row>)
      if (staged) {
        const std::size_t of_row = std::size_t(staged);
        char *const space =
          take_lines(member, team_bytes(of_row, int(member.team_size()))) + std::size_t(member.team_rank()) * of_row;
        Row here = row;
        if (has_row) {
          const StoredBytes stored = here.stored(slot).whole_lines();
          if (std::size_t(stored.count) <= of_row) {
            const RowCopy<TeamLanes<N, Member>> sharing{lanes};
            begin_lines(sharing, stored.from, space, stored.count / line_bytes);
            end_copies(sharing);
            here.read_copy(stored, space);
          }
        }
        return run<replayed>(here, has_row, slot, lanes, member);
      }
    run<replayed>(row, has_row, slot, lanes, member);
  }

private:
  template <bool replayed> KOKKOS_FORCEINLINE_FUNCTION void run(const Row &here, bool has_row, Index slot,
                                                                const TeamLanes<N, Member> &lanes,
                                                                const Member &member) const
  {
    Scalar *scratch = take_scratch(member.thread_scratch(0), Row::scratch_size(row.n));
    if constexpr (replayed && LoadsEarly<Row>) {
      typename Row::Early held;
      if (has_row) here.begin(slot, lanes, Everywhere(), held);
      wait_for_kernels_ahead();
      if (has_row) here.finish(slot, lanes, scratch, Everywhere(), held);
    } else {
      if constexpr (replayed) wait_for_kernels_ahead();
      if (has_row) here(slot, lanes, scratch, Everywhere());
    }
  }
};

// launch: one team for groups that it does in a round each.
template <int N, class Exec, class Row> struct ChainBody {
  using Member = typename Kokkos::TeamPolicy<typename Exec::execution_space>::member_type;
  Row row;
  const Index *step; // first slot of each group
  Index count;

  KOKKOS_FUNCTION void operator()(const Member &member) const { run<false>(member); }
  template <bool replayed> KOKKOS_FORCEINLINE_FUNCTION void run(const Member &member) const
  {
    Scalar *scratch = take_scratch(member.thread_scratch(0), Row::scratch_size(row.n));
    const auto wait = [] {
      if constexpr (replayed) wait_for_kernels_ahead();
    };
    const Steps<N, Row, Member> steps{row, member, scratch, step, count};
    steps.template run<2>([](Index) { return Everywhere(); }, wait);
  }
};

// One of these for vectors that are known when it runs, in a kernel of a graph.
template <class Body> struct ReplayedBody {
  Body body;
  const Ends *ends;

  KOKKOS_FUNCTION void operator()(const typename Body::Member &member) const
  {
    let_next_kernel_begin();
    Body here = body;
    here.row.put_ends(*ends);
    here.template run<true>(member);
  }
};

// Where Kokkos passes a kernel larger than this in constant memory, it waits for the kernel before: a wait a kernel.
inline constexpr std::size_t most_kernel_bytes = 512;
// How much Kokkos adds to a body: policy, scratch and sizes.
inline constexpr std::size_t kokkos_kernel_bytes = 192;

// Bounds that leave registers for so many teams on a multiprocessor; 0: no bounds. They are those of one block as
// large as all these teams: Kokkos refuses a team if fewer than the bounds' blocks fit beside each other, as where
// scratch memory is taken by the row.
template <unsigned teams> using BoundsFor = Kokkos::LaunchBounds<teams *unsigned(team_lanes), (teams > 0)>;
// Five teams leave each lane 96 registers, and ptxas keeps 19 loads or more under way in sweeps, products and
// factorizations of 4, 5, 6 and 8 unknowns, without spills. Without bounds it reckons with teams of 1024 lanes and
// keeps 5 (docs/gpu.md). From the code it makes, not from times.
#if !defined(FINEGRAIN_TEAMS_PER_SM)
#define FINEGRAIN_TEAMS_PER_SM 5
#endif
static_assert(FINEGRAIN_TEAMS_PER_SM <= 8, "FINEGRAIN_TEAMS_PER_SM is 8 at most: bounds are those of one block");
using TeamBounds = BoundsFor<FINEGRAIN_TEAMS_PER_SM>;
// Of tasks whose rows load early, four at most: a round is loaded while other tasks are awaited, in 128 registers.
// Three where large blocks wait for values, which take registers too.
template <int N, class Row, class Neighbors> inline constexpr int most_task_teams = !LoadsEarly<Row>             ? 16
                                                                                    : Neighbors::arrive && N > 5 ? 3
                                                                                                                 : 4;
template <int N, class Row, class Neighbors> using TaskBounds =
  BoundsFor<unsigned(std::min(FINEGRAIN_TEAMS_PER_SM, most_task_teams<N, Row, Neighbors>))>;
// Of tiles, whose blocks are in scratch memory and not in registers.
using TileBounds = BoundsFor<8>;
using LoneBounds = BoundsFor<1>; // of a chain, which is one team

// A league of `teams` teams for Body, with scratch for the row function and bytes for each team.
template <class Body, class Bounds = TeamBounds, class Space, class Row>
auto make_teams(const Space &exec, Index teams, TeamShape shape, const Row &row, std::size_t of_team)
{
  using Policy = Kokkos::TeamPolicy<Space, Bounds>;
  static_assert(sizeof(Body) + kokkos_kernel_bytes < most_kernel_bytes, "This kernel is too large to pass by value");
#if defined(KOKKOS_ENABLE_CUDA)
  static_assert(sizeof(Kokkos::Impl::ParallelFor<Body, Policy, Space>) < most_kernel_bytes);
#endif
  Policy policy(exec, teams, shape.threads, shape.lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(ScratchBytes(of_team)),
                          Kokkos::PerThread(ScratchBytes(scratch_bytes(Row::scratch_size(row.n)))));
  return policy;
}

} // namespace finegrain::detail
