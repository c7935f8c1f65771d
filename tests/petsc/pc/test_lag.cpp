// SPDX-License-Identifier: BSD-2-Clause
// PCLAG in sequences of systems. test_lag_decision.cpp has its rule.
#include "fixture.hpp"
#include "pc/nested/lag_decision.hpp"

#include <petsc/private/kspimpl.h>

using namespace finegrain::test;

namespace
{

class Lag : public ::testing::Test
{
protected:
  static PetscErrorCode Make(Mat *A, int seed = 1) { return AssembleMatrix(star(9, 8, 1), 3, MATAIJ, seed, A); }
  // Adds to the diagonal. MatShift() of some versions of PETSc changes the pattern of ranks without rows.
  static PetscErrorCode Shift(Mat A, PetscScalar shift)
  {
    PetscInt first, last;

    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(A, &first, &last));
    for (PetscInt i = first; i < last; ++i) PetscCall(MatSetValue(A, i, i, shift, ADD_VALUES));
    PetscCall(Assemble(A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
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
    OK(Shift(A, k));
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
    OK(Shift(A, -PetscReal(0.9) * k));
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
    ExpectIn(text, {std::to_string(setups) + " set-ups for 12 systems; a set-up costs 6",
                    "last set-up: extra iterations cost more than a set-up", "type: fgbilu"});
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
  OK(Shift(A, 1));
  OK(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 1));
  OK(KSPSolve(ksp, v.b, v.x)); // fails with the kept one, and again with a new one
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_EQ(int(reason), int(KSP_DIVERGED_ITS));
  EXPECT_EQ(SetUps(ksp), 2);
  OK(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 100));
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

// A solve that fails with a kept preconditioner is repeated with a new one, from the same guess.
TEST_F(Lag, RepeatsASolveThatFailed)
{
  for (const bool guess : {false, true}) {
    Owned<Mat> A;
    Owned<KSP> ksp, plain;
    Owned<Vec> scale;
    KSPConvergedReason reason;
    PetscInt its;
    PetscReal d;
    OK(Make(&A));
    Vectors v(A);
    OK(v.code);
    OK(VecDuplicate(v.b, &scale));
    OK(MakeKSP(A, "-pc_lag_cost 1000", &ksp));
    OK(KSPSolve(ksp, v.b, v.x));
    OK(VecSetRandom(scale, nullptr));
    OK(VecExp(scale));
    for (int power = 0; power < 3; ++power) OK(VecPointwiseMult(scale, scale, scale)); // 1 to 3000
    OK(MatDiagonalScale(A, scale, nullptr));
    {
      const Options set("-ksp_type gmres -ksp_rtol 1e-6 -pc_type fgbilu -pc_fgbilu_eisenstat false");
      OK(KSPCreate(PETSC_COMM_WORLD, &plain));
      OK(KSPSetOperators(plain, A, A));
      OK(KSPSetFromOptions(plain));
    }
    OK(VecSet(v.y, 0.5));
    OK(KSPSetInitialGuessNonzero(plain, PetscBool(guess)));
    OK(KSPSolve(plain, v.b, v.y));
    OK(KSPGetIterationNumber(plain, &its));
    OK(VecSet(v.x, 0.5));
    OK(KSPSetInitialGuessNonzero(ksp, PetscBool(guess)));
    OK(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, its + 1)); // too few for the kept one
    OK(KSPSolve(ksp, v.b, v.x));
    OK(KSPGetConvergedReason(ksp, &reason));
    EXPECT_GT(int(reason), 0);
    EXPECT_EQ(SetUps(ksp), 2);
    OK(Difference(v.x, v.y, &d));
    EXPECT_EQ(d, 0) << guess;
  }
}

// KSPCHEBYSHEV estimates eigenvalues with the same PC, by solves that end after some iterations.
TEST_F(Lag, ServesChebyshevAsTheInnerTypeDoes)
{
  Owned<Mat> A;
  Owned<KSP> ksp, plain;
  PetscInt its[2];
  OK(AssembleMatrix(star(9, 8, 1), 3, MATAIJ, 1, &A));
  OK(MakeSymmetric(A));
  Vectors v(A);
  OK(v.code);
  const auto make = [&](const std::string &pc, KSP *k) -> PetscErrorCode {
    const Options set("-ksp_type chebyshev -ksp_rtol 1e-6 -ksp_max_it 400 " + pc);
    PetscFunctionBegin;
    PetscCall(KSPCreate(PETSC_COMM_WORLD, k));
    PetscCall(KSPSetOperators(*k, A, A));
    PetscCall(KSPSetFromOptions(*k));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  OK(make("-pc_type lag -lag_pc_type jacobi -pc_lag_maximum 1", &ksp));
  OK(make("-pc_type jacobi", &plain));
  for (int k = 0; k < 4; ++k) {
    OK(VecSet(v.x, 0));
    OK(KSPSolve(ksp, v.b, v.x));
    OK(VecSet(v.x, 0));
    OK(KSPSolve(plain, v.b, v.x));
    OK(KSPGetIterationNumber(ksp, &its[0]));
    OK(KSPGetIterationNumber(plain, &its[1]));
    EXPECT_EQ(its[0], its[1]) << k;
    OK(MatScale(A, 0.01));
    OK(KSPSetOperators(ksp, A, A));
    OK(KSPSetOperators(plain, A, A));
  }
}

// What needs a transformed system of its KSP would silently do nothing.
TEST_F(Lag, RefusesPreconditionersThatTransformTheSystem)
{
  Owned<Mat> A;
  Owned<PC> pc;
  OK(Make(&A));
  OK(MakePC(A, PCLAG, "-lag_pc_type eisenstat", &pc));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), {"-lag_pc_type eisenstat", "-pc_type lag"});
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
      OK(Shift(A, 1));
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
    OK(Shift(A, 1));
  }
}

// With -ksp_reuse_preconditioner it stays, also for new values of the Mat.
TEST_F(Lag, IsKeptForNewValuesWhenReused)
{
  for (const char *inner : {"fgbilu", "cpr -lag_cpr_pressure_pc_type redundant"}) {
    Owned<Mat> A;
    Owned<KSP> ksp;
    PC pc;
    PetscReal d;
    OK(Make(&A));
    Vectors v(A);
    OK(v.code);
    OK(MakeKSP(A, std::string("-lag_pc_type ") + inner, &ksp));
    OK(KSPSolve(ksp, v.b, v.x));
    OK(KSPGetPC(ksp, &pc));
    OK(Apply(pc, v.b, v.x));
    OK(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
    OK(Shift(A, 100));
    OK(Apply(pc, v.b, v.y));
    OK(Difference(v.x, v.y, &d));
    EXPECT_EQ(d == 0, inner == std::string("fgbilu")) << inner; // the residual of cpr has the new matrix
    EXPECT_LT(d, 2);
    EXPECT_EQ(SetUps(ksp), 1);
  }
}

// The same for another Mat, and steps that need the matrix use the new one.
TEST_F(Lag, IsKeptForAnotherMatWhenReused)
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
    OK(Shift(A, PetscReal(-0.5)));
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
