// Life cycle and settings of PCPOWERQILU.
#include "powerqilu.hpp"

using namespace finegrain::test;
using namespace finegrain::test::powerqilu;

namespace
{

// What sets factorizations apart.
const std::vector<std::string> kinds = {
  "",
  "-pc_powerqilu_levels 2",
  "-pc_powerqilu_levels 2 -pc_powerqilu_power 1",
  "-pc_powerqilu_levels 2 -pc_powerqilu_power 1 -pc_powerqilu_drop after",
  "-pc_powerqilu_levels 2 -pc_powerqilu_power 1 -pc_powerqilu_drop none",
  "-pc_powerqilu_levels 1 -pc_powerqilu_schedule level -pc_powerqilu_ordering rcm",
  "-pc_powerqilu_levels 1 -pc_powerqilu_precision single",
  "-pc_powerqilu_levels 1 -pc_powerqilu_corrections 1"};

TEST(PowerqiluLife, RefreshRepeatsNoAnalysisAndEqualsANewSetUp)
{
  for (const char *type : {MATBAIJ, MATAIJ})
    for (const std::string &options : kinds) {
      SCOPED_TRACE(type + options);
      Owned<Mat> A, B;
      Owned<PC> pc, fresh, old;
      PetscReal d;
      OK(AssembleMatrix(star(5, 4, 3), 4, type, 1, &A));
      OK(AssembleMatrix(star(5, 4, 3), 4, type, 2, &B));
      OK(MakePC(A, PCPOWERQILU, options, &pc));
      OK(PCSetUp(pc));
      const int analyses = EventCount("FGAnalyze"), factors = EventCount("FGFactor");
      OK(PCSetUp(pc)); // nothing changed
      EXPECT_EQ(EventCount("FGFactor"), factors);
      OK(MakePC(A, PCPOWERQILU, options, &old));
      OK(PCSetUp(old));
      OK(PCSetReusePreconditioner(old, PETSC_TRUE));
      OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
      OK(PCSetUp(pc));
      EXPECT_EQ(EventCount("FGAnalyze"), analyses + 1); // that of the other PC
      EXPECT_EQ(EventCount("FGFactor"), factors + 2);
      OK(MakePC(B, PCPOWERQILU, options, &fresh));
      OK(ComparePCs(B, pc, fresh, &d));
      EXPECT_EQ(d, 0);
      EXPECT_EQ(EventCount("FGFactor"), factors + 3); // applications do not factor again
      OK(ComparePCs(B, old, fresh, &d));
      EXPECT_GT(d, 0);
    }
}

TEST(PowerqiluLife, AnotherPatternAndAnotherSizeAreAnalyzedAgain)
{
  Owned<Mat> A, B, C;
  PetscReal d;
  OK(AssembleMatrix(star(5, 4, 3), 3, MATBAIJ, 1, &A));
  OK(AssembleMatrix(box(5, 4, 3), 3, MATBAIJ, 1, &B));
  OK(AssembleMatrix(scattered(31, 3, false), 5, MATAIJ, 1, &C));
  for (const bool reset : {true, false})
    for (const std::string &options : kinds) {
      Owned<PC> pc, fresh;
      OK(MakePC(A, PCPOWERQILU, options, &pc));
      OK(PCSetUp(pc));
      for (Mat M : {B.get(), C.get(), A.get()}) {
        if (!reset && M != B) continue; // PETSc wants a reset for another size
        OK(PCSetOperators(pc, M, M));
        OK(MakePC(M, PCPOWERQILU, options, &fresh));
        OK(ComparePCs(M, pc, fresh, &d));
        EXPECT_EQ(d, 0) << options;
        if (reset) {
          OK(PCReset(pc)); // settings survive
        }
      }
    }
}

// New couplings in the same matrix.
TEST(PowerqiluLife, NewEntriesAreAnalyzed)
{
  for (const std::string &options : kinds) {
    Owned<Mat> A;
    Owned<PC> pc, fresh;
    PetscInt first, last;
    PetscReal d;
    OK(AssembleMatrix(star(6, 5, 4), 2, MATAIJ, 1, &A));
    OK(MakePC(A, PCPOWERQILU, options, &pc));
    OK(PCSetUp(pc));
    OK(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    OK(MatGetOwnershipRange(A, &first, &last));
    if (last - first > 8) { // rows of one color
      OK(MatSetValue(A, first, first + 4, 0.5, INSERT_VALUES));
      OK(MatSetValue(A, first + 8, first + 1, 0.5, INSERT_VALUES));
    }
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    const int analyses = EventCount("FGAnalyze");
    OK(PCSetUp(pc));
    EXPECT_EQ(EventCount("FGAnalyze"), analyses + 1);
    OK(MakePC(A, PCPOWERQILU, options, &fresh));
    OK(ComparePCs(A, pc, fresh, &d));
    EXPECT_EQ(d, 0) << options;
  }
}

// Each option, changed between set-ups, gives what a PC made with it gives, and not what there was before.
TEST(PowerqiluLife, ChangedSettingsActAtTheNextSetUp)
{
  struct Change {
    std::function<PetscErrorCode(PC)> set;
    std::string options;
    bool differs = true;
  };
  const std::vector<Change> changes = {
    {[](PC pc) { return PCPOWERQILUSetLevels(pc, 0); }, "-pc_powerqilu_levels 0"},
    {[](PC pc) { return PCPOWERQILUSetLevels(pc, 3); }, "-pc_powerqilu_levels 3"},
    {[](PC pc) { return PCPOWERQILUSetPower(pc, 2); }, "-pc_powerqilu_power 2"},
    {[](PC pc) { return PCPOWERQILUSetPower(pc, 0); }, "-pc_powerqilu_power 0"},
    {[](PC pc) { return PCPOWERQILUSetDrop(pc, PCPOWERQILU_DROP_AFTER); }, "-pc_powerqilu_drop after"},
    {[](PC pc) { return PCPOWERQILUSetDrop(pc, PCPOWERQILU_DROP_NONE); }, "-pc_powerqilu_drop none"},
    {[](PC pc) { return PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_LEVEL); }, "-pc_powerqilu_schedule level"},
    {[](PC pc) { return PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_COLOR); }, "-pc_powerqilu_schedule color",
     false},
    {[](PC pc) { return PCFinegrainSetOrdering(pc, MATORDERINGRCM); }, "-pc_powerqilu_ordering rcm"},
    {[](PC pc) { return PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_JP); }, "-pc_powerqilu_coloring jp"},
    {[](PC pc) { return PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_LF); }, "-pc_powerqilu_coloring lf"},
    {[](PC pc) { return PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_SL); }, "-pc_powerqilu_coloring sl"},
    {[](PC pc) { return PCFinegrainSetColoringBalance(pc, PETSC_TRUE); }, "-pc_powerqilu_coloring_balance"},
    {[](PC pc) { return PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_SINGLE); },
     "-pc_powerqilu_precision single", sizeof(PetscReal) != 4},
    {[](PC pc) { return PCFinegrainSetBlockSize(pc, 1); }, "-pc_powerqilu_block_size 1"},
    {[](PC pc) { return PCFinegrainSetCorrections(pc, 1); }, "-pc_powerqilu_corrections 1"},
    {[](PC pc) { return PCFinegrainSetExecutor(pc, PC_FINEGRAIN_EXECUTOR_SELF); }, "-pc_powerqilu_executor self",
     false}};
  Owned<Mat> A;
  const std::string base = "-pc_powerqilu_levels 2 -pc_powerqilu_power 1 ";
  OK(AssembleMatrix(scattered(200, 3, false), 2, MATAIJ, 1, &A));
  for (const Change &change : changes) {
    Owned<PC> pc, fresh, before;
    PetscReal d;
    OK(MakePC(A, PCPOWERQILU, base, &pc));
    OK(MakePC(A, PCPOWERQILU, base, &before));
    OK(PCSetUp(pc));
    OK(change.set(pc));
    OK(MakePC(A, PCPOWERQILU, base + change.options, &fresh));
    const int analyses = EventCount("FGAnalyze");
    OK(PCSetUp(pc));
    EXPECT_LE(EventCount("FGAnalyze"), analyses + 1);
    OK(ComparePCs(A, pc, fresh, &d));
    EXPECT_EQ(d, 0) << change.options;
    OK(ComparePCs(A, pc, before, &d));
    EXPECT_EQ(d > 0, change.differs) << change.options;
    // A value that is there already changes nothing.
    const int again = EventCount("FGAnalyze");
    OK(change.set(pc));
    OK(PCSetUp(pc));
    EXPECT_EQ(EventCount("FGAnalyze"), again) << change.options;
  }
}

TEST(PowerqiluLife, OptionsReachGetters)
{
  Owned<Mat> A;
  Owned<PC> pc;
  PetscInt levels, power, n, k;
  PCPOWERQILUDropType drop;
  PetscBool balance;
  PCFinegrainColoringType coloring;
  PCFinegrainScheduleType schedule;
  PCFinegrainPrecisionType precision;
  MatOrderingType ordering;
  const auto get = [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(PCPOWERQILUGetLevels(pc, &levels));
    PetscCall(PCPOWERQILUGetPower(pc, &power));
    PetscCall(PCPOWERQILUGetDrop(pc, &drop));
    PetscCall(PCFinegrainGetColoring(pc, &coloring));
    PetscCall(PCFinegrainGetColoringBalance(pc, &balance));
    PetscCall(PCFinegrainGetSchedule(pc, &schedule));
    PetscCall(PCFinegrainGetOrdering(pc, &ordering));
    PetscCall(PCFinegrainGetPrecision(pc, &precision));
    PetscCall(PCFinegrainGetBlockSize(pc, &n));
    PetscCall(PCFinegrainGetCorrections(pc, &k));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  OK(AssembleMatrix(box(4, 4, 2), 2, MATAIJ, 1, &A));
  OK(MakePC(A, PCPOWERQILU, "-other_pc_powerqilu_levels 3 -pc_fgbilu_precision single", &pc)); // neither is for it
  OK(get());
  EXPECT_EQ(levels, 0);
  EXPECT_EQ(power, 0);
  EXPECT_EQ(drop, PCPOWERQILU_DROP_DURING);
  EXPECT_EQ(coloring, PC_FINEGRAIN_COLORING_AUTO);
  EXPECT_EQ(balance, PETSC_FALSE);
  EXPECT_EQ(schedule, PC_FINEGRAIN_SCHEDULE_AUTO);
  EXPECT_STREQ(ordering, MATORDERINGNATURAL);
  EXPECT_EQ(precision, PC_FINEGRAIN_PRECISION_WORKING);
  OK(PCSetOptionsPrefix(pc, "other_"));
  const Options set("-other_pc_powerqilu_levels 4 -other_pc_powerqilu_power 3 -other_pc_powerqilu_drop after "
                    "-other_pc_powerqilu_coloring sl -other_pc_powerqilu_coloring_balance "
                    "-other_pc_powerqilu_schedule level -other_pc_powerqilu_ordering rcm "
                    "-other_pc_powerqilu_precision single -other_pc_powerqilu_block_size 1 "
                    "-other_pc_powerqilu_corrections 2 -pc_powerqilu_levels 1");
  OK(PCSetFromOptions(pc));
  for (const bool reset : {false, true}) {
    if (reset) {
      OK(PCSetUp(pc));
      OK(PCReset(pc));
    }
    OK(get());
    EXPECT_EQ(levels, 4);
    EXPECT_EQ(power, 3);
    EXPECT_EQ(drop, PCPOWERQILU_DROP_AFTER);
    EXPECT_EQ(coloring, PC_FINEGRAIN_COLORING_SL);
    EXPECT_EQ(balance, PETSC_TRUE);
    EXPECT_EQ(schedule, PC_FINEGRAIN_SCHEDULE_LEVEL);
    EXPECT_STREQ(ordering, MATORDERINGRCM);
    EXPECT_EQ(precision, PC_FINEGRAIN_PRECISION_SINGLE);
    EXPECT_EQ(n, 1);
    EXPECT_EQ(k, 2);
  }
}

// Other types ignore setters, and their getters are an error that names them.
TEST(PowerqiluLife, SettingsOfOtherTypes)
{
  Owned<Mat> A;
  Owned<PC> pc;
  PetscInt value;
  PCPOWERQILUDropType drop;
  PCFinegrainColoringType coloring;
  PetscBool balance;
  PetscReal d;
  OK(AssembleMatrix(box(4, 4, 2), 2, MATAIJ, 1, &A));
  OK(MakePC(A, PCPOWERQILU, "", &pc));
  OK(PCSetUp(pc));
  for (const char *type : {PCFGBILU, PCMCPI, PCJACOBI}) {
    Owned<PC> plain;
    OK(PCSetType(pc, type));
    OK(PCPOWERQILUSetLevels(pc, 2));
    OK(PCPOWERQILUSetPower(pc, 2));
    OK(PCPOWERQILUSetDrop(pc, PCPOWERQILU_DROP_NONE));
    OK(MakePC(A, type, "", &plain));
    OK(ComparePCs(A, pc, plain, &d));
    EXPECT_EQ(d, 0) << type;
    ExpectIn(ExpectError([&] { return PCPOWERQILUGetLevels(pc, &value); }), {type});
    ExpectIn(ExpectError([&] { return PCPOWERQILUGetPower(pc, &value); }), {type});
    ExpectIn(ExpectError([&] { return PCPOWERQILUGetDrop(pc, &drop); }), {type});
    if (type != std::string(PCMCPI)) {
      OK(PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_SL));
      OK(PCFinegrainSetColoringBalance(pc, PETSC_TRUE));
      ExpectIn(ExpectError([&] { return PCFinegrainGetColoring(pc, &coloring); }), {type});
      ExpectIn(ExpectError([&] { return PCFinegrainGetColoringBalance(pc, &balance); }), {type});
    }
  }
  OK(PCSetType(pc, PCPOWERQILU));
  OK(PCMCPISetIterations(pc, 2)); // and settings of another type
  ExpectIn(ExpectError([&] { return PCMCPIGetIterations(pc, &value); }), {PCPOWERQILU, PCMCPI});
  OK(PCPOWERQILUGetLevels(pc, &value));
  EXPECT_EQ(value, 0); // a type begins anew
}

} // namespace
