// SPDX-License-Identifier: BSD-2-Clause
// Setters and options of PETSc's ilu, icc and sor.
#pragma once

#include "pc/pc_finegrain.hpp"

// Setters are composed, so that PETSc's functions find them, or removed.
PetscErrorCode PCFinegrainComposeSetters(PC pc, bool compose);

// Writes a line to stderr for each option of PETSc's types that is given.
PetscErrorCode PCFinegrainSayUnread(PC pc);
