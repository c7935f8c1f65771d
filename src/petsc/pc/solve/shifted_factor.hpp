// SPDX-License-Identifier: BSD-2-Clause
// Numeric factorization, with a diagonal shift if pivots are not positive definite.
#pragma once

#include "pc/pc_finegrain.hpp"

// Factors. With Shift::definite it repeats the factorization with larger shifts until the pivots of all ranks are
// positive definite. Collective.
PetscErrorCode PCFinegrainFactor(PC pc, PC_Finegrain *e, finegrain::Values values, finegrain::Real largest);
