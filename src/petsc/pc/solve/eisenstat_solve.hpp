// SPDX-License-Identifier: BSD-2-Clause
// Solves with Eisenstat's trick, and the parts of M, P_L^-1 and P_R^-1.
#pragma once

#include "pc/pc_finegrain.hpp"

// A KSP's own solver.
using KSPSolver = PetscErrorCode (*)(KSP);

// pc->ops: applications of the parts.
PetscErrorCode PCFinegrainSetParts(PC pc);

// Runs the KSP's solver with the trick, or without it where it cannot be used. Collective.
PetscErrorCode PCFinegrainSolveByParts(PC pc, PC_Finegrain *e, KSP ksp, KSPSolver solve);
