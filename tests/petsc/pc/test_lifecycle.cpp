// Settings, refresh, failures, resets, views.
#include "fixture.hpp"

#include <array>
#include <cmath>

using namespace finegrain::test;

namespace
{

TEST(Refresh, RepeatsNoAnalysisAndEqualsANewSetUp)
{
  for (const char *type : {MATBAIJ, MATAIJ}) {
    Owned<Mat> A, B;
    Owned<PC> pc, fresh;
    PetscReal d;
    OK(AssembleMatrix(star(5, 4, 3), 4, type, 1, &A));
    OK(AssembleMatrix(star(5, 4, 3), 4, type, 2, &B));
    OK(MakePC(A, PCFGBILU, "", &pc));
    OK(PCSetUp(pc));
    const int analyses = EventCount("FGAnalyze"), factors = EventCount("FGFactor");
    OK(PCSetUp(pc)); // nothing changed
    EXPECT_EQ(EventCount("FGFactor"), factors);
    OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
    OK(PCSetUp(pc));
    EXPECT_EQ(EventCount("FGAnalyze"), analyses);
    EXPECT_EQ(EventCount("FGFactor"), factors + 1);
    OK(MakePC(B, PCFGBILU, "", &fresh));
    OK(ComparePCs(B, pc, fresh, &d));
    EXPECT_EQ(d, 0) << type;
    EXPECT_EQ(EventCount("FGFactor"), factors + 2); // applications do not factor again
  }
}

TEST(Refresh, AnotherPatternAndAnotherSizeAreAnalyzedAgain)
{
  Owned<Mat> A, B, C;
  Owned<PC> pc, fresh;
  PetscReal d;
  OK(AssembleMatrix(star(5, 4, 3), 3, MATBAIJ, 1, &A));
  OK(AssembleMatrix(box(5, 4, 3), 3, MATBAIJ, 1, &B));
  OK(AssembleMatrix(box(3, 3, 3), 5, MATAIJ, 1, &C));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_precision single", &pc));
  OK(PCSetUp(pc));
  for (Mat M : {B.get(), C.get(), A.get()}) {
    OK(PCSetOperators(pc, M, M));
    OK(MakePC(M, PCFGBILU, "-pc_fgbilu_precision single", &fresh));
    OK(ComparePCs(M, pc, fresh, &d));
    EXPECT_EQ(d, 0);
    OK(PCReset(pc)); // settings survive
  }
}

TEST(Failure, SingularBlockFailsEverywhereAndTheNextGoodMatrixWorks)
{
  for (const char *kind : {"singular", "nan", "inf"})
    for (const PetscInt n : {1, 4}) {
      Owned<Mat> A, good;
      Owned<KSP> ksp;
      PC pc;
      Owned<Vec> b, x;
      KSPConvergedReason reason;
      PCFailedReason failed;
      PetscInt first, last;
      const Couplings c = star(5, 4, 3);
      const PetscInt bad = 47;
      OK(AssembleMatrix(c, n, MATBAIJ, 1, &good));
      OK(MatDuplicate(good, MAT_COPY_VALUES, &A));
      if (std::string(kind) == "singular") {
        OK(MakeSingular(A, bad, n));
      } else {
        OK(MatGetOwnershipRange(A, &first, &last));
        const PetscReal value = std::string(kind) == "nan" ? PetscReal(std::nan("")) : PetscReal(HUGE_VAL);
        if (bad * n >= first && bad * n < last) {
          OK(MatSetValue(A, bad * n, bad * n, value, INSERT_VALUES));
        }
        OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
        OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
      }
      OK(MakeVectors(A, &b, &x));
      OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
      OK(KSPGetPC(ksp, &pc));
      OK(PCSetType(pc, PCFGBILU));
      for (const char *type : {KSPGMRES, KSPRICHARDSON, KSPBCGS, KSPPREONLY}) {
        OK(KSPSetType(ksp, type));
        OK(KSPSetOperators(ksp, A, A));
        OK(KSPSolve(ksp, b, x));
        OK(KSPGetConvergedReason(ksp, &reason));
        EXPECT_LT(reason, 0) << type << ", " << kind;
        OK(PCGetFailedReason(pc, &failed));
        EXPECT_EQ(failed, PC_FACTOR_NUMERIC_ZEROPIVOT) << type << ", " << kind;
        OK(KSPSetOperators(ksp, good, good));
        OK(KSPSolve(ksp, b, x));
        OK(KSPGetConvergedReason(ksp, &reason));
        EXPECT_GT(reason, 0) << type << ", " << kind;
        OK(PCGetFailedReason(pc, &failed));
        EXPECT_EQ(failed, PC_NOERROR);
      }
    }
}

TEST(Failure, IsAnErrorThatNamesRowAndRemedyWhereTheUserWantsOne)
{
  Owned<Mat> A;
  Owned<KSP> ksp;
  PC pc;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJ, 1, &A));
  OK(MakeSingular(A, 31, 2));
  OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
  OK(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
  OK(KSPGetPC(ksp, &pc));
  OK(PCSetType(pc, PCFGBILU));
  OK(KSPSetOperators(ksp, A, A));
  const std::string text = ExpectError([&] { return KSPSetUp(ksp); });
  EXPECT_NE(text.find("block row 31"), std::string::npos) << text;
  EXPECT_NE(text.find("-pc_fgbilu_shift_type inblocks"), std::string::npos) << text;
  // Events are counted after an error as before.
  const int factors = EventCount("FGFactor"), analyses = EventCount("FGAnalyze");
  OK(PCFinegrainSetGrid(pc, 1, std::array<PetscInt, 3>{1, 1, 100}.data())); // fits nothing
  (void)ExpectError([&] { return KSPSetUp(ksp); });
  OK(PCFinegrainSetGrid(pc, 0, nullptr));
  OK(MatShift(A, 100));
  OK(KSPSetUp(ksp));
  EXPECT_EQ(EventCount("FGFactor"), factors + 1);
  EXPECT_EQ(EventCount("FGAnalyze"), analyses + 2);
}

TEST(Shift, InblocksReplacesPivotsAndSaysHowMany)
{
  Owned<Mat> A;
  Owned<PC> pc;
  Owned<Vec> b, x;
  std::string text;
  PetscReal norm;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJ, 1, &A));
  OK(MakeSingular(A, 31, 2));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_shift_type inblocks -pc_fgbilu_shift_amount 0.5", &pc));
  OK(MakeVectors(A, &b, &x));
  OK(Apply(pc, b, x));
  OK(VecNorm(x, NORM_2, &norm));
  EXPECT_TRUE(std::isfinite(norm));
  OK(ViewText(pc, &text));
  EXPECT_NE(text.find("shift inblocks, amount 0.5: 1 block rows shifted"), std::string::npos) << text;
}

TEST(Settings, OptionsReachGettersAndTheView)
{
  Owned<Mat> A;
  Owned<PC> pc;
  PCFinegrainScheduleType schedule;
  PCFinegrainExecutorType executor;
  PCFinegrainPrecisionType precision;
  PCFinegrainDiagonalPrecisionType diagonal;
  PCFGBILUFactorType factor;
  MatFactorShiftType shift;
  PetscReal amount;
  PetscInt n, grids;
  const PetscInt *ijk;
  std::string text;
  OK(AssembleMatrix(box(4, 4, 2), 2, MATAIJ, 1, &A));
  OK(MakePC(
    A, PCFGBILU,
    "-pc_fgbilu_schedule level -pc_fgbilu_executor launch -pc_fgbilu_precision single -pc_fgbilu_diag_precision "
    "storage "
    "-pc_fgbilu_factor dilu -pc_fgbilu_shift_type inblocks -pc_fgbilu_shift_amount 1e-3 -pc_fgbilu_grid 1,2,3,4,5,6 "
    "-pc_fgbilu_block_size 1",
    &pc));
  OK(PCFinegrainGetSchedule(pc, &schedule));
  OK(PCFinegrainGetExecutor(pc, &executor));
  OK(PCFinegrainGetPrecision(pc, &precision));
  OK(PCFinegrainGetDiagonalPrecision(pc, &diagonal));
  OK(PCFGBILUGetFactor(pc, &factor));
  OK(PCFinegrainGetShift(pc, &shift, &amount));
  OK(PCFinegrainGetGrid(pc, &grids, &ijk));
  OK(PCFinegrainGetBlockSize(pc, &n));
  EXPECT_EQ(schedule, PC_FINEGRAIN_SCHEDULE_LEVEL);
  EXPECT_EQ(executor, PC_FINEGRAIN_EXECUTOR_LAUNCH);
  EXPECT_EQ(precision, PC_FINEGRAIN_PRECISION_SINGLE);
  EXPECT_EQ(diagonal, PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE);
  EXPECT_EQ(factor, PCFGBILU_FACTOR_DILU);
  EXPECT_EQ(shift, MAT_SHIFT_INBLOCKS);
  EXPECT_EQ(amount, PetscReal(1e-3));
  ASSERT_EQ(grids, 2);
  EXPECT_EQ(ijk[5], 6);
  EXPECT_EQ(n, 1);
  OK(ViewText(pc, &text));
  EXPECT_NE(text.find("not set up"), std::string::npos) << text;
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  for (const char *part : {"block DILU", "schedule: level", "executor: launch", "blocks of 1, single precision",
                           "inverted diagonal blocks single", "shift inblocks"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  // Changed settings act at the next set-up.
  OK(PCFinegrainSetBlockSize(pc, 2));
  OK(PCFGBILUSetFactor(pc, PCFGBILU_FACTOR_ILU0));
  OK(PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_WORKING));
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  for (const char *part : {"block ILU(0)", "blocks of 2, working precision"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(Settings, ViewNamesTheExecutorItsReasonAndItsTasks)
{
  Owned<DM> da;
  Owned<Mat> A;
  Owned<PC> pc;
  PetscInt i, j, k;
  std::string text;
  OK(MakeGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 1, &da));
  OK(AssembleOnGrid(da, MATBAIJ, &A));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_tile 4,3,2", &pc));
  OK(PCFinegrainGetTile(pc, &i, &j, &k));
  EXPECT_EQ(i, 4);
  EXPECT_EQ(j, 3);
  EXPECT_EQ(k, 2);
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  for (const char *part : {"executor: tile (a shape of tiles is given)", "kernel launches per application: 2",
                           "tasks: at most", "one after the other", "tile: 4 x 3 x 2 points"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  OK(PCFinegrainSetTile(pc, 0, 0, 0));
  OK(PCFinegrainSetExecutor(pc, PC_FINEGRAIN_EXECUTOR_SELF));
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  EXPECT_NE(text.find("executor: self (as asked for)"), std::string::npos) << text;
}

TEST(Settings, DoNothingForOtherTypesAndGettersSaySo)
{
  Owned<Mat> A;
  Owned<PC> pc;
  PCFinegrainScheduleType schedule;
  OK(AssembleMatrix(star(3, 3, 3), 1, MATAIJ, 1, &A));
  OK(MakePC(A, PCFGBILU, "", &pc));
  OK(PCSetUp(pc));
  OK(PCSetType(pc, PCJACOBI)); // destroys ours without a reset
  OK(PCSetUp(pc));
  OK(PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_LEVEL));
  OK(PCFGBILUSetFactor(pc, PCFGBILU_FACTOR_DILU));
  EXPECT_NE(ExpectError([&] { return PCFinegrainGetSchedule(pc, &schedule); }).find("jacobi"), std::string::npos);
  OK(PCSetType(pc, PCFGBILU));
  OK(PCSetUp(pc));
}

} // namespace
