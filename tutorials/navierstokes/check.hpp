// SPDX-License-Identifier: BSD-2-Clause
// Properties of any flow on any grid.
#pragma once

#include "flow.hpp"

// The residual of a uniform stream in the cells that touch no wall, relative to the largest flux of a face. If cells
// are closed and joints match, it is a rounding error. The flow is restored afterwards.
PetscErrorCode CheckUniform(Flow *flow, double *relative);
// Compares the Jacobian of the first-order residual with difference quotients, for a direction of random numbers.
PetscErrorCode CheckJacobian(Flow *flow, double *relative);
