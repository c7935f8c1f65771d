// SPDX-License-Identifier: BSD-2-Clause
// In-place reduction of storage (PIPSR; Walden et al., Algorithm 4; numerics.md 2). The scalars of a matrix are
// converted to lower precision and stored at the start of the same memory. Nothing is allocated.
#pragma once

#include "base/scalar.hpp"

namespace finegrain
{

// data[0 .. count) become To(single(scale data[i])), contiguous from the address `data` on. They are bitwise
// identical to a copy by narrow() (base/rounding.hpp). The rest of the memory is undefined afterwards. Numbers are
// real: a complex matrix has twice as many. `data` is aligned for From, in memory that Exec can access; on a device
// alignment to 16 bytes is faster. The count of numbers that were nonzero and are stored as zero is added to
// *flushed, which is in that memory too.
//
// On a device the function returns before it has finished, as Kokkos' kernels do.
//
// Conversions exist from double to float, Half and BFloat16, and from float to Half and BFloat16. Exec is HostExec
// or DeviceExec.
template <class Exec, class To, class From> void reduce_storage(const typename Exec::execution_space &exec,
                                                                From *data, Offset count, From scale = 1,
                                                                Offset *flushed = nullptr);

// reduce_storage() for scalars and a precision below working. Behind the results it sets block_slack bytes to zero;
// the memory must be that much longer than the scalars.
template <class Exec> void reduce_blocks(const typename Exec::execution_space &exec, Scalar *blocks, Offset count,
                                         Precision to, Real scale, Offset *flushed);

// reduce_storage() on a host by this many threads, for any count: for tests and measurements. reduce_storage()
// itself uses all threads, or one thread and one ascending pass if that is less work.
template <class To, class From>
void reduce_in_shares(Index shares, From *data, Offset count, From scale = 1, Offset *flushed = nullptr);

} // namespace finegrain
