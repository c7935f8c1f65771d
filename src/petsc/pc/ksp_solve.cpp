// SPDX-License-Identifier: BSD-2-Clause
// What happens around a solve: KSPs call PCPreSolve() before their solver, and there it is replaced by one of ours
// for this solve. It runs the KSP's own solver, with Eisenstat's trick if that is asked for, and checks the solution.
// (PCPostSolve() comes too late: -ksp_converged_reason has been printed, and no solve that an error ends reaches it.)
#include "pc/pcengine.hpp"

#include <petsc/private/kspimpl.h>

#include <string>

namespace
{

PetscErrorCode Solve(KSP ksp, PC pc, KSPSolver solve)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, &e));
  if (e) PetscCall(PCEngineBeginCheck(pc, e, ksp));
  if (e && e->eisenstat != PCFGBILU_EISENSTAT_FALSE) PetscCall(PCEngineSolveByParts(pc, e, ksp, solve));
  else PetscCall((*solve)(ksp));
  PetscCall(PCEngineFind(pc, &e));
  if (e && ksp->pc == pc) PetscCall(PCEngineEndCheck(pc, e, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr char own_solver[] = "PCFinegrainKSPSolver_C";

PetscErrorCode KSPSolve_Engine(KSP ksp)
{
  KSPSolver solve = nullptr;
  PC pc;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(ksp), own_solver, &solve));
  ksp->ops->solve = solve;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectReference(reinterpret_cast<PetscObject>(pc))); // a monitor may set another preconditioner
  const PetscErrorCode code = Solve(ksp, pc, solve);
  PetscCall(PCDestroy(&pc));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCPreSolve_Engine(PC, KSP ksp, Vec, Vec)
{
  PetscFunctionBegin;
  if (ksp->ops->solve == KSPSolve_Engine) PetscFunctionReturn(PETSC_SUCCESS); // a solve has not come to begin
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(ksp), own_solver, ksp->ops->solve));
  ksp->ops->solve = KSPSolve_Engine;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCEngineSetSolve(PC pc)
{
  PetscFunctionBegin;
  pc->ops->presolve = PCPreSolve_Engine;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// PETSc does not say so. KSPs of nonlinear solvers have a tab level too, but not the prefixes that preconditioners
// append.
bool PCEngineIsInside(KSP ksp)
{
  const PetscObject object = reinterpret_cast<PetscObject>(ksp);
  if (object->tablevel == 0 || !object->prefix) return false;
  const std::string name = object->prefix;
  for (const char *part : {"sub_", "fieldsplit_", "mg_levels_", "mg_coarse_", "redundant_", "telescope_",
                           "redistribute_", "galerkin_", "deflation_"})
    if (name.find(part) != std::string::npos) return true;
  return name.size() >= 4 && name.compare(name.size() - 4, 4, "ksp_") == 0; // of PCKSP
}
