// SPDX-License-Identifier: BSD-2-Clause
// KSPREFINE: the result of a pass, the parts that the preconditioner computes, and life with PETSc.
// test_refine_ends.cpp tests solves that do not converge.
#include "refine.hpp"

using namespace finegrain::test;
using namespace finegrain::test::refine;

namespace
{

TEST(Refine, WithOneApplicationIsRichardson)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(5, 4, 3), 4, MATBAIJ, 1, &A));
  Vectors v(A);
  for (const char *pc : {"jacobi", "fgbilu"})
    for (const char *damping : {"1", "0.7"})
      for (const char *more :
           {"-ksp_norm_type unpreconditioned", "-ksp_norm_type preconditioned",
            "-ksp_norm_type unpreconditioned -ksp_max_it 3", "-ksp_norm_type preconditioned -ksp_max_it 3",
            "-ksp_norm_type none -ksp_max_it 3", "-ksp_norm_type unpreconditioned -ksp_max_it 0",
            "-ksp_converged_maxits -ksp_max_it 3 -ksp_norm_type preconditioned",
            "-ksp_convergence_test skip -ksp_max_it 4 -ksp_norm_type unpreconditioned"})
        for (const char *guess : {"", " -ksp_initial_guess_nonzero"}) {
          Outcome ours, theirs;
          PetscReal d;
          const std::string options = std::string("-pc_type ") + pc + " -ksp_rtol 1e-3 " + more + guess;
          OK(VecSet(v.x, PetscReal(0.01)));
          OK(VecSet(v.y, PetscReal(0.01)));
          OK(SolveOnce(A, KSPREFINE, options + " -ksp_refine_damping " + damping, v.b, v.x, &ours));
          OK(SolveOnce(A, KSPRICHARDSON, options + " -ksp_richardson_scale " + damping, v.b, v.y, &theirs));
          expect_same(ours, theirs, options);
          OK(Difference(v.x, v.y, &d));
          EXPECT_LT(d, tolerance) << options;
        }
}

TEST(Refine, IsTheLoopThatItsManualPageStates)
{
  Owned<Mat> A, P, S;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 2, &P));
  OK(MakeShell(A, &S));
  Vectors v(A);
  for (const PetscInt inner : {2, 3, 5})
    for (const PetscReal damping : {PetscReal(1), PetscReal(0.75), PetscReal(0.01)}) // the last restarts each pass
      for (const char *norm : {"unpreconditioned", "preconditioned", "none"})
        for (const bool transpose : {false, true})
          for (const bool matrix_free : {false, true}) {
            if (transpose && matrix_free) continue;
            Owned<KSP> ksp;
            Probe probe;
            Outcome out;
            PetscReal d;
            int restarts = norm == std::string("none") ? -1 : 0;
            OK(MakeKSP(matrix_free ? S : A, matrix_free ? P : A, KSPREFINE,
                       "-ksp_max_it 3 -ksp_rtol 1e-30 -ksp_norm_type " + std::string(norm), &ksp));
            OK(SetProbe(ksp, &probe));
            OK(KSPRefineSetInner(ksp, inner));
            OK(KSPRefineSetDamping(ksp, damping));
            OK(transpose ? KSPSolveTranspose(ksp, v.b, v.x) : KSPSolve(ksp, v.b, v.x));
            OK(GetOutcome(ksp, &out));
            OK(VecSet(v.y, 0));
            OK(Loop(A, matrix_free ? P : A, inner, damping, transpose, 3, v.b, v.y, &restarts));
            OK(Difference(v.x, v.y, &d));
            const std::string what = std::to_string(inner) + " applications, damping " + std::to_string(damping) +
                                     ", norm " + norm + (transpose ? ", transposed" : "") +
                                     (matrix_free ? ", matrix-free" : "");
            EXPECT_LT(d, tolerance) << what;
            EXPECT_EQ(out.its, 3) << what;
            std::string text;
            OK(ViewText(object(ksp), &text));
            EXPECT_NE(text.find("restarts in the last solve: " + std::to_string(std::max(restarts, 0)) + "\n"),
                      std::string::npos)
              << what << "\n"
              << text;
            if (damping < PetscReal(0.1) && restarts >= 0) {
              EXPECT_EQ(restarts, 3) << what; // the test needs the restarts
            }
          }
}

// The first application reduces the residual by most of it, the next ones hardly at all.
TEST(Refine, ComparesInnerNormsWithTheLast)
{
  Owned<Mat> A;
  Owned<KSP> ksp;
  OK(AssembleRows(
    24,
    [](PetscInt i) {
      std::vector<std::pair<PetscInt, PetscReal>> row{{i, 1}};
      if (i >= 20) row.emplace_back(i ^ 1, PetscReal(0.95));
      return row;
    },
    &A));
  Vectors v(A);
  Probe probe;
  int restarts = 0;
  OK(Loop(A, A, 5, 1, false, 1, v.b, v.y, &restarts));
  ASSERT_EQ(restarts, 1);
  OK(MakeKSP(A, A, KSPREFINE, "-ksp_refine_inner 5 -ksp_max_it 1", &ksp));
  OK(SetProbe(ksp, &probe));
  for (int solve = 0; solve < 2; ++solve) { // each solve has its own count
    PetscReal d;
    std::string text;
    probe.applications = 0;
    OK(KSPSolve(ksp, v.b, v.x));
    EXPECT_EQ(probe.applications, 2);
    OK(Difference(v.x, v.y, &d));
    EXPECT_LT(d, tolerance);
    OK(ViewText(object(ksp), &text));
    ExpectIn(text, {"restarts in the last solve: 1\n"});
  }
}

TEST(Refine, ReachesWorkingPrecisionWithAPreconditionerInSingle)
{
  Owned<Mat> A;
  OK(AssembleMatrix(box(5, 4, 3), 4, MATBAIJ, 1, &A));
  Vectors v(A);
  const PetscReal rtol = std::max(PetscReal(1e-12), 100 * PETSC_MACHINE_EPSILON);
  for (const char *inner : {"1", "3"}) {
    Outcome working, single;
    PetscReal size, norm;
    const std::string options = "-pc_type fgbilu -ksp_max_it 200 -ksp_refine_inner " + std::string(inner) +
                                " -ksp_rtol " + std::to_string(double(rtol) * 1e9) + "e-9";
    OK(SolveOnce(A, KSPREFINE, options, v.b, v.x, &working));
    OK(SolveOnce(A, KSPREFINE, options + " -pc_fgbilu_precision single -pc_fgbilu_diag_precision storage", v.b, v.x,
                 &single));
    EXPECT_EQ(working.reason, KSP_CONVERGED_RTOL);
    EXPECT_EQ(single.reason, KSP_CONVERGED_RTOL);
    EXPECT_LE(single.its, working.its + 1);
    OK(ResidualNorm(A, v.b, v.x, &norm));
    OK(VecNorm(v.b, NORM_2, &size));
    EXPECT_LE(norm, PetscReal(1.1) * rtol * size);
  }
}

TEST(Refine, StartsFromANonzeroGuess)
{
  Owned<Mat> A;
  Owned<KSP> ksp;
  OK(AssembleMatrix(star(5, 4, 3), 3, MATAIJ, 1, &A));
  Vectors v(A);
  Outcome out;
  PetscReal norm;
  OK(MakeKSP(A, A, KSPREFINE, "-pc_type jacobi -ksp_refine_inner 2 -ksp_initial_guess_nonzero -ksp_rtol 1e-4", &ksp));
  OK(VecSet(v.x, PetscReal(0.5)));
  OK(ResidualNorm(A, v.b, v.x, &norm));
  OK(Solve(ksp, v.b, v.x, &out));
  EXPECT_NEAR(out.history[0], norm, tolerance * norm);
  EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL);
  EXPECT_GT(out.its, 0);
  OK(Solve(ksp, v.b, v.x, &out)); // starting from the solution
  EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL);
  EXPECT_EQ(out.its, 0);
}

TEST(Refine, KeepsNullSpacesOut)
{
  Owned<Mat> A;
  Owned<MatNullSpace> constants;
  OK(AssembleLaplacian(star(4, 3, 3), &A));
  OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &constants));
  OK(MatSetNullSpace(A, constants));
  OK(MatSetTransposeNullSpace(A, constants));
  Vectors v(A);
  PetscInt rows;
  OK(VecGetSize(v.b, &rows));
  for (const bool corrections : {false, true})
    for (const char *options : {"-ksp_refine_inner 1 -ksp_refine_damping 0.6", "-ksp_refine_inner 3"})
      for (const char *norm : {"unpreconditioned", "preconditioned"}) {
        Owned<KSP> ksp;
        Probe probe;
        Outcome out;
        PetscScalar sum, mean;
        PetscReal size, residual;
        OK(MakeKSP(A, A, KSPREFINE, options + std::string(" -ksp_rtol 1e-5 -ksp_norm_type ") + norm, &ksp));
        probe.factor = {PetscReal(0.6)}; // damped, so that the fastest mode converges
        OK(SetProbe(ksp, &probe, corrections));
        OK(Solve(ksp, v.b, v.x, &out));
        EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL) << options << norm;
        OK(VecSum(v.x, &sum));
        OK(VecNorm(v.x, NORM_1, &size));
        EXPECT_LT(PetscAbsScalar(sum), tolerance * size) << options << norm;
        // The residual is that of b without its mean.
        OK(VecSum(v.b, &mean));
        OK(VecShift(v.b, -mean / PetscReal(rows)));
        OK(ResidualNorm(A, v.b, v.x, &residual));
        OK(VecNorm(v.b, NORM_2, &size));
        EXPECT_LT(residual, PetscReal(1e-4) * size) << options << norm;
      }
}

TEST(Refine, TakesResidualsOfAmat)
{
  Owned<Mat> A, P, S;
  Owned<KSP> ksp;
  OK(AssembleMatrix(star(5, 4, 3), 4, MATBAIJ, 1, &A));
  OK(AssembleMatrix(star(5, 4, 3), 4, MATBAIJ, 2, &P));
  OK(MakeShell(A, &S));
  Vectors v(A);
  Outcome out;
  PetscReal norm;
  OK(
    MakeKSP(S, P, KSPREFINE, "-pc_type fgbilu -pc_fgbilu_precision single -ksp_refine_inner 2 -ksp_rtol 1e-5", &ksp));
  OK(Solve(ksp, v.b, v.x, &out));
  EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL);
  OK(ResidualNorm(A, v.b, v.x, &norm));
  EXPECT_NEAR(norm, out.norm, tolerance * out.history[0]);
  EXPECT_LE(norm, PetscReal(1.1e-5) * out.history[0]);
}

// The function for the inner loop that a preconditioner may offer.

TEST(RefineCorrections, AreLeftToThePreconditionerWhereItCanDoThem)
{
  Owned<Mat> A, P;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 2, &P));
  Vectors v(A);
  struct Case {
    const char *name, *options;
    bool composed, same, transpose, taken;
  };
  for (const Case &c :
       {Case{"all there", "-ksp_refine_inner 3", true, true, false, true},
        Case{"no norm", "-ksp_refine_inner 3 -ksp_norm_type none", true, true, false, true},
        Case{"one application", "-ksp_refine_inner 1", true, true, false, false},
        Case{"damping", "-ksp_refine_inner 3 -ksp_refine_damping 0.9", true, true, false, false},
        Case{"another Amat", "-ksp_refine_inner 3", true, false, false, false},
        Case{"transposed", "-ksp_refine_inner 3", true, true, true, false},
        Case{"preconditioned norm", "-ksp_refine_inner 3 -ksp_norm_type preconditioned", true, true, false, false},
        Case{"not offered", "-ksp_refine_inner 3", false, true, false, false}}) {
    Owned<KSP> ksp;
    Probe probe;
    Outcome out;
    PetscInt inner;
    PetscReal damping, d;
    int restarts = -1;
    OK(MakeKSP(A, c.same ? A : P, KSPREFINE, std::string("-ksp_max_it 4 -ksp_rtol 1e-30 ") + c.options, &ksp));
    OK(SetProbe(ksp, &probe, c.composed));
    OK(c.transpose ? KSPSolveTranspose(ksp, v.b, v.x) : KSPSolve(ksp, v.b, v.x));
    OK(GetOutcome(ksp, &out));
    EXPECT_EQ(out.its, 4) << c.name;
    EXPECT_EQ(probe.corrections, std::vector<PetscInt>(c.taken ? 4 : 0, 2)) << c.name;
    EXPECT_EQ(probe.applications > 0, !c.taken) << c.name;
    OK(KSPRefineGetInner(ksp, &inner));
    OK(KSPRefineGetDamping(ksp, &damping));
    OK(VecSet(v.y, 0));
    OK(Loop(A, c.same ? A : P, inner, damping, c.transpose, 4, v.b, v.y, &restarts));
    OK(Difference(v.x, v.y, &d));
    EXPECT_LT(d, tolerance) << c.name;
  }
}

TEST(RefineCorrections, OfFgbiluGiveWhatRichardsonGivesInAsManyApplications)
{
  for (const char *options :
       {"", "-pc_fgbilu_factor ilu0", "-pc_fgbilu_precision single", "-pc_fgbilu_corrections 1"}) {
    Owned<Mat> A;
    Owned<Vec> b, x, y;
    Outcome refined, plain;
    PetscReal d;
    OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
    OK(MakeVectors(A, &b, &x));
    OK(VecDuplicate(x, &y));
    OK(VecSet(x, 0));
    OK(VecSet(y, 0));
    const std::string all = std::string(" -pc_type fgbilu -ksp_norm_type none ") + options;
    OK(SolveOnce(A, KSPREFINE, "-ksp_refine_inner 3 -ksp_max_it 2" + all, b, x, &refined));
    OK(SolveOnce(A, KSPRICHARDSON, "-ksp_max_it 6" + all, b, y, &plain));
    OK(Difference(x, y, &d));
    EXPECT_LT(d, tolerance) << options;
    EXPECT_EQ(refined.its, 2);
  }
}

// Life with PETSc.

struct Seen {
  std::vector<PetscReal> norms, residuals;
};

PetscErrorCode See(KSP ksp, PetscInt it, PetscReal norm, void *context)
{
  Seen *seen = static_cast<Seen *>(context);
  Owned<Vec> r;
  PetscReal residual;

  PetscFunctionBegin;
  EXPECT_EQ(std::size_t(it), seen->norms.size());
  PetscCall(KSPBuildResidual(ksp, nullptr, nullptr, &r));
  PetscCall(VecNorm(r, NORM_2, &residual));
  seen->norms.push_back(norm);
  seen->residuals.push_back(residual);
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(RefineLife, MonitorsSeeEveryPass)
{
  Owned<Mat> A;
  Owned<KSP> ksp;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  Vectors v(A);
  Outcome out;
  Seen seen;
  OK(MakeKSP(A, A, KSPREFINE, "-pc_type jacobi -ksp_refine_inner 2", &ksp));
  OK(KSPMonitorSet(ksp, See, &seen, nullptr));
  OK(Solve(ksp, v.b, v.x, &out));
  EXPECT_GT(out.its, 2);
  EXPECT_EQ(seen.norms, out.history);
  ASSERT_EQ(seen.norms.size(), std::size_t(out.its) + 1);
  for (std::size_t k = 0; k < seen.norms.size(); ++k)
    EXPECT_NEAR(seen.norms[k], seen.residuals[k], tolerance * seen.norms[0]) << k;
}

TEST(RefineLife, SettingsAreThereForAllSolvesAndResets)
{
  Owned<Mat> A, B;
  Owned<KSP> ksp;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  OK(AssembleMatrix(star(3, 3, 3), 2, MATAIJ, 1, &B));
  Vectors v(A), w(B);
  Outcome first, second, third, more;
  PetscReal damping;
  PetscInt inner;
  std::string text;
  OK(MakeKSP(A, A, KSPREFINE, "-pc_type jacobi -ksp_refine_inner 3 -ksp_refine_damping 0.875", &ksp));
  OK(Solve(ksp, v.b, v.x, &first));
  OK(Solve(ksp, v.b, v.x, &second));
  EXPECT_EQ(first.history, second.history);
  OK(KSPReset(ksp));
  OK(KSPSetOperators(ksp, B, B));
  OK(Solve(ksp, w.b, w.x, &third));
  EXPECT_GT(third.reason, 0);
  OK(KSPReset(ksp));
  OK(KSPSetOperators(ksp, A, A));
  OK(Solve(ksp, v.b, v.x, &third));
  EXPECT_EQ(first.history, third.history);
  OK(KSPRefineGetInner(ksp, &inner));
  OK(KSPRefineGetDamping(ksp, &damping));
  EXPECT_EQ(inner, 3);
  EXPECT_EQ(damping, PetscReal(0.875));
  OK(ViewText(object(ksp), &text));
  ExpectIn(text, {"inner applications: 3, damping: 0.875, restarts in the last solve: 0"});
  // Changes the number of work vectors between solves.
  OK(KSPReset(ksp));
  OK(KSPSetOperators(ksp, A, A));
  OK(KSPRefineSetInner(ksp, 1));
  OK(Solve(ksp, v.b, v.x, &more));
  EXPECT_GT(more.its, first.its);
  OK(KSPRefineSetInner(ksp, 3));
  OK(Solve(ksp, v.b, v.x, &more));
  EXPECT_EQ(first.history, more.history);
}

TEST(RefineLife, SettersDoNothingForOtherTypesAndGettersAreAnError)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(3, 3, 3), 1, MATAIJ, 1, &A));
  for (const bool before : {false, true}) {
    Owned<KSP> ksp;
    PetscInt inner = 0;
    PetscReal damping = 0;
    OK(MakeKSP(A, A, before ? KSPREFINE : KSPGMRES, "", &ksp));
    OK(KSPSetType(ksp, KSPGMRES));
    OK(KSPRefineSetInner(ksp, 3));
    OK(KSPRefineSetDamping(ksp, PetscReal(0.5)));
    ExpectIn(ExpectError([&] { return KSPRefineGetInner(ksp, &inner); }), {"KSPRefineGetInner_C"});
    ExpectIn(ExpectError([&] { return KSPRefineGetDamping(ksp, &damping); }), {"KSPRefineGetDamping_C"});
    OK(KSPSetType(ksp, KSPREFINE));
    OK(KSPRefineGetInner(ksp, &inner));
    OK(KSPRefineGetDamping(ksp, &damping));
    EXPECT_EQ(inner, 1);
    EXPECT_EQ(damping, 1);
  }
}

TEST(RefineLife, WrongSettingsAreErrors)
{
  Owned<Mat> A;
  Owned<KSP> ksp;
  OK(AssembleMatrix(star(3, 3, 3), 1, MATAIJ, 1, &A));
  for (const char *options :
       {"-ksp_refine_inner 0", "-ksp_refine_inner -1", "-ksp_refine_damping 0", "-ksp_refine_damping -1"}) {
    const std::string text = ExpectError([&] { return MakeKSP(A, A, KSPREFINE, options, &ksp); });
    const std::string key(options, std::string(options).find(' '));
    ExpectIn(text, {key});
  }
  OK(MakeKSP(A, A, KSPREFINE, "", &ksp));
  const std::string text = ExpectError([&] { return KSPRefineSetDamping(ksp, PetscReal(std::nan(""))); });
  EXPECT_FALSE(text.empty());
}

} // namespace
