// SPDX-License-Identifier: BSD-2-Clause
// Grids that were given to a PC without a type.
#pragma once

#include "pc/pc_finegrain.hpp"

// Collective where there is one.
PetscErrorCode PCFinegrainTakeGrid(PC pc, PC_Finegrain *e);
