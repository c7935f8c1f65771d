// SPDX-License-Identifier: BSD-2-Clause
// The check of a solution: a KSP that claims convergence to a relative tolerance must leave a small residual
// b - A x, measured with the rows of A scaled to the same size. ksp_solve.cpp calls this around the KSP's own solver.
#include "mat/baijkokkos.hpp"
#include "pc/settings.hpp"

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
                                                            &PCEngine::check_solution,
                                                            PCFinegrainCheckTypes,
                                                            PCEngineEffect::application};
} // namespace finegrain::settings

namespace
{

// The largest scaled residual of a solution that is accepted (docs/checks.md has the systems that it was chosen by).
constexpr PetscReal least_limit = PetscReal(1e-2);
PetscReal FindLimit(PetscReal rtol) { return std::max(least_limit, 10 * rtol); }

// From so many tolerances on, a scaled residual below the limit is worth a line of -info.
constexpr PetscReal suspicious = 1000;

// Whether this solve can end with a claim to check: PETSc's own test, of a norm, to a tolerance that leaves room for
// a limit below 1.
bool CanClaim(const _p_KSP &ksp)
{
  return ksp.converged == KSPConvergedDefault && ksp.normtype != KSP_NORM_NONE && FindLimit(ksp.rtol) < 1;
}

// Whether it did. Without an absolute tolerance of the user's, one that is met says that the residual is zero.
bool Claims(const _p_KSP &ksp)
{
  constexpr PetscReal no_tolerance = PetscReal(1e-50); // PETSc's default
  return ksp.reason == KSP_CONVERGED_RTOL || (ksp.reason == KSP_CONVERGED_ATOL && ksp.abstol <= no_tolerance);
}

// The matrix of the system, whatever stands in its place for Eisenstat's trick.
Mat SystemMatrix(PC pc, const PCEngine &e) { return e.solve.active ? pc->pmat : pc->mat; }

PetscErrorCode MultiplySystem(PC pc, const PCEngine &e, bool transposed, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(transposed ? MatMultTranspose(SystemMatrix(pc, e), x, y) : MatMult(SystemMatrix(pc, e), x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The inverse row sums of Pmat, of its transpose for a transposed solve; ones where Pmat's entries cannot be read.
PetscErrorCode UpdateScales(PC pc, PCEngineCheck *check, bool transposed, Vec like)
{
  FinegrainState now;
  Operator type;
  PetscScalar *scale;
  PetscInt n;
  bool known;

  PetscFunctionBegin;
  PetscCall(FinegrainGetState(pc->pmat, &now));
  if (check->scales && check->scaled_by == now && check->transposed == transposed) PetscFunctionReturn(PETSC_SUCCESS);
  if (!check->scales) PetscCall(VecDuplicate(like, &check->scales));
  check->scaled_by = FinegrainState();
  PetscCall(OperatorFindType(pc->pmat, &type, &known));
  if (known) PetscCall(OperatorSumRows(pc->pmat, type, transposed, like, check->scales));
  else PetscCall(VecSet(check->scales, 1));
  PetscCall(VecGetLocalSize(check->scales, &n));
  PetscCall(VecGetArray(check->scales, &scale));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal sum = std::min(PetscRealPart(scale[i]), PETSC_MAX_REAL);
    scale[i] = sum > 0 ? 1 / sum : 1;
  }
  PetscCall(VecRestoreArray(check->scales, &scale));
  check->scaled_by = now;
  check->transposed = transposed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// |R v|; `work` may be v.
PetscErrorCode ScaledNorm(const PCEngineCheck &check, Vec v, Vec work, PetscReal *norm)
{
  PetscFunctionBegin;
  PetscCall(VecPointwiseMult(work, v, check.scales));
  PetscCall(VecNorm(work, NORM_2, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// r = b - A x
PetscErrorCode FindResidual(PC pc, const PCEngine &e, bool transposed, Vec b, Vec x, Vec r)
{
  PetscFunctionBegin;
  PetscCall(MultiplySystem(pc, e, transposed, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Where A has a null space N and b a part outside of A's range, a KSP finds r in M N. A M^-1 r does not have it.
PetscErrorCode FindResidualInRange(PC pc, PCEngine *e, bool transposed, Vec r, PetscReal *norm)
{
  Vec step;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(r, &step));
  PetscCall(transposed ? (*pc->ops->applytranspose)(pc, r, step) : PCEngineApply(pc, r, step));
  PetscCall(MultiplySystem(pc, *e, transposed, step, r));
  PetscCall(VecDestroy(&step));
  PetscCall(ScaledNorm(e->check, r, r, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The norm that KSPConvergedDefault() compares with: that of b, unless the residual of the initial guess is asked
// for.
PetscErrorCode FindReference(const PCEngineCheck &check, KSP ksp, Vec b, Vec work, PetscReal *reference)
{
  const auto *test = static_cast<const KSPConvergedDefaultCtx *>(ksp->cnvP);

  PetscFunctionBegin;
  PetscCall(ScaledNorm(check, b, work, reference));
  if (check.initial < 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (test->initialrtol || *reference == 0) *reference = check.initial;
  else if (test->mininitialrtol) *reference = std::min(*reference, check.initial);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindScaledResidual(PC pc, PCEngine *e, KSP ksp)
{
  PCEngineCheck &check = e->check;
  const bool transposed = ksp->transpose_solve;
  const Vec b = ksp->vec_rhs, x = ksp->vec_sol;
  PetscReal reference, norm, size, range;
  MatNullSpace space;

  PetscFunctionBegin;
  if (!check.work) PetscCall(VecDuplicate(b, &check.work));
  PetscCall(UpdateScales(pc, &check, transposed, b));
  PetscCall(FindReference(check, ksp, b, check.work, &reference));
  PetscCall(FindResidual(pc, *e, transposed, b, x, check.work));
  PetscCall(ScaledNorm(check, check.work, check.work, &norm));
  const auto ratio = [&] { return norm > 0 ? norm / reference : norm; }; // NaN stays NaN
  if (!(ratio() < check.limit)) {
    PetscCall(VecNorm(x, NORM_2, &size));
    if (norm <= 10 * PETSC_MACHINE_EPSILON * size) norm = 0; // no solution has a smaller one, but for rounding
  }
  PetscCall(MatGetNullSpace(SystemMatrix(pc, *e), &space));
  if (space && !(ratio() < check.limit)) {
    PetscCall(FindResidual(pc, *e, transposed, b, x, check.work));
    PetscCall(FindResidualInRange(pc, e, transposed, check.work, &range));
    norm = std::min(norm, range);
  }
  check.eta = ratio();
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The solve fails, or somebody is told. Collective.
PetscErrorCode Refuse(PC pc, PCEngine *e, KSP ksp)
{
  char text[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof text,
                          "The solution does not satisfy the system: its scaled residual is %.2g, the limit %.2g, "
                          "though the solver's norm fell by the tolerance %.2g",
                          double(e->check.eta), double(e->check.limit), double(ksp->rtol)));
  e->check.text =
    PCEngineText(pc, std::string(text)
                       .append("; ")
                       .append(e->type->accuracy_remedy)
                       .append("; -ksp_norm_type unpreconditioned or -ksp_pc_side right tests b - A x itself, and "
                               "@_check_solution warn lets the solution pass"));
  if (e->check_solution == PC_FINEGRAIN_CHECK_WARN) {
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

PetscErrorCode PCEngineCheck::forget(PC pc)
{
  PetscFunctionBegin;
  if (refused) PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  refused = false;
  text.clear();
  eta = initial = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineCheck::reset()
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&scales));
  PetscCall(VecDestroy(&work));
  scaled_by = FinegrainState();
  refused = false;
  text.clear();
  eta = initial = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineBeginCheck(PC pc, PCEngine *e, KSP ksp)
{
  PCEngineCheck &check = e->check;
  PetscReal norm;

  PetscFunctionBegin;
  if (check.refused) ksp->reason = KSP_CONVERGED_ITERATING; // KSPSetUp() has read the last solution's failed reason
  PetscCall(check.forget(pc));
  if (e->check_solution == PC_FINEGRAIN_CHECK_NONE || ksp->guess_zero || !CanClaim(*ksp))
    PetscFunctionReturn(PETSC_SUCCESS);
  const auto *test = static_cast<const KSPConvergedDefaultCtx *>(ksp->cnvP);
  PetscCall(VecNorm(ksp->vec_rhs, NORM_2, &norm));
  if (norm != 0 && !test->initialrtol && !test->mininitialrtol) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FinegrainLogged(finegrain_events.check, pc, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    if (!check.work) PetscCall(VecDuplicate(ksp->vec_rhs, &check.work));
    PetscCall(UpdateScales(pc, &check, ksp->transpose_solve, ksp->vec_rhs));
    PetscCall(FindResidual(pc, *e, ksp->transpose_solve, ksp->vec_rhs, ksp->vec_sol, check.work));
    PetscCall(ScaledNorm(check, check.work, check.work, &check.initial));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineEndCheck(PC pc, PCEngine *e, KSP ksp)
{
  PetscFunctionBegin;
  if (e->check_solution == PC_FINEGRAIN_CHECK_NONE || !CanClaim(*ksp) || !Claims(*ksp))
    PetscFunctionReturn(PETSC_SUCCESS);
  e->check.limit = FindLimit(ksp->rtol);
  PetscCall(FinegrainLogged(finegrain_events.check, pc, [&] { return FindScaledResidual(pc, e, ksp); }));
  PetscCall(PetscInfo(pc, "scaled residual %.2g, limit %.2g, tolerance %.2g%s\n", double(e->check.eta),
                      double(e->check.limit), double(ksp->rtol),
                      e->check.eta >= suspicious * ksp->rtol ? ": much larger than the tolerance" : ""));
  if (!(e->check.eta < e->check.limit)) PetscCall(Refuse(pc, e, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineViewCheck(const PCEngine &e, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (!e.check.text.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "solve failed: %s\n", e.check.text.c_str()));
  if (e.check.eta >= 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "check of the last solution: scaled residual %.2g, limit %.2g\n",
                                     double(e.check.eta), double(e.check.limit)));
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
relaxation of a matrix that is far from diagonally dominant amplifies errors, and one large row hides the others.
Therefore, when a `KSP` with this preconditioner ends with `KSP_CONVERGED_RTOL` of its default test, the scaled
residual |R (b - A x)| / |R b| is computed in the 2-norm, where R has the inverse row sums of |A|: no choice of the
units of an equation changes it. If it is not below the larger of 0.01 and 10 times the relative tolerance,

+  fail - the reason becomes `KSP_DIVERGED_PC_FAILED`, and `PCGetFailedReason()` gives `PC_FACTOR_OTHER`
.  warn - one line on stderr says so
-  none - is not found out: nothing is computed.

   The view and -info give the scaled residual. The next solve begins anew.

   Rows are those of Pmat, the residual is that of Amat. For a transposed solve both are transposed. With a null
space, the part of the residual that a `KSP` cannot remove is left out. Nothing is checked where no tolerance is
claimed: `KSPPREONLY`, a fixed number of iterations, a norm type of none, a convergence test of the user's own, a
tolerance of 0.1 or more; nor inside other preconditioners, such as `PCGAMG`, `PCFIELDSPLIT` and `PCBJACOBI`, whose
`KSP` makes the claim.

   The cost is a product with A and two norms for each solve, and a pass over Pmat after it has changed.

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
.  eta - |R (b - A x)| / |R b|, R the inverse row sums of |A|; -1 if the last solve was not checked

   Level: intermediate

.seealso: `PCFinegrainSetCheckSolution()`
@*/
PetscErrorCode PCFinegrainGetScaledResidual(PC pc, PetscReal *eta)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  *eta = e->check.eta;
  PetscFunctionReturn(PETSC_SUCCESS);
}
