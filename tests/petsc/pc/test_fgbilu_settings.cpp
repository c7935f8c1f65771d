// SPDX-License-Identifier: BSD-2-Clause
// PCFGBILU's own settings: factor, schedule, ordering, grids, tiles. Options reach getters and the view, take effect
// at the next set-up, and are errors if they do not fit. test_types_*.cpp test the settings of all types.
#include "types.hpp"

using namespace finegrain::test;

namespace
{

TEST(FgbiluSettings, ActAtTheNextSetUp)
{
  Owned<Mat> A;
  OK(AssembleMatrix(scattered(60, 3, true), 2, MATAIJ, 1, &A));
  ExpectChangesToAct(
    A, PCFGBILU, "-@_ordering rcm",
    {{[](PC pc) { return PCFGBILUSetFactor(pc, PCFGBILU_FACTOR_DILU); }, "-@_factor dilu"},
     {[](PC pc) { return PCFGBILUSetFactor(pc, PCFGBILU_FACTOR_ILU0); }, "-@_factor ilu0", false},
     {[](PC pc) { return PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_LEVEL); }, "-@_schedule level", false},
     {[](PC pc) { return PCFinegrainSetOrdering(pc, MATORDERINGNATURAL); }, "-@_ordering natural"}});
}

TEST(FgbiluSettings, ReachGettersAndTheView)
{
  Owned<Mat> A;
  Owned<PC> pc;
  PCFinegrainScheduleType schedule;
  PCFGBILUFactorType factor;
  MatOrderingType ordering;
  PCFinegrainGridCoupling coupling;
  std::string text;
  OK(AssembleMatrix(box(4, 4, 2), 2, MATAIJ, 1, &A));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_schedule level -pc_fgbilu_factor dilu -pc_fgbilu_grid_coupling block_jacobi",
            &pc));
  OK(PCFinegrainGetSchedule(pc, &schedule));
  OK(PCFGBILUGetFactor(pc, &factor));
  OK(PCFinegrainGetGridCoupling(pc, &coupling));
  EXPECT_EQ(schedule, PC_FINEGRAIN_SCHEDULE_LEVEL);
  EXPECT_EQ(factor, PCFGBILU_FACTOR_DILU);
  EXPECT_EQ(coupling, PC_FINEGRAIN_GRID_COUPLING_BLOCK_JACOBI);
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  ExpectIn(text, {"block DILU", "schedule: level"});
  OK(PCFGBILUSetFactor(pc, PCFGBILU_FACTOR_ILU0));
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  ExpectIn(text, {"block ILU(0)"});
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_corrections 3 -pc_fgbilu_ordering rcm", &pc));
  OK(PCFinegrainGetOrdering(pc, &ordering));
  EXPECT_STREQ(ordering, "rcm");
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  ExpectIn(text, {"corrections: 3, residual from the factor"});
  OK(PCFinegrainSetCorrections(pc, 0));
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  EXPECT_EQ(text.find("corrections: 3"), std::string::npos) << text;
  // Other types ignore setters, and getters are an error that names them.
  OK(PCSetType(pc, PCJACOBI));
  OK(PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_LEVEL));
  OK(PCFGBILUSetFactor(pc, PCFGBILU_FACTOR_DILU));
  ExpectIn(ExpectError([&] { return PCFinegrainGetSchedule(pc, &schedule); }), {"jacobi"});
  ExpectIn(ExpectError([&] { return PCFGBILUGetFactor(pc, &factor); }), {"jacobi"});
}

TEST(FgbiluSettings, OfTilesAreInTheViewWithTheAlgorithmItsReasonAndItsTasks)
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
  ExpectIn(text, {"algorithm: tasks (a tile shape is given)", "kernel launches per application: 2", "tasks: at most",
                  "critical path", "tile: 4 x 3 x 2 points"});
  OK(PCFinegrainSetTile(pc, 0, 0, 0));
  OK(PCFinegrainSetAlgorithm(pc, PC_FINEGRAIN_ALGORITHM_TASKS));
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  ExpectIn(text, {"algorithm: tasks (as given)"});
}

TEST(FgbiluSettings, ThatDoNotFitAreErrors)
{
  Owned<Mat> A;
  const auto refuse = [&A](const std::string &options, const std::vector<std::string> &words,
                           bool at_options = false) { ExpectRefusal(A, PCFGBILU, options, words, at_options); };
  OK(AssembleMatrix(star(8, 6, 5), 2, MATBAIJ, 1, &A));
  refuse("-pc_fgbilu_tile 4,4", {"-pc_fgbilu_tile", "I,J,K"}, true);
  refuse("-pc_fgbilu_tile 4,0,4", {"-pc_fgbilu_tile", "1 or more", "0,0,0"}, true);
  refuse("-pc_fgbilu_factor icc", {"-pc_fgbilu_factor", "icc"}, true);
  refuse("-pc_fgbilu_schedule color", {"-pc_fgbilu_schedule is color", "auto, hyperplane, level"});
  refuse("-pc_fgbilu_schedule hyperplane", {"-pc_fgbilu_schedule hyperplane", "-pc_fgbilu_grid I,J,K"});
  if (Size() == 1) refuse("-pc_fgbilu_grid 6,8,5", {"6,8,5", "-pc_fgbilu_grid", "-pc_fgbilu_schedule level"});
  refuse("-pc_fgbilu_tile 4,4,4", {"-pc_fgbilu_tile", "-pc_fgbilu_grid I,J,K"});
  refuse("-pc_fgbilu_tile 4,4,4 -pc_fgbilu_algorithm levels", {"-pc_fgbilu_tile", "-pc_fgbilu_algorithm tasks"});
  refuse("-pc_fgbilu_ordering nope", {"-pc_fgbilu_ordering is nope", "natural, rcm"});
  refuse("-pc_fgbilu_ordering rcm -pc_fgbilu_schedule hyperplane -pc_fgbilu_grid 8,6,5",
         {"-pc_fgbilu_schedule hyperplane", "-pc_fgbilu_ordering", "-pc_fgbilu_schedule level"});
  OK(AssembleMatrix(box(8, 6, 5), 1, MATAIJ, 1, &A));
  if (Size() == 1) refuse("-pc_fgbilu_grid 8,6,5 -pc_fgbilu_tile 4,2,1", {"-pc_fgbilu_tile 4,2,1", "8,6,5", "0,0,0"});
}

} // namespace
