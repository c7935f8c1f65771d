// SPDX-License-Identifier: BSD-2-Clause
// Back end of the engine: the host or a device.
#pragma once

#include "pc/pc_finegrain.hpp"

// Finds the back end. It is an error if the back end of the settings does not exist. Not collective.
PetscErrorCode PCFinegrainFindBackend(PC pc, const PC_Finegrain &e, finegrain::Backend *backend);

// Prints the lines about the back end. Collective.
PetscErrorCode PCFinegrainViewBackend(PC pc, const PC_Finegrain &e, const finegrain::Statistics &s,
                                      PetscViewer viewer);
