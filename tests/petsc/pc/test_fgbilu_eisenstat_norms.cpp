// SPDX-License-Identifier: BSD-2-Clause
// Eisenstat's trick: the norm that ends a solve is the requested one, and by default a solve runs without the trick
// where the program could notice it.
#include "eisenstat.hpp"
#include "types.hpp"

using namespace finegrain::test;
using namespace finegrain::test::eisenstat;
using finegrain::test::refine::Outcome;

namespace
{

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
#if PETSC_VERSION_GE(3, 25, 0) // errors leave vectors of the KSP locked
  OK(KSPReset(s.ksp));
  OK(KSPSetOperators(s.ksp, A, A));
#endif
  OK(KSPSolve(s.ksp, v.b, v.x)); // the next solve works
  OK(refine::GetOutcome(s.ksp, &out));
  EXPECT_GT(out.reason, 0);
}

} // namespace
