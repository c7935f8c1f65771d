// SPDX-License-Identifier: BSD-2-Clause
// Set-up of all types: analysis and factorization.
#pragma once

#include "pc/pc_finegrain.hpp"

PetscErrorCode PCSetUp_Finegrain(PC pc);

// Returns the tile of the ordering tiles, without points if the rows have another ordering.
finegrain::Box PCFinegrainOrderedTile(const PC_Finegrain &);

// Repeat the analysis and the factorization, inside log events. Collective.
PetscErrorCode PCFinegrainAnalyze(PC pc, PC_Finegrain *e);
PetscErrorCode PCFinegrainRefactor(PC pc, PC_Finegrain *e);

// Prepare the engine for residuals of the matrix of this view, and for products of Eisenstat's trick. Collective.
PetscErrorCode PCFinegrainAllowCorrections(PC pc, PC_Finegrain *e, const finegrain::OperatorView &view);
PetscErrorCode PCFinegrainAllowProducts(PC pc, PC_Finegrain *e);
