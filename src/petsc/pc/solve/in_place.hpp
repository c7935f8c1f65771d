// SPDX-License-Identifier: BSD-2-Clause
// mcpi's conversion of off-diagonal blocks in the memory of Pmat's device copy (Relaxation::in_place).
#pragma once

#include "pc/pc_finegrain.hpp"

// Stops where Pmat has no device copy that can be given away, or somebody will need it. Not collective.
PetscErrorCode PCFinegrainCheckInPlace(PC pc, const PC_Finegrain &e);
