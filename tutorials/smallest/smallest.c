/* SPDX-License-Identifier: BSD-2-Clause */
/* The smallest program that links finegrain: a Laplacian on a grid, solved with -pc_type fgbilu unless you say
 * otherwise. */
#include <petscfinegrain.h>
#include <petscdmda.h>
#include <petscksp.h>

int main(int argc, char **argv)
{
  DM da;
  Mat A;
  Vec x, b;
  KSP ksp;
  PC pc;
  PetscInt i, j, m, n, xs, ys, its;
  const PetscInt size = 32;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscFinegrainInitializePackage()); /* -dll_append does this for programs that do not link the library */
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, size, size,
                         PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, &da));
  PetscCall(DMSetUp(da));
  PetscCall(DMCreateMatrix(da, &A));
  PetscCall(DMDAGetCorners(da, &xs, &ys, NULL, &m, &n, NULL));
  for (j = ys; j < ys + n; j++)
    for (i = xs; i < xs + m; i++) {
      const MatStencil row = {0, j, i, 0},
                       cols[] = {row, {0, j, i - 1, 0}, {0, j, i + 1, 0}, {0, j - 1, i, 0}, {0, j + 1, i, 0}};
      const PetscBool inside[] = {PETSC_TRUE, i > 0, i<size - 1, j> 0, j < size - 1};
      for (int k = 0; k < 5; k++) {
        const PetscScalar value = k == 0 ? 4 : -1;
        if (inside[k]) PetscCall(MatSetValuesStencil(A, 1, &row, 1, &cols[k], &value, INSERT_VALUES));
      }
    }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));

  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCFGBILU));
  PetscCall(PCSetDM(pc, da)); /* its grid: hyperplanes instead of level sets */
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " iterations\n", its));

  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&da));
  PetscCall(PetscFinalize());
  return 0;
}
