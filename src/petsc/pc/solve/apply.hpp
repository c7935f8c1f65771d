// SPDX-License-Identifier: BSD-2-Clause
// Applications to one vector, and iterations of KSPSIP.
#pragma once

#include "pc/pc_finegrain.hpp"

// Sets the applications of the PC: pc->ops, and a composed function for KSPREFINE.
PetscErrorCode PCFinegrainSetApplications(PC pc);

// Computes x = M^-1 b as PCApply() does, but without log events and set-up. Collective.
PetscErrorCode PCFinegrainApply(PC pc, Vec b, Vec x);

// Allocates memory for the first application of a kind, so that a failure occurs before other ranks wait for this
// one. Collective.
PetscErrorCode PCFinegrainReserve(PC pc, PC_Finegrain *e, const finegrain::Application &kind);

// Parts of an iteration of KSPSIP, x += M^-1 (b - A x), with the factor of this turn. FindResidual computes the
// residual with Pmat, in memory of the engine that is valid until the next call. AddStep computes x += M^-1 r, and
// Step computes step = M^-1 r or M^-T r.
PetscErrorCode PCFinegrainFindResidual(PC pc, Vec b, Vec x, const PetscScalar **r);
PetscErrorCode PCFinegrainAddStep(PC pc, PetscInt turn, const PetscScalar *r, Vec x);
PetscErrorCode PCFinegrainStep(PC pc, PetscInt turn, Vec r, Vec step, bool transposed);
