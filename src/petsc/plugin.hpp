// The types of this package.
#pragma once

#include "pcengine.hpp"

extern PCEngineType *const PCEngineType_FGBILU;
PetscErrorCode             PCCreate_FGBILU(PC pc);
PetscErrorCode             KSPCreate_Refine(KSP ksp);
