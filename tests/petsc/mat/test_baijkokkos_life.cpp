// SPDX-License-Identifier: BSD-2-Clause
// Life of MATBAIJKOKKOS in PETSc: copies, conversions, submatrices, files, types from options. In each it has the
// values and products of a MATBAIJ.
#include "baijkokkos.hpp"

#include <petsc/private/matimpl.h>

#include <cstdio>
#include <set>
#include <unistd.h>
#include <utility>

using namespace finegrain::test;

namespace
{

std::string TypeOf(Mat A) { return object(A)->type_name; }
std::string OurType() { return Size() > 1 ? MATMPIBAIJKOKKOS : MATSEQBAIJKOKKOS; }

// Compares after a scaling, which reveals an outdated device copy.
void ExpectLike(Mat A, Mat B, const char *what)
{
  PetscReal d;
  OK(CompareProducts(A, B, &d));
  EXPECT_LT(d, tolerance) << what;
  OK(MatScale(A, 3));
  OK(MatScale(B, 3));
  OK(CompareProducts(A, B, &d));
  EXPECT_LT(d, tolerance) << what << ", scaled";
  OK(MatScale(A, PetscReal(1) / 3));
  OK(MatScale(B, PetscReal(1) / 3));
}

// Sets two on the diagonal of a matrix that is not assembled yet, so that y = A x is 2 x.
void ExpectDiagonal(Mat A)
{
  Owned<Vec> x, y;
  PetscInt first, last;
  PetscReal d;
  const PetscScalar two = 2;
  OK(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; ++row) {
    OK(MatSetValues(A, 1, &row, 1, &row, &two, INSERT_VALUES));
  }
  OK(Assemble(A));
  OK(MakeVectors(A, &x, &y));
  const int made = EventCount("FGMatCopy");
  OK(MatMult(A, x, y));
  EXPECT_EQ(EventCount("FGMatCopy"), made + 1); // the product is ours
  OK(VecScale(x, 2));
  OK(Difference(x, y, &d));
  EXPECT_LT(d, tolerance);
}

class Life : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(BAIJKokkos, Life, ::testing::Values(1, 2, 3, 4, 5, 8));

TEST_P(Life, DuplicatesAreMatricesOfTheirOwn)
{
  const PetscInt n = GetParam();
  Owned<Mat> A, B, C, D;
  PetscReal d;
  OK(AssembleMatrix(star(4, 3, 3), n, MATBAIJKOKKOS, 1, &A));
  OK(AssembleMatrix(star(4, 3, 3), n, MATBAIJ, 1, &B));
  OK(CompareProducts(A, B, &d)); // loads the device copy
  OK(MatDuplicate(A, MAT_COPY_VALUES, &C));
  EXPECT_EQ(TypeOf(C), OurType());
  OK(MatZeroEntries(A));
  ExpectLike(C, B, "copy");
  OK(MatDuplicate(C, MAT_DO_NOT_COPY_VALUES, &D));
  OK(MatCopy(C, D, SAME_NONZERO_PATTERN));
  ExpectLike(D, B, "copy of a copy");
  OK(MatDuplicate(C, MAT_SHARE_NONZERO_PATTERN, &D));
  OK(MatAXPY(D, 1, C, SAME_NONZERO_PATTERN));
  ExpectLike(D, B, "shared structure");
  // A copy can be preallocated again.
  OK(MatSeqBAIJSetPreallocation(C, n, 1, nullptr));
  OK(MatMPIBAIJSetPreallocation(C, n, 1, nullptr, 0, nullptr));
  ExpectDiagonal(C);
}

TEST_P(Life, ConversionsKeepTheValues)
{
  const PetscInt n = GetParam();
  for (const MatType other : {MATBAIJ, MATAIJ, MATSBAIJ}) {
    Owned<Mat> A, B, C, D;
    OK(AssembleMatrix(star(4, 3, 3), n, MATBAIJ, 1, &B));
    if (std::string(other) == MATSBAIJ) {
      OK(MakeSymmetric(B));
    }
    OK(MatConvert(B, other, MAT_INITIAL_MATRIX, &C));
    OK(MatConvert(C, MATBAIJKOKKOS, MAT_INITIAL_MATRIX, &A));
    EXPECT_EQ(TypeOf(A), OurType());
    ExpectLike(A, B, other);
    OK(MatScale(A, 2));
    OK(MatConvert(C, MATBAIJKOKKOS, MAT_REUSE_MATRIX, A.in_place()));
    ExpectLike(A, B, other);
    if (std::string(other) == MATSBAIJ) {
      OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
    }
    OK(MatConvert(A, other, MAT_INITIAL_MATRIX, &D));
    EXPECT_EQ(TypeOf(D), TypeOf(C));
    ExpectLike(D, B, other);
    OK(MatScale(D, 2));
    if (std::string(other) != MATSBAIJ) {
      OK(MatConvert(A, other, MAT_REUSE_MATRIX, D.in_place()));
      ExpectLike(D, B, other);
    }
    OK(MatConvert(A, other, MAT_INPLACE_MATRIX, A.in_place()));
    EXPECT_EQ(TypeOf(A), TypeOf(C));
    ExpectLike(A, B, other);
    OK(MatConvert(A, MATBAIJKOKKOS, MAT_INPLACE_MATRIX, A.in_place()));
    EXPECT_EQ(TypeOf(A), OurType());
    ExpectLike(A, B, other);
    OK(MatConvert(A, MATSAME, MAT_INITIAL_MATRIX, &D));
    EXPECT_EQ(TypeOf(D), OurType());
    ExpectLike(D, B, "same");
  }
}

// Rows of a block row have entries in different blocks, also of other ranks. Conversion fills up blocks with zeros
// and adds no other blocks.
TEST_P(Life, AnyAIJMatrixIsConverted)
{
  const PetscInt n = GetParam(), local = 6 * n, size = local * Size();
  for (const MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_INPLACE_MATRIX}) {
    Owned<Mat> A, B;
    PetscInt first, last;
    std::set<std::pair<PetscInt, PetscInt>> blocks;
    OK(MatCreate(PETSC_COMM_WORLD, &A));
    OK(MatSetSizes(A, local, local, size, size));
    OK(MatSetType(A, MATAIJ));
    OK(MatSetBlockSize(A, n));
    OK(MatSeqAIJSetPreallocation(A, 4, nullptr));
    OK(MatMPIAIJSetPreallocation(A, 4, nullptr, 4, nullptr));
    OK(MatGetOwnershipRange(A, &first, &last));
    for (PetscInt row = first; row < last; ++row)
      for (const PetscInt column : {row, (row * 7 + 3) % size, (row * row + 11) % size, size - 1 - row}) {
        const PetscScalar value = PetscScalar(1) / PetscReal(1 + row + 3 * column);
        OK(MatSetValue(A, row, column, value, INSERT_VALUES));
        blocks.emplace(row / n, column / n);
      }
    OK(Assemble(A));
    OK(MatDuplicate(A, MAT_COPY_VALUES, &B));
    if (reuse == MAT_INITIAL_MATRIX) {
      Owned<Mat> C;
      OK(MatConvert(A, MATBAIJKOKKOS, reuse, &C));
      ExpectLike(C, B, "copy");
      OK(MatConvert(A, MATBAIJKOKKOS, MAT_REUSE_MATRIX, C.in_place()));
      ExpectLike(C, B, "copy again");
      MatInfo info;
      OK(MatGetInfo(C, MAT_LOCAL, &info));
      EXPECT_EQ(info.nz_used, double(blocks.size()) * double(n * n));
      EXPECT_EQ(info.mallocs, 0);
    } else {
      OK(MatConvert(A, MATBAIJKOKKOS, reuse, A.in_place()));
      EXPECT_EQ(TypeOf(A), OurType());
      ExpectLike(A, B, "in place");
    }
  }
}

// The type for several ranks on one rank, and blocks of the rows' size if columns have another block size.
TEST_P(Life, AIJKeepsItsForm)
{
  const PetscInt n = GetParam();
  Owned<Mat> A, C;
  PetscInt first, last;
  OK(MatCreate(PETSC_COMM_WORLD, &A));
  OK(MatSetSizes(A, 4 * n, 4 * n, PETSC_DETERMINE, PETSC_DETERMINE));
  OK(MatSetType(A, MATMPIAIJ));
  OK(MatSetBlockSizes(A, n, 1));
  OK(MatMPIAIJSetPreallocation(A, 1, nullptr, 0, nullptr));
  OK(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; ++row) {
    OK(MatSetValue(A, row, row, 2, INSERT_VALUES));
  }
  OK(Assemble(A));
  OK(MatConvert(A, MATMPIBAIJKOKKOS, MAT_INITIAL_MATRIX, &C));
  EXPECT_EQ(TypeOf(C), MATMPIBAIJKOKKOS);
  PetscInt size;
  OK(MatGetBlockSize(C, &size));
  EXPECT_EQ(size, n);
  ExpectLike(C, A, "copy");
}

TEST_P(Life, FilesKeepTheValues)
{
  const PetscInt n = GetParam();
  char name[] = "/tmp/finegrain-mat-XXXXXX";
  Owned<Mat> A, B, C;
  Owned<PetscViewer> viewer;
  std::string a, b;
  const int rank = Rank();
  if (!rank) close(mkstemp(name));
  MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, PETSC_COMM_WORLD);
  OK(AssembleMatrix(star(4, 3, 3), n, MATBAIJKOKKOS, 1, &A));
  OK(AssembleMatrix(star(4, 3, 3), n, MATBAIJ, 1, &B));
  OK(ViewText(object(A), &a));
  OK(ViewText(object(B), &b));
  if (const auto at = a.find("kokkos"); at != std::string::npos) a.erase(at, 6);
  EXPECT_EQ(a, b);
  OK(PetscViewerBinaryOpen(PETSC_COMM_WORLD, name, FILE_MODE_WRITE, &viewer));
  OK(MatView(A, viewer));
  viewer.reset();
  OK(MakeLike(B, MATBAIJKOKKOS, &C));
  for (int round = 0; round < 2; ++round) {
    OK(PetscViewerBinaryOpen(PETSC_COMM_WORLD, name, FILE_MODE_READ, &viewer));
    OK(MatLoad(C, viewer));
    viewer.reset();
    ExpectLike(C, B, "loaded");
    OK(MatZeroEntries(C));
  }
  EXPECT_EQ(TypeOf(C), OurType());
  if (!rank) {
    std::remove(name);
    std::remove((std::string(name) + ".info").c_str()); // PETSc stores the block size there
  }
}

// The memory of products, for -ksp_view.
TEST(BAIJKokkos, ViewsNameTheDeviceCopy)
{
  Owned<Mat> A;
  Owned<Vec> x, y;
  std::string text;
  OK(AssembleMatrix(star(4, 3, 3), 2, MATBAIJKOKKOS, 1, &A));
  OK(ViewText(object(A), &text, PETSC_VIEWER_ASCII_INFO));
  ExpectIn(text, {"device copy: none yet"});
  OK(MakeVectors(A, &x, &y));
  OK(MatMult(A, x, y));
  OK(ViewText(object(A), &text, PETSC_VIEWER_ASCII_INFO));
  ExpectIn(text, {"device copy: ", ", bytes: "});
  EXPECT_EQ(text.find("none"), std::string::npos);
  OK((*A.get()->ops->bindtocpu)(A, PETSC_TRUE));
  OK(ViewText(object(A), &text, PETSC_VIEWER_ASCII_INFO));
  ExpectIn(text, {"device copy: none, bound to the host"});
}

TEST_P(Life, SubmatricesAreThoseOfBaij)
{
  const PetscInt n = GetParam();
  Owned<Mat> A[2], S[2];
  Owned<IS> rows;
  PetscReal d;
  PetscInt first, last;
  for (int k = 0; k < 2; ++k) {
    OK(AssembleMatrix(star(4, 3, 3), n, k ? MATBAIJ : MATBAIJKOKKOS, 1, &A[k]));
  }
  OK(MatGetOwnershipRange(A[0], &first, &last));
  OK(ISCreateStride(PETSC_COMM_WORLD, (last - first) / n / 2 * n, first, 1, &rows));
  OK(ISSetBlockSize(rows, n));
  for (const MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX}) {
    if (reuse == MAT_REUSE_MATRIX && Size() > 1) break; // MPIBAIJ does not support it if ranks own unequal parts
    for (int k = 0; k < 2; ++k) {
      OK(MatCreateSubMatrix(A[k], rows, rows, reuse, S[k].in_place()));
    }
    OK(CompareProducts(S[0], S[1], &d));
    EXPECT_LT(d, tolerance);
    for (int k = 0; k < 2; ++k) {
      OK(MatScale(A[k], 3));
    }
  }
}

// The same number of blocks, in other places.
TEST(BAIJKokkos, MayBePreallocatedAnew)
{
  Owned<Mat> A[2];
  PetscReal d;
  for (int k = 0; k < 2; ++k) {
    OK(AssembleMatrix(star(36, 1, 1), 2, k ? MATBAIJ : MATBAIJKOKKOS, 1, &A[k]));
  }
  for (const PetscInt step : {1, 2, 5}) {
    for (Mat M : A) {
      PetscInt first, last;
      OK(MatSeqBAIJSetPreallocation(M, 2, 2, nullptr));
      OK(MatMPIBAIJSetPreallocation(M, 2, 2, nullptr, 2, nullptr));
      OK(MatGetOwnershipRange(M, &first, &last));
      for (PetscInt row = first / 2; row < last / 2; ++row) {
        const PetscInt col[2] = {row, (row + step) % 36};
        const PetscScalar blocks[8] = {4, 1, 2, PetscReal(row), 5, 1, PetscReal(step), 3};
        OK(MatSetValuesBlocked(M, 1, &row, 2, col, blocks, INSERT_VALUES));
      }
      OK(Assemble(M));
    }
    OK(CompareProducts(A[0], A[1], &d));
    EXPECT_LT(d, tolerance) << step;
  }
}

TEST(BAIJKokkos, TheTypeComesFromOptions)
{
  for (const PetscInt dim : {2, 3})
    for (const PetscInt dof : {1, 2, 3, 4, 5}) {
      const Options set("-dm_mat_type baijkokkos");
      Owned<DM> da;
      Owned<Mat> A, B;
      Owned<Vec> x, y;
      OK(MakeGrid(dim, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, dof, 1, &da));
      OK(DMCreateMatrix(da, &A));
      EXPECT_EQ(TypeOf(A), OurType());
      OK(AssembleOnGrid(da, MATBAIJ, &B));
      OK(AssembleOnGrid(da, MATBAIJKOKKOS, &A));
      ExpectLike(A, B, "DMDA");
      OK(MatCreateVecs(A, &x, &y));
      PetscInt a, b;
      OK(VecGetBlockSize(x, &a));
      OK(VecGetBlockSize(y, &b));
      EXPECT_EQ(a, dof);
      EXPECT_EQ(b, dof);
    }
  const Options set("-mat_type baijkokkos");
  Owned<Mat> A;
  OK(MatCreate(PETSC_COMM_WORLD, &A));
  OK(MatSetSizes(A, 6, 6, PETSC_DETERMINE, PETSC_DETERMINE));
  OK(MatSetBlockSize(A, 3));
  OK(MatSetFromOptions(A));
  EXPECT_EQ(TypeOf(A), OurType());
  OK(MatSetUp(A));
  ExpectDiagonal(A); // with PETSc's own preallocation
}

// Since PETSc 3.19 MatSetUp() gives a matrix the operations of a hash table until it is preallocated or assembled.
TEST_P(Life, FillsAfterSetUpWithoutPreallocation)
{
  enum { values, preallocated, scalars, blocks };
  const PetscInt n = GetParam();
  const Couplings c = star(4, 3, 3);
  for (const int way : {values, preallocated, scalars, blocks}) {
    Owned<Mat> A, B;
    Coordinates coordinates;
    OK(AssembleMatrix(c, n, MATBAIJ, 1, &B));
    OK(coordinates.make(c, n, way == blocks));
    OK(coordinates.oracle(B, 3, INSERT_VALUES));
    OK(MakeLike(B, MATBAIJKOKKOS, &A));
    OK(MatSetUp(A));
    EXPECT_EQ(TypeOf(A), OurType());
    if (way == preallocated) {
      OK(MatSeqBAIJSetPreallocation(A, n, 7, nullptr));
      OK(MatMPIBAIJSetPreallocation(A, n, 7, nullptr, 7, nullptr));
    }
    if (way < scalars) {
      OK(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
      OK(coordinates.oracle(A, 3, ADD_VALUES));
    } else {
      OK(coordinates.prepare(A));
      OK(coordinates.set(A, 3, INSERT_VALUES));
    }
    ExpectLike(A, B, std::to_string(way).c_str());
  }
}

// A matrix that such a table fills cannot be converted yet.
TEST(BAIJKokkos, IsNotConvertedBeforeItIsAssembled)
{
  for (const bool ours : {true, false}) {
    Owned<Mat> A;
    OK(MatCreate(PETSC_COMM_WORLD, &A));
    OK(MatSetSizes(A, 4, 4, PETSC_DETERMINE, PETSC_DETERMINE));
    OK(MatSetType(A, ours ? MATBAIJKOKKOS : MATBAIJ));
    OK(MatSetUp(A));
    const std::string type = TypeOf(A);
    {
      ErrorCatcher catcher;
      EXPECT_NE(MatConvert(A, ours ? MATBAIJ : MATBAIJKOKKOS, MAT_INPLACE_MATRIX, A.in_place()), PETSC_SUCCESS);
    }
    EXPECT_EQ(TypeOf(A), type);
    if (ours) ExpectDiagonal(A);
  }
}

TEST(BAIJKokkos, MayBeDestroyedOrGivenAnotherTypeBeforeItIsUsed)
{
  for (int step = 0; step < 4; ++step) {
    Owned<Mat> A;
    OK(MatCreate(PETSC_COMM_WORLD, &A));
    if (step > 0) {
      OK(MatSetSizes(A, 4, 4, PETSC_DETERMINE, PETSC_DETERMINE));
      OK(MatSetType(A, MATBAIJKOKKOS));
    }
    if (step > 1) {
      OK(MatSetType(A, step == 2 ? MATAIJ : MATBAIJ));
      OK(MatSetType(A, MATBAIJKOKKOS));
    }
    if (step > 2) {
      OK(MatSetUp(A));
    }
  }
}

PetscErrorCode Twice(Mat, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(x, y));
  PetscCall(VecScale(y, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BAIJKokkos, KeepsAnOperationOfTheUsers)
{
  Owned<Mat> A;
  Owned<Vec> x, y;
  PetscReal d;
  OK(AssembleMatrix(star(4, 3, 3), 2, MATBAIJKOKKOS, 1, &A));
  OK(MakeVectors(A, &x, &y));
  OK(MatSetOperation(A, MATOP_MULT, reinterpret_cast<void (*)(void)>(Twice)));
  OK(MatScale(A, 7));
  OK(MatMult(A, x, y));
  OK(VecScale(x, 2));
  OK(Difference(y, x, &d));
  EXPECT_EQ(d, 0);
}

} // namespace
