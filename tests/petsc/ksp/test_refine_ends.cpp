// SPDX-License-Identifier: BSD-2-Clause
// KSPREFINE: solves that do not converge. They return the best iterate, stop at the limit of rounding or of the
// condition, or fail with the preconditioner.
#include "refine.hpp"

using namespace finegrain::test;
using namespace finegrain::test::refine;

namespace
{

TEST(RefineEnds, DivergingWithTheGuess)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  Vectors v(A);
  for (const char *norm : {"unpreconditioned", "preconditioned"}) {
    Owned<KSP> ksp;
    Outcome out;
    PetscReal d;
    OK(MakeKSP(A, A, KSPREFINE,
               "-pc_type jacobi -ksp_refine_damping 3 -ksp_initial_guess_nonzero -ksp_norm_type " + std::string(norm),
               &ksp));
    OK(VecSet(v.x, PetscReal(0.01)));
    OK(VecSet(v.y, PetscReal(0.01)));
    OK(Solve(ksp, v.b, v.x, &out));
    EXPECT_EQ(out.reason, KSP_DIVERGED_DTOL) << norm;
    EXPECT_GT(out.history.back(), 1000 * out.history[0]) << norm;
    EXPECT_EQ(out.norm, out.history[0]) << norm;
    OK(Difference(v.x, v.y, &d));
    EXPECT_EQ(d, 0) << norm;
  }
}

TEST(RefineEnds, WithTheBestIterate)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  Vectors v(A);
  Probe good, bad, nan;
  bad.factor = {1, 1, 1, PetscReal(-2)}; // three good applications
  nan.make_nan = true;                   // one good application
  const struct {
    Probe *probe;
    const char *options;
    KSPConvergedReason reason;
    int best, its;
  } cases[] = {{&bad, "", KSP_DIVERGED_DTOL, 3, -1},
               {&bad, " -ksp_max_it 5", KSP_DIVERGED_ITS, 3, 5},
               {&good, " -ksp_max_it 4", KSP_DIVERGED_ITS, 4, 4}, // the best is the last one
               {&nan, "", KSP_DIVERGED_NANORINF, 1, 2}};
  for (const auto &c : cases) {
    Owned<KSP> ksp;
    Outcome out;
    PetscReal d, norm;
    int restarts = -1;
    c.probe->applications = 0;
    const std::string what = std::string(KSPConvergedReasons[c.reason]) + c.options;
    OK(MakeKSP(A, A, KSPREFINE, std::string("-ksp_rtol 1e-30") + c.options, &ksp));
    OK(SetProbe(ksp, c.probe));
    OK(Solve(ksp, v.b, v.x, &out));
    EXPECT_EQ(out.reason, c.reason) << what;
    if (c.its >= 0) {
      EXPECT_EQ(out.its, c.its) << what;
    }
    OK(VecSet(v.y, 0));
    OK(Loop(A, A, 1, 1, false, c.best, v.b, v.y, &restarts));
    OK(Difference(v.x, v.y, &d));
    EXPECT_LT(d, tolerance) << what;
    EXPECT_EQ(out.norm, out.best()) << what;
    OK(ResidualNorm(A, v.b, v.x, &norm));
    EXPECT_NEAR(norm, out.norm, tolerance * out.history[0]) << what;
  }
}

// Expects the view to report the stagnation and its residual.
void expect_stagnation(KSP ksp, const Outcome &out)
{
  std::string text;
  OK(ViewText(object(ksp), &text));
  EXPECT_EQ(out.reason, KSP_DIVERGED_BREAKDOWN) << KSPConvergedReasons[out.reason] << " after " << out.its;
  EXPECT_EQ(out.norm, out.best());
  const std::string line = "the last solve stagnated at relative residual ";
  const std::size_t at = text.find(line);
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_NEAR(std::stod(text.substr(at + line.size())), double(out.norm / out.history[0]),
              1e-5 * double(out.norm / out.history[0]));
}

TEST(RefineEnds, WhereRoundingEndsProgress)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(5, 4, 3), 4, MATBAIJ, 1, &A));
  Vectors v(A);
  for (const char *norm : {"unpreconditioned", "preconditioned"})
    for (const char *inner : {"1", "3"}) {
      Owned<KSP> ksp;
      Outcome out;
      PetscReal residual;
      OK(MakeKSP(A, A, KSPREFINE,
                 "-pc_type fgbilu -pc_fgbilu_precision single -ksp_rtol 1e-30 -ksp_norm_type " + std::string(norm) +
                   " -ksp_refine_inner " + inner,
                 &ksp));
      OK(Solve(ksp, v.b, v.x, &out));
      expect_stagnation(ksp, out);
      EXPECT_LT(out.its, 100);
      EXPECT_LT(out.norm, 100 * PETSC_MACHINE_EPSILON * out.history[0]);
      OK(ResidualNorm(A, v.b, v.x, &residual));
      EXPECT_LT(residual, 100 * PETSC_MACHINE_EPSILON * out.history[0] * (norm[0] == 'p' ? 1000 : 1));
      // With a larger tolerance the next solve converges, and the view reports no stagnation.
      OK(KSPSetTolerances(ksp, PetscReal(1e-3), PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
      OK(Solve(ksp, v.b, v.x, &out));
      EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL);
      std::string text;
      OK(ViewText(object(ksp), &text));
      EXPECT_EQ(text.find("stagnated"), std::string::npos) << text;
    }
}

// Hilbert matrices on the diagonal. Their condition is so bad that corrections in single precision do not improve x.
TEST(RefineEnds, WhereTheConditionIsTooBad)
{
  constexpr PetscInt size = PETSC_MACHINE_EPSILON < PetscReal(1e-10) ? 6 : 3;
  Owned<Mat> A;
  OK(AssembleRows(
    10 * size,
    [](PetscInt i) {
      std::vector<std::pair<PetscInt, PetscReal>> row;
      for (PetscInt j = 0; j < size; ++j) row.emplace_back(i / size * size + j, 1 / PetscReal(i % size + j + 1));
      return row;
    },
    &A, size));
  Vectors v(A);
  Owned<KSP> ksp;
  Outcome out;
  OK(MakeKSP(A, A, KSPREFINE, "-pc_type fgbilu -pc_fgbilu_precision single -pc_fgbilu_diag_precision storage", &ksp));
  OK(KSPSetTolerances(ksp, 10 * PETSC_MACHINE_EPSILON, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  OK(Solve(ksp, v.b, v.x, &out));
  expect_stagnation(ksp, out);
  EXPECT_LT(out.norm, PetscReal(0.1) * out.history[0]);
}

TEST(RefineEnds, WhereTheSystemHasNoSolution)
{
  Owned<Mat> A;
  Owned<KSP> ksp;
  OK(AssembleLaplacian(star(4, 3, 3), &A)); // the matrix has no null space set
  Vectors v(A);
  Outcome out;
  PetscScalar sum;
  PetscInt rows;
  OK(MakeKSP(A, A, KSPREFINE, "-pc_type jacobi -ksp_refine_damping 0.6", &ksp));
  OK(VecShift(v.b, PetscReal(0.3)));
  OK(VecSum(v.b, &sum));
  OK(VecGetSize(v.b, &rows));
  OK(Solve(ksp, v.b, v.x, &out));
  expect_stagnation(ksp, out);
  EXPECT_GE(out.norm, PetscAbsScalar(sum) / std::sqrt(PetscReal(rows)) * (1 - tolerance)); // the minimum over all x
  EXPECT_LT(out.norm, out.history[0]);
}

// A diagonal matrix of ones, preconditioned so that a pass multiplies the residual by 1 - damping.
TEST(RefineEnds, SlowConvergenceIsNoStagnation)
{
  Owned<Mat> A;
  OK(AssembleRows(
    24,
    [](PetscInt i) {
      return std::vector<std::pair<PetscInt, PetscReal>>{{i, 1}};
    },
    &A));
  Vectors v(A);
  for (const char *damping : {"0.03", "0.001"})
    for (const char *norm : {"unpreconditioned", "preconditioned"}) {
      Outcome out;
      OK(SolveOnce(A, KSPREFINE,
                   "-pc_type none -ksp_max_it 300 -ksp_refine_damping " + std::string(damping) + " -ksp_norm_type " +
                     norm,
                   v.b, v.x, &out));
      EXPECT_EQ(out.its, 300) << damping;
      EXPECT_EQ(out.reason, KSP_DIVERGED_ITS) << damping;
    }
}

// The same matrix, with a preconditioner that is zero in some applications.
TEST(RefineEnds, AfterTenIdlePassesInSuccession)
{
  Owned<Mat> A;
  OK(AssembleRows(
    24,
    [](PetscInt i) {
      return std::vector<std::pair<PetscInt, PetscReal>>{{i, 1}};
    },
    &A));
  Vectors v(A);
  const PetscReal half = PetscReal(0.5);
  const struct {
    std::vector<PetscReal> factors;
    const char *options;
    KSPConvergedReason reason;
    PetscInt its;
  } cases[] = {{{half, 0}, "", KSP_DIVERGED_BREAKDOWN, 11},
               {{half, 0}, "-ksp_convergence_test skip -ksp_max_it 30", KSP_CONVERGED_ITS, 30},
               {{0, 0, 0, 0, 0, 0, 0, 0, 0, half, 0, 0, 0, 0, 0, 0, 0, 0, 0, half, 0, 0, 0, 0, 0, 0, 0, 0, 0, half},
                "-ksp_max_it 30",
                KSP_DIVERGED_ITS,
                30},
               {{1}, "-ksp_check_norm_iteration 25", KSP_CONVERGED_ATOL, 26}}; // converged, but not tested
  for (const auto &c : cases) {
    Owned<KSP> ksp;
    Outcome out;
    Probe probe;
    probe.factor = c.factors;
    OK(MakeKSP(A, A, KSPREFINE, c.options, &ksp));
    OK(SetProbe(ksp, &probe));
    OK(Solve(ksp, v.b, v.x, &out));
    EXPECT_EQ(out.reason, c.reason) << c.options;
    EXPECT_EQ(out.its, c.its) << c.options;
  }
}

// The iteration moves the residual downwind, one row per pass, until it has left. On the way the norm of the
// residual stays constant, or grows and decreases again.
TEST(RefineEnds, HumpsAreNoStagnation)
{
  const struct {
    PetscInt rows;
    PetscReal own, upwind; // of the iteration matrix
  } cases[] = {
    {8, 0, 1}, {12, PetscReal(0.3), 1}, {16, PetscReal(0.2), PetscReal(1.5)}, {10, PetscReal(0.9), PetscReal(0.2)}};
  for (const auto &c : cases) {
    Owned<Mat> A;
    OK(AssembleRows(
      c.rows,
      [&](PetscInt i) {
        std::vector<std::pair<PetscInt, PetscReal>> row{{i, 1 - c.own}};
        if (i > 0) row.emplace_back(i - 1, -c.upwind);
        return row;
      },
      &A));
    Vectors v(A);
    Outcome ours, theirs;
    const std::string options = "-pc_type none -ksp_rtol 1e-2 -ksp_divtol 1e30 -ksp_norm_type unpreconditioned";
    OK(VecSet(v.b, 0));
    OK(VecSetValue(v.b, 0, 1, ADD_VALUES)); // each rank adds 1
    OK(VecAssemblyBegin(v.b));
    OK(VecAssemblyEnd(v.b));
    OK(SolveOnce(A, KSPREFINE, options, v.b, v.x, &ours));
    OK(SolveOnce(A, KSPRICHARDSON, options, v.b, v.y, &theirs));
    EXPECT_GT(theirs.reason, 0) << c.rows;
    EXPECT_EQ(ours.reason, theirs.reason) << c.rows << ": after " << ours.its;
    EXPECT_EQ(ours.its, theirs.its) << c.rows;
  }
}

TEST(RefineEnds, WithTheFailureOfThePreconditioner)
{
  Owned<Mat> A, singular;
  PetscInt first, last;
  const int rank = Rank();
  OK(AssembleMatrix(star(5, 4, 3), 1, MATAIJ, 1, &A));
  OK(MatDuplicate(A, MAT_COPY_VALUES, &singular));
  OK(MatGetOwnershipRange(A, &first, &last));
  const PetscInt zero = 47;
  OK(MatSetOption(singular, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  OK(MatZeroRowsColumns(singular, zero >= first && zero < last, &zero, 0, nullptr, nullptr));
  Vectors v(A);
  for (const char *norm : {"unpreconditioned", "preconditioned"})
    for (const PetscInt inner : {1, 3}) {
      // If the convergence test is skipped, only the solver itself sees the norms.
      const std::string options =
        "-ksp_norm_type " + std::string(norm) + (inner == 1 ? "" : " -ksp_max_it 50 -ksp_convergence_test skip");
      Owned<KSP> ksp;
      Outcome out;
      PetscReal mark;
      // The set-up fails on all ranks; the next regular matrix works.
      OK(MakeKSP(singular, singular, KSPREFINE, options + " -pc_type fgbilu", &ksp));
      OK(KSPRefineSetInner(ksp, inner));
      OK(Solve(ksp, v.b, v.x, &out));
      EXPECT_EQ(out.reason, KSP_DIVERGED_PC_FAILED) << norm << inner;
      OK(KSPSetOperators(ksp, A, A));
      OK(Solve(ksp, v.b, v.x, &out));
      EXPECT_EQ(out.reason, inner == 1 ? KSP_CONVERGED_RTOL : KSP_CONVERGED_ITS) << norm << inner;
      // An application fails on one rank.
      Probe probe;
      probe.fail_on_last_rank = true;
      OK(MakeKSP(A, A, KSPREFINE, options, &ksp));
      OK(KSPRefineSetInner(ksp, inner));
      OK(SetProbe(ksp, &probe));
      OK(Solve(ksp, v.b, v.x, &out));
      EXPECT_EQ(out.reason, KSP_DIVERGED_PC_FAILED) << norm << inner << ", rank " << rank;
      OK(VecNorm(v.x, NORM_2, &mark)); // outer solvers rely on this
      EXPECT_FALSE(std::isfinite(mark)) << norm << inner << ", rank " << rank;
    }
}

} // namespace
