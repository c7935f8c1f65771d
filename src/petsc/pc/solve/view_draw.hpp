// SPDX-License-Identifier: BSD-2-Clause
// Viewers other than ASCII.
#pragma once

#include "pc/pc_finegrain.hpp"

// A string, or a picture of the groups. Collective.
PetscErrorCode PCFinegrainViewOtherwise(PC pc, const PC_Finegrain &e, PetscViewer viewer);
