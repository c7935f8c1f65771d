// SPDX-License-Identifier: BSD-2-Clause
// The copy of type AIJ that MATBAIJKOKKOS lends: products with other matrices, submatrices by unknowns, conversions,
// its lifetime, and the state after an error.
#include "baijkokkos.hpp"

#include <petsc/private/matimpl.h>

#include <utility>

using namespace finegrain::test;

namespace
{

// Expects the same products of two matrices of any types.
PetscErrorCode ExpectAlike(Mat A, Mat B)
{
  Owned<Vec> x, y[2];
  PetscReal d;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &y[0]));
  PetscCall(VecDuplicate(y[0], &y[1]));
  PetscCall(FillVector(x, 5));
  PetscCall(MatMult(A, x, y[0]));
  PetscCall(MatMult(B, x, y[1]));
  PetscCall(Difference(y[0], y[1], &d));
  EXPECT_LT(d, tolerance);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Change(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatScale(A, 3));
  PetscCall(MatShift(A, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode IsType(Mat A, MatType seq, MatType mpi, bool *is)
{
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny(object(A), &found, seq, mpi, ""));
  *is = found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr PetscInt size = 3; // block size

// Operands: two matrices of the type, one AIJ of the same size, and a dense one.
struct Operands {
  Owned<Mat> A, B, aij, dense;

  PetscErrorCode make(MatType type)
  {
    PetscFunctionBegin;
    PetscCall(AssembleMatrix(star(5, 4, 1), size, type, 1, &A));
    PetscCall(AssembleMatrix(star(5, 4, 1), size, type, 2, &B));
    PetscCall(AssembleMatrix(star(5, 4, 1), size, MATAIJ, 3, &aij));
    PetscCall(MatConvert(aij, MATDENSE, MAT_INITIAL_MATRIX, &dense));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

struct Product {
  const char *name;
  bool sequential;  // AIJ supports it on one rank only
  bool replaceable; // another matrix may replace A; products with A^T keep data of A
  std::function<PetscErrorCode(Operands &, MatReuse, Mat *)> multiply;
};

const std::vector<Product> products = {
  {"A B", false, true, [](Operands &o, MatReuse r, Mat *C) { return MatMatMult(o.A, o.B, r, 2, C); }},
  {"A A", false, false, [](Operands &o, MatReuse r, Mat *C) { return MatMatMult(o.A, o.A, r, 2, C); }},
  {"A aij", false, true, [](Operands &o, MatReuse r, Mat *C) { return MatMatMult(o.A, o.aij, r, 2, C); }},
  {"aij A", false, false, [](Operands &o, MatReuse r, Mat *C) { return MatMatMult(o.aij, o.A, r, 2, C); }},
  {"A dense", false, true, [](Operands &o, MatReuse r, Mat *C) { return MatMatMult(o.A, o.dense, r, 2, C); }},
  {"A^T aij", false, false, [](Operands &o, MatReuse r, Mat *C) { return MatTransposeMatMult(o.A, o.aij, r, 2, C); }},
  {"aij^T A", false, false, [](Operands &o, MatReuse r, Mat *C) { return MatTransposeMatMult(o.aij, o.A, r, 2, C); }},
  {"A^T dense", false, false,
   [](Operands &o, MatReuse r, Mat *C) { return MatTransposeMatMult(o.A, o.dense, r, 2, C); }},
  {"A aij^T", true, false, [](Operands &o, MatReuse r, Mat *C) { return MatMatTransposeMult(o.A, o.aij, r, 2, C); }},
  {"P^T A P", false, true, [](Operands &o, MatReuse r, Mat *C) { return MatPtAP(o.A, o.aij, r, 2, C); }},
  {"A^T aij A", false, false, [](Operands &o, MatReuse r, Mat *C) { return MatPtAP(o.aij, o.A, r, 2, C); }},
  {"B^T A B", false, false, [](Operands &o, MatReuse r, Mat *C) { return MatPtAP(o.A, o.B, r, 2, C); }},
  {"R A R^T", true, false, [](Operands &o, MatReuse r, Mat *C) { return MatRARt(o.A, o.aij, r, 2, C); }},
  {"aij A aij", false, false,
   [](Operands &o, MatReuse r, Mat *C) { return MatMatMatMult(o.aij, o.A, o.aij, r, 2, C); }},
  {"A B A", false, false, [](Operands &o, MatReuse r, Mat *C) { return MatMatMatMult(o.A, o.B, o.A, r, 2, C); }}};

TEST(BAIJKokkosCopy, ProductsAreThoseOfAijWithNewValuesToo)
{
  for (const Product &p : products) {
    if (p.sequential && Size() > 1) continue;
    SCOPED_TRACE(p.name);
    Operands o[2];
    Owned<Mat> C[2];
    for (int k = 0; k < 2; ++k) {
      OK(o[k].make(k ? MATBAIJKOKKOS : MATAIJ));
      OK(p.multiply(o[k], MAT_INITIAL_MATRIX, &C[k]));
    }
    OK(ExpectAlike(C[0], C[1]));
    for (int k = 0; k < 2; ++k) {
      OK(Change(o[k].A));
      OK(p.multiply(o[k], MAT_REUSE_MATRIX, C[k].in_place()));
    }
    OK(ExpectAlike(C[0], C[1]));
    if (!p.replaceable) continue;
    for (int k = 0; k < 2; ++k) { // another matrix of the same structure replaces A
      OK(AssembleMatrix(star(5, 4, 1), size, k ? MATBAIJKOKKOS : MATAIJ, 9, &o[k].A));
      OK(p.multiply(o[k], MAT_REUSE_MATRIX, C[k].in_place()));
    }
    OK(ExpectAlike(C[0], C[1]));
  }
}

// Rows or columns of a submatrix, on this rank: by unknowns, or by blocks.
PetscErrorCode MakeSet(Mat A, bool blocks, IS *is)
{
  PetscInt first, last;
  std::vector<PetscInt> index;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    if ((blocks ? i / size % 2 : i % size) == 0 || (!blocks && i % 5 == 1)) index.push_back(i);
  PetscCall(ISCreateGeneral(PETSC_COMM_WORLD, PetscInt(index.size()), index.data(), PETSC_COPY_VALUES, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BAIJKokkosCopy, SubmatricesByUnknownsAndByBlocksAreThoseOfAij)
{
  for (const bool rows_by_blocks : {false, true})
    for (const bool columns_by_blocks : {false, true}) {
      Owned<Mat> A[2], S[2];
      Owned<IS> rows, columns;
      bool is;
      for (int k = 0; k < 2; ++k) {
        OK(AssembleMatrix(star(5, 4, 1), size, k ? MATBAIJKOKKOS : MATAIJ, 1, &A[k]));
      }
      OK(MakeSet(A[0], rows_by_blocks, &rows));
      OK(MakeSet(A[0], columns_by_blocks, &columns));
      for (const MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX}) {
        for (int k = 0; k < 2; ++k) {
          OK(MatCreateSubMatrix(A[k], rows, columns, reuse, S[k].in_place()));
        }
        OK(ExpectAlike(S[0], S[1]));
        for (int k = 0; k < 2; ++k) {
          OK(Change(A[k]));
        }
      }
      if (rows_by_blocks && columns_by_blocks) {
        OK(IsType(S[1], MATSEQBAIJKOKKOS, MATMPIBAIJKOKKOS, &is));
      } else {
        OK(IsType(S[1], MATSEQAIJ, MATMPIAIJ, &is));
      }
      EXPECT_TRUE(is);
    }
}

TEST(BAIJKokkosCopy, SequentialSubmatricesByUnknownsAreThoseOfAij)
{
  Owned<Mat> A[2];
  Owned<IS> all;
  Mat *S[2] = {nullptr, nullptr};
  PetscInt rows;
  for (int k = 0; k < 2; ++k) {
    OK(AssembleMatrix(star(5, 4, 1), size, k ? MATBAIJKOKKOS : MATAIJ, 1, &A[k]));
  }
  OK(MatGetSize(A[0], &rows, nullptr));
  OK(ISCreateStride(PETSC_COMM_SELF, rows / 2, Rank() % 2, 2, &all));
  const IS set = all;
  for (const MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX}) {
    for (int k = 0; k < 2; ++k) {
      OK(MatCreateSubMatrices(A[k], 1, &set, &set, reuse, &S[k]));
    }
    PetscBool equal;
    OK(MatEqual(S[0][0], S[1][0], &equal));
    EXPECT_TRUE(equal);
    for (int k = 0; k < 2; ++k) {
      OK(Change(A[k]));
    }
  }
  for (auto &s : S) {
    OK(MatDestroySubMatrices(1, &s));
  }
}

// Number of objects that PETSc creates meanwhile, less one.
PetscErrorCode CountObjects(const std::function<PetscErrorCode()> &body, PetscInt64 *count)
{
  PetscObjectId id[2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    Owned<IS> marker;
    if (k) PetscCall(body());
    PetscCall(ISCreateStride(PETSC_COMM_SELF, 1, 0, 1, &marker));
    PetscCall(PetscObjectGetId(object(marker), &id[k]));
  }
  *count = PetscInt64(id[1] - id[0]) - 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BAIJKokkosCopy, IsKeptUntilTheStructureChanges)
{
  Owned<Mat> A;
  PetscInt64 made[4];
  OK(AssembleMatrix(star(5, 4, 1), size, MATBAIJKOKKOS, 1, &A));
  const auto use = [&]() -> PetscErrorCode {
    Owned<IS> none;
    return MatFindZeroDiagonals(A, &none);
  };
  std::string view;
  OK(ViewText(object(A), &view, PETSC_VIEWER_ASCII_INFO));
  EXPECT_EQ(view.find("copy of type aij"), std::string::npos);
  OK(CountObjects(use, &made[0]));
  OK(CountObjects(use, &made[1]));
  OK(Change(A));
  OK(CountObjects(use, &made[2]));
  EXPECT_LT(made[1], made[0]);
  EXPECT_EQ(made[2], made[1]);
  MatInfo info;
  OK(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  OK(ViewText(object(A), &view, PETSC_VIEWER_ASCII_INFO));
  ExpectIn(view, {"copy of type aij: host, bytes: " +
                  std::to_string(PetscInt64(info.nz_used) * PetscInt64(sizeof(PetscScalar) + sizeof(PetscInt)))});
  PetscInt rows, first, last;
  OK(MatGetSize(A, &rows, nullptr));
  OK(MatGetOwnershipRange(A, &first, &last));
  OK(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  if (last > first) {
    OK(MatSetValue(A, first, first == 0 ? rows - 1 : 0, 4, INSERT_VALUES));
  }
  OK(Assemble(A));
  OK(CountObjects(use, &made[3]));
  EXPECT_GT(made[3], made[1]);
  Owned<Mat> C;
  OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &C));
  OK(ExpectAlike(A, C));
}

// Values that exist in the device copy only.
TEST(BAIJKokkosCopy, FollowsValuesByCoordinates)
{
  Assembled m;
  Owned<Mat> C[2];
  OK(m.make(star(5, 4, 1), size, true));
  for (int round = 0; round < 3; ++round) {
    OK(m.set(round + 1));
    Owned<Mat> oracle;
    OK(MatConvert(m.B, MATAIJ, MAT_INITIAL_MATRIX, &oracle));
    const MatReuse reuse = round ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX;
    OK(MatMatMult(m.A, m.A, reuse, 2, C[0].in_place()));
    OK(MatMatMult(oracle, oracle, MAT_INITIAL_MATRIX, 2, &C[1]));
    OK(ExpectAlike(C[0], C[1]));
  }
}

TEST(BAIJKokkosCopy, ConvertsBothWays)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(5, 4, 1), size, MATBAIJKOKKOS, 1, &A));
  for (const MatType type : {MATAIJ, MATBAIJ, MATDENSE, MATAIJPERM}) {
    SCOPED_TRACE(type);
    Owned<Mat> B, C;
    OK(MatConvert(A, type, MAT_INITIAL_MATRIX, &B));
    OK(ExpectAlike(A, B));
    OK(Change(A));
    if (type != std::string(MATDENSE)) {
      OK(MatConvert(A, type, MAT_REUSE_MATRIX, B.in_place()));
      OK(ExpectAlike(A, B));
      OK(MatConvert(B, MATBAIJKOKKOS, MAT_INITIAL_MATRIX, &C));
      OK(ExpectAlike(A, C));
    }
  }
}

// A product that AIJ does not support, and one of wrong sizes, leave the matrix and its references unchanged.
TEST(BAIJKokkosCopy, ErrorsLeaveTheMatrixAsItWas)
{
  Owned<Mat> A, small, C, B;
  PetscInt references[2];
  OK(AssembleMatrix(star(5, 4, 1), size, MATBAIJKOKKOS, 1, &A));
  OK(AssembleMatrix(star(3, 3, 1), size, MATAIJ, 1, &small));
  OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &B));
  OK(PetscObjectGetReference(object(A), &references[0]));
  {
    Owned<Mat> D;
    ExpectIn(ExpectError([&] { return MatMatMult(A, small, MAT_INITIAL_MATRIX, 2, &D); }), {"60", "27"});
  }
  {
    Owned<Mat> D;
    Owned<IS> rows, others;
    OK(MakeSet(A, false, &rows));
    OK(MakeSet(A, true, &others));
    OK(MatCreateSubMatrix(A, rows, rows, MAT_INITIAL_MATRIX, &D));
    OK(MatConvert(D, MATDENSE, MAT_INPLACE_MATRIX, D.in_place()));
  }
  OK(PetscObjectGetReference(object(A), &references[1]));
  EXPECT_EQ(references[0], references[1]);
  OK(ExpectAlike(A, B));
  OK(MatMatMult(A, A, MAT_INITIAL_MATRIX, 2, &C));
}

// The structure of one block row with so many blocks that PetscInt cannot count their entries.
PetscErrorCode GetHugeStructure(Mat, PetscInt, PetscBool, PetscBool, PetscInt *rows, const PetscInt **ptr,
                                const PetscInt **col, PetscBool *done)
{
  static const PetscInt huge[] = {0, 1 << 21};
  *rows = 1;
  *ptr = *col = huge;
  *done = PETSC_TRUE;
  return PETSC_SUCCESS;
}

TEST(BAIJKokkosCopy, OfMoreEntriesThanPetscIntCountsIsAnError)
{
  if (sizeof(PetscInt) > 4) GTEST_SKIP() << "PetscInt has 64 bits";
  Owned<Mat> A, B;
  OK(AssembleMatrix(Couplings{{0}}, 32, MATBAIJKOKKOS, 1, &A, PETSC_DECIDE, PETSC_COMM_SELF));
  const auto structure = std::exchange(A.get()->ops->getrowij, GetHugeStructure);
  ExpectIn(ExpectError([&] { return MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &B); }),
           {"2147483648 entries", "more ranks", "64-bit indices"});
  A.get()->ops->getrowij = structure;
}

// gamg makes its interpolations with the type of the matrix and preallocates them as AIJ.
TEST(BAIJKokkosCopy, InterpolationsAreAij)
{
  for (const PetscInt columns : {2, 3}) { // unequal and equal block sizes of rows and columns
    Owned<Mat> P;
    bool is;
    OK(MatCreate(PETSC_COMM_WORLD, &P));
    OK(MatSetSizes(P, 4 * 3, 2 * columns, PETSC_DETERMINE, PETSC_DETERMINE));
    OK(MatSetBlockSizes(P, 3, columns));
    OK(MatSetType(P, MATBAIJKOKKOS));
    OK(MatSeqAIJSetPreallocation(P, 1, nullptr));
    OK(MatMPIAIJSetPreallocation(P, 1, nullptr, 1, nullptr));
    OK(IsType(P, MATSEQAIJ, MATMPIAIJ, &is));
    EXPECT_TRUE(is);
    PetscInt first, last;
    OK(MatGetOwnershipRange(P, &first, &last));
    for (PetscInt i = first; i < last; ++i) {
      OK(MatSetValue(P, i, first / 12 * 2 * columns, 1, INSERT_VALUES));
    }
    OK(Assemble(P));
  }
}

// A square matrix keeps its type, whether it is preallocated as AIJ or for all types.
TEST(BAIJKokkosCopy, SquareMatricesStayOfTheirType)
{
  for (const bool everything : {false, true}) {
    Owned<Mat> A;
    bool is;
    PetscInt first;
    const PetscInt ones[] = {1, 1, 1, 1};
    OK(MatCreate(PETSC_COMM_WORLD, &A));
    OK(MatSetSizes(A, 8, 8, PETSC_DETERMINE, PETSC_DETERMINE));
    OK(MatSetBlockSize(A, 2));
    OK(MatSetType(A, MATBAIJKOKKOS));
    if (everything) {
      OK(MatXAIJSetPreallocation(A, 2, ones, ones, nullptr, nullptr));
    } else {
      OK(MatSeqAIJSetPreallocation(A, 1, nullptr));
      OK(MatMPIAIJSetPreallocation(A, 1, nullptr, 1, nullptr));
    }
    OK(MatGetOwnershipRange(A, &first, nullptr));
    OK(MatSetValue(A, first, first, 2, INSERT_VALUES));
    OK(Assemble(A));
    OK(IsType(A, MATSEQBAIJKOKKOS, MATMPIBAIJKOKKOS, &is));
    EXPECT_TRUE(is);
  }
}

} // namespace
