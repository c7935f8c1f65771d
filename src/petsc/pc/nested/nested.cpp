// SPDX-License-Identifier: BSD-2-Clause
#include "pc/nested/nested.hpp"

PetscErrorCode PCNestedUpdate(PC pc, PC inner)
{
  PetscFunctionBegin;
  PetscCall(PCSetOperators(inner, pc->mat, pc->pmat));
  PetscCall(PCSetUseAmat(inner, pc->useAmat));
  PetscCall(PCSetErrorIfFailure(inner, pc->erroriffailure));
  if (pc->dm && inner->dm != pc->dm) PetscCall(PCSetDM(inner, pc->dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCNestedTakeFailure(PC pc, PC inner)
{
  PCFailedReason reason;

  PetscFunctionBegin;
  PetscCall(PCGetFailedReason(inner, &reason));
  PetscCall(PCSetFailedReason(pc, reason ? PC_SUBPC_ERROR : PC_NOERROR));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCNestedSetFromOptions(PC pc, const char *name, PC inner)
{
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PCSetOptionsPrefix(inner, prefix));
  PetscCall(PCAppendOptionsPrefix(inner, name));
  if (pc->pmat) PetscCall(PCNestedUpdate(pc, inner));
  PetscCall(PCSetFromOptions(inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *PCNestedPrefix(PC pc)
{
  const char *prefix = reinterpret_cast<PetscObject>(pc)->prefix;
  return prefix ? prefix : "";
}
