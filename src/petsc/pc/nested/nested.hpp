// SPDX-License-Identifier: BSD-2-Clause
// Shared functions of the PC types that contain other preconditioners, and their constructors.
#pragma once

#include "common/petsc_compat.hpp"

#include <petscfinegrain.h>

// Gets the data of a PC of a type. For other types it is null, or an error if `needed`.
template <class Data> PetscErrorCode PCNestedFind(PC pc, PCType type, bool needed, Data **data)
{
  PetscBool found;

  PetscFunctionBegin;
  *data = nullptr;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), type, &found));
  PetscCheck(found || !needed, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_SUP,
             "This function is for -pc_type %s; the preconditioner is of type %s", type,
             reinterpret_cast<PetscObject>(pc)->type_name ? reinterpret_cast<PetscObject>(pc)->type_name : "none");
  if (found) *data = static_cast<Data *>(pc->data);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Gives the inner PC what the outer one has: operators, DM, and how to treat errors. Set-up follows.
PetscErrorCode PCNestedUpdate(PC pc, PC inner);

// Reports a failed set-up of the inner PC as one of the outer PC.
PetscErrorCode PCNestedTakeFailure(PC pc, PC inner);

// Gives the inner PC the prefix of the outer one followed by `name`, and reads its options.
PetscErrorCode PCNestedSetFromOptions(PC pc, const char *name, PC inner);

// Returns the prefix of the PC's options, for messages.
const char *PCNestedPrefix(PC pc);

// Constructors that plugin.cpp registers.
PetscErrorCode PCCreate_LAG(PC pc);
PetscErrorCode PCCreate_CPR(PC pc);
