// SPDX-License-Identifier: BSD-2-Clause
// Limits of the device that the engine's back end runs on, compared with those that the engine relies on. Also its
// bandwidth for copies and reads of arrays larger than any cache, to which the percentages of docs/gpu_times.md
// refer. Needs no PETSc. Options: --backend host, --mebibytes 2048 (of each of two arrays).
#include "../backend.hpp"

#include <algorithm>
#include <cstring>

using namespace finegrain;
namespace test = finegrain::test;

namespace
{

#if defined(KOKKOS_ENABLE_CUDA)
bool print_limits()
{
  const int device = kokkos_device();
  bool good = true;
  struct Limit {
    const char *name;
    cudaDeviceAttr which;
    int least; // minimum that the engine relies on; 0: no minimum
  };
  for (const Limit &l :
       {Limit{"compute capability, major", cudaDevAttrComputeCapabilityMajor, 0},
        Limit{"compute capability, minor", cudaDevAttrComputeCapabilityMinor, 0},
        Limit{"multiprocessors", cudaDevAttrMultiProcessorCount, 0},
        Limit{"lanes of a warp", cudaDevAttrWarpSize, warp_lanes},
        Limit{"threads of a block", cudaDevAttrMaxThreadsPerBlock, team_lanes},
        Limit{"threads of a multiprocessor", cudaDevAttrMaxThreadsPerMultiProcessor, 0},
        Limit{"registers of a multiprocessor", cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
        Limit{"bytes of shared memory of a block", cudaDevAttrMaxSharedMemoryPerBlock, int(team_scratch)},
        Limit{"the same, asked for", cudaDevAttrMaxSharedMemoryPerBlockOptin, 0},
        Limit{"the driver's own share", cudaDevAttrReservedSharedMemoryPerBlock, 0},
        Limit{"bytes of shared memory of a multiprocessor", cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0},
        Limit{"bytes of L2 cache", cudaDevAttrL2CacheSize, 0},
        Limit{"reads of the host's pageable memory", cudaDevAttrPageableMemoryAccess, 0}}) {
    int value = -1;
    if (cudaDeviceGetAttribute(&value, l.which, device) != cudaSuccess) value = -1;
    const bool enough = value >= l.least;
    std::printf("| %s | %d |%s\n", l.name, value, enough ? "" : " TOO LITTLE");
    good = good && enough;
  }
  std::size_t free = 0, all = 0;
  if (cudaMemGetInfo(&free, &all) == cudaSuccess)
    std::printf("| GiB of memory, free | %.1f of %.1f |\n", double(free) / (1 << 30), double(all) / (1 << 30));
  return good;
}
#else
bool print_limits() { return true; }
#endif

struct Add {
  const double *from;
  KOKKOS_INLINE_FUNCTION void operator()(const Offset i, double &sum) const { sum += from[i]; }
};

// GB/s, best of ten runs of several passes and one wait.
template <class Exec> bool measure(std::size_t mebibytes)
{
  using Space = typename Exec::memory_space;
  using Policy = Kokkos::RangePolicy<typename Exec::execution_space, Kokkos::IndexType<Offset>>;
  const std::size_t length = mebibytes * 1024 * 1024 / sizeof(double);
  constexpr int passes = 4;
  const auto from = make_array<double, Space>("from", length), to = make_array<double, Space>("to", length);
  double copy = 1e300, read = 1e300, sum = 0;
  typename Exec::execution_space exec;
  Kokkos::deep_copy(from, 1.0);
  Kokkos::deep_copy(to, 0.0);
  Kokkos::fence();
  for (int r = 0; r < 10; ++r) {
    Kokkos::Timer timer;
    for (int p = 0; p < passes; ++p) Kokkos::deep_copy(exec, to, from);
    exec.fence();
    copy = std::min(copy, timer.seconds());
    timer.reset();
    for (int p = 0; p < passes; ++p)
      Kokkos::parallel_reduce("read", Policy(exec, 0, Offset(length)), Add{from.data()}, sum);
    exec.fence();
    read = std::min(read, timer.seconds());
  }
  const double bytes = double(length) * sizeof(double) * passes / 1e9;
  std::printf("| copy, GB/s (both ways) | %.1f |\n| read, GB/s | %.1f |\n", 2 * bytes / copy, bytes / read);
  return sum == double(length);
}

} // namespace

int main(int argc, char **argv)
{
  std::size_t mebibytes = 2048;
  test::where = test::Where::device;
  for (int i = 1; i < argc; ++i) {
    if (test::read_backend(argc, argv, i)) continue;
    if (std::strcmp(argv[i], "--mebibytes") || i + 1 == argc || std::atoi(argv[i + 1]) < 1) {
      std::fprintf(stderr, "bench_device [--backend host] [--mebibytes 2048]\n");
      return 2;
    }
    mebibytes = std::size_t(std::atoi(argv[++i]));
  }
  if (!test::start_backend("bench_device")) return 2;
  const bool here = test::where == test::Where::host;
  std::printf("| %s, %zu MiB an array | |\n|---|---|\n", here ? HostExec::name() : DeviceExec::name(), mebibytes);
  std::fflush(stdout);
  const bool good = here || print_limits();
  std::fflush(stdout);
  const bool right = here ? measure<HostExec>(mebibytes) : measure<DeviceExec>(mebibytes);
  if (!right) std::printf("bench_device: what was copied is not what was read\n");
  return good && right ? 0 : 1;
}
