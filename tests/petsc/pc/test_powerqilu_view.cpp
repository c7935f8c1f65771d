// SPDX-License-Identifier: BSD-2-Clause
// The output of PCView() for PCPOWERQILU. test_types_*.cpp test what all types have in common.
#include "powerqilu.hpp"

using namespace finegrain::test;
using namespace finegrain::test::powerqilu;

namespace
{

TEST(PowerqiluView, BeforeAndAfterSetUp)
{
  Owned<DM> da;
  Owned<Mat> A;
  Owned<PC> pc;
  std::string text;
  OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 3, 1, &da));
  OK(AssembleOnGrid(da, MATBAIJ, &A));
  OK(MakePC(A, PCPOWERQILU, "-pc_powerqilu_levels 1 -pc_powerqilu_precision single", &pc));
  OK(ViewText(pc, &text));
  const std::string first = "    factor: block ILU(1,2), drop during, per rank\n";
  ExpectIn(text, {"    not set up; algorithm auto, backend auto, ", " precision single,", " levels 1,", " power 0,",
                  " drop during,", "drop_band 0, global false\n"});
  EXPECT_EQ(text.find("fill"), std::string::npos) << text;
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  ExpectIn(text,
           {first + "    coloring: greedy, ", " colors of |A|^2\n    fill: ", "  schedule: color, ",
            "block rows per group: ", "  storage: blocks of 3, single precision, inverted diagonal blocks working\n",
            "  ignored blocks: ", ", exchange: none\n", "; dropped between rows of one color: 0 blocks\n"});
  EXPECT_EQ(text.find("transpose"), std::string::npos) << text;
}

// A path of nine rows, all on one rank: levels, colors and fill can be counted by hand.
TEST(PowerqiluView, CountsOfAPath)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(9, 1, 1), 1, MATAIJ, 1, &A, 9, PETSC_COMM_SELF));
  struct Line {
    std::string options;
    std::vector<std::string> parts;
  };
  // With two colors odd rows come last. Without drops the even row between two odd rows couples them.
  for (const Line &line : std::vector<Line>{
         {"",
          {"block ILU(0,1), drop during", "greedy, 2 colors of |A|^1\n",
           "fill: 0 blocks, nnz(L+U) / nnz(A) = 1.0000; dropped between rows of one color: 0 blocks\n",
           "schedule: color, 2 groups, block rows per group: min 4, mean 4.5, max 5\n", "factor 200 (25 blocks)"}},
         {"-pc_powerqilu_levels 1 -pc_powerqilu_power 1",
          {"block ILU(1,1), drop during", "greedy, 2 colors of |A|^1\n",
           "fill: 0 blocks, nnz(L+U) / nnz(A) = 1.0000; dropped between rows of one color: 6 blocks\n",
           "schedule: color, 2 groups", "(25 blocks)"}},
         {"-pc_powerqilu_levels 1 -pc_powerqilu_power 1 -pc_powerqilu_drop after",
          {"block ILU(1,1), drop after", "greedy, 2 colors of |A|^1\n",
           "fill: 0 blocks, nnz(L+U) / nnz(A) = 1.0000; dropped between rows of one color: 6 blocks\n",
           "schedule: color, 2 groups", "(25 blocks)"}},
         {"-pc_powerqilu_levels 1 -pc_powerqilu_power 1 -pc_powerqilu_drop none",
          {"block ILU(1,1), drop none", "greedy, 2 colors of |A|^1\n",
           "fill: 6 blocks, nnz(L+U) / nnz(A) = 1.2400; dropped between rows of one color: 0 blocks\n",
           "schedule: level, 5 groups", "(31 blocks)"}},
         {"-pc_powerqilu_levels 1 -pc_powerqilu_schedule level -pc_powerqilu_drop_band 1",
          {"block ILU(1) in natural order",
           "fill: 0 blocks, nnz(L+U) / nnz(A) = 0.3600; dropped within 1 of the diagonal: 16 blocks\n",
           "schedule: level, 1 group", "(9 blocks)"}},
         {"-pc_powerqilu_levels 1 -pc_powerqilu_drop none",
          {"block ILU(1,2), drop none", "greedy, 3 colors of |A|^2\n", "schedule: color, 3 groups"}},
         {"-pc_powerqilu_levels 1 -pc_powerqilu_power 8 -pc_powerqilu_drop after",
          {"block ILU(1,8), drop after", "greedy, 9 colors of |A|^8\n", "schedule: color, 9 groups"}},
         {"-pc_powerqilu_levels 2 -pc_powerqilu_schedule level",
          {"block ILU(2) in natural order, per rank\n", "fill: 0 blocks", "schedule: level, 9 groups"}},
         {"-pc_powerqilu_coloring_balance", {"coloring: greedy, balanced, 2 colors of |A|^1\n"}},
         {"-pc_powerqilu_coloring jp", {"coloring: jp, "}},
         {"-pc_powerqilu_coloring lf", {"coloring: lf, "}},
         {"-pc_powerqilu_coloring sl", {"coloring: sl, "}},
         {"-pc_powerqilu_grid 9,1,1 -pc_powerqilu_coloring redblack", {"coloring: redblack, 2 colors of |A|^1\n"}},
         {"-pc_powerqilu_ordering rcm", {"block ILU(0,1), drop during", "  ordering: rcm\n"}},
         {"-pc_powerqilu_corrections 2 -pc_powerqilu_levels 1",
          {"exchange: each correction\n", "corrections: 2, residual from the matrix"}}}) {
    SCOPED_TRACE(line.options);
    const std::string text = ViewOf(A, line.options);
    for (const std::string &part : line.parts)
      if (sizeof(PetscScalar) == 8 || part.find("factor 200") == std::string::npos) ExpectIn(text, {part});
  }
}

TEST(PowerqiluView, SaysThatThePatternWasNotSymmetric)
{
  Owned<Mat> A;
  Couplings c = star(9, 1, 1);
  c[1].insert(0);
  c[6].insert(8);
  OK(AssembleMatrix(c, 2, MATBAIJ, 1, &A, 9, PETSC_COMM_SELF));
  ExpectIn(ViewOf(A, ""), {"coloring: greedy, 3 colors of |A|^1, of the pattern with its transpose\n"});
}

// Counts are sums over all ranks; the number of colors is the maximum over ranks.
TEST(PowerqiluView, CountsOfAllRanks)
{
  Owned<Mat> A;
  const PetscInt *cut;
  PetscInt ignored = 0, fill = 0, colors = 0;
  OK(AssembleMatrix(star(24, 1, 1), 2, MATBAIJ, 1, &A));
  OK(MatGetOwnershipRanges(A, &cut));
  for (int r = 0; r < Size(); ++r) {
    const PetscInt rows = (cut[r + 1] - cut[r]) / 2;
    // Sorted by three colors, about every sixth row, of the third color, is coupled to neighbors at distance 2.
    // PETSc's ILU counts this fill.
    colors = std::max(colors, std::min(rows, PetscInt(3)));
    if (r > 0 && cut[r] > 0 && cut[r] < 48) ignored += rows > 0 ? 2 : 0;
  }
  std::vector<PetscInt> order;
  Owned<Mat> permuted;
  Owned<PC> ilu;
  PetscInt blocks;
  OK(FindOrder(star(24, 1, 1), A, 2, 2, &order));
  OK(AssembleMatrix(star(24, 1, 1), 2, MATBAIJ, 1, &permuted, PETSC_DECIDE, PETSC_COMM_WORLD, order));
  OK(MakeIlu(permuted, 1, &ilu));
  OK(CountBlocks(ilu, 2, &blocks));
  fill = blocks - (3 * 24 - 2 - ignored);
  const std::string text = ViewOf(A, "-pc_powerqilu_levels 1");
  EXPECT_EQ(NumberAfter(text, "coloring: greedy, "), colors);
  EXPECT_EQ(NumberAfter(text, "fill: "), fill);
  EXPECT_EQ(NumberAfter(text, "ignored blocks: "), ignored);
}

} // namespace
