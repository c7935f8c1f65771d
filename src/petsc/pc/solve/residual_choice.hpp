// SPDX-License-Identifier: BSD-2-Clause
// Choice of who computes residuals of Pmat.
#pragma once

#include "pc/pc_finegrain.hpp"

// *makes is true if the engine computes residuals of the current Pmat, for which it is prepared here; otherwise
// MatMult() does. Collective.
PetscErrorCode PCFinegrainMakesResiduals(PC pc, PC_Finegrain *e, bool *makes);
