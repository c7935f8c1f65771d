// SPDX-License-Identifier: BSD-2-Clause
// Kokkos 3.4 to 5.2 as the engine uses it: execution spaces and their queues, arrays, which devices there
// are, and how Kokkos is started.
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

// For the lambdas that make up a row function: GCC leaves some of them out of line, which cost a fifth of a sweep and
// a third of a factorization.
#if defined(FINEGRAIN_DEVICE_COMPILER)
#define FINEGRAIN_INLINE
#else
#define FINEGRAIN_INLINE __attribute__((always_inline))
#endif
// For functions that rows seldom need: on a host a call keeps them out of the loops, on a device it would cost a
// stack.
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
// What a device runs, in teams on the host: for tests.
struct EmulatedDevice : HostExec {
};
using DeviceExec = EmulatedDevice;
#else
using DeviceExec = Kokkos::DefaultExecutionSpace; // the host's on builds without a device
#endif
inline constexpr bool builds_device = !std::is_same_v<HostExec, DeviceExec>;
template <class Exec> inline constexpr bool works_in_teams = !std::is_same_v<HostExec, Exec>;

// Where a device's kernels are queued: on a stream of the caller's, where nobody waits, because what the caller
// queues before and after comes in order; else on one of their own, which the host waits for.
struct Queue {
  bool callers = false;
  void *stream = nullptr; // as gpu::on_stream() takes it; it outlives what works on it

  bool operator==(const Queue &) const = default;
};

// An execution space and the queue it works on.
template <class Exec> struct QueuedSpace {
  typename Exec::execution_space exec;
  Queue queue;

  // From now on kernels go to that queue, after what is under way on the one before. Returns whether it is the
  // caller's.
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
  // Before the host reads what kernels have written, unless the caller does that on its queue.
  void finish() const
  {
    if (!queue.callers) wait();
  }
};

// An execution space whose work need not wait for that of others.
template <class Exec> Exec with_own_queue()
{
#if defined(FINEGRAIN_GPU)
  if constexpr (std::is_same_v<Exec, gpu::Exec>) return Kokkos::Experimental::partition_space(Exec(), 1)[0];
#endif
  return Exec();
}

template <class T, class Space> using Array = Kokkos::View<T *, Space>;
template <class T> using HostArray = Array<T, Kokkos::HostSpace>;

// How scratch memory is counted: int, later std::size_t.
using ScratchBytes = decltype(Kokkos::PerThread(0).value);

// Asks for large pages behind an array of a host that nobody has touched yet: a sweep reads the factor once, in
// order, and a tenth of its time was address translation (docs/performance.md). A wish only.
inline void prefer_large_pages([[maybe_unused]] void *data, [[maybe_unused]] std::size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t page = std::uintptr_t(2) << 20;
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  if (begin < end) madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

// An array of a given length whose entries are not set. One without entries has no address, wherever it is: kernels
// read "no array" as "all, in order".
template <class T, class Space = Kokkos::HostSpace> Array<T, Space> make_array(const char *label, std::size_t length)
{
  if (length == 0) return {};
  Array<T, Space> a(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), length);
  if constexpr (std::is_same_v<Space, Kokkos::HostSpace>) prefer_large_pages(a.data(), length * sizeof(T));
  return a;
}

// The same entries where Space can read them: the array itself if it already can, but for the emulated device, whose
// builds copy as a device's do.
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

// How many devices this process can use; 0 on builds for hosts only.
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

// Makes Kokkos::initialize() start host execution spaces only, on a machine without a device. False: it cannot.
bool leave_out_device(); // no_device.cpp, on builds with a device

// Whether the caller is where Kokkos can run. Inside a parallel region of OpenMP it aborts the program, unless that
// is the only one and regions may be nested; a region of one thread counts.
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

// What Kokkos is started with: this device, -1 for one of its own choice, and no warnings.
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

// Initializes Kokkos at the first call, if nobody has, and then also finalizes it when the process ends: PETSc may
// be initialized several times in one process, Kokkos only once. is_finalized() is missing before Kokkos 3.7.
// Kokkos with a device would abort where there is none.
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

// The device that Kokkos runs on, -1 on builds for hosts only. After start_kokkos().
inline int kokkos_device()
{
#if defined(FINEGRAIN_GPU)
  return gpu::number();
#else
  return -1;
#endif
}

// Whether engines of Backend::device can be made. After start_kokkos().
inline bool has_device() { return builds_device && count_devices() > 0; }

// The execution spaces of this build, for messages: "OpenMP" or "OpenMP, Cuda for sm_90".
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
