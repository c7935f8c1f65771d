// SPDX-License-Identifier: BSD-2-Clause
// Reports of row functions: the smallest row with a bad pivot, and counts, updated by atomic operations. Kernels
// write a PivotReport, and methods read it after a factorization.
#pragma once

#include "base/scalar.hpp"

namespace finegrain
{

// Report of a factorization, in the memory of its execution space.
struct PivotReport {
  Index bad_row;      // smallest row or position with a singular or non-finite diagonal block, or the number of rows
  Index not_finite;   // the same for non-finite diagonal blocks only
  Index shifted;      // rows with at least one replaced pivot
  Index indefinite;   // rows with a finite pivot that is not positive definite (Shift::definite)
  Index bad_coupling; // smallest row with a block that is not finite as stored, or the number of rows
  Offset flushed;     // relaxation: nonzero entries that are stored as zero
};

// *least = min(*least, x), ++*count and *sum += more, by any thread. Hosts use compiler builtins, because Kokkos 3.4
// has no atomic operations where its own back end has no threads.
KOKKOS_FORCEINLINE_FUNCTION void atomic_lower(Index *least, Index x)
{
#if defined(FINEGRAIN_ON_DEVICE)
  on_device::lower(least, x);
#else
  Index seen = __atomic_load_n(least, __ATOMIC_RELAXED);
  while (x < seen && !__atomic_compare_exchange_n(least, &seen, x, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void atomic_count(Index *count)
{
#if defined(FINEGRAIN_ON_DEVICE)
  Kokkos::atomic_add(count, 1);
#else
  __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
#endif
}
// Returns the count before the addition.
KOKKOS_FORCEINLINE_FUNCTION Index atomic_fetch_add(Index *count, Index more)
{
#if defined(FINEGRAIN_ON_DEVICE)
  return Kokkos::atomic_fetch_add(count, more);
#else
  return __atomic_fetch_add(count, more, __ATOMIC_RELAXED);
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void atomic_add(Offset *sum, Offset more)
{
#if defined(FINEGRAIN_ON_DEVICE)
  on_device::add(reinterpret_cast<unsigned long long *>(sum), static_cast<unsigned long long>(more));
#else
  __atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
#endif
}

// *largest = max(*largest, x) for x that is not negative. The value is stored as the bits of a double. As integers
// these are ordered like the values, and NaN is above all.
KOKKOS_FORCEINLINE_FUNCTION void atomic_max(std::uint64_t *largest, Real x)
{
  const std::uint64_t bits = detail::bits_as<std::uint64_t>(double(x));
#if defined(FINEGRAIN_ON_DEVICE)
  on_device::max(reinterpret_cast<unsigned long long *>(largest), static_cast<unsigned long long>(bits));
#else
  std::uint64_t seen = __atomic_load_n(largest, __ATOMIC_RELAXED);
  while (bits > seen &&
         !__atomic_compare_exchange_n(largest, &seen, bits, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}
// Returns the value that atomic_max() has stored.
KOKKOS_FORCEINLINE_FUNCTION Real read_max(const std::uint64_t *largest)
{
#if defined(FINEGRAIN_ON_DEVICE)
  const std::uint64_t bits = *static_cast<const volatile std::uint64_t *>(largest);
#else
  const std::uint64_t bits = __atomic_load_n(largest, __ATOMIC_RELAXED);
#endif
  return Real(detail::bits_as<double>(bits));
}

} // namespace finegrain
