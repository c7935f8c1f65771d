// SPDX-License-Identifier: BSD-2-Clause
// MATBAIJKOKKOS: products compared with MATBAIJ, and a device copy that is updated after every change of the values,
// and only then.
#include "baijkokkos.hpp"

#include <petsc/private/matimpl.h>

#include <algorithm>

using namespace finegrain::test;

namespace
{

// A matrix and the same matrix of type MATBAIJ.
struct Pair {
  Owned<Mat> A, B;

  PetscErrorCode make(const Couplings &c, PetscInt n, int seed = 1, PetscInt local = PETSC_DECIDE)
  {
    PetscFunctionBegin;
    PetscCall(AssembleMatrix(c, n, MATBAIJKOKKOS, seed, &A, local));
    PetscCall(AssembleMatrix(c, n, MATBAIJ, seed, &B, local));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

class Products : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(BAIJKokkos, Products, ::testing::Values(1, 2, 3, 4, 5, 8, 13));

TEST_P(Products, AreThoseOfBaij)
{
  Couplings gaps = scattered(30, 3, false);
  for (std::size_t i = 0; i < gaps.size(); i += 4) gaps[i].clear(); // empty rows
  Couplings apart(12);                                              // no coupling between ranks
  for (std::size_t i = 0; i < apart.size(); ++i) apart[i].insert(PetscInt(i));
  for (const Couplings &c : {star(5, 4, 3), scattered(40, 4, false), gaps, apart}) {
    Pair p;
    PetscReal d;
    OK(p.make(c, GetParam()));
    OK(CompareProducts(p.A, p.B, &d));
    EXPECT_LT(d, tolerance);
  }
}

TEST_P(Products, OfRectangularMatricesAreThoseOfBaij)
{
  const PetscInt n = GetParam();
  for (const bool wide : {false, true}) {
    Owned<Mat> m[2];
    PetscReal d;
    for (int k = 0; k < 2; ++k) {
      PetscInt first, last;
      const int rank = Rank();
      const PetscInt rows = rank + 2, cols = wide ? 2 * rank + 3 : rank % 2; // some ranks own no columns
      OK(MatCreate(PETSC_COMM_WORLD, &m[k]));
      OK(MatSetSizes(m[k], rows * n, (cols + (Size() == 1)) * n, PETSC_DETERMINE, PETSC_DETERMINE));
      OK(MatSetBlockSize(m[k], n));
      OK(MatSetType(m[k], k ? MATBAIJ : MATBAIJKOKKOS));
      OK(MatSeqBAIJSetPreallocation(m[k], n, 4, nullptr));
      OK(MatMPIBAIJSetPreallocation(m[k], n, 4, nullptr, 4, nullptr));
      OK(MatGetOwnershipRange(m[k], &first, &last));
      PetscInt N;
      OK(MatGetSize(m[k], nullptr, &N));
      std::vector<PetscScalar> block(std::size_t(n * n));
      for (PetscInt i = first / n; i < last / n; ++i)
        for (PetscInt j = 0; j < std::min<PetscInt>(3, N / n); ++j) {
          const PetscInt col = (i * 2 + j) % (N / n);
          for (PetscInt e = 0; e < n * n; ++e) block[std::size_t(e)] = EntryValue(i * n + e, col, n, 1, 1);
          OK(MatSetValuesBlocked(m[k], 1, &i, 1, &col, block.data(), INSERT_VALUES));
        }
      OK(Assemble(m[k]));
    }
    OK(CompareProducts(m[0], m[1], &d));
    EXPECT_LT(d, tolerance);
  }
}

TEST(BAIJKokkos, ProductsAreTheSameBitsAgain)
{
  Pair p;
  Owned<Vec> x, y, z;
  PetscBool same;
  OK(p.make(scattered(40, 4, false), 5));
  OK(MakeVectors(p.A, &x, &y));
  OK(VecDuplicate(y, &z));
  for (const bool transposed : {false, true}) {
    OK(transposed ? MatMultTranspose(p.A, x, y) : MatMult(p.A, x, y));
    OK(transposed ? MatMultTranspose(p.A, x, z) : MatMult(p.A, x, z));
    OK(VecEqual(y, z, &same));
    EXPECT_TRUE(same || transposed);
  }
}

// A change of a matrix; `other` is another one of the same structure.
struct Change {
  const char *name;
  std::function<PetscErrorCode(Mat, Mat, PetscInt n)> change;
};

// Rows of the first block row of this rank, if it has one.
std::vector<PetscInt> SomeRows(Mat A, PetscInt n)
{
  PetscInt first, last;
  std::vector<PetscInt> rows;
  (void)MatGetOwnershipRange(A, &first, &last);
  if (first < last) rows = {first, first + n - 1};
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

PetscErrorCode SetOwn(Mat A, PetscInt n, InsertMode mode, bool blocked)
{
  std::vector<PetscScalar> block(std::size_t(n * n), PetscScalar(0.25));

  PetscFunctionBegin;
  for (const PetscInt row : SomeRows(A, n)) {
    const PetscInt at = blocked ? row / n : row;
    PetscCall(blocked ? MatSetValuesBlocked(A, 1, &at, 1, &at, block.data(), mode)
                      : MatSetValues(A, 1, &at, 1, &at, block.data(), mode));
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Rank 0 alone sets a value, in the last row.
PetscErrorCode SetRemote(Mat A, InsertMode mode)
{
  PetscInt last;
  const PetscScalar value = 3;

  PetscFunctionBegin;
  const int rank = Rank();
  PetscCall(MatGetSize(A, &last, nullptr));
  --last;
  if (!rank) PetscCall(MatSetValues(A, 1, &last, 1, &last, &value, mode));
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetNew(Mat A, PetscInt n)
{
  PetscInt rows;
  std::vector<PetscScalar> block(std::size_t(n * n), PetscScalar(0.5));

  PetscFunctionBegin;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetSize(A, &rows, nullptr));
  for (const PetscInt row : SomeRows(A, n)) {
    const PetscInt at = row / n, col = (at + rows / n / 2) % (rows / n);
    PetscCall(MatSetValuesBlocked(A, 1, &at, 1, &col, block.data(), INSERT_VALUES));
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ScaleDiagonally(Mat A)
{
  Owned<Vec> left, right;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &right, &left));
  PetscCall(FillVector(left, 5));
  PetscCall(FillVector(right, 6));
  PetscCall(MatDiagonalScale(A, left, right));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetDiagonal(Mat A, InsertMode mode)
{
  Owned<Vec> d;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, nullptr, &d));
  PetscCall(FillVector(d, 7));
  PetscCall(MatDiagonalSet(A, d, mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChangeArray(Mat A)
{
  PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(MatSeqBAIJGetArray(A, &values));
  values[0] = 17;
  PetscCall(MatSeqBAIJRestoreArray(A, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StoreAndRetrieve(Mat A)
{
  Owned<Vec> x, y;

  PetscFunctionBegin;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  PetscCall(MatStoreValues(A));
  PetscCall(MatScale(A, 3));
  PetscCall(MatShift(A, 1));
  PetscCall(MakeVectors(A, &x, &y));
  PetscCall(MatMult(A, x, y)); // loads the device copy
  PetscCall(MatRetrieveValues(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::vector<Change> Changes()
{
  const auto rows = [](Mat A, PetscInt n) { return SomeRows(A, n); };
  std::vector<Change> all = {
    {"insert", [](Mat A, Mat, PetscInt n) { return SetOwn(A, n, INSERT_VALUES, false); }},
    {"add", [](Mat A, Mat, PetscInt n) { return SetOwn(A, n, ADD_VALUES, false); }},
    {"insert blocks", [](Mat A, Mat, PetscInt n) { return SetOwn(A, n, INSERT_VALUES, true); }},
    {"add blocks", [](Mat A, Mat, PetscInt n) { return SetOwn(A, n, ADD_VALUES, true); }},
    {"insert remote", [](Mat A, Mat, PetscInt) { return SetRemote(A, INSERT_VALUES); }},
    {"add remote", [](Mat A, Mat, PetscInt) { return SetRemote(A, ADD_VALUES); }},
    {"new nonzeros", [](Mat A, Mat, PetscInt n) { return takes_new_blocks ? SetNew(A, n) : MatScale(A, 3); }},
    {"scale", [](Mat A, Mat, PetscInt) { return MatScale(A, 3); }},
    {"shift", [](Mat A, Mat, PetscInt) { return MatShift(A, 3); }},
    {"zero", [](Mat A, Mat, PetscInt) { return MatZeroEntries(A); }},
    {"diagonal scale", [](Mat A, Mat, PetscInt) { return ScaleDiagonally(A); }},
    {"diagonal set", [](Mat A, Mat, PetscInt) { return SetDiagonal(A, INSERT_VALUES); }},
    {"diagonal add", [](Mat A, Mat, PetscInt) { return SetDiagonal(A, ADD_VALUES); }},
    {"axpy", [](Mat A, Mat X, PetscInt) { return MatAXPY(A, 2, X, SAME_NONZERO_PATTERN); }},
    {"axpy, subset", [](Mat A, Mat X, PetscInt) { return MatAXPY(A, 2, X, SUBSET_NONZERO_PATTERN); }},
    {"axpy, unknown", [](Mat A, Mat X, PetscInt) { return MatAXPY(A, 2, X, UNKNOWN_NONZERO_PATTERN); }},
    {"aypx", [](Mat A, Mat X, PetscInt) { return MatAYPX(A, 2, X, SAME_NONZERO_PATTERN); }},
    {"copy", [](Mat A, Mat X, PetscInt) { return MatCopy(X, A, SAME_NONZERO_PATTERN); }},
    {"copy, different", [](Mat A, Mat X, PetscInt) { return MatCopy(X, A, DIFFERENT_NONZERO_PATTERN); }},
    {"zero rows",
     [rows](Mat A, Mat, PetscInt n) {
       const auto r = rows(A, n);
       return MatZeroRows(A, PetscInt(r.size()), r.data(), 2, nullptr, nullptr);
     }},
    {"zero rows and columns",
     [rows](Mat A, Mat, PetscInt n) {
       const auto r = rows(A, n);
       return MatZeroRowsColumns(A, PetscInt(r.size()), r.data(), 2, nullptr, nullptr);
     }},
    {"conjugate", [](Mat A, Mat, PetscInt) { return MatConjugate(A); }},
    {"real part", [](Mat A, Mat, PetscInt) { return MatRealPart(A); }},
    {"imaginary part", [](Mat A, Mat, PetscInt) { return MatImaginaryPart(A); }},
    {"store and retrieve", [](Mat A, Mat, PetscInt) { return StoreAndRetrieve(A); }},
  };
  if (Size() == 1) all.push_back({"array", [](Mat A, Mat, PetscInt) { return ChangeArray(A); }});
  return all;
}

TEST(BAIJKokkos, DeviceCopyFollowsEveryChangeAndIsUpdatedOnceForEach)
{
  const Couplings c = star(4, 3, 3);
  for (const PetscInt n : {1, 3, 5})
    for (const MatType other : {MATBAIJKOKKOS, MATBAIJ})
      for (const Change &change : Changes()) {
        Pair p;
        Owned<Mat> X;
        Owned<Vec> x, y;
        PetscReal d;
        OK(p.make(c, n));
        OK(AssembleMatrix(c, n, other, 2, &X));
        OK(MakeVectors(p.A, &x, &y));
        OK(MatMult(p.A, x, y)); // loads the device copy before the change
        OK(change.change(p.A, X, n));
        OK(change.change(p.B, X, n));
        OK(CompareProducts(p.A, p.B, &d));
        EXPECT_LT(d, tolerance) << change.name << ", " << n << ", " << other;
        const int made = EventCount("FGMatCopy");
        OK(MatMult(p.A, x, y));
        OK(MatMultTranspose(p.A, x, y));
        PetscReal norm;
        OK(MatNorm(p.A, NORM_FROBENIUS, &norm)); // functions that only read do not mark the matrix
        OK(MatMult(p.A, x, y));
        EXPECT_EQ(EventCount("FGMatCopy"), made) << change.name;
        OK(MatScale(p.A, 2));
        OK(MatMult(p.A, x, y));
        OK(MatMult(p.A, x, y));
        EXPECT_EQ(EventCount("FGMatCopy"), made + 1) << change.name;
      }
}

TEST(BAIJKokkos, ReadersGiveWhatBaijGives)
{
  for (const PetscInt n : {1, 4, 5}) {
    Pair p;
    OK(p.make(star(4, 3, 3), n));
    for (const NormType type : {NORM_FROBENIUS, NORM_1, NORM_INFINITY}) {
      PetscReal a, b;
      OK(MatNorm(p.A, type, &a));
      OK(MatNorm(p.B, type, &b));
      EXPECT_EQ(a, b);
    }
    Owned<Vec> a, b;
    PetscBool same;
    OK(MatCreateVecs(p.A, &a, &b));
    OK(MatGetDiagonal(p.A, a));
    OK(MatGetDiagonal(p.B, b));
    OK(VecEqual(a, b, &same));
    EXPECT_TRUE(same);
    Pair t;
    OK(MatTranspose(p.A, MAT_INITIAL_MATRIX, &t.A));
    OK(MatTranspose(p.B, MAT_INITIAL_MATRIX, &t.B));
    PetscReal d;
    OK(CompareProducts(t.A, t.B, &d));
    EXPECT_LT(d, tolerance);
    OK(MatTranspose(t.A, MAT_INPLACE_MATRIX, t.A.in_place()));
    OK(CompareProducts(t.A, p.B, &d));
    EXPECT_LT(d, tolerance);
  }
}

TEST(BAIJKokkos, BoundToTheHostItIsBaij)
{
  for (const bool copied : {false, true})
    for (const PetscInt n : {1, 3, 5, 8}) {
      Pair p;
      PetscReal d;
      OK(p.make(star(4, 3, 3), n));
      if (copied) {
        for (Owned<Mat> Pair::*m : {&Pair::A, &Pair::B}) {
          Owned<Mat> C;
          OK(MatDuplicate(p.*m, MAT_COPY_VALUES, &C));
          p.*m = std::move(C);
        }
      }
      OK(CompareProducts(p.A, p.B, &d));
      const int made = EventCount("FGMatCopy");
      OK((*p.A.get()->ops->bindtocpu)(p.A, PETSC_TRUE));
      OK(MatScale(p.A, 2));
      OK(MatScale(p.B, 2));
      OK(CompareProducts(p.A, p.B, &d));
      EXPECT_EQ(d, 0) << n;
      EXPECT_EQ(EventCount("FGMatCopy"), made);
      OK((*p.A.get()->ops->bindtocpu)(p.A, PETSC_FALSE));
      OK(CompareProducts(p.A, p.B, &d));
      EXPECT_LT(d, tolerance);
      EXPECT_EQ(EventCount("FGMatCopy"), made + 1);
    }
}

} // namespace
