// SPDX-License-Identifier: BSD-2-Clause
// Who computes residuals of Pmat.
#pragma once

#include "pc/pc_finegrain.hpp"

// Returns whether the engine computes residuals of Pmat as it is now, and prepares it to; else MatMult() does.
// Collective.
PetscErrorCode PCFinegrainMakesResiduals(PC pc, PC_Finegrain *e, bool *makes);
