// SPDX-License-Identifier: BSD-2-Clause
// Eisenstat's trick: with any KSP, solves need the same iterations with and without the trick, and all objects are
// unchanged afterwards. If the trick is impossible, the solve runs without it, or fails with an error.
#include "refine.hpp"
#include "types.hpp"

using namespace finegrain::test;
using finegrain::test::refine::Outcome;

namespace
{

constexpr char dilu[] = " -pc_fgbilu_factor dilu -pc_fgbilu_eisenstat false ",
               trick[] = " -pc_fgbilu_factor dilu -pc_fgbilu_eisenstat ";

// The default auto uses the trick on the host only.
constexpr char by_default[] = "-pc_type fgbilu -pc_fgbilu_backend host ";

// A monitor must see the program's system, and iterates that agree with the norms.
struct Seen {
  Vec b = nullptr;
  PetscReal first = -1, last = -1, norm = -1; // norms passed to the monitor, and that of the last b - A x
};
PetscErrorCode SeeSystem(KSP ksp, PetscInt iteration, PetscReal norm, void *context)
{
  Seen *seen = static_cast<Seen *>(context);
  Mat A;
  Vec b, r;
  PetscBool shell;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(PetscObjectTypeCompare(object(A), MATSHELL, &shell));
  EXPECT_FALSE(shell);
  PetscCall(KSPGetRhs(ksp, &b));
  EXPECT_EQ(b, seen->b);
  PetscCall(KSPBuildResidual(ksp, nullptr, nullptr, &r));
  PetscCall(VecNorm(r, NORM_2, &seen->norm));
  PetscCall(VecDestroy(&r));
  if (iteration == 0) seen->first = norm;
  seen->last = norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// True if the last solve used the trick.
bool HadTrick(KSP ksp)
{
  std::string text;
  PC pc;
  EXPECT_EQ(int(KSPGetPC(ksp, &pc)), 0);
  EXPECT_EQ(int(ViewText(pc, &text)), 0);
  return text.find(", in the last solve") != std::string::npos;
}

struct Solver {
  Owned<KSP> ksp;
  bool tricked = false; // the last solve used the trick

  PetscErrorCode make(Mat A, const std::string &options, bool guess = false)
  {
    PetscFunctionBegin;
    PetscCall(refine::MakeKSP(A, A, KSPGMRES, "-pc_type fgbilu -ksp_rtol 1e-9 " + options, &ksp));
    PetscCall(KSPSetInitialGuessNonzero(ksp, PetscBool(guess)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode solve(Vec b, Vec x, Outcome *out, bool transposed = false)
  {
    PetscFunctionBegin;
    PetscCall(transposed ? KSPSolveTranspose(ksp, b, x) : KSPSolve(ksp, b, x));
    PetscCall(refine::GetOutcome(ksp, out));
    tricked = HadTrick(ksp);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

// Solves with the trick and without. The solutions agree up to the tolerance. The norms in the convergence test
// differ, so that iteration counts are close, but not equal.
void ExpectTheSame(Mat A, const std::string &options, bool guess = false, bool transposed = false)
{
  SCOPED_TRACE(options + (guess ? ", with a guess" : "") + (transposed ? ", transposed" : ""));
  Solver with, without;
  Outcome ours, theirs;
  Owned<Vec> b;
  PetscReal d;
  Vectors v(A);
  OK(v.code);
  OK(VecDuplicate(v.b, &b));
  OK(VecCopy(v.b, b));
  OK(VecSet(v.x, guess ? PetscReal(0.1) : PETSC_INFINITY));
  OK(VecCopy(v.x, v.y));
  OK(with.make(A, trick + options, guess));
  OK(without.make(A, dilu + options, guess));
  OK(with.solve(v.b, v.x, &ours, transposed));
  OK(without.solve(v.b, v.y, &theirs, transposed));
  EXPECT_TRUE(with.tricked);
  EXPECT_FALSE(without.tricked);
  EXPECT_GT(ours.reason, 0);
  EXPECT_GT(theirs.reason, 0);
  EXPECT_LE(std::abs(ours.its - theirs.its), 2 + theirs.its / 10);
  OK(Difference(v.x, v.y, &d));
  EXPECT_LT(d, sizeof(PetscReal) == 4 ? 1e-3 : 1e-7);
  OK(Difference(b, v.b, &d)); // b is unchanged
  EXPECT_EQ(d, 0);
  Mat now;
  OK(KSPGetOperators(with.ksp, &now, nullptr));
  EXPECT_EQ(now, A);
}

class Eisenstat : public ::testing::TestWithParam<PetscInt>
{
};
INSTANTIATE_TEST_SUITE_P(FgBilu, Eisenstat, ::testing::Values(1, 3, 5));

TEST_P(Eisenstat, AnySolverOnAnySide)
{
  for (const char *format : {MATAIJ, MATBAIJ, MATBAIJKOKKOS}) {
    SCOPED_TRACE(format);
    Owned<Mat> A;
    OK(AssembleMatrix(star(7, 6, 5), GetParam(), format, 1, &A));
    for (const bool guess : {false, true}) {
      for (const char *options :
           {"-ksp_pc_side left", "-ksp_pc_side right", "-ksp_type fgmres", "-ksp_type bcgs", "-ksp_type tfqmr",
            "-ksp_type richardson", "-ksp_type bicg", "-ksp_pc_side symmetric"})
        ExpectTheSame(A, options, guess);
      if (!PetscDefined(USE_COMPLEX)) ExpectTheSame(A, "-ksp_type cgne", guess); // complex ones diverge without
    }
    ExpectTheSame(A, "", false, true);
    ExpectTheSame(A, "-ksp_type bcgs", false, true);
  }
}

TEST_P(Eisenstat, SymmetricSolversOfSymmetricMatrices)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(7, 6, 5), GetParam(), MATBAIJ, 1, &A));
  OK(MakeSymmetric(A, true));
  for (const bool guess : {false, true})
    for (const char *options :
         {"-ksp_type cg", "-ksp_type fcg", "-ksp_type minres", "-ksp_type cr", "-ksp_type pipecgrr"})
      ExpectTheSame(A, options, guess);
}

// The factor ignores couplings between ranks or grids, or none, under an ordering or another stencil.
TEST_P(Eisenstat, AnyGraphAndLayout)
{
  const PetscInt n = GetParam();
  Owned<Mat> A, B, C;
  OK(AssembleMatrix(box(6, 5, 4), n, MATBAIJ, 1, &A));
  for (const char *options :
       {"", "-pc_fgbilu_ordering rcm", "-pc_fgbilu_algorithm levels", "-pc_fgbilu_algorithm tasks"})
    ExpectTheSame(A, options);
  OK(AssembleMatrix(scattered(90, 3, false), n, MATBAIJ, 1, &B));
  ExpectTheSame(B, "");
  if (Size() > 1) return;
  OK(AssembleMatrix(star(4, 4, 4), n, MATBAIJ, 1, &C));
  ExpectTheSame(C, "-pc_fgbilu_grid 4,4,1,4,4,3 -pc_fgbilu_grid_coupling block_jacobi");
}

// A global factorization: both forms, transposed, with a guess.
TEST_P(Eisenstat, OneFactorOverAllRanks)
{
  Owned<Mat> A;
  Owned<DM> da;
  OK(MakeGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, GetParam(), 1, &da));
  OK(AssembleOnGrid(da, MATBAIJ, &A));
  for (const bool guess : {false, true})
    for (const char *options :
         {"", "-ksp_pc_side right", "-ksp_type bcgs -pc_fgbilu_tile 3,3,3", "-ksp_pc_side symmetric"})
      ExpectTheSame(A, std::string("-pc_fgbilu_global ") + options, guess);
  ExpectTheSame(A, "-pc_fgbilu_global", false, true);
  OK(MakeSymmetric(A, true));
  for (const bool guess : {false, true})
    for (const char *options : {"-ksp_type cg", "-ksp_type minres -pc_fgbilu_tile 3,3,3"})
      ExpectTheSame(A, std::string("-pc_fgbilu_global ") + options, guess);
}

// -ksp_pc_side symmetric without the trick: the parts of any factorization.
TEST(EisenstatParts, SymmetricSideOfAllFactorizations)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(7, 6, 5), 3, MATBAIJ, 1, &A));
  OK(MakeSymmetric(A));
  OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  for (const TypeCase &t : AllTypes()) {
    if (t.relaxes || t.needs_grid) continue;
    const char *type = t.type;
    Vectors v(A);
    Outcome out[2];
    PetscReal d;
    OK(v.code);
    const std::string options = std::string("-ksp_rtol 1e-9 -pc_type ") + type + " -ksp_pc_side ";
    OK(refine::SolveOnce(A, KSPGMRES, options + "symmetric", v.b, v.x, &out[0]));
    OK(refine::SolveOnce(A, KSPGMRES, options + "left", v.b, v.y, &out[1]));
    EXPECT_GT(out[0].reason, 0) << type;
    EXPECT_LE(std::abs(out[0].its - out[1].its), 1) << type;
    OK(Difference(v.x, v.y, &d));
    EXPECT_LT(d, sizeof(PetscReal) == 4 ? 1e-3 : 1e-7) << type;
  }
}

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

// The norm that a program requests ends the solve, and is the norm that the KSP reports afterwards.
PetscErrorCode FindNorm(KSP ksp, Vec x, PetscReal *norm)
{
  KSPNormType type;
  PC pc;
  Mat A;
  Vec b, r, z;
  PetscScalar dot;

  PetscFunctionBegin;
  PetscCall(KSPGetNormType(ksp, &type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(KSPGetRhs(ksp, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecDuplicate(b, &z));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(PCApply(pc, r, z));
  PetscCall(VecDot(r, z, &dot));
  PetscCall(VecNorm(type == KSP_NORM_UNPRECONDITIONED ? r : z, NORM_2, norm));
  if (type == KSP_NORM_NATURAL) *norm = PetscSqrtReal(PetscAbsScalar(dot));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(EisenstatNorms, AreThoseThatWereAskedFor)
{
  const PetscReal rtol = sizeof(PetscReal) == 4 ? 1e-4 : 1e-8, slack = sizeof(PetscReal) == 4 ? 1e-2 : 1e-5;
  const struct {
    const char *options;
    bool symmetric;
  } cases[] = {{"-ksp_type gmres", false},
               {"-ksp_type gmres -ksp_pc_side right -ksp_gmres_restart 7", false},
               {"-ksp_type fgmres", false},
               {"-ksp_type lgmres", false},
               {"-ksp_type gcr", false},
               {"-ksp_type bcgs", false},
               {"-ksp_type bcgs -ksp_pc_side right", false},
               {"-ksp_type ibcgs", false},
               {"-ksp_type fbcgs", false},
               {"-ksp_type cg", true},
               {"-ksp_type cg -ksp_norm_type unpreconditioned", true},
               {"-ksp_type cg -ksp_norm_type natural", true},
               {"-ksp_type fcg", true},
               {"-ksp_type cr", true},
               {"-ksp_type pipecg", true},
               {"-ksp_type groppcg", true}};
  for (const PetscInt n : {1, 4})
    for (const auto &c : cases)
      for (const bool guess : {false, true}) {
        if (PetscDefined(USE_COMPLEX) && std::string(c.options).find("ibcgs") != std::string::npos) continue;
        SCOPED_TRACE(std::string(c.options) + (guess ? ", with a guess" : "") + ", n = " + std::to_string(n));
        Owned<Mat> A;
        Owned<KSP> ksp, plain;
        Seen seen;
        PetscReal reference, first, norm, claimed, history[200];
        PetscInt length;
        Outcome out, without;
        OK(AssembleMatrix(star(7, 6, 5), n, MATBAIJ, 1, &A));
        if (c.symmetric) {
          OK(MakeSymmetric(A, true));
        }
        Vectors v(A);
        OK(v.code);
        const std::string options = std::string(by_default) + c.options;
        OK(refine::MakeKSP(A, A, KSPGMRES, options, &ksp));
        OK(refine::MakeKSP(A, A, KSPGMRES, options + " -pc_fgbilu_eisenstat false", &plain));
        for (KSP k : {ksp.get(), plain.get()}) {
          OK(KSPSetTolerances(k, rtol, PETSC_DEFAULT, PETSC_DEFAULT, 150));
          OK(KSPSetInitialGuessNonzero(k, PetscBool(guess)));
          OK(VecSet(v.x, guess ? PetscReal(0.1) : PETSC_INFINITY));
          if (k == ksp) {
            OK(KSPSetResidualHistory(k, history, 200, PETSC_TRUE));
          }
          OK(KSPSolve(k, v.b, v.x));
          OK(refine::GetOutcome(k, k == ksp ? &out : &without));
          EXPECT_EQ(HadTrick(k), k == ksp);
          if (k == ksp) {
            OK(FindNorm(k, v.x, &norm));
            OK(KSPGetResidualNorm(k, &claimed));
          }
        }
        EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL);
        EXPECT_LE(std::abs(out.its - without.its), 2 + without.its / 10);
        OK(VecSet(v.y, 0));
        OK(FindNorm(ksp, v.y, &reference));
        OK(VecSet(v.y, guess ? PetscReal(0.1) : 0));
        OK(FindNorm(ksp, v.y, &first));
        EXPECT_LE(norm, (1 + slack) * rtol * reference);
        EXPECT_NEAR(claimed, norm, slack * rtol * reference + slack * norm);
        OK(KSPGetResidualHistory(ksp, nullptr, &length));
        if (length > 0) { // ibcgs has none
          EXPECT_NEAR(history[0], first, slack * first);
          EXPECT_EQ(history[length - 1], claimed);
        }
        // A monitor of the program switches the trick off, unless it was requested. The monitor sees the program's
        // own system.
        OK(KSPMonitorSet(ksp, SeeSystem, &seen, nullptr));
        seen.b = v.b;
        for (const bool asked : {false, true}) {
          PC pc;
          OK(KSPGetPC(ksp, &pc));
          OK(PCFGBILUSetEisenstat(pc, asked ? PCFGBILU_EISENSTAT_TRUE : PCFGBILU_EISENSTAT_AUTO));
          OK(VecSet(v.x, guess ? PetscReal(0.1) : 0));
          OK(KSPSolve(ksp, v.b, v.x));
          EXPECT_EQ(HadTrick(ksp), asked);
          EXPECT_NEAR(seen.first, first, slack * first);
          OK(FindNorm(ksp, v.x, &norm));
          EXPECT_NEAR(seen.last, norm, norm); // only an estimate, if the monitor is called before the test
          if (!asked) continue;               // PETSc's own KSPBuildSolution() of fbcgs is wrong
          OK(MatMult(A, v.x, v.y));
          OK(VecAYPX(v.y, -1, v.b));
          OK(VecNorm(v.y, NORM_2, &norm));
          EXPECT_NEAR(seen.norm, norm, 1e-3 * norm);
        }
      }
}

// If rounding errors keep the residual from decreasing, a solve ends as it would without the trick, and reports its
// norm.
TEST(EisenstatNorms, TolerancesBelowRoundingEndTheSolve)
{
  if (sizeof(PetscReal) != 8) GTEST_SKIP() << "tolerances of double precision";
  Owned<Mat> A;
  OK(AssembleMatrix(star(17, 16, 15), 2, MATBAIJ, 1, &A));
  OK(MakeSymmetric(A, true));
  Vectors v(A);
  OK(v.code);
  for (const char *options : {"-ksp_type gmres", "-ksp_type fgmres", "-ksp_type gcr", "-ksp_type bcgs",
                              "-ksp_type cg", "-ksp_type pipecg", "-ksp_type cg -ksp_norm_type natural"}) {
    SCOPED_TRACE(options);
    Outcome out[2];
    PetscReal claimed = 0, norm = 0;
    for (const bool with : {false, true}) {
      Owned<KSP> ksp;
      OK(refine::MakeKSP(A, A, KSPGMRES,
                         std::string(by_default) + options + (with ? "" : " -pc_fgbilu_eisenstat false"), &ksp));
      OK(KSPSetTolerances(ksp, PetscReal(3e-15), PETSC_DEFAULT, PETSC_DEFAULT, 500));
      OK(KSPSolve(ksp, v.b, v.x));
      OK(refine::GetOutcome(ksp, &out[with]));
      OK(KSPGetResidualNorm(ksp, &claimed));
      OK(FindNorm(ksp, v.x, &norm));
    }
    if (out[0].reason > 0) {
      EXPECT_GT(out[1].reason, 0);
      EXPECT_LE(out[1].its, out[0].its + 35); // gcr detects it at its restart
    }
    EXPECT_NEAR(claimed, norm, norm);
  }
}

// A solve runs by default without the trick, and reports why, if the program could notice the difference.
TEST(EisenstatChoice, GoesWithoutWhereItWouldBeSeen)
{
  Owned<Mat> A, P, box_matrix;
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
  OK(MatDuplicate(A, MAT_COPY_VALUES, &P));
  OK(AssembleMatrix(box(6, 5, 4), 2, MATBAIJ, 1, &box_matrix));
  const auto expect = [](Mat amat, Mat pmat, const std::string &options, const char *why, auto change) {
    SCOPED_TRACE(options);
    Owned<KSP> ksp;
    std::string text;
    PC pc;
    Vectors v(amat);
    OK(v.code);
    OK(refine::MakeKSP(amat, pmat, KSPGMRES, by_default + options, &ksp));
    change(ksp.get());
    OK(KSPSolve(ksp, v.b, v.x));
    OK(KSPGetPC(ksp, &pc));
    OK(ViewText(pc, &text));
    ExpectIn(text, {"Eisenstat's trick: auto, ", why});
    EXPECT_EQ(HadTrick(ksp), *why == 0);
  };
  const auto nothing = [](KSP) {};
  expect(A, A, "", "", nothing);
  expect(A, A, "-ksp_monitor ascii:/dev/null -ksp_monitor_true_residual ascii:/dev/null", "", nothing);
  // The test cannot build their iterates, or their norm is another one.
  for (const char *solver : {"tfqmr", "bcgsl", "fbcgsr", "minres"})
    expect(A, A, std::string("-ksp_type ") + solver, "for this KSP", nothing);
  expect(A, A, "-ksp_type cr -ksp_norm_type natural", "natural", nothing);
  expect(A, P, "", "Amat is not Pmat", nothing);
  expect(A, A, "-ksp_norm_type none -ksp_max_it 3", "no norm", nothing);
  expect(A, A, "-ksp_pc_side symmetric", "both sides", nothing);
  expect(A, A, "-ksp_monitor_singular_value ascii:/dev/null", "singular values", nothing);
  expect(A, A, "-ksp_type preonly", "no product", nothing);
  expect(A, A, "-pc_fgbilu_precision single", "never, because the factor is not in working", nothing);
  expect(A, A, "-pc_fgbilu_corrections 1", "never, because an application has several", nothing);
  expect(A, A, "-pc_fgbilu_factor ilu0", "never, because the factor is not DILU", nothing);
  expect(box_matrix, box_matrix, "", "-pc_fgbilu_factor dilu", nothing);
  expect(box_matrix, box_matrix, "-pc_fgbilu_factor dilu", "", nothing);
  expect(A, A, "-ksp_type cg", "positive definite", nothing);
  expect(A, A, "", "monitor of the program's", [](KSP k) {
    OK(KSPMonitorSet(
      k, [](KSP, PetscInt, PetscReal, void *) { return PETSC_SUCCESS; }, nullptr, nullptr));
  });
  expect(A, A, "", "test is the program's", [](KSP k) {
    OK(KSPSetConvergenceTest(
      k,
      [](KSP, PetscInt, PetscReal norm, KSPConvergedReason *reason, void *) {
        *reason = norm < PetscReal(1e-3) ? KSP_CONVERGED_ATOL : KSP_CONVERGED_ITERATING;
        return PETSC_SUCCESS;
      },
      nullptr, nullptr));
  });
}

// A monitor replaces the preconditioner in the middle of a solve.
TEST(EisenstatChoice, AnotherTypeInTheMiddleIsAnError)
{
  Owned<Mat> A;
  Solver s;
  Outcome out;
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
  Vectors v(A);
  OK(v.code);
  OK(s.make(A, trick));
  OK(KSPMonitorSet(
    s.ksp,
    [](KSP ksp, PetscInt iteration, PetscReal, void *) -> PetscErrorCode {
      PC pc;
      PetscFunctionBegin;
      PetscCall(KSPGetPC(ksp, &pc));
      if (iteration == 2) PetscCall(PCSetType(pc, PCJACOBI));
      PetscFunctionReturn(PETSC_SUCCESS);
    },
    nullptr, nullptr));
  ExpectIn(ExpectError([&] { return KSPSolve(s.ksp, v.b, v.x); }), {"replaced or reset in the middle"});
  OK(KSPMonitorCancel(s.ksp));
  OK(KSPSolve(s.ksp, v.b, v.x)); // the next solve works
  OK(refine::GetOutcome(s.ksp, &out));
  EXPECT_GT(out.reason, 0);
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
