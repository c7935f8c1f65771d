// SPDX-License-Identifier: BSD-2-Clause
// Change of Pmat since it was factored.
#pragma once

#include "pc/pc_finegrain.hpp"

// Finds the change, equal on all ranks. Collective.
PetscErrorCode PCFinegrainFindChange(PC pc, PC_Finegrain *e, MatrixChange *change);
