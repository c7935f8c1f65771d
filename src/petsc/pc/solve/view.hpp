// SPDX-License-Identifier: BSD-2-Clause
// -ksp_view.
#pragma once

#include "pc/pc_finegrain.hpp"

PetscErrorCode PCView_Finegrain(PC pc, PetscViewer viewer);

// The line about entries that storage has flushed to zero; `more` ends it. Collective.
PetscErrorCode PCFinegrainViewFlushed(PC pc, const finegrain::FactorReport &report, PetscViewer viewer,
                                      const char *more);
