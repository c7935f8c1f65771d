// SPDX-License-Identifier: BSD-2-Clause
// Prefetch distance in bytes for contiguous blocks of a matrix or a factor that a host kernel reads. The gain
// depends on the processor (docs/decisions.md, Kernels 1). The distance changes no result.
#pragma once

#include "base/scalar.hpp"

#include <cstddef>

namespace finegrain
{

enum class PrefetchSource { assumed, measured, given };

struct PrefetchDistance {
  std::size_t bytes = 0; // 0: no prefetching
  PrefetchSource source = PrefetchSource::assumed;
};

// Returns the distance of this process.
PrefetchDistance prefetch_distance();
// Sets the distance. If it is negative, the next large matrix measures it.
void set_prefetch_distance(Offset bytes);
// Returns the distance for kernels of a back end, 0 on devices. Kernels that convert their blocks also gain on
// processors where others do not (docs/decisions.md, Kernels 1). They therefore prefetch unless a distance was
// given.
enum class BlocksAre { as_stored, converted };
inline constexpr std::size_t usual_prefetch_distance = 6144;
inline Offset prefetch_distance_of(bool device, BlocksAre blocks = BlocksAre::as_stored)
{
  const PrefetchDistance known = prefetch_distance();
  if (device) return 0;
  const bool converts = blocks == BlocksAre::converted && known.source != PrefetchSource::given;
  return Offset(converts ? usual_prefetch_distance : known.bytes);
}
// Measures once per process, for some milliseconds, on memory that has been written. Does nothing if the stream is
// too short or the distance is known.
void measure_prefetch_distance(const void *stream, std::size_t bytes);

} // namespace finegrain
