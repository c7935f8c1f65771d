// SPDX-License-Identifier: BSD-2-Clause
// The matrix that is read where Pmat cannot be read as it is.
#pragma once

#include "pc/pc_finegrain.hpp"

// The matrix that is read: Pmat, or its conversion.
inline Mat PCFinegrainMatrix(PC pc, const FinegrainConversion &c) { return c.matrix ? c.matrix : pc->pmat; }

// Makes the conversion, if one is needed, or brings it up to date. Collective.
PetscErrorCode PCFinegrainConvert(PC pc, PC_Finegrain *e);
