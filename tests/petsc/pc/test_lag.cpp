// SPDX-License-Identifier: BSD-2-Clause
// PCLAG: the rule, fed with sequences whose best answer is known, and the PC in sequences of systems.
#include "fixture.hpp"
#include "pc/nested/lag_decision.hpp"

#include <petsc/private/kspimpl.h>

#include <cmath>
#include <functional>

using namespace finegrain::test;

namespace
{

// By hand: iterations rise by 2 per system, 20, 22, 24, 26, so that those above 20 are 2, 6, 12 in all, and the next
// solve would add 8.
TEST(LagDecision, ByHand)
{
  LagDecision d;
  const double extra[] = {0, 2, 6, 12};
  for (int age = 0; age < 4; ++age) {
    d.begin(1);
    d.end(20 + 2 * age, age == 0);
    EXPECT_EQ(d.extra(), extra[age]);
  }
  EXPECT_TRUE(d.pays(16));
  EXPECT_FALSE(d.pays(16.1));
  d.rebuilt(16);
  EXPECT_EQ(d.extra(), 0);
  d.begin(1);
  d.end(30, true); // the systems have become harder
  d.begin(1);
  d.end(31, false);
  EXPECT_EQ(d.extra(), 1);
  d.begin(NAN);
  d.end(0, false); // the right-hand side was zero
  EXPECT_EQ(d.extra(), 1);
  d.begin(1);
  d.end(25, false); // easier ones, and 25 is the most that a new preconditioner would need
  d.begin(1);
  d.end(27, false);
  EXPECT_EQ(d.extra(), 3);
}

struct Run {
  double cost; // all iterations, and set-ups at their cost
  int setups;
};

// Solves systems with iterations(k, age), rebuilding when `rebuild(age)` says so, or by the rule if it is null.
Run Simulate(int systems, double cost, const std::function<double(int, int)> &iterations,
             const std::function<double(int)> &norm, int interval)
{
  LagDecision d;
  Run run{0, 0};
  int age = 0;
  for (int k = 0; k < systems; ++k, ++age) {
    if (k == 0 || (interval > 0 ? age >= interval : d.pays(cost))) {
      age = 0;
      run.cost += cost;
      ++run.setups;
      d.rebuilt(cost);
    }
    const double its = iterations(k, age);
    d.begin(norm(k));
    d.end(its, age == 0);
    run.cost += its;
  }
  return run;
}

double BestFixed(int systems, double cost, const std::function<double(int, int)> &iterations,
                 const std::function<double(int)> &norm)
{
  double best = INFINITY;
  for (int interval = 1; interval <= systems; ++interval)
    best = std::min(best, Simulate(systems, cost, iterations, norm, interval).cost);
  return best;
}

TEST(LagDecision, ComesCloseToTheBestFixedInterval)
{
  const auto same = [](int) { return 1.; };
  for (const double growth : {0., 0.02, 0.1, 0.5, 2., 10., 50.})
    for (const double cost : {4., 15., 100.}) {
      SCOPED_TRACE(std::to_string(growth) + " " + std::to_string(cost));
      const auto linear = [&](int, int age) { return 20 + growth * age; };
      const auto harder = [&](int k, int age) { return 20 + 0.05 * k + growth * age; };
      const auto square = [&](int, int age) { return 20 + growth * age * age; };
      for (const auto &its : {std::function<double(int, int)>(linear), std::function<double(int, int)>(harder)})
        EXPECT_LT(Simulate(200, cost, its, same, 0).cost, 1.1 * BestFixed(200, cost, its, same));
      EXPECT_LT(Simulate(200, cost, square, same, 0).cost, 1.2 * BestFixed(200, cost, square, same));
    }
}

// Time steps of four Newton iterations, whose systems need 8, 12, 25 and 40 iterations with any preconditioner.
TEST(LagDecision, ComparesTheSamePlacesOfSteps)
{
  const double easy_to_hard[] = {8, 12, 25, 40};
  const auto falling = [](int k) { return std::pow(10., -(k % 4)); };
  const auto steady = [&](int k, int) { return easy_to_hard[k % 4]; };
  EXPECT_LE(Simulate(400, 15, steady, falling, 0).setups, 5);
  const auto aging = [&](int k, int age) { return easy_to_hard[k % 4] + 0.5 * age; };
  EXPECT_LT(Simulate(400, 15, aging, falling, 0).cost, 1.1 * BestFixed(400, 15, aging, falling));
}

class Lag : public ::testing::Test
{
protected:
  static PetscErrorCode Make(Mat *A, int seed = 1) { return AssembleMatrix(star(9, 8, 1), 3, MATAIJ, seed, A); }
  // A KSP whose preconditioner is `lag` with our factorization inside it.
  static PetscErrorCode MakeKSP(Mat A, const std::string &options, KSP *ksp)
  {
    PetscFunctionBegin;
    const Options set("-ksp_type gmres -ksp_rtol 1e-6 -pc_type lag -lag_pc_type fgbilu " + options);
    PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
    PetscCall(KSPSetOperators(*ksp, A, A));
    PetscCall(KSPSetFromOptions(*ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  static PetscInt SetUps(KSP ksp)
  {
    PC pc;
    PetscInt setups = -1;
    EXPECT_EQ(int(KSPGetPC(ksp, &pc)), 0);
    EXPECT_EQ(int(PCLAGGetSetUps(pc, &setups)), 0);
    return setups;
  }
};

TEST_F(Lag, KeepsAndRebuildsWhatIsInside)
{
  Owned<Mat> A, B;
  Owned<KSP> ksp;
  Owned<PC> old, fresh;
  PC pc;
  PetscReal d;
  OK(Make(&A));
  OK(Make(&B, 2));
  Vectors v(A);
  OK(v.code);
  OK(MakeKSP(A, "-pc_lag_maximum 3 -pc_lag_cost 1000", &ksp));
  OK(KSPGetPC(ksp, &pc));
  for (int k = 0; k < 7; ++k) {
    OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
    OK(MatShift(A, k));
    OK(KSPSolve(ksp, v.b, v.x));
    EXPECT_EQ(SetUps(ksp), 1 + k / 3);
    if (k % 3 == 0) {
      OK(MakePC(A, PCFGBILU, "", &old));
    }
    OK(Apply(old, v.b, v.x)); // sets it up for its system
    OK(PCSetReusePreconditioner(old, PETSC_TRUE));
    OK(Apply(pc, v.b, v.y));
    OK(Difference(v.x, v.y, &d));
    EXPECT_EQ(d, 0) << k;
    OK(MakePC(A, PCFGBILU, "", &fresh));
    OK(ComparePCs(A, pc, fresh, &d));
    EXPECT_EQ(d == 0, k % 3 == 0) << k; // kept ones are others than new ones
    OK(PCApplyTranspose(old, v.b, v.x));
    OK(PCApplyTranspose(pc, v.b, v.y));
    OK(Difference(v.x, v.y, &d));
    EXPECT_EQ(d, 0) << k;
  }
}

TEST_F(Lag, RebuildsAfterExtraIterations)
{
  Owned<Mat> A, B;
  Owned<KSP> ksp;
  OK(Make(&A));
  OK(MatDuplicate(A, MAT_COPY_VALUES, &B));
  Vectors v(A);
  OK(v.code);
  OK(MakeKSP(A, "-pc_lag_cost 6", &ksp));
  LagDecision expected;
  PetscInt its, setups = 1;
  for (int k = 0; k < 12; ++k) { // the diagonal loses its dominance by and by
    OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
    OK(MatShift(A, -PetscReal(0.9) * k));
    const bool rebuilds = k > 0 && expected.pays(6);
    setups += rebuilds;
    if (k == 0 || rebuilds) expected.rebuilt(6);
    OK(VecSet(v.x, 0));
    OK(KSPSolve(ksp, v.b, v.x));
    EXPECT_EQ(SetUps(ksp), setups) << k;
    OK(KSPGetIterationNumber(ksp, &its));
    expected.begin(1);
    expected.end(double(its), k == 0 || rebuilds);
  }
  EXPECT_GE(setups, 2);
  EXPECT_LT(setups, 12);
  std::string text;
  PC pc;
  OK(KSPGetPC(ksp, &pc));
  OK(ViewText(pc, &text));
  if (Rank() == 0)
    ExpectIn(text, {std::to_string(setups) + " set-ups for 12 systems; a set-up costs 6. iterations (set)",
                    "last set-up: extra iterations have cost a set-up", "type: fgbilu"});
}

TEST_F(Lag, RebuildsAfterAFailedSolveAndForOtherMatrices)
{
  Owned<Mat> A, B, wide;
  Owned<KSP> ksp;
  KSPConvergedReason reason;
  OK(Make(&A));
  Vectors v(A);
  OK(v.code);
  OK(MakeKSP(A, "-pc_lag_cost 1000", &ksp));
  OK(KSPSolve(ksp, v.b, v.x));
  OK(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 1));
  OK(KSPSolve(ksp, v.b, v.x));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_EQ(int(reason), int(KSP_DIVERGED_ITS));
  OK(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 100));
  OK(KSPSolve(ksp, v.b, v.x));
  EXPECT_EQ(SetUps(ksp), 1); // it is that of this matrix: another set-up would be the same
  OK(MatShift(A, 1));
  OK(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 1));
  OK(KSPSolve(ksp, v.b, v.x)); // fails with the kept one; begin anew even if the matrix stays the same
  OK(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 100));
  EXPECT_EQ(SetUps(ksp), 1);
  OK(KSPSolve(ksp, v.b, v.x));
  EXPECT_EQ(SetUps(ksp), 2);
  OK(MatDuplicate(A, MAT_COPY_VALUES, &B)); // another Mat
  OK(KSPSetOperators(ksp, B, B));
  OK(KSPSolve(ksp, v.b, v.x));
  EXPECT_EQ(SetUps(ksp), 3);
  OK(AssembleMatrix(box(9, 8, 1), 3, MATAIJ, 1, &wide)); // another pattern
  OK(KSPSetOperators(ksp, wide, wide));
  OK(KSPSolve(ksp, v.b, v.x));
  EXPECT_EQ(SetUps(ksp), 4);
  OK(KSPReset(ksp));
  OK(KSPSetOperators(ksp, A, A));
  OK(KSPSolve(ksp, v.b, v.x));
  EXPECT_EQ(SetUps(ksp), 5);
}

TEST_F(Lag, RebuildsWhereNobodyCountsIterations)
{
  for (const char *how : {"-ksp_type preonly", "-ksp_norm_type none -ksp_max_it 3"}) {
    SCOPED_TRACE(how);
    Owned<Mat> A;
    Owned<KSP> ksp;
    OK(Make(&A));
    Vectors v(A);
    OK(v.code);
    OK(MakeKSP(A, how, &ksp));
    for (int k = 1; k <= 3; ++k) {
      OK(KSPSolve(ksp, v.b, v.x));
      EXPECT_EQ(SetUps(ksp), k);
      OK(MatShift(A, 1));
    }
  }
  Owned<Mat> A; // no KSP at all
  Owned<PC> pc;
  PetscInt setups;
  OK(Make(&A));
  Vectors v(A);
  OK(v.code);
  OK(MakePC(A, PCLAG, "-lag_pc_type fgbilu", &pc));
  for (int k = 1; k <= 3; ++k) {
    OK(Apply(pc, v.b, v.x));
    OK(PCLAGGetSetUps(pc, &setups));
    EXPECT_EQ(setups, k);
    OK(MatShift(A, 1));
  }
}

// With -ksp_reuse_preconditioner it stays, also for another Mat, and steps that need the matrix use the new one.
TEST_F(Lag, IsKeptWhenThePreconditionerIsReused)
{
  Owned<Mat> A, B;
  Owned<KSP> ksp;
  Owned<PC> old;
  PC pc;
  PetscReal d;
  OK(Make(&A));
  OK(Make(&B, 2));
  Vectors v(A);
  OK(v.code);
  OK(MakeKSP(A, "-lag_pc_fgbilu_corrections 1", &ksp));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_corrections 1", &old));
  OK(KSPSolve(ksp, v.b, v.x));
  OK(PCSetUp(old));
  OK(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
  OK(KSPSetOperators(ksp, B, B));
  OK(PCSetReusePreconditioner(old, PETSC_TRUE));
  OK(PCSetOperators(old, B, B));
  OK(KSPSolve(ksp, v.b, v.x));
  EXPECT_EQ(SetUps(ksp), 1);
  OK(KSPGetPC(ksp, &pc));
  OK(ComparePCs(B, pc, old, &d));
  EXPECT_EQ(d, 0);
}

TEST_F(Lag, ReportsFailedSetUpsAndRecovers)
{
  Owned<Mat> A, B;
  Owned<KSP> ksp;
  KSPConvergedReason reason;
  OK(Make(&A));
  OK(Make(&B));
  Vectors v(A);
  OK(v.code);
  OK(MakeSingular(A, 2, 3));
  OK(MakeKSP(A, "", &ksp));
  OK(KSPSolve(ksp, v.b, v.x));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_EQ(int(reason), int(KSP_DIVERGED_PC_FAILED));
  OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
  OK(KSPSolve(ksp, v.b, v.x));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_GT(int(reason), 0);
  EXPECT_EQ(SetUps(ksp), 2);
}

TEST_F(Lag, MeasuresTheSameOnAllRanks)
{
  Owned<Mat> A;
  Owned<KSP> ksp;
  OK(Make(&A));
  Vectors v(A);
  OK(v.code);
  OK(MakeKSP(A, "-pc_lag_measure", &ksp));
  for (int k = 0; k < 5; ++k) {
    OK(KSPSolve(ksp, v.b, v.x));
    OK(MatShift(A, PetscReal(-0.5)));
  }
  PetscInt setups[2] = {SetUps(ksp), -SetUps(ksp)};
  EXPECT_EQ(int(MPI_Allreduce(MPI_IN_PLACE, setups, 2, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD)), 0);
  EXPECT_EQ(setups[0], -setups[1]);
  std::string text;
  PC pc;
  OK(KSPGetPC(ksp, &pc));
  OK(ViewText(pc, &text));
  if (Rank() == 0) ExpectIn(text, {"(measured)"});
}

TEST_F(Lag, HasSettersThatRefuseWrongValues)
{
  Owned<PC> pc, other;
  PetscReal cost;
  PetscInt maximum;
  PetscBool measure;
  PC inner;
  OK(PCCreate(PETSC_COMM_WORLD, &pc));
  OK(PCSetOptionsPrefix(pc, "mine_"));
  OK(PCSetType(pc, PCLAG));
  OK(PCLAGGetCost(pc, &cost));
  OK(PCLAGGetMaximum(pc, &maximum));
  OK(PCLAGGetMeasure(pc, &measure));
  EXPECT_EQ(cost, 0);
  EXPECT_EQ(maximum, 0);
  EXPECT_EQ(measure, PETSC_FALSE);
  {
    const Options set("-mine_pc_lag_cost 7 -mine_pc_lag_maximum 9 -mine_pc_lag_measure -mine_lag_pc_type mcpi");
    OK(PCSetFromOptions(pc));
  }
  OK(PCLAGGetCost(pc, &cost));
  OK(PCLAGGetMaximum(pc, &maximum));
  OK(PCLAGGetMeasure(pc, &measure));
  OK(PCLAGGetPC(pc, &inner));
  EXPECT_EQ(cost, 7);
  EXPECT_EQ(maximum, 9);
  EXPECT_EQ(measure, PETSC_TRUE);
  EXPECT_STREQ(object(inner)->type_name, PCMCPI);
  ExpectIn(ExpectError([&] { return PCLAGSetCost(pc, -1); }), {"-mine_pc_lag_cost is -1", "PCLAGSetCost()"});
  ExpectIn(ExpectError([&] { return PCLAGSetMaximum(pc, -1); }), {"-mine_pc_lag_maximum is -1", "PCLAGSetMaximum()"});
  OK(PCCreate(PETSC_COMM_WORLD, &other));
  OK(PCSetType(other, PCNONE));
  OK(PCLAGSetCost(other, -1)); // for other types setters do nothing
  ExpectIn(ExpectError([&] { return PCLAGGetPC(other, &inner); }), {"-pc_type lag", "none"});
}

} // namespace
