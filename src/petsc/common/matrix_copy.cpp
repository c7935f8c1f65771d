// SPDX-License-Identifier: BSD-2-Clause
#include "common/matrix_copy.hpp"

#include "common/runtime.hpp"

#include <petsc/private/matimpl.h>

#include <algorithm>

using namespace finegrain;

namespace
{

PetscErrorCode CountUnsorted(Mat part, bool by_blocks, PetscInt *unsorted)
{
  Structure s;
  std::vector<PetscInt> row;

  PetscFunctionBegin;
  PetscCall(OperatorGetStructure(part, by_blocks, &s));
  for (PetscInt i = 0; i < s.rows; ++i) {
    const PetscInt *first = s.col + s.ptr[i], *last = s.col + s.ptr[i + 1];
    if (std::adjacent_find(first, last, std::greater_equal<PetscInt>()) == last) continue;
    row.assign(first, last);
    std::sort(row.begin(), row.end());
    PetscCheck(std::adjacent_find(row.begin(), row.end()) == row.end(), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "Row %" PetscInt_FMT " of the preconditioning matrix has a column twice; add such entries up before "
               "MatCreateSeqAIJWithArrays(), or assemble with MatSetValues()",
               i);
    ++*unsorted;
  }
  PetscCall(OperatorRestoreStructure(by_blocks, &s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Counts block rows of n rows without a diagonal block; the structure of an AIJ matrix is scalar.
PetscErrorCode CountIncomplete(Mat owned, bool by_blocks, PetscInt n, PetscInt *incomplete)
{
  const PetscInt per = by_blocks ? 1 : n;
  Structure s;

  PetscFunctionBegin;
  PetscCall(OperatorGetStructure(owned, by_blocks, &s));
  for (PetscInt i = 0; i < s.rows / per; ++i)
    *incomplete +=
      std::none_of(s.col + s.ptr[i * per], s.col + s.ptr[(i + 1) * per], [=](PetscInt c) { return c / per == i; });
  PetscCall(OperatorRestoreStructure(by_blocks, &s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindHere(Mat mat, const Operator &op, PetscInt n, bool add_diagonal, Defects *defects)
{
  Mat owned, coupling;
  const PetscInt *global;

  PetscFunctionBegin;
  PetscCall(OperatorGetParts(mat, op, &owned, &coupling, &global));
  PetscCall(CountUnsorted(owned, op.by_blocks, &defects->unsorted));
  if (coupling) PetscCall(CountUnsorted(coupling, op.by_blocks, &defects->unsorted));
  if (add_diagonal) PetscCall(CountIncomplete(owned, op.by_blocks, n, &defects->incomplete));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Counts entries, or blocks of `size`, in the rows of this rank: inside and outside its own columns.
PetscErrorCode CountEntries(Mat mat, const Operator &op, PetscInt size, bool add_diagonal,
                            std::vector<PetscInt> &inside, std::vector<PetscInt> &outside)
{
  PetscInt first, last;
  std::vector<PetscInt> cuts;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(mat, &first, &last));
  inside.assign(std::size_t((last - first) / size), 0);
  outside = inside;
  PetscCall(OperatorVisitRows(
    mat, op.symmetric, [&](PetscInt i, PetscInt count, const PetscInt *c, const PetscScalar *) -> PetscErrorCode {
      const PetscInt row = i / size;
      if (i % size == 0) cuts.clear();
      for (PetscInt k = 0; k < count; ++k) cuts.push_back(c[k] / size);
      if (add_diagonal) cuts.push_back(row);
      if (i % size < size - 1) return PETSC_SUCCESS;
      std::sort(cuts.begin(), cuts.end());
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      for (const PetscInt col : cuts)
        ++(col >= first / size && col < last / size ? inside : outside)[std::size_t(row - first / size)];
      return PETSC_SUCCESS;
    }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// DMPlex sets variable block sizes on its matrices, and the analysis reads them.
PetscErrorCode CopyVariableBlockSizes(Mat from, Mat to)
{
  PetscInt count;
  const PetscInt *sizes;

  PetscFunctionBegin;
  PetscCall(MatGetVariableBlockSizes(from, &count, &sizes));
  if (count) PetscCall(MatSetVariableBlockSizes(to, count, const_cast<PetscInt *>(sizes)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Creates an empty matrix that is preallocated for the rows of another one.
PetscErrorCode MakeRoom(Mat mat, const Operator &op, bool add_diagonal, Mat *copy)
{
  PetscInt m, n, rows, cols, block;
  std::vector<PetscInt> inside, outside;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(mat, &m, &n));
  PetscCall(MatGetSize(mat, &rows, &cols));
  PetscCall(MatGetBlockSize(mat, &block));
  PetscCall(FinegrainOnAllRanks(
    mat, [&] { return CountEntries(mat, op, op.by_blocks ? block : 1, add_diagonal, inside, outside); }));
  PetscCall(MatCreate(PetscObjectComm(reinterpret_cast<PetscObject>(mat)), copy));
  PetscCall(MatSetSizes(*copy, m, n, rows, cols));
  PetscCall(MatSetBlockSize(*copy, block));
  PetscCall(MatSetType(*copy, op.symmetric   ? (op.parallel ? MATMPISBAIJ : MATSEQSBAIJ)
                              : op.by_blocks ? (op.parallel ? MATMPIBAIJ : MATSEQBAIJ)
                                             : (op.parallel ? MATMPIAIJ : MATSEQAIJ)));
  const PetscInt *in = inside.data(), *out = outside.data();
  PetscCall(MatSeqAIJSetPreallocation(*copy, 0, in)); // each call acts on its own type only
  PetscCall(MatMPIAIJSetPreallocation(*copy, 0, in, 0, out));
  PetscCall(MatSeqBAIJSetPreallocation(*copy, block, 0, in));
  PetscCall(MatMPIBAIJSetPreallocation(*copy, block, 0, in, 0, out));
  PetscCall(MatSeqSBAIJSetPreallocation(*copy, block, 0, in));
  PetscCall(MatMPISBAIJSetPreallocation(*copy, block, 0, in, 0, out));
  PetscCall(MatSetOption(*copy, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscCall(CopyVariableBlockSizes(mat, *copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Tests if products with a SBAIJ matrix read only the upper triangle of its diagonal blocks. PETSc's functions for
// blocks of 1 to 7 do. Its function for all sizes, which -mat_no_unroll selects for small blocks too, reads whole
// blocks.
PetscErrorCode ReadsUpperTriangles(Mat square, bool *upper)
{
  constexpr PetscInt large = 31;
  Mat of_large_blocks;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqSBAIJ(PETSC_COMM_SELF, large, 0, 0, 0, nullptr, &of_large_blocks));
  *upper = square->ops->mult != of_large_blocks->ops->mult;
  PetscCall(MatDestroy(&of_large_blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Returns the index of the diagonal block of block row i, or the end of the row if there is none.
PetscInt FindDiagonal(const Structure &s, PetscInt i)
{
  return PetscInt(std::find(s.col + s.ptr[i], s.col + s.ptr[i + 1], i) - s.col);
}

// Copies the diagonal blocks of a SBAIJ matrix as MatMult() reads them. MatConvert() copies whole blocks on one
// rank, but on several ranks it copies the transposed lower triangle to the upper one.
PetscErrorCode CopyDiagonalBlocks(Mat from, Mat to)
{
  Operator op;
  Mat source, target, coupling;
  const PetscInt *global;
  const PetscScalar *a = nullptr;
  PetscScalar *b = nullptr;
  PetscInt size;
  Structure upper, expanded;
  bool known, upper_only = false;

  PetscFunctionBegin;
  PetscCall(OperatorFindType(from, &op, &known));
  PetscCall(MatGetBlockSize(from, &size));
  PetscCall(OperatorGetParts(from, op, &source, &coupling, &global));
  PetscCall(ReadsUpperTriangles(source, &upper_only));
  PetscCall(OperatorFindType(to, &op, &known));
  PetscCall(OperatorGetParts(to, op, &target, &coupling, &global));
  PetscCall(OperatorGetStructure(source, true, &upper));
  PetscCall(OperatorGetStructure(target, true, &expanded));
  PetscCall(FinegrainSeqBAIJGetArrayRead(source, true, &a));
  PetscCall(MatSeqBAIJGetArray(target, &b));
  const std::size_t n = std::size_t(size);
  for (PetscInt i = 0; i < upper.rows; ++i) {
    const PetscInt e = FindDiagonal(upper, i), f = FindDiagonal(expanded, i);
    if (e == upper.ptr[i + 1] || f == expanded.ptr[i + 1]) continue;
    const PetscScalar *stored = a + std::size_t(e) * n * n;
    PetscScalar *block = b + std::size_t(f) * n * n;
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t r = 0; r < n; ++r) block[c * n + r] = stored[upper_only && r > c ? r * n + c : c * n + r];
  }
  PetscCall(MatSeqBAIJRestoreArray(target, &b));
  PetscCall(FinegrainSeqBAIJRestoreArrayRead(source, true, &a));
  PetscCall(OperatorRestoreStructure(true, &expanded));
  PetscCall(OperatorRestoreStructure(true, &upper));
  PetscCall(PetscObjectStateIncrease(reinterpret_cast<PetscObject>(to)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode OperatorFindDefects(Mat mat, PetscInt block_size, bool add_diagonal, Defects *defects)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(mat));
  Operator op;
  PetscInt m, n, own;
  PetscBool assembled;
  bool known;

  PetscFunctionBegin;
  *defects = {};
  PetscCall(OperatorFindType(mat, &op, &known));
  PetscCall(MatAssembled(mat, &assembled));
  PetscCall(MatGetBlockSize(mat, &own));
  PetscCall(MatGetLocalSize(mat, &m, &n));
  if (block_size <= 0) block_size = own;
  PetscInt reads = known && assembled && m == n && m % block_size == 0; // OperatorAnalyze() rejects all others
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &reads, 1, MPIU_INT, MPI_MIN, comm));
  if (!reads) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FinegrainOnAllRanks(mat, [&] { return FindHere(mat, op, block_size, add_diagonal, defects); }));
  PetscInt sums[] = {defects->unsorted, defects->incomplete};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_INT, MPI_SUM, comm));
  *defects = {sums[0], sums[1]};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OperatorCopy(Mat mat, bool add_diagonal, Mat *copy)
{
  const PetscScalar zero = 0;
  Operator op;
  bool known;

  PetscFunctionBegin;
  PetscCall(OperatorFindType(mat, &op, &known));
  if (!*copy) PetscCall(MakeRoom(mat, op, add_diagonal, copy));
  PetscCall(OperatorVisitRows(
    mat, op.symmetric,
    [&](PetscInt i, PetscInt count, const PetscInt *cols, const PetscScalar *values) -> PetscErrorCode {
      PetscFunctionBegin; // a value of the row overwrites the zero
      if (add_diagonal) PetscCall(MatSetValues(*copy, 1, &i, 1, &i, &zero, INSERT_VALUES));
      PetscCall(MatSetValues(*copy, 1, &i, count, cols, values, INSERT_VALUES));
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
  PetscCall(MatAssemblyBegin(*copy, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*copy, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OperatorExpand(Mat mat, Mat copy, Mat *expanded)
{
  Operator op;
  bool known;

  PetscFunctionBegin;
  PetscCall(OperatorFindType(mat, &op, &known));
  PetscCall(MatConvert(copy, op.parallel ? MATMPIBAIJ : MATSEQBAIJ, MAT_INITIAL_MATRIX, expanded));
  PetscCall(FinegrainOnAllRanks(mat, [&] { return CopyDiagonalBlocks(mat, *expanded); }));
  PetscCall(CopyVariableBlockSizes(mat, *expanded));
  PetscFunctionReturn(PETSC_SUCCESS);
}
