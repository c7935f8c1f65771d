// SPDX-License-Identifier: BSD-2-Clause
// Views by viewers other than ASCII.
#pragma once

#include "pc/pc_finegrain.hpp"

// Prints a string, or draws a picture of the groups. Collective.
PetscErrorCode PCFinegrainViewOtherwise(PC pc, const PC_Finegrain &e, PetscViewer viewer);
