// SPDX-License-Identifier: BSD-2-Clause
// Solves with vectors of type REPRODUCIBLE.
#pragma once

#include "pc/pc_finegrain.hpp"

// Says in -info, once, which Mat or PC makes the solve depend on the number of ranks, if the vectors do not.
PetscErrorCode PCFinegrainNameRankDependence(PC pc, PC_Finegrain *e, KSP ksp);
