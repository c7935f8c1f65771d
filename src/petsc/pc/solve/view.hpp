// SPDX-License-Identifier: BSD-2-Clause
// ASCII view, as with -ksp_view.
#pragma once

#include "pc/pc_finegrain.hpp"

PetscErrorCode PCView_Finegrain(PC pc, PetscViewer viewer);

// Prints the line about entries that rounding has flushed to zero; `more` is appended. Collective.
PetscErrorCode PCFinegrainViewFlushed(PC pc, const finegrain::FactorReport &report, PetscViewer viewer,
                                      const char *more);
