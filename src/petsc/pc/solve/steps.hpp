// SPDX-License-Identifier: BSD-2-Clause
// The number of steps of an application.
#pragma once

#include "pc/pc_finegrain.hpp"

// Returns the number of steps x += M^-1 (b - A x) of one application. The first step starts from x = 0; each uses
// the next factor.
inline PetscInt64 PCFinegrainSteps(const PC_Finegrain &e)
{
  return (PetscInt64(e.settings.corrections) + 1) * e.analysis.cycles * e.analysis.factors;
}
