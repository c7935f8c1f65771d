// SPDX-License-Identifier: BSD-2-Clause
// Solves with Eisenstat's trick, and applications of the split form of M, P_L^-1 and P_R^-1.
#pragma once

#include "pc/pc_finegrain.hpp"

// Solver of a KSP type.
using KSPSolver = PetscErrorCode (*)(KSP);

// Sets the applications of the split form in pc->ops.
PetscErrorCode PCFinegrainSetSplitForm(PC pc);

// Runs the KSP's solver with the trick, or without it if it cannot be used. Collective.
PetscErrorCode PCFinegrainSolveByEisenstat(PC pc, PC_Finegrain *e, KSP ksp, KSPSolver solve);
