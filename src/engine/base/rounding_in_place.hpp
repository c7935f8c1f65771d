// SPDX-License-Identifier: BSD-2-Clause
// In-place reduction of storage (PIPSR; Walden et al., Algorithm 4; numerics.md 2): numbers of a matrix that is
// already there become shorter ones at the start of the same memory. Nothing is allocated.
#pragma once

#include "base/scalar.hpp"

namespace finegrain
{

// data[0 .. count) become To(single(scale data[i])), the bits that a copy (narrow(), storage.hpp) has, one after the
// other from the address `data` on; what the rest of the memory holds afterwards is not defined. Numbers are real: a
// complex matrix has twice as many. data is aligned as From is (on a device, to 16 bytes it is faster), in memory
// that Exec can reach. Numbers that were not zero and are zero now are added to *flushed, in that memory too.
//
// On a device this returns before it is done, as Kokkos' kernels do.
//
// From double to float, Half and BFloat16, and from float to Half and BFloat16; Exec is HostExec or DeviceExec.
template <class Exec, class To, class From> void reduce_storage(const typename Exec::execution_space &exec,
                                                                From *data, Offset count, From scale = 1,
                                                                Offset *flushed = nullptr);

// The same for scalars and a precision below working; zeros follow for block_slack bytes. The memory has that much
// more.
template <class Exec> void reduce_blocks(const typename Exec::execution_space &exec, Scalar *blocks, Offset count,
                                         Precision to, Real scale, Offset *flushed);

// reduce_storage() on a host by this many threads, however few the numbers: for tests and measurements.
// reduce_storage() takes all threads, or one and one pass upwards where that is less work.
template <class To, class From>
void reduce_in_parts(Index parts, From *data, Offset count, From scale = 1, Offset *flushed = nullptr);

} // namespace finegrain
