// SPDX-License-Identifier: BSD-2-Clause
// The numeric factorization, with a diagonal shift if pivots are not positive definite.
#pragma once

#include "pc/pc_finegrain.hpp"

// Factors; with Shift::definite again and again with a larger diagonal until the pivots of all ranks are definite.
// Collective.
PetscErrorCode PCFinegrainFactor(PC pc, PC_Finegrain *e, finegrain::Values values, finegrain::Real largest);
