// SPDX-License-Identifier: BSD-2-Clause
// Structured grid of a rank.
#pragma once

#include "pc/pc_finegrain.hpp"

#include <petscdmda.h>

// Finds the DMDA of the PC or of its matrix and sets it up, or returns null. Collective.
PetscErrorCode PCFinegrainFindGrid(PC pc, DM *da);

// Finds the boxes of this rank: the `given` ones (I, J, K of each), else the local box of the DMDA, for which
// open_axes has the axes that are not periodic. *hint: no boxes were given.
PetscErrorCode FinegrainFindBoxes(DM da, const std::vector<PetscInt> &given, finegrain::Grid *grid,
                                  unsigned *open_axes, bool *hint);
