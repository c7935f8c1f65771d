// SPDX-License-Identifier: BSD-2-Clause
// The preconditioner types of this package: each is defined in a file of its own beside this one, plugin.cpp
// registers them.
#pragma once

#include "pc/pc_finegrain.hpp"

extern PCFinegrainType fgbilu_type, fgbicc_type, mcpi_type, powerqilu_type, sip_type;
inline PCFinegrainType *const finegrain_types[] = {&fgbilu_type, &fgbicc_type, &mcpi_type, &powerqilu_type,
                                                   &sip_type};
