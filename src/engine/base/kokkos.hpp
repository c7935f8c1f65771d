// SPDX-License-Identifier: BSD-2-Clause
// Interface of the engine to Kokkos 3.4 to 5.2: execution spaces and their queues, arrays, the devices of this
// machine, and the start of Kokkos.
#pragma once

#include "base/device.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

#if defined(__linux__)
#include <sys/mman.h>
#endif

// Forces the lambdas of a row function inline. GCC leaves some of them out of line, which cost a fifth of a sweep
// and a third of a factorization.
#if defined(FINEGRAIN_DEVICE_COMPILER)
#define FINEGRAIN_INLINE
#else
#define FINEGRAIN_INLINE __attribute__((always_inline))
#endif
// Marks functions that rows seldom need. On a host a call keeps them out of the loops. On a device a call would need
// a stack, so that they are inlined.
#if defined(FINEGRAIN_DEVICE_COMPILER)
#define FINEGRAIN_SELDOM KOKKOS_FORCEINLINE_FUNCTION
#else
#define FINEGRAIN_SELDOM [[gnu::noinline, gnu::cold]] KOKKOS_FUNCTION
#endif

namespace finegrain
{

using HostExec = Kokkos::DefaultHostExecutionSpace;
#if defined(FINEGRAIN_EMULATE_DEVICE) || defined(FINEGRAIN_GPU)
#define FINEGRAIN_HAS_DEVICE
#endif
#if defined(FINEGRAIN_EMULATE_DEVICE)
// Emulates a device by teams on the host, for tests.
struct EmulatedDevice : HostExec {
};
using DeviceExec = EmulatedDevice;
#else
using DeviceExec = Kokkos::DefaultExecutionSpace; // the host's on builds without a device
#endif
inline constexpr bool builds_device = !std::is_same_v<HostExec, DeviceExec>;
template <class Exec> inline constexpr bool works_in_teams = !std::is_same_v<HostExec, Exec>;

// Queue of a device's kernels. On a stream of the caller nobody waits, because the caller's work before and after
// the kernels is on the same stream. Otherwise kernels run on a queue of their own, and the host waits for it.
struct Queue {
  bool callers = false;
  void *stream = nullptr; // argument of gpu::on_stream(); it outlives the work on it

  bool operator==(const Queue &) const = default;
};

// An execution space and the queue of its kernels.
template <class Exec> struct QueuedSpace {
  typename Exec::execution_space exec;
  Queue queue;

  // Sends further kernels to queue `to`, after waiting for the kernels on the previous queue. Returns true if it is
  // the caller's.
  bool change_queue(const Queue &to)
  {
    if constexpr (works_in_teams<Exec>) {
      if (queue == to) return queue.callers;
      exec.fence();
#if defined(FINEGRAIN_GPU)
      exec = to.callers ? gpu::on_stream(to.stream) : gpu::Exec();
#endif
      queue = to;
    }
    return queue.callers;
  }
  void wait() const
  {
    if constexpr (works_in_teams<Exec>) exec.fence();
  }
  // Waits before the host reads results of kernels. If the queue is the caller's, the caller waits.
  void finish() const
  {
    if (!queue.callers) wait();
  }
};

// Returns an execution space whose kernels need not wait for those of others.
template <class Exec> Exec with_own_queue()
{
#if defined(FINEGRAIN_GPU)
  if constexpr (std::is_same_v<Exec, gpu::Exec>) return Kokkos::Experimental::partition_space(Exec(), 1)[0];
#endif
  return Exec();
}

template <class T, class Space> using Array = Kokkos::View<T *, Space>;
template <class T> using HostArray = Array<T, Kokkos::HostSpace>;

// Type in which Kokkos counts scratch memory: int, later std::size_t.
using ScratchBytes = decltype(Kokkos::PerThread(0).value);

// Requests large pages for a host array that has not been touched yet. A sweep reads the factor once, in order, and
// address translation took a tenth of its time (docs/tuning.md). The system may ignore the request.
inline void prefer_large_pages([[maybe_unused]] void *data, [[maybe_unused]] std::size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t page = std::uintptr_t(2) << 20;
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  if (begin < end) madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

// Allocates an array of a given length without setting its entries. An empty array has a null address in any memory,
// because kernels read "no array" as "all, in order".
template <class T, class Space = Kokkos::HostSpace> Array<T, Space> make_array(const char *label, std::size_t length)
{
  if (length == 0) return {};
  Array<T, Space> a(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), length);
  if constexpr (std::is_same_v<Space, Kokkos::HostSpace>) prefer_large_pages(a.data(), length * sizeof(T));
  return a;
}

// Returns the same entries in memory that Space can read: the array itself if Space can read it, else a copy. Builds
// with the emulated device always copy, as for a device.
template <class Space, class T, class From> Array<T, Space> copy_to(const Kokkos::View<T *, From> &a)
{
  if (a.extent(0) == 0) return {};
#if defined(FINEGRAIN_EMULATE_DEVICE)
  if constexpr (std::is_same_v<Space, Kokkos::HostSpace>) {
    const auto copy = make_array<T, Space>("finegrain::copy", a.extent(0));
    Kokkos::deep_copy(copy, a);
    return copy;
  }
#endif
  return Kokkos::create_mirror_view_and_copy(Space(), a);
}

// Returns the number of devices that this process can use, 0 on builds for hosts only.
inline int count_devices()
{
#if defined(FINEGRAIN_EMULATE_DEVICE)
  return 1;
#elif defined(FINEGRAIN_GPU)
  return gpu::count();
#else
  return 0;
#endif
}

// Makes Kokkos::initialize() start only host execution spaces, on a machine without a device. Returns false if it
// cannot.
bool leave_out_device(); // in no_device.cpp, for builds with a device

// Returns true if Kokkos can run here. Inside a parallel region of OpenMP it aborts the program, unless that is the
// only region and regions may be nested. A region of one thread counts.
inline bool kokkos_may_run()
{
#if defined(KOKKOS_ENABLE_OPENMP)
  const int regions = omp_get_level();
  return regions == 0 || (regions == 1 && omp_get_max_active_levels() > 1);
#else
  return true;
#endif
}

enum class KokkosState { ready, finalized, no_device };

// Settings with which Kokkos is started: this device (-1: Kokkos chooses), and no warnings.
#if KOKKOS_VERSION >= 30700
inline Kokkos::InitializationSettings kokkos_settings(int device)
{
  auto settings = Kokkos::InitializationSettings().set_disable_warnings(true);
  if (device >= 0) settings.set_device_id(device);
  return settings;
}
#else
inline Kokkos::InitArguments kokkos_settings(int device) { return Kokkos::InitArguments(-1, -1, device, true); }
#endif

// Initializes Kokkos at the first call if nobody has, and then also finalizes it when the process ends. PETSc may be
// initialized several times in one process, Kokkos only once. is_finalized() does not exist before Kokkos 3.7. On a
// machine without a device, Kokkos with a device would abort.
inline KokkosState start_kokkos(int device = -1)
{
  static bool finalized = false;
  if (finalized) return KokkosState::finalized;
  if (Kokkos::is_initialized()) return KokkosState::ready;
#if KOKKOS_VERSION >= 30700
  if (Kokkos::is_finalized()) return KokkosState::finalized;
#if defined(FINEGRAIN_GPU)
  if (count_devices() == 0) {
    if (!leave_out_device()) return KokkosState::no_device;
    device = -1;
  }
#endif
#endif
  Kokkos::initialize(kokkos_settings(device));
  std::atexit([] {
    finalized = true;
    if (Kokkos::is_initialized()) Kokkos::finalize();
  });
  return KokkosState::ready;
}

// Returns the device on which Kokkos runs, -1 on builds for hosts only. Requires start_kokkos().
inline int kokkos_device()
{
#if defined(FINEGRAIN_GPU)
  return gpu::current_device();
#else
  return -1;
#endif
}

// Returns true if engines of Backend::device can be created. Requires start_kokkos().
inline bool has_device() { return builds_device && count_devices() > 0; }

// Returns the execution spaces of this build, for messages: "OpenMP" or "OpenMP, Cuda for sm_90".
inline std::string backend_names()
{
  std::string names = HostExec::name();
  if (builds_device) names.append(", ").append(DeviceExec::name());
#if defined(FINEGRAIN_GPU)
  names += gpu::architecture();
#endif
  return names;
}

} // namespace finegrain
