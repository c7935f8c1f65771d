// SPDX-License-Identifier: BSD-2-Clause
// Helpers for the tests of MATBAIJKOKKOS: comparison of products with MATBAIJ, and matrices of both types assembled
// from coordinates.
#pragma once

#include "fixture.hpp"

namespace finegrain::test
{

// True if BAIJ accepts new blocks by MatSetValuesBlocked() after its assembly. PETSc 3.20 does not see them, and
// crashes in the next product.
inline constexpr bool takes_new_blocks = PETSC_VERSION_LT(3, 20, 0) || PETSC_VERSION_GE(3, 21, 0);

// Fills v with entries that depend only on the global index and the seed.
PetscErrorCode FillVector(Vec v, int seed);

// The largest difference between four products of A and B, and variants that overwrite the added vector.
PetscErrorCode CompareProducts(Mat A, Mat B, PetscReal *d);

// A matrix of zeros with the layout of B, and values by coordinates for it: of blocks or scalars, most of them for
// rows of other ranks, some repeated or from two ranks, some negative. The last rank contributes none.
struct Coordinates {
  PetscInt n = 1;
  bool blocks = false;
  std::vector<PetscInt> i, j;

  PetscErrorCode make(const Couplings &couplings, PetscInt n, bool blocks);
  PetscErrorCode prepare(Mat A) const;
  PetscErrorCode set(Mat A, int seed, InsertMode mode) const;    // by MatSetValuesCOO()
  PetscErrorCode oracle(Mat B, int seed, InsertMode mode) const; // by MatSetValues()

private:
  std::vector<PetscScalar> values(int seed) const;
};
PetscErrorCode MakeLike(Mat B, MatType type, Mat *A);

// A matrix assembled from coordinates, and one of type MATBAIJ with the same values.
struct Assembled {
  Owned<Mat> A, B;
  Coordinates c;

  PetscErrorCode make(const Couplings &couplings, PetscInt n, bool blocks)
  {
    PetscFunctionBegin;
    PetscCall(AssembleMatrix(couplings, n, MATBAIJ, 1, &B));
    PetscCall(MakeLike(B, MATBAIJKOKKOS, &A));
    PetscCall(c.make(couplings, n, blocks));
    PetscCall(c.prepare(A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode set(int seed, InsertMode mode = INSERT_VALUES)
  {
    PetscFunctionBegin;
    PetscCall(c.set(A, seed, mode));
    PetscCall(c.oracle(B, seed, mode));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

} // namespace finegrain::test
