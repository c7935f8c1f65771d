// SPDX-License-Identifier: BSD-2-Clause
// PCLAG around types that contain others, and solves that end in an error.
#include "refine.hpp"

using namespace finegrain::test;

namespace
{

// A KSP with `lag` whose matrix gets the values of another one for each solve.
struct LaggedSolver {
  Owned<Mat> A;
  Owned<KSP> ksp;
  PC pc = nullptr;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;

  PetscErrorCode Make(Mat like, const std::string &options)
  {
    PetscFunctionBegin;
    PetscCall(MatDuplicate(like, MAT_COPY_VALUES, &A));
    PetscCall(refine::MakeKSP(A, A, KSPGMRES, "-pc_type lag " + options, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Solve(Mat values, Vec b, Vec x)
  {
    PetscFunctionBegin;
    PetscCall(MatCopy(values, A, SAME_NONZERO_PATTERN));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

// PETSc's types tell the PCs inside them to stay as they are in applications only.
TEST(LagInside, RenewsWhatIsInsideOfWhatIsInside)
{
  for (const std::string options :
       {"-lag_pc_type bjacobi", "-lag_pc_type composite -lag_pc_composite_pcs bjacobi,jacobi",
        "-lag_pc_type composite -lag_pc_composite_type multiplicative -lag_pc_composite_pcs jacobi,bjacobi",
        "-lag_pc_type cpr -lag_cpr_pressure_pc_type bjacobi -lag_cpr_full_pc_type bjacobi", "-lag_pc_type asm",
        "-lag_pc_type fgbilu"}) {
    SCOPED_TRACE(options);
    Owned<Mat> values;
    LaggedSolver kept, always;
    PetscReal d;
    OK(AssembleMatrix(star(9, 8, 1), 3, MATAIJ, 1, &values));
    Vectors v(values);
    OK(v.code);
    OK(kept.Make(values, options + " -pc_lag_maximum 2 -pc_lag_cost 1000"));
    OK(always.Make(values, options + " -pc_lag_maximum 1"));
    for (int k = 0; k < 6; ++k) {
      LaggedSolver fresh;
      OK(AssembleMatrix(star(9, 8, 1), 3, MATAIJ, k + 1, &values));
      OK(fresh.Make(values, options));
      for (LaggedSolver *s : {&fresh, &kept, &always}) OK(s->Solve(values, v.b, v.x));
      OK(ComparePCs(values, always.pc, fresh.pc, &d));
      EXPECT_EQ(d, 0) << k;
      if (k % 2) continue;
      OK(ComparePCs(values, kept.pc, fresh.pc, &d));
      EXPECT_EQ(d, 0) << k;
    }
  }
}

// Rows 2 i and 2 i + 1 are coupled: the identity, or a skew matrix, with which BiCGStab breaks down unless the
// preconditioner is made from it.
PetscErrorCode MakePairs(bool skew, Mat *A)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, 4, 4, PETSC_DETERMINE, PETSC_DETERMINE, 2, nullptr, 0, nullptr, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt i = first; i < last; ++i) {
    PetscCall(MatSetValue(*A, i, i, skew ? 0 : 1, INSERT_VALUES));
    PetscCall(MatSetValue(*A, i, i ^ 1, skew ? (i % 2 ? -1 : 1) : 0, INSERT_VALUES));
  }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(LagInside, RepeatsSolvesWhoseFailureIsAnError)
{
  Owned<Mat> identity, skew;
  OK(MakePairs(false, &identity));
  OK(MakePairs(true, &skew));
  Vectors v(identity);
  OK(v.code);
  for (const std::string method : {"bcgs", "cgs"})
    for (const std::string is_error : {"", " -ksp_error_if_not_converged"}) {
      SCOPED_TRACE(method + is_error);
      LaggedSolver s;
      OK(s.Make(identity, "-lag_pc_type fgbilu -lag_pc_fgbilu_block_size 2 -ksp_type " + method + is_error));
      for (const Mat values : {Mat(identity), Mat(identity), Mat(skew), Mat(skew), Mat(identity)}) {
        OK(s.Solve(values, v.b, v.x));
        EXPECT_GT(s.reason, 0);
      }
    }
}

// PCPostSolve() is not called after an error.
TEST(LagInside, SolvesAfterAnyNumberOfErrors)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(9, 8, 1), 3, MATAIJ, 1, &A));
  Vectors v(A);
  OK(v.code);
  for (const std::string options : {"-pc_type lag -lag_pc_type fgbilu", "-pc_type fgbilu", "-pc_type mcpi"}) {
    SCOPED_TRACE(options);
    Owned<KSP> ksp;
    KSPConvergedReason reason;
    OK(refine::MakeKSP(A, A, KSPGMRES, options, &ksp));
    for (int k = 0; k < 4; ++k) {
      OK(KSPMonitorSet(
        ksp, [](KSP, PetscInt, PetscReal, void *) -> PetscErrorCode { return PETSC_ERR_USER; }, nullptr, nullptr));
      {
        const ErrorCatcher quiet;
        EXPECT_NE(int(KSPSolve(ksp, v.b, v.x)), 0) << k;
      }
      OK(KSPMonitorCancel(ksp));
      OK(KSPSolve(ksp, v.b, v.x));
      OK(KSPGetConvergedReason(ksp, &reason));
      EXPECT_GT(reason, 0) << k;
    }
  }
}

} // namespace
