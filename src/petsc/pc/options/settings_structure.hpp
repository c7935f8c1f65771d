// SPDX-License-Identifier: BSD-2-Clause
// Grids that were set before the PC had a type.
#pragma once

#include "pc/pc_finegrain.hpp"

// Moves such a grid to the data of the PC. Collective if there is one.
PetscErrorCode PCFinegrainTakeGrid(PC pc, PC_Finegrain *e);
