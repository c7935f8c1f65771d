// The types of this package.
#pragma once

#include "pcengine.hpp"

extern PCEngineType *const PCEngineType_FGBILU, *const PCEngineType_MCPI, *const PCEngineType_POWERQILU,
                                                                            *const PCEngineType_SIP;
PetscErrorCode                                                                     PCCreate_FGBILU(PC pc);
PetscErrorCode                                                                     PCCreate_MCPI(PC pc);
PetscErrorCode                                                                     PCCreate_POWERQILU(PC pc);
PetscErrorCode                                                                     PCCreate_SIP(PC pc);
PetscErrorCode                                                                     KSPCreate_Refine(KSP ksp);
PetscErrorCode                                                                     KSPCreate_SIP(KSP ksp);
