// SPDX-License-Identifier: BSD-2-Clause
#include "pc/nested/nested.hpp"
#include "pc/find.hpp"

namespace
{

PetscErrorCode SetPrefix(PC pc, const char *name, PC inner)
{
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PCSetOptionsPrefix(inner, prefix));
  PetscCall(PCAppendOptionsPrefix(inner, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCNestedUpdate(PC pc, const char *name, PC inner)
{
  PC_Finegrain *ours = nullptr; // our types transform a system only where they are not inside another PC

  PetscFunctionBegin;
  PetscCall(PCSetOperators(inner, pc->mat, pc->pmat));
  if (pc->useAmat) PetscCall(PCSetUseAmat(inner, PETSC_TRUE));
  if (pc->erroriffailure) PetscCall(PCSetErrorIfFailure(inner, PETSC_TRUE));
  if (pc->dm && inner->dm != pc->dm) PetscCall(PCSetDM(inner, pc->dm));
  if (!reinterpret_cast<PetscObject>(inner)->prefix) PetscCall(SetPrefix(pc, name, inner));
  PetscCall(PCFinegrainFind(inner, &ours));
  PetscCheck(ours || !inner->ops->presolve, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_SUP,
             "-%s%spc_type %s changes the solve of its KSP, and cannot do so inside -%spc_type %s: use "
             "another type, or this one alone",
             PCNestedPrefix(pc), name, reinterpret_cast<PetscObject>(inner)->type_name, PCNestedPrefix(pc),
             reinterpret_cast<PetscObject>(pc)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCNestedUpdateMatrices(PC pc, PC inner)
{
  PetscFunctionBegin;
  if (inner->mat != pc->mat || inner->pmat != pc->pmat) PetscCall(PCSetOperators(inner, pc->mat, pc->pmat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCNestedSetFromOptions(PC pc, const char *name, PC inner)
{
  PetscFunctionBegin;
  PetscCall(SetPrefix(pc, name, inner));
  if (pc->pmat) PetscCall(PCSetOperators(inner, pc->mat, pc->pmat)); // the default type depends on the matrix
  PetscCall(PCSetFromOptions(inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCNestedTakeFailure(PC pc, PC inner, bool *failed)
{
  PCFailedReason reason;
  int any;

  PetscFunctionBegin;
  PetscCall(PCGetFailedReason(inner, &reason));
  any = reason != PC_NOERROR;
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  *failed = any;
  if (any) PetscCall(PCSetFailedReason(pc, PC_SUBPC_ERROR));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCNestedFindPattern(PC pc, FinegrainStamp *stamp, bool *same)
{
  FinegrainStamp now;

  PetscFunctionBegin;
  PetscCall(FinegrainGetStamp(pc->pmat, &now));
  int differs = pc->flag == DIFFERENT_NONZERO_PATTERN || !now.has_structure_of(*stamp);
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  *same = !differs;
  *stamp = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *PCNestedPrefix(PC pc)
{
  const char *prefix = reinterpret_cast<PetscObject>(pc)->prefix;
  return prefix ? prefix : "";
}
