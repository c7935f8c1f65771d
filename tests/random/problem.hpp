// SPDX-License-Identifier: BSD-2-Clause
// Matrices of random cases: graphs and grids, blocks, formats, divisions among ranks, values from harmless to
// useless.
#pragma once

#include "draw.hpp"
#include "types.hpp"

namespace finegrain::test
{

// Suitability of a matrix for a factorization.
enum class Values {
  dominant,   // by blocks
  weak,       // diagonals too small by random factors
  indefinite, // the same, of both signs
  scaled,     // unknowns in different units
  singular,   // some diagonal blocks are nearly singular: rank 1 and 1e-9
  useless     // a zero, infinite or undefined diagonal block
};

struct Problem {
  std::string text, format; // description, and type of matrix
  PetscInt n = 1;
  Values values = Values::dominant;
  bool zero = false, periodic = false; // a useless block is zero; the grid is periodic
  Owned<DM> da = {};
  Owned<Mat> A = {};
};

// Draws a matrix that `type` may accept. Fails if PETSc itself supports none of the kind (a DMDA with too few
// points).
PetscErrorCode DrawProblem(Draw &draw, const TypeCase &type, Problem *problem);

// Other values in the pattern of A.
PetscErrorCode ChangeValues(Mat A, std::uint64_t key);

// B = A with each entry changed by a random share of `size`, the diagonal included.
PetscErrorCode Perturb(Mat A, PetscReal size, std::uint64_t key, Mat *B);

} // namespace finegrain::test
