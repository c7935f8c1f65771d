// SPDX-License-Identifier: BSD-2-Clause
// Copies of matrices that cannot be read as they are: with columns sorted in each row, with the diagonal blocks that
// are missing, and whole where a matrix stores its upper triangle. The preconditioner reads the copy; Pmat stays as
// it is. A copy is the operator that MatMult() of the original is, and has the attributes of it that are read.
#pragma once

#include "common/matrix_view.hpp"

namespace finegrain
{

// What a copy mends, on all ranks together.
struct Defects {
  PetscInt unsorted = 0;   // rows
  PetscInt incomplete = 0; // block rows without a diagonal block, where these are looked for

  bool none() const { return unsorted == 0 && incomplete == 0; }
};

} // namespace finegrain

// Looks for them in a matrix with blocks of block_size, 0 for its own. None are found in matrices that
// OperatorAnalyze() refuses; a column that a row has twice is an error. Collective.
PetscErrorCode OperatorFindDefects(Mat mat, PetscInt block_size, bool add_diagonal, finegrain::Defects *defects);

// A matrix of the type of `mat` or, if that is derived, of its parent, with zeros on the diagonal if add_diagonal and
// nothing is there. *copy: null, or what the last call for this structure made, for new values. Collective.
PetscErrorCode OperatorCopy(Mat mat, bool add_diagonal, Mat *copy);

// The BAIJ matrix that multiplies as the SBAIJ matrix `mat` does. `copy` is `mat`, or what OperatorCopy() made of it.
// Collective.
PetscErrorCode OperatorExpand(Mat mat, Mat copy, Mat *whole);
