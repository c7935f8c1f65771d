// SPDX-License-Identifier: BSD-2-Clause
// MATBAIJKOKKOS inside gamg, PCMG and fieldsplit: the grids, iteration counts and solutions of AIJ, for the values
// at the first set-up and for later ones.
#include "baijkokkos.hpp"

#include <petscdmda.h>

#include <cstdlib>

using namespace finegrain::test;

namespace
{

// The results of a solve with the first and with other values.
struct Outcome {
  PetscInt its[2] = {-1, -1};
  int reason[2] = {0, 0};
  Owned<Vec> x[2];
  std::vector<PetscInt> rows; // rows of the grids of a multigrid, the finest first
  std::vector<PetscLogDouble> entries;
};

// Sets other values in the same structure.
PetscErrorCode ChangeValues(Mat A)
{
  Owned<Vec> d;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &d, nullptr));
  PetscCall(FillVector(d, 7));
  PetscCall(VecShift(d, 3));
  PetscCall(MatDiagonalScale(A, d, nullptr));
  PetscCall(MatShift(A, PetscScalar(0.5)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Finds the grids of a multigrid; its finest smoother must have the matrix itself.
PetscErrorCode FindGrids(PC pc, Mat A, Outcome *out)
{
  PetscBool multigrid;
  PetscInt levels;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny(object(pc), &multigrid, PCMG, PCGAMG, ""));
  if (!multigrid) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCMGGetLevels(pc, &levels));
  EXPECT_GT(levels, 1);
  for (PetscInt l = levels; l-- > 0;) {
    KSP smoother;
    Mat B;
    PetscInt rows;
    MatInfo info;
    PetscCall(PCMGGetSmoother(pc, l, &smoother));
    PetscCall(KSPGetOperators(smoother, nullptr, &B));
    EXPECT_EQ(B == A, l == levels - 1);
    PetscCall(MatGetSize(B, &rows, nullptr));
    PetscCall(MatGetInfo(B, MAT_GLOBAL_SUM, &info));
    out->rows.push_back(rows);
    out->entries.push_back(info.nz_used);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve(Mat A, DM da, const std::string &options, const std::function<PetscErrorCode(PC)> &prepare,
                     Outcome *out)
{
  Owned<KSP> ksp;
  Owned<Vec> b, x;
  PC pc;
  KSPConvergedReason reason;
  const Options set("-ksp_type fgmres -ksp_rtol 1e-8 -ksp_max_it 100 " + options);

  PetscFunctionBegin;
  srand48(1); // Chebyshev's first guess and gamg's order of aggregates are random
  PetscCall(MakeVectors(A, &b, &x));
  PetscCall(KSPCreate(PetscObjectComm(object(A)), &ksp));
  if (da) PetscCall(SetGrid(ksp, da));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  if (prepare) PetscCall(prepare(pc));
  PetscCall(KSPSetFromOptions(ksp));
  for (int round = 0; round < 2; ++round) {
    if (round) PetscCall(ChangeValues(A));
    PetscCall(VecDuplicate(x, &out->x[round]));
    PetscCall(KSPSolve(ksp, b, out->x[round]));
    PetscCall(KSPGetIterationNumber(ksp, &out->its[round]));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    out->reason[round] = int(reason);
  }
  PetscCall(FindGrids(pc, A, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Laplacians on 17 x 17 points, a grid that can be coarsened twice, with some coupling of unknowns. Random dominant
// matrices are not suitable: GMRES solves them in the ten steps from which gamg estimates eigenvalues, so that the
// last steps consist of rounding errors.
PetscErrorCode MakeProblem(PetscInt dof, MatType type, DM *da, Mat *A)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 17, 17,
                         PETSC_DECIDE, PETSC_DECIDE, dof, 1, nullptr, nullptr, da));
  PetscCall(DMSetUp(*da));
  PetscCall(AssembleOnGrid(*da, type, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  std::vector<std::vector<PetscInt>> columns; // read first: a value set makes the matrix unassembled
  for (PetscInt row = first; row < last; ++row) {
    PetscInt count;
    const PetscInt *cols;
    PetscCall(MatGetRow(*A, row, &count, &cols, nullptr));
    columns.emplace_back(cols, cols + count);
    PetscCall(MatRestoreRow(*A, row, &count, &cols, nullptr));
  }
  for (PetscInt row = first; row < last; ++row)
    for (const PetscInt col : columns[std::size_t(row - first)]) {
      const PetscReal laplacian = row == col ? PetscReal(4.2) : row % dof == col % dof ? -1 : 0;
      const PetscReal other = PetscReal(0.01) * PetscReal((row + 3 * col) % 5);
      PetscCall(MatSetValue(*A, row, col, PetscScalar(laplacian + other), INSERT_VALUES));
    }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void ExpectSame(const Outcome &a, const Outcome &b)
{
  for (int round = 0; round < 2; ++round) {
    PetscReal d;
    EXPECT_GT(a.reason[round], 0);
    EXPECT_EQ(a.reason[round], b.reason[round]);
    EXPECT_EQ(a.its[round], b.its[round]);
    OK(Difference(b.x[round], a.x[round], &d));
    EXPECT_LT(d, PetscSqrtReal(PETSC_MACHINE_EPSILON)) << "values " << round;
  }
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.entries, b.entries);
}

using Change = std::function<PetscErrorCode(Mat)>;

// `prepare` sets up a PC beyond its options, `change` changes the matrix of the problem.
void Compare(PetscInt dof, bool with_grid, const std::string &options,
             const std::function<PetscErrorCode(PC)> &prepare = {}, const Change &change = {})
{
  SCOPED_TRACE(options + ", unknowns: " + std::to_string(dof));
  Outcome out[2];
  for (int k = 0; k < 2; ++k) {
    Owned<DM> da;
    Owned<Mat> A;
    OK(MakeProblem(dof, k ? MATBAIJKOKKOS : MATAIJ, &da, &A));
    if (change) {
      OK(change(A));
    }
    OK(Solve(A, with_grid ? da.get() : nullptr, options, prepare, &out[k]));
  }
  ExpectSame(out[0], out[1]);
}

class Unknowns : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(BAIJKokkosMultigrid, Unknowns, ::testing::Values(1, 2, 4));

TEST_P(Unknowns, GamgCoarsensAsOnAij)
{
  const std::string gamg = "-pc_type gamg ";
  for (const char *options :
       {"", "-pc_gamg_agg_nsmooths 0", "-pc_gamg_aggressive_coarsening 1 -pc_gamg_square_graph 1",
        "-pc_gamg_reuse_interpolation", "-pc_gamg_reuse_interpolation 0", "-pc_gamg_threshold 0.02",
        "-pc_gamg_agg_nsmooths 0 -pc_gamg_process_eq_limit 100", "-pc_gamg_asm_use_agg", "-mg_levels_pc_type fgbilu",
        "-mg_levels_pc_type mcpi", "-pc_mg_type full -mg_levels_pc_type jacobi"})
    for (const bool with_grid : {false, true}) Compare(GetParam(), with_grid, gamg + options);
}

// More vectors in the near null space than unknowns: the interpolations have blocks of unequal sizes.
TEST(BAIJKokkosMultigrid, GamgTakesANearNullSpace)
{
  const Change add = [](Mat A) {
    Owned<MatNullSpace> space;
    Vec v[3];

    PetscFunctionBegin;
    for (int k = 0; k < 3; ++k) {
      PetscCall(MatCreateVecs(A, &v[k], nullptr));
      PetscCall(FillVector(v[k], k + 1));
      for (int j = 0; j < k; ++j) {
        PetscScalar dot;
        PetscCall(VecDot(v[k], v[j], &dot));
        PetscCall(VecAXPY(v[k], -dot, v[j]));
      }
      PetscCall(VecNormalize(v[k], nullptr));
    }
    PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 3, v, &space));
    PetscCall(MatSetNearNullSpace(A, space));
    for (Vec &w : v) PetscCall(VecDestroy(&w));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  for (const char *options : {"", " -pc_gamg_agg_nsmooths 0"})
    Compare(2, false, std::string("-pc_type gamg") + options, {}, add);
}

TEST_P(Unknowns, MultigridOfGridsTakesGalerkinOperators)
{
  const std::string mg = "-pc_type mg -pc_mg_levels 3 -mg_levels_ksp_type richardson -mg_levels_pc_type jacobi ";
  for (const char *options : {"-pc_mg_galerkin both", "-pc_mg_galerkin pmat", "-pc_mg_galerkin both -pc_mg_type full",
                              "-pc_mg_galerkin both -mg_levels_pc_type fgbilu -mg_levels_ksp_max_it 1"})
    Compare(GetParam(), true, mg + options);
}

// The first field lacks one unknown in the first grid point of each rank, so that it has no blocks.
PetscErrorCode SplitByUnknowns(PC pc)
{
  Mat A;
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, nullptr, &A));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  PetscCall(PCSetType(pc, PCFIELDSPLIT));
  for (const int field : {0, 1}) {
    std::vector<PetscInt> rows;
    Owned<IS> is;
    for (PetscInt i = first; i < last; ++i)
      if (((i - first) % 5 < 2) == (field == 0)) rows.push_back(i);
    PetscCall(ISCreateGeneral(PETSC_COMM_WORLD, PetscInt(rows.size()), rows.data(), PETSC_COPY_VALUES, &is));
    PetscCall(PCFieldSplitSetIS(pc, field ? "1" : "0", is));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The first field has half of the grid points, with whole blocks.
PetscErrorCode SplitByPoints(PC pc)
{
  Mat A;
  PetscInt first, last, n;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, nullptr, &A));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  PetscCall(MatGetBlockSize(A, &n));
  PetscCall(PCSetType(pc, PCFIELDSPLIT));
  for (const int field : {0, 1}) {
    std::vector<PetscInt> points;
    Owned<IS> is;
    for (PetscInt i = first / n; i < last / n; ++i)
      if (((i - first / n) % 2 == 0) == (field == 0)) points.push_back(i);
    PetscCall(ISCreateBlock(PETSC_COMM_WORLD, n, PetscInt(points.size()), points.data(), PETSC_COPY_VALUES, &is));
    PetscCall(PCFieldSplitSetIS(pc, field ? "1" : "0", is));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *const splits[] = {
  "-pc_fieldsplit_type additive",
  "-pc_fieldsplit_type multiplicative",
  "-pc_fieldsplit_type symmetric_multiplicative",
  "-pc_fieldsplit_type schur -pc_fieldsplit_schur_precondition selfp",
  "-pc_fieldsplit_type schur -pc_fieldsplit_schur_precondition a11 -pc_fieldsplit_schur_fact_type lower",
  "-pc_fieldsplit_type schur -pc_fieldsplit_schur_precondition full -fieldsplit_1_pc_type jacobi"};

TEST(BAIJKokkosMultigrid, FieldsAreSplitAsOnAij)
{
  const std::string inner = " -fieldsplit_0_pc_type bjacobi -fieldsplit_1_pc_type bjacobi -pc_fieldsplit_";
  for (const std::string split : splits) {
    Compare(2, true, "-pc_type fieldsplit " + split);
    Compare(3, false,
            "-pc_type fieldsplit " + split + inner +
              "block_size 3 -pc_fieldsplit_0_fields 0,2 "
              "-pc_fieldsplit_1_fields 1");
    Compare(3, false, split, SplitByUnknowns);
    Compare(3, false, split, SplitByPoints);
  }
  Compare(2, true, "-pc_type fieldsplit -fieldsplit_pc_type gamg");
  Compare(2, true, "-pc_type fieldsplit -fieldsplit_pc_type fgbilu");
  Compare(2, false, "-pc_type fieldsplit -pc_fieldsplit_detect_coupling");
}

// Removes the diagonal entry of the last unknown of each block.
PetscErrorCode MakeSaddlePoint(Mat A)
{
  PetscInt first, last, n;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  PetscCall(MatGetBlockSize(A, &n));
  for (PetscInt i = first + n - 1; i < last; i += n) {
    for (PetscInt c = 1; c < n; ++c) {
      PetscCall(MatSetValue(A, i, i - c, -20, INSERT_VALUES));
      PetscCall(MatSetValue(A, i - c, i, 20, INSERT_VALUES));
    }
    PetscCall(MatSetValue(A, i, i, 0, INSERT_VALUES));
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BAIJKokkosMultigrid, SaddlePointsAreFound)
{
  Owned<DM> da;
  Owned<Mat> A;
  Owned<IS> zero;
  PetscInt found;
  OK(MakeProblem(3, MATBAIJKOKKOS, &da, &A));
  OK(MakeSaddlePoint(A));
  OK(MatFindZeroDiagonals(A, &zero));
  OK(ISGetSize(zero, &found));
  EXPECT_EQ(found, 17 * 17);
  // The second values have a full diagonal, but the fields remain those found for the first values.
  Compare(3, false,
          "-pc_type fieldsplit -pc_fieldsplit_detect_saddle_point -pc_fieldsplit_type schur "
          "-pc_fieldsplit_schur_precondition selfp -fieldsplit_0_pc_type gamg -fieldsplit_1_pc_type jacobi",
          {}, MakeSaddlePoint);
}

TEST(BAIJKokkosMultigrid, OtherPreconditionersThatTakePartsOrProducts)
{
  for (const char *options :
       {"-pc_type composite -pc_composite_type multiplicative -pc_composite_pcs fgbilu,gamg",
        "-pc_type redistribute -redistribute_ksp_type gmres -redistribute_pc_type jacobi "
        "-redistribute_ksp_rtol 1e-10",
        "-pc_type redundant", "-pc_type asm", "-pc_type gasm", "-pc_type bjacobi -sub_pc_type lu"})
    Compare(2, false, options);
  // PETSc 3.25's hmg does not converge after new values of a baijkokkos matrix (docs/types/baijkokkos.md).
  if (PETSC_VERSION_LT(3, 19, 0)) Compare(2, false, "-pc_type hmg -hmg_inner_pc_type gamg");
}

} // namespace
