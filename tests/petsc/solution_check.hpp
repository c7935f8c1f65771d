// SPDX-License-Identifier: BSD-2-Clause
// Oracle and systems for the tests of the check of solutions.
#pragma once

#include "refine.hpp"
#include "types.hpp"

#include <cmath>

namespace finegrain::test::solution_check
{

// Row sums of |A| from MatGetRow(), or, transposed, column sums over the rows of this rank.
inline PetscErrorCode RowSums(Mat A, bool transposed, Vec sums)
{
  PetscInt first, last, count;
  const PetscInt *cols;
  const PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(VecSet(sums, 0));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; ++i) {
    PetscCall(MatGetRow(A, i, &count, &cols, &values));
    for (PetscInt e = 0; e < count; ++e) {
      const PetscReal size = std::fabs(PetscRealPart(values[e])) + std::fabs(PetscImaginaryPart(values[e]));
      if (!transposed) PetscCall(VecSetValue(sums, i, size, ADD_VALUES));
      else if (cols[e] >= first && cols[e] < last) PetscCall(VecSetValue(sums, cols[e], size, ADD_VALUES));
    }
    PetscCall(MatRestoreRow(A, i, &count, &cols, &values));
  }
  PetscCall(VecAssemblyBegin(sums));
  PetscCall(VecAssemblyEnd(sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// |R (b - A x)| / |R b| with PETSc's functions; R is computed from `rows`.
inline PetscErrorCode ScaledResidual(Mat A, Mat rows, bool transposed, Vec b, Vec x, PetscReal *eta)
{
  Owned<Vec> r, sums;
  PetscReal reference;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecDuplicate(b, &sums));
  PetscCall(RowSums(rows, transposed, sums));
  PetscCall(VecPointwiseDivide(r, b, sums));
  PetscCall(VecNorm(r, NORM_2, &reference));
  PetscCall(transposed ? MatMultTranspose(A, x, r) : MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecPointwiseDivide(r, r, sums));
  PetscCall(VecNorm(r, NORM_2, eta));
  *eta /= reference;
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode GetEta(KSP ksp, PetscReal *eta)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFinegrainGetScaledResidual(pc, eta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline constexpr PetscReal huge = sizeof(PetscReal) == 4 ? PetscReal(1e10) : PetscReal(1e20);

// Two Laplacians on 30 x 30 points, coupled in each point, with a penalty in the first diagonal entry that reduces
// all other entries to rounding errors. b = A x for x with entries between 1 and 2. A solver that tests |b - A x| is
// therefore satisfied by the first row.
inline PetscErrorCode AssemblePenalty(Mat *A, Vec *b, Vec *x)
{
  constexpr PetscInt m = 30, n = 2;
  Owned<DM> da;
  PetscInt first, last, i0, j0, mi, mj;

  PetscFunctionBegin;
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, m, m, PETSC_DECIDE,
                         PETSC_DECIDE, n, 1, nullptr, nullptr, &da));
  PetscCall(DMSetMatType(da, MATBAIJ));
  PetscCall(DMSetUp(da));
  PetscCall(DMCreateMatrix(da, A));
  PetscCall(DMDAGetCorners(da, &i0, &j0, nullptr, &mi, &mj, nullptr));
  for (PetscInt j = j0; j < j0 + mj; ++j)
    for (PetscInt i = i0; i < i0 + mi; ++i)
      for (PetscInt c = 0; c < n; ++c) {
        const MatStencil row{0, j, i, c};
        const auto insert = [&](bool inside, const MatStencil &column, PetscReal value) {
          const PetscScalar scalar = value;
          return inside ? MatSetValuesStencil(*A, 1, &row, 1, &column, &scalar, INSERT_VALUES) : PETSC_SUCCESS;
        };
        PetscCall(insert(true, row, i == 0 && j == 0 && c == 0 ? huge : PetscReal(4)));
        PetscCall(insert(true, {0, j, i, 1 - c}, PetscReal(0.01)));
        PetscCall(insert(i > 0, {0, j, i - 1, c}, -1));
        PetscCall(insert(i < m - 1, {0, j, i + 1, c}, -1));
        PetscCall(insert(j > 0, {0, j - 1, i, c}, -1));
        PetscCall(insert(j < m - 1, {0, j + 1, i, c}, -1));
      }
  PetscCall(Assemble(*A));
  PetscCall(MatCreateVecs(*A, x, b));
  PetscCall(VecGetOwnershipRange(*x, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    PetscCall(VecSetValue(*x, i, 1 + PetscReal(i) / (n * m * m), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(*x));
  PetscCall(VecAssemblyEnd(*x));
  PetscCall(MatMult(*A, *x, *b));
  PetscCall(VecSet(*x, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A solver for A with a penalty that reports convergence too early, and its system.
struct EarlyClaim {
  Owned<Mat> A;
  Owned<Vec> b, x, good; // good: a right-hand side that the penalty does not hide
  Owned<KSP> ksp;
  PC pc = nullptr;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PCFailedReason failed = PC_NOERROR;

  PetscErrorCode make(const std::string &type, const std::string &options = "")
  {
    PetscFunctionBegin;
    PetscCall(AssemblePenalty(&A, &b, &x));
    PetscCall(VecDuplicate(b, &good));
    PetscCall(VecSet(good, 1));
    // Eisenstat's trick uses another norm first, and does not report convergence so early.
    const std::string common = "-ksp_pc_side right -ksp_rtol 1e-5 -ksp_max_it 200 -@_eisenstat false -pc_type ";
    PetscCall(refine::MakeKSP(A, A, KSPGMRES, Expand(common + type + " " + options, type), &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode solve(Vec rhs)
  {
    PetscFunctionBegin;
    PetscCall(KSPSolve(ksp, rhs, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(PCGetFailedReason(pc, &failed));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

} // namespace finegrain::test::solution_check
