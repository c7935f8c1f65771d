// SPDX-License-Identifier: BSD-2-Clause
// View of colors.
#pragma once

#include "pc/pc_finegrain.hpp"

// Prints the line about colors. Collective.
PetscErrorCode PCFinegrainViewColoring(PC pc, const PC_Finegrain &e, PetscViewer viewer);
