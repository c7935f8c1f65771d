// SPDX-License-Identifier: BSD-2-Clause
// Copies of matrices that cannot be read directly. A copy has sorted columns in each row, the missing diagonal
// blocks, and both triangles if the matrix stores the upper one only. The preconditioner reads the copy, and Pmat
// stays unchanged. A copy multiplies as MatMult() of the original does and has those attributes that are read.
#pragma once

#include "common/matrix_view.hpp"

namespace finegrain
{

// Defects that a copy repairs, summed over all ranks.
struct Defects {
  PetscInt unsorted = 0;   // rows with unsorted columns
  PetscInt incomplete = 0; // block rows without a diagonal block, if these are counted

  bool none() const { return unsorted == 0 && incomplete == 0; }
};

} // namespace finegrain

// Counts the defects of a matrix with blocks of block_size; 0 stands for the matrix's own block size. Matrices that
// OperatorAnalyze() rejects have none. A column that occurs twice in a row is an error. Collective.
PetscErrorCode OperatorFindDefects(Mat mat, PetscInt block_size, bool add_diagonal, finegrain::Defects *defects);

// Copies `mat` to a matrix of the same type, or of the parent type if that is derived. With add_diagonal, missing
// diagonal entries become zeros. *copy is null, or the result of the last call for this structure, which gets the
// new values. Collective.
PetscErrorCode OperatorCopy(Mat mat, bool add_diagonal, Mat *copy);

// Makes a BAIJ matrix that multiplies as the SBAIJ matrix `mat` does. `copy` is `mat` or its OperatorCopy().
// Collective.
PetscErrorCode OperatorExpand(Mat mat, Mat copy, Mat *expanded);
