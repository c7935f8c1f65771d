// SPDX-License-Identifier: BSD-2-Clause
// Check of a solution: a KSP that claims convergence to a relative tolerance must leave a small residual b - A x,
// measured with the rows of A scaled to equal size. ksp_solve.cpp calls the functions before and after the KSP's
// solver.
#include "pc/solve/solution_check.hpp"
#include "pc/solve/ksp_inside.hpp"
#include "mat/baijkokkos.hpp"
#include "pc/options/settings.hpp"
#include "pc/solve/apply.hpp"
#include "pc/find.hpp"

#include <petsc/private/kspimpl.h>

#include <algorithm>
#include <string>

using namespace finegrain;

const char *const PCFinegrainCheckTypes[] = {"fail", "warn", "none", "PCFinegrainCheckType", "PC_FINEGRAIN_CHECK_",
                                             nullptr};

namespace finegrain::settings
{
constinit const Common<PCFinegrainCheckType> check_solution{"check_solution",
                                                            "What follows a converged solve with a large residual",
                                                            "PCFinegrainSetCheckSolution",
                                                            &FinegrainSettings::check_solution,
                                                            PCFinegrainCheckTypes,
                                                            PCFinegrainEffect::application};
} // namespace finegrain::settings

namespace
{

// Largest accepted scaled residual of a solution; docs/testing.md has the systems by which it was chosen.
constexpr PetscReal least_limit = PetscReal(1e-2);
PetscReal FindLimit(PetscReal rtol) { return std::max(least_limit, 10 * rtol); }

// Ratio of scaled residual and tolerance above which -info has a remark.
constexpr PetscReal suspicious = 1000;

// True if this solve can claim convergence: with PETSc's own test of a norm, and a tolerance for which the limit is
// below 1.
bool CanClaim(KSP ksp)
{
  const bool own_test = ksp->converged != KSPConvergedDefault && ksp->converged != KSPLSQRConvergedDefault;
  return !own_test && ksp->normtype != KSP_NORM_NONE && FindLimit(ksp->rtol) < 1 && !PCFinegrainIsInside(ksp);
}

// True if KSPConvergedDefault() compares with the residual of the initial guess.
bool ComparesWithGuess(KSP ksp, bool b_is_zero)
{
  if (ksp->guess_zero || ksp->converged != KSPConvergedDefault) return false;
  return b_is_zero || static_cast<const KSPConvergedDefaultCtx *>(ksp->cnvP)->initialrtol;
}

// Returns the matrix of the system, also while the shell of Eisenstat's trick replaces it.
Mat SystemMatrix(PC pc, const PC_Finegrain &e) { return e.eisenstat.active ? pc->pmat : pc->mat; }

PetscErrorCode MultiplySystem(PC pc, const PC_Finegrain &e, bool transposed, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(transposed ? MatMultTranspose(SystemMatrix(pc, e), x, y) : MatMult(SystemMatrix(pc, e), x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes the inverse row sums of the system's matrix, or of Pmat if only that has readable entries, else ones; for
// a transposed solve those of the transpose.
PetscErrorCode UpdateScales(PC pc, PC_Finegrain *e, bool transposed, Vec like)
{
  FinegrainCheck *check = &e->check;
  Mat rows = SystemMatrix(pc, *e);
  FinegrainState now;
  Operator type;
  bool known;

  PetscFunctionBegin;
  PetscCall(OperatorFindType(rows, &type, &known));
  if (!known) {
    rows = pc->pmat;
    type = Operator();
    PetscCall(OperatorFindType(rows, &type, &known));
  }
  PetscCall(FinegrainGetState(rows, &now));
  if (check->scales && check->scaled_by == now && check->transposed == transposed) PetscFunctionReturn(PETSC_SUCCESS);
  if (!check->scales) PetscCall(VecDuplicate(like, &check->scales));
  check->scaled_by = FinegrainState();
  if (known) PetscCall(OperatorScaleRows(rows, type, transposed, like, check->scales));
  else PetscCall(VecSet(check->scales, 1));
  check->scaled_by = now;
  check->transposed = transposed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes |R v|; `work` may be v.
PetscErrorCode ScaledNorm(const FinegrainCheck &check, Vec v, Vec work, PetscReal *norm)
{
  PetscFunctionBegin;
  PetscCall(VecPointwiseMult(work, v, check.scales));
  PetscCall(VecNorm(work, NORM_2, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes r = b - A x.
PetscErrorCode FindResidual(PC pc, const PC_Finegrain &e, bool transposed, Vec b, Vec x, Vec r)
{
  PetscFunctionBegin;
  PetscCall(MultiplySystem(pc, e, transposed, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes |R A M^-1 r|; r is overwritten.
PetscErrorCode NormInRange(PC pc, PC_Finegrain *e, bool transposed, Vec r, PetscReal *norm)
{
  Vec step;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(r, &step));
  PetscCall(transposed ? (*pc->ops->applytranspose)(pc, r, step) : PCFinegrainApply(pc, r, step));
  PetscCall(MultiplySystem(pc, *e, transposed, step, r));
  PetscCall(VecDestroy(&step));
  PetscCall(ScaledNorm(e->check, r, r, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindScaledResidual(PC pc, PC_Finegrain *e, KSP ksp)
{
  FinegrainCheck &check = e->check;
  const bool transposed = ksp->transpose_solve;
  const Vec b = ksp->vec_rhs, x = ksp->vec_sol;
  PetscReal reference, norm;
  MatNullSpace space;

  PetscFunctionBegin;
  if (!check.work) PetscCall(VecDuplicate(b, &check.work));
  PetscCall(UpdateScales(pc, e, transposed, b));
  PetscCall(ScaledNorm(check, b, check.work, &reference));
  reference = std::max(reference, check.initial);
  PetscCall(FindResidual(pc, *e, transposed, b, x, check.work));
  PetscCall(ScaledNorm(check, check.work, check.work, &norm));
  const auto ratio = [&] { return norm > 0 ? norm / reference : norm; }; // NaN stays NaN
  check.eta = ratio();
  PetscCall(MatGetNullSpace(SystemMatrix(pc, *e), &space));
  if (space && SystemMatrix(pc, *e) == pc->pmat && !(check.eta < check.limit)) {
    // If b has a component outside the range of A, the solver ends with r in M N, where N is the null space. A M^-1
    // r does not contain it.
    PetscCall(FindResidual(pc, *e, transposed, b, x, check.work));
    PetscCall(NormInRange(pc, e, transposed, check.work, &norm));
    check.eta = std::min(check.eta, ratio());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The options that make this KSP test the norm of b - A x: CG has no right preconditioning, other KSPs have neither.
std::string NormRemedy(KSP ksp)
{
  const PetscInt *supported = ksp->normsupporttable[KSP_NORM_UNPRECONDITIONED];
  if (supported[PC_RIGHT] == 0 && supported[PC_LEFT] == 0) return "";
  return std::string("-ksp_norm_type unpreconditioned ")
    .append(supported[PC_RIGHT] > 0 ? "or -ksp_pc_side right " : "")
    .append("tests b - A x itself, and ");
}

// Makes the solve fail, or prints a warning. Collective.
PetscErrorCode Refuse(PC pc, PC_Finegrain *e, KSP ksp)
{
  char text[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof text,
                          "The solution does not satisfy the system: its scaled residual is %.2g, the limit %.2g, "
                          "though the solver's norm fell by the tolerance %.2g",
                          double(e->check.eta), double(e->check.limit), double(ksp->rtol)));
  e->check.text = PCFinegrainText(pc, std::string(text)
                                        .append("; ")
                                        .append(e->type->accuracy_remedy)
                                        .append("; ")
                                        .append(NormRemedy(ksp))
                                        .append("@_check_solution warn lets the solution pass"));
  if (e->settings.check_solution == PC_FINEGRAIN_CHECK_WARN) {
    PetscCall(PetscFPrintf(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_STDERR, "finegrain: %s\n",
                           e->check.text.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(!ksp->errorifnotconverged, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_NOT_CONVERGED,
             "%s", e->check.text.c_str());
  PetscCall(PetscInfo(pc, "%s\n", e->check.text.c_str()));
  ksp->reason = KSP_DIVERGED_PC_FAILED;
  PetscCall(PCSetFailedReason(pc, PC_FACTOR_OTHER));
  e->check.refused = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode FinegrainCheck::forget(PC pc)
{
  PetscFunctionBegin;
  if (refused) PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  refused = false;
  text.clear();
  eta = initial = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FinegrainCheck::reset()
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&scales));
  PetscCall(VecDestroy(&work));
  scaled_by = FinegrainState();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainBeginCheck(PC pc, PC_Finegrain *e, KSP ksp)
{
  FinegrainCheck &check = e->check;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(check.forget(pc));
  // KSPSetUp() may have read the failed reason of the last solution.
  if (!pc->failedreason && ksp->reason == KSP_DIVERGED_PC_FAILED) ksp->reason = KSP_CONVERGED_ITERATING;
  if (e->settings.check_solution == PC_FINEGRAIN_CHECK_NONE || ksp->guess_zero || !CanClaim(ksp))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(ksp->vec_rhs, NORM_2, &norm));
  if (!ComparesWithGuess(ksp, norm == 0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FinegrainLogged(finegrain_events.check, pc, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    if (!check.work) PetscCall(VecDuplicate(ksp->vec_rhs, &check.work));
    PetscCall(UpdateScales(pc, e, ksp->transpose_solve, ksp->vec_rhs));
    PetscCall(FindResidual(pc, *e, ksp->transpose_solve, ksp->vec_rhs, ksp->vec_sol, check.work));
    PetscCall(ScaledNorm(check, check.work, check.work, &check.initial));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainEndCheck(PC pc, PC_Finegrain *e, KSP ksp)
{
  PetscFunctionBegin;
  if (e->settings.check_solution == PC_FINEGRAIN_CHECK_NONE || !CanClaim(ksp) || ksp->reason != KSP_CONVERGED_RTOL)
    PetscFunctionReturn(PETSC_SUCCESS);
  e->check.limit = FindLimit(ksp->rtol);
  PetscCall(FinegrainLogged(finegrain_events.check, pc, [&] { return FindScaledResidual(pc, e, ksp); }));
  PetscCall(PetscInfo(pc, "scaled residual %.2g, limit %.2g, tolerance %.2g%s\n", double(e->check.eta),
                      double(e->check.limit), double(ksp->rtol),
                      e->check.eta >= suspicious * ksp->rtol ? ": much larger than the tolerance" : ""));
  if (!(e->check.eta < e->check.limit)) PetscCall(Refuse(pc, e, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainViewCheck(const FinegrainCheck &check, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (!check.text.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "solve failed: %s\n", check.text.c_str()));
  if (check.eta >= 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "check of the last solution: scaled residual %.2g, limit %.2g\n",
                                     double(check.eta), double(check.limit)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainSetCheckSolution - Sets what follows a solve that claims convergence with a large residual

   Logically Collective

   Input Parameters:
+  pc    - the preconditioner
-  check - `PC_FINEGRAIN_CHECK_FAIL` (default), `PC_FINEGRAIN_CHECK_WARN` or `PC_FINEGRAIN_CHECK_NONE`

   Options Database Key:
.  -pc_fgbilu_check_solution <fail,warn,none> - the choice

   Level: intermediate

   Notes:
   Most `KSP`s test the norm of M^-1 (b - A x) by default. It can be small where b - A x is not: a factor or a
   relaxation of a matrix that is far from diagonally dominant amplifies errors, and one large row hides all others.
   Therefore the scaled residual |R (b - A x)| / |R b| is computed when a `KSP` with this preconditioner ends with
   `KSP_CONVERGED_RTOL` of its default test. The norm is the 2-norm, and R has the inverse row sums of |A|, so that
   the units of an equation do not matter. If the scaled residual is not below the larger of 0.01 and 10 times the
   relative tolerance,

+  fail - the reason becomes `KSP_DIVERGED_PC_FAILED`, and `PCGetFailedReason()` returns `PC_FACTOR_OTHER`
.  warn - one line on stderr reports it
-  none - this is not detected: nothing is computed.

   The view and -info report the scaled residual. The next solve begins anew.

   The matrix is Amat after the solve; if its entries cannot be read, R comes from Pmat. For a transposed solve both
   are transposed. If Amat has a null space and is Pmat, the part of the residual that a `KSP` cannot remove does not
   count. If the test compares with the residual of the initial guess and that is larger than b, so does the check.
   Solves that claim no relative tolerance are not checked: `KSPPREONLY`, a fixed number of iterations, norm type
   none, an absolute tolerance, the residual of the normal equations, a convergence test of the user, a tolerance of
   0.1 or more. A `KSP` inside another preconditioner, such as `PCGAMG`, `PCFIELDSPLIT`, `PCBJACOBI` and `PCKSP`, is
   not checked either.

   The cost is one product with A and two norms per solve, and a pass over the matrix after it has changed.

.seealso: `PCFinegrainGetCheckSolution()`, `PCFinegrainGetScaledResidual()`, `PCGetFailedReason()`, `KSPSetNormType()`
@*/
PetscErrorCode PCFinegrainSetCheckSolution(PC pc, PCFinegrainCheckType check)
{
  return settings::check_solution.set(pc, check);
}

PetscErrorCode PCFinegrainGetCheckSolution(PC pc, PCFinegrainCheckType *check)
{
  return settings::check_solution.get(pc, check);
}

/*@
   PCFinegrainGetScaledResidual - Gets the scaled residual of the last solution that was checked

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  eta - |R (b - A x)| / |R b|, where R has the inverse row sums of |A|; -1 if the last solve was not checked

   Level: intermediate

.seealso: `PCFinegrainSetCheckSolution()`
@*/
PetscErrorCode PCFinegrainGetScaledResidual(PC pc, PetscReal *eta)
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainGet(pc, &e));
  *eta = e->check.eta;
  PetscFunctionReturn(PETSC_SUCCESS);
}
