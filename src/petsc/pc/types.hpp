// The preconditioner types of this package: each is defined in a file of its own beside this one, plugin.cpp
// registers them.
#pragma once

#include "pc/pcengine.hpp"

extern PCEngineType *const PCEngineType_FGBILU;
extern PCEngineType *const PCEngineType_MCPI;
extern PCEngineType *const PCEngineType_POWERQILU;
extern PCEngineType *const PCEngineType_SIP;
PetscErrorCode PCCreate_FGBILU(PC pc);
PetscErrorCode PCCreate_MCPI(PC pc);
PetscErrorCode PCCreate_POWERQILU(PC pc);
PetscErrorCode PCCreate_SIP(PC pc);
