// SPDX-License-Identifier: BSD-2-Clause
// Shared functions of the PC types that contain other preconditioners, and their constructors.
#pragma once

#include "common/matrix_view.hpp"

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

// Gives the inner PC what the outer one has: operators, DM, and how to treat errors; and the prefix of the outer one
// followed by `name` if it has none. An inner PC that must transform the system of its KSP is an error.
PetscErrorCode PCNestedUpdate(PC pc, const char *name, PC inner);

// Gives the inner PC matrices that were set since its set-up, which a reused PC leaves out.
PetscErrorCode PCNestedUpdateMatrices(PC pc, PC inner);

// Gives the inner PC the prefix, and reads its options.
PetscErrorCode PCNestedSetFromOptions(PC pc, const char *name, PC inner);

// Reports a failed inner PC as a failure of the outer one, on all ranks. *failed is true then. Collective.
PetscErrorCode PCNestedTakeFailure(PC pc, PC inner, bool *failed);

// Compares the nonzero structure of the matrix with that of the last call. Collective.
PetscErrorCode PCNestedFindPattern(PC pc, FinegrainStamp *stamp, bool *same);

// Returns the prefix of the PC's options, for messages.
const char *PCNestedPrefix(PC pc);

// Constructors that plugin.cpp registers.
PetscErrorCode PCCreate_LAG(PC pc);
PetscErrorCode PCCreate_CPR(PC pc);
