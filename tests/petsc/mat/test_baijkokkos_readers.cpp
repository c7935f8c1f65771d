// SPDX-License-Identifier: BSD-2-Clause
// All readers of the host's values of a MATBAIJKOKKOS see values that were assembled in its device copy: each reader
// gets the same result from it and from a MATBAIJ.
#include "baijkokkos.hpp"

#include <petsc/private/matimpl.h>

#include <algorithm>

using namespace finegrain::test;

namespace
{

// A function that reads a matrix: x is its input, y its output.
struct Reader {
  const char *name;
  std::function<PetscErrorCode(Mat, Vec x, Vec y)> read;
};

PetscErrorCode ReadConverted(Mat A, MatType type, Vec x, Vec y)
{
  Owned<Mat> C;

  PetscFunctionBegin;
  PetscCall(MatConvert(A, type, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatMult(C, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadRows(Mat A, Vec y)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; ++row) {
    PetscInt count;
    const PetscScalar *values;
    PetscScalar sum = 0;
    PetscCall(MatGetRow(A, row, &count, nullptr, &values));
    for (PetscInt e = 0; e < count; ++e) sum += values[e] * PetscReal(1 + e % 3);
    PetscCall(MatRestoreRow(A, row, &count, nullptr, &values));
    PetscCall(VecSetValue(y, row, sum, INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(y));
  PetscCall(VecAssemblyEnd(y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadValues(Mat A, Vec y)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; ++row) {
    PetscScalar value;
    PetscCall(MatGetValues(A, 1, &row, 1, &row, &value));
    PetscCall(VecSetValue(y, row, value, INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(y));
  PetscCall(VecAssemblyEnd(y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadSubmatrix(Mat A, Vec x, Vec y)
{
  PetscInt first, last;
  Owned<IS> rows;
  Owned<Mat> C;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  PetscCall(ISCreateStride(PetscObjectComm(object(A)), last - first, first, 1, &rows));
  PetscInt n;
  PetscCall(MatGetBlockSize(A, &n));
  PetscCall(ISSetBlockSize(rows, n));
  PetscCall(MatCreateSubMatrix(A, rows, rows, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatMult(C, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadDiagonalBlock(Mat A, Vec x, Vec y)
{
  Mat C; // A owns it
  Owned<Vec> a, b;

  PetscFunctionBegin;
  PetscCall(MatGetDiagonalBlock(A, &C));
  PetscCall(MatCreateVecs(C, &a, &b));
  PetscCall(VecGetLocalVectorRead(x, a));
  PetscCall(VecGetLocalVector(y, b));
  PetscCall(MatMult(C, a, b));
  PetscCall(VecRestoreLocalVector(y, b));
  PetscCall(VecRestoreLocalVectorRead(x, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadByDense(Mat A, Vec x, Vec y)
{
  Owned<Mat> D, C;
  Vec column;
  PetscInt rows;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &rows));
  PetscCall(MatCreateDense(PetscObjectComm(object(A)), rows, PETSC_DECIDE, PETSC_DETERMINE, 3, nullptr, &D));
  for (PetscInt c = 0; c < 3; ++c) {
    PetscCall(MatDenseGetColumnVecWrite(D, c, &column));
    PetscCall(FillVector(column, int(c)));
    PetscCall(MatDenseRestoreColumnVecWrite(D, c, &column));
  }
  PetscCall(MatMatMult(A, D, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(MatDenseGetColumnVecRead(C, 2, &column));
  PetscCall(VecCopy(column, y));
  PetscCall(MatDenseRestoreColumnVecRead(C, 2, &column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadInto(Mat A, MatType type, bool add, Vec x, Vec y)
{
  Owned<Mat> C;

  PetscFunctionBegin;
  PetscCall(AssembleMatrix(star(4, 3, 3), A->rmap->bs, type, 5, &C));
  PetscCall(add ? MatAXPY(C, 2, A, SAME_NONZERO_PATTERN) : MatCopy(A, C, SAME_NONZERO_PATTERN));
  PetscCall(MatMult(C, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The values become those of another matrix.
PetscErrorCode ReadOverwritten(Mat A, Vec x, Vec y)
{
  Owned<Mat> C;

  PetscFunctionBegin;
  PetscCall(AssembleMatrix(star(4, 3, 3), A->rmap->bs, object(A)->type_name, 5, &C));
  PetscCall(MatCopy(C, A, SAME_NONZERO_PATTERN));
  PetscCall(MatMult(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadBound(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  if (A->ops->bindtocpu) PetscCall((*A->ops->bindtocpu)(A, PETSC_TRUE));
  PetscCall(MatMult(A, x, y));
  if (A->ops->bindtocpu) PetscCall((*A->ops->bindtocpu)(A, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadStored(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  PetscCall(MatStoreValues(A));
  PetscCall(MatScale(A, 5));
  PetscCall(MatRetrieveValues(A));
  PetscCall(MatMult(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Rank 0 alone adds to the last row.
PetscErrorCode ReadWithRemote(Mat A, Vec x, Vec y)
{
  PetscInt last;
  const PetscScalar value = 30;

  PetscFunctionBegin;
  const int rank = Rank();
  PetscCall(MatGetSize(A, &last, nullptr));
  --last;
  if (!rank) PetscCall(MatSetValues(A, 1, &last, 1, &last, &value, ADD_VALUES));
  PetscCall(Assemble(A));
  PetscCall(MatMult(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Fill(Vec y, const PetscScalar *values)
{
  PetscScalar *out;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(y, &n));
  PetscCall(VecGetArrayWrite(y, &out));
  std::copy_n(values, n, out);
  PetscCall(VecRestoreArrayWrite(y, &out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadArray(Mat A, Vec y)
{
  PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(MatSeqBAIJGetArray(A, &values));
  PetscCall(Fill(y, values));
  PetscCall(MatSeqBAIJRestoreArray(A, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadNorm(Mat A, NormType type, Vec y)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(MatNorm(A, type, &norm));
  PetscCall(VecSet(y, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadInverses(Mat A, Vec y)
{
  const PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(MatInvertBlockDiagonal(A, &values));
  PetscCall(Fill(y, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadTransposed(Mat A, Vec x, Vec y)
{
  Owned<Mat> C;

  PetscFunctionBegin;
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatMult(C, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadDuplicate(Mat A, Vec x, Vec y)
{
  Owned<Mat> C;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &C));
  PetscCall(MatMult(C, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::vector<Reader> Readers()
{
  const auto first_row = [](Mat A) {
    PetscInt first, last;
    std::vector<PetscInt> rows;
    (void)MatGetOwnershipRange(A, &first, &last);
    if (first < last) rows.push_back(first);
    return rows;
  };
  std::vector<Reader> all = {
    {"rows", [](Mat A, Vec, Vec y) { return ReadRows(A, y); }},
    {"values", [](Mat A, Vec, Vec y) { return ReadValues(A, y); }},
    {"diagonal", [](Mat A, Vec, Vec y) { return MatGetDiagonal(A, y); }},
    {"inverses", [](Mat A, Vec, Vec y) { return ReadInverses(A, y); }},
    {"norm 1", [](Mat A, Vec, Vec y) { return ReadNorm(A, NORM_1, y); }},
    {"norm f", [](Mat A, Vec, Vec y) { return ReadNorm(A, NORM_FROBENIUS, y); }},
    {"row maxima", [](Mat A, Vec, Vec y) { return MatGetRowMaxAbs(A, y, nullptr); }},
    {"duplicate", ReadDuplicate},
    {"transposed", ReadTransposed},
    {"baij", [](Mat A, Vec x, Vec y) { return ReadConverted(A, MATBAIJ, x, y); }},
    {"aij", [](Mat A, Vec x, Vec y) { return ReadConverted(A, MATAIJ, x, y); }},
    {"dense", [](Mat A, Vec x, Vec y) { return ReadConverted(A, MATDENSE, x, y); }},
    {"submatrix", ReadSubmatrix},
    {"diagonal block", ReadDiagonalBlock},
    {"product with dense", ReadByDense},
    {"axpy onto baij", [](Mat A, Vec x, Vec y) { return ReadInto(A, MATBAIJ, true, x, y); }},
    {"copy to baij", [](Mat A, Vec x, Vec y) { return ReadInto(A, MATBAIJ, false, x, y); }},
    {"axpy onto its like", [](Mat A, Vec x, Vec y) { return ReadInto(A, MATBAIJKOKKOS, true, x, y); }},
    {"copy to its like", [](Mat A, Vec x, Vec y) { return ReadInto(A, MATBAIJKOKKOS, false, x, y); }},
    {"overwritten", ReadOverwritten},
    {"bound", ReadBound},
    {"stored", ReadStored},
    {"remote", ReadWithRemote},
    {"scale", [](Mat A, Vec x, Vec y) { return PetscErrorCode(MatScale(A, 3) || MatMult(A, x, y)); }},
    {"shift", [](Mat A, Vec x, Vec y) { return PetscErrorCode(MatShift(A, 3) || MatMult(A, x, y)); }},
    {"diagonal scale",
     [](Mat A, Vec x, Vec y) { return PetscErrorCode(MatDiagonalScale(A, x, x) || MatMult(A, x, y)); }},
    {"diagonal set",
     [](Mat A, Vec x, Vec y) { return PetscErrorCode(MatDiagonalSet(A, x, ADD_VALUES) || MatMult(A, x, y)); }},
    {"zero rows",
     [first_row](Mat A, Vec x, Vec y) {
       const auto rows = first_row(A);
       return PetscErrorCode(MatZeroRows(A, PetscInt(rows.size()), rows.data(), 1, nullptr, nullptr) ||
                             MatMult(A, x, y));
     }},
    {"zero columns",
     [first_row](Mat A, Vec x, Vec y) {
       const auto rows = first_row(A);
       return PetscErrorCode(MatZeroRowsColumns(A, PetscInt(rows.size()), rows.data(), 1, nullptr, nullptr) ||
                             MatMult(A, x, y));
     }},
    {"own value",
     [first_row](Mat A, Vec x, Vec y) {
       const PetscScalar value = 11;
       for (const PetscInt row : first_row(A))
         if (MatSetValues(A, 1, &row, 1, &row, &value, ADD_VALUES)) return PetscErrorCode(1);
       return PetscErrorCode(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY) || MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY) ||
                             MatMult(A, x, y));
     }},
    {"assembled again",
     [](Mat A, Vec x, Vec y) {
       return PetscErrorCode(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY) || MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY) ||
                             MatMult(A, x, y));
     }},
  };
  if (Size() == 1) all.push_back({"array", [](Mat A, Vec, Vec y) { return ReadArray(A, y); }});
  return all;
}

TEST(BAIJKokkos, EverybodySeesWhatWasAssembledFromCoordinates)
{
  for (const PetscInt n : {1, 3, 5})
    for (const bool blocks : {false, true})
      for (const Reader &reader : Readers()) {
        Assembled m;
        Owned<Vec> x, y, z;
        PetscReal d;
        OK(m.make(star(4, 3, 3), n, blocks));
        for (Mat M : {m.A.get(), m.B.get()}) { // otherwise MatZeroRows() removes blocks
          OK(MatSetOption(M, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
        }
        OK(MakeVectors(m.B, &x, &y));
        OK(VecDuplicate(y, &z));
        for (int round = 0; round < 2; ++round) {
          OK(m.set(round + 1));
          OK(VecSet(y, PETSC_INFINITY));
          OK(reader.read(m.A, x, y));
          OK(reader.read(m.B, x, z));
          OK(Difference(y, z, &d));
          EXPECT_LT(d, tolerance) << reader.name << ", " << n << ", round " << round;
          OK(CompareProducts(m.A, m.B, &d));
          EXPECT_LT(d, tolerance) << reader.name << ", " << n << ", afterwards";
        }
      }
}

} // namespace
