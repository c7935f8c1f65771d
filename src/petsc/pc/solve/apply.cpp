// SPDX-License-Identifier: BSD-2-Clause
// Applications of all types to a vector: plain, transposed, with corrections, and Richardson iteration.
#include "pc/solve/apply.hpp"
#include "pc/solve/steps.hpp"
#include "pc/solve/residual_choice.hpp"
#include "common/arrays.hpp"
#include "mat/baijkokkos.hpp"
#include "pc/ranks/shared_rows.hpp"
#include "pc/solve/conversion.hpp"
#include "pc/solve/matrix_change.hpp"

#include <petscksp.h>

#include <cstring>

using namespace finegrain;

namespace
{

// Gets the current values of the matrix for corrections, if the engine computes their residuals.
PetscErrorCode GetValues(PC pc, PC_Finegrain *e, Values *values)
{
  MatrixChange change;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFindChange(pc, e, &change));
  if (change != MatrixChange::none) PetscCall(PCFinegrainConvert(pc, e));
  values->short_residual = change == MatrixChange::none && e->analysis.short_residual;
  PetscCall(OperatorGetValues(PCFinegrainMatrix(pc, e->conversion), &e->analysis.op, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RestoreValues(PC pc, PC_Finegrain *e, Values *values)
{
  PetscFunctionBegin;
  PetscCall(OperatorRestoreValues(PCFinegrainMatrix(pc, e->conversion), e->analysis.op, values));
  PetscCall(FinegrainTakeError(&e->ranks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double CorrectionFlops(const Engine &engine, const Values &values)
{
  const Statistics s = engine.statistics();
  return s.apply_flops + (values.short_residual ? s.residual_flops : s.long_residual_flops);
}

// Computes step = M^-1 (b - A x) for vectors, by Engine::correct(). has_last: `step` contains the last correction.
PetscErrorCode Correct(PC pc, PC_Finegrain *e, Vec b, Vec x, bool has_last, Vec step)
{
  Values values;
  Arrays a;

  PetscFunctionBegin;
  PetscCall(GetValues(pc, e, &values));
  PetscCall(a.get(*e->analysis.engine, e->analysis.op.backend, b, x, step, has_last));
  PetscCall(PCFinegrainReserve(pc, e, {.memory = a.memory()}));
  e->analysis.engine->correct({.values = values,
                               .b = a.from(),
                               .x = a.second(),
                               .last = has_last ? a.to() : nullptr,
                               .step = a.to(),
                               .memory = a.memory()});
  PetscCall(a.restore());
  PetscCall(FinegrainLogFlops(e->analysis.op.backend, CorrectionFlops(*e->analysis.engine, values)));
  PetscCall(RestoreValues(pc, e, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes x = M^-1 b with the next factor, or relaxes further from the current x.
PetscErrorCode ApplyOnce(PC pc, PC_Finegrain *e, PetscInt64 turn, Vec b, Vec x, bool transposed, bool from_x = false)
{
  Arrays a;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(b, &n));
  PetscCall(a.get(*e->analysis.engine, e->analysis.op.backend, b, nullptr, x, from_x));
  const Application application = {.b = a.from(),
                                   .x = a.to(),
                                   .stride = n,
                                   .transposed = transposed,
                                   .from_x = from_x,
                                   .factor = int(turn % e->analysis.factors),
                                   .memory = a.memory()};
  PetscCall(PCFinegrainReserve(pc, e, application));
  e->analysis.engine->apply(application);
  PetscCall(a.restore());
  PetscCall(FinegrainTakeError(&e->ranks));
  PetscCall(FinegrainLogFlops(e->analysis.op.backend, e->analysis.engine->statistics().apply_flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// True if sweeps from the current x are an iteration of Richardson's method, which a replaced pivot would prevent.
bool Proceeds(PC pc, const PC_Finegrain &e, MatrixChange change)
{
  return e.type->method == Method::relaxation && e.analysis.options.precision == Precision::working &&
         e.settings.shift_type == MAT_SHIFT_NONE && pc->mat == pc->pmat &&
         e.analysis.options.relaxation.exchange != Exchange::none && change == MatrixChange::none;
}

// Runs `body` inside the log event. If the last factorization failed, it marks x as invalid instead, because some
// KSPs test the result only.
template <class Body> PetscErrorCode RunApplication(PC pc, Vec x, Body body)
{
  PetscFunctionBegin;
  if (pc->failedreason && !static_cast<PC_Finegrain *>(pc->data)->check.refused) {
    PetscCall(FinegrainVecFlag(x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FinegrainLogged(finegrain_events.apply, pc, body));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes step = M^-1 (b - A x), or both transposed, with a residual by MatMult().
PetscErrorCode ApplyToResidual(PC pc, PC_Finegrain *e, PetscInt64 turn, Mat A, Vec b, Vec x, Vec step,
                               bool transposed)
{
  PetscFunctionBegin;
  if (!e->analysis.residual) PetscCall(VecDuplicate(b, &e->analysis.residual));
  PetscCall(transposed ? MatMultTranspose(A, x, e->analysis.residual) : MatMult(A, x, e->analysis.residual));
  PetscCall(VecAYPX(e->analysis.residual, -1, b));
  PetscCall(ApplyOnce(pc, e, turn, e->analysis.residual, step, transposed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Runs `steps` corrections x += M^-1 (b - A x) from x = 0, with residuals by MatMult(). The transpose applies the
// transposed steps in reverse order.
PetscErrorCode RunPlainSteps(PC pc, PC_Finegrain *e, PetscInt64 steps, Vec b, Vec x, bool transposed)
{
  const auto turn = [&](PetscInt64 k) { return transposed ? steps - 1 - k : k; };

  PetscFunctionBegin;
  PetscCall(ApplyOnce(pc, e, turn(0), b, x, transposed));
  if (steps > 1 && !e->analysis.correction) PetscCall(VecDuplicate(b, &e->analysis.correction));
  for (PetscInt64 k = 1; k < steps; ++k) {
    PetscCall(ApplyToResidual(pc, e, turn(k), pc->pmat, b, x, e->analysis.correction, transposed));
    PetscCall(VecAXPY(x, 1, e->analysis.correction));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Runs `steps` corrections x += M^-1 (b - A x) from x = 0, with residuals by the engine if it can compute them.
PetscErrorCode RunSteps(PC pc, PetscInt64 steps, Vec b, Vec x)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);
  Values values;
  Arrays a;
  bool makes_residuals = false;

  PetscFunctionBegin;
  if (steps > 1) PetscCall(PCFinegrainMakesResiduals(pc, e, &makes_residuals));
  if (!makes_residuals) {
    PetscCall(RunPlainSteps(pc, e, steps, b, x, false));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(GetValues(pc, e, &values));
  PetscCall(a.get(*e->analysis.engine, e->analysis.op.backend, b, nullptr, x, false));
  PetscCall(PCFinegrainReserve(pc, e, {.memory = a.memory()}));
  e->analysis.engine->apply({.b = a.from(), .x = a.to(), .memory = a.memory()});
  Scalar *step = e->analysis.engine->scratch(a.memory());
  for (PetscInt64 k = 1; k < steps; ++k)
    e->analysis.engine->correct({.values = values,
                                 .b = a.from(),
                                 .x = a.to(),
                                 .last = k > 1 ? step : a.to(),
                                 .step = step,
                                 .total = a.to(),
                                 .factor = int(k % e->analysis.factors),
                                 .memory = a.memory()});
  PetscCall(a.restore());
  PetscCall(
    FinegrainLogFlops(e->analysis.op.backend, e->analysis.engine->statistics().apply_flops +
                                                double(steps - 1) * CorrectionFlops(*e->analysis.engine, values)));
  PetscCall(RestoreValues(pc, e, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ApplySteps(PC pc, PetscInt64 steps, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(RunApplication(pc, x, [&] { return RunSteps(pc, steps, b, x); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApply_Finegrain(PC pc, Vec b, Vec x)
{
  const PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);

  PetscFunctionBegin;
  if (e->eisenstat.active) PetscCall(VecCopy(b, x));
  else PetscCall(ApplySteps(pc, PCFinegrainSteps(*e), b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Composed with every PC of finegrain, for KSPREFINE: an application, and `further` applications to the residual,
// each with the corrections that it has by itself.
PetscErrorCode PCApplyCorrections_Finegrain(PC pc, PetscInt further, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(PCSetUp(pc)); // values may have changed, as in PCApply()
  PetscCall(
    ApplySteps(pc, (PetscInt64(further) + 1) * PCFinegrainSteps(*static_cast<PC_Finegrain *>(pc->data)), b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApplyTranspose_Finegrain(PC pc, Vec b, Vec x)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);

  PetscFunctionBegin;
  if (e->eisenstat.active) PetscCall(VecCopy(b, x));
  else PetscCall(RunApplication(pc, x, [&] { return RunPlainSteps(pc, e, PCFinegrainSteps(*e), b, x, true); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Tests of KSPRICHARDSON, which calls the preconditioner if it has no monitor. It passes its tolerances but not if
// it would test a norm at all; hence PCFinegrainSetApplyRichardson(). The tests are those of KSPConvergedDefault()
// for the preconditioned norm, before each step is added, so that counts and reasons are those of a monitored solve.
struct RichardsonTest {
  PetscReal rtol, abstol, dtol, first = -1;

  bool any() const { return rtol > 0 || abstol > 0 || dtol > 0; }
  int operator()(PetscReal norm) const
  {
    if (PetscIsInfOrNanReal(norm)) return KSP_DIVERGED_NANORINF;
    if (norm <= PetscMax(rtol * first, abstol))
      return norm < abstol ? PCRICHARDSON_CONVERGED_ATOL : PCRICHARDSON_CONVERGED_RTOL;
    if (dtol > 0 && norm >= dtol * first) return PCRICHARDSON_DIVERGED_DTOL;
    return 0;
  }
};

PetscErrorCode Richardson(PC pc, PC_Finegrain *e, Vec b, Vec x, Vec step, RichardsonTest test, PetscInt steps,
                          bool guess_zero, PetscInt *done, int *reason)
{
  PetscReal norm;
  MatrixChange change;
  bool makes_residuals = false;

  PetscFunctionBegin;
  *done = 0;
  *reason = 0;
  PetscCall(PCFinegrainFindChange(pc, e, &change));
  if (!test.any() && Proceeds(pc, *e, change)) {
    for (; *done < steps; ++*done)
      if (*done == 0 && guess_zero) PetscCall(ApplyOnce(pc, e, 0, b, x, false));
      else PetscCall(ApplyOnce(pc, e, 0, b, x, false, true));
    *reason = KSP_CONVERGED_ITS;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  // The first residual cannot be computed from a previous sweep. PETSc then reads the rows of AIJ directly, while
  // the engine would gather blocks.
  const bool gathers = !e->analysis.op.by_blocks && e->analysis.op.block > 1;
  if (pc->mat == pc->pmat && (steps > 1 || !(guess_zero || gathers)))
    PetscCall(PCFinegrainMakesResiduals(pc, e, &makes_residuals));
  if (!guess_zero && test.any()) { // reference norm of the initial guess
    PetscCall(ApplyOnce(pc, e, 0, b, step, false));
    PetscCall(VecNorm(step, NORM_2, &test.first));
  }
  for (; *done < steps; ++*done) {
    const bool first = *done == 0;
    if (first && guess_zero) PetscCall(ApplyOnce(pc, e, 0, b, step, false));
    else if (makes_residuals && !(first && gathers)) PetscCall(Correct(pc, e, b, x, !first, step));
    else PetscCall(ApplyToResidual(pc, e, 0, pc->mat, b, x, step, false));
    if (test.any()) {
      PetscCall(VecNorm(step, NORM_2, &norm));
      if (first && test.first <= 0) test.first = norm;
      *reason = test(norm);
      if (*reason) {
        if (first && guess_zero) PetscCall(VecSet(x, 0));
        PetscFunctionReturn(PETSC_SUCCESS);
      }
    }
    if (first && guess_zero) PetscCall(VecCopy(step, x));
    else PetscCall(VecAXPY(x, 1, step));
  }
  *reason = test.any() ? KSP_DIVERGED_ITS : KSP_CONVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApplyRichardson_Finegrain(PC pc, Vec b, Vec x, Vec w, PetscReal rtol, PetscReal abstol,
                                           PetscReal dtol, PetscInt steps, PetscBool guess_zero, PetscInt *done,
                                           PCRichardsonConvergedReason *reason)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);
  int result = KSP_DIVERGED_PC_FAILED;

  PetscFunctionBegin;
  *done = 0;
  PetscCall(RunApplication(pc, x, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    const RichardsonTest none{0, 0, 0}, test{rtol, abstol, dtol};
    PetscCall(Richardson(pc, e, b, x, w,
                         e->settings.apply_richardson == PC_FINEGRAIN_APPLY_RICHARDSON_FIXED ? none : test, steps,
                         guess_zero, done, &result));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  static_assert(sizeof(*reason) == sizeof(result));
  std::memcpy(reason, &result, sizeof(result)); // as an int: the enumeration lacks reasons of KSPRICHARDSON
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCFinegrainReserve(PC pc, PC_Finegrain *e, const Application &kind)
{
  const unsigned bit = kind.in_split_form ? 8 : kind.transposed ? 2 : e->analysis.has_corrections ? 4 : 1;

  PetscFunctionBegin;
  if (kind.vectors == 1 && (e->analysis.reserved & bit)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FinegrainOnAllRanks(pc, [&] {
    e->analysis.engine->reserve(kind);
    if (e->analysis.has_corrections) e->analysis.engine->scratch(kind.memory);
  }));
  if (kind.vectors == 1) e->analysis.reserved |= bit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainApply(PC pc, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(RunSteps(pc, PCFinegrainSteps(*static_cast<PC_Finegrain *>(pc->data)), b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainFindResidual(PC pc, Vec b, Vec x, const PetscScalar **r)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);

  PetscFunctionBegin;
  PetscCall(FinegrainLogged(finegrain_events.apply, pc, [&]() -> PetscErrorCode {
    Values values;
    const PetscScalar *rhs, *sum;
    PetscFunctionBegin;
    PetscCall(GetValues(pc, e, &values));
    PetscCall(PCFinegrainReserve(pc, e, {}));
    PetscCall(VecGetArrayRead(b, &rhs));
    PetscCall(VecGetArrayRead(x, &sum));
    *r = reinterpret_cast<const PetscScalar *>(e->analysis.engine->find_residual(
      values, reinterpret_cast<const Scalar *>(rhs), reinterpret_cast<const Scalar *>(sum)));
    PetscCall(VecRestoreArrayRead(x, &sum));
    PetscCall(VecRestoreArrayRead(b, &rhs));
    PetscCall(FinegrainLogFlops(e->analysis.op.backend, e->analysis.engine->statistics().long_residual_flops));
    PetscCall(RestoreValues(pc, e, &values));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainAddStep(PC pc, PetscInt turn, const PetscScalar *r, Vec x)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);

  PetscFunctionBegin;
  PetscCall(RunApplication(pc, x, [&]() -> PetscErrorCode {
    PetscScalar *sum;
    PetscFunctionBegin;
    PetscCall(PCFinegrainReserve(pc, e, {}));
    PetscCall(VecGetArray(x, &sum));
    e->analysis.engine->apply({.b = reinterpret_cast<const Scalar *>(r),
                               .x = e->analysis.engine->scratch(),
                               .total = reinterpret_cast<Scalar *>(sum),
                               .factor = int(turn % e->analysis.factors)});
    PetscCall(VecRestoreArray(x, &sum));
    PetscCall(FinegrainLogFlops(e->analysis.op.backend, e->analysis.engine->statistics().apply_flops));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainStep(PC pc, PetscInt turn, Vec r, Vec step, bool transposed)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);

  PetscFunctionBegin;
  PetscCall(RunApplication(pc, step, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(ApplyOnce(pc, e, turn, r, step, transposed));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainSetApplications(PC pc)
{
  const PetscObject object = reinterpret_cast<PetscObject>(pc);
  const PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);

  PetscFunctionBegin;
  pc->ops->apply = PCApply_Finegrain;
  pc->ops->applytranspose = PCApplyTranspose_Finegrain;
  // If an application has several steps, KSPRICHARDSON runs its own iteration.
  pc->ops->applyrichardson =
    e->settings.apply_richardson == PC_FINEGRAIN_APPLY_RICHARDSON_NONE || PCFinegrainSteps(*e) > 1
      ? nullptr
      : PCApplyRichardson_Finegrain;
  PetscCall(PetscObjectComposeFunction(object, "PCFinegrainApplyCorrections_C", PCApplyCorrections_Finegrain));
  PetscFunctionReturn(PETSC_SUCCESS);
}
