// SPDX-License-Identifier: BSD-2-Clause
// Setters and options of PETSc's ilu, icc and sor.
#pragma once

#include "pc/pc_finegrain.hpp"

// Composes or removes functions that PETSc's setters call.
PetscErrorCode PCFinegrainComposeSetters(PC pc, bool compose);

// Prints a line on stderr for each given option of PETSc's types.
PetscErrorCode PCFinegrainSayUnread(PC pc);
