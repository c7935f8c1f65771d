/* SPDX-License-Identifier: BSD-2-Clause */
static char help[] =
  "Poisson's equation on a grid of 20 x 20 points, with finite differences, Dirichlet boundaries and a right-hand side of\n\
ones. Prints how many iterations the solve took. The KSP is sip unless -ksp_type says otherwise.\n\
  -da_grid_x <I>, -da_grid_y <J>, -da_grid_z <K>   points in each direction\n\n";

#include <petscdmda.h>
#include <petscfinegrain.h>
#include <petscksp.h>

#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS 0
#endif
#if PETSC_VERSION_LT(3, 25, 0)
#define KSP_DMACTIVE_ALL_ /* the DM is used for everything or nothing */
#else
#define KSP_DMACTIVE_ALL_ KSP_DMACTIVE_ALL,
#endif

/* Minus one for each neighbor. The diagonal also counts neighbors outside the grid, whose values are zero; a
 * direction of one point has no neighbors. */
static PetscErrorCode Assemble(DM da, Mat A)
{
  DMDALocalInfo info;
  MatStencil row = {0, 0, 0, 0};
  const PetscScalar minus_one = -1;

  PetscFunctionBeginUser;
  PetscCall(DMDAGetLocalInfo(da, &info));
  const PetscInt size[3] = {info.mx, info.my, info.mz};
  PetscScalar diagonal = 0;
  for (int axis = 0; axis < 3; ++axis)
    if (size[axis] > 1) diagonal += 2;
  for (row.k = info.zs; row.k < info.zs + info.zm; ++row.k)
    for (row.j = info.ys; row.j < info.ys + info.ym; ++row.j)
      for (row.i = info.xs; row.i < info.xs + info.xm; ++row.i) {
        PetscCall(MatSetValuesStencil(A, 1, &row, 1, &row, &diagonal, INSERT_VALUES));
        for (int neighbor = 0; neighbor < 6; ++neighbor) {
          const PetscInt step = neighbor % 2 ? 1 : -1;
          MatStencil col = row;
          if (neighbor / 2 == 0) col.i += step;
          if (neighbor / 2 == 1) col.j += step;
          if (neighbor / 2 == 2) col.k += step;
          if (col.i < 0 || col.j < 0 || col.k < 0 || col.i >= size[0] || col.j >= size[1] || col.k >= size[2])
            continue;
          PetscCall(MatSetValuesStencil(A, 1, &row, 1, &col, &minus_one, INSERT_VALUES));
        }
      }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  DM da;
  Mat A;
  Vec b, x;
  KSP ksp;
  KSPConvergedReason reason;
  PetscInt size[3], iterations;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscFinegrainInitializePackage());
  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR,
                         20, 20, 1, PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, NULL, &da));
  PetscCall(DMSetFromOptions(da));
  PetscCall(DMSetUp(da));
  PetscCall(DMCreateMatrix(da, &A));
  PetscCall(Assemble(da, A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));

  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPSIP));
  PetscCall(KSPSetTolerances(ksp, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetDM(ksp, da)); /* preconditioners get the grid from it; it assembles nothing */
  PetscCall(KSPSetDMActive(ksp, KSP_DMACTIVE_ALL_ PETSC_FALSE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));

  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(
    DMDAGetInfo(da, NULL, &size[0], &size[1], &size[2], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d x %d x %d points: %d iterations, %s\n", (int)size[0], (int)size[1],
                        (int)size[2], (int)iterations, KSPConvergedReasons[reason]));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&da));
  PetscCall(PetscFinalize());
  return 0;
}
