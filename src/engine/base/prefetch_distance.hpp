// SPDX-License-Identifier: BSD-2-Clause
// Prefetch distance in bytes for contiguous blocks of a matrix or a factor that a host kernel reads. The gain
// depends on the processor (docs/decisions.md, Kernels 1). The distance changes no result.
#pragma once

#include "base/scalar.hpp"

#include <cstddef>

namespace finegrain
{

struct PrefetchDistance {
  std::size_t bytes = 0; // 0: no prefetching
  bool given = false;    // else that of the processor
};

inline constexpr std::size_t usual_prefetch_distance = 6144;

// Returns the distance of this process.
PrefetchDistance prefetch_distance();
// Sets the distance. If it is negative, it becomes that of the processor again.
void set_prefetch_distance(Offset bytes);
// Returns the distance for kernels of a back end, 0 on devices. Kernels that convert their blocks prefetch on every
// processor, unless a distance was given.
enum class BlocksAre { as_stored, converted };
inline Offset prefetch_distance_of(bool device, BlocksAre blocks = BlocksAre::as_stored)
{
  const PrefetchDistance known = prefetch_distance();
  if (device) return 0;
  return Offset(blocks == BlocksAre::converted && !known.given ? usual_prefetch_distance : known.bytes);
}

} // namespace finegrain
