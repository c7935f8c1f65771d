// SPDX-License-Identifier: BSD-2-Clause
// Conversion of mcpi's off-diagonal blocks in the memory of Pmat's device copy (Relaxation::in_place).
#pragma once

#include "pc/pc_finegrain.hpp"

// Raises an error if Pmat has no device copy to give away, or if something else will need it. Not collective.
PetscErrorCode PCFinegrainCheckInPlace(PC pc, const PC_Finegrain &e);
