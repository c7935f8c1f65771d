// SPDX-License-Identifier: BSD-2-Clause
// The prefetch distance of blocks that a host kernel reads as one stream, of a matrix or a factor. Whether
// prefetching gains depends on the processor (docs/decisions.md, Kernels 5). It changes no result.
#pragma once

#include "base/scalar.hpp"

#include <cstddef>

namespace finegrain
{

enum class PrefetchSource { assumed, measured, given };

struct PrefetchDistance {
  std::size_t bytes = 0; // 0: no prefetch
  PrefetchSource source = PrefetchSource::assumed;
};

// Of this process.
PrefetchDistance prefetch_distance();
// Sets the distance; below 0 it is measured at the next large matrix.
void set_prefetch_distance(Offset bytes);
// The distance for kernels of a back end: 0 on devices. Kernels that convert their blocks gain from prefetching where
// others do not (docs/decisions.md, Kernels 5): they use it unless a distance was given.
enum class BlocksAre { as_stored, converted };
inline constexpr std::size_t usual_prefetch_distance = 6144;
inline Offset prefetch_distance_of(bool device, BlocksAre blocks = BlocksAre::as_stored)
{
  const PrefetchDistance known = prefetch_distance();
  if (device) return 0;
  const bool converts = blocks == BlocksAre::converted && known.source != PrefetchSource::given;
  return Offset(converts ? usual_prefetch_distance : known.bytes);
}
// Measures once in a process, on memory that has been written, for some milliseconds. Does nothing for a stream that
// is too short, or where the distance is known.
void measure_prefetch_distance(const void *stream, std::size_t bytes);

} // namespace finegrain
