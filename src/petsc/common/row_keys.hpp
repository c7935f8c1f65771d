// SPDX-License-Identifier: BSD-2-Clause
// Keys of rows, which order the terms of sums over rows of all ranks. Keys do not depend on the number of ranks.
#pragma once

#include "common/matrix_view.hpp"

#include <petscdm.h>

// Finds keys of the owned block columns and ghosts: natural indices if `dm` is a DMDA whose points are the columns,
// because PETSc's numbering of a DMDA depends on the number of ranks, else global block columns. In a square matrix
// they are the keys of its rows. `dm` may be null. Collective on the matrix.
PetscErrorCode FinegrainFindKeys(Mat mat, DM dm, const finegrain::Operator &op, finegrain::OperatorView *view);
