// What a team of a device does for tile: a tile by itself, step after step. A kernel does the tiles of a level, which
// need none of each other, so that there are as many waits for others as levels of tiles, not of rows.
//
// In: a plain row function (sweep.hpp). What the tile has in the arrays of the sweep, one range of each, is copied
// into scratch memory at once, in a graph before the wait for the kernels ahead; the values of other tiles, for each
// entry, after it. The steps find all they need there.
#pragma once

#include "run/run.hpp"
#include "run/staging.hpp"
#include "run/steps.hpp"
#include "run/teams.hpp"

namespace finegrain::detail
{

// Scratch that a team needs for a tile of so many rows and entries: values of rows and entries, steps, copies.
// Plans count no less (most_tile_bytes()).
template <class Row> std::size_t tile_bytes(Row row, Index rows, Index entries)
{
  std::size_t bytes = copied_bytes(sizeof(Scalar) * std::size_t(rows + entries) * std::size_t(int(row.n))) +
                      copied_bytes(sizeof(Index) * std::size_t(rows + 1)) + line_bytes;
  const Index any = 0;
  row.arg.row_of = &any;
  row.each_array(0, rows, 0, entries, nullptr, [&](const auto *array, Offset begin, Offset end) {
    bytes += copied_bytes(sizeof(*array) * std::size_t(end - begin));
    return array;
  });
  return bytes;
}

// That a team has beside the scratch of its threads; OpenMP's teams, of an emulated device, have 32 KiB.
template <class Exec, class Row> std::size_t tile_room(const Row &row)
{
  constexpr bool emulated = std::is_same_v<typename Exec::execution_space, HostExec>;
  constexpr std::size_t whole = emulated ? 31 * 1024 : team_scratch - kokkos_bytes;
  const std::size_t threads = std::size_t(shape_on<Exec>(row).threads),
                    of_threads = threads * (scratch_bytes(Row::scratch_size(row.n)) + kokkos_thread_bytes);
  return whole - std::min(whole, of_threads);
}

template <int N, class Exec, class Row> struct TileBody {
  using Member = typename Kokkos::TeamPolicy<typename Exec::execution_space>::member_type;
  Row row;
  const TileRange *tiles; // of this kernel
  const Index *step, *columns;
  int space; // bytes

  KOKKOS_FUNCTION void operator()(const Member &member) const { run<false>(member); }
  template <bool replayed> KOKKOS_FORCEINLINE_FUNCTION void run(const Member &member) const
  {
    const TileRange tile = tiles[member.league_rank()];
    const Index from = tile.slot, to = tile.last_slot, begin = tile.entry, end = tile.last_entry;
    const int n = row.n;
    const TeamCopy<Member> sharing{member};
    char *free = take_lines(member, std::size_t(space));
    Scalar *const rows = reinterpret_cast<Scalar *>(free), *const others = rows + (to - from) * n;
    free += copied_bytes(sizeof(Scalar) * std::size_t(to - from + end - begin) * std::size_t(n));
    const auto copy = [&](const auto *array, Offset a, Offset b) FINEGRAIN_INLINE {
      const StoredBytes stored = stored_bytes(array, 1, a, b);
      const char *const there = begin_copy(sharing, stored, free);
      free += copied_bytes(std::size_t(stored.count));
      return static_cast<decltype(array)>(move_blocks(array, stored, there));
    };
    const TeamLanes<N, Member> lanes{row.n, member};
    // n values for each i, whose place is find(i); null: for none.
    const auto gather = [&](Index first_of, Index last_of, Scalar *values, const auto &find) FINEGRAIN_INLINE {
      for (Index i = first_of + Index(member.team_rank()); i < last_of; i += Index(member.team_size()))
        if (const Scalar *const source = find(i))
          lanes.strips([=](auto s)
                         FINEGRAIN_INLINE { begin_copy(source + s.first, values + (i - first_of) * n + s.first); });
    };
    const auto gather_right_sides = [&]() FINEGRAIN_INLINE {
      gather(from, to, rows, [&](Index s) FINEGRAIN_INLINE { return row.right_side(s); });
    };
    Row here = row;
    here.each_array(from, to, begin, end, columns, copy);
    const Index *const steps_here = copy(step, tile.step, tile.last_step + 1) + tile.step;
    if constexpr (!Row::right_side_waits) gather_right_sides();
    end_copies(sharing);
    if constexpr (replayed) wait_for_kernels_ahead();
    if constexpr (Row::right_side_waits) gather_right_sides();
    gather(begin, end, others, [&](Index e) FINEGRAIN_INLINE {
      const Index c = here.arg.col[e];
      return c >= 0 ? row.neighbor_values() + Offset(c) * n : nullptr;
    });
    end_copies(sharing);

    Scalar *scratch = take_scratch(member.thread_scratch(0), Row::scratch_size(n));
    const Steps<N, Row, Member> steps{here, member, scratch, steps_here, tile.last_step - tile.step};
    const auto in_tile = [=](Index s) FINEGRAIN_INLINE {
      return InTile{{}, rows, others - Offset(begin) * n, s - from};
    };
    const auto nothing = [] {};
    if constexpr (LoadsEarly<Row>) steps.template run<1, typename Row::EarlyInTile>(in_tile, nothing);
    else steps.template run<0>(in_tile, nothing);
  }
};

} // namespace finegrain::detail
