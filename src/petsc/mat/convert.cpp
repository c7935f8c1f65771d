// SPDX-License-Identifier: BSD-2-Clause
// Conversions between BAIJ with a device copy and other types, called by MatConvert().
#include "mat/baijkokkos.hpp"
#include "common/matrix_copy.hpp"
#include "common/runtime.hpp"
#include "vec/reproducible.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace
{

// Row of a matrix, restored in the destructor.
class MatrixRow
{
public:
  ~MatrixRow()
  {
    if (A_) (void)MatRestoreRow(A_, row_, &count, &column, &value);
  }
  PetscErrorCode Get(Mat A, PetscInt row)
  {
    PetscFunctionBegin;
    PetscCall(MatGetRow(A, row, &count, &column, &value));
    A_ = A;
    row_ = row;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscInt count = 0;
  const PetscInt *column = nullptr;
  const PetscScalar *value = nullptr;

private:
  Mat A_ = nullptr;
  PetscInt row_ = 0;
};

// Block row of a matrix that has MatGetRow(): its block columns and its scalars by rows, for MatSetValuesBlocked().
class GatheredBlockRow
{
public:
  explicit GatheredBlockRow(PetscInt size) : size_(size) {}

  PetscErrorCode FindColumns(Mat A, PetscInt block_row)
  {
    PetscFunctionBegin;
    columns_.clear();
    PetscCall(VisitRows(A, block_row, [this](PetscInt, PetscInt column, PetscScalar) {
      if (columns_.empty() || columns_.back() != column / size_) columns_.push_back(column / size_);
    }));
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Copy(Mat A, PetscInt block_row, Mat B)
  {
    PetscFunctionBegin;
    PetscCall(FindColumns(A, block_row));
    const std::size_t width = columns_.size() * std::size_t(size_);
    values_.assign(width * std::size_t(size_), PetscScalar(0));
    std::size_t at = 0;
    PetscCall(VisitRows(A, block_row, [&](PetscInt r, PetscInt column, PetscScalar value) {
      const PetscInt block = column / size_;
      if (at >= columns_.size() || columns_[at] != block) // columns of a row ascend
        at = std::size_t(std::lower_bound(columns_.begin(), columns_.end(), block) - columns_.begin());
      values_[std::size_t(r) * width + at * std::size_t(size_) + std::size_t(column % size_)] = value;
    }));
    PetscCall(MatSetValuesBlocked(B, 1, &block_row, PetscInt(columns_.size()), columns_.data(), values_.data(),
                                  INSERT_VALUES));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const std::vector<PetscInt> &columns() const { return columns_; }

private:
  // visit(row of the block, column, value)
  template <class Visit> PetscErrorCode VisitRows(Mat A, PetscInt block_row, const Visit &visit) const
  {
    PetscFunctionBegin;
    for (PetscInt r = 0; r < size_; ++r) {
      MatrixRow row;
      PetscCall(row.Get(A, block_row * size_ + r));
      for (PetscInt k = 0; k < row.count; ++k) visit(r, row.column[k], row.value[k]);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  const PetscInt size_;
  std::vector<PetscInt> columns_;
  std::vector<PetscScalar> values_;
};

// Converts AIJ to BAIJ. The time of PETSc 3.18 grows with the square of the number of rows: 107 s for 262144 rows.
PetscErrorCode CopyAIJ(Mat A, Mat *result)
{
  PetscInt size, rows, columns, first, last, first_column, last_column;
  PetscBool seq;
  Mat B = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(A), MATSEQAIJ, &seq));
  PetscCall(MatGetBlockSize(A, &size));
  PetscCall(MatGetLocalSize(A, &rows, &columns));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  PetscCall(MatGetOwnershipRangeColumn(A, &first_column, &last_column));
  const PetscInt begin = first / size, end = last / size;
  std::vector<PetscInt> inside, outside;
  GatheredBlockRow row(size);
  PetscCall(FinegrainOnAllRanks(A, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    inside.resize(std::size_t(end - begin));
    outside.resize(std::size_t(end - begin));
    for (PetscInt i = begin; i < end; ++i) {
      PetscCall(row.FindColumns(A, i));
      for (const PetscInt j : row.columns())
        ++(j >= first_column / size && j < last_column / size ? inside : outside)[std::size_t(i - begin)];
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(MatCreate(PetscObjectComm(reinterpret_cast<PetscObject>(A)), &B));
  PetscCall(MatSetSizes(B, rows, columns, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(B, size));
  PetscCall(MatSetType(B, seq ? MATSEQBAIJ : MATMPIBAIJ));
  PetscCall(MatXAIJSetPreallocation(B, size, inside.data(), outside.data(), nullptr, nullptr));
  PetscCall(FinegrainOnAllRanks(A, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    for (PetscInt i = begin; i < end; ++i) PetscCall(row.Copy(A, i, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  *result = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Finds the function that a matrix of type `from` has composed for `what` (a conversion) to `type`.
template <class Function>
PetscErrorCode FindComposed(Mat A, const char *what, const char *from, const char *type, Function **f)
{
  PetscFunctionBegin;
  *f = nullptr;
  for (const char *prefix : {"seq", "mpi", ""})
    if (!*f)
      PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(A),
                                         (std::string(what) + "_" + from + "_" + prefix + type + "_C").c_str(), f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_BAIJKokkos_Other(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  PetscErrorCode (*convert)(Mat, MatType, MatReuse, Mat *);

  PetscFunctionBegin;
  PetscCall(BAIJKokkosSyncHost(A));
  PetscCall(FindComposed(A, "MatConvert", BAIJKokkosGet(A)->parent_type, type, &convert));
  PetscCheck(convert, PetscObjectComm(reinterpret_cast<PetscObject>(A)), PETSC_ERR_SUP,
             "PETSc does not convert %s to %s", BAIJKokkosGet(A)->parent_type, type);
  if (reuse == MAT_INPLACE_MATRIX) PetscCall((*convert)(A, type, reuse, B));
  else PetscCall(BAIJKokkosWithParentName(A, [&] { return (*convert)(A, type, reuse, B); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_BAIJKokkos_AIJ(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(FinegrainPassVecType(A, B, [&] {
    return reuse == MAT_INITIAL_MATRIX ? BAIJKokkosCreateAIJ(A, B) : MatConvert_BAIJKokkos_Other(A, type, reuse, B);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Applies `change` to the matrix itself or to a copy of it.
template <class Change> PetscErrorCode Convert(Mat A, MatReuse reuse, Mat *result, Change change)
{
  Mat B = *result;

  PetscFunctionBegin;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  else if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, B, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(change(B));
  *result = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_BAIJKokkos_BAIJ(Mat A, MatType, MatReuse reuse, Mat *result)
{
  PetscFunctionBegin;
  PetscCall(Convert(A, reuse, result, BAIJKokkosRelease));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_BAIJ_BAIJKokkos(Mat A, MatType, MatReuse reuse, Mat *result)
{
  PetscFunctionBegin;
  PetscCall(Convert(A, reuse, result, BAIJKokkosAdopt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Completes a conversion. B is a BAIJ matrix with the values of A.
PetscErrorCode Finish(Mat A, Mat B, MatReuse reuse, Mat *result)
{
  PetscFunctionBegin;
  if (reuse == MAT_INPLACE_MATRIX) {
    PetscCall(MatHeaderReplace(A, &B));
    B = A;
  }
  PetscCall(BAIJKokkosAdopt(B));
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(B, *result, SAME_NONZERO_PATTERN));
    PetscCall(MatDestroy(&B));
  } else {
    *result = B;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_AIJ_BAIJKokkos(Mat A, MatType, MatReuse reuse, Mat *result)
{
  Mat B = nullptr;

  PetscFunctionBegin;
  PetscCall(FinegrainPassVecType(A, &B, [&] { return FinegrainGuard([&] { return CopyAIJ(A, &B); }); }));
  PetscCall(Finish(A, B, reuse, result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_SBAIJ_BAIJKokkos(Mat A, MatType, MatReuse reuse, Mat *result)
{
  Mat B = nullptr;

  PetscFunctionBegin;
  PetscCall(FinegrainPassVecType(A, &B, [&] { return OperatorExpand(A, A, &B); }));
  PetscCall(Finish(A, B, reuse, result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode BAIJKokkosComposeConversions(Mat A, const BAIJKokkos &m, bool install)
{
  const std::string type = m.type, parent = m.parent_type, size = parent.substr(0, 3);
  const auto or_null = [install](auto *f) { return install ? f : nullptr; };

  PetscFunctionBegin;
  PetscCall(BAIJKokkosCompose(A, "MatConvert_" + type + "_" + parent + "_C", or_null(MatConvert_BAIJKokkos_BAIJ)));
  PetscCall(BAIJKokkosCompose(A, "MatConvert_" + parent + "_" + type + "_C", or_null(MatConvert_BAIJ_BAIJKokkos)));
  PetscCall(BAIJKokkosCompose(A, "MatConvert_" + size + "aij_" + type + "_C", or_null(MatConvert_AIJ_BAIJKokkos)));
  PetscCall(
    BAIJKokkosCompose(A, "MatConvert_" + size + "sbaij_" + type + "_C", or_null(MatConvert_SBAIJ_BAIJKokkos)));
  PetscCall(BAIJKokkosCompose(A, "MatConvert_" + type + "_" + size + "aij_C", or_null(MatConvert_BAIJKokkos_AIJ)));
  for (const char *other : {"sbaij", "adj"})
    PetscCall(
      BAIJKokkosCompose(A, "MatConvert_" + type + "_" + size + other + "_C", or_null(MatConvert_BAIJKokkos_Other)));
  for (const char *other : {"is", "hypre"}) {
    PetscErrorCode (*f)(Mat, MatType, MatReuse, Mat *);
    PetscCall(FindComposed(A, "MatConvert", m.parent_type, other, &f));
    if (f)
      PetscCall(
        BAIJKokkosCompose(A, "MatConvert_" + type + "_" + other + "_C", or_null(MatConvert_BAIJKokkos_Other)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
