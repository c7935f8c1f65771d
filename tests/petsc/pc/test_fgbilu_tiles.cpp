// SPDX-License-Identifier: BSD-2-Clause
// -pc_<type>_ordering tiles, compared with PETSc's ILU(0) and ICC(0) of the permuted matrix.
#include "types.hpp"

#include <algorithm>
#include <array>
#include <numeric>

using namespace finegrain::test;

namespace
{

using Size3 = std::array<PetscInt, 3>;

// Returns the block rows of one grid by tiles of the colors that `color` computes from the coordinates of tiles.
std::vector<PetscInt> OrderByTiles(Size3 grid, Size3 tile, const std::function<PetscInt(Size3)> &color,
                                   Size3 shift = {})
{
  const auto key = [&](PetscInt row) {
    const Size3 at{(row % grid[0] + shift[0]) / tile[0], (row / grid[0] % grid[1] + shift[1]) / tile[1],
                   (row / (grid[0] * grid[1]) + shift[2]) / tile[2]};
    return std::array<PetscInt, 5>{color(at), at[2], at[1], at[0], row};
  };
  std::vector<PetscInt> order(std::size_t(grid[0] * grid[1] * grid[2]));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](PetscInt a, PetscInt b) { return key(a) < key(b); });
  return order;
}
PetscInt Parity(Size3 at) { return (at[0] + at[1] + at[2]) % 2; }
PetscInt Octant(Size3 at) { return at[0] % 2 + 2 * (at[1] % 2) + 4 * (at[2] % 2); }

// y = P^T M^-1 P b for PETSc's ILU(0), or ICC(0), of MatPermute().
PetscErrorCode ApplyPermuted(Mat A, PCType type, const std::vector<PetscInt> &order, Vec b, Vec y)
{
  Owned<IS> rows;
  Owned<Mat> permuted;
  Owned<PC> pc;
  Owned<Vec> p, q;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &n));
  PetscCall(ISCreateBlock(PETSC_COMM_SELF, n, PetscInt(order.size()), order.data(), PETSC_COPY_VALUES, &rows));
  PetscCall(ISSetPermutation(rows));
  PetscCall(MatPermute(A, rows, rows, &permuted));
  PetscCall(MakePC(permuted, type, "-pc_factor_mat_ordering_type natural", &pc));
  PetscCall(VecDuplicate(b, &p));
  PetscCall(VecDuplicate(b, &q));
  PetscCall(VecCopy(b, p));
  PetscCall(VecPermute(p, rows, PETSC_FALSE));
  PetscCall(Apply(pc, p, q));
  PetscCall(VecPermute(q, rows, PETSC_TRUE));
  PetscCall(VecCopy(q, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct TileCase {
  const char *name;
  Couplings couplings;
  Size3 grid;
  std::string tile; // of the option; empty: default
  Size3 edges;
  std::function<PetscInt(Size3)> color;
};

std::vector<TileCase> TileCases()
{
  const auto ring = [](Size3 at) { // five tiles in a ring need a third color, three in the other direction too
    static const PetscInt greedy[3][5] = {{0, 1, 0, 1, 2}, {1, 0, 1, 0, 3}, {2, 3, 2, 3, 0}};
    return greedy[at[1]][at[0]];
  };
  return {{"star", star(9, 10, 8), {9, 10, 8}, "3,2,4", {3, 2, 4}, Parity},
          {"default", star(17, 9, 9), {17, 9, 9}, "", {8, 8, 8}, Parity},
          {"box", box(9, 6, 5), {9, 6, 5}, "4,2,3", {4, 2, 3}, Octant},
          {"periodic", star(10, 6, 1, 1, true), {10, 6, 1}, "2,2,1", {2, 2, 1}, ring}};
}

TEST(TileOrdering, EqualsPetscsFactorOfThePermutedMatrix)
{
  if (Size() > 1) GTEST_SKIP() << "PETSc factors on one rank";
  for (const TileCase &c : TileCases())
    for (const auto &[n, matrix] : {std::pair(1, MATAIJ), std::pair(1, MATBAIJ), std::pair(4, MATBAIJ)}) {
      SCOPED_TRACE(std::string(c.name) + " " + matrix + " " + std::to_string(n));
      const std::vector<PetscInt> order = OrderByTiles(c.grid, c.edges, c.color);
      std::string grid, text;
      for (const PetscInt edge : c.grid) grid += (grid.empty() ? "" : ",") + std::to_string(edge);
      Owned<Mat> A;
      Owned<PC> pc;
      PetscReal d;
      OK(AssembleMatrix(c.couplings, n, matrix, 1, &A));
      const std::string tile = c.tile.empty() ? "" : " -pc_fgbilu_tile " + c.tile;
      OK(MakePC(A, PCFGBILU, "-pc_fgbilu_ordering tiles -pc_fgbilu_grid " + grid + tile, &pc));
      Vectors v(A);
      OK(v.code);
      OK(Apply(pc, v.b, v.x));
      OK(ApplyPermuted(A, PCILU, order, v.b, v.y));
      OK(Difference(v.x, v.y, &d));
      EXPECT_LT(d, tolerance);
      OK(ViewText(pc, &text));
      ExpectIn(text,
               {"in tiles order", "schedule: level", "ordering: colored tiles of " + std::to_string(c.edges[0])});
    }
}

TEST(TileOrdering, OfFgbiccEqualsPetscsIcc)
{
  if (Size() > 1) GTEST_SKIP() << "PETSc factors on one rank";
  Owned<Mat> A;
  Owned<PC> pc;
  PetscReal d;
  OK(AssembleMatrix(star(9, 10, 8), 1, MATAIJ, 1, &A));
  OK(MakeSymmetric(A));
  OK(MakePC(A, PCFGBICC, "-pc_fgbicc_ordering tiles -pc_fgbicc_grid 9,10,8 -pc_fgbicc_tile 3,2,4", &pc));
  Vectors v(A);
  OK(v.code);
  OK(Apply(pc, v.b, v.x));
  OK(ApplyPermuted(A, PCICC, OrderByTiles({9, 10, 8}, {3, 2, 4}, Parity), v.b, v.y));
  OK(Difference(v.x, v.y, &d));
  EXPECT_LT(d, tolerance);
}

// Grids of a DMDA, on any number of ranks: all algorithms give the same bits, and not those of the natural order.
TEST(TileOrdering, OnAGridOfTheDmHasTheSameBitsForAllAlgorithms)
{
  for (const auto boundary : {DM_BOUNDARY_NONE, DM_BOUNDARY_PERIODIC})
    for (const auto stencil : {DMDA_STENCIL_STAR, DMDA_STENCIL_BOX})
      for (const std::string type : {PCFGBILU, PCFGBICC}) {
        Owned<DM> da;
        Owned<Mat> A;
        Owned<PC> pc, natural;
        Owned<Vec> first;
        PetscReal d;
        OK(MakeGrid(3, boundary, stencil, 2, 1, &da));
        OK(AssembleOnGrid(da, MATBAIJ, &A));
        if (type == PCFGBICC) {
          OK(MakeSymmetric(A));
        }
        Vectors v(A);
        OK(v.code);
        OK(MakePC(A, type.c_str(), "", &natural));
        OK(PCSetDM(natural, da));
        OK(Apply(natural, v.b, v.y));
        for (const std::string algorithm : {"auto", "sequential", "levels", "tasks"}) {
          OK(MakePC(A, type.c_str(), Expand("-@_ordering tiles -@_tile 2,3,2 -@_algorithm " + algorithm, type), &pc));
          OK(PCSetDM(pc, da));
          OK(Apply(pc, v.b, v.x));
          if (!first) {
            OK(VecDuplicate(v.x, &first));
            OK(VecCopy(v.x, first));
            OK(Difference(first, v.y, &d));
            EXPECT_GT(d, 0);
          }
          OK(Difference(v.x, first, &d));
          EXPECT_EQ(d, 0) << type << " " << algorithm;
        }
      }
}

// On several ranks the order is that of the rank's own box.
TEST(TileOrdering, OfADmdaEqualsPetscsFactorOfEachRank)
{
  for (const auto &[stencil, color] : {std::pair(DMDA_STENCIL_STAR, &Parity), std::pair(DMDA_STENCIL_BOX, &Octant)}) {
    Owned<DM> da;
    Owned<Mat> A;
    Owned<PC> pc;
    Owned<Vec> b, x;
    Mat own;
    Size3 points;
    PetscInt n;
    PetscReal d;
    OK(MakeGrid(3, DM_BOUNDARY_NONE, stencil, 2, 1, &da));
    OK(AssembleOnGrid(da, MATBAIJ, &A));
    OK(DMDAGetCorners(da, nullptr, nullptr, nullptr, &points[0], &points[1], &points[2]));
    OK(MakePC(A, PCFGBILU, "-pc_fgbilu_ordering tiles -pc_fgbilu_tile 3,2,2", &pc));
    Vectors v(A);
    OK(v.code);
    OK(Apply(pc, v.b, v.x));
    OK(MatGetDiagonalBlock(A, &own));
    OK(VecGetLocalSize(v.b, &n));
    for (Vec *local : {&b, &x}) {
      OK(VecCreateSeq(PETSC_COMM_SELF, n, local));
    }
    const PetscScalar *given;
    PetscScalar *array;
    OK(VecGetArrayRead(v.b, &given));
    OK(VecGetArrayWrite(b, &array));
    std::copy(given, given + n, array);
    OK(VecRestoreArrayWrite(b, &array));
    OK(VecRestoreArrayRead(v.b, &given));
    OK(ApplyPermuted(own, PCILU, OrderByTiles(points, {3, 2, 2}, color), b, x));
    const PetscScalar *expected;
    OK(VecGetArrayRead(x, &expected));
    OK(VecGetArrayWrite(v.y, &array));
    std::copy(expected, expected + n, array);
    OK(VecRestoreArrayWrite(v.y, &array));
    OK(VecRestoreArrayRead(x, &expected));
    OK(Difference(v.x, v.y, &d));
    EXPECT_LT(d, tolerance);
  }
}

// Two grids of a rank, of one and three planes: tiles of the second begin at its own first plane.
TEST(TileOrdering, OfSeveralGridsHasTilesOfEach)
{
  if (Size() > 1) GTEST_SKIP() << "PETSc factors on one rank";
  std::vector<PetscInt> of_each = OrderByTiles({6, 4, 1}, {2, 2, 2}, Parity);
  for (const PetscInt row : OrderByTiles({6, 4, 3}, {2, 2, 2}, Parity)) of_each.push_back(24 + row);
  const auto of_both = OrderByTiles({6, 4, 4}, {2, 2, 2}, Parity, {0, 0, 1});
  for (const bool coupled : {true, false}) {
    Owned<Mat> A, factored;
    Owned<PC> pc;
    PetscReal d;
    OK(AssembleMatrix(star(6, 4, 4), 2, MATBAIJ, 1, &A));
    OK(MakePC(A, PCFGBILU,
              std::string("-pc_fgbilu_ordering tiles -pc_fgbilu_tile 2,2,2 -pc_fgbilu_grid 6,4,1,6,4,3 "
                          "-pc_fgbilu_grid_coupling ") +
                (coupled ? "coupled" : "block_jacobi"),
              &pc));
    Vectors v(A);
    OK(v.code);
    OK(Apply(pc, v.b, v.x));
    OK(MatDuplicate(A, MAT_COPY_VALUES, &factored));
    const std::vector<PetscScalar> zeros(4, 0);
    for (PetscInt i = 0; i < 24 && !coupled; ++i) { // couplings between the planes 0 and 1
      const PetscInt j = i + 24;
      OK(MatSetValuesBlocked(factored, 1, &i, 1, &j, zeros.data(), INSERT_VALUES));
      OK(MatSetValuesBlocked(factored, 1, &j, 1, &i, zeros.data(), INSERT_VALUES));
    }
    OK(Assemble(factored));
    OK(ApplyPermuted(factored, PCILU, coupled ? of_both : of_each, v.b, v.y));
    OK(Difference(v.x, v.y, &d));
    EXPECT_LT(d, tolerance) << coupled;
  }
}

TEST(TileOrdering, WithoutAGridIsAnErrorWithARemedy)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(8, 6, 5), 2, MATBAIJ, 1, &A));
  for (const std::string type : {PCFGBILU, PCFGBICC, PCPOWERQILU}) {
    const std::string ordering = "-pc_" + type + "_ordering";
    ExpectRefusal(
      A, type, ordering + " tiles",
      {ordering + " tiles needs", "-pc_" + type + "_grid I,J,K", "PCFinegrainSetGrid()", ordering + " rcm"});
  }
  ExpectRefusal(A, PCFGBILU, "-pc_fgbilu_ordering tiles -pc_fgbilu_grid 6,8,7", {"6,8,7", "-pc_fgbilu_grid"});
  if (Size() == 1)
    ExpectRefusal(A, PCFGBILU, "-pc_fgbilu_ordering tiles -pc_fgbilu_schedule hyperplane -pc_fgbilu_grid 8,6,5",
                  {"-pc_fgbilu_schedule hyperplane", "-pc_fgbilu_ordering"});
}

} // namespace
