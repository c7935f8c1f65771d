! SPDX-License-Identifier: BSD-2-Clause
! Sets and gets a precision in Fortran; listed in docs/use.md.
program diagonal
#include <petsc/finclude/petscksp.h>
  use petscksp
  use petscfinegrain
  implicit none
  PetscErrorCode :: ierr
  Mat :: A
  PC :: pc
  PetscInt :: rows = 12
  PetscScalar :: two = 2
  PetscEnum :: precision

  PetscCallA(PetscInitialize(ierr))
  PetscCallA(PetscFinegrainInitializePackage(ierr))
  PetscCallA(MatCreateConstantDiagonal(PETSC_COMM_SELF, rows, rows, rows, rows, two, A, ierr))
  PetscCallA(MatConvert(A, MATAIJ, MAT_INPLACE_MATRIX, A, ierr))
  PetscCallA(PCCreate(PETSC_COMM_SELF, pc, ierr))
  PetscCallA(PCSetOperators(pc, A, A, ierr))
  PetscCallA(PCSetType(pc, PCFGBILU, ierr))
  PetscCallA(PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_SINGLE, ierr))
  PetscCallA(PCSetUp(pc, ierr))
  PetscCallA(PCFinegrainGetPrecision(pc, precision, ierr))
  if (precision == PC_FINEGRAIN_PRECISION_SINGLE) print '(a)', 'single precision'
  PetscCallA(PCDestroy(pc, ierr))
  PetscCallA(MatDestroy(A, ierr))
  PetscCallA(PetscFinalize(ierr))
end program
