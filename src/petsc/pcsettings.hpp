// Options of all types.
#pragma once

#include "pcengine.hpp"

PetscErrorCode PCSetFromOptions_Engine(PC pc, FinegrainOptionItems PetscOptionsObject);
PetscErrorCode PCEngineViewSettings(const PCEngine &e, PetscViewer viewer);
