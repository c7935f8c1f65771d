// SPDX-License-Identifier: BSD-2-Clause
// PCFGBILU's own settings: factor, schedule, ordering, grids, tiles. They are in the view, and errors if they do not
// fit. test_options.cpp tests setters, getters and wrong values of all options.
#include "types.hpp"

using namespace finegrain::test;

namespace
{

TEST(FgbiluSettings, AreInTheView)
{
  Owned<Mat> A;
  Owned<PC> pc;
  MatOrderingType ordering;
  std::string text;
  OK(AssembleMatrix(box(4, 4, 2), 2, MATAIJ, 1, &A));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_schedule level -pc_fgbilu_factor dilu -pc_fgbilu_grid_coupling block_jacobi",
            &pc));
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
  const auto refuse = [&A](const std::string &options, const std::vector<std::string> &words) {
    ExpectRefusal(A, PCFGBILU, options, words);
  };
  OK(AssembleMatrix(star(8, 6, 5), 2, MATBAIJ, 1, &A));
  refuse("-pc_fgbilu_schedule color", {"-pc_fgbilu_schedule is color", "auto, hyperplane, level"});
  refuse("-pc_fgbilu_schedule hyperplane", {"-pc_fgbilu_schedule hyperplane", "-pc_fgbilu_grid I,J,K"});
  if (Size() == 1) refuse("-pc_fgbilu_grid 6,8,5", {"6,8,5", "-pc_fgbilu_grid", "-pc_fgbilu_schedule level"});
  refuse("-pc_fgbilu_tile 4,4,4", {"-pc_fgbilu_tile", "-pc_fgbilu_grid I,J,K"});
  refuse("-pc_fgbilu_tile 4,4,4 -pc_fgbilu_schedule level",
         {"-pc_fgbilu_tile", "-pc_fgbilu_schedule color and level"});
  refuse("-pc_fgbilu_tile 4,4,4 -pc_fgbilu_algorithm levels", {"-pc_fgbilu_tile", "-pc_fgbilu_algorithm tasks"});
  refuse("-pc_fgbilu_ordering nope", {"-pc_fgbilu_ordering is nope", "natural, tiles, rcm"});
  refuse("-pc_fgbilu_ordering rcm -pc_fgbilu_schedule hyperplane -pc_fgbilu_grid 8,6,5",
         {"-pc_fgbilu_schedule hyperplane", "-pc_fgbilu_ordering", "-pc_fgbilu_schedule level"});
  OK(AssembleMatrix(box(8, 6, 5), 1, MATAIJ, 1, &A));
  if (Size() == 1) refuse("-pc_fgbilu_grid 8,6,5 -pc_fgbilu_tile 4,2,1", {"-pc_fgbilu_tile 4,2,1", "8,6,5", "0,0,0"});
}

} // namespace
