// SPDX-License-Identifier: BSD-2-Clause
// Recognizes PCs of finegrain's types.
#pragma once

#include "pc/pc_finegrain.hpp"

// Name of a composed function that only finegrain's types have.
inline constexpr char finegrain_find_function[] = "PCFinegrainGetData_C";

// Finds the data of a PC of finegrain, or null for any other PC.
PetscErrorCode PCFinegrainFind(PC pc, PC_Finegrain **e);

// Gets the same data; any other PC is an error.
PetscErrorCode PCFinegrainGet(PC pc, PC_Finegrain **e);

// Makes the next set-up start with the analysis.
inline void PCFinegrainInvalidate(PC pc, PC_Finegrain *e)
{
  e->analysis.analyzed = false;
  pc->setupcalled = PETSC_FALSE;
}
