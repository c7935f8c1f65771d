// SPDX-License-Identifier: BSD-2-Clause
// PCPOWERQILU with a global factorization: results are bitwise identical to those of one rank on any number of
// ranks. Also the ILU that it computes, and what it refuses.
#include "powerqilu.hpp"
#include "ranks.hpp"

using namespace finegrain::test;
using namespace finegrain::test::ranks;

namespace
{

void ExpectBits(const Make &make, const std::string &options, const std::string &coloring)
{
  // The residuals of transposed corrections are PETSc's products.
  const bool corrects = options.find("corrections") != std::string::npos;
  ranks::ExpectBitsOfOneRank(PCPOWERQILU, make, "-pc_powerqilu_global " + options, "coloring: " + coloring,
                             !corrects);
}

// Levels, powers with and without drops, storage, algorithms, corrections.
const std::vector<std::string> kinds = {"",
                                        "-pc_powerqilu_levels 1",
                                        "-pc_powerqilu_levels 2",
                                        "-pc_powerqilu_levels 3",
                                        "-pc_powerqilu_levels 2 -pc_powerqilu_power 1",
                                        "-pc_powerqilu_levels 3 -pc_powerqilu_power 2",
                                        "-pc_powerqilu_levels 1 -pc_powerqilu_precision single",
                                        "-pc_powerqilu_precision single -pc_powerqilu_diag_precision storage",
                                        "-pc_powerqilu_levels 1 -pc_powerqilu_algorithm levels",
                                        "-pc_powerqilu_levels 1 -pc_powerqilu_corrections 2"};

class PowerqIluBlocks : public ::testing::TestWithParam<PetscInt>
{
};
INSTANTIATE_TEST_SUITE_P(Ranks, PowerqIluBlocks, ::testing::Values(1, 4));

TEST_P(PowerqIluBlocks, ScatteredCouplingsGiveTheBitsOfOneRank)
{
  for (const bool symmetric : {true, false})
    for (const std::string &kind : kinds)
      ExpectBits(OfCouplings(scattered(44, 2, symmetric), GetParam(), symmetric ? MATAIJ : MATBAIJ), kind, "jp");
}

TEST_P(PowerqIluBlocks, GridsGiveTheBitsOfOneRankInNaturalOrder)
{
  const PetscInt n = GetParam();
  ExpectBits(OfGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, 1), "", "redblack, 2 colors");
  for (const std::string &kind : kinds) ExpectBits(OfGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, n, 1), kind, "jp");
  for (const char *kind : {"-pc_powerqilu_coloring jp", "-pc_powerqilu_levels 1"})
    ExpectBits(OfGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, 1), kind, "jp");
}

// Ranks without rows, rows without neighbors, rows that are all coupled.
TEST(PowerqIluRanks, FewRowsAndFewColors)
{
  for (const PetscInt rows : {1, 2, 3, 7}) {
    Couplings diagonal{std::size_t(rows)}, full = diagonal;
    for (PetscInt i = 0; i < rows; ++i) {
      diagonal[std::size_t(i)].insert(i);
      for (PetscInt j = 0; j < rows; ++j) full[std::size_t(i)].insert(j);
    }
    for (const std::string &kind : kinds) {
      ExpectBits(OfCouplings(diagonal, 2), kind, "jp, 1 colors");
      ExpectBits(OfCouplings(full, 2), kind, "jp, " + std::to_string(rows) + " colors");
    }
  }
}

// The factor equals that of the whole matrix, which each rank computes alone.
TEST(PowerqIluRanks, IsTheIluOfTheWholeMatrix)
{
  for (const PetscInt levels : {0, 1, 2}) {
    const Couplings couplings = scattered(40, 2, true);
    const PetscInt n = 2;
    Owned<Mat> A, alone;
    Owned<PC> pc, exact;
    Owned<Vec> b, x, all, solution;
    Owned<VecScatter> gather;
    PetscReal difference;
    std::string text;
    OK(AssembleMatrix(couplings, n, MATBAIJ, 1, &A));
    OK(AssembleMatrix(couplings, n, MATBAIJ, 1, &alone, PETSC_DECIDE, PETSC_COMM_SELF));
    OK(MakePC(A, PCPOWERQILU, "-pc_powerqilu_global -pc_powerqilu_levels " + std::to_string(levels), &pc));
    OK(MakeVectors(A, &b, &x));
    OK(PCSetUp(pc));
    OK(Apply(pc, b, x));
    // The coloring jp on one rank gives the same colors and orders by color alone.
    OK(
      MakePC(alone, PCPOWERQILU, "-pc_powerqilu_coloring jp -pc_powerqilu_levels " + std::to_string(levels), &exact));
    OK(VecScatterCreateToAll(b, &gather, &all));
    OK(VecScatterBegin(gather, b, all, INSERT_VALUES, SCATTER_FORWARD));
    OK(VecScatterEnd(gather, b, all, INSERT_VALUES, SCATTER_FORWARD));
    OK(VecDuplicate(all, &solution));
    OK(PCSetUp(exact));
    OK(Apply(exact, all, solution));
    OK(VecScatterBegin(gather, x, all, INSERT_VALUES, SCATTER_FORWARD));
    OK(VecScatterEnd(gather, x, all, INSERT_VALUES, SCATTER_FORWARD));
    OK(Difference(all, solution, &difference));
    EXPECT_LE(difference, tolerance) << levels;
    OK(ViewText(pc, &text));
    ExpectIn(text, {"of all ranks together", "agreed by all ranks", "ignored blocks: 0, exchange: each color"});
  }
}

// New values in the same pattern, without another analysis; several vectors at once.
TEST(PowerqIluRanks, RefreshAndSeveralVectors)
{
  const Couplings couplings = scattered(50, 3, false);
  Owned<Mat> A, B;
  Owned<PC> pc, fresh;
  Owned<Vec> b, x, y;
  PetscReal difference;
  OK(AssembleMatrix(couplings, 3, MATBAIJ, 1, &A));
  OK(AssembleMatrix(couplings, 3, MATBAIJ, 9, &B));
  OK(MakePC(A, PCPOWERQILU, "-pc_powerqilu_global -pc_powerqilu_levels 1", &pc));
  OK(MakeVectors(A, &b, &x));
  OK(VecDuplicate(x, &y));
  OK(PCSetUp(pc));
  const int analyses = EventCount("FGAnalyze");
  OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
  OK(PCSetUp(pc));
  EXPECT_EQ(EventCount("FGAnalyze"), analyses);
  OK(Apply(pc, b, x));
  OK(MakePC(B, PCPOWERQILU, "-pc_powerqilu_global -pc_powerqilu_levels 1", &fresh));
  OK(PCSetUp(fresh));
  OK(Apply(fresh, b, y));
  OK(Difference(x, y, &difference));
  EXPECT_EQ(difference, 0);
  OK(PCApplyTranspose(pc, b, x)); // again, with other values in the lower blocks of other ranks
  OK(PCApplyTranspose(fresh, b, y));
  OK(Difference(x, y, &difference));
  EXPECT_EQ(difference, 0);
  ExpectColumnsAlone(pc, y);
}

// A singular block on one rank fails on all ranks, and the next regular values work.
TEST(PowerqIluRanks, SingularBlocksFailOnAllRanks)
{
  Owned<Mat> A;
  Owned<PC> pc;
  Owned<Vec> b, x;
  PCFailedReason reason;
  OK(AssembleMatrix(scattered(50, 3, false), 3, MATBAIJ, 1, &A));
  OK(MakePC(A, PCPOWERQILU, "-pc_powerqilu_global", &pc));
  OK(MakeVectors(A, &b, &x));
  OK(PCSetUp(pc));
  OK(MakeSingular(A, 49, 3));
  OK(PCSetUp(pc));
  OK(PCGetFailedReason(pc, &reason));
  EXPECT_NE(reason, PC_NOERROR);
  OK(AssembleMatrix(scattered(50, 3, false), 3, MATBAIJ, 1, &A));
  OK(PCSetOperators(pc, A, A));
  OK(PCSetUp(pc));
  OK(PCGetFailedReason(pc, &reason));
  EXPECT_EQ(reason, PC_NOERROR);
  OK(Apply(pc, b, x));
}

TEST(PowerqIluRanks, RefusesWhatDependsOnRanks)
{
  Owned<Mat> A;
  OK(AssembleMatrix(scattered(30, 2, true), 2, MATBAIJ, 1, &A));
  const auto text = [&](const std::string &options) {
    Owned<PC> pc;
    EXPECT_EQ(MakePC(A, PCPOWERQILU, "-pc_powerqilu_global " + options, &pc), PETSC_SUCCESS);
    return ExpectError([&] { return PCSetUp(pc); });
  };
  ExpectIn(text("-pc_powerqilu_coloring greedy"), {"-pc_powerqilu_coloring jp"});
  ExpectIn(text("-pc_powerqilu_coloring redblack"), {"-pc_powerqilu_coloring redblack does not fit"});
  ExpectIn(text("-pc_powerqilu_coloring_balance"), {"-pc_powerqilu_global"});
  ExpectIn(text("-pc_powerqilu_schedule level"), {"-pc_powerqilu_schedule color"});
  ExpectIn(text("-pc_powerqilu_ordering rcm"), {"-pc_powerqilu_ordering is an order of a rank's own rows"});
  ExpectIn(text("-pc_powerqilu_drop after"), {"-pc_powerqilu_drop during"});
  ExpectIn(text("-pc_powerqilu_algorithm tasks"), {"-pc_powerqilu_algorithm sequential or levels"});
  ExpectIn(text("-pc_powerqilu_precision half"), {"-pc_powerqilu_precision working or single"});
}

} // namespace
