// SPDX-License-Identifier: BSD-2-Clause
// How a PC of one of our types is told from others.
#pragma once

#include "pc/pc_finegrain.hpp"

// The composed function that only our types have.
inline constexpr char finegrain_find_function[] = "PCFinegrainGetData_C";

// The data of a PC of ours, null for any other.
PetscErrorCode PCFinegrainFind(PC pc, PC_Finegrain **e);

// The same, but an error for any other.
PetscErrorCode PCFinegrainGet(PC pc, PC_Finegrain **e);

// The next set-up begins with the analysis.
inline void PCFinegrainInvalidate(PC pc, PC_Finegrain *e)
{
  e->analysis.analyzed = false;
  pc->setupcalled = PETSC_FALSE;
}
