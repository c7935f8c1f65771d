// Blocks that a team of a device copies into its scratch memory, where its rows then read them. A lane that reads a
// column of a block asks for as many cache lines as its warp has rows, for a few bytes of each; a copy asks for every
// line once, and for all of them at the same time.
//
// For rows whose blocks lie one after the other, and only where a column is short: of numbers of fewer bytes than a
// Scalar has (docs/gpu.md, Whole lines).
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

  // With what wherever they begin may take.
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool fit(std::size_t space) const
  {
    return std::size_t(count) + 2 * line_bytes <= space;
  }
};

// The blocks of entries first to last - 1, each of so many numbers.
template <class B>
KOKKOS_FORCEINLINE_FUNCTION StoredBytes stored_bytes(const B *blocks, Offset numbers, Offset first, Offset last)
{
  return {reinterpret_cast<const char *>(blocks + first * numbers), (last - first) * numbers * Offset(sizeof(B))};
}

// Row functions whose blocks may be read elsewhere: stored(first, last) are those of the slots before `last`,
// read_copy() says where their first byte lies instead, entry_bytes() how many a block has; 0: this sweep does not
// read all of them.
template <class Row>
concept Stages = requires(Row &row)
{
  row.entry_bytes();
  row.stored(Index(), Index());
  row.read_copy(StoredBytes(), static_cast<const char *>(nullptr));
};

// All blocks of a row function, if `copy` is the first byte of these. Reckoned from `copy`, not from how far it is
// from the original: nvcc takes what comes from a pointer among a kernel's arguments to be in global memory, and
// reads it by instructions that find nothing else.
KOKKOS_FORCEINLINE_FUNCTION const void *move_blocks(const void *blocks, const StoredBytes &of, const char *copy)
{
  return copy - (of.from - static_cast<const char *>(blocks));
}

// Scratch for a team of so many rows, of `longest` entries at most; 0: nothing is copied.
template <class Row>
std::size_t staged_bytes([[maybe_unused]] const Row &row, [[maybe_unused]] int rows, [[maybe_unused]] Index longest)
{
  if constexpr (Stages<Row>) {
    const StoredBytes most{nullptr, Offset(rows) * longest * Offset(row.entry_bytes())};
    if (stages_blocks() && most.count > 0 && most.fit(stage_scratch)) return std::size_t(most.count) + 2 * line_bytes;
  }
  return 0;
}

// Scratch of a team from a multiple of line_bytes on, of so many bytes that were asked for: it begins anywhere.
template <class Member> KOKKOS_FORCEINLINE_FUNCTION char *take_lines(const Member &member, std::size_t space)
{
  return static_cast<char *>(member.team_scratch(0).get_shmem_aligned(space - line_bytes, line_bytes));
}

// All lanes of a team begin to copy these bytes to `to`, a multiple of line_bytes, with line_bytes to spare. Returns
// where the first byte will be.
template <class Member>
KOKKOS_FORCEINLINE_FUNCTION const char *begin_copy(const Member &member, const StoredBytes &stored, void *to)
{
  const Offset skew = Offset(reinterpret_cast<std::uintptr_t>(stored.from) % line_bytes),
               before = skew ? line_bytes - skew : 0,
               head = before < stored.count ? before : stored.count, // ahead of the first whole line
    lines = (stored.count - head) / line_bytes, rest = stored.count - lines * line_bytes;
  const char *const from = stored.from;
  char *const at = static_cast<char *>(to) + skew;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(member, lines), [=](Offset i) {
    char *const there = at + head + i * line_bytes;
    const char *const here = from + head + i * line_bytes;
#if defined(__CUDA_ARCH__)
    __pipeline_memcpy_async(there, here, line_bytes);
#else
    std::memcpy(there, here, line_bytes);
#endif
  });
  Kokkos::parallel_for(Kokkos::TeamVectorRange(member, rest), [=](Offset i) {
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
// All that was begun is there, for all lanes.
template <class Member> KOKKOS_FORCEINLINE_FUNCTION void end_copies(const Member &member)
{
#if defined(__CUDA_ARCH__)
  __pipeline_commit();
  __pipeline_wait_prior(0);
#endif
  member.team_barrier();
}
// The same of a row, for its lanes.
template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void end_row_copies(const Lanes &lanes)
{
#if defined(__CUDA_ARCH__)
  __pipeline_commit();
  __pipeline_wait_prior(0);
#endif
  lanes.barrier();
}
template <class Member>
KOKKOS_FORCEINLINE_FUNCTION const char *stage_bytes(const Member &member, const StoredBytes &stored, void *to)
{
  const char *const at = begin_copy(member, stored, to);
  end_copies(member);
  return at;
}

} // namespace finegrain
