// SPDX-License-Identifier: BSD-2-Clause
#include "pc/find.hpp"

PetscErrorCode PCFinegrainFind(PC pc, PC_Finegrain **e)
{
  PetscErrorCode (*find)(PC, PC_Finegrain **) = nullptr;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  *e = nullptr;
  PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(pc), finegrain_find_function, &find));
  if (find) PetscCall((*find)(pc, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainGet(PC pc, PC_Finegrain **e)
{
  PetscFunctionBegin;
  PetscCall(PCFinegrainFind(pc, e));
  PetscCheck(*e, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_SUP,
             "Preconditioner of type %s is not one of finegrain's", reinterpret_cast<PetscObject>(pc)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}
