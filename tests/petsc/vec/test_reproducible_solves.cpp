// SPDX-License-Identifier: BSD-2-Clause
// Products of MATBAIJKOKKOS and whole solves: bitwise identical to those of one rank, which each rank computes alone.
// The tables are those of docs/topics/reproducible.md.
#include "ranks.hpp"

using namespace finegrain::test;
using namespace finegrain::test::ranks;

namespace
{

struct Solve {
  std::vector<PetscReal> history;
  std::vector<PetscScalar> solution;
  std::vector<PetscInt> index;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
};

PetscErrorCode SolveOn(const Make &make, MPI_Comm comm, const std::string &options, VecType type, Solve *out)
{
  Owned<Mat> A;
  Owned<DM> da;
  Owned<KSP> ksp;
  Owned<Vec> b, x;
  const PetscReal *history;
  PetscInt count;
  const Options set(options);

  PetscFunctionBegin;
  PetscCall(make(comm, &A, &da));
  PetscCall(MatSetVecType(A, type));
  PetscCall(ranks::MakeVectors(A, da, &b, &x, &out->index));
  PetscCall(VecSet(x, 0));
  PetscCall(KSPCreate(comm, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-9, PETSC_DEFAULT, PETSC_DEFAULT, 60));
  PetscCall(KSPSetResidualHistory(ksp, nullptr, PETSC_DECIDE, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &out->reason));
  PetscCall(KSPGetResidualHistory(ksp, &history, &count));
  out->history.assign(history, history + count);
  PetscCall(GetOwned(x, &out->solution));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// True if the solve has the bits of one rank on all ranks.
PetscErrorCode IsReproducible(const Make &make, const std::string &options, VecType type, bool *same)
{
  Solve all, alone;

  PetscFunctionBegin;
  PetscCall(SolveOn(make, PETSC_COMM_WORLD, options, type, &all));
  PetscCall(SolveOn(make, PETSC_COMM_SELF, options, type, &alone));
  EXPECT_GT(all.history.size(), 1u);
  int differ = all.history != alone.history || all.reason != alone.reason ||
               CountDifferences(all.index, all.solution, alone.solution) > 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &differ, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  *same = !differ;
  PetscFunctionReturn(PETSC_SUCCESS);
}

Make Grid(PetscInt dim, MatType type = MATBAIJKOKKOS)
{
  return OfGrid(dim, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 1, type);
}

// Products with the matrix, in natural order on grids.
TEST(Reproducible, ProductsAreThoseOfOneRank)
{
  for (const PetscInt n : {1, 2, 5})
    for (const bool adds : {false, true})
      for (const Make &make : {OfGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, 1, MATBAIJKOKKOS),
                               OfGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, n, 1, MATBAIJKOKKOS),
                               OfGrid(2, DM_BOUNDARY_PERIODIC, DMDA_STENCIL_BOX, n, 1, MATBAIJKOKKOS),
                               OfCouplings(scattered(44, 5, false), n, MATBAIJKOKKOS)}) {
        std::vector<PetscInt> index, everything;
        std::vector<PetscScalar> result[2];
        for (const bool alone : {false, true}) {
          Owned<Mat> A;
          Owned<DM> da;
          Owned<Vec> b, y;
          OK(make(alone ? PETSC_COMM_SELF : PETSC_COMM_WORLD, &A, &da));
          OK(ranks::MakeVectors(A, da, &b, &y, alone ? &everything : &index));
          OK(adds ? MatMultAdd(A, b, b, y) : MatMult(A, b, y));
          OK(GetOwned(y, &result[alone]));
        }
        EXPECT_EQ(CountDifferences(index, result[0], result[1]), 0) << "blocks of " << n << (adds ? ", added" : "");
      }
}

// Blocks that are smaller than a point of the grid.
TEST(Reproducible, ProductsWithSeveralRowsOfAPointAreThoseOfOneRank)
{
  std::vector<PetscInt> index, everything;
  std::vector<PetscScalar> result[2];
  for (const bool alone : {false, true}) {
    const MPI_Comm comm = alone ? PETSC_COMM_SELF : PETSC_COMM_WORLD;
    Owned<Mat> A, blocks;
    Owned<DM> da;
    Owned<Vec> b, y;
    OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 4, 1, &da, comm));
    OK(AssembleOnGrid(da, MATAIJ, &A));
    PetscInt rows;
    OK(MatGetLocalSize(A, &rows, nullptr));
    OK(MatCreate(comm, &blocks));
    OK(MatSetSizes(blocks, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
    OK(MatSetBlockSize(blocks, 2));
    OK(MatSetType(blocks, MATBAIJKOKKOS));
    OK(MatSetUp(blocks));
    OK(MatSetOption(blocks, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscInt first, last;
    OK(MatGetOwnershipRange(A, &first, &last));
    for (PetscInt row = first; row < last; ++row) {
      const PetscInt *columns;
      const PetscScalar *values;
      PetscInt count;
      OK(MatGetRow(A, row, &count, &columns, &values));
      OK(MatSetValues(blocks, 1, &row, count, columns, values, INSERT_VALUES));
      OK(MatRestoreRow(A, row, &count, &columns, &values));
    }
    OK(Assemble(blocks));
    OK(MatSetDM(blocks, da));
    OK(ranks::MakeVectors(blocks, da, &b, &y, alone ? &everything : &index));
    OK(MatMult(blocks, b, y));
    OK(GetOwned(y, &result[alone]));
  }
  EXPECT_EQ(CountDifferences(index, result[0], result[1]), 0);
}

struct Row {
  const char *options;
  bool symmetric = false; // for symmetric matrices and preconditioners
};

// Krylov methods, with a preconditioner that has the bits of one rank.
const std::vector<Row> methods = {{"gmres"},
                                  {"gmres -ksp_gmres_modifiedgramschmidt"},
                                  {"gmres -ksp_gmres_restart 3"},
                                  {"gmres -ksp_pc_side right"},
                                  {"fgmres"},
                                  {"lgmres"},
                                  {"dgmres"},
                                  {"pgmres"},
                                  {"pipefgmres"},
                                  {"gcr"},
                                  {"pipegcr"},
                                  {"bcgs"},
                                  {"fbcgs"},
                                  {"bcgsl"},
                                  {"pipebcgs"},
                                  {"cgs"},
                                  {"tfqmr"},
                                  {"richardson"},
                                  {"chebyshev -ksp_chebyshev_esteig_noisy false"},
                                  {"refine"},
                                  {"cr", true},
                                  {"cg", true},
                                  {"fcg", true},
                                  {"pipecg", true},
                                  {"pipecr", true},
                                  {"groppcg", true},
                                  {"pipecgrr", true},
                                  {"pipefcg", true},
                                  {"pipeprcg", true},
                                  {"minres", true},
                                  {"symmlq", true},
                                  {"nash", true},
                                  {"stcg", true},
                                  {"gltr", true}};

std::string With(const Row &row)
{
  return std::string("-ksp_type ") + row.options +
         (row.symmetric ? " -pc_type mcpi -pc_mcpi_sweep symmetric -pc_mcpi_exchange color"
                        : " -pc_type fgbilu -pc_fgbilu_global");
}

TEST(Reproducible, KrylovMethodsThatAre)
{
  for (const Row &row : methods) {
    SCOPED_TRACE(row.options);
    bool same;
    const ErrorCatcher catcher;
    const PetscErrorCode code = IsReproducible(Grid(3), With(row), VECREPRODUCIBLE, &same);
    if (PetscDefined(USE_COMPLEX) && (code == PETSC_ERR_SUP || code == PETSC_ERR_ARG_UNKNOWN_TYPE))
      continue; // a method for real numbers
    OK(code);
    EXPECT_TRUE(same);
  }
}

// Preconditioners with the bits of one rank.
const std::vector<Row> preconditioners = {
  {"none"},
  {"jacobi"},
  {"pbjacobi"},

  {"fgbilu -pc_fgbilu_global"},
  {"fgbilu -pc_fgbilu_global -pc_fgbilu_corrections 1"},
  {"fgbilu -pc_fgbilu_global -pc_fgbilu_eisenstat true"},
  {"fgbilu -pc_fgbilu_global -pc_fgbilu_eisenstat false -pc_fgbilu_factor ilu0"},
  {"mcpi -pc_mcpi_exchange color"},
  {"mcpi -pc_mcpi_exchange color -pc_mcpi_precision half"},
  {"powerqilu -pc_powerqilu_global"},
  {"powerqilu -pc_powerqilu_global -pc_powerqilu_levels 1"},
  {"sip -pc_sip_global"},
  {"fieldsplit -pc_fieldsplit_type additive -fieldsplit_pc_type jacobi"},
  {"composite -pc_composite_pcs jacobi,fgbilu -sub_1_pc_fgbilu_global"},
  {"ksp -ksp_pc_type fgbilu -ksp_pc_fgbilu_global -ksp_ksp_max_it 3"}};

TEST(Reproducible, PreconditionersThatAre)
{
  for (const Row &row : preconditioners) {
    SCOPED_TRACE(row.options);
    bool same;
    OK(IsReproducible(Grid(3), std::string("-ksp_type gmres -pc_type ") + row.options, VECREPRODUCIBLE, &same));
    EXPECT_TRUE(same);
  }
}

// Without a grid: rows in PETSc's order, colors instead of a pipeline.
TEST(Reproducible, MatricesWithoutAGridAre)
{
  for (const char *pc : {"jacobi", "pbjacobi", "mcpi -pc_mcpi_exchange color", "powerqilu -pc_powerqilu_global"})
    for (const PetscInt n : {1, 3}) {
      SCOPED_TRACE(pc);
      bool same;
      OK(IsReproducible(OfCouplings(scattered(90, 4, true), n, MATBAIJKOKKOS),
                        std::string("-ksp_type bcgs -pc_type ") + pc, VECREPRODUCIBLE, &same));
      EXPECT_TRUE(same);
    }
}

// One of its parts alone does not suffice, and some methods and preconditioners depend on the ranks. If one of these
// rows passes, docs/topics/reproducible.md is out of date.
TEST(Reproducible, SolvesThatAreNot)
{
  if (Size() < 3) GTEST_SKIP() << "enough ranks to differ";
  const std::string pc = " -pc_type fgbilu -pc_fgbilu_global";
  const auto expect_different = [](const Make &make, const std::string &options, VecType type) {
    SCOPED_TRACE(options + " with vectors of type " + type);
    bool same;
    OK(IsReproducible(make, options, type, &same));
    EXPECT_FALSE(same);
  };
  expect_different(Grid(3), "-ksp_type gmres" + pc, VECSTANDARD);
  expect_different(Grid(3, MATBAIJ), "-ksp_type gmres -pc_type jacobi", VECREPRODUCIBLE);
  expect_different(Grid(3, MATAIJ), "-ksp_type gmres -pc_type jacobi", VECREPRODUCIBLE);
  expect_different(Grid(3), "-ksp_type gmres -pc_type fgbilu", VECREPRODUCIBLE);
  expect_different(Grid(3), "-ksp_type gmres -pc_type bjacobi", VECREPRODUCIBLE);
  expect_different(Grid(3), "-ksp_type gmres -pc_type gamg", VECREPRODUCIBLE);
  if (PETSC_VERSION_GE(3, 19, 0)) return; // methods of other versions may sum in another way
  for (const char *type : {"fbcgsr", "pipecg2", "bicg"})
    expect_different(Grid(3), std::string("-ksp_type ") + type + pc, VECREPRODUCIBLE);
}

TEST(Reproducible, InfoNamesWhatDependsOnTheRanks)
{
  if (Size() == 1) GTEST_SKIP() << "one rank";
  const auto info = [](const Make &make, const std::string &options, const std::vector<std::string> &parts) {
    SCOPED_TRACE(options);
    Solve solve;
    std::string text;
    OK(InfoText([&] { return SolveOn(make, PETSC_COMM_WORLD, options, VECREPRODUCIBLE, &solve); }, &text));
    if (Rank()) return;
    if (parts.empty()) {
      EXPECT_EQ(text.find("The vectors are reproducible"), std::string::npos);
    }
    ExpectIn(text, parts);
  };
  info(Grid(3), "-pc_type mcpi -pc_mcpi_exchange color", {});
  info(Grid(3), "-pc_type fgbilu -pc_fgbilu_global", {});
  info(Grid(3), "-pc_type fgbilu", {"the solve is not", "use -pc_fgbilu_global"});
  info(Grid(3), "-pc_type mcpi", {"use -pc_mcpi_exchange color"});
  info(Grid(3, MATBAIJ), "-pc_type fgbilu -pc_fgbilu_global", {"products with a Mat of type mpibaij depend"});
}

} // namespace
