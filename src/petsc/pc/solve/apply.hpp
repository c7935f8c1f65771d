// SPDX-License-Identifier: BSD-2-Clause
// Applications to one vector, and the steps of KSPSIP.
#pragma once

#include "pc/pc_finegrain.hpp"

// Gives the PC its applications: pc->ops, and a composed function for KSPREFINE.
PetscErrorCode PCFinegrainSetApplications(PC pc);

// x = M^-1 b as PCApply() has it, but outside of log events and after any set-up. Collective.
PetscErrorCode PCFinegrainApply(PC pc, Vec b, Vec x);

// Allocates the memory of the first application of a kind, so that it may fail before others wait for this rank.
// Collective.
PetscErrorCode PCFinegrainReserve(PC pc, PC_Finegrain *e, const finegrain::Application &kind);

// Parts of an iteration of KSPSIP, x += M^-1 (b - A x), with the factor of this turn: the residual by Pmat, which
// stays in the engine's memory until the next call; x += M^-1 r; and step = M^-1 r, or that with M transposed.
PetscErrorCode PCFinegrainFindResidual(PC pc, Vec b, Vec x, const PetscScalar **r);
PetscErrorCode PCFinegrainAddStep(PC pc, PetscInt turn, const PetscScalar *r, Vec x);
PetscErrorCode PCFinegrainStep(PC pc, PetscInt turn, Vec r, Vec step, bool transposed);
