// SPDX-License-Identifier: BSD-2-Clause
// Wrong input for PCPOWERQILU only: errors on all ranks that name option, object and remedy. test_types_*.cpp test
// what all types have in common.
#include "powerqilu.hpp"
#include "types.hpp"

using namespace finegrain::test;
using namespace finegrain::test::powerqilu;

namespace
{

TEST(PowerqiluErrors, OptionsThatDoNotFit)
{
  Owned<Mat> A;
  OK(AssembleMatrix(scattered(40, 3, true), 2, MATBAIJ, 1, &A));
  const std::vector<std::pair<std::string, std::vector<std::string>>> wrong = {
    {"-pc_powerqilu_schedule hyperplane",
     {"-pc_powerqilu_schedule is hyperplane, which -pc_type powerqilu does not have; it has auto, color, level"}},
    {"-pc_powerqilu_drop_band 3", {"-pc_powerqilu_drop_band", "-pc_powerqilu_schedule level"}},
    {"-pc_powerqilu_coloring redblack",
     {"-pc_powerqilu_coloring redblack does not fit", "no grid", "-pc_powerqilu_coloring greedy"}}};
  for (const auto &[options, words] : wrong) ExpectRefusal(A, PCPOWERQILU, options, words);
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
    ExpectRefusal(A, PCPOWERQILU, options,
                  {"-pc_powerqilu_coloring redblack does not fit", "points of the same parity are coupled",
                   "-pc_powerqilu_power", "-pc_powerqilu_coloring greedy"});
  ExpectRefusal(A, PCPOWERQILU, "-pc_powerqilu_coloring redblack -pc_powerqilu_ordering rcm",
                {"-pc_powerqilu_coloring redblack does not fit", "-pc_powerqilu_coloring greedy"});
  OK(AssembleMatrix(star(6, 5, 4), 1, MATAIJ, 1, &A));
  ExpectRefusal(A, PCPOWERQILU, "-pc_powerqilu_coloring redblack -pc_powerqilu_grid 7,3,4",
                {"-pc_powerqilu_coloring redblack", "7,3,4"});
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

// More levels and a higher power than rows give complete L and U, and one row per color.
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

} // namespace
