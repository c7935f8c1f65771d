// SPDX-License-Identifier: BSD-2-Clause
// Tests if a KSP is nested in a preconditioner.
#pragma once

#include <petscksp.h>

// True if the KSP is inside another preconditioner, whose KSP then claims convergence.
bool PCFinegrainIsInside(KSP ksp);
