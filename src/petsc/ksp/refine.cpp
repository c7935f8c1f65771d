// SPDX-License-Identifier: BSD-2-Clause
// KSPREFINE: iterative refinement with any preconditioner, with residuals in working precision.
#include "ksp/iteration.hpp"

#include <petscfinegrain.h>
#include "ksp/stagnation.hpp"

namespace
{

// Function that a PC of finegrain composes: x = M^-1 b, then `corrections` times x += M^-1 (b - P x). It is cheaper
// than the loop in ComputeCorrection().
using ApplyCorrections = PetscErrorCode (*)(PC, PetscInt corrections, Vec b, Vec x);

constexpr PetscReal inner_progress = PetscReal(0.9); // largest accepted ratio of successive inner norms

// Indices of the work vectors.
enum { RESIDUAL, CORRECTION, BEST, INNER_RESIDUAL, INNER_CORRECTION };

struct KSP_Refine {
  // Settings, which survive KSPReset().
  PetscInt inner;
  PetscReal damping;

  // Data of the last solve.
  ApplyCorrections apply;
  PetscInt restarts; // inner loops that ended early
  StagnationTest progress;
};

KSP_Refine *Data(KSP ksp) { return static_cast<KSP_Refine *>(ksp->data); }

PetscErrorCode KSPSetUp_Refine(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPSetWorkVecs(ksp, Data(ksp)->inner > 1 ? INNER_CORRECTION + 1 : BEST + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Finds the PC's own inner loop, or null if ComputeCorrection() must run it: the PC does not support the damping,
// the transpose or another Amat, and would repeat the application of the preconditioned norm.
PetscErrorCode FindApplyCorrections(KSP ksp)
{
  KSP_Refine *refine = Data(ksp);
  Mat Amat, Pmat;

  PetscFunctionBegin;
  refine->apply = nullptr;
  PetscCall(PCGetOperators(ksp->pc, &Amat, &Pmat));
  if (refine->inner > 1 && refine->damping == 1 && Amat == Pmat && !ksp->transpose_solve &&
      ksp->normtype != KSP_NORM_PRECONDITIONED)
    PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(ksp->pc), "PCFinegrainApplyCorrections_C",
                                       &refine->apply));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes r = b - A x, and e = M^-1 r for the preconditioned norm.
PetscErrorCode ComputeResidual(KSP ksp, Vec r, Vec e)
{
  Mat Amat;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &Amat, nullptr));
  if (ksp->its == 0 && ksp->guess_zero) {
    PetscCall(VecCopy(ksp->vec_rhs, r));
  } else {
    PetscCall(KSP_MatMult(ksp, Amat, ksp->vec_sol, r));
    PetscCall(VecAYPX(r, -1, ksp->vec_rhs));
  }
  if (ksp->normtype == KSP_NORM_PRECONDITIONED) PetscCall(KSP_PCApply(ksp, r, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes the correction e of an iteration. All ranks compare the same norms, and so leave the loop together.
PetscErrorCode ComputeCorrection(KSP ksp, Vec r, Vec e)
{
  KSP_Refine *refine = Data(ksp);
  PetscReal previous = 0, norm;
  Mat Pmat;

  PetscFunctionBegin;
  if (refine->apply) {
    PetscCall((*refine->apply)(ksp->pc, refine->inner - 1, r, e));
    PetscCall(KSP_RemoveNullSpace(ksp, e));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ksp->normtype != KSP_NORM_PRECONDITIONED) PetscCall(KSP_PCApply(ksp, r, e));
  PetscCall(VecScale(e, refine->damping));
  if (refine->inner == 1) PetscFunctionReturn(PETSC_SUCCESS);
  const Vec s = ksp->work[INNER_RESIDUAL], z = ksp->work[INNER_CORRECTION];
  PetscCall(PCGetOperators(ksp->pc, nullptr, &Pmat));
  if (ksp->normtype != KSP_NORM_NONE) PetscCall(VecNorm(r, NORM_2, &previous));
  for (PetscInt j = 1; j < refine->inner; ++j) {
    PetscCall(KSP_MatMult(ksp, Pmat, e, s));
    PetscCall(VecAYPX(s, -1, r));
    if (ksp->normtype != KSP_NORM_NONE) {
      PetscCall(VecNorm(s, NORM_2, &norm));
      if (!(norm < inner_progress * previous)) { // true for NaN too
        PetscCall(PetscInfo(ksp, "Inner loop ends after %" PetscInt_FMT " applications: residual norm %g after %g\n",
                            j, double(norm), double(previous)));
        ++refine->restarts;
        break;
      }
      previous = norm;
    }
    PetscCall(KSP_PCApply(ksp, s, z));
    PetscCall(VecAXPY(e, refine->damping, z));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Saves the best iterate, and ends the solve if the norm stagnates.
PetscErrorCode JudgeProgress(KSP ksp, PetscReal norm)
{
  StagnationTest &p = Data(ksp)->progress;

  PetscFunctionBegin;
  if (p.add(norm)) PetscCall(VecCopy(ksp->vec_sol, ksp->work[BEST]));
  // A norm below the tolerance is no stagnation: -ksp_min_it or -ksp_check_norm_iteration delays the test.
  if (!p.has_stagnated() || p.best <= ksp->ttol || ksp->converged == KSPConvergedSkip)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscInfo(ksp,
                      "Refinement stagnates at relative residual %g: %" PetscInt_FMT " passes did not reduce it\n",
                      double(p.reduction()), p.idle));
  ksp->reason = KSP_DIVERGED_BREAKDOWN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Decides before each iteration if the solve ends.
PetscErrorCode TestConvergence(KSP ksp, Vec r, Vec e)
{
  PetscReal norm = 0;

  PetscFunctionBegin;
  if (ksp->normtype != KSP_NORM_NONE)
    PetscCall(VecNorm(ksp->normtype == KSP_NORM_PRECONDITIONED ? e : r, NORM_2, &norm));
  PetscCall(KSPIterationTest(ksp, norm));
  if (!ksp->reason && ksp->normtype != KSP_NORM_NONE) PetscCall(JudgeProgress(ksp, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPSolve_Refine(KSP ksp)
{
  KSP_Refine *refine = Data(ksp);
  const Vec x = ksp->vec_sol, r = ksp->work[RESIDUAL], e = ksp->work[CORRECTION];

  PetscFunctionBegin;
  refine->restarts = 0;
  refine->progress = {};
  ksp->reason = KSP_CONVERGED_ITERATING;
  PetscCall(FindApplyCorrections(ksp));
  PetscCall(KSPIterationCount(ksp, 0));
  while (true) {
    if (ksp->its < ksp->max_it || ksp->normtype != KSP_NORM_NONE) PetscCall(ComputeResidual(ksp, r, e));
    PetscCall(TestConvergence(ksp, r, e));
    if (ksp->reason) break;
    PetscCall(ComputeCorrection(ksp, r, e));
    PetscCall(VecAXPY(x, 1, e));
    PetscCall(KSPIterationCount(ksp, ksp->its + 1));
  }
  // A failed PC marks x as invalid for outer solvers, so x stays as it is.
  if (ksp->reason < 0 && ksp->reason != KSP_DIVERGED_PC_FAILED && refine->progress.best < PETSC_INFINITY &&
      !(ksp->rnorm <= refine->progress.best)) {
    PetscCall(VecCopy(ksp->work[BEST], x));
    ksp->rnorm = refine->progress.best;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPView_Refine(KSP ksp, PetscViewer viewer)
{
  const KSP_Refine *refine = Data(ksp);
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "  inner applications: %" PetscInt_FMT ", damping: %g, restarts in the last solve: %" PetscInt_FMT "\n",
    refine->inner, double(refine->damping), refine->restarts));
  if (refine->progress.has_stagnated() && ksp->reason == KSP_DIVERGED_BREAKDOWN)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  the last solve stagnated at relative residual %g\n",
                                     double(refine->progress.reduction())));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPSetFromOptions_Refine(KSP ksp, FinegrainOptionItems PetscOptionsObject)
{
  PetscInt inner = Data(ksp)->inner;
  PetscReal damping = Data(ksp)->damping;
  PetscBool set;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "refine options");
  PetscCall(PetscOptionsInt("-ksp_refine_inner", "Applications of the preconditioner in a pass", "KSPRefineSetInner",
                            inner, &inner, &set));
  if (set) PetscCall(KSPRefineSetInner(ksp, inner));
  PetscCall(PetscOptionsReal("-ksp_refine_damping", "Factor of each correction", "KSPRefineSetDamping", damping,
                             &damping, &set));
  if (set) PetscCall(KSPRefineSetDamping(ksp, damping));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *Prefix(KSP ksp)
{
  const char *prefix = reinterpret_cast<PetscObject>(ksp)->prefix;
  return prefix ? prefix : "";
}

PetscErrorCode KSPRefineSetInner_Refine(KSP ksp, PetscInt inner)
{
  PetscFunctionBegin;
  PetscCheck(inner >= 1, PetscObjectComm(reinterpret_cast<PetscObject>(ksp)), PETSC_ERR_ARG_OUTOFRANGE,
             "-%sksp_refine_inner must be 1 or more, not %" PetscInt_FMT, Prefix(ksp), inner);
  if (inner != Data(ksp)->inner) ksp->setupstage = KSP_SETUP_NEW; // the number of work vectors changes
  Data(ksp)->inner = inner;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPRefineGetInner_Refine(KSP ksp, PetscInt *inner)
{
  *inner = Data(ksp)->inner;
  return PETSC_SUCCESS;
}

PetscErrorCode KSPRefineSetDamping_Refine(KSP ksp, PetscReal damping)
{
  PetscFunctionBegin;
  PetscCheck(damping > 0, PetscObjectComm(reinterpret_cast<PetscObject>(ksp)), PETSC_ERR_ARG_OUTOFRANGE,
             "-%sksp_refine_damping must be positive, not %g", Prefix(ksp), double(damping));
  Data(ksp)->damping = damping;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPRefineGetDamping_Refine(KSP ksp, PetscReal *damping)
{
  *damping = Data(ksp)->damping;
  return PETSC_SUCCESS;
}

PetscErrorCode KSPDestroy_Refine(KSP ksp)
{
  PetscFunctionBegin;
  for (const char *name :
       {"KSPRefineSetInner_C", "KSPRefineGetInner_C", "KSPRefineSetDamping_C", "KSPRefineGetDamping_C"})
    PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(ksp), name, nullptr));
  PetscCall(KSPDestroyDefault(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/*MC
   KSPREFINE - "refine": correction iterations (iterative refinement) with any preconditioner

   Options Database Keys:
+  -ksp_refine_inner <1>   - `KSPRefineSetInner()`
-  -ksp_refine_damping <1> - `KSPRefineSetDamping()`

   Level: beginner

   Notes:
   An iteration computes r = b - A x with Amat in working precision, a correction e, and x += e. The correction
   starts as e = w M^-1 r and is improved inner - 1 times by e += w M^-1 (r - P e) with Pmat, which saves time if
   Amat is matrix-free. With any storage precision of M, x reaches the accuracy of working precision. The inner loop
   ends early (a restart) if its residual norm is not below 0.9 of the one before. With inner = 1 the method is
   `KSPRICHARDSON`.

   A preconditioner that composes PCFinegrainApplyCorrections_C runs the inner loop itself if Amat is Pmat, w is 1,
   the solve is not transposed and the norm is not the preconditioned one. The inner loop then computes no norms and
   has no restarts.

   The norm is that of r (default), of M^-1 r (preconditioned), or none. With none all max_it iterations run without
   reductions, as smoothers need, and a failed preconditioner shows in x only, as with `KSPRICHARDSON`.

   If a solve does not converge, x and `KSPGetResidualNorm()` are those of the iteration with the smallest norm. The
   solve stagnates, and ends with `KSP_DIVERGED_BREAKDOWN`, if ten iterations since then had norms neither smaller
   than the iteration before nor larger than all others. Then M is too inaccurate for the condition of the system, or
   the tolerance is below what rounding allows. -info and `KSPView()` report the residual relative to that of the
   initial guess. -ksp_convergence_test skip runs all iterations.

   Supports left preconditioning, and `KSPSolveTranspose()` if the preconditioner does.

.seealso: `KSPCreate()`, `KSPSetType()`, `KSPRICHARDSON`, `PCFGBILU`
M*/
PetscErrorCode KSPCreate_Refine(KSP ksp)
{
  const PetscObject object = reinterpret_cast<PetscObject>(ksp);
  KSP_Refine *refine;

  PetscFunctionBegin;
  PetscCall(PetscNew(&refine));
  refine->inner = 1;
  refine->damping = 1;
  ksp->data = refine;
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_PRECONDITIONED, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));

  ksp->ops->setup = KSPSetUp_Refine;
  ksp->ops->solve = KSPSolve_Refine;
  ksp->ops->setfromoptions = KSPSetFromOptions_Refine;
  ksp->ops->view = KSPView_Refine;
  ksp->ops->destroy = KSPDestroy_Refine;
  ksp->ops->buildsolution = KSPBuildSolutionDefault;
  ksp->ops->buildresidual = KSPBuildResidualDefault;
  PetscCall(PetscObjectComposeFunction(object, "KSPRefineSetInner_C", KSPRefineSetInner_Refine));
  PetscCall(PetscObjectComposeFunction(object, "KSPRefineGetInner_C", KSPRefineGetInner_Refine));
  PetscCall(PetscObjectComposeFunction(object, "KSPRefineSetDamping_C", KSPRefineSetDamping_Refine));
  PetscCall(PetscObjectComposeFunction(object, "KSPRefineGetDamping_C", KSPRefineGetDamping_Refine));
  PetscFunctionReturn(PETSC_SUCCESS);
}
