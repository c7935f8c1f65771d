// SPDX-License-Identifier: BSD-2-Clause
// PCFGBILU with several structured grids on a rank, slabs of blocks that are joined point to point. They are
// factored together or separately, with corrections over all of them.
#include "fixture.hpp"

#include <algorithm>
#include <array>

using namespace finegrain::test;

namespace
{

// Blocks in a row along i, each cut into slabs along k over all ranks. Rows are numbered rank by rank, slab by slab,
// i fastest.
struct Blocks {
  std::vector<std::array<PetscInt, 3>> size;
  PetscInt rank = 0, ranks = 1;

  explicit Blocks(std::vector<std::array<PetscInt, 3>> s) : size(std::move(s))
  {
    int r, n;
    MPI_Comm_rank(PETSC_COMM_WORLD, &r);
    MPI_Comm_size(PETSC_COMM_WORLD, &n);
    rank = r;
    ranks = n;
  }
  PetscInt cut(std::size_t b, PetscInt r) const { return size[b][2] * r / ranks; }
  PetscInt points(std::size_t b, PetscInt r) const { return size[b][0] * size[b][1] * (cut(b, r + 1) - cut(b, r)); }
  PetscInt local(PetscInt r) const
  {
    PetscInt rows = 0;
    for (std::size_t b = 0; b < size.size(); ++b) rows += points(b, r);
    return rows;
  }
  PetscInt row(std::size_t b, PetscInt i, PetscInt j, PetscInt k) const
  {
    PetscInt at = 0, r = 0;
    for (; cut(b, r + 1) <= k; ++r) at += local(r);
    for (std::size_t c = 0; c < b; ++c) at += points(c, r);
    return at + i + size[b][0] * (j + size[b][1] * (k - cut(b, r)));
  }
  Couplings couplings(bool joined = true) const
  {
    PetscInt rows = 0;
    for (PetscInt r = 0; r < ranks; ++r) rows += local(r);
    Couplings c{std::size_t(rows)};
    const auto join = [&](PetscInt p, PetscInt q) {
      c[std::size_t(p)].insert(q);
      c[std::size_t(q)].insert(p);
    };
    for (std::size_t b = 0; b < size.size(); ++b) {
      const auto [I, J, K] = size[b];
      for (PetscInt k = 0; k < K; ++k)
        for (PetscInt j = 0; j < J; ++j)
          for (PetscInt i = 0; i < I; ++i) {
            const PetscInt p = row(b, i, j, k);
            join(p, p);
            if (i + 1 < I) join(p, row(b, i + 1, j, k));
            if (j + 1 < J) join(p, row(b, i, j + 1, k));
            if (k + 1 < K) join(p, row(b, i, j, k + 1));
            if (joined && i + 1 == I && b + 1 < size.size() && j < size[b + 1][1] && k < size[b + 1][2])
              join(p, row(b + 1, 0, j, k));
          }
    }
    return c;
  }
  std::vector<PetscInt> ijk() const // of this rank's slabs
  {
    std::vector<PetscInt> v;
    for (std::size_t b = 0; b < size.size(); ++b)
      if (points(b, rank)) v.insert(v.end(), {size[b][0], size[b][1], cut(b, rank + 1) - cut(b, rank)});
    return v;
  }
  PetscInt planes() const // the largest number of hyperplanes of a slab, over all ranks
  {
    PetscInt mine = 0, most;
    for (std::size_t b = 0; b < size.size(); ++b)
      if (points(b, rank)) mine = std::max(mine, size[b][0] + size[b][1] + cut(b, rank + 1) - cut(b, rank) - 2);
    MPI_Allreduce(&mine, &most, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD);
    return most;
  }
};

// On up to four ranks, every rank's slabs of neighboring blocks are joined; in the last layout some ranks lack
// slabs.
const std::vector<Blocks> &layouts()
{
  static const std::vector<Blocks> all = {Blocks({{4, 3, 5}, {3, 4, 5}}), Blocks({{3, 4, 5}, {4, 2, 5}, {2, 3, 6}}),
                                          Blocks({{4, 3, 1}, {3, 2, 3}, {2, 3, 2}})};
  return all;
}

PetscErrorCode SetGrids(PC pc, const std::vector<PetscInt> &ijk)
{
  return PCFinegrainSetGrid(pc, PetscInt(ijk.size() / 3), ijk.data());
}

PetscErrorCode MakeBlocksPC(const Blocks &blocks, Mat A, const std::string &options, PC *pc)
{
  PetscFunctionBegin;
  PetscCall(MakePC(A, PCFGBILU, options, pc));
  PetscCall(SetGrids(*pc, blocks.ijk()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Block Jacobi over the grids of each rank, with ILU(0) in natural order.
PetscErrorCode MakeGridReference(const Blocks &blocks, Mat A, PetscInt n, PC *pc)
{
  std::vector<PetscInt> rows;

  PetscFunctionBegin;
  for (std::size_t b = 0; b < blocks.size.size(); ++b)
    if (blocks.points(b, blocks.rank)) rows.push_back(n * blocks.points(b, blocks.rank));
  if (rows.empty()) rows.push_back(0); // PETSc needs at least one
  const Options set("-sub_pc_type ilu -sub_pc_factor_mat_ordering_type natural");
  PetscCall(PCCreate(PETSC_COMM_WORLD, pc));
  PetscCall(PCSetType(*pc, PCBJACOBI));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCBJacobiSetLocalBlocks(*pc, PetscInt(rows.size()), rows.data()));
  PetscCall(PCSetFromOptions(*pc));
  PetscCall(PCSetUp(*pc));
  PetscCall(PCSetUpOnBlocks(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

class Blocked : public ::testing::TestWithParam<const char *>
{
};
INSTANTIATE_TEST_SUITE_P(Blocks, Blocked,
                         ::testing::Values(" -pc_fgbilu_algorithm sequential", " -pc_fgbilu_algorithm levels",
                                           " -pc_fgbilu_algorithm tasks",
                                           " -pc_fgbilu_algorithm sequential -pc_fgbilu_factor ilu0",
                                           " -pc_fgbilu_algorithm levels -pc_fgbilu_factor ilu0"));

TEST_P(Blocked, FactorOverAllGridsIsPetscsIlu)
{
  for (const Blocks &blocks : layouts())
    for (const PetscInt n : {1, 4}) {
      Owned<Mat> A;
      Owned<PC> pc, reference;
      PetscReal d;
      OK(AssembleMatrix(blocks.couplings(), n, MATBAIJ, 1, &A, blocks.local(blocks.rank)));
      OK(MakeBlocksPC(blocks, A, std::string("-pc_fgbilu_grid_coupling coupled") + GetParam(), &pc));
      OK(MakeReference(A, &reference));
      OK(ComparePCs(A, pc, reference, &d));
      EXPECT_LT(d, tolerance) << blocks.size.size() << " blocks, " << n << GetParam();
    }
}

TEST_P(Blocked, FactorsOfEachGridAndCorrectionsAreBlockJacobiOverGridsAndMatMult)
{
  for (const Blocks &blocks : layouts())
    for (const PetscInt n : {1, 4}) {
      Owned<Mat> A;
      Owned<PC> pc, reference;
      Owned<Vec> b, x, y;
      PetscInt rows;
      PetscReal d;
      std::string text;
      const bool dilu = std::string(GetParam()).find("ilu0") == std::string::npos;
      OK(AssembleMatrix(blocks.couplings(), n, MATBAIJ, 1, &A, blocks.local(blocks.rank)));
      OK(MakeBlocksPC(blocks, A, std::string("-pc_fgbilu_grid_coupling block_jacobi") + GetParam(), &pc));
      OK(MakeGridReference(blocks, A, n, &reference));
      OK(MakeVectors(A, &b, &x));
      OK(VecDuplicate(x, &y));
      for (const PetscInt k : {0, 1, 2, 5})
        for (const bool transposed : {false, true}) {
          OK(PCFinegrainSetCorrections(pc, k));
          OK(PCSetUp(pc));
          OK(PlainCorrections(A, reference, k, transposed, b, y));
          OK(VecSet(x, PETSC_INFINITY));
          OK(transposed ? PCApplyTranspose(pc, b, x) : PCApply(pc, b, x));
          OK(Difference(x, y, &d));
          EXPECT_LT(d, tolerance) << blocks.size.size() << " blocks, " << n << ", " << k << GetParam();
        }
      OK(ViewText(pc, &text));
      ExpectIn(text, {dilu ? "residual from the factor" : "residual from the matrix"});
      OK(MatGetSize(A, &rows, nullptr));
      const std::string kept = "kept for residuals " + std::to_string(std::size_t(rows * n) * sizeof(PetscScalar));
      EXPECT_EQ(text.find(kept) != std::string::npos, dilu) << kept << "\n" << text;
    }
}

TEST(Blocks, ScheduleAndCouplingsLeftOutAreInTheView)
{
  for (const Blocks &blocks : layouts()) {
    Owned<Mat> A;
    Owned<PC> pc;
    Couplings joined = blocks.couplings(), apart = blocks.couplings(false);
    PetscInt count[2] = {0, 0}, first = 0, sum[2]; // ignored couplings: between ranks; between grids of a rank too
    OK(AssembleMatrix(joined, 2, MATBAIJ, 1, &A, blocks.local(blocks.rank)));
    OK(MatGetOwnershipRange(A, &first, nullptr));
    for (PetscInt p = first / 2; p < first / 2 + blocks.local(blocks.rank); ++p)
      for (const PetscInt q : joined[std::size_t(p)]) {
        const bool away = q < first / 2 || q >= first / 2 + blocks.local(blocks.rank);
        count[0] += away;
        count[1] += away || !apart[std::size_t(p)].count(q);
      }
    OK(MPI_Allreduce(count, sum, 2, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    for (const char *schedule : {"", " -pc_fgbilu_schedule hyperplane"}) {
      std::string text;
      OK(MakeBlocksPC(blocks, A, std::string("-pc_fgbilu_grid_coupling block_jacobi") + schedule, &pc));
      OK(PCSetUp(pc));
      OK(ViewText(pc, &text));
      const std::string planes = "schedule: hyperplane, " + std::to_string(blocks.planes()) + " groups";
      EXPECT_NE(text.find(planes), std::string::npos) << planes << "\n" << text;
      ExpectIn(text, {"ignored blocks: " + std::to_string(sum[1]) + ","});
      OK(PCFinegrainSetGridCoupling(pc, PC_FINEGRAIN_GRID_COUPLING_COUPLED));
      OK(PCSetUp(pc));
      OK(ViewText(pc, &text));
      const bool level = text.find("schedule: level, ") != std::string::npos;
      EXPECT_TRUE(level || &blocks == &layouts().back()) << text; // without a slab, a rank may have no joined grids
      ExpectIn(text, {"ignored blocks: " + std::to_string(sum[0]) + ","});
    }
  }
}

TEST(Blocks, GridsThatAreNotThoseOfTheMatrixAreErrors)
{
  const Blocks blocks({{8, 6, 5}, {3, 4, 4}});
  Owned<Mat> A;
  Owned<PC> pc;
  OK(AssembleMatrix(blocks.couplings(), 2, MATBAIJ, 1, &A, blocks.local(blocks.rank)));
  const std::vector<PetscInt> ijk = blocks.ijk();
  std::vector<PetscInt> more(ijk), turned(ijk);
  more[5] += 1;
  std::swap(turned[0], turned[1]);
  for (const char *options : {"-pc_fgbilu_grid_coupling coupled", "-pc_fgbilu_grid_coupling block_jacobi",
                              "-pc_fgbilu_grid_coupling block_jacobi -pc_fgbilu_schedule level"}) {
    OK(MakePC(A, PCFGBILU, options, &pc));
    OK(SetGrids(pc, more));
    std::string text = ExpectError([&] { return PCSetUp(pc); });
    ExpectIn(text, {"(-pc_fgbilu_grid, PCFinegrainSetGrid() or a DMDA) does not"});
    OK(SetGrids(pc, turned));
    if (std::string(options).find("level") == std::string::npos) {
      text = ExpectError([&] { return PCSetUp(pc); });
      EXPECT_NE(text.find("-pc_fgbilu_grid"), std::string::npos) << options << text;
      EXPECT_NE(text.find("no hyperplanes of the grid"), std::string::npos) << options << text;
    }
    OK(SetGrids(pc, ijk));
    OK(PCSetUp(pc)); // usable after errors
  }
}

TEST(Blocks, GridsOfOneRankMayChangeAlone)
{
  const Blocks &blocks = layouts()[1];
  Owned<Mat> A;
  Owned<PC> pc, reference;
  PetscReal d;
  OK(AssembleMatrix(blocks.couplings(), 2, MATBAIJ, 1, &A, blocks.local(blocks.rank)));
  OK(MakeBlocksPC(blocks, A, "", &pc));
  OK(MakeReference(A, &reference));
  OK(PCSetUp(pc));
  const int analyses = EventCount("FGAnalyze");
  OK(SetGrids(pc, blocks.ijk()));
  OK(PCSetUp(pc));
  EXPECT_EQ(EventCount("FGAnalyze"), analyses); // nothing has changed
  OK(SetGrids(pc, blocks.rank ? blocks.ijk() : std::vector<PetscInt>{}));
  OK(ComparePCs(A, pc, reference, &d));
  EXPECT_LT(d, tolerance);
  EXPECT_EQ(EventCount("FGAnalyze"), analyses + 1);
  // A refusal on one rank is an error on all.
  const PetscInt bad[] = {3, 0, 2};
  const std::string text = ExpectError([&] { return PCFinegrainSetGrid(pc, blocks.rank ? 0 : 1, bad); });
  ExpectIn(text, {"give 1 or more"});
}

TEST(Blocks, TriplesOnTheCommandLineServeAllRanks)
{
  const int ranks = Size();
  const Blocks blocks({{4, 3, 2 * ranks}, {3, 4, 3 * ranks}, {2, 2, ranks}}); // the same slabs on all ranks
  Owned<Mat> A;
  Owned<PC> pc, set;
  PetscReal d;
  std::string text;
  OK(AssembleMatrix(blocks.couplings(), 2, MATBAIJ, 1, &A, blocks.local(blocks.rank)));
  const std::string coupling = "-pc_fgbilu_grid_coupling block_jacobi -pc_fgbilu_corrections 1";
  OK(MakePC(A, PCFGBILU, coupling + " -pc_fgbilu_grid 4,3,2,3,4,3,2,2,1", &pc));
  OK(MakeBlocksPC(blocks, A, coupling, &set));
  OK(ComparePCs(A, pc, set, &d));
  EXPECT_EQ(d, 0);
  OK(ViewText(pc, &text));
  ExpectIn(text, {"schedule: hyperplane, 8 groups"});
}

} // namespace
