// SPDX-License-Identifier: BSD-2-Clause
// The output of PCView() for PCMCPI. test_types_*.cpp test what all types have in common.
#include "mcpi.hpp"

using namespace finegrain::test;
using namespace finegrain::test::mcpi;

namespace
{

TEST(McpiView, BeforeAndAfterSetUp)
{
  Owned<DM> da;
  Owned<Mat> A;
  Owned<PC> pc;
  std::string text;
  OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 3, 1, &da));
  OK(AssembleOnGrid(da, MATBAIJ, &A));
  OK(MakePC(A, PCMCPI,
            "-pc_mcpi_its 4 -pc_mcpi_sweep symmetric -pc_mcpi_precision half -pc_mcpi_sum_precision single "
            "-pc_mcpi_exchange color",
            &pc));
  OK(ViewText(pc, &text));
  const std::string first = "  relaxation: 4 symmetric sweeps, omega 1., exchange color, sums in single precision" +
                            std::string(sizeof(PetscReal) == 8 ? " (DSH)\n" : "\n");
  ExpectIn(text, {"not set up; ", " its 4,", " omega 1", " sweep symmetric,", " exchange color,",
                  " sum_precision single,", " coloring auto,"});
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  ExpectIn(text, {first, "  coloring: redblack, 2 colors agreed by all ranks\n",
                  "  entries flushed to zero: 0, scaled by ", "  schedule: color, ", "block rows per group: ",
                  "  storage: blocks of 3, half precision, inverted diagonal blocks working\n",
                  "  ignored blocks: 0, exchange: each color\n"});
  EXPECT_EQ(text.find("transpose"), std::string::npos) << text;
  if (Size() == 1) {
    ExpectIn(text, {"block rows per group: min 0, mean 27.5, max 55\n"});
  }
}

TEST(McpiView, NamesOfTheSettingsOfWaldenEtAl)
{
  if (sizeof(PetscReal) != 8) GTEST_SKIP() << "not in double precision";
  Owned<Mat> A;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJ, 1, &A));
  const std::vector<std::pair<std::string, std::string>> names = {
    {"-pc_mcpi_precision single -pc_mcpi_sum_precision single", "sums in single precision (DS)\n"},
    {"-pc_mcpi_precision half -pc_mcpi_sum_precision single", "sums in single precision (DSH)\n"},
    {"-pc_mcpi_precision bfloat16 -pc_mcpi_sum_precision single", "sums in single precision\n"},
    {"-pc_mcpi_precision half", "sums in working precision\n"},
    {"", "sums in working precision\n"},
    {"-pc_mcpi_precision single -pc_mcpi_sum_precision single -pc_mcpi_diag_precision storage",
     "sums in single precision\n"}};
  for (const auto &[options, name] : names) {
    Owned<PC> pc;
    std::string text;
    OK(MakePC(A, PCMCPI, options, &pc));
    OK(PCSetUp(pc));
    OK(ViewText(pc, &text));
    ExpectIn(text, {name});
  }
}

// A chain of 9 rows with one coupling in one direction only, and one entry that half precision cannot hold.
TEST(McpiView, CountsWhatIsFlushedAndLeftOut)
{
  const Couplings chain = star(9, 1, 1);
  for (const bool skew : {false, true})
    for (const std::string exchange : {"none", "sweep", "color"}) {
      Owned<Mat> A;
      Owned<PC> pc;
      PetscInt first, last, ignored = 0, flushed = 0;
      std::string text;
      Couplings c = chain;
      if (skew) c[4].insert(6);
      OK(AssembleMatrix(c, 1, MATAIJ, 1, &A));
      OK(MatGetOwnershipRange(A, &first, &last));
      for (PetscInt i = first; i < last; ++i)
        for (const PetscInt j : c[std::size_t(i)]) {
          ignored += j < first || j >= last;
          flushed += i == 2 && j == 3 && (exchange != "none" || j < last);
          OK(MatSetValue(A, i, j, i == j ? 4 : i == 2 && j == 3 ? 1e-30 : -1, INSERT_VALUES));
        }
      OK(Assemble(A));
      for (PetscInt *count : {&ignored, &flushed})
        MPI_Allreduce(MPI_IN_PLACE, count, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
      if (exchange != "none") ignored = 0;
      OK(MakePC(A, PCMCPI, "-pc_mcpi_precision half -pc_mcpi_exchange " + exchange, &pc));
      OK(PCSetUp(pc));
      OK(ViewText(pc, &text));
      ExpectIn(text, {"ignored blocks: " + std::to_string(ignored) +
                        ", exchange: " + (exchange == "none" ? "none\n" : "each " + exchange + "\n"),
                      "coloring: " + std::string(exchange == "color" ? "jp, " : "greedy, ")});
      ExpectIn(text, {"entries flushed to zero: " + std::to_string(flushed) + ", scaled by 32768.\n"});
      if (exchange == "color" || Size() == 1) {
        EXPECT_EQ(text.find(", of the pattern with its transpose\n") != std::string::npos, skew) << text;
      }
      if (Size() == 1 && exchange == "none") {
        ExpectIn(text, {skew ? "greedy, 3 colors, of" : "greedy, 2 colors\n",
                        skew ? "3 groups" : "2 groups, block rows per group: min 4, mean 4.5, max 5\n"});
      }
    }
}

// Red and black if the grid of a rank fits; ranks without rows do not count.
TEST(McpiView, NamesTheColoringsOfAllRanks)
{
  Owned<Mat> A;
  Owned<PC> pc;
  PetscInt rows;
  std::string text;
  Couplings c = star(9, 1, 1);
  c[4].insert(6); // row 6 is on another rank if there are four
  OK(AssembleMatrix(c, 1, MATAIJ, 1, &A));
  OK(MatGetLocalSize(A, &rows, nullptr));
  OK(MakePC(A, PCMCPI, "", &pc));
  const PetscInt grid[] = {rows, 1, 1};
  OK(PCFinegrainSetGrid(pc, rows > 0, grid));
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  const char *lines[] = {"greedy, 3 colors, of the pattern", "redblack on some ranks, greedy on others, 3 colors, of",
                         "redblack on some ranks, greedy on others, 3 colors, of", "redblack, 2 colors\n"};
  ExpectIn(text, {std::string("coloring: ") + lines[Size() - 1]});
}

TEST(McpiView, SaysHowColorsWereMadeAndBalanced)
{
  Owned<Mat> A;
  OK(AssembleMatrix(scattered(60, 3, true), 2, MATBAIJ, 1, &A));
  const std::vector<std::pair<std::string, std::string>> lines = {
    {"", "coloring: greedy, "},
    {"-pc_mcpi_coloring lf", "coloring: lf, "},
    {"-pc_mcpi_coloring sl", "coloring: sl, "},
    {"-pc_mcpi_coloring jp", "coloring: jp, "},
    {"-pc_mcpi_coloring_balance", "coloring: greedy, balanced, "},
    {"-pc_mcpi_omega 0.75", "omega 0.75, exchange sweep"},
    {"-pc_mcpi_precision half -pc_mcpi_scaling row", ", scaled by block row\n"},
    {"-pc_mcpi_precision bfloat16", "flushed to zero: 0\n"},
    {"-pc_mcpi_corrections 2", "exchange: each sweep, each correction\n"}};
  for (const auto &[options, line] : lines) {
    Owned<PC> pc;
    std::string text;
    OK(MakePC(A, PCMCPI, options, &pc));
    OK(PCSetUp(pc));
    OK(ViewText(pc, &text));
    ExpectIn(text, {line});
  }
}

} // namespace
