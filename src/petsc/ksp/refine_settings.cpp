// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters of KSPREFINE.

#include "ksp/iteration.hpp"

#include <petscfinegrain.h>

/*@
   KSPRefineSetInner - Sets how often an iteration of `KSPREFINE` applies the preconditioner

   Logically Collective

   Input Parameters:
+  ksp   - the solver
-  inner - the number of applications, 1 (default) or more

   Options Database Key:
.  -ksp_refine_inner <1> - the number of applications

   Level: intermediate

.seealso: `KSPRefineGetInner()`, `KSPRefineSetDamping()`, `KSPREFINE`
@*/
PetscErrorCode KSPRefineSetInner(KSP ksp, PetscInt inner)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveInt(ksp, inner, 2);
  PetscTryMethod(ksp, "KSPRefineSetInner_C", (KSP, PetscInt), (ksp, inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPRefineGetInner(KSP ksp, PetscInt *inner)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscUseMethod(ksp, "KSPRefineGetInner_C", (KSP, PetscInt *), (ksp, inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPRefineSetDamping - Sets the factor of each correction of `KSPREFINE`

   Logically Collective

   Input Parameters:
+  ksp     - the solver
-  damping - the factor, positive, 1 by default

   Options Database Key:
.  -ksp_refine_damping <1> - the factor

   Level: intermediate

.seealso: `KSPRefineGetDamping()`, `KSPRefineSetInner()`, `KSPREFINE`
@*/
PetscErrorCode KSPRefineSetDamping(KSP ksp, PetscReal damping)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveReal(ksp, damping, 2);
  PetscTryMethod(ksp, "KSPRefineSetDamping_C", (KSP, PetscReal), (ksp, damping));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPRefineGetDamping(KSP ksp, PetscReal *damping)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscUseMethod(ksp, "KSPRefineGetDamping_C", (KSP, PetscReal *), (ksp, damping));
  PetscFunctionReturn(PETSC_SUCCESS);
}
