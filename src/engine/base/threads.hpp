// SPDX-License-Identifier: BSD-2-Clause
// Threads of a host, as many as OpenMP would have, for any back end of Kokkos. The library has its own threads:
// those of OpenMP spin for milliseconds after each parallel region, and on busy cores each region then needs as
// long.
#pragma once

#include <cstdint>

namespace finegrain
{

struct HostThreads {
  int count;
  const char *reason;
};

// Returns the number of threads that work at once, and its source: -finegrain_threads, OMP_NUM_THREADS, or one
// thread if neither is given. It never exceeds the cores that this process may use. A child after fork() has one,
// because its parent has the others.
HostThreads find_host_threads();
inline int usable_threads() { return find_host_threads().count; }

// Sets the number of threads for the whole process; 0: OMP_NUM_THREADS decides.
void set_host_threads(int count);

// Implements for_threads().
void run_on_threads(std::int32_t threads, void (*body)(const void *, std::int32_t), const void *data);

// Calls body(i) for each i below `threads`, concurrently on that many threads. If OpenMP gives fewer (for example
// inside a parallel region of the caller), a thread calls several in ascending order. body may not throw.
template <class Body> void for_threads(std::int32_t threads, const Body &body)
{
  run_on_threads(
    threads, [](const void *data, std::int32_t i) { (*static_cast<const Body *>(data))(i); }, &body);
}

} // namespace finegrain
