// SPDX-License-Identifier: BSD-2-Clause
// Choice of the solves that use Eisenstat's trick.
#pragma once

#include "pc/pc_finegrain.hpp"

// Returns the reason why the settings exclude the trick with `auto`, or null.
const char *PCFinegrainExcludesEisenstat(const PC_Finegrain &e, const finegrain::EngineOptions &options);

PetscErrorCode PCFinegrainViewEisenstat(const PC_Finegrain &e, PetscViewer viewer);
