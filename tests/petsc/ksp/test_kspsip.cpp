// SPDX-License-Identifier: BSD-2-Clause
// KSPSIP: its iterations compared with PETSc's Richardson iteration and known counts, its choice of preconditioner,
// and the ends of its solves.
#include "sip.hpp"

using namespace finegrain::test;
using refine::Outcome;
using sip::AssemblePoisson;
using sip::Problem;

namespace
{

PetscErrorCode SolvePoisson(PetscInt i, PetscInt j, PetscInt k, const std::string &options, Outcome *out)
{
  Owned<DM> da;
  Owned<Mat> A;
  Owned<Vec> b, x;
  PetscReal residual;

  PetscFunctionBegin;
  PetscCall(AssemblePoisson(i, j, k, &da, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(VecSet(x, PETSC_INFINITY));
  PetscCall(refine::SolveOnce(A, KSPSIP, options, b, x, out));
  PetscCall(refine::ResidualNorm(A, b, x, &residual));
  if (out->reason == KSP_CONVERGED_RTOL) {
    EXPECT_NEAR(residual, out->norm, tolerance * out->history[0]) << options;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Iterations to a residual of 1e-6 for a right-hand side of ones (numerics.md 4).
TEST(KspSip, PoissonTakesTheKnownCounts)
{
  if (Size() > 1 || sizeof(PetscReal) != 8) GTEST_SKIP() << "counts of one rank in double precision";
  const struct {
    PetscInt edge, depth;
    const char *alpha;
    PetscInt its;
  } table[] = {{20, 1, "0", 182}, {20, 1, "0.92", 39}, {20, 1, "0.95", 104}, {10, 10, "0", 64}, {10, 10, "0.92", 21}};
  for (const auto &line : table) {
    Outcome out;
    OK(SolvePoisson(line.edge, line.edge, line.depth, std::string("-ksp_rtol 1e-6 -pc_sip_alpha ") + line.alpha,
                    &out));
    EXPECT_EQ(out.its, line.its) << line.edge << ", " << line.alpha;
    EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL);
  }
}

// With one factor it is Richardson's iteration, with either norm, from zero or a guess, and without a norm.
TEST(KspSip, WithOneFactorIsRichardson)
{
  for (const PetscInt dof : {1, 3})
    for (const std::string guess : {"", " -ksp_initial_guess_nonzero"})
      for (const std::string norm : {"unpreconditioned", "preconditioned", "none"}) {
        Problem p(3, dof, MATBAIJ);
        Outcome ours, theirs;
        PetscReal d;
        const std::string options = "-pc_type sip -ksp_max_it 7 -ksp_rtol 1e-30 -ksp_norm_type " + norm + guess;
        OK(p.code);
        OK(VecSet(p.x, guess.empty() ? PETSC_INFINITY : PetscReal(0.1)));
        OK(VecSet(p.y, PetscReal(0.1)));
        OK(refine::SolveOnce(p.A, KSPSIP, options, p.b, p.x, &ours));
        OK(refine::SolveOnce(p.A, KSPRICHARDSON, options, p.b, p.y, &theirs));
        OK(Difference(p.x, p.y, &d));
        EXPECT_LT(d, tolerance) << options;
        EXPECT_EQ(ours.its, theirs.its) << options;
        EXPECT_EQ(ours.reason, theirs.reason) << options;
        for (std::size_t k = 0; k < std::min(ours.history.size(), theirs.history.size()); ++k)
          EXPECT_NEAR(ours.history[k], theirs.history[k], tolerance * ours.history[0]) << options;
        EXPECT_EQ(ours.history.size(), norm == "none" ? theirs.history.size() : 8u) << options;
      }
}

// One iteration per factor equals one application of the preconditioner, unless it is transposed, which uses the
// factors in reverse order. -pc_sip_its has no effect on the iterations.
TEST(KspSip, TakesTheFactorsInTurn)
{
  for (const std::string sip_factors : {"-pc_sip_alpha 0.9,0.4 ", "-pc_sip_alternate ", "-pc_sip_alpha 0.9 "})
    for (const bool transposed : {false, true})
      for (const std::string norm : {"unpreconditioned", "preconditioned", "none"}) {
        Problem p(2, 2, MATBAIJ);
        Owned<PC> pc;
        Owned<KSP> ksp;
        PetscReal d;
        const bool several = sip_factors != "-pc_sip_alpha 0.9 ";
        OK(p.code);
        OK(MakePC(p.A, PCSIP, sip_factors + (several ? "" : "-pc_sip_its 2"), &pc));
        OK(PCSetUp(pc));
        OK(VecSet(p.y, PETSC_INFINITY));
        OK(transposed ? PCApplyTranspose(pc, p.b, p.y) : PCApply(pc, p.b, p.y));
        OK(refine::MakeKSP(p.A, p.A, KSPSIP,
                           sip_factors + "-pc_sip_its 3 -ksp_rtol 1e-30 -ksp_max_it 2 -ksp_norm_type " + norm, &ksp));
        OK(VecSet(p.x, PETSC_INFINITY));
        OK(transposed ? KSPSolveTranspose(ksp, p.b, p.x) : KSPSolve(ksp, p.b, p.x));
        OK(Difference(p.x, p.y, &d));
        if (transposed && several) {
          EXPECT_GT(d, 10 * PETSC_MACHINE_EPSILON) << sip_factors << norm;
        } else {
          EXPECT_LT(d, tolerance) << sip_factors << norm;
        }
      }
}

TEST(KspSip, SolvesTheTransposedSystem)
{
  Problem p(3, 2, MATBAIJ);
  Owned<KSP> ksp;
  Outcome out;
  PetscReal norm;
  Owned<Vec> r;
  OK(p.code);
  OK(refine::MakeKSP(p.A, p.A, KSPSIP, "-pc_sip_alternate -ksp_max_it 300", &ksp));
  OK(VecSet(p.x, PETSC_INFINITY));
  OK(KSPSolveTranspose(ksp, p.b, p.x));
  OK(refine::GetOutcome(ksp, &out));
  EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL);
  OK(VecDuplicate(p.b, &r));
  OK(MatMultTranspose(p.A, p.x, r));
  OK(VecAYPX(r, -1, p.b));
  OK(VecNorm(r, NORM_2, &norm));
  EXPECT_LE(norm, PetscReal(1.001e-5) * out.history[0]);
}

// An Amat without entries, and a matrix with a null space.
TEST(KspSip, OtherOperators)
{
  Problem p(2, 2, MATAIJ);
  Owned<Mat> B, S;
  Owned<KSP> ksp;
  Outcome out;
  PetscReal residual;
  OK(p.code);
  OK(MatDuplicate(p.A, MAT_COPY_VALUES, &B));
  OK(MatShift(B, 1));
  OK(refine::MakeShell(B, &S));
  OK(refine::MakeKSP(S, p.A, KSPSIP, "", &ksp));
  OK(VecSet(p.x, PETSC_INFINITY));
  OK(refine::Solve(ksp, p.b, p.x, &out));
  EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL);
  OK(refine::ResidualNorm(B, p.b, p.x, &residual));
  EXPECT_NEAR(residual, out.norm, tolerance * out.history[0]);

  // Neumann's problem: rows of a DMDA's star that sum to zero.
  Owned<DM> da;
  Owned<Mat> A;
  Owned<Vec> b, x, sums, ones;
  Owned<MatNullSpace> constants;
  PetscScalar sum;
  PetscReal size;
  OK(AssemblePoisson(9, 8, 1, &da, &A));
  OK(MatCreateVecs(A, &x, &b));
  OK(VecDuplicate(b, &sums));
  OK(VecDuplicate(b, &ones));
  OK(VecSet(ones, -1));
  OK(MatMult(A, ones, sums));
  OK(MatDiagonalSet(A, sums, ADD_VALUES));
  OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &constants));
  OK(MatSetNullSpace(A, constants));
  OK(VecSetRandom(b, nullptr));
  OK(MatNullSpaceRemove(constants, b));
  OK(VecSet(x, PETSC_INFINITY));
  OK(refine::SolveOnce(A, KSPSIP, "-ksp_max_it 500 -pc_sip_alpha 0.9 -pc_sip_alternate -pc_sip_shift_type inblocks",
                       b, x, &out));
  EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL);
  OK(refine::ResidualNorm(A, b, x, &residual));
  OK(VecNorm(b, NORM_2, &size));
  EXPECT_LT(residual, PetscReal(1.1e-5) * size);
  OK(VecSum(x, &sum));
  EXPECT_LT(PetscAbsScalar(sum), 1e-3 * size);
}

// Without -pc_type the preconditioner becomes PCSIP, for every order of calls; another type is an error.
TEST(KspSip, ChoosesItsPreconditioner)
{
  Problem p(2);
  OK(p.code);
  for (const int way : {0, 1, 2, 3}) {
    Owned<KSP> ksp;
    PC pc;
    PCType type;
    PetscBool same;
    std::string options = way == 1 ? "-ksp_type sip -pc_sip_alpha 0.5" : "-pc_sip_alpha 0.5";
    OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
    {
      const Options set(options);
      if (way != 2) {
        OK(KSPSetOperators(ksp, p.A, p.A));
      }
      if (way != 1) {
        OK(KSPSetType(ksp, KSPSIP));
      }
      if (way != 3) {
        OK(KSPSetFromOptions(ksp));
      }
      if (way == 2) {
        OK(KSPSetOperators(ksp, p.A, p.A));
      }
      OK(KSPSolve(ksp, p.b, p.x));
    }
    OK(KSPGetPC(ksp, &pc));
    OK(PCGetType(pc, &type));
    OK(PetscStrcmp(type, PCSIP, &same));
    EXPECT_TRUE(same) << way << ": " << type;
    if (way != 3) {
      PetscInt n;
      const PetscReal *alpha;
      OK(PCSIPGetAlpha(pc, &n, &alpha));
      EXPECT_EQ(alpha[0], PetscReal(0.5)) << way;
    }
  }
  Owned<KSP> ksp;
  for (const std::string other : {"jacobi", Size() == 1 ? "ilu" : "bjacobi"}) { // PETSc's default, set explicitly
    OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
    OK(KSPSetOptionsPrefix(ksp, "other_"));
    OK(KSPSetOperators(ksp, p.A, p.A));
    {
      const Options set("-other_ksp_type sip -other_pc_type " + other);
      OK(KSPSetFromOptions(ksp));
    }
    ExpectIn(ExpectError([&] { return KSPSetUp(ksp); }), {"-other_ksp_type sip", "-other_pc_type sip", other});
  }
  // The type is set by the program.
  PC pc;
  OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
  OK(KSPSetOperators(ksp, p.A, p.A));
  OK(KSPGetPC(ksp, &pc));
  OK(PCSetType(pc, PCSOR));
  {
    const Options set("-ksp_type sip");
    OK(KSPSetFromOptions(ksp));
  }
  ExpectIn(ExpectError([&] { return KSPSolve(ksp, p.b, p.x); }), {"-ksp_type sip", "-pc_type sip", "sor"});
  OK(PCSetType(pc, PCSIP));
  OK(KSPSolve(ksp, p.b, p.x));
}

// The preconditioner uses changed values without another KSPSetOperators(), as for PETSc's solvers.
TEST(KspSip, SeesNewValues)
{
  for (const std::string solver : {"-ksp_type sip", "-ksp_type refine -ksp_refine_inner 3 -pc_type sip",
                                   "-ksp_type refine -ksp_refine_inner 3 -pc_type fgbilu"}) {
    Problem p(2, 2, MATAIJ);
    Owned<KSP> ksp, fresh;
    PetscReal d;
    OK(p.code);
    const Options set(solver + " -ksp_max_it 2 -ksp_convergence_test skip");
    OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
    OK(KSPSetOperators(ksp, p.A, p.A));
    OK(KSPSetFromOptions(ksp));
    OK(KSPSolve(ksp, p.b, p.x));
    OK(MatShift(p.A, -1));
    OK(KSPSolve(ksp, p.b, p.x));
    OK(KSPCreate(PETSC_COMM_WORLD, &fresh));
    OK(KSPSetOperators(fresh, p.A, p.A));
    OK(KSPSetFromOptions(fresh));
    OK(KSPSolve(fresh, p.b, p.y));
    OK(Difference(p.x, p.y, &d));
    EXPECT_EQ(d, 0) << solver;
  }
}

TEST(KspSip, EndsAndView)
{
  Outcome out;
  OK(SolvePoisson(12, 11, 1, "-ksp_max_it 3", &out));
  EXPECT_EQ(out.reason, KSP_DIVERGED_ITS);
  EXPECT_EQ(out.its, 3);
  EXPECT_EQ(out.history.size(), 4u);
  OK(SolvePoisson(40, 40, 1, "-pc_sip_alpha 0.999 -ksp_max_it 1000", &out));
  if (Size() == 1) {
    EXPECT_EQ(out.reason, KSP_DIVERGED_DTOL);
  }
  OK(SolvePoisson(12, 11, 1, "-ksp_norm_type none -ksp_max_it 3", &out));
  EXPECT_EQ(out.reason, KSP_CONVERGED_ITS);
  EXPECT_EQ(out.its, 3);
  Problem p(2);
  Owned<KSP> ksp;
  std::string text;
  OK(p.code);
  OK(refine::MakeKSP(p.A, p.A, KSPSIP, "-pc_sip_alpha 0.9,0.4 -pc_sip_alternate", &ksp));
  OK(KSPSetUp(ksp));
  OK(ViewText(object(ksp), &text));
  ExpectIn(text, {"type: sip\n    an iteration takes the next of 4 factors\n"});
}

} // namespace
