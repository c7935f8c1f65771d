// SPDX-License-Identifier: BSD-2-Clause
// Grids that were set before the PC had a type.
#pragma once

#include "pc/pc_finegrain.hpp"

// Moves the grid that was set on a PC before its type to the data of the PC. Collective if there is one.
PetscErrorCode PCFinegrainMoveGrid(PC pc, PC_Finegrain *e);
