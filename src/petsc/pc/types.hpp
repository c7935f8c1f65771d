// SPDX-License-Identifier: BSD-2-Clause
// The preconditioner types of this package: each is defined in a file of its own beside this one, plugin.cpp
// registers them.
#pragma once

#include "pc/pcengine.hpp"

extern PCEngineType fgbilu_type, fgbicc_type, mcpi_type, powerqilu_type, sip_type;
inline PCEngineType *const pcengine_types[] = {&fgbilu_type, &fgbicc_type, &mcpi_type, &powerqilu_type, &sip_type};
