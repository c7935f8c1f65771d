// SPDX-License-Identifier: BSD-2-Clause
// The place of a KSP in a program's solver.
#pragma once

#include <petscksp.h>

// Whether the KSP is inside another preconditioner, which then judges its solution.
bool PCFinegrainIsInside(KSP ksp);
