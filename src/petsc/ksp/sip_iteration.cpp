// SPDX-License-Identifier: BSD-2-Clause
// KSPSIP: Stone's strongly implicit procedure. Its iterations use the factors of PCSIP in turn.
#include "pc/solve/residual_choice.hpp"
#include "ksp/iteration.hpp"
#include "pc/solve/apply.hpp"
#include "pc/find.hpp"

#include <cstring>

namespace
{

// Indices of the work vectors.
enum { RESIDUAL, STEP, WORK_VECTORS };

PetscErrorCode IsStone(PC pc, bool *is)
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFind(pc, &e));
  *is = e && !std::strcmp(e->type->name, PCSIP);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Checks that the preconditioner is PCSIP; a PC without a type becomes that.
PetscErrorCode CheckPreconditioner(KSP ksp)
{
  PC pc;
  PCType type;
  const char *prefix;
  bool is = false;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  if (!type) PetscCall(PCSetType(pc, PCSIP));
  PetscCall(IsStone(pc, &is));
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCheck(is, PetscObjectComm(reinterpret_cast<PetscObject>(ksp)), PETSC_ERR_ARG_WRONG,
             "-%sksp_type sip iterates with the factors of -%spc_type sip, and not with %s; use that, or another KSP "
             "such as -%sksp_type richardson",
             prefix ? prefix : "", prefix ? prefix : "", type, prefix ? prefix : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Tests if the PC has the type that PETSc sets by default.
PetscErrorCode HasDefaultType(PC pc, PetscBool *has)
{
  PC fresh;
  PetscBool a, p;
  Mat Amat, Pmat;
  PetscOptions none; // not even -help

  PetscFunctionBegin;
  PetscCall(PCCreate(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), &fresh));
  PetscCall(PetscOptionsCreate(&none));
  PetscCall(PetscObjectSetOptions(reinterpret_cast<PetscObject>(fresh), none));
  PetscCall(PCGetOperatorsSet(pc, &a, &p));
  if (a && p) {
    PetscCall(PCGetOperators(pc, &Amat, &Pmat));
    PetscCall(PCSetOperators(fresh, Amat, Pmat));
  }
  PetscCall(PCSetFromOptions(fresh));
  PetscCall(
    PetscObjectTypeCompare(reinterpret_cast<PetscObject>(fresh), reinterpret_cast<PetscObject>(pc)->type_name, has));
  PetscCall(PCDestroy(&fresh));
  PetscCall(PetscOptionsDestroy(&none));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPSetUp_SIP(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(CheckPreconditioner(ksp));
  PetscCall(KSPSetWorkVecs(ksp, WORK_VECTORS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// KSPSetFromOptions() has already set a type of the PC, the default one if it had none.
PetscErrorCode KSPSetFromOptions_SIP(KSP ksp, FinegrainOptionItems)
{
  PC pc;
  PetscBool by_default;
  bool is = false;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(IsStone(pc, &is));
  if (is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HasDefaultType(pc, &by_default));
  if (!by_default) PetscFunctionReturn(PETSC_SUCCESS); // set-up reports the wrong type
  PetscCall(PetscInfo(ksp, "The preconditioner becomes -pc_type sip\n"));
  PetscCall(PCSetType(pc, PCSIP));
  PetscCall(PCSetFromOptions(pc)); // -pc_type has precedence
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Tests if iterations can run inside the engine. The engine does not support another Amat, transposed solves, null
// spaces, and norms of a step before it is added. On a device, PETSc's vectors would not know of arrays that the
// engine changes.
PetscErrorCode RunsInside(KSP ksp, bool *inside)
{
  Mat Amat, Pmat;
  MatNullSpace null;
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainGet(ksp->pc, &e));
  PetscCall(PCGetOperators(ksp->pc, &Amat, &Pmat));
  PetscCall(MatGetNullSpace(Pmat, &null));
  *inside = Amat == Pmat && !null && !ksp->transpose_solve && ksp->normtype != KSP_NORM_PRECONDITIONED &&
            e->analysis.op.backend == finegrain::Backend::host;
  if (*inside) PetscCall(PCFinegrainMakesResiduals(ksp->pc, e, inside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes r = b - A x, as an array of the engine if `inside` or else in the vector, and its norm if one is tested.
PetscErrorCode FindResidual(KSP ksp, bool inside, const PetscScalar **array, Vec r, PetscReal *norm)
{
  const bool none = ksp->normtype == KSP_NORM_NONE;
  Mat Amat;

  PetscFunctionBegin;
  if (ksp->its == 0 && ksp->guess_zero) {
    PetscCall(VecCopy(ksp->vec_rhs, r));
  } else if (inside) {
    PetscCall(PCFinegrainFindResidual(ksp->pc, ksp->vec_rhs, ksp->vec_sol, array));
    if (!none) {
      PetscCall(VecPlaceArray(r, *array));
      const PetscErrorCode code = VecNorm(r, NORM_2, norm);
      PetscCall(VecResetArray(r));
      PetscCall(code);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  } else {
    PetscCall(PCGetOperators(ksp->pc, &Amat, nullptr));
    PetscCall(KSP_MatMult(ksp, Amat, ksp->vec_sol, r));
    PetscCall(VecAYPX(r, -1, ksp->vec_rhs));
  }
  *array = nullptr;
  if (!none) PetscCall(VecNorm(r, NORM_2, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes step = M^-1 r with the next factor.
PetscErrorCode FindStep(KSP ksp, Vec r, Vec step)
{
  PetscFunctionBegin;
  PetscCall(PCFinegrainStep(ksp->pc, ksp->its, r, step, ksp->transpose_solve));
  if (!ksp->transpose_solve) PetscCall(KSP_RemoveNullSpace(ksp, step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPSolve_SIP(KSP ksp)
{
  const Vec x = ksp->vec_sol, r = ksp->work[RESIDUAL], step = ksp->work[STEP];
  const bool preconditioned = ksp->normtype == KSP_NORM_PRECONDITIONED;
  const PetscScalar *array = nullptr;
  bool inside = false;

  PetscFunctionBegin;
  PetscCall(CheckPreconditioner(ksp)); // the PC type may have changed since set-up
  PetscCall(PCSetUp(ksp->pc));         // values of the matrix may have changed, as in PCApply()
  PetscCall(RunsInside(ksp, &inside));
  ksp->reason = KSP_CONVERGED_ITERATING;
  PetscCall(KSPIterationCount(ksp, 0));
  while (true) {
    PetscReal norm = 0;
    if (ksp->its < ksp->max_it || ksp->normtype != KSP_NORM_NONE)
      PetscCall(FindResidual(ksp, inside, &array, r, &norm));
    if (preconditioned) {
      PetscCall(FindStep(ksp, r, step));
      PetscCall(VecNorm(step, NORM_2, &norm));
    }
    PetscCall(KSPIterationTest(ksp, norm));
    if (ksp->reason) break;
    if (array) {
      PetscCall(PCFinegrainAddStep(ksp->pc, ksp->its, array, x));
    } else {
      if (!preconditioned) PetscCall(FindStep(ksp, r, step));
      PetscCall(VecAXPY(x, 1, step));
    }
    PetscCall(KSPIterationCount(ksp, ksp->its + 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPView_SIP(KSP ksp, PetscViewer viewer)
{
  PC_Finegrain *e;
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
  if (!ascii || !ksp->pc) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCFinegrainFind(ksp->pc, &e));
  if (e)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  an iteration takes the next of %" PetscInt_FMT " factors\n",
                                     e->analysis.factors));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/*MC
   KSPSIP - "sip": Stone's strongly implicit procedure

   Level: beginner

   Notes:
   An iteration is r = b - A x, x += M^-1 r with the next factor of `PCSIP`, which has one for each -pc_sip_alpha
   and, with -pc_sip_alternate, for each direction. Each solve begins with the first factor. -pc_sip_its and
   -pc_sip_corrections do not apply.

   The preconditioner must be `PCSIP`. A PC without a type becomes `PCSIP`, and in `KSPSetFromOptions()` also a PC
   with PETSc's default type if there is no -pc_type. Any other type is an error.

   The norm is that of r (default), of M^-1 r (preconditioned), or none: then all max_it iterations run without
   reductions, as smoothers need. Iterations run inside the preconditioner, with the update in its backward sweep,
   unless Amat is not Pmat, a null space is attached, the solve is transposed, the norm is the preconditioned one, or
   the factor is on a device. Otherwise they use PETSc's products and updates. On several ranks the residual is that
   of the whole matrix, and each rank has its own factors unless -pc_sip_global is given.

   Supports left preconditioning, and `KSPSolveTranspose()`.

   References:
.  * - H. L. Stone, Iterative solution of implicit approximations of multidimensional partial differential equations,
       SIAM Journal on Numerical Analysis 5 (1968)

.seealso: `KSPCreate()`, `KSPSetType()`, `PCSIP`, `PCSIPSetAlpha()`, `PCSIPSetAlternate()`, `KSPREFINE`,
`KSPRICHARDSON`
M*/
PetscErrorCode KSPCreate_SIP(KSP ksp)
{
  PC pc;
  PCType type;

  PetscFunctionBegin;
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_PRECONDITIONED, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
  ksp->ops->setup = KSPSetUp_SIP;
  ksp->ops->solve = KSPSolve_SIP;
  ksp->ops->setfromoptions = KSPSetFromOptions_SIP;
  ksp->ops->view = KSPView_SIP;
  ksp->ops->destroy = KSPDestroyDefault;
  ksp->ops->buildsolution = KSPBuildSolutionDefault;
  ksp->ops->buildresidual = KSPBuildResidualDefault;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  if (!type) PetscCall(PCSetType(pc, PCSIP));
  PetscFunctionReturn(PETSC_SUCCESS);
}
