// SPDX-License-Identifier: BSD-2-Clause
// Allocations that fail when told to: operator new, which the library and Kokkos on a host call.
#pragma once

namespace finegrain::test
{

// The allocation number `from_now` fails, counted from 0; those after it succeed again.
void FailAllocation(long from_now);

// No failure from here on. Whether the one that was asked for has happened.
bool StopFailing();

} // namespace finegrain::test
