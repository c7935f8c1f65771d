/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls PetscInitialize() and PetscFinalize() three times in one process, each time with a solve by fgbilu. With
 * -link a call registers the package, otherwise -dll_append loads it. */
#if defined(FINEGRAIN_NO_LINK)
#include <petscpc.h>
#else
#include <petscfinegrain.h>
#endif
#include <petscksp.h>

#include <string.h>

static PetscErrorCode Solve(int cycle)
{
  Mat A;
  Vec b, x;
  KSP ksp;
  PC pc;
  KSPConvergedReason reason;
  PetscInt first, last;
  const PetscInt n = 100;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 3, NULL, &A));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    for (PetscInt j = PetscMax(i - 1, 0); j <= PetscMin(i + 1, n - 1); ++j)
      PetscCall(MatSetValue(A, i, j, i == j ? 2 : -1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, "fgbilu"));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "cycle %d: %s\n", cycle, reason > 0 ? "converged" : "not converged"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  for (int cycle = 1; cycle <= 3; ++cycle) {
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
#if !defined(FINEGRAIN_NO_LINK)
    for (int i = 1; i < argc; ++i)
      if (!strcmp(argv[i], "-link")) PetscCall(PetscFinegrainInitializePackage());
#endif
    PetscCall(Solve(cycle));
    PetscCall(PetscFinalize());
  }
  MPI_Finalize();
  return 0;
}
