// SPDX-License-Identifier: BSD-2-Clause
// The change of Pmat since it was factored.
#pragma once

#include "pc/pc_finegrain.hpp"

// Collective.
PetscErrorCode PCFinegrainFindChange(PC pc, PC_Finegrain *e, MatrixChange *change);
