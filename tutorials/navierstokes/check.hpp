// SPDX-License-Identifier: BSD-2-Clause
// What must hold for any flow on any grid.
#pragma once

#include "flow.hpp"

// The residual of a uniform stream in the cells that no wall touches, by the largest flux of a face: closed cells and
// joints that fit give rounding. Leaves the flow as it was.
PetscErrorCode CheckUniform(Flow *flow, double *relative);
// Jacobian of the residual of first order against difference quotients, for a direction of random numbers.
PetscErrorCode CheckJacobian(Flow *flow, double *relative);
