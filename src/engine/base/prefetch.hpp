// SPDX-License-Identifier: BSD-2-Clause
// Prefetches memory that a later row will read, on hosts.
#pragma once

#include "base/scalar.hpp"

namespace finegrain
{

// Target of a prefetch: all caches, the second-level cache and those behind it, or the first-level cache alone.
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

// Prefetches the block that is `bytes` behind this one in a stream of N x N blocks, into the first-level cache
// alone. A distance of 0 does nothing (base/prefetch_distance.hpp).
template <int N, class B> KOKKOS_FORCEINLINE_FUNCTION void prefetch_block(const B *block, Offset bytes)
{
  if (N > 1 && bytes > 0)
    prefetch<std::size_t(N) * N * sizeof(B), Caches::first>(reinterpret_cast<const char *>(block) + bytes);
}

// Prefetches into the second-level cache, in sweeps by lines. Hardware prefetchers stop at the ends of lines and
// pages. Prefetching into the first-level cache is slower than none (docs/tuning.md).
template <Offset count, class T> inline void fetch(const T *from)
{
  prefetch<std::size_t(count) * sizeof(T), Caches::second>(from);
}

} // namespace finegrain
