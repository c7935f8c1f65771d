// SPDX-License-Identifier: BSD-2-Clause
// Errors of set-up, which name the option and a remedy, and failed reasons, which are equal on all ranks.
#pragma once

#include "pc/pc_finegrain.hpp"

// Raises an error if the engine's analysis rejects the matrix on this rank. first_row: first block row of the rank.
// Not collective.
PetscErrorCode PCFinegrainRefuse(PC pc, const PC_Finegrain &e, const finegrain::SetupError &error, PetscInt first_row,
                                 finegrain::Index rows, const finegrain::Grid &grid);

// Sets the failed reason and its text from the result of the factorization on all ranks. Collective.
PetscErrorCode PCFinegrainReportFailure(PC pc, PC_Finegrain *e);
