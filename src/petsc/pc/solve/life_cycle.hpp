// SPDX-License-Identifier: BSD-2-Clause
// Creation of a PC of one of our types.
#pragma once

#include "pc/pc_finegrain.hpp"

// Gives the PC its data and pc->ops.
PetscErrorCode PCFinegrainCreate(PC pc, PCFinegrainType &type, PC_Finegrain *data);

// The constructor of a type, for PCFinegrainType::create.
template <class Data, PCFinegrainType &type> PetscErrorCode PCFinegrainConstruct(PC pc)
{
  Data *data = nullptr;

  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(pc, [&] { data = new Data; }));
  PetscCall(PCFinegrainCreate(pc, type, data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
