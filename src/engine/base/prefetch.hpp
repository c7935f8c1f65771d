// SPDX-License-Identifier: BSD-2-Clause
// Requests for memory that a later row will read. On hosts.
#pragma once

#include "base/scalar.hpp"

namespace finegrain
{

// For all caches, for the second and below, or for the first alone.
enum class Caches { all, second, first };
template <std::size_t bytes, Caches caches = Caches::all>
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] const void *at)
{
#if !defined(FINEGRAIN_ON_DEVICE)
  for (std::size_t i = 0; i < bytes; i += 64)
    __builtin_prefetch(static_cast<const char *>(at) + i, 0,
                       caches == Caches::all      ? 3
                       : caches == Caches::second ? 2
                                                  : 0);
#endif
}

// Of blocks of N that are one stream: asks for what lies so many bytes behind one, past all caches but the first. 0:
// for nothing (base/prefetch_distance.hpp).
template <int N, class B> KOKKOS_FORCEINLINE_FUNCTION void prefetch_block(const B *block, Offset bytes)
{
  if (N > 1 && bytes > 0)
    prefetch<std::size_t(N) * N * sizeof(B), Caches::first>(reinterpret_cast<const char *>(block) + bytes);
}

// Into the second cache, in sweeps by lines: prefetchers of the hardware stop at the ends of lines and pages, and
// into the first it is slower than without (docs/performance.md).
template <Offset count, class T> inline void fetch(const T *from)
{
  prefetch<std::size_t(count) * sizeof(T), Caches::second>(from);
}

} // namespace finegrain
