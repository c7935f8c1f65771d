// SPDX-License-Identifier: BSD-2-Clause
// Threads of a host, as many as OpenMP would have, whatever back end Kokkos was built with. They are threads of our
// own: those of OpenMP spin for milliseconds after each parallel region, and on busy cores each region then takes as
// long.
#pragma once

#include <cstdint>

namespace finegrain
{

struct HostThreads {
  int count;
  const char *reason;
};

// How many threads work at once, and what says so: -finegrain_threads, OMP_NUM_THREADS, one where neither is given.
// Never more than cores that this process may use, and one in a child after fork(), whose parent has the others.
HostThreads find_host_threads();
inline int usable_threads() { return find_host_threads().count; }

// As many from now on, for the whole process; 0: OMP_NUM_THREADS says.
void set_host_threads(int count);

// for_threads() behind its template.
void run_on_threads(std::int32_t threads, void (*body)(const void *, std::int32_t), const void *data);

// body(i) for each i below `threads`, side by side on so many threads. Where OpenMP gives fewer (inside a parallel
// region of the caller's, say) a thread calls several, in ascending order. body may not throw.
template <class Body> void for_threads(std::int32_t threads, const Body &body)
{
  run_on_threads(
    threads, [](const void *data, std::int32_t i) { (*static_cast<const Body *>(data))(i); }, &body);
}

} // namespace finegrain
