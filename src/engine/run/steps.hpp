// Steps of rows that one team of a device does one after another, a thread of the team a row at a time, and what a
// row function says of itself to teams.
#pragma once

#include "base/block.hpp"
#include "run/neighbors.hpp"

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

} // namespace finegrain::detail
