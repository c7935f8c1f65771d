// SPDX-License-Identifier: BSD-2-Clause
// Matrices of random cases: graphs and grids, blocks, formats, divisions among ranks, values from harmless to
// useless.
#pragma once

#include "draw.hpp"
#include "types.hpp"

namespace finegrain::test
{

// How far a matrix is from what a factorization likes.
enum class Values {
  dominant,   // by blocks
  weak,       // diagonals too small by random factors
  indefinite, // the same, of both signs
  scaled,     // unknowns in other units
  singular,   // some diagonal blocks nearly so: rank 1 and 1e-9
  useless     // a zero, infinite or undefined diagonal block
};

struct Problem {
  std::string text, format; // what it is, and its type of matrix
  PetscInt n = 1;
  Values values = Values::dominant;
  bool zero = false, periodic = false; // a useless block that is zero, a grid
  Owned<DM> da = {};
  Owned<Mat> A = {};
};

// Draws a matrix that `type` may take. Fails where PETSc itself takes none of the kind (a DMDA with too few points).
PetscErrorCode DrawProblem(Draw &draw, const TypeCase &type, Problem *problem);

// Other values in the pattern of A.
PetscErrorCode ChangeValues(Mat A, std::uint64_t key);

// B = A with each entry changed by a random part of `size`, the diagonal included.
PetscErrorCode Perturb(Mat A, PetscReal size, std::uint64_t key, Mat *B);

} // namespace finegrain::test
