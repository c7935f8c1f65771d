// Options and view of all types.
#pragma once

#include "pcengine.hpp"

PetscErrorCode PCSetFromOptions_Engine(PC pc, FinegrainOptionItems PetscOptionsObject);
PetscErrorCode PCView_Engine(PC pc, PetscViewer viewer);
PetscErrorCode PCEngineViewSettings(const PCEngine &e, PetscViewer viewer);
PetscErrorCode PCEngineViewBackend(PC pc, const PCEngine &e, const finegrain::Statistics &s, PetscViewer viewer);
