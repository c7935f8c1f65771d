// SPDX-License-Identifier: BSD-2-Clause
#include "base/prefetch_distance.hpp"

namespace finegrain
{

namespace
{

// A stream of blocks alone does not show the gain, so that a measurement of one decided by chance.
std::size_t distance_for_processor()
{
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_is("amd")) return usual_prefetch_distance;
#endif
  return 0;
}

// Returns the distance that the process has.
PrefetchDistance &state()
{
  static PrefetchDistance distance{distance_for_processor(), false};
  return distance;
}

} // namespace

PrefetchDistance prefetch_distance() { return state(); }

void set_prefetch_distance(Offset bytes)
{
  state() =
    bytes >= 0 ? PrefetchDistance{std::size_t(bytes), true} : PrefetchDistance{distance_for_processor(), false};
}

} // namespace finegrain
