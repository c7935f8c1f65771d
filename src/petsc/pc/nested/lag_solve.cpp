// SPDX-License-Identifier: BSD-2-Clause
// Solves with PCLAG: counts iterations, and repeats a solve that failed with a kept preconditioner with a new one.
#include "pc/nested/lag.hpp"
#include "common/solver_wrapper.hpp"

#include <petsctime.h>

#include <string_view>

namespace
{

constexpr char own_solver[] = "PCLAGKSPSolver_C";

// True for the KSP with which KSPCHEBYSHEV estimates eigenvalues. It shares the PC, and its iterations say nothing.
bool EstimatesEigenvalues(KSP ksp)
{
  const char *prefix = reinterpret_cast<PetscObject>(ksp)->prefix;
  return prefix && std::string_view(prefix).ends_with("esteig_");
}

// True if the inner PC is set up for the current matrix.
PetscErrorCode FindIfFresh(PC pc, const PC_Lag &lag, bool *fresh)
{
  FinegrainState now;

  PetscFunctionBegin;
  PetscCall(FinegrainGetState(pc->pmat, &now));
  *fresh = lag.is_built && lag.built == now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Runs the solver of the KSP, again with a new preconditioner if it fails with a kept one. The first failure is no
// error for KSPSetErrorIfNotConverged().
PetscErrorCode SolveTwice(KSP ksp, PC pc, PC_Lag *lag, KSPSolver solve, Vec guess)
{
  const PetscBool is_error = ksp->errorifnotconverged;
  bool fresh = true;

  PetscFunctionBegin;
  if (lag && !pc->reusepreconditioner) PetscCall(FindIfFresh(pc, *lag, &fresh));
  if (!fresh) ksp->errorifnotconverged = PETSC_FALSE;
  const PetscErrorCode code = (*solve)(ksp);
  ksp->errorifnotconverged = is_error;
  PetscCall(code);
  if (ksp->reason >= 0 || ksp->pc != pc || fresh) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindIfFresh(pc, *lag, &fresh)); // its first application may have set it up
  if (fresh) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscInfo(pc,
                      "the solve failed with a kept preconditioner (%s after %" PetscInt_FMT
                      " iterations) and is repeated with a new one\n",
                      KSPConvergedReasons[ksp->reason], ksp->its));
  lag->decision.fail(double(ksp->its));
  lag->failed = true;
  pc->matstate = -1; // the matrix is the same
  PetscCall(PCSetUp(pc));
  if (lag->failed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(guess ? VecCopy(guess, ksp->vec_sol) : VecSet(ksp->vec_sol, 0));
  ksp->reason = KSP_CONVERGED_ITERATING;
  PetscCall(PetscTime(&lag->begin));
  PetscCall((*solve)(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPSolve_LAG(KSP ksp)
{
  return FinegrainRunRestored(ksp, own_solver, [&](PC pc, KSPSolver solve) -> PetscErrorCode {
    PC_Lag *lag = nullptr;
    Vec guess = nullptr;

    PetscFunctionBegin;
    PetscCall(PCNestedFind(pc, PCLAG, false, &lag));
    if (!ksp->guess_zero) {
      PetscCall(VecDuplicate(ksp->vec_sol, &guess));
      PetscCall(VecCopy(ksp->vec_sol, guess));
    }
    const PetscErrorCode code = SolveTwice(ksp, pc, lag, solve, guess);
    PetscCall(VecDestroy(&guess));
    if (code && lag) { // PCPostSolve() is not called
      lag->failed = true;
      lag->running = false;
      pc->matstate = -1;
    }
    PetscCall(code);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

// Set-up comes before this, or after it if KSPSetOperators() was not called for the new values.
PetscErrorCode PCPreSolve_LAG(PC pc, KSP ksp, Vec b, Vec)
{
  PC_Lag *lag = static_cast<PC_Lag *>(pc->data);
  PetscReal norm = 0;

  PetscFunctionBegin;
  if (EstimatesEigenvalues(ksp)) PetscFunctionReturn(PETSC_SUCCESS);
  if (lag->running) lag->failed = true; // an error ended the solve before this one
  lag->running = true;
  PetscCall(PetscTime(&lag->begin));
  if (ksp->normtype == KSP_NORM_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(b, NORM_2, &norm));
  lag->decision.begin(double(norm));
  PetscCall(FinegrainReplaceSolver(ksp, own_solver, KSPSolve_LAG));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Measures the cost of a set-up. All ranks get the same number.
PetscErrorCode Measure(PC pc, PC_Lag *lag, PetscInt its)
{
  PetscLogDouble times[2] = {lag->setup_time, 0}, now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  times[1] = (now - lag->begin) / PetscMax(its, 1);
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  if (times[1] > 0) lag->measured = PetscReal(times[0] / times[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCPostSolve_LAG(PC pc, KSP ksp, Vec, Vec)
{
  PC_Lag *lag = static_cast<PC_Lag *>(pc->data);
  bool fresh = true;

  PetscFunctionBegin;
  if (EstimatesEigenvalues(ksp)) PetscFunctionReturn(PETSC_SUCCESS);
  lag->running = false;
  // A fixed number of iterations, as of KSPPREONLY and smoothers, does not depend on the preconditioner.
  lag->solved = ksp->reason != KSP_CONVERGED_ITS && ksp->normtype != KSP_NORM_NONE;
  lag->failed = ksp->reason < 0;
  if (!lag->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindIfFresh(pc, *lag, &fresh));
  if (!lag->failed) lag->decision.end(double(ksp->its), fresh);
  if (!lag->failed && lag->measure) PetscCall(Measure(pc, lag, ksp->its));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

void PCLagSetSolves(PC pc)
{
  pc->ops->presolve = PCPreSolve_LAG;
  pc->ops->postsolve = PCPostSolve_LAG;
}
