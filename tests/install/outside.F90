! SPDX-License-Identifier: BSD-2-Clause
! An outside program in Fortran: sets options by the module's setters, reads them by its getters, solves, and checks
! the residual. It stops with the name of the first check that fails.
program outside
#include <petsc/finclude/petscksp.h>
  use petscksp
  use petscfinegrain
  implicit none

  PetscInt, parameter :: n = 12, grid(6) = [12, 12, 1, 3, 4, 5], blocks = 2, seven = 7
  PetscErrorCode :: ierr
  Mat :: A
  Vec :: x, b
  KSP :: solver
  PC :: pc
  PetscInt :: i, j, row, first, last, k, count
  PetscInt, pointer :: boxes(:)
  PetscReal, pointer :: alphas(:)
  PetscReal :: norm, value
  PetscScalar :: one
  PetscEnum :: choice
  PetscBool :: yes
  PetscLogDouble :: bytes
  MatFactorShiftType :: shift
  character(80) :: ordering

  PetscCallA(PetscInitialize(ierr))
  PetscCallA(PetscFinegrainInitializePackage(ierr))

  ! The Laplacian on n by n points.
  PetscCallA(MatCreate(PETSC_COMM_WORLD, A, ierr))
  PetscCallA(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n*n, n*n, ierr))
  PetscCallA(MatSetType(A, MATAIJ, ierr))
  PetscCallA(MatSetUp(A, ierr))
  PetscCallA(MatGetOwnershipRange(A, first, last, ierr))
  do row = first, last - 1
    i = mod(row, n)
    j = row/n
    call entry(row, 4)
    if (i > 0) call entry(row - 1, -1)
    if (i < n - 1) call entry(row + 1, -1)
    if (j > 0) call entry(row - n, -1)
    if (j < n - 1) call entry(row + n, -1)
  end do
  PetscCallA(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY, ierr))
  PetscCallA(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY, ierr))
  PetscCallA(MatCreateVecs(A, x, b, ierr))
  one = 1
  PetscCallA(VecSet(b, one, ierr))

  PetscCallA(KSPCreate(PETSC_COMM_WORLD, solver, ierr))
  PetscCallA(KSPSetOperators(solver, A, A, ierr))
  PetscCallA(KSPGetPC(solver, pc, ierr))

  ! Settings of several values, and one of each kind of single value.
  PetscCallA(PCSetType(pc, PCFGBILU, ierr))
  PetscCallA(PCFinegrainSetGrid(pc, blocks, grid, ierr))
  PetscCallA(PCFinegrainGetGrid(pc, count, boxes, ierr))
  call expect(count == 2 .and. all(boxes == grid), 'PCFinegrainSetGrid')
  count = 0
  PetscCallA(PCFinegrainSetGrid(pc, count, grid, ierr))
  PetscCallA(PCFinegrainGetGrid(pc, count, boxes, ierr))
  call expect(count == 0 .and. .not. associated(boxes), 'PCFinegrainGetGrid')
  PetscCallA(PCFinegrainSetTile(pc, seven, n, blocks, ierr))
  PetscCallA(PCFinegrainGetTile(pc, i, j, k, ierr))
  call expect(i == 7 .and. j == n .and. k == 2, 'PCFinegrainSetTile')
  value = 0.125
  PetscCallA(PCFinegrainSetShift(pc, MAT_SHIFT_INBLOCKS, value, ierr))
  PetscCallA(PCFinegrainGetShift(pc, shift, value, ierr))
  call expect(shift == MAT_SHIFT_INBLOCKS .and. value == 0.125, 'PCFinegrainSetShift')
  PetscCallA(PCFinegrainSetOrdering(pc, MATORDERINGRCM, ierr))
  PetscCallA(PCFinegrainGetOrdering(pc, ordering, ierr))
  call expect(ordering == 'rcm', 'PCFinegrainSetOrdering')
  PetscCallA(PCSetType(pc, PCMCPI, ierr))
  PetscCallA(PCMCPISetIterations(pc, seven, ierr))
  PetscCallA(PCMCPIGetIterations(pc, k, ierr))
  call expect(k == 7, 'PCMCPISetIterations')
  value = 0.75
  PetscCallA(PCMCPISetOmega(pc, value, ierr))
  value = 0
  PetscCallA(PCMCPIGetOmega(pc, value, ierr))
  call expect(value == 0.75, 'PCMCPISetOmega')
  PetscCallA(PCMCPISetSweep(pc, PCMCPI_SWEEP_SYMMETRIC, ierr))
  PetscCallA(PCMCPIGetSweep(pc, choice, ierr))
  call expect(choice == PCMCPI_SWEEP_SYMMETRIC, 'PCMCPISetSweep')
  PetscCallA(PCFinegrainSetColoringBalance(pc, PETSC_TRUE, ierr))
  PetscCallA(PCFinegrainGetColoringBalance(pc, yes, ierr))
  call expect(logical(yes), 'PCFinegrainSetColoringBalance, true')
  PetscCallA(PCFinegrainSetColoringBalance(pc, PETSC_FALSE, ierr))
  PetscCallA(PCFinegrainGetColoringBalance(pc, yes, ierr))
  call expect(.not. logical(yes), 'PCFinegrainSetColoringBalance, false')
  PetscCallA(PCSetType(pc, PCSIP, ierr))
  PetscCallA(PCSIPSetAlpha(pc, blocks, real([0.5, 0.25], kind(value)), ierr))
  PetscCallA(PCSIPGetAlpha(pc, count, alphas, ierr))
  call expect(count == 2 .and. size(alphas) == 2, 'PCSIPSetAlpha')
  call expect(all(alphas == [0.5, 0.25]), 'PCSIPGetAlpha')

  ! A solve whose settings were all set here: the settings of the previous type are gone.
  PetscCallA(PCSetType(pc, PCFGBILU, ierr))
  PetscCallA(PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_SINGLE, ierr))
  PetscCallA(PCFinegrainGetPrecision(pc, choice, ierr))
  call expect(choice == PC_FINEGRAIN_PRECISION_SINGLE, 'PCFinegrainSetPrecision')
  PetscCallA(PCFinegrainSetAlgorithm(pc, PC_FINEGRAIN_ALGORITHM_LEVELS, ierr))
  PetscCallA(PCFinegrainGetAlgorithm(pc, choice, ierr))
  call expect(choice == PC_FINEGRAIN_ALGORITHM_LEVELS, 'PCFinegrainSetAlgorithm')
  PetscCallA(PCFinegrainSetCorrections(pc, blocks, ierr))
  PetscCallA(PCFinegrainGetCorrections(pc, k, ierr))
  call expect(k == 2, 'PCFinegrainSetCorrections')
  PetscCallA(KSPSetType(solver, KSPREFINE, ierr))
  PetscCallA(KSPRefineSetInner(solver, seven, ierr))
  PetscCallA(KSPRefineGetInner(solver, k, ierr))
  call expect(k == 7, 'KSPRefineSetInner')
  PetscCallA(KSPSetFromOptions(solver, ierr))
  PetscCallA(KSPSolve(solver, b, x, ierr))
  PetscCallA(PCFinegrainGetFactorBytes(pc, bytes, ierr))
  call expect(bytes > 0, 'PCFinegrainGetFactorBytes')
  PetscCallA(PCFinegrainGetScaledResidual(pc, value, ierr))
  call expect(value >= 0 .and. value < 1e-4, 'PCFinegrainGetScaledResidual')
  PetscCallA(VecScale(x, -one, ierr))
  PetscCallA(MatMultAdd(A, x, b, b, ierr))
  PetscCallA(VecNorm(b, NORM_2, norm, ierr))
  call expect(norm < 1e-4*n, 'the residual')

  PetscCallA(KSPDestroy(solver, ierr))
  PetscCallA(VecDestroy(x, ierr))
  PetscCallA(VecDestroy(b, ierr))
  PetscCallA(MatDestroy(A, ierr))
  PetscCallA(PetscFinalize(ierr))
  print '(a)', 'small residual'

contains

  subroutine entry(column, number)
    PetscInt, intent(in) :: column
    integer, intent(in) :: number
    PetscScalar :: v
    v = number
    PetscCallA(MatSetValue(A, row, column, v, INSERT_VALUES, ierr))
  end subroutine

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(2a)', 'not as it should be: ', what
    stop 1
  end subroutine
end program
