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
  if (__builtin_cpu_is("amd")) return usual_prefetch_distance;
#endif
  return 0;
}

Offset given = -1; // for the process; negative: the distance is that of the processor

} // namespace

PrefetchDistance prefetch_distance()
{
  if (given >= 0) return {std::size_t(given), true};
  return {distance_for_processor(), false};
}

void set_prefetch_distance(Offset bytes) { given = bytes; }

} // namespace finegrain
