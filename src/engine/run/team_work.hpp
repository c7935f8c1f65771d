// What a team of a device does: its rows of a group, a chain of narrow groups, tasks; tile_work.hpp has tiles. A
// thread of the team takes a row, its lanes share it.
#pragma once

#include "run/neighbors.hpp"
#include "run/run.hpp"
#include "run/staging.hpp"
#include "run/teams.hpp"

namespace finegrain::detail
{

// Scratch for this many scalars. By reference: taking some moves the space's own mark.
template <class Space> KOKKOS_FUNCTION Scalar *take_scratch(const Space &space, int scalars)
{
  if (scalars == 0) return nullptr;
  return static_cast<Scalar *>(space.get_shmem_aligned(sizeof(Scalar) * std::size_t(scalars), sizeof(Scalar)));
}

// Row functions that load what no other row writes, by begin(), before the rows they need are done, and do the rest
// by finish() (kernels/early.hpp).
template <class Row>
concept LoadsEarly = requires
{
  requires Row::loads_early;
};

template <class Row, bool ahead> struct EarlyOf {
  using type = NothingEarly;
};
template <LoadsEarly Row> struct EarlyOf<Row, true> {
  using type = typename Row::Early;
};

// Row functions whose narrow groups share a kernel, and which may be done by tiles.
template <class Row>
concept Plain = requires
{
  requires Row::is_plain;
};

// The rows of a step that a team does at once: slots first to first + threads - 1, below `last`.
struct Round {
  Index step, first, last, next_last; // next_last: the end of the next step, asked for in time
};

// Several steps by one team; rows depend on those of earlier steps only.
template <int N, class Row, class Member> struct Steps {
  const Row &row;
  const Member &member;
  Scalar *scratch;   // of this thread
  const Index *step; // slots of step s: step[s] to step[s + 1] - 1
  Index count;

  // Before the first row that needs others, all lanes call wait(). find(slot): where its neighbors are found. With
  // `held` 1 rows load a round early, once the round before is done; with 2, in registers for two, before that.
  template <int held, class Early = typename EarlyOf<Row, (held > 0)>::type, class Find, class Wait>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Find &find, const Wait &wait) const
  {
    if (count <= 0) return wait();
    Early one;
    [[maybe_unused]] std::conditional_t<(held > 1), Early, NothingEarly> two;
    Round at{0, step[0], step[1], step[count > 1 ? 2 : 1]};
    begin(at, find, one);
    wait();
    if constexpr (held > 1 && LoadsEarly<Row>) {
      while (turn<true>(at, find, one, two) && turn<true>(at, find, two, one)) continue;
    } else {
      while (turn<false>(at, find, one, one)) continue;
    }
  }

private:
  // False: there are no more.
  template <bool twice, class Find, class Loaded>
  KOKKOS_FORCEINLINE_FUNCTION bool turn(Round &at, const Find &find, Loaded &early, Loaded &next) const
  {
    Round then = at;
    then.first += Index(member.team_size());
    const bool new_step = then.first >= at.last;
    if (new_step) {
      const Index s = at.step + 1;
      then = {s, at.last, at.next_last, step[s + 2 < count ? s + 2 : count]};
    }
    const bool more = then.step < count;
    if (twice && more) begin(then, find, next);
    finish(at, find, early);
    if (!twice && more) begin(then, find, next);
    if (more && new_step) member.team_barrier();
    at = then;
    return more;
  }
  template <class Find, class Loaded> KOKKOS_FORCEINLINE_FUNCTION void begin([[maybe_unused]] const Round &at,
                                                                             [[maybe_unused]] const Find &find,
                                                                             [[maybe_unused]] Loaded &early) const
  {
    if constexpr (!std::is_same_v<Loaded, NothingEarly>)
      if (const Index slot = mine(at); slot < at.last) row.begin(slot, lanes(), find(slot), early);
  }
  template <class Find, class Loaded>
  KOKKOS_FORCEINLINE_FUNCTION void finish(const Round &at, const Find &find,
                                          [[maybe_unused]] const Loaded &early) const
  {
    const Index slot = mine(at);
    if (slot >= at.last) return;
    if constexpr (!std::is_same_v<Loaded, NothingEarly>) row.finish(slot, lanes(), scratch, find(slot), early);
    else row(slot, lanes(), scratch, find(slot));
  }
  KOKKOS_FORCEINLINE_FUNCTION Index mine(const Round &at) const { return at.first + Index(member.team_rank()); }
  KOKKOS_FORCEINLINE_FUNCTION TeamLanes<N, Member> lanes() const { return {row.n, member}; }
};

// A worker (run.hpp) that is a team.
template <int N, class Row, class Member> struct Team {
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
    steps.template run<1>([](Index) { return Everywhere(); }, wait);
  }
};

template <int N, class Exec, class Row> struct TeamBody {
  using Member = typename Kokkos::TeamPolicy<typename Exec::execution_space>::member_type;
  Row row;
  TaskList tasks;
  TaskFlags progress;

  KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    Scalar *scratch = take_scratch(member.thread_scratch(0), Row::scratch_size(row.n));
    work(tasks, progress, Team<N, Row, Member>{row, member, scratch});
  }
};

// launch: as many teams as the group needs. `replayed`: in a kernel of a graph, which waits for those ahead.
template <int N, class Exec, class Row> struct GroupBody {
  using Member = typename Kokkos::TeamPolicy<typename Exec::execution_space>::member_type;
  Row row;
  const Index *visit; // null: slots are as they come
  Index first, last;
  int staged; // bytes for the blocks of a team; 0: they are read where they are

  KOKKOS_FUNCTION void operator()(const Member &member) const { run<false>(member); }
  template <bool replayed> KOKKOS_FORCEINLINE_FUNCTION void run(const Member &member) const
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
        return run<replayed>(here, begin, member);
      }
    run<replayed>(row, begin, member);
  }

private:
  template <bool replayed>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Row &here, Index begin, const Member &member) const
  {
    const Index at = begin + Index(member.team_rank());
    const bool has_row = at < last;
    const Index slot = visit && has_row ? visit[at] : at;
    const TeamLanes<N, Member> lanes{row.n, member};
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
using TeamBounds = BoundsFor<FINEGRAIN_TEAMS_PER_SM>;
// Of tasks whose rows load early, four at most: a round is loaded while other tasks are awaited, in 128 registers.
template <class Row> using TaskBounds =
  BoundsFor<unsigned(std::min(FINEGRAIN_TEAMS_PER_SM, LoadsEarly<Row> ? 4 : 16))>;
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
