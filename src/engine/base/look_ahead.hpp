// SPDX-License-Identifier: BSD-2-Clause
// How far ahead of its reading a host asks for blocks that are one stream, of a matrix or a factor. That is a
// property of the machine: where the hardware follows one stream well, requests only cost time. Not a bit of a result
// depends on it.
#pragma once

#include "base/scalar.hpp"

#include <cstddef>

namespace finegrain
{

enum class LookAheadSource { assumed, measured, given };

struct LookAhead {
  std::size_t bytes = 6144; // 0: nothing is asked for
  LookAheadSource source = LookAheadSource::assumed;
};

// Of this process.
LookAhead look_ahead();
// From now on; below 0 it is measured at the next large matrix.
void set_look_ahead(Offset bytes);
// What kernels of an execution space get: hosts ask. A kernel that converts the numbers of its blocks reads them more
// slowly than the measurement does, and may want them whatever that says (docs/decisions, Kernels 5).
enum class BlocksAre { as_stored, converted };
inline Offset ahead_of(bool device, BlocksAre blocks = BlocksAre::as_stored)
{
  const LookAhead known = look_ahead();
  const bool as_measured = blocks == BlocksAre::as_stored || known.source == LookAheadSource::given;
  return device ? 0 : Offset((as_measured ? known : LookAhead()).bytes);
}
// Measured once in a process, on memory that has been written: some milliseconds. Nothing is done where it is less
// than caches hold, or where the distance is known.
void measure_look_ahead(const void *stream, std::size_t bytes);

} // namespace finegrain
