// SPDX-License-Identifier: BSD-2-Clause
// Errors of set-up, which name the option and a remedy, and failed reasons, which are equal on all ranks.
#pragma once

#include "pc/pc_finegrain.hpp"

// An error for what the engine's analysis refuses on this rank: block rows from `first_row` on. Not collective.
PetscErrorCode PCFinegrainRefuse(PC pc, const PC_Finegrain &e, const finegrain::SetupError &error, PetscInt first_row,
                                 finegrain::Index rows, const finegrain::Grid &grid);

// Sets the failed reason and the text of it from what the factorization found on any rank. Collective.
PetscErrorCode PCFinegrainReportFailure(PC pc, PC_Finegrain *e);
