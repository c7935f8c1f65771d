// SPDX-License-Identifier: BSD-2-Clause
// Check of a KSP's solution, before and after its solver.
#pragma once

#include "pc/pc_finegrain.hpp"

// Collective. PCFinegrainEndCheck() may change ksp->reason.
PetscErrorCode PCFinegrainBeginCheck(PC pc, PC_Finegrain *e, KSP ksp);
PetscErrorCode PCFinegrainEndCheck(PC pc, PC_Finegrain *e, KSP ksp);

PetscErrorCode PCFinegrainViewCheck(const FinegrainCheck &check, PetscViewer viewer);
