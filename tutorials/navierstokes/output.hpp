// SPDX-License-Identifier: BSD-2-Clause
// Files for ParaView, and for restarts.
#pragma once

#include "march.hpp"

// Writes <prefix>.vtm for all pieces and <prefix>_<piece>.vts for each: the grid's vertices with p, velocity,
// scalars and the piece's number. A vertex has the mean of the cells around it; on a piece's surface it has the mean
// of the faces, which is the wall's value or the mean of both sides.
PetscErrorCode WriteVtk(const std::string &prefix, const Flow &flow);

// PETSc binary file: three vectors in the order of uncut blocks, so that any number of ranks and pieces can
// continue: the state now and at the last two times; and the time, the number of times, the first residual.
PetscErrorCode WriteRestart(const std::string &name, const Flow &flow, const Progress &progress);
PetscErrorCode ReadRestart(const std::string &name, Flow *flow, Progress *progress);
