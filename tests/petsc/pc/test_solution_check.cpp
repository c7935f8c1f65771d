// SPDX-License-Identifier: BSD-2-Clause
// The check of solutions: the scaled residual compared with its definition, and the solves that it refuses.
#include "solution_check.hpp"

using namespace finegrain::test;
using namespace finegrain::test::solution_check;
using refine::MakeKSP;

namespace
{

PER_TYPE(CheckPerType);

// The scaled residual equals its definition, for all kinds of matrices, and for the transpose.
TEST_P(CheckPerType, ComputesTheScaledResidual)
{
  for (const MatType type : {MATAIJ, MATBAIJ, MATSBAIJ, MATBAIJKOKKOS})
    for (const PetscInt n : {1, 3})
      for (const bool transposed : {false, true}) {
        const bool is_symmetric = std::string(type) == MATSBAIJ;
        if (is_symmetric && (t.needs_grid || Size() > 1)) continue; // in parallel, off-rank couplings are not counted
        if (transposed && t.symmetric) continue;
        SCOPED_TRACE(std::string(type) + (transposed ? ", transposed, n = " : ", n = ") + std::to_string(n));
        Owned<Mat> A, rows;
        Owned<KSP> ksp;
        PetscReal eta, expected;
        KSPConvergedReason reason;
        OK(Matrix(Shape::star, n, is_symmetric ? MATBAIJ : type, &A));
        if (is_symmetric) {
          OK(MakeSymmetric(A));
          OK(MatConvert(A, MATSBAIJ, MAT_INPLACE_MATRIX, A.in_place()));
        }
        Vectors v(A);
        OK(v.code);
        OK(MakeKSP(A, A, KSPGMRES, with("-ksp_rtol 1e-3 -pc_type ") + t.type, &ksp));
        OK(transposed ? KSPSolveTranspose(ksp, v.b, v.x) : KSPSolve(ksp, v.b, v.x));
        OK(KSPGetConvergedReason(ksp, &reason));
        EXPECT_EQ(reason, KSP_CONVERGED_RTOL);
        OK(GetEta(ksp, &eta));
        OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &rows));
        OK(ScaledResidual(A, rows, transposed, v.b, v.x, &expected));
        EXPECT_NEAR(eta, expected, 1e-6 * expected + 10 * PETSC_MACHINE_EPSILON);
        EXPECT_LT(eta, 1e-2);
      }
}

// A solve that reports convergence too early fails by default, prints a warning, or passes; the next one is not
// affected.
TEST_P(CheckPerType, RefusesAnEarlyClaim)
{
  for (const char *check : {"fail", "warn", "none"}) {
    SCOPED_TRACE(check);
    EarlyClaim c;
    PetscReal eta, expected, error;
    std::string text;
    const bool fails = std::string(check) == "fail", none = std::string(check) == "none";
    OK(c.make(t.type, std::string("-@_check_solution ") + check));
    ::testing::internal::CaptureStderr();
    OK(c.solve(c.b));
    const std::string told = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(told.find("The solution does not satisfy the system") != std::string::npos,
              std::string(check) == "warn" && Rank() == 0)
      << told;
    EXPECT_EQ(c.reason, fails ? KSP_DIVERGED_PC_FAILED : KSP_CONVERGED_RTOL);
    EXPECT_EQ(c.failed, fails ? PC_FACTOR_OTHER : PC_NOERROR);
    OK(GetEta(c.ksp, &eta));
    OK(ScaledResidual(c.A, c.A, false, c.b, c.x, &expected));
    EXPECT_GT(expected, 1e-2);
    if (none) EXPECT_EQ(eta, -1);
    else EXPECT_NEAR(eta, expected, 1e-6 * expected);
    OK(ViewText(c.pc, &text));
    EXPECT_EQ(text.find("solve failed: The solution does not satisfy the system") != std::string::npos, !none);
    EXPECT_EQ(text.find("check of the last solution: scaled residual ") != std::string::npos, !none);

    // Neither an application nor the next solve is affected by a refusal.
    const int set_ups = EventCount("FGFactor");
    OK(Apply(c.pc, c.good, c.x));
    OK(VecNorm(c.x, NORM_INFINITY, &error));
    EXPECT_FALSE(PetscIsInfOrNanReal(error));
    OK(c.solve(c.good));
    EXPECT_EQ(c.reason, KSP_CONVERGED_RTOL);
    EXPECT_EQ(c.failed, PC_NOERROR);
    EXPECT_EQ(EventCount("FGFactor"), set_ups);
    OK(ViewText(c.pc, &text));
    EXPECT_EQ(text.find("solve failed"), std::string::npos);
  }
}

// All norms, sides and solvers that may report convergence.
TEST_P(CheckPerType, LooksAtAllThatClaim)
{
  std::vector<std::string> solvers = {"-ksp_type gmres -ksp_pc_side right", "-ksp_type fgmres", "-ksp_type gcr",
                                      "-ksp_type bcgs -ksp_pc_side right", "-ksp_type refine -ksp_pc_side left"};
  if (t.keeps_symmetry)
    for (const char *norm : {"natural", "unpreconditioned"})
      solvers.push_back(std::string("-ksp_pc_side left -ksp_type cg -ksp_norm_type ") + norm);
  for (const std::string &solver : solvers) {
    SCOPED_TRACE(solver);
    EarlyClaim c;
    PetscReal eta;
    OK(c.make(t.type, "-@_check_solution none " + solver));
    OK(c.solve(c.b));
    ASSERT_EQ(c.reason, KSP_CONVERGED_RTOL);
    OK(ScaledResidual(c.A, c.A, false, c.b, c.x, &eta));
    const bool wrong = eta > 1e-2;
    OK(PCFinegrainSetCheckSolution(c.pc, PC_FINEGRAIN_CHECK_FAIL));
    OK(c.solve(c.b));
    EXPECT_EQ(c.reason, wrong ? KSP_DIVERGED_PC_FAILED : KSP_CONVERGED_RTOL) << eta;
    std::string text;
    OK(ViewText(c.pc, &text));
    const bool left = solver.find("-ksp_pc_side left") != std::string::npos; // cg and refine have no other side
    EXPECT_EQ(text.find("or -ksp_pc_side right tests") != std::string::npos, wrong && !left) << text;
  }
}

// If the solver reports no convergence by a tolerance, the residual is not computed.
TEST_P(CheckPerType, LeavesAloneWhatClaimsNothing)
{
  for (const char *solver : {"-ksp_norm_type none -ksp_max_it 3", "-ksp_type preonly", "-ksp_rtol 0.1",
                             "-ksp_convergence_test skip -ksp_max_it 3", "-ksp_max_it 1 -ksp_pc_side left"}) {
    SCOPED_TRACE(solver);
    EarlyClaim c;
    PetscReal eta;
    OK(c.make(t.type, solver));
    const int checks = EventCount("FGCheck");
    OK(c.solve(std::string(solver).find("left") == std::string::npos ? c.b : c.good));
    EXPECT_EQ(EventCount("FGCheck"), checks);
    OK(GetEta(c.ksp, &eta));
    EXPECT_EQ(eta, -1);
    EXPECT_EQ(c.failed, PC_NOERROR);
  }
  // A test of the user's own, although it calls PETSc's.
  EarlyClaim c;
  void *context;
  OK(c.make(t.type));
  OK(KSPConvergedDefaultCreate(&context));
  OK(KSPSetConvergenceTest(
    c.ksp,
    [](KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *own) {
      return KSPConvergedDefault(ksp, it, norm, reason, own);
    },
    context, KSPConvergedDefaultDestroy));
  OK(c.solve(c.b));
  EXPECT_EQ(c.reason, KSP_CONVERGED_RTOL);
}

// A refusal has no later effect: neither if the check is switched off, nor with another preconditioner.
TEST_P(CheckPerType, LeavesNothingBehind)
{
  for (const bool other : {false, true}) {
    EarlyClaim c;
    OK(c.make(t.type));
    OK(c.solve(c.b));
    EXPECT_EQ(c.reason, KSP_DIVERGED_PC_FAILED);
    OK(other ? PCSetType(c.pc, PCJACOBI) : PCFinegrainSetCheckSolution(c.pc, PC_FINEGRAIN_CHECK_NONE));
    OK(c.solve(c.b));
    EXPECT_EQ(c.reason, KSP_CONVERGED_RTOL);
    EXPECT_EQ(c.failed, PC_NOERROR);
  }
}

// Inside another preconditioner a rough solution is harmless.
TEST_P(CheckPerType, LeavesInnerSolversAlone)
{
  for (const std::string prefix : {"ksp_", "sub_"}) {
    if (prefix == "sub_" && t.needs_grid) continue; // blocks have no grid
    SCOPED_TRACE(prefix);
    EarlyClaim c;
    OK(c.make(t.type, std::string("-ksp_type fgmres -pc_type ") + (prefix == "ksp_" ? "ksp" : "bjacobi") + " -" +
                        prefix + "ksp_type gmres -" + prefix + "ksp_pc_side right -" + prefix + "ksp_rtol 1e-5 -" +
                        prefix + "pc_type " + t.type));
    const int checks = EventCount("FGCheck");
    OK(c.solve(c.b));
    EXPECT_EQ(c.reason, KSP_CONVERGED_RTOL);
    EXPECT_EQ(EventCount("FGCheck"), checks);
  }
}

// The scale is computed from the operator, so that large rows of Pmat hide nothing.
TEST_P(CheckPerType, ScalesByTheRowsOfAmat)
{
  EarlyClaim c;
  Owned<Mat> P;
  PetscReal eta, expected;
  OK(c.make(t.type, "-ksp_pc_side left"));
  OK(MatDuplicate(c.A, MAT_COPY_VALUES, &P));
  if (t.needs_grid) {
    DM da;
    OK(MatGetDM(c.A, &da));
    OK(MatSetDM(P, da));
  }
  OK(MatScale(P, 1000));
  OK(KSPSetOperators(c.ksp, c.A, P));
  OK(c.solve(c.good));
  OK(GetEta(c.ksp, &eta));
  OK(ScaledResidual(c.A, c.A, false, c.good, c.x, &expected));
  EXPECT_NEAR(eta, expected, 1e-6 * expected);
}

// The norm that the convergence test refers to: of b, or of the residual of the guess.
TEST_P(CheckPerType, ComparesWithWhatTheTestComparesWith)
{
  Owned<Mat> A;
  OK(Matrix(Shape::star, 2, MATBAIJ, &A));
  Vectors v(A);
  OK(v.code);
  for (const char *solver :
       {"", "-ksp_converged_use_initial_residual_norm", "-ksp_converged_use_min_initial_residual_norm"})
    for (const bool zero : {false, true}) { // zero: the right-hand side
      SCOPED_TRACE(std::string(solver) + (zero ? ", b = 0" : ""));
      Owned<KSP> ksp;
      Owned<Vec> sums;
      PetscReal eta, norm, initial, reference;
      KSPConvergedReason reason;
      OK(MakeKSP(A, A, KSPGMRES, with("-ksp_rtol 1e-4 -ksp_initial_guess_nonzero -pc_type ") + t.type + " " + solver,
                 &ksp));
      OK(VecDuplicate(v.b, &sums));
      OK(RowSums(A, false, sums));
      if (zero) {
        OK(VecSet(v.b, 0));
      }
      const auto scaled_norm = [&](PetscReal *result) {
        PetscFunctionBegin;
        PetscCall(MatMult(A, v.x, v.y));
        PetscCall(VecAYPX(v.y, -1, v.b));
        PetscCall(VecPointwiseDivide(v.y, v.y, sums));
        PetscCall(VecNorm(v.y, NORM_2, result));
        PetscFunctionReturn(PETSC_SUCCESS);
      };
      OK(VecSet(v.x, 100));
      OK(scaled_norm(&initial));
      OK(KSPSolve(ksp, v.b, v.x));
      OK(KSPGetConvergedReason(ksp, &reason));
      EXPECT_EQ(reason, KSP_CONVERGED_RTOL);
      OK(scaled_norm(&norm));
      OK(VecPointwiseDivide(v.y, v.b, sums));
      OK(VecNorm(v.y, NORM_2, &reference));
      if (zero || std::string(solver).find("use_initial") != std::string::npos)
        reference = std::max(reference, initial);
      OK(GetEta(ksp, &eta));
      EXPECT_NEAR(eta, norm / reference, 1e-6 * norm / reference + 10 * PETSC_MACHINE_EPSILON);
    }
  OK(VecSet(v.b, 0));
  Owned<KSP> ksp;
  KSPConvergedReason reason;
  OK(MakeKSP(A, A, KSPGMRES, with("-pc_type ") + t.type, &ksp));
  OK(KSPSolve(ksp, v.b, v.x));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_GT(reason, 0) << "b = 0 from a guess of zero";
}

// A reused preconditioner is checked with the current operator.
TEST_P(CheckPerType, ReadsTheMatrixOfTheDay)
{
  Owned<Mat> A, S;
  Owned<KSP> ksp;
  PetscReal eta, expected;
  KSPConvergedReason reason;
  OK(Matrix(Shape::star, 2, MATBAIJ, &A));
  Vectors v(A);
  OK(v.code);
  OK(MakeKSP(A, A, KSPGMRES, with("-ksp_rtol 1e-3 -ksp_max_it 300 -pc_type ") + t.type, &ksp));
  OK(KSPSolve(ksp, v.b, v.x));
  OK(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
  OK(MatScale(A, 3));
  OK(MatShift(A, 1));
  OK(KSPSolve(ksp, v.b, v.x));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_EQ(reason, KSP_CONVERGED_RTOL);
  OK(GetEta(ksp, &eta));
  OK(ScaledResidual(A, A, false, v.b, v.x, &expected));
  EXPECT_NEAR(eta, expected, 1e-6 * expected);
  // For an operator without entries the scale is computed from Pmat.
  OK(refine::MakeShell(A, &S));
  OK(KSPSetOperators(ksp, S, A));
  OK(KSPSolve(ksp, v.b, v.x));
  OK(GetEta(ksp, &eta));
  OK(ScaledResidual(A, A, false, v.b, v.x, &expected));
  EXPECT_NEAR(eta, expected, 1e-6 * expected);
}

} // namespace
