// SPDX-License-Identifier: BSD-2-Clause
// Compares tests/engine/run/team_rule.hpp with Kokkos' own code, for CUDA's headers and an H200's limits; needs no
// GPU. .ci/cuda-check compiles it with nvcc for the newest Kokkos; other versions are compiled by hand.
#include "../engine/run/team_rule.hpp"

#include <Kokkos_Core.hpp>
#include <Cuda/Kokkos_Cuda_BlockSize_Deduction.hpp>

#include <cstdio>
#include <cstdlib>

using namespace finegrain::test;

namespace Kokkos::Impl
{
[[noreturn]] void throw_runtime_exception(const std::string &text) // Kokkos' library is not linked
{
  std::fprintf(stderr, "%s\n", text.c_str());
  std::abort();
}
} // namespace Kokkos::Impl

int main()
{
  cudaDeviceProp h200{};
  cudaFuncAttributes kernel{};
  h200.major = 9;
  h200.warpSize = 32;
  h200.regsPerBlock = registers_of_multiprocessor;
  h200.regsPerMultiprocessor = registers_of_multiprocessor;
  h200.sharedMemPerMultiprocessor = shared_of_multiprocessor;
  h200.sharedMemPerBlock = 48 * 1024;
  h200.sharedMemPerBlockOptin = 227 * 1024;
  h200.reservedSharedMemPerBlock = 1024;
  h200.maxThreadsPerMultiProcessor = lanes_of_multiprocessor;
  h200.maxThreadsPerBlock = 1024;
  h200.maxBlocksPerMultiProcessor = blocks_of_multiprocessor;
  kernel.maxDynamicSharedSizeBytes = 48 * 1024;
  const KokkosRule rule = KOKKOS_VERSION >= 50000 ? kokkos_5_2 : kokkos_4_6;
  long compared = 0, wrong = 0;
  const auto compare =
    [&]<unsigned lanes_of_bounds, unsigned blocks>(Kokkos::LaunchBounds<lanes_of_bounds, blocks> bounds) {
      for (const int registers : {32, 64, 96, 128, most_registers})
        for (int lanes = 1; lanes <= 32; lanes *= 2)
          for (const std::size_t team : {std::size_t(0), std::size_t(12 * 1024 + 8), std::size_t(44 * 1024)})
            for (std::size_t scratch = 0; scratch < 240 * 1024; scratch += scratch < 4096 ? 8 : 1000) {
              const int most = registers > 128 ? 256 : registers > 64 ? 512 : 1024;
              kernel.numRegs = registers;
              kernel.maxThreadsPerBlock = lanes_of_bounds ? int(lanes_of_bounds) : most;
              const int block = Kokkos::Impl::cuda_deduce_block_size(
                true, h200, kernel, [=](int b) { return shared_bytes(b / lanes, scratch, team); }, bounds);
              int power = 1;
              while (power * 2 <= block) power *= 2;
              const int theirs = block > 0 ? power / lanes : 0;
              const int ours = largest_team(rule, lanes, scratch, team,
                                            {registers, kernel.maxThreadsPerBlock, blocks ? int(blocks) : 1});
              if (ours != theirs && ++wrong < 5)
                std::printf("%d registers, %d lanes, %zu + %zu bytes, bounds %u, %u: Kokkos %d, team_rule.hpp %d\n",
                            registers, lanes, scratch, team, lanes_of_bounds, blocks, theirs, ours);
              ++compared;
            }
    };
  compare(Kokkos::LaunchBounds<>());
  compare(Kokkos::LaunchBounds<128, 5>());
  compare(Kokkos::LaunchBounds<128, 1>());
  compare(Kokkos::LaunchBounds<512, 1>());
  compare(Kokkos::LaunchBounds<640, 1>());
  compare(Kokkos::LaunchBounds<1024, 1>());
  std::printf("teams: %ld compared with Kokkos %d.%d, %ld differ\n", compared, KOKKOS_VERSION / 10000,
              KOKKOS_VERSION / 100 % 100, wrong);
  return wrong > 0;
}
