// SPDX-License-Identifier: BSD-2-Clause
// Allocations that fail on demand: operator new, which the library and Kokkos on a host call.
#pragma once

namespace finegrain::test
{

// The allocation number `from_now` fails, counted from 0; later ones succeed again.
void FailAllocation(long from_now);

// Disables the failure. Returns true if it has happened.
bool StopFailing();

} // namespace finegrain::test
