// SPDX-License-Identifier: BSD-2-Clause
// Wraps the solver of a KSP. KSPs call PCPreSolve() before their solver, which there is replaced for this solve by a
// function of finegrain. That runs the KSP's solver, with Eisenstat's trick if it is chosen, and checks the
// solution. (PCPostSolve() would be too late: -ksp_converged_reason has already been printed, and a solve that ends
// with an error does not call it.)
#include "pc/solve/ksp_solve.hpp"
#include "pc/solve/eisenstat_solve.hpp"
#include "pc/solve/rank_dependence.hpp"
#include "common/solver_wrapper.hpp"
#include "pc/find.hpp"
#include "pc/solve/solution_check.hpp"

#include <petsc/private/kspimpl.h>

#include <string>

namespace
{

PetscErrorCode Solve(KSP ksp, PC pc, KSPSolver solve)
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFind(pc, &e));
  if (e) PetscCall(PCFinegrainBeginCheck(pc, e, ksp));
  if (e) PetscCall(PCFinegrainNameRankDependence(pc, e, ksp));
  if (e && e->settings.eisenstat != PCFGBILU_EISENSTAT_FALSE)
    PetscCall(PCFinegrainSolveByEisenstat(pc, e, ksp, solve));
  else PetscCall((*solve)(ksp));
  PetscCall(PCFinegrainFind(pc, &e));
  if (e && ksp->pc == pc) PetscCall(PCFinegrainEndCheck(pc, e, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr char own_solver[] = "PCFinegrainKSPSolver_C";

PetscErrorCode KSPSolve_Finegrain(KSP ksp)
{
  return FinegrainRunRestored(ksp, own_solver, [&](PC pc, KSPSolver solve) { return Solve(ksp, pc, solve); });
}

PetscErrorCode PCPreSolve_Finegrain(PC, KSP ksp, Vec, Vec)
{
  return FinegrainReplaceSolver(ksp, own_solver, KSPSolve_Finegrain);
}

} // namespace

PetscErrorCode PCFinegrainSetSolve(PC pc)
{
  PetscFunctionBegin;
  pc->ops->presolve = PCPreSolve_Finegrain;
  PetscFunctionReturn(PETSC_SUCCESS);
}
