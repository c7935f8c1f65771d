// SPDX-License-Identifier: BSD-2-Clause
// PCPOWERQILU's own settings: getters, changes, and calls for other types. test_types_*.cpp test what all types have
// in common.
#include "types.hpp"

using namespace finegrain::test;

namespace
{

TEST(PowerqiluLife, ChangedSettingsActAtTheNextSetUp)
{
  Owned<Mat> A;
  OK(AssembleMatrix(scattered(200, 3, false), 2, MATAIJ, 1, &A));
  ExpectChangesToAct(A, PCPOWERQILU, "-@_levels 1 -@_schedule level",
                     {{[](PC pc) { return PCPOWERQILUSetDropBand(pc, 2); }, "-@_drop_band 2"},
                      {[](PC pc) { return PCPOWERQILUSetDropBand(pc, 50); }, "-@_drop_band 50"}});
  ExpectChangesToAct(
    A, PCPOWERQILU, "-@_levels 2 -@_power 1",
    {{[](PC pc) { return PCPOWERQILUSetLevels(pc, 0); }, "-@_levels 0"},
     {[](PC pc) { return PCPOWERQILUSetLevels(pc, 3); }, "-@_levels 3"},
     {[](PC pc) { return PCPOWERQILUSetPower(pc, 2); }, "-@_power 2"},
     {[](PC pc) { return PCPOWERQILUSetPower(pc, 0); }, "-@_power 0"},
     {[](PC pc) { return PCPOWERQILUSetDrop(pc, PCPOWERQILU_DROP_AFTER); }, "-@_drop after"},
     {[](PC pc) { return PCPOWERQILUSetDrop(pc, PCPOWERQILU_DROP_NONE); }, "-@_drop none"},
     {[](PC pc) { return PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_LEVEL); }, "-@_schedule level"},
     {[](PC pc) { return PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_COLOR); }, "-@_schedule color", false},
     {[](PC pc) { return PCFinegrainSetOrdering(pc, MATORDERINGRCM); }, "-@_ordering rcm"},
     {[](PC pc) { return PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_JP); }, "-@_coloring jp"},
     {[](PC pc) { return PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_LF); }, "-@_coloring lf"},
     {[](PC pc) { return PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_SL); }, "-@_coloring sl"},
     {[](PC pc) { return PCFinegrainSetColoringBalance(pc, PETSC_TRUE); }, "-@_coloring_balance"}});
}

TEST(PowerqiluLife, OptionsReachGetters)
{
  Owned<Mat> A;
  Owned<PC> pc;
  PetscInt levels, power, radius;
  PCPOWERQILUDropType drop;
  PetscBool balance;
  PCFinegrainColoringType coloring;
  PCFinegrainScheduleType schedule;
  MatOrderingType ordering;
  const auto get = [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(PCPOWERQILUGetLevels(pc, &levels));
    PetscCall(PCPOWERQILUGetPower(pc, &power));
    PetscCall(PCPOWERQILUGetDrop(pc, &drop));
    PetscCall(PCPOWERQILUGetDropBand(pc, &radius));
    PetscCall(PCFinegrainGetColoring(pc, &coloring));
    PetscCall(PCFinegrainGetColoringBalance(pc, &balance));
    PetscCall(PCFinegrainGetSchedule(pc, &schedule));
    PetscCall(PCFinegrainGetOrdering(pc, &ordering));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  OK(AssembleMatrix(box(4, 4, 2), 2, MATAIJ, 1, &A));
  OK(MakePC(A, PCPOWERQILU, "-other_pc_powerqilu_levels 3 -pc_fgbilu_precision single", &pc)); // neither applies
  OK(get());
  EXPECT_EQ(levels, 0);
  EXPECT_EQ(power, 0);
  EXPECT_EQ(drop, PCPOWERQILU_DROP_DURING);
  EXPECT_EQ(radius, 0);
  EXPECT_EQ(coloring, PC_FINEGRAIN_COLORING_AUTO);
  EXPECT_EQ(balance, PETSC_FALSE);
  EXPECT_EQ(schedule, PC_FINEGRAIN_SCHEDULE_AUTO);
  EXPECT_STREQ(ordering, MATORDERINGNATURAL);
  OK(PCSetOptionsPrefix(pc, "other_"));
  const Options set(
    "-other_pc_powerqilu_levels 4 -other_pc_powerqilu_power 3 -other_pc_powerqilu_drop after "
    "-other_pc_powerqilu_coloring sl -other_pc_powerqilu_coloring_balance "
    "-other_pc_powerqilu_schedule level -other_pc_powerqilu_drop_band 2 -other_pc_powerqilu_ordering rcm "
    "-pc_powerqilu_levels 1");
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
    EXPECT_EQ(radius, 2);
    EXPECT_EQ(coloring, PC_FINEGRAIN_COLORING_SL);
    EXPECT_EQ(balance, PETSC_TRUE);
    EXPECT_EQ(schedule, PC_FINEGRAIN_SCHEDULE_LEVEL);
    EXPECT_STREQ(ordering, MATORDERINGRCM);
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
  EXPECT_EQ(value, 0); // a new type starts with its defaults
}

} // namespace
