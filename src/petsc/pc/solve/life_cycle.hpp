// SPDX-License-Identifier: BSD-2-Clause
// Creates a PC of finegrain.
#pragma once

#include "pc/pc_finegrain.hpp"

// Sets the data and the operations of the PC.
PetscErrorCode PCFinegrainCreate(PC pc, PCFinegrainType &type, PC_Finegrain *data);

// Constructor of a type, for PCFinegrainType::create.
template <class Data, PCFinegrainType &type> PetscErrorCode PCFinegrainConstruct(PC pc)
{
  Data *data = nullptr;

  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(pc, [&] { data = new Data; }));
  PetscCall(PCFinegrainCreate(pc, type, data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
