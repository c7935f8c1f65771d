// SPDX-License-Identifier: BSD-2-Clause
// The view of colors.
#pragma once

#include "pc/pc_finegrain.hpp"

// Collective.
PetscErrorCode PCFinegrainViewColoring(PC pc, const PC_Finegrain &e, PetscViewer viewer);
