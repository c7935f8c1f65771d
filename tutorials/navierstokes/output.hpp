// SPDX-License-Identifier: BSD-2-Clause
// Files: for ParaView, and to go on from.
#pragma once

#include "march.hpp"

// <prefix>.vtm for all and <prefix>_<piece>.vts for each piece: the grid's vertices with p, velocity, scalars and the
// piece's number. A vertex has the mean of the cells around it, on a piece's surface that of the faces: what a wall
// has there, or the mean of both sides.
PetscErrorCode WriteVtk(const std::string &prefix, const Flow &flow);

// PETSc binary: three vectors in the order of uncut blocks, so that any number of ranks and pieces can go on: the
// state now and at the last two times; and the time, the number of times, the first residual.
PetscErrorCode WriteRestart(const std::string &name, const Flow &flow, const Progress &progress);
PetscErrorCode ReadRestart(const std::string &name, Flow *flow, Progress *progress);
