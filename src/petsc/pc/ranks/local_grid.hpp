// SPDX-License-Identifier: BSD-2-Clause
// The structured grid of a rank.
#pragma once

#include "pc/pc_finegrain.hpp"

#include <petscdmda.h>

// The DMDA of the PC or of its matrix, set up; null: none. Collective.
PetscErrorCode PCFinegrainFindGrid(PC pc, DM *da);

// The boxes of this rank: those that are given (I, J, K of each), else the local box of the DMDA, which knows its
// periodic axes. *hint: none were given.
PetscErrorCode FinegrainFindBoxes(DM da, const std::vector<PetscInt> &given, finegrain::Grid *grid,
                                  unsigned *open_axes, bool *hint);
