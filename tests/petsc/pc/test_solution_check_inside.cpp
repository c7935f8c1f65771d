// SPDX-License-Identifier: BSD-2-Clause
// The check of solutions inside other solvers, for several right-hand sides and with null spaces, and the effects of
// a refusal.
#include "solution_check.hpp"

#include <petscsnes.h>

using namespace finegrain::test;
using namespace finegrain::test::solution_check;
using refine::MakeKSP;

namespace
{

PER_TYPE(CheckInsidePerType);

TEST_P(CheckInsidePerType, IsAnErrorForThoseWhoWantOne)
{
  EarlyClaim c;
  OK(c.make(t.type, "-ksp_error_if_not_converged"));
  const std::string text = ExpectError([&] { return KSPSolve(c.ksp, c.b, c.x); });
  ExpectIn(text,
           {"The solution does not satisfy the system: its scaled residual is", with("-@_check_solution warn")});
}

// A Newton method stops if its linear solve is refused, and continues if that only requests a rough tolerance.
TEST_P(CheckInsidePerType, EndsNewton)
{
  for (const bool inexact : {false, true}) {
    EarlyClaim c;
    Owned<SNES> snes;
    SNESConvergedReason reason;
    KSP ksp;
    PC pc;
    OK(c.make(t.type));
    OK(SNESCreate(PETSC_COMM_WORLD, &snes));
    const auto residual = [](SNES, Vec x, Vec r, void *system) -> PetscErrorCode {
      const auto *own = static_cast<EarlyClaim *>(system);
      PetscFunctionBegin;
      PetscCall(MatMult(own->A, x, r));
      PetscCall(VecAXPY(r, -1, own->b));
      PetscFunctionReturn(PETSC_SUCCESS);
    };
    const auto jacobian = [](SNES, Vec, Mat, Mat, void *) -> PetscErrorCode { return PETSC_SUCCESS; };
    OK(SNESSetFunction(snes, nullptr, residual, &c));
    OK(SNESSetJacobian(snes, c.A, c.A, jacobian, nullptr));
    OK(SNESSetType(snes, SNESNEWTONLS));
    OK(SNESGetKSP(snes, &ksp));
    OK(KSPSetType(ksp, KSPGMRES));
    OK(KSPSetPCSide(ksp, PC_RIGHT));
    OK(KSPSetTolerances(ksp, inexact ? PetscReal(0.1) : PetscReal(1e-5), PETSC_DEFAULT, PETSC_DEFAULT, 200));
    OK(KSPGetPC(ksp, &pc));
    OK(PCSetType(pc, t.type));
    OK(PCFGBILUSetEisenstat(pc, PCFGBILU_EISENSTAT_FALSE)); // as above
    OK(SNESSolve(snes, nullptr, c.x));
    OK(SNESGetConvergedReason(snes, &reason));
    if (inexact) EXPECT_NE(reason, SNES_DIVERGED_LINEAR_SOLVE);
    else EXPECT_EQ(reason, SNES_DIVERGED_LINEAR_SOLVE);
  }
}

// PETSc keeps the reason of the last column of KSPMatSolve().
TEST_P(CheckInsidePerType, LooksAtEachColumn)
{
  EarlyClaim c;
  Owned<Mat> B, X;
  PetscInt rows;
  OK(c.make(t.type));
  OK(VecGetLocalSize(c.b, &rows));
  for (const bool last_is_wrong : {false, true}) {
    OK(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DETERMINE, 2, nullptr, &B));
    for (PetscInt k = 0; k < 2; ++k) {
      Vec column;
      OK(MatDenseGetColumnVecWrite(B, k, &column));
      OK(VecCopy((k == 1) == last_is_wrong ? c.b : c.good, column));
      OK(MatDenseRestoreColumnVecWrite(B, k, &column));
    }
    OK(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
    OK(KSPMatSolve(c.ksp, B, X));
    OK(KSPGetConvergedReason(c.ksp, &c.reason));
    EXPECT_EQ(c.reason, last_is_wrong ? KSP_DIVERGED_PC_FAILED : KSP_CONVERGED_RTOL);
  }
}

// A singular system whose right-hand side has a part outside the range of the matrix. The check ignores this part,
// which no solution removes.
TEST_P(CheckInsidePerType, LeavesOutWhatANullSpaceHides)
{
  if (t.needs_grid) GTEST_SKIP() << "the matrix has no grid";
  for (const bool symmetric : {false, true}) {
    SCOPED_TRACE(symmetric ? "known to be symmetric" : "");
    Owned<Mat> A;
    Owned<KSP> ksp;
    Owned<MatNullSpace> space;
    KSPConvergedReason reason;
    PetscReal eta;
    OK(refine::AssembleLaplacian(star(8, 8, 4), &A));
    Vectors v(A);
    OK(v.code);
    if (symmetric) {
      OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
    }
    OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &space));
    OK(MatSetNullSpace(A, space));
    OK(MakeKSP(A, A, KSPGMRES, with("-ksp_rtol 1e-6 -ksp_max_it 300 -@_shift_type inblocks -pc_type ") + t.type,
               &ksp));
    OK(VecShift(v.b, 1));
    OK(VecSet(v.x, 0));
    OK(KSPSolve(ksp, v.b, v.x));
    OK(KSPGetConvergedReason(ksp, &reason));
    EXPECT_EQ(reason, KSP_CONVERGED_RTOL);
    OK(GetEta(ksp, &eta));
    EXPECT_GE(eta, 0);
    EXPECT_LT(eta, 1e-2);
  }
}

// The factor of central differences at large Peclet numbers amplifies errors: the preconditioned norm decreases, but
// the residual does not, also with Eisenstat's trick.
TEST(SolutionCheck, RefusesWhatAFactorAmplifies)
{
  if (Size() > 1) GTEST_SKIP() << "the factor of one rank";
  constexpr PetscInt m = 48;
  constexpr PetscReal peclet = 5;
  Owned<Mat> A;
  OK(MatCreateSeqAIJ(PETSC_COMM_SELF, m * m, m * m, 5, nullptr, &A));
  for (PetscInt row = 0; row < m * m; ++row) {
    const PetscInt i = row % m, j = row / m;
    const auto couple = [&](bool inside, PetscInt column, PetscReal value) {
      return inside ? MatSetValue(A, row, column, value, INSERT_VALUES) : PETSC_SUCCESS;
    };
    OK(couple(true, row, 4));
    OK(couple(i > 0, row - 1, -1 - peclet));
    OK(couple(i < m - 1, row + 1, -1 + peclet));
    OK(couple(j > 0, row - m, -1 - peclet));
    OK(couple(j < m - 1, row + m, -1 + peclet));
  }
  OK(Assemble(A));
  for (const char *options : {"-ksp_type gmres", "-ksp_type bcgs", "-ksp_type gmres -pc_fgbilu_eisenstat"}) {
    SCOPED_TRACE(options);
    Owned<Vec> b, x;
    Owned<KSP> ksp;
    KSPConvergedReason reason;
    PetscReal eta, expected;
    OK(MatCreateVecs(A, &x, &b));
    OK(VecSet(x, 1));
    OK(MatMult(A, x, b));
    OK(MakeKSP(A, A, KSPGMRES, std::string("-pc_type fgbilu ") + options, &ksp));
    OK(KSPSolve(ksp, b, x));
    OK(KSPGetConvergedReason(ksp, &reason));
    EXPECT_EQ(reason, KSP_DIVERGED_PC_FAILED);
    OK(GetEta(ksp, &eta));
    OK(ScaledResidual(A, A, false, b, x, &expected));
    EXPECT_NEAR(eta, expected, 1e-6 * expected);
  }
}

} // namespace
