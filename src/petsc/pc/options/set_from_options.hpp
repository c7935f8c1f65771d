// SPDX-License-Identifier: BSD-2-Clause
// Reads the options of all types.
#pragma once

#include "pc/pc_finegrain.hpp"

PetscErrorCode PCSetFromOptions_Finegrain(PC pc, FinegrainOptionItems PetscOptionsObject);
