/* SPDX-License-Identifier: BSD-2-Clause */
/* An outside program that links the installed library: its setters, and the type by its name. */
#include <petscfinegrain.h>
#include <petscksp.h>

int main(int argc, char **argv)
{
  Mat A;
  PC pc;
  Vec b, x;
  PetscReal largest;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscFinegrainInitializePackage());
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 12, 12, 1, NULL, 0, NULL, &A));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatShift(A, 2));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetType(pc, PCFGBILU));
  PetscCall(PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_SINGLE));
  PetscCall(PCSetUp(pc));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 4));
  PetscCall(PCApply(pc, b, x));
  PetscCall(VecNorm(x, NORM_INFINITY, &largest));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "solution %.3f\n", (double)largest));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
