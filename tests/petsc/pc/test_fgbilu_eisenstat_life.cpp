// SPDX-License-Identifier: BSD-2-Clause
// Eisenstat's trick: solve after solve, several right-hand sides, solves inside others, and failures. If the trick is
// impossible, the solve runs without it, or fails with an error.
#include "eisenstat.hpp"
#include "types.hpp"

using namespace finegrain::test;
using namespace finegrain::test::eisenstat;
using finegrain::test::refine::Outcome;

namespace
{

// KSPMatSolve() solves column by column.
TEST(EisenstatLife, SeveralRightHandSides)
{
  Owned<Mat> A, B, X;
  Solver s;
  Outcome out;
  PetscInt rows;
  PetscReal d;
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
  Vectors v(A);
  OK(v.code);
  OK(MatGetLocalSize(A, &rows, nullptr));
  OK(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DETERMINE, 3, nullptr, &B));
  OK(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DETERMINE, 3, nullptr, &X));
  OK(s.make(A, trick));
  for (PetscInt c = 0; c < 3; ++c) {
    Vec column;
    OK(MatDenseGetColumnVecWrite(B, c, &column));
    OK(VecCopy(v.b, column));
    OK(VecShift(column, PetscScalar(c)));
    OK(MatDenseRestoreColumnVecWrite(B, c, &column));
  }
  OK(MatZeroEntries(X));
  OK(MatAssemblyBegin(X, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(X, MAT_FINAL_ASSEMBLY));
  OK(KSPMatSolve(s.ksp, B, X));
  EXPECT_TRUE(HadTrick(s.ksp));
  for (PetscInt c = 0; c < 3; ++c) {
    Vec column;
    OK(MatDenseGetColumnVecRead(B, c, &column));
    OK(VecCopy(column, v.b));
    OK(MatDenseRestoreColumnVecRead(B, c, &column));
    OK(s.solve(v.b, v.x, &out));
    OK(MatDenseGetColumnVecRead(X, c, &column));
    OK(Difference(column, v.x, &d));
    OK(MatDenseRestoreColumnVecRead(X, c, &column));
    EXPECT_EQ(d, 0);
  }
}

// One solver, solve after solve.
TEST(EisenstatLife, GoesWithoutWhereTheFactorIsNotTheMatrix)
{
  Owned<Mat> A;
  Solver s;
  Outcome out;
  Owned<MatNullSpace> space;
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
  Vectors v(A);
  OK(v.code);
  OK(s.make(A, trick));
  const auto expect = [&](bool tricked, const char *what) {
    OK(s.solve(v.b, v.x, &out));
    EXPECT_GT(out.reason, 0) << what;
    EXPECT_EQ(s.tricked, tricked) << what;
  };
  expect(true, "first");
  expect(true, "again");
  OK(KSPSetReusePreconditioner(s.ksp, PETSC_TRUE));
  OK(MatScale(A, 2));
  expect(false, "a lagged factor");
  OK(KSPSetReusePreconditioner(s.ksp, PETSC_FALSE));
  OK(MatScale(A, 2));
  expect(true, "a new factor");
  OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &space));
  OK(MatSetNullSpace(A, space));
  OK(s.solve(v.b, v.x, &out));
  EXPECT_FALSE(s.tricked) << "a null space";
  OK(MatSetNullSpace(A, nullptr));
  PC pc;
  OK(KSPGetPC(s.ksp, &pc));
  OK(PCFGBILUSetEisenstat(pc, PCFGBILU_EISENSTAT_FALSE));
  expect(false, "switched off");
  PCFGBILUEisenstatType now;
  OK(PCFGBILUSetEisenstat(pc, PCFGBILU_EISENSTAT_TRUE));
  OK(PCFGBILUGetEisenstat(pc, &now));
  EXPECT_EQ(now, PCFGBILU_EISENSTAT_TRUE);
  expect(true, "and on");
  std::string text;
  OK(ViewText(pc, &text));
  ExpectIn(text, {"Eisenstat's trick"});
  OK(KSPSetType(s.ksp, KSPREFINE));
  OK(s.solve(v.b, v.x, &out));
  EXPECT_GT(out.reason, 0);
  EXPECT_FALSE(s.tricked);
}

struct Failure {
  PetscInt at = -1; // iteration; -1: none
};
PetscErrorCode FailInMonitor(KSP, PetscInt iteration, PetscReal, void *failure)
{
  PetscFunctionBegin;
  PetscCheck(iteration != static_cast<Failure *>(failure)->at, PETSC_COMM_SELF, PETSC_ERR_USER, "the user's");
  PetscFunctionReturn(PETSC_SUCCESS);
}
PetscErrorCode FailInTest(KSP ksp, PetscInt iteration, PetscReal norm, KSPConvergedReason *reason, void *failure)
{
  PetscFunctionBegin;
  *reason = norm < PetscReal(1e-8) ? KSP_CONVERGED_ATOL : KSP_CONVERGED_ITERATING;
  PetscCall(FailInMonitor(ksp, iteration, norm, failure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// An error in the middle of a solve leaves all objects unchanged. Later solves give the same results as without the
// error: by this solver or another one with the same preconditioner, with the same matrix or another, with or
// without a reset.
TEST(EisenstatLife, ErrorsLeaveEverythingInItsPlace)
{
  for (const bool in_test : {false, true})
    for (const std::string what : {"nothing", "another solver", "other operators", "a reset"}) {
      SCOPED_TRACE(what + (in_test ? " after a test" : " after a monitor"));
      Owned<Mat> A, B;
      Owned<Vec> before, r;
      Solver s;
      Outcome first, then;
      Failure failure;
      PC pc;
      Mat now;
      Vec rhs;
      PetscReal d, norm;
      OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
      OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 2, &B));
      Vectors v(A);
      OK(v.code);
      OK(VecDuplicate(v.b, &before));
      OK(VecDuplicate(v.b, &r));
      OK(s.make(A, trick));
      OK(KSPGetPC(s.ksp, &pc));
      if (in_test) {
        OK(KSPSetConvergenceTest(s.ksp, FailInTest, &failure, nullptr));
      } else {
        OK(KSPMonitorSet(s.ksp, FailInMonitor, &failure, nullptr));
      }
      OK(s.solve(v.b, v.x, &first));
      OK(Apply(pc, v.b, before));
      failure.at = 2;
      OK(VecCopy(v.b, r));
      ExpectError([&] { return KSPSolve(s.ksp, v.b, v.x); });
      failure.at = -1;
      OK(Difference(v.b, r, &d));
      EXPECT_EQ(d, 0);
      OK(PCGetOperators(pc, &now, nullptr));
      EXPECT_EQ(now, A.get());
      OK(KSPGetRhs(s.ksp, &rhs));
      EXPECT_EQ(rhs, v.b.get());
      OK(Apply(pc, v.b, v.y));
      OK(Difference(v.y, before, &d));
      EXPECT_EQ(d, 0);
      now = A;
      if (what == "another solver") {
        Owned<KSP> other;
        OK(refine::MakeKSP(A, A, KSPBCGS, "-ksp_rtol 1e-9", &other));
        OK(KSPSetPC(other, pc));
        OK(KSPSolve(other, v.b, v.x));
        OK(MatMult(A, v.x, r));
        OK(VecAYPX(r, -1, v.b));
        OK(VecNorm(r, NORM_INFINITY, &norm));
        EXPECT_LT(norm, PetscReal(1e-5));
      }
      if (what == "other operators") {
        now = B;
        OK(KSPSetOperators(s.ksp, B, B));
      }
      if (what == "a reset") {
        OK(PCReset(pc));
        OK(KSPSetOperators(s.ksp, A, A));
      }
      for (int again = 0; again < 2; ++again) {
        OK(VecSet(v.x, PETSC_INFINITY));
        OK(s.solve(v.b, v.x, &then));
        EXPECT_TRUE(s.tricked);
        EXPECT_GT(then.reason, 0);
        if (now == A) {
          EXPECT_EQ(then.its, first.its);
        }
        OK(MatMult(now, v.x, r));
        OK(VecAYPX(r, -1, v.b));
        OK(VecNorm(r, NORM_INFINITY, &norm));
        EXPECT_LT(norm, PetscReal(sizeof(PetscReal) == 4 ? 1e-3 : 1e-5));
      }
    }
}

struct Inner {
  KSP ksp = nullptr;
  Vec b = nullptr, x = nullptr;
};
PetscErrorCode SolveInside(KSP, PetscInt iteration, PetscReal, void *inner)
{
  const Inner *i = static_cast<Inner *>(inner);

  PetscFunctionBegin;
  if (iteration == 1) PetscCall(KSPSolve(i->ksp, i->b, i->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A solve inside another one that shares the preconditioner solves with the matrix, not with the transformed system.
TEST(EisenstatLife, SolvesInsideOneAnother)
{
  Owned<Mat> A;
  Owned<KSP> other;
  Owned<Vec> r;
  Solver s;
  Outcome out, alone;
  Inner inner;
  PC pc;
  PetscReal norm;
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
  Vectors v(A), w(A);
  OK(v.code);
  OK(w.code);
  OK(VecDuplicate(v.b, &r));
  OK(s.make(A, trick));
  OK(s.solve(v.b, v.x, &alone));
  OK(KSPGetPC(s.ksp, &pc));
  OK(refine::MakeKSP(A, A, KSPGMRES, "-ksp_rtol 1e-9", &other));
  OK(KSPSetPC(other, pc));
  inner = {other, w.b, w.x};
  OK(KSPMonitorSet(s.ksp, SolveInside, &inner, nullptr));
  OK(s.solve(v.b, v.x, &out));
  EXPECT_TRUE(s.tricked);
  EXPECT_EQ(out.its, alone.its);
  for (Vec x : {v.x.get(), w.x.get()}) {
    OK(MatMult(A, x, r));
    OK(VecAYPX(r, -1, v.b));
    OK(VecNorm(r, NORM_INFINITY, &norm));
    EXPECT_LT(norm, PetscReal(sizeof(PetscReal) == 4 ? 1e-3 : 1e-5));
  }
}

TEST(EisenstatLife, ReplacedPivotsAndFailures)
{
  Owned<Mat> A;
  Outcome out;
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
  OK(MakeSingular(A, 17, 2));
  Vectors v(A);
  OK(v.code);
  Solver fails, shifts;
  OK(fails.make(A, trick));
  OK(fails.solve(v.b, v.x, &out));
  EXPECT_EQ(out.reason, KSP_DIVERGED_PC_FAILED);
  OK(shifts.make(A, std::string(trick) + "-pc_fgbilu_shift_type inblocks -ksp_max_it 3"));
  OK(shifts.solve(v.b, v.x, &out));
  EXPECT_TRUE(shifts.tricked); // the trick is exact for any pivots
}

TEST(EisenstatErrors, WhatCannotBe)
{
  Owned<Mat> A, P;
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
  const struct {
    const char *options;
    std::vector<std::string> parts;
  } cases[] = {
    {"-my_pc_fgbilu_factor ilu0", {"-my_pc_fgbilu_eisenstat", "-my_pc_fgbilu_factor dilu"}},
    {"-my_pc_fgbilu_precision single", {"-my_pc_fgbilu_eisenstat", "-my_pc_fgbilu_precision working"}},
    {"-my_pc_fgbilu_corrections 1", {"-my_pc_fgbilu_eisenstat", "-my_pc_fgbilu_corrections"}},
    {"-my_pc_fgbilu_apply_richardson fixed", {"-my_pc_fgbilu_eisenstat", "-my_pc_fgbilu_apply_richardson"}}};
  for (const auto &c : cases) {
    Owned<PC> pc;
    const Options set(std::string("-my_pc_fgbilu_eisenstat ") + c.options);
    OK(PCCreate(PETSC_COMM_WORLD, &pc));
    OK(PCSetOptionsPrefix(pc, "my_"));
    OK(PCSetType(pc, PCFGBILU));
    OK(PCSetOperators(pc, A, A));
    OK(PCSetFromOptions(pc));
    ExpectIn(ExpectError([&] { return PCSetUp(pc); }), c.parts);
  }
  OK(MatDuplicate(A, MAT_COPY_VALUES, &P));
  Owned<KSP> ksp;
  Vectors v(A);
  OK(v.code);
  OK(refine::MakeKSP(A, P, KSPGMRES, std::string("-pc_type fgbilu") + trick, &ksp));
  ExpectIn(ExpectError([&] { return KSPSolve(ksp, v.b, v.x); }), {"-pc_fgbilu_eisenstat", "Amat and Pmat"});
}

} // namespace
