// SPDX-License-Identifier: BSD-2-Clause
// Where the engine works: the host or a device.
#pragma once

#include "pc/pc_finegrain.hpp"

// An error where the back end of the settings is not there. Not collective.
PetscErrorCode PCFinegrainFindBackend(PC pc, const PC_Finegrain &e, finegrain::Backend *backend);

// Collective.
PetscErrorCode PCFinegrainViewBackend(PC pc, const PC_Finegrain &e, const finegrain::Statistics &s,
                                      PetscViewer viewer);
