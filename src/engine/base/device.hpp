// SPDX-License-Identifier: BSD-2-Clause
// Kind of device that a build supports: CUDA, HIP or SYCL. This is the only file of the engine that names them. It
// also has the functions for which Kokkos has no interface since 4.0. base/no_device.cpp is for builds with CUDA on
// machines without a GPU.
//
// The code for CUDA was executed (tests/ptx), that for HIP was compiled (docs/topics/gpu.md), and that for SYCL was
// never compiled.
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL)
#define FINEGRAIN_GPU
#endif
// FINEGRAIN_DEVICE_COMPILER: a device compiler reads the source. FINEGRAIN_ON_DEVICE: it generates code of the
// device.
#if defined(__CUDACC__) || defined(__HIPCC__) || defined(SYCL_LANGUAGE_VERSION)
#define FINEGRAIN_DEVICE_COMPILER
#endif
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
#define FINEGRAIN_ON_DEVICE
#endif
// Precedes a host and device function that calls a host function which devices never reach.
#if defined(__CUDACC__)
#define FINEGRAIN_CALLS_HOST _Pragma("nv_exec_check_disable")
#else
#define FINEGRAIN_CALLS_HOST
#endif

#if defined(KOKKOS_ENABLE_CUDA)
#include <cuda_fp16.h>
#if defined(__CUDACC__)
#include <cuda/atomic>
#endif
#if !defined(FINEGRAIN_CUDA_ARCH) // set by CMake
#define FINEGRAIN_CUDA_ARCH 0
#endif
#elif defined(KOKKOS_ENABLE_HIP)
#include <hip/hip_fp16.h>
#endif

#if defined(FINEGRAIN_GPU)
namespace finegrain::gpu
{

using Exec = Kokkos::DefaultExecutionSpace;
using Pinned = Kokkos::SharedHostPinnedSpace; // host memory that a device's copy engine reads directly

// Returns the execution space of a caller's stream: a cudaStream_t, a hipStream_t, or a pointer to a sycl::queue.
inline Exec on_stream(void *stream)
{
#if defined(KOKKOS_ENABLE_CUDA)
  return Exec(static_cast<cudaStream_t>(stream));
#elif defined(KOKKOS_ENABLE_HIP)
  return Exec(static_cast<hipStream_t>(stream));
#else
  return Exec(*static_cast<sycl::queue *>(stream));
#endif
}

// Returns the number of devices that this process can use. CUDA devices older than the build's kernels
// (FINEGRAIN_CUDA_ARCH, 90 for sm_90) do not count, because Kokkos would abort on them.
inline int count()
{
  int all = 0;
#if defined(KOKKOS_ENABLE_CUDA)
  if (cudaGetDeviceCount(&all) != cudaSuccess) {
    (void)cudaGetLastError(); // clears the error for the next caller
    return 0;
  }
  int usable = 0;
  for (int device = 0, major = 0, minor = 0; device < all; ++device)
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess)
      usable += 10 * major + minor >= FINEGRAIN_CUDA_ARCH;
  return usable;
#elif defined(KOKKOS_ENABLE_HIP)
  return hipGetDeviceCount(&all) == hipSuccess ? all : 0;
#else
  all = int(sycl::device::get_devices(sycl::info::device_type::gpu).size());
  return all;
#endif
}

// Returns the device on which Kokkos runs, or -1 if Kokkos does not tell.
inline int current_device()
{
#if defined(KOKKOS_ENABLE_CUDA)
  return Exec().cuda_device();
#elif defined(KOKKOS_ENABLE_HIP)
  return Exec().hip_device();
#else
  return -1;
#endif
}

// Returns the architecture for which kernels were compiled, for messages.
inline std::string architecture()
{
#if defined(KOKKOS_ENABLE_CUDA)
  return " for sm_" + std::to_string(FINEGRAIN_CUDA_ARCH);
#else
  return "";
#endif
}

} // namespace finegrain::gpu
#endif

#if defined(FINEGRAIN_ON_DEVICE)
namespace finegrain::on_device
{

// poll() and publish() synchronize teams. A team that polls a published value then reads everything that the
// publisher stored before.
KOKKOS_FORCEINLINE_FUNCTION unsigned poll(unsigned &word)
{
#if defined(__CUDACC__)
  return cuda::atomic_ref<unsigned, cuda::thread_scope_device>(word).load(cuda::memory_order_acquire);
#else
  return desul::atomic_load(&word, desul::MemoryOrderAcquire(), desul::MemoryScopeDevice());
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void publish(unsigned &word, unsigned value)
{
#if defined(__CUDACC__)
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(word).store(value, cuda::memory_order_release);
#else
  desul::atomic_thread_fence(desul::MemoryOrderRelease(), desul::MemoryScopeDevice());
  desul::atomic_store(&word, value, desul::MemoryOrderRelaxed(), desul::MemoryScopeDevice());
#endif
}
// Pauses between two polls.
KOKKOS_FORCEINLINE_FUNCTION void rest()
{
#if defined(__CUDACC__)
  __nanosleep(20);
#endif
}

// Prefetches a cache line into the second-level cache. It does not wait, and an invalid address does no harm.
KOKKOS_FORCEINLINE_FUNCTION void prefetch_line([[maybe_unused]] const void *line)
{
#if defined(__CUDACC__)
  asm volatile("prefetch.L2 [%0];" ::"l"(line));
#endif
}

// *least = min(*least, x), *largest = max(*largest, x), *sum += x. Those of Desul are loops that begin with a plain
// load.
KOKKOS_FORCEINLINE_FUNCTION void lower(int *least, int x)
{
#if defined(__SYCL_DEVICE_ONLY__)
  Kokkos::atomic_min(least, x);
#else
  atomicMin(least, x);
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void max(unsigned long long *largest, unsigned long long x)
{
#if defined(__SYCL_DEVICE_ONLY__)
  Kokkos::atomic_max(largest, x);
#else
  atomicMax(largest, x);
#endif
}

KOKKOS_FORCEINLINE_FUNCTION void add(unsigned long long *sum, unsigned long long x)
{
#if defined(__SYCL_DEVICE_ONLY__)
  Kokkos::atomic_add(sum, x);
#else
  atomicAdd(sum, x);
#endif
}

KOKKOS_FORCEINLINE_FUNCTION int count_bits(std::uint32_t v)
{
#if defined(__SYCL_DEVICE_ONLY__)
  return int(sycl::popcount(v));
#else
  return __popc(v);
#endif
}

#if !defined(__SYCL_DEVICE_ONLY__) // SYCL has no conversions with these names
#define FINEGRAIN_DEVICE_HALF
KOKKOS_FORCEINLINE_FUNCTION float widen_half(std::uint16_t half)
{
  __half_raw raw;
  raw.x = half;
  return __half2float(__half(raw));
}
KOKKOS_FORCEINLINE_FUNCTION std::uint16_t narrow_half(float single) { return __half_raw(__float2half_rn(single)).x; }
#endif

} // namespace finegrain::on_device
#endif
