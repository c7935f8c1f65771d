// SPDX-License-Identifier: BSD-2-Clause
// The solver of a KSP, wrapped for one solve.
#pragma once

#include "pc/pc_finegrain.hpp"

PetscErrorCode PCFinegrainSetSolve(PC pc); // in pc->ops
