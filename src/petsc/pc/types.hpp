// SPDX-License-Identifier: BSD-2-Clause
// List of the preconditioner types, which plugin.cpp registers. Each is defined in its own file of types/.
#pragma once

#include "pc/pc_finegrain.hpp"

extern PCFinegrainType fgbilu_type, fgbicc_type, mcpi_type, powerqilu_type, sip_type;
inline PCFinegrainType *const finegrain_types[] = {&fgbilu_type, &fgbicc_type, &mcpi_type, &powerqilu_type,
                                                   &sip_type};
