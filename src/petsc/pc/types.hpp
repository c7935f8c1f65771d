// The preconditioner types of this package: each is defined in a file of its own beside this one, plugin.cpp
// registers them.
#pragma once

#include "pc/pcengine.hpp"

PetscErrorCode PCCreate_FGBILU(PC pc);
PetscErrorCode PCCreate_FGBICC(PC pc);
PetscErrorCode PCCreate_MCPI(PC pc);
PetscErrorCode PCCreate_POWERQILU(PC pc);
PetscErrorCode PCCreate_SIP(PC pc);
extern PCEngineType fgbilu_type, fgbicc_type, mcpi_type, powerqilu_type, sip_type;
inline PCEngineType *const pcengine_types[] = {&fgbilu_type, &fgbicc_type, &mcpi_type, &powerqilu_type, &sip_type};
