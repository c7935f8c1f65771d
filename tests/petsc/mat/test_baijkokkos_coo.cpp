// SPDX-License-Identifier: BSD-2-Clause
// MATBAIJKOKKOS assembled from coordinates, in its device copy: the values compared with a MATBAIJ filled by
// MatSetValues(), and errors.
#include "baijkokkos.hpp"

#include <petscsnes.h>

using namespace finegrain::test;

namespace
{

class Coo : public ::testing::TestWithParam<std::pair<int, bool>>
{
};
INSTANTIATE_TEST_SUITE_P(BAIJKokkos, Coo,
                         ::testing::Values(std::pair(1, false), std::pair(1, true), std::pair(2, true),
                                           std::pair(3, false), std::pair(4, true), std::pair(5, false),
                                           std::pair(5, true), std::pair(8, true), std::pair(13, false),
                                           std::pair(13, true)));

TEST_P(Coo, AssemblesWhatMatSetValuesDoes)
{
  const auto [n, blocks] = GetParam();
  Assembled m;
  PetscReal d;
  OK(m.make(scattered(30, 3, false), n, blocks));
  const int made = EventCount("FGMatCopy");
  for (const InsertMode mode : {INSERT_VALUES, ADD_VALUES, INSERT_VALUES, ADD_VALUES}) {
    OK(m.set(int(mode) + 3, mode));
    OK(CompareProducts(m.A, m.B, &d));
    EXPECT_LT(d, tolerance) << int(mode);
  }
  EXPECT_EQ(EventCount("FGMatCopy"), made); // no copy from the host
}

TEST_P(Coo, AddsInAFixedOrder)
{
  const auto [n, blocks] = GetParam();
  Assembled m;
  Owned<Vec> x, y, z;
  PetscBool same;
  OK(m.make(star(4, 3, 3), n, blocks));
  OK(m.set(1));
  OK(MakeVectors(m.A, &x, &y));
  OK(VecDuplicate(y, &z));
  OK(MatMult(m.A, x, y));
  OK(m.c.set(m.A, 2, INSERT_VALUES));
  for (const bool anew : {false, true}) {
    if (anew) {
      OK(m.c.prepare(m.A));
    }
    OK(m.c.set(m.A, 1, INSERT_VALUES));
    OK(MatMult(m.A, x, z));
    OK(VecEqual(y, z, &same));
    EXPECT_TRUE(same) << anew;
  }
}

TEST(BAIJKokkos, CoordinatesThatCannotBeAreRefused)
{
  Assembled m;
  PetscInt rows;
  OK(m.make(star(4, 3, 3), 3, false));
  OK(MatGetSize(m.A, &rows, nullptr));
  const int rank = Rank();
  PetscInt i[1] = {0}, j[1] = {0};
  if (!rank) j[0] = rows;
  std::string text = ExpectError([&] { return MatSetPreallocationCOO(m.A, 1, i, j); });
  ExpectIn(text, {"(0, " + std::to_string(rows) + ")", "outside"});
  i[0] = 0;
  j[0] = rank ? 0 : rows / 3;
  text = ExpectError([&] { return MatBAIJKokkosSetPreallocationCOO(m.A, 1, i, j); });
  ExpectIn(text, {"(0, " + std::to_string(rows / 3) + ")", "outside"});
  // More coordinates than PetscInt can number. The arrays are not read.
  const int ranks = Size();
  if (ranks > 1 && sizeof(PetscInt) == 4) {
    text = ExpectError([&] { return MatSetPreallocationCOO(m.A, PetscCount(1) << 31, i, j); });
    ExpectIn(text, {"64-bit-indices"});
  }
  // Afterwards the matrix has no coordinates for values.
  const PetscScalar v[1] = {1};
  text = ExpectError([&] { return MatSetValuesCOO(m.A, v, INSERT_VALUES); });
  ExpectIn(text, {"MatSetPreallocationCOO()"});
  // A matrix that never had coordinates.
  OK(AssembleMatrix(star(4, 3, 3), 2, MATBAIJKOKKOS, 1, &m.A));
  text = ExpectError([&] { return MatSetValuesCOO(m.A, v, INSERT_VALUES); });
  ExpectIn(text, {"MatSetPreallocationCOO()"});
  // A matrix of another type ignores the call.
  OK(AssembleMatrix(star(4, 3, 3), 2, MATBAIJ, 1, &m.A));
  OK(MatBAIJKokkosSetPreallocationCOO(m.A, 1, i, j));
}

TEST(BAIJKokkos, CoordinatesMustFitTheStructure)
{
  if (!takes_new_blocks) GTEST_SKIP() << "BAIJ itself does not";
  for (const bool set_before : {false, true}) {
    Assembled m;
    PetscInt first, last;
    PetscReal d;
    OK(m.make(star(4, 3, 3), 2, true));
    if (set_before) {
      OK(m.set(1));
    }
    OK(MatSetOption(m.A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    OK(MatGetOwnershipRange(m.A, &first, &last));
    const PetscScalar block[4] = {1, 2, 3, 4};
    if (first < last) {
      const PetscInt row = first / 2, col = (row + 18) % 36;
      OK(MatSetValuesBlocked(m.A, 1, &row, 1, &col, block, INSERT_VALUES));
    }
    OK(Assemble(m.A));
    const std::string text = ExpectError([&] { return m.c.set(m.A, 1, INSERT_VALUES); });
    ExpectIn(text, {"structure has changed", "MatSetPreallocationCOO()"});
    OK(m.c.prepare(m.A));
    OK(m.set(2));
    OK(CompareProducts(m.A, m.B, &d));
    EXPECT_LT(d, tolerance);
  }
}

TEST(BAIJKokkos, CoordinatesMayBeGivenAnew)
{
  Assembled m;
  Owned<PC> pc, oracle;
  PetscReal d;
  OK(m.make(star(4, 3, 3), 3, true));
  OK(m.set(1));
  OK(MakePC(m.A, PCFGBILU, "", &pc));
  OK(CompareProducts(m.A, m.B, &d));
  OK(PCSetUp(pc));
  for (const Couplings &c : {box(4, 3, 3), star(36, 1, 1), star(4, 3, 3)}) {
    OK(AssembleMatrix(c, 3, MATBAIJ, 1, &m.B));
    m.c = Coordinates();
    OK(m.c.make(c, 3, false));
    OK(m.c.prepare(m.A));
    OK(m.set(2));
    OK(CompareProducts(m.A, m.B, &d));
    EXPECT_LT(d, tolerance);
    OK(MakePC(m.B, PCFGBILU, "", &oracle));
    OK(ComparePCs(m.B, pc, oracle, &d));
    EXPECT_LT(d, tolerance);
  }
}

TEST(BAIJKokkos, ADiagonalBlockThatIsKeptFollows)
{
  Assembled m;
  Mat D[2];
  Owned<Vec> x, y[2];
  PetscReal d;
  OK(m.make(star(4, 3, 3), 3, true));
  OK(m.set(1));
  OK(MatGetDiagonalBlock(m.A, &D[0]));
  OK(MatGetDiagonalBlock(m.B, &D[1]));
  for (int round = 0; round < 2; ++round) {
    OK(m.set(2 + round));
    OK(MatCreateVecs(D[1], &x, &y[0]));
    OK(VecDuplicate(y[0], &y[1]));
    OK(FillVector(x, 1));
    OK(MatMult(D[1], x, y[1]));
    if (Size() > 1) { // on one rank it is the matrix itself
      OK(MatMult(D[0], x, y[0]));
      OK(Difference(y[0], y[1], &d));
      EXPECT_LT(d, tolerance);
    }
  }
  OK(CompareProducts(m.A, m.B, &d));
  EXPECT_LT(d, tolerance);
}

PetscErrorCode Squares(SNES, Vec x, Vec f, void *)
{
  PetscFunctionBegin;
  PetscCall(VecPointwiseMult(f, x, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The type of such functions differs between versions of PETSc.
template <class F> PetscErrorCode SetSquares(MatFDColoring c, PetscErrorCode (*set)(MatFDColoring, F, void *))
{
  PetscFunctionBegin;
  PetscCall((*set)(c, reinterpret_cast<F>(reinterpret_cast<void (*)(void)>(Squares)), nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// PETSc writes the values without a call that could be intercepted.
TEST(BAIJKokkos, ColoredDifferencesOverwriteWhatWasAssembled)
{
  Assembled m;
  Owned<ISColoring> colors;
  Owned<MatFDColoring> difference;
  Owned<SNES> snes;
  Owned<Vec> x, y, z;
  PetscReal d;
  OK(m.make(star(4, 3, 3), 3, true));
  OK(m.set(1));
  PetscInt first, last;
  OK(MatGetOwnershipRange(m.A, &first, &last));
  std::vector<ISColoringValue> color; // one color per block column
  for (PetscInt row = first / 3; row < last / 3; ++row) color.push_back(ISColoringValue(row));
  OK(ISColoringCreate(PETSC_COMM_WORLD, 36, PetscInt(color.size()), color.data(), PETSC_COPY_VALUES, &colors));
  OK(SNESCreate(PETSC_COMM_WORLD, &snes));
  OK(MatFDColoringCreate(m.A, colors, &difference));
  OK(SetSquares(difference, MatFDColoringSetFunction));
  OK(MatFDColoringSetFromOptions(difference));
  OK(MatFDColoringSetUp(m.A, colors, difference));
  OK(MakeVectors(m.A, &x, &y));
  OK(VecDuplicate(y, &z));
  for (int round = 0; round < 2; ++round) {
    OK(m.c.set(m.A, 2, INSERT_VALUES));
    OK(MatFDColoringApply(m.A, difference, x, snes));
    OK(MatMult(m.A, x, y)); // 2 diag(x) x
    OK(VecPointwiseMult(z, x, x));
    OK(VecScale(z, 2));
    OK(Difference(y, z, &d));
    EXPECT_LT(d, PetscSqrtReal(PETSC_MACHINE_EPSILON) * 100);
  }
}

TEST(BAIJKokkos, TakesTheLocalCoordinatesOfADm)
{
  for (const PetscInt dof : {1, 3}) {
    Owned<DM> da;
    Owned<Mat> A, B;
    PetscReal d;
    OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, dof, 1, &da));
    OK(AssembleOnGrid(da, MATBAIJ, &B));
    OK(DMSetMatType(da, MATBAIJKOKKOS));
    OK(DMSetMatrixPreallocateSkip(da, PETSC_TRUE));
    OK(DMCreateMatrix(da, &A));
    PetscInt x, y, w, h, gx, gy, gw, gh;
    OK(DMDAGetCorners(da, &x, &y, nullptr, &w, &h, nullptr));
    OK(DMDAGetGhostCorners(da, &gx, &gy, nullptr, &gw, &gh, nullptr));
    std::vector<PetscInt> i, j;
    std::vector<PetscScalar> v;
    OK(MatZeroEntries(B));
    for (PetscInt q = y; q < y + h; ++q)
      for (PetscInt p = x; p < x + w; ++p)
        for (const auto &[dx, dy] :
             {std::pair(0, 0), std::pair(1, 0), std::pair(-1, 0), std::pair(0, 1), std::pair(0, -1)}) {
          if (p + dx < 0 || p + dx >= 11 || q + dy < 0 || q + dy >= 10) continue;
          for (PetscInt e = 0; e < dof * dof; ++e) {
            i.push_back(((q - gy) * gw + p - gx) * dof + e % dof);
            j.push_back(((q + dy - gy) * gw + p + dx - gx) * dof + e / dof);
            v.push_back(PetscReal(1 + p % 3 + q % 2 + dx * 2 + e));
            OK(MatSetValuesLocal(B, 1, &i.back(), 1, &j.back(), &v.back(), ADD_VALUES));
          }
        }
    OK(Assemble(B));
    OK(MatSetPreallocationCOOLocal(A, PetscCount(i.size()), i.data(), j.data()));
    OK(MatSetValuesCOO(A, v.data(), ADD_VALUES));
    OK(CompareProducts(A, B, &d));
    EXPECT_LT(d, tolerance);
  }
}

} // namespace
