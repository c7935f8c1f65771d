// Wrong input for PCPOWERQILU: errors on all ranks that name option, object and remedy, and failed set-ups.
#include "powerqilu.hpp"

#include <cmath>

using namespace finegrain::test;
using namespace finegrain::test::powerqilu;

namespace
{

// Sets up a preconditioner for A, which must fail; every word must be in the message.
void ExpectRefusal(Mat A, const std::string &options, const std::vector<std::string> &words)
{
  SCOPED_TRACE(options);
  Owned<PC> pc;
  OK(MakePC(A, PCPOWERQILU, options, &pc));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), words);
}

TEST(PowerqiluErrors, Options)
{
  const std::vector<std::pair<std::string, std::vector<std::string>>> wrong = {
    {"-pc_powerqilu_levels -1", {"-pc_powerqilu_levels is -1", "0 or more"}},
    {"-pc_powerqilu_power -2", {"-pc_powerqilu_power is -2", "0 or more"}},
    {"-pc_powerqilu_drop before", {"-pc_powerqilu_drop", "before"}},
    {"-pc_powerqilu_schedule rows", {"-pc_powerqilu_schedule", "rows"}},
    {"-pc_powerqilu_coloring id", {"-pc_powerqilu_coloring", "id"}},
    {"-pc_powerqilu_precision double", {"-pc_powerqilu_precision", "double"}},
    {"-pc_powerqilu_executor shuffle", {"-pc_powerqilu_executor", "shuffle"}},
    {"-pc_powerqilu_corrections -1", {"-pc_powerqilu_corrections is -1", "0 or more"}},
    {"-pc_powerqilu_block_size 64", {"-pc_powerqilu_block_size", "64", "32"}},
    {"-pc_powerqilu_grid 3,3", {"-pc_powerqilu_grid", "I,J,K"}}};
  Owned<Mat> A;
  OK(AssembleMatrix(star(3, 3, 3), 2, MATAIJ, 1, &A));
  for (const auto &[options, words] : wrong) {
    SCOPED_TRACE(options);
    Owned<PC> pc;
    ExpectIn(ExpectError([&, &o = options] { return MakePC(A, PCPOWERQILU, o, &pc); }), words);
  }
}

TEST(PowerqiluErrors, OptionsThatDoNotFit)
{
  Owned<Mat> A;
  OK(AssembleMatrix(scattered(40, 3, true), 2, MATBAIJ, 1, &A));
  const std::vector<std::pair<std::string, std::vector<std::string>>> wrong = {
    {"-pc_powerqilu_schedule hyperplane",
     {"-pc_powerqilu_schedule is hyperplane, which -pc_type powerqilu does not have; it has auto, color, level"}},
    {"-pc_powerqilu_precision half", {"-pc_powerqilu_precision is half", "it has working, single"}},
    {"-pc_powerqilu_precision bfloat16", {"-pc_powerqilu_precision is bfloat16", "it has working, single"}},
    {"-pc_powerqilu_coloring redblack",
     {"-pc_powerqilu_coloring redblack does not fit", "no grid", "-pc_powerqilu_coloring greedy"}}};
  for (const auto &[options, words] : wrong) ExpectRefusal(A, options, words);
  const std::vector<std::pair<std::function<PetscErrorCode(PC)>, std::vector<std::string>>> setters = {
    {[](PC pc) { return PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_HYPERPLANE); },
     {"-pc_powerqilu_schedule is hyperplane"}},
    {[](PC pc) { return PCFinegrainSetTile(pc, 2, 2, 2); }, {"-pc_powerqilu", "tile"}}};
  for (const auto &[set, words] : setters) {
    Owned<PC> pc;
    OK(MakePC(A, PCPOWERQILU, "", &pc));
    OK(set(pc));
    ExpectIn(ExpectError([&] { return PCSetUp(pc); }), words);
  }
}

TEST(PowerqiluErrors, GridsThatRedAndBlackDoNotFit)
{
  Owned<DM> da;
  Owned<Mat> A;
  std::string text;
  OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 1, &da));
  OK(AssembleOnGrid(da, MATBAIJ, &A));
  text = ViewOf(A, "-pc_powerqilu_coloring redblack");
  ExpectIn(text, {"coloring: redblack, 2 colors of |A|^1\n", "schedule: color, 2 groups"});
  text = ViewOf(A, "-pc_powerqilu_coloring redblack -pc_powerqilu_levels 1 -pc_powerqilu_power 1");
  ExpectIn(text, {"coloring: redblack, 2 colors of |A|^1\n"});
  for (const char *options : {"-pc_powerqilu_coloring redblack -pc_powerqilu_power 2",
                              "-pc_powerqilu_coloring redblack -pc_powerqilu_levels 1"})
    ExpectRefusal(A, options,
                  {"-pc_powerqilu_coloring redblack does not fit", "points of the same parity are coupled",
                   "-pc_powerqilu_power", "-pc_powerqilu_coloring greedy"});
  ExpectRefusal(A, "-pc_powerqilu_coloring redblack -pc_powerqilu_ordering rcm",
                {"-pc_powerqilu_coloring redblack does not fit", "-pc_powerqilu_coloring greedy"});
  OK(AssembleMatrix(star(6, 5, 4), 1, MATAIJ, 1, &A));
  ExpectRefusal(A, "-pc_powerqilu_grid 70,30,40", {"-pc_powerqilu_grid", "70,30,40", "block rows of this rank"});
  ExpectRefusal(A, "-pc_powerqilu_coloring redblack -pc_powerqilu_grid 7,3,4",
                {"-pc_powerqilu_coloring redblack", "7,3,4"});
}

TEST(PowerqiluErrors, Matrices)
{
  for (const std::string options : {"", "-pc_powerqilu_levels 2", "-pc_powerqilu_schedule level"}) {
    Owned<Mat> A;
    OK(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 12, 12, nullptr, &A));
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    ExpectRefusal(A, options, {"dense", "AIJ, BAIJ or SBAIJ"});
    for (const PetscInt n : {1, 3}) {
      Couplings c = star(4, 3, 3);
      c[29].erase(29);
      OK(AssembleMatrix(c, n, MATAIJ, 1, &A));
      ExpectRefusal(A, options, {"Block row 29", "no diagonal block", "MatSetValues"});
    }
    OK(AssembleMatrix(star(4, 3, 3), 2, MATAIJ, 1, &A));
    ExpectRefusal(A, options + " -pc_powerqilu_block_size 5",
                  {"Block size 5 does not divide", "-pc_powerqilu_block_size"});
  }
}

TEST(PowerqiluErrors, LeaveThePreconditionerUsable)
{
  Owned<Mat> A;
  Owned<PC> pc, fresh;
  PetscReal d;
  PetscInt levels;
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
  OK(MakePC(A, PCPOWERQILU, "-pc_powerqilu_levels 1 -pc_powerqilu_schedule hyperplane", &pc));
  ExpectError([&] { return PCSetUp(pc); });
  ExpectError([&] { return PCPOWERQILUSetLevels(pc, -1); });
  ExpectError([&] { return PCPOWERQILUSetPower(pc, -1); });
  OK(PCPOWERQILUGetLevels(pc, &levels));
  EXPECT_EQ(levels, 1);
  OK(PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_COLOR));
  OK(MakePC(A, PCPOWERQILU, "-pc_powerqilu_levels 1", &fresh));
  OK(ComparePCs(A, pc, fresh, &d));
  EXPECT_EQ(d, 0);
  OK(PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_REDBLACK));
  ExpectError([&] { return PCSetUp(pc); });
  OK(PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_GREEDY));
  OK(ComparePCs(A, pc, fresh, &d));
  EXPECT_EQ(d, 0);
}

// More levels and a higher power than there are rows: all of L and U, and one row per color.
TEST(PowerqiluErrors, ManyLevelsAreAWholeFactorization)
{
  Owned<Mat> A;
  Owned<PC> lu;
  PetscReal d;
  OK(AssembleMatrix(star(4, 3, 2), 2, MATAIJ, 1, &A, 24, PETSC_COMM_SELF));
  OK(MakePC(A, PCLU, "", &lu));
  for (const std::string options :
       {"-pc_powerqilu_levels 1000", "-pc_powerqilu_levels 2147483647", "-pc_powerqilu_levels 2147483646",
        "-pc_powerqilu_levels 2147483647 -pc_powerqilu_power 2147483647",
        "-pc_powerqilu_levels 2147483647 -pc_powerqilu_schedule level",
        "-pc_powerqilu_levels 30 -pc_powerqilu_power 1 -pc_powerqilu_drop none"}) {
    Owned<PC> pc;
    OK(MakePC(A, PCPOWERQILU, options, &pc));
    OK(ComparePCs(A, pc, lu, &d));
    EXPECT_LT(d, tolerance) << options;
  }
}

// A block row on the last rank is bad: every rank says so, and the next good set-up works.
TEST(PowerqiluErrors, SingularBlocksFailEverywhereAndTheNextGoodMatrixWorks)
{
  for (const std::string kind : {"singular", "nan", "inf"})
    for (const std::string options :
         {"", "-pc_powerqilu_levels 2", "-pc_powerqilu_levels 2 -pc_powerqilu_power 1 -pc_powerqilu_drop after",
          "-pc_powerqilu_levels 1 -pc_powerqilu_schedule level -pc_powerqilu_precision single"})
      for (const PetscInt n : {1, 4}) {
        SCOPED_TRACE(kind + options);
        Owned<Mat> A, good;
        Owned<KSP> ksp;
        PC pc;
        Owned<Vec> b, x;
        KSPConvergedReason reason;
        PCFailedReason failed;
        PetscInt first, last;
        const PetscInt bad = 47;
        OK(AssembleMatrix(star(5, 4, 3), n, MATBAIJ, 1, &good));
        OK(MatDuplicate(good, MAT_COPY_VALUES, &A));
        if (kind == "singular") {
          OK(MakeSingular(A, bad, n));
        } else {
          OK(MatGetOwnershipRange(A, &first, &last));
          const PetscReal value = kind == "nan" ? PetscReal(std::nan("")) : PetscReal(HUGE_VAL);
          if (bad * n >= first && bad * n < last) {
            OK(MatSetValue(A, bad * n, bad * n, value, INSERT_VALUES));
          }
          OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
          OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
        }
        OK(MakeVectors(A, &b, &x));
        OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
        OK(KSPGetPC(ksp, &pc));
        OK(PCSetType(pc, PCPOWERQILU));
        const Options set(options);
        OK(PCSetFromOptions(pc));
        for (const char *type : {KSPGMRES, KSPPREONLY, KSPREFINE}) {
          OK(KSPSetType(ksp, type));
          OK(KSPSetOperators(ksp, A, A));
          OK(KSPSolve(ksp, b, x));
          OK(KSPGetConvergedReason(ksp, &reason));
          EXPECT_EQ(reason, KSP_DIVERGED_PC_FAILED) << type;
          OK(PCGetFailedReason(pc, &failed));
          EXPECT_EQ(failed, PC_FACTOR_NUMERIC_ZEROPIVOT) << type;
          OK(KSPSetOperators(ksp, good, good));
          OK(KSPSolve(ksp, b, x));
          OK(KSPGetConvergedReason(ksp, &reason));
          EXPECT_GT(reason, 0) << type;
          OK(PCGetFailedReason(pc, &failed));
          EXPECT_EQ(failed, PC_NOERROR);
        }
        // An error where the user wants one, with what to do.
        OK(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
        OK(KSPSetOperators(ksp, A, A));
        // The row is not one of those that are eliminated with it later.
        ExpectIn(ExpectError([&] { return KSPSetUp(ksp); }), {"block row 47;", "-pc_powerqilu_shift_type inblocks"});
      }
}

TEST(PowerqiluErrors, ShiftReplacesPivotsAndSaysHowMany)
{
  for (const std::string options : {"", " -pc_powerqilu_levels 2 -pc_powerqilu_power 1"}) {
    Owned<Mat> A;
    Owned<PC> pc;
    Owned<Vec> b, x;
    std::string text;
    PetscReal norm;
    OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJ, 1, &A));
    OK(MakeSingular(A, 31, 2));
    OK(MakePC(A, PCPOWERQILU, "-pc_powerqilu_shift_type inblocks -pc_powerqilu_shift_amount 0.5" + options, &pc));
    OK(MakeVectors(A, &b, &x));
    OK(Apply(pc, b, x));
    OK(VecNorm(x, NORM_2, &norm));
    EXPECT_TRUE(std::isfinite(norm));
    OK(ViewText(pc, &text));
    ExpectIn(text, {"shift inblocks, amount 0.5: 1 block rows shifted"});
  }
}

} // namespace
