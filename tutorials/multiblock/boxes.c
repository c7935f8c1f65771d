/* SPDX-License-Identifier: BSD-2-Clause */
/* Two structured grids on each rank, given by PCFinegrainSetGrid(); listed in docs/examples/grids.md. */
#include <petscfinegrain.h>

enum { n = 2, nj = 6, nk = 4 };          /* unknowns per point; points of all boxes along j and k */
static const PetscInt length[] = {8, 5}; /* points of each box along i */

static PetscErrorCode Couple(Mat A, PetscInt p, PetscInt q)
{
  const PetscScalar block[n * n] = {-1, 0.1, -0.1, -1};

  PetscFunctionBegin;
  PetscCall(MatSetValuesBlocked(A, 1, &p, 1, &q, block, INSERT_VALUES));
  PetscCall(MatSetValuesBlocked(A, 1, &q, 1, &p, block, INSERT_VALUES));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  const PetscInt ijk[] = {length[0], nj, nk, length[1], nj, nk};
  const PetscInt points = (length[0] + length[1]) * nj * nk;
  const PetscScalar diagonal[n * n] = {6, 0.5, 0.5, 6};
  PetscInt first, all, its;
  Mat A;
  Vec x, b;
  KSP ksp;
  PC pc;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscFinegrainInitializePackage());
  PetscCall(MatCreateBAIJ(PETSC_COMM_WORLD, n, n * points, n * points, PETSC_DETERMINE, PETSC_DETERMINE, 7, NULL, 1,
                          NULL, &A));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(MatGetSize(A, &all, NULL));
  first /= n; /* from here on a number of a block row */
  for (PetscInt g = 0, start = first; g < 2; start += length[g++] * nj * nk)
    for (PetscInt k = 0; k < nk; ++k)
      for (PetscInt j = 0; j < nj; ++j)
        for (PetscInt i = 0; i < length[g]; ++i) {
          /* PCFinegrainSetGrid() expects i to be fastest. */
          const PetscInt p = start + i + length[g] * (j + nj * k);
          /* The next box is on this rank or on the next one. */
          const PetscInt next = start + length[g] * nj * nk;

          PetscCall(MatSetValuesBlocked(A, 1, &p, 1, &p, diagonal, INSERT_VALUES));
          if (i + 1 < length[g]) PetscCall(Couple(A, p, p + 1));
          else if (n * next < all) PetscCall(Couple(A, p, next + length[1 - g] * (j + nj * k)));
          if (j + 1 < nj) PetscCall(Couple(A, p, p + length[g]));
          if (k + 1 < nk) PetscCall(Couple(A, p, p + length[g] * nj));
        }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));

  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCFGBILU));
  PetscCall(PCFinegrainSetGrid(pc, 2, ijk)); /* this rank's boxes; other ranks may have others */
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " iterations\n", its));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
