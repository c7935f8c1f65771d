// Blocks that a team of a device copies into its scratch memory, where its rows then read them. A lane that reads a
// column of a block asks for as many cache lines as its warp has rows, for a few bytes of each; a copy asks for every
// line once, and for all of them at the same time.
//
// A row copies its own blocks, which lie in one piece of memory, and only where a column is short: of numbers of
// fewer bytes than a Scalar has (docs/gpu.md, Whole lines).
#pragma once

#include "base/scalar.hpp"

#include <cstdint>
#include <cstring>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cuda_pipeline.h>
#endif

namespace finegrain
{

// Most bytes of a team, of the 48 KiB that every device gives it; OpenMP's teams have 32 KiB, of which the lanes of
// an emulated device may take more than half.
#if defined(FINEGRAIN_EMULATE_DEVICE)
inline constexpr std::size_t stage_scratch = 12 * 1024;
#else
inline constexpr std::size_t stage_scratch = 28 * 1024;
#endif
inline constexpr int line_bytes = 16; // that a lane copies at a time

// Whether teams copy blocks, for the whole process (-finegrain_stage).
inline bool &stages_blocks()
{
  static bool stages = true;
  return stages;
}

struct StoredBytes {
  const char *from;
  Offset count;

  // With all else on their first and last line: arrays of blocks begin with a line, and go on for block_slack bytes.
  KOKKOS_FORCEINLINE_FUNCTION StoredBytes whole_lines() const
  {
    const Offset skew = Offset(reinterpret_cast<std::uintptr_t>(from) % line_bytes);
    return {from - skew, (skew + count + line_bytes - 1) / line_bytes * line_bytes};
  }
};

// The room of a copy of so many bytes, wherever they begin: whole lines, and one for what is ahead of the first.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t copied_bytes(std::size_t bytes)
{
  return (bytes + 2 * line_bytes - 1) / line_bytes * line_bytes;
}
// That a team asks for to have so many for each of its rows: scratch begins anywhere.
constexpr std::size_t team_bytes(std::size_t of_row, int rows)
{
  return of_row ? of_row * std::size_t(rows) + line_bytes : 0;
}

// The blocks of entries first to last - 1, each of so many numbers.
template <class B>
KOKKOS_FORCEINLINE_FUNCTION StoredBytes stored_bytes(const B *blocks, Offset numbers, Offset first, Offset last)
{
  return {reinterpret_cast<const char *>(blocks + first * numbers), (last - first) * numbers * Offset(sizeof(B))};
}

// Row functions whose blocks may be read elsewhere: stored() are those of a slot's row, read_copy() says where their
// first byte lies instead, most_bytes(longest) how many there are of a row of so many entries.
template <class Row>
concept Stages = requires(Row &row)
{
  row.most_bytes(Index());
  row.stored(Index());
  row.read_copy(StoredBytes(), static_cast<const char *>(nullptr));
};

// All blocks of a row function, if `copy` is the first byte of these. Reckoned from `copy`, not from how far it is
// from the original: nvcc takes what comes from a pointer among a kernel's arguments to be in global memory, and
// reads it by instructions that find nothing else.
KOKKOS_FORCEINLINE_FUNCTION const void *move_blocks(const void *blocks, const StoredBytes &of, const char *copy)
{
  return copy - (of.from - static_cast<const char *>(blocks));
}

// Scratch of each row of a team of so many, of `longest` entries at most: whole lines; 0: nothing is copied.
template <class Row>
std::size_t staged_bytes([[maybe_unused]] const Row &row, [[maybe_unused]] int rows, [[maybe_unused]] Index longest)
{
  if constexpr (Stages<Row>) {
    const std::size_t of_row = copied_bytes(longest > 0 ? row.most_bytes(longest) : 0);
    if (stages_blocks() && longest > 0 && team_bytes(of_row, rows) <= stage_scratch) return of_row;
  }
  return 0;
}

// Scratch of a team from a multiple of line_bytes on, of so many bytes that were asked for: it begins anywhere.
template <class Member> KOKKOS_FORCEINLINE_FUNCTION char *take_lines(const Member &member, std::size_t space)
{
  return static_cast<char *>(member.team_scratch(0).get_shmem_aligned(space - line_bytes, line_bytes));
}

// The lanes that share a copy: of a team, or of one of its rows. They know the range of i < count for them, and when
// all of them are done.
template <class Member> struct TeamCopy {
  const Member &member;
  KOKKOS_FORCEINLINE_FUNCTION auto range(Offset count) const { return Kokkos::TeamVectorRange(member, count); }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { member.team_barrier(); }
};
template <class Lanes> struct RowCopy {
  const Lanes &lanes;
  KOKKOS_FORCEINLINE_FUNCTION auto range(Offset count) const
  {
    return Kokkos::ThreadVectorRange(lanes.member, count);
  }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { lanes.barrier(); }
};

// They begin to copy so many lines; both addresses are multiples of line_bytes.
template <class Sharing>
KOKKOS_FORCEINLINE_FUNCTION void begin_lines(const Sharing &sharing, const char *from, char *to, Offset lines)
{
  Kokkos::parallel_for(sharing.range(lines), [=](Offset i) {
    char *const there = to + i * line_bytes;
    const char *const here = from + i * line_bytes;
#if defined(__CUDA_ARCH__)
    __pipeline_memcpy_async(there, here, line_bytes);
#else
    std::memcpy(there, here, line_bytes);
#endif
  });
}
// The same for bytes from anywhere, to a multiple of line_bytes, where copied_bytes() of them have room. Returns
// where the first byte will be.
template <class Sharing>
KOKKOS_FORCEINLINE_FUNCTION const char *begin_copy(const Sharing &sharing, const StoredBytes &stored, void *to)
{
  const Offset skew = Offset(reinterpret_cast<std::uintptr_t>(stored.from) % line_bytes),
               before = skew ? line_bytes - skew : 0,
               head = before < stored.count ? before : stored.count, // ahead of the first whole line
    lines = (stored.count - head) / line_bytes, rest = stored.count - lines * line_bytes;
  const char *const from = stored.from;
  char *const at = static_cast<char *>(to) + skew;
  begin_lines(sharing, from + head, at + head, lines);
  Kokkos::parallel_for(sharing.range(rest), [=](Offset i) {
    const Offset k = i < head ? i : i + lines * line_bytes;
    at[k] = from[k];
  });
  return at;
}
// One number by one lane.
template <class T> KOKKOS_FORCEINLINE_FUNCTION void begin_copy(const T *from, T *to)
{
#if defined(__CUDA_ARCH__)
  __pipeline_memcpy_async(to, from, sizeof(T));
#else
  *to = *from;
#endif
}
// All that was begun is there, for all who share it.
template <class Sharing> KOKKOS_FORCEINLINE_FUNCTION void end_copies(const Sharing &sharing)
{
#if defined(__CUDA_ARCH__)
  __pipeline_commit();
  __pipeline_wait_prior(0);
#endif
  sharing.barrier();
}

} // namespace finegrain
