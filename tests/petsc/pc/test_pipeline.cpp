// SPDX-License-Identifier: BSD-2-Clause
// PCFGBILU and PCSIP with a global factorization of the grid: results are bitwise identical to those of one rank for
// any process grid and any delays of messages. Also what they refuse.
#include "delays.hpp"
#include "mcpi.hpp"
#include "ranks.hpp"
#include "refine.hpp"
#include "types.hpp"

#include <petscdmda.h>

#include <numeric>

using namespace finegrain::test;
using namespace finegrain::test::ranks;

namespace
{

// Replaces @ by pc_<type>.
std::string WithPipeline(const std::string &type, const std::string &options)
{
  return Expand("-@_global " + options, type);
}

Make OfStar(PetscInt dim, PetscInt dof, MatType type = MATBAIJ)
{
  // DMDAs have no BAIJ in one dimension.
  return OfGrid(dim, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, dof, 1, dim == 1 ? MATAIJ : type);
}

void ExpectBits(const std::string &type, const Make &make, const std::string &options)
{
  // The residuals of transposed corrections are PETSc's products.
  const bool steps = options.find("corrections") != std::string::npos || options.find("its") != std::string::npos;
  ranks::ExpectBitsOfOneRank(type.c_str(), make, WithPipeline(type, options),
                             type == PCSIP
                               ? "factor: Stone's, alpha "
                               : "factor: block DILU, here equal to ILU(0), in natural order, of all ranks",
                             !steps);
}

class Pipeline : public ::testing::TestWithParam<std::tuple<std::string, PetscInt>>
{
protected:
  const std::string type = std::get<0>(GetParam());
  const PetscInt n = std::get<1>(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Unknowns, Pipeline,
                         ::testing::Combine(::testing::Values(PCFGBILU, PCSIP), ::testing::Values(1, 5)));

// Tiles of one point in the plane; in space larger ones, each of which may wait for another process.
TEST_P(Pipeline, GivesTheBitsOfOneRank)
{
  for (const char *options : {"", "-@_tile 1,1,1", "-@_tile 4,1,1", "-@_precision single"})
    ExpectBits(type, OfStar(2, n), options);
  for (const char *options : {"", "-@_tile 4,3,5", "-@_tile 99,2,9", "-@_precision single -@_diag_precision storage",
                              "-@_algorithm sequential -@_corrections 2"})
    ExpectBits(type, OfStar(3, n), options);
  ExpectBits(type, OfStar(1, n), "-@_tile 5,1,1");
  ExpectBits(type, OfStar(3, n, MATAIJ), "");
  if (type == PCSIP) ExpectBits(type, OfStar(3, n), "-@_alpha 0.7,0.2 -@_its 2");
}

// All process grids for this number of ranks.
TEST_P(Pipeline, AnyProcessGrid)
{
  PetscMPIInt ranks;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  for (int x = 1; x <= ranks; ++x)
    for (int y = 1; x * y <= ranks; ++y) {
      if (ranks % (x * y)) continue;
      const int cuts[] = {x, y, ranks / x / y};
      const Make star = OfStar(3, n);
      const Make make = [&](MPI_Comm comm, Mat *A, DM *da) {
        PetscMPIInt size;
        PetscFunctionBegin;
        PetscCallMPI(MPI_Comm_size(comm, &size));
        std::string text;
        for (int a = 0; a < 3; ++a)
          if (size > 1) text += std::string(" -da_processors_") + "xyz"[a] + " " + std::to_string(cuts[a]);
        const Options set(text);
        PetscCall(star(comm, A, da));
        PetscFunctionReturn(PETSC_SUCCESS);
      };
      ExpectBits(type, make, "");
      ExpectBits(type, make, "-@_tile 6,3,5");
    }
}

// On one rank the factor is the same without the global option.
TEST_P(Pipeline, IsTheFactorOfTheWholeGrid)
{
  for (const PetscInt dim : {2, 3})
    for (const bool transposed : {false, true}) {
      std::vector<PetscInt> index, everything;
      std::vector<PetscScalar> mine, alone;
      std::string text;
      OK(Result(type.c_str(), OfStar(dim, n), PETSC_COMM_WORLD, WithPipeline(type, ""), transposed, &index, &mine,
                &text));
      OK(Result(type.c_str(), OfStar(dim, n), PETSC_COMM_SELF, "", transposed, &everything, &alone, &text));
      EXPECT_EQ(CountDifferences(index, mine, alone), 0) << "dimension " << dim << (transposed ? ", transposed" : "");
    }
}

// Eisenstat's trick in a few steps of Richardson's iteration, which needs no dot products over ranks.
TEST_P(Pipeline, EisenstatGivesTheBitsOfOneRank)
{
  if (type != PCFGBILU) return; // the others have no such option
  const auto solve = [&](const Make &make, MPI_Comm comm, const std::string &options, bool guess,
                         std::vector<PetscInt> *index, std::vector<PetscScalar> *result) {
    Owned<Mat> A;
    Owned<DM> da;
    Owned<KSP> ksp;
    Owned<Vec> b, x;

    PetscFunctionBegin;
    PetscCall(make(comm, &A, &da));
    PetscCall(refine::MakeKSP(A, A, KSPRICHARDSON,
                              "-ksp_max_it 4 -ksp_norm_type none -pc_type fgbilu "
                              "-pc_fgbilu_eisenstat " +
                                options,
                              &ksp));
    PetscCall(ranks::MakeVectors(A, da, &b, &x, index));
    PetscCall(KSPSetInitialGuessNonzero(ksp, PetscBool(guess)));
    if (guess) PetscCall(VecCopy(b, x));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(GetOwned(x, result));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  for (const PetscInt dim : {1, 2, 3})
    for (const char *options : {"", "-pc_fgbilu_tile 3,4,2"})
      for (const bool guess : {false, true}) {
        std::vector<PetscInt> index, everything;
        std::vector<PetscScalar> mine, alone, plain;
        const std::string all = WithPipeline(PCFGBILU, options);
        OK(solve(OfStar(dim, n), PETSC_COMM_WORLD, all, guess, &index, &mine));
        OK(solve(OfStar(dim, n), PETSC_COMM_SELF, all, guess, &everything, &alone));
        OK(solve(OfStar(dim, n), PETSC_COMM_SELF, "", guess, &everything, &plain));
        SCOPED_TRACE(all + (guess ? ", with a guess" : "") + ", dimension " + std::to_string(dim));
        EXPECT_EQ(CountDifferences(index, mine, alone), 0);
        EXPECT_EQ(CountDifferences(index, mine, plain), 0);
      }
}

// A star with some couplings missing, different ones in the two directions.
TEST(PipelineLife, PatternsThatAreNotSymmetric)
{
  const Make make = [](MPI_Comm comm, Mat *A, DM *da) {
    Owned<Mat> whole;
    PetscInt first, last, M, N;

    PetscFunctionBegin;
    PetscCall(OfStar(2, 1, MATAIJ)(comm, &whole, da));
    PetscCall(MatGetOwnershipRange(whole, &first, &last));
    PetscCall(MatGetSize(whole, &M, &N));
    std::vector<PetscInt> natural(static_cast<std::size_t>(M));
    AO ao;
    std::iota(natural.begin(), natural.end(), 0);
    PetscCall(DMDAGetAO(*da, &ao));
    PetscCall(AOPetscToApplication(ao, M, natural.data()));
    PetscCall(MatCreateAIJ(comm, last - first, last - first, M, N, 5, nullptr, 5, nullptr, A));
    PetscCall(MatSetFromOptions(*A));
    PetscCall(MatSetDM(*A, *da));
    for (PetscInt row = first; row < last; ++row) {
      const PetscInt *columns;
      const PetscScalar *values;
      PetscInt count;
      PetscCall(MatGetRow(whole, row, &count, &columns, &values));
      for (PetscInt k = 0; k < count; ++k) // by natural numbers, so that it does not depend on ranks
        if (columns[k] == row || (natural[std::size_t(row)] * 5 + natural[std::size_t(columns[k])] * 2) % 4)
          PetscCall(MatSetValue(*A, row, columns[k], values[k], INSERT_VALUES));
      PetscCall(MatRestoreRow(whole, row, &count, &columns, &values));
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  for (const char *type : {PCFGBILU, PCSIP})
    for (const char *options : {"", "-@_tile 2,2,1"}) ExpectBits(type, make, options);
}

// New values without another analysis; several vectors at once; both parts; a second set-up with another shape.
TEST(PipelineLife, RefreshVectorsAndParts)
{
  Owned<Mat> A, B;
  Owned<DM> da, other;
  Owned<PC> pc, fresh;
  Owned<Vec> b, x, y, z;
  PetscReal difference;
  OK(OfStar(3, 3)(PETSC_COMM_WORLD, &A, &da));
  OK(MakeGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 3, 1, &other));
  OK(AssembleOnGrid(other, MATBAIJ, &B, 9));
  OK(MakePC(A, PCFGBILU, WithPipeline(PCFGBILU, "-@_tile 4,4,4"), &pc));
  OK(MakeVectors(A, &b, &x));
  OK(VecDuplicate(x, &y));
  OK(VecDuplicate(x, &z));
  OK(PCSetUp(pc));
  const int analyses = EventCount("FGAnalyze");
  OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
  OK(PCSetUp(pc));
  EXPECT_EQ(EventCount("FGAnalyze"), analyses);
  OK(Apply(pc, b, x));
  OK(MakePC(B, PCFGBILU, WithPipeline(PCFGBILU, ""), &fresh));
  OK(PCSetUp(fresh));
  OK(Apply(fresh, b, y));
  OK(Difference(x, y, &difference));
  EXPECT_EQ(difference, 0);
  OK(PCApplySymmetricLeft(pc, b, z));
  OK(PCApplySymmetricRight(pc, z, y));
  OK(Difference(x, y, &difference));
  EXPECT_EQ(difference, 0);
  OK(PCFinegrainSetTile(pc, 11, 1, 1));
  OK(PCSetUp(pc));
  OK(Apply(pc, b, y));
  OK(Difference(x, y, &difference));
  EXPECT_EQ(difference, 0);
  ExpectColumnsAlone(pc, y);
}

// A singular block on one rank fails on all ranks, and the next regular values work.
TEST(PipelineLife, SingularBlocksFailOnAllRanks)
{
  Owned<Mat> A, good;
  Owned<DM> da;
  Owned<PC> pc;
  Owned<Vec> b, x;
  PCFailedReason reason;
  PetscInt rows, n = 2;
  OK(OfStar(2, n)(PETSC_COMM_WORLD, &A, &da));
  OK(MatDuplicate(A, MAT_COPY_VALUES, &good));
  OK(MakePC(A, PCFGBILU, WithPipeline(PCFGBILU, ""), &pc));
  OK(MakeVectors(A, &b, &x));
  OK(PCSetUp(pc));
  OK(MatGetSize(A, &rows, nullptr));
  OK(MakeSingular(A, rows / n - 1, n));
  OK(PCSetUp(pc));
  OK(PCGetFailedReason(pc, &reason));
  EXPECT_NE(reason, PC_NOERROR);
  OK(MatCopy(good, A, SAME_NONZERO_PATTERN));
  OK(PCSetUp(pc));
  OK(PCGetFailedReason(pc, &reason));
  EXPECT_EQ(reason, PC_NOERROR);
  OK(Apply(pc, b, x));
}

// Sends are held back and reordered, and ranks sleep at random.
TEST(PipelineLife, LateMessagesChangeNothing)
{
  const Delays delays;
  for (const char *type : {PCFGBILU, PCSIP})
    for (const char *options : {"", "-@_tile 4,4,4", "-@_tile 11,10,2"}) ExpectBits(type, OfStar(3, 2), options);
  ranks::ExpectBitsOfOneRank(PCPOWERQILU, OfStar(2, 2), "-pc_powerqilu_global -pc_powerqilu_levels 1", "coloring: jp",
                             true);
  ranks::ExpectBitsOfOneRank(PCMCPI, OfStar(2, 2), "-pc_mcpi_exchange color", "coloring: redblack", false);
  PetscMPIInt size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  EXPECT_EQ(delays.count() > 0, size > 2); // of two ranks, none receives and sends in one sweep
}

TEST(PipelineLife, RefusesWhatHasNoPipeline)
{
  const auto text = [&](const Make &make, const std::string &options, const char *type = PCFGBILU) {
    Owned<Mat> A;
    Owned<DM> da;
    Owned<PC> pc;
    EXPECT_EQ(make(PETSC_COMM_WORLD, &A, &da), PETSC_SUCCESS);
    EXPECT_EQ(MakePC(A, type, WithPipeline(type, options), &pc), PETSC_SUCCESS);
    return ExpectError([&] { return PCSetUp(pc); });
  };
  const Make star = OfStar(2, 2);
  ExpectIn(text(OfGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, 2, 1), ""),
           {"-pc_fgbilu_global goes over stars of width 1", "leave out -pc_fgbilu_global"});
  ExpectIn(text(OfGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 2), ""), {"stars of width 1"});
  ExpectIn(text(OfGrid(2, DM_BOUNDARY_PERIODIC, DMDA_STENCIL_STAR, 2, 1), ""), {"without periodic axes"});
  ExpectIn(text(OfCouplings(scattered(30, 2, true), 2), ""), {"needs the DMDA", "KSPSetDM()"});
  ExpectIn(text(star, "-pc_fgbilu_grid 2,3,4"), {"leave out -pc_fgbilu_grid"});
  ExpectIn(text(star, "-pc_fgbilu_schedule level"), {"-pc_fgbilu_schedule auto"});
  ExpectIn(text(star, "-pc_fgbilu_ordering rcm"), {"-pc_fgbilu_ordering is an order of a rank's own rows"});
  ExpectIn(text(star, "-pc_fgbilu_algorithm levels"), {"-pc_fgbilu_algorithm sequential"});
  ExpectIn(text(star, "-pc_fgbilu_precision half"), {"-pc_fgbilu_precision working or single"});
  ExpectIn(text(star, "-pc_fgbilu_eisenstat -pc_fgbilu_precision single"), {"-pc_fgbilu_precision working"});
  ExpectIn(text(star, "-pc_fgbilu_grid_coupling block_jacobi"), {"-pc_fgbilu_grid_coupling block_jacobi"});
  ExpectIn(text(star, "-pc_sip_alternate", PCSIP), {"-pc_sip_global", "-pc_sip_alternate"});
}

TEST(PipelineLife, ViewHasTheModel)
{
  Owned<Mat> A;
  Owned<DM> da;
  Owned<PC> pc;
  std::string text;
  PetscMPIInt ranks;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  OK(OfStar(3, 2)(PETSC_COMM_WORLD, &A, &da));
  OK(MakePC(A, PCFGBILU, WithPipeline(PCFGBILU, "-@_tile 11,10,1"), &pc));
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  ExpectIn(text,
           {"of all ranks together", "tiles of 11 x 10 x 1 points on a rank; by a model", "exchange: each tile"});
  if (ranks == 1)
    ExpectIn(text, {"pipeline: 1 x 1 x 1 ranks, 9 tiles", "a sweep takes 9 tile steps, efficiency 100 %"});
}

} // namespace
