// SPDX-License-Identifier: BSD-2-Clause
// PCMCPI with an exchange after each color: on any number of ranks, results are bitwise identical to those of one
// rank, and exchanges overlap with computation.
#include "mcpi.hpp"
#include "ranks.hpp"

using namespace finegrain::test;
using namespace finegrain::test::mcpi;
using namespace finegrain::test::ranks;

namespace
{

void ExpectBitsOfOneRank(const Make &make, const std::string &options, const std::string &coloring)
{
  ranks::ExpectBitsOfOneRank(PCMCPI, make, "-pc_mcpi_exchange color " + options, "coloring: " + coloring, false);
}

// Settings that affect sweeps, storage and order.
const std::vector<std::string> kinds = {
  "-pc_mcpi_its 2",
  "-pc_mcpi_its 2 -pc_mcpi_sweep backward",
  "-pc_mcpi_its 2 -pc_mcpi_sweep symmetric -pc_mcpi_omega 1.2",
  "-pc_mcpi_its 3 -pc_mcpi_precision single",
  "-pc_mcpi_its 3 -pc_mcpi_precision single -pc_mcpi_sum_precision single -pc_mcpi_sweep symmetric",
  "-pc_mcpi_its 3 -pc_mcpi_precision half -pc_mcpi_sum_precision single",
  "-pc_mcpi_its 3 -pc_mcpi_precision half -pc_mcpi_scaling row -pc_mcpi_sweep backward",
  "-pc_mcpi_its 2 -pc_mcpi_precision bfloat16 -pc_mcpi_diag_precision storage",
  "-pc_mcpi_its 2 -pc_mcpi_algorithm levels",
  "-pc_mcpi_its 2 -pc_mcpi_corrections 2",
  "-pc_mcpi_its 1 -pc_mcpi_corrections 1 -pc_mcpi_precision half -pc_mcpi_sweep symmetric"};

class McpiBlocks : public ::testing::TestWithParam<PetscInt>
{
};
INSTANTIATE_TEST_SUITE_P(Ranks, McpiBlocks, ::testing::Values(1, 3, 5));

TEST_P(McpiBlocks, ScatteredCouplingsGiveTheBitsOfOneRank)
{
  for (const bool symmetric : {true, false})
    for (const char *type : {MATBAIJ, MATAIJ})
      for (const std::string &kind : kinds)
        ExpectBitsOfOneRank(OfCouplings(scattered(60, 3, symmetric), GetParam(), type), kind, "jp");
}

TEST_P(McpiBlocks, GridsGiveTheBitsOfOneRankInNaturalOrder)
{
  const PetscInt n = GetParam();
  for (const std::string &kind : kinds) {
    ExpectBitsOfOneRank(OfGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, 1), kind, "redblack, 2 colors");
    ExpectBitsOfOneRank(OfGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, n, 1), kind, "jp");
  }
}

TEST(McpiRanks, GridsOfAllKinds)
{
  const std::string kind = "-pc_mcpi_its 2 -pc_mcpi_precision half";
  for (const char *type : {MATBAIJ, MATAIJ})
    for (const PetscInt dim : {1, 2, 3}) {
      if (dim == 1 && type == std::string(MATBAIJ)) continue; // not supported by PETSc
      SCOPED_TRACE(std::to_string(dim) + type);
      const DMDAStencilType s = DMDA_STENCIL_STAR;
      ExpectBitsOfOneRank(OfGrid(dim, DM_BOUNDARY_NONE, s, 2, 1, type), kind, "redblack, 2 colors");
      ExpectBitsOfOneRank(OfGrid(dim, DM_BOUNDARY_PERIODIC, s, 2, 1, type), kind, "jp"); // odd lengths
      ExpectBitsOfOneRank(OfGrid(dim, DM_BOUNDARY_NONE, s, 2, 2, type), kind, "jp");
      ExpectBitsOfOneRank(OfGrid(dim, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, 2, 1, type), kind,
                          dim == 1 ? "redblack, 2 colors" : "jp");
      ExpectBitsOfOneRank(OfGrid(dim, DM_BOUNDARY_NONE, s, 2, 1, type), kind + " -pc_mcpi_coloring jp", "jp");
      ExpectBitsOfOneRank(OfGrid(dim, DM_BOUNDARY_NONE, s, 1, 1, type), kind + " -pc_mcpi_coloring redblack",
                          "redblack, 2 colors");
    }
}

TEST(McpiRanks, FewRowsAndFewColors)
{
  for (const PetscInt rows : {1, 2, 3, 7}) {
    Couplings diagonal{std::size_t(rows)}, full = diagonal;
    for (PetscInt i = 0; i < rows; ++i) {
      diagonal[std::size_t(i)].insert(i);
      for (PetscInt j = 0; j < rows; ++j) full[std::size_t(i)].insert(j);
    }
    for (const std::string &kind : kinds) {
      ExpectBitsOfOneRank(OfCouplings(diagonal, 2), kind, "jp, 1 colors");
      ExpectBitsOfOneRank(OfCouplings(full, 2), kind, "jp, " + std::to_string(rows) + " colors");
    }
  }
  Couplings some = scattered(50, 2, false); // and rows without neighbors
  for (std::size_t i = 0; i < some.size(); ++i) {
    for (std::size_t j = 0; j < some.size(); j += 3)
      if (i != j) some[i].erase(PetscInt(j));
    if (i % 3 == 0) some[i] = {PetscInt(i)};
  }
  for (const std::string &kind : kinds) ExpectBitsOfOneRank(OfCouplings(some, 3), kind, "jp");
}

// The matrix has one scale, no matter which rank has the largest entry.
TEST(McpiRanks, ScalesOfHalfPrecisionAreThoseOfAllRanks)
{
  for (const PetscInt at : {0, 21, 59})
    for (const char *scaling : {"global", "row"}) {
      const Make make = [&](MPI_Comm comm, Mat *A, DM *da) {
        const Couplings c = star(5, 4, 3);
        PetscInt first, last, col = at == 0 ? 1 : at - 1;
        PetscFunctionBegin;
        *da = nullptr;
        PetscCall(AssembleMatrix(c, 1, MATAIJ, 1, A, PETSC_DECIDE, comm));
        PetscCall(MatGetOwnershipRange(*A, &first, &last));
        if (at >= first && at < last) PetscCall(MatSetValue(*A, at, col, 3e5, INSERT_VALUES));
        PetscCall(Assemble(*A));
        PetscFunctionReturn(PETSC_SUCCESS);
      };
      ExpectBitsOfOneRank(make, std::string("-pc_mcpi_precision half -pc_mcpi_its 2 -pc_mcpi_scaling ") + scaling,
                          "jp");
      std::vector<PetscInt> index;
      std::vector<PetscScalar> x;
      std::string text;
      OK(Result(PCMCPI, make, PETSC_COMM_WORLD,
                std::string("-pc_mcpi_exchange color -pc_mcpi_precision half -pc_mcpi_scaling ") + scaling, false,
                &index, &x, &text));
      ExpectIn(text, {std::string(scaling) == "row" ? "scaled by block row" : "scaled by 0.125"});
    }
}

#if PETSC_VERSION_LT(3, 20, 0)
// The order in which log events begin.
std::vector<PetscLogEvent> begun;
PetscErrorCode (*log_begin)(PetscLogEvent, int, PetscObject, PetscObject, PetscObject, PetscObject);
PetscErrorCode RecordBegin(PetscLogEvent e, int t, PetscObject a, PetscObject b, PetscObject c, PetscObject d)
{
  begun.push_back(e);
  return (*log_begin)(e, t, a, b, c, d);
}

TEST(McpiRanks, ExchangesOverlapWithRowsThatNobodyNeeds) // newer versions of PETSc have other log handlers
{
  PetscLogEvent begin, end, interior, boundary;
  OK(PetscLogEventGetId("FGHaloBegin", &begin));
  OK(PetscLogEventGetId("FGHaloEnd", &end));
  OK(PetscLogEventGetId("FGInterior", &interior));
  OK(PetscLogEventGetId("FGBoundary", &boundary));
  for (const std::string exchange : {"none", "sweep", "color"}) {
    Owned<DM> da;
    Owned<Mat> A;
    Owned<PC> pc;
    Owned<Vec> b, x;
    OK(MakeGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 1, &da));
    OK(AssembleOnGrid(da, MATBAIJ, &A));
    OK(MakePC(A, PCMCPI, "-pc_mcpi_its 2 -pc_mcpi_exchange " + exchange, &pc));
    OK(MakeVectors(A, &b, &x));
    OK(PCSetUp(pc));
    log_begin = PetscLogPLB;
    begun.clear();
    PetscLogPLB = RecordBegin;
    OK(PCApply(pc, b, x));
    PetscLogPLB = log_begin;
    std::vector<PetscLogEvent> seen, expected;
    for (const PetscLogEvent e : begun)
      if (e == begin || e == end || e == interior || e == boundary) seen.push_back(e);
    if (Size() > 1 && exchange == "sweep") expected = {begin, end}; // the first sweep starts from zero
    for (int colors = 0; Size() > 1 && exchange == "color" && colors < 2 * 2; ++colors)
      for (const PetscLogEvent e : {boundary, begin, interior, end}) expected.push_back(e);
    EXPECT_EQ(seen, expected) << exchange;
  }
}
#endif

} // namespace
