// SPDX-License-Identifier: BSD-2-Clause
// The choice of solves that use Eisenstat's trick.
#pragma once

#include "pc/pc_finegrain.hpp"

// The reason why the settings exclude the trick with `auto`; null: they do not.
const char *PCFinegrainExcludesEisenstat(const PC_Finegrain &e, const finegrain::EngineOptions &options);

PetscErrorCode PCFinegrainViewEisenstat(const PC_Finegrain &e, PetscViewer viewer);
