// SPDX-License-Identifier: BSD-2-Clause
// The check of solutions: the scaled residual compared with its definition, the solves that it refuses, and the
// effects of a refusal.
#include "refine.hpp"
#include "types.hpp"

#include <petscsnes.h>

#include <cmath>

using namespace finegrain::test;
using refine::MakeKSP;

namespace
{

PER_TYPE(CheckPerType);

// Row sums of |A| from MatGetRow(), or, transposed, column sums over the rows of this rank.
PetscErrorCode RowSums(Mat A, bool transposed, Vec sums)
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
PetscErrorCode ScaledResidual(Mat A, Mat rows, bool transposed, Vec b, Vec x, PetscReal *eta)
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

PetscErrorCode GetEta(KSP ksp, PetscReal *eta)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFinegrainGetScaledResidual(pc, eta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr PetscReal huge = sizeof(PetscReal) == 4 ? PetscReal(1e10) : PetscReal(1e20);

// Two Laplacians on 30 x 30 points, coupled in each point, with a penalty in the first diagonal entry that reduces
// all other entries to rounding errors. b = A x for x with entries between 1 and 2. A solver that tests |b - A x| is
// therefore satisfied by the first row.
PetscErrorCode AssemblePenalty(Mat *A, Vec *b, Vec *x)
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
    PetscCall(MakeKSP(A, A, KSPGMRES, Expand(common + type + " " + options, type), &ksp));
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

TEST_P(CheckPerType, IsAnErrorForThoseWhoWantOne)
{
  EarlyClaim c;
  OK(c.make(t.type, "-ksp_error_if_not_converged"));
  const std::string text = ExpectError([&] { return KSPSolve(c.ksp, c.b, c.x); });
  ExpectIn(text,
           {"The solution does not satisfy the system: its scaled residual is", with("-@_check_solution warn")});
}

// A Newton method stops if its linear solve is refused, and continues if that only requests a rough tolerance.
TEST_P(CheckPerType, EndsNewton)
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
TEST_P(CheckPerType, LooksAtEachColumn)
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
TEST_P(CheckPerType, LeavesOutWhatANullSpaceHides)
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
