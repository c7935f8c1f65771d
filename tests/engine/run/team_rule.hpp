// SPDX-License-Identifier: BSD-2-Clause
// The conditions that Kokkos' Cuda back end checks before it launches a team, with the limits of an H200. They
// restate its cuda_deduce_block_size() and the constructor of its ParallelFor over teams in plain steps.
// `.ci/cuda-check` compares them with Kokkos' own code.
#pragma once

#include <algorithm>
#include <cstddef>

namespace finegrain::test
{

struct KokkosRule {
  const char *version;
  std::size_t most_shared; // bytes of shared memory that a block may have
};
inline constexpr KokkosRule kokkos_4_6{"4.6", 48 * 1024};                      // sharedMemPerBlock
inline constexpr KokkosRule kokkos_5_2{"5.2", std::size_t(227) * 1024 - 1024}; // opt-in limit, less the driver's
inline constexpr std::size_t shared_of_multiprocessor = std::size_t(228) * 1024;
inline constexpr int registers_of_multiprocessor = 65536, lanes_of_multiprocessor = 2048,
                     blocks_of_multiprocessor = 32;
inline constexpr int most_registers = 255; // per thread

// Bytes of shared memory of a block with `threads` threads of `lanes` lanes.
inline std::size_t shared_bytes(int threads, std::size_t scratch, std::size_t team)
{
  return team + 2 * sizeof(double) + std::size_t(threads) * (scratch + sizeof(double));
}

inline int blocks_at_once(const KokkosRule &rule, int block, std::size_t shared, int registers)
{
  const int of_thread = (registers + 7) / 8 * 8, of_warp = (registers * 32 + 255) / 256 * 256;
  const int warps = 4 * (registers_of_multiprocessor / (of_warp * 4));
  int by_registers = registers_of_multiprocessor / (of_thread * block);
  while (by_registers * block / 32 > warps) --by_registers;
  const int by_shared = shared > rule.most_shared ? 0 : int(shared_of_multiprocessor / shared);
  return std::min({by_registers, by_shared, blocks_of_multiprocessor});
}

// Registers and Kokkos::LaunchBounds of a kernel. The defaults are the maxima of a kernel without bounds.
struct KernelLimits {
  int registers = most_registers, most_lanes = 256, least_blocks = 1;
};

// The largest team that Kokkos launches: the largest block of which enough fit on a multiprocessor, a multiple of a
// warp, rounded down to a power of two.
inline int largest_team(const KokkosRule &rule, int lanes, std::size_t scratch, std::size_t team,
                        const KernelLimits &kernel = {})
{
  int block = kernel.most_lanes;
  for (; block > 0; block -= 32) {
    int blocks = blocks_at_once(rule, block, shared_bytes(block / lanes, scratch, team), kernel.registers);
    blocks = std::min(blocks, lanes_of_multiprocessor / block);
    if (blocks >= kernel.least_blocks) break;
  }
  int power = 1;
  while (power * 2 <= block) power *= 2;
  return block > 0 ? power / lanes : 0;
}

inline bool is_launched(const KokkosRule &rule, int threads, int lanes, std::size_t scratch, std::size_t team,
                        const KernelLimits &kernel = {})
{
  return threads <= largest_team(rule, lanes, scratch, team, kernel) &&
         shared_bytes(threads, scratch, team) <= rule.most_shared;
}

} // namespace finegrain::test
