// SPDX-License-Identifier: BSD-2-Clause
// Wraps the solver of a KSP for one solve.
#pragma once

#include "pc/pc_finegrain.hpp"

PetscErrorCode PCFinegrainSetSolve(PC pc); // sets pc->ops
