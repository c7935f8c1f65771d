// SPDX-License-Identifier: BSD-2-Clause
// Applications to several vectors, the columns of dense matrices.
#pragma once

#include "pc/pc_finegrain.hpp"

PetscErrorCode PCFinegrainSetMatApplications(PC pc); // sets pc->ops
