// SPDX-License-Identifier: BSD-2-Clause
// Copy of type AIJ of BAIJ with a device copy. It performs the operations that BAIJ lacks, and extracts submatrices
// by index sets that split blocks.
#include "mat/baijkokkos.hpp"

#include "base/pieces.hpp"
#include "common/runtime.hpp"

#include <algorithm>
#include <limits>
#include <vector>

using namespace finegrain;

namespace
{

// The sequential parts of a BAIJ matrix.
struct BlockParts {
  Operator op;
  Mat owned = nullptr, coupling = nullptr;
  const PetscInt *global = nullptr; // block columns of the coupling

  PetscErrorCode find(Mat A)
  {
    bool known;

    PetscFunctionBegin;
    PetscCall(OperatorFindType(A, &op, &known));
    PetscCall(MatGetBlockSize(A, &op.block));
    PetscCall(OperatorGetParts(A, op, &owned, &coupling, &global));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

// Scalar rows with ascending global columns.
struct Rows {
  std::vector<PetscInt> ptr, col;
};

PetscErrorCode FindRows(const BlockParts &parts, PetscInt first_column, Rows *rows)
{
  const PetscInt n = parts.op.block;
  const PetscInt first = first_column / n;
  Structure owned, coupling;
  std::vector<PetscInt> row;

  PetscFunctionBegin;
  PetscCall(OperatorGetStructure(parts.owned, true, &owned));
  if (parts.coupling) PetscCall(OperatorGetStructure(parts.coupling, true, &coupling));
  PetscInt64 entries = owned.rows ? owned.ptr[owned.rows] : 0;
  if (parts.coupling && coupling.rows) entries += coupling.ptr[coupling.rows];
  entries *= PetscInt64(n) * n;
  PetscCheck(entries <= std::numeric_limits<PetscInt>::max(), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "A copy of this rank's blocks in type AIJ has %" PetscInt64_FMT " entries, and PetscInt counts up to "
             "%" PetscInt_FMT "; use more ranks, or PETSc with 64-bit indices",
             entries, std::numeric_limits<PetscInt>::max());
  rows->ptr.reserve(std::size_t(owned.rows) * std::size_t(n) + 1);
  rows->ptr.push_back(0);
  rows->col.reserve(std::size_t(entries));
  for (PetscInt i = 0; i < owned.rows; ++i) {
    row.clear();
    for (PetscInt e = owned.ptr[i]; e < owned.ptr[i + 1]; ++e) row.push_back(first + owned.col[e]);
    if (parts.coupling)
      for (PetscInt e = coupling.ptr[i]; e < coupling.ptr[i + 1]; ++e) row.push_back(parts.global[coupling.col[e]]);
    std::sort(row.begin(), row.end());
    for (PetscInt r = 0; r < n; ++r) {
      for (const PetscInt j : row)
        for (PetscInt c = 0; c < n; ++c) rows->col.push_back(j * n + c);
      rows->ptr.push_back(PetscInt(rows->col.size()));
    }
  }
  if (parts.coupling) PetscCall(OperatorRestoreStructure(true, &coupling));
  PetscCall(OperatorRestoreStructure(true, &owned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Copies the values of one part. Columns of both matrices ascend by global number, so that the rows of adjacent
// blocks are adjacent too.
PetscErrorCode CopyPart(Mat blocks, PetscInt n, const Scalar *from, Mat scalars)
{
  Structure s;
  PetscScalar *to;

  PetscFunctionBegin;
  PetscCall(OperatorGetStructure(blocks, true, &s));
  PetscCall(MatSeqAIJGetArray(scalars, &to));
  const Pieces pieces{Index(s.rows)};
  pieces.for_each([&](int, Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Offset begin = s.ptr[i], count = s.ptr[i + 1] - begin;
      for (Offset e = 0; e < count; ++e)
        for (Offset r = 0; r < n; ++r)
          for (Offset c = 0; c < n; ++c)
            to[n * n * begin + r * n * count + e * n + c] = from[((begin + e) * n + c) * n + r];
    }
  });
  PetscCall(MatSeqAIJRestoreArray(scalars, &to));
  PetscCall(OperatorRestoreStructure(true, &s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CopyValues(Mat A, const BlockParts &parts, Mat aij)
{
  Mat owned = aij, coupling = nullptr;
  Values values;

  PetscFunctionBegin;
  if (parts.op.parallel) PetscCall(MatMPIAIJGetSeqAIJ(aij, &owned, &coupling, nullptr));
  PetscCall(OperatorGetHostValues(A, parts.op, &values));
  PetscCall(CopyPart(parts.owned, parts.op.block, values.owned.values, owned));
  if (coupling) PetscCall(CopyPart(parts.coupling, parts.op.block, values.coupling.values, coupling));
  PetscCall(OperatorRestoreValues(A, parts.op, &values));
  PetscCall(PetscObjectStateIncrease(reinterpret_cast<PetscObject>(aij)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateEmpty(Mat A, const BlockParts &parts, Mat *aij)
{
  PetscInt m, n, block;
  Rows rows;
  Mat B = nullptr;

  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(A, [&] { return FindRows(parts, A->cmap->rstart, &rows); }));
  PetscCall(MatGetLocalSize(A, &m, &n));
  PetscCall(MatGetBlockSize(A, &block));
  PetscCall(MatCreate(PetscObjectComm(reinterpret_cast<PetscObject>(A)), &B));
  PetscCall(MatSetSizes(B, m, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(B, block));
  PetscCall(MatSetType(B, parts.op.parallel ? MATMPIAIJ : MATSEQAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(B, rows.ptr.data(), rows.col.data(), nullptr));
  PetscCall(MatMPIAIJSetPreallocationCSR(B, rows.ptr.data(), rows.col.data(), nullptr));
  *aij = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode BAIJKokkosCreateAIJ(Mat A, Mat *aij)
{
  BlockParts parts;
  Mat B = nullptr;

  PetscFunctionBegin;
  PetscCall(BAIJKokkosSyncHost(A));
  PetscCall(parts.find(A));
  PetscCall(CreateEmpty(A, parts, &B));
  PetscCall(FinegrainOnAllRanks(A, [&] { return CopyValues(A, parts, B); }));
  PetscCall(MatPropagateSymmetryOptions(A, B));
  *aij = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BAIJKokkosGetAIJ(Mat A, Mat *aij)
{
  auto &copy = BAIJKokkosGet(A)->aij;
  PetscObjectState state;
  BlockParts parts;

  PetscFunctionBegin;
  PetscCall(BAIJKokkosSyncHost(A));
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), &state));
  if (copy.mat && copy.structure != A->nonzerostate) PetscCall(MatDestroy(&copy.mat));
  if (!copy.mat) {
    PetscCall(BAIJKokkosCreateAIJ(A, &copy.mat));
  } else if (copy.values != state) {
    PetscCall(parts.find(A));
    PetscCall(FinegrainOnAllRanks(A, [&] { return CopyValues(A, parts, copy.mat); }));
  }
  copy.structure = A->nonzerostate;
  copy.values = state;
  PetscCall(MatPropagateSymmetryOptions(A, copy.mat));
  *aij = copy.mat;
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

// Calls an operation of the AIJ copy.
template <auto Member> struct OfCopy;
template <class... Rest, PetscErrorCode (*_MatOps::*Member)(Mat, Rest...)> struct OfCopy<Member> {
  static PetscErrorCode call(Mat A, Rest... rest)
  {
    Mat aij;

    PetscFunctionBegin;
    PetscCall(BAIJKokkosGetAIJ(A, &aij));
    PetscCall((aij->ops[0].*Member)(aij, rest...));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

// Finds if any index set on any rank splits blocks. The result is equal on all ranks.
PetscErrorCode SplitBlocks(Mat A, PetscInt count, const IS sets[], bool *split)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &n));
  int splits = 0;
  for (PetscInt k = 0; k < count && n > 1; ++k) {
    const PetscInt *index;
    PetscInt size;
    if (!sets[k]) continue;
    PetscCall(ISGetLocalSize(sets[k], &size));
    PetscCall(ISGetIndices(sets[k], &index));
    splits |= size % n != 0;
    for (PetscInt i = 0; i < size; ++i) splits |= i % n == 0 ? index[i] % n != 0 : index[i] != index[i - 1] + 1;
    PetscCall(ISRestoreIndices(sets[k], &index));
  }
  if (n > 1)
    PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, &splits, 1, MPI_INT, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(A))));
  *split = splits;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Creates a submatrix, of type AIJ if it splits blocks. PETSc 3.18 cannot reuse a submatrix of MPIBAIJ, because it
// compares rows with blocks. PETSc 3.26 needs submatrices of the parent's type to print a matrix.
PetscErrorCode MatCreateSubMatrix_BAIJKokkos(Mat A, IS rows, IS columns, MatReuse reuse, Mat *B)
{
  const IS sets[] = {rows, columns};
  const BAIJKokkos *m = BAIJKokkosGet(A);
  Mat aij, again;
  bool split;

  PetscFunctionBegin;
  PetscCall(SplitBlocks(A, 2, sets, &split));
  if (split) {
    PetscCall(BAIJKokkosGetAIJ(A, &aij));
    PetscCall(MatCreateSubMatrix(aij, rows, columns, reuse, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(BAIJKokkosSyncHost(A));
  if (reuse == MAT_INITIAL_MATRIX || !m->parallel()) {
    PetscCall((*m->parent.createsubmatrix)(A, rows, columns, reuse, B));
    if (!BAIJKokkosGet(*B) && !m->is_viewed) PetscCall(BAIJKokkosAdopt(*B));
  } else {
    PetscCall((*m->parent.createsubmatrix)(A, rows, columns, MAT_INITIAL_MATRIX, &again));
    PetscCall(MatCopy(again, *B, SAME_NONZERO_PATTERN));
    PetscCall(MatDestroy(&again));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreateSubMatrices_BAIJKokkos(Mat A, PetscInt count, const IS rows[], const IS columns[],
                                               MatReuse reuse, Mat *B[])
{
  Mat aij;
  bool split[2];

  PetscFunctionBegin;
  PetscCall(SplitBlocks(A, count, rows, &split[0]));
  PetscCall(SplitBlocks(A, count, columns, &split[1]));
  if (split[0] || split[1]) {
    PetscCall(BAIJKokkosGetAIJ(A, &aij));
    PetscCall(MatCreateSubMatrices(aij, count, rows, columns, reuse, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(BAIJKokkosSyncHost(A));
  PetscCall((*BAIJKokkosGet(A)->parent.createsubmatrices)(A, count, rows, columns, reuse, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Finds the operations of AIJ in this PETSc.
PetscErrorCode FindOperations(bool parallel, const _MatOps **operations)
{
  static _MatOps of_aij[2];
  static bool found[2] = {false, false};
  Mat aij;

  PetscFunctionBegin;
  if (!found[parallel]) {
    PetscCall(MatCreate(PETSC_COMM_SELF, &aij));
    PetscCall(MatSetSizes(aij, 0, 0, 0, 0));
    PetscCall(MatSetType(aij, parallel ? MATMPIAIJ : MATSEQAIJ));
    of_aij[parallel] = *aij->ops;
    found[parallel] = true;
    PetscCall(MatDestroy(&aij));
  }
  *operations = &of_aij[parallel];
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Sets or removes an operation of A that calls that of the copy, if the parent lacks it and AIJ has it.
template <auto Member> void Lend(Mat A, const _MatOps &of_aij, bool install)
{
  const auto now = A->ops[0].*Member;
  if (!install || (!now && of_aij.*Member) || now == OfCopy<Member>::call)
    BAIJKokkosSwap<Member>(A, install, OfCopy<Member>::call, true);
}

// Sets the graph that gamg coarsens. It is an operation since PETSc 3.18; older releases read rows.
template <class O> void LendGraph(Mat A, const O &of_aij, bool install)
{
  if constexpr (requires { &O::creategraph; }) Lend<&O::creategraph>(A, of_aij, install);
}

} // namespace

PetscErrorCode BAIJKokkosSetCopiedOperations(Mat A, bool install)
{
  using O = _MatOps;
  const bool parallel = static_cast<const BAIJKokkos *>(A->spptr)->parallel();
  const O *of_aij = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOperations(parallel, &of_aij));
  BAIJKokkosSwap<&O::createsubmatrix>(A, install, MatCreateSubMatrix_BAIJKokkos);
  BAIJKokkosSwap<&O::createsubmatrices>(A, install, MatCreateSubMatrices_BAIJKokkos);
  LendGraph<O>(A, *of_aij, install);
  Lend<&O::findzerodiagonals>(A, *of_aij, install);
  Lend<&O::findnonzerorows>(A, *of_aij, install);
  Lend<&O::findoffblockdiagonalentries>(A, *of_aij, install);
  Lend<&O::issymmetric>(A, *of_aij, install);
  Lend<&O::getrowmax>(A, *of_aij, install);
  Lend<&O::getrowmin>(A, *of_aij, install);
  Lend<&O::getrowminabs>(A, *of_aij, install);
  Lend<&O::invertvariableblockdiagonal>(A, *of_aij, install);
  if (parallel) Lend<&O::createsubmatricesmpi>(A, *of_aij, install);
  PetscFunctionReturn(PETSC_SUCCESS);
}
