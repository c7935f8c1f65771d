// SPDX-License-Identifier: BSD-2-Clause
// Matrix that is read if Pmat cannot be read directly.
#pragma once

#include "pc/pc_finegrain.hpp"

// Returns the matrix that is read: Pmat or its conversion.
inline Mat PCFinegrainMatrix(PC pc, const FinegrainConversion &c) { return c.matrix ? c.matrix : pc->pmat; }

// Creates or updates the conversion, if one is needed. Collective.
PetscErrorCode PCFinegrainConvert(PC pc, PC_Finegrain *e);
