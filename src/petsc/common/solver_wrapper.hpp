// SPDX-License-Identifier: BSD-2-Clause
// Replaces the solver of a KSP for one solve: PCPreSolve() runs before it. A solve that ends early leaves it
// replaced.
#pragma once

#include "common/petsc_compat.hpp"

#include <petsc/private/kspimpl.h>

using KSPSolver = PetscErrorCode (*)(KSP);

// Makes the KSP call `ours` instead, which begins with FinegrainRunRestored(). `name`: of a composed function.
inline PetscErrorCode FinegrainReplaceSolver(KSP ksp, const char *name, KSPSolver ours)
{
  PetscFunctionBegin;
  if (ksp->ops->solve == ours) PetscFunctionReturn(PETSC_SUCCESS); // an earlier solve ended early
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(ksp), name, ksp->ops->solve));
  ksp->ops->solve = ours;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Restores the KSP's solver, and runs body(pc, solver). The PC stays until the end, for a monitor may set another
// one.
template <class Body> PetscErrorCode FinegrainRunRestored(KSP ksp, const char *name, const Body &body)
{
  KSPSolver solve = nullptr;
  PC pc;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(ksp), name, &solve));
  ksp->ops->solve = solve;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectReference(reinterpret_cast<PetscObject>(pc)));
  const PetscErrorCode code = body(pc, solve);
  // PCPostSolve() is not called after an error, and PETSc refuses a third PCPreSolve() without it.
  if (code && pc->presolvedone > 0) --pc->presolvedone;
  PetscCall(PCDestroy(&pc));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
