// SPDX-License-Identifier: BSD-2-Clause
// Inverse row sums of magnitudes: by kernels of the device copy, or from PETSc's arrays on the host.
#include "mat/baijkokkos.hpp"

#include "common/runtime.hpp"
#include "product/row_sums.hpp"
#include "base/pieces.hpp"

using namespace finegrain;

namespace
{

// Sequential part of a matrix: blocks of n x n scalars, n = 1 for AIJ.
struct SequentialPart {
  Structure structure;
  int n = 1;
  const Scalar *blocks = nullptr;
};

void AddRows(const SequentialPart &p, Scalar *sums)
{
  const AddRowSums<PetscInt> add{p.n, p.structure.ptr, p.blocks, sums};
  Pieces(Index(p.structure.rows)).for_rows([&](Index row) {
    for (Offset i = Offset(row) * p.n; i < Offset(row + 1) * p.n; ++i) add(i);
  });
}

// Adds the row sums of the transpose. `symmetric`: only the upper triangle of a symmetric matrix is stored.
void AddColumns(const SequentialPart &p, bool symmetric, Scalar *sums)
{
  const int n = p.n;
  for (PetscInt row = 0; row < p.structure.rows; ++row)
    for (PetscInt e = p.structure.ptr[row]; e < p.structure.ptr[row + 1]; ++e) {
      const Offset i = Offset(row) * n, j = Offset(p.structure.col[e]) * n;
      const Scalar *block = p.blocks + Offset(e) * n * n;
      for (int c = 0; c < n; ++c)
        for (int r = 0; r < n; ++r) {
          if (symmetric && j + c < i + r) continue; // products do not read the lower triangle of a diagonal block
          const Real size = magnitude(block[c * n + r]);
          sums[j + c] += size;
          if (symmetric && j + c > i + r) sums[i + r] += size;
        }
    }
}

// Calls add(part) for a sequential part of the matrix.
template <class Add> PetscErrorCode ReadPart(Mat mat, const Operator &type, const Add &add)
{
  SequentialPart p;
  PetscInt block = 1;
  const PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(OperatorGetStructure(mat, type.by_blocks, &p.structure));
  if (type.by_blocks) PetscCall(MatGetBlockSize(mat, &block));
  p.n = int(block);
  PetscCall(type.by_blocks ? FinegrainSeqBAIJGetArrayRead(mat, type.symmetric, &values)
                           : MatSeqAIJGetArrayRead(mat, &values));
  p.blocks = reinterpret_cast<const Scalar *>(values);
  add(p);
  PetscCall(type.by_blocks ? FinegrainSeqBAIJRestoreArrayRead(mat, type.symmetric, &values)
                           : MatSeqAIJRestoreArrayRead(mat, &values));
  PetscCall(OperatorRestoreStructure(type.by_blocks, &p.structure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes scales on the device copy. *found is false if it does not have the current values.
PetscErrorCode ScaleRowsOfCopy(Mat A, Vec other, Vec scales, bool *found)
{
  const BAIJKokkos *m = BAIJKokkosGet(A);
  PetscObjectState state;
  Arrays a;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), &state));
  *found = m && !m->bound && m->copy && m->structure == A->nonzerostate && (m->host_is_behind || m->values == state);
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(a.get(*m->copy, m->op.backend, other, nullptr, scales, false));
  m->copy->scale_rows(a.memory(), a.to());
  PetscCall(a.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode OperatorScaleRows(Mat mat, const Operator &type, bool transposed, Vec other, Vec scales)
{
  Mat owned, coupling;
  const PetscInt *global;
  PetscScalar *array;
  PetscInt n;
  bool found = false;

  PetscFunctionBegin;
  const bool by_rows = !transposed && !type.symmetric;
  PetscCall(FinegrainOnAllRanks(mat, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    if (by_rows) PetscCall(ScaleRowsOfCopy(mat, other, scales, &found));
    if (found) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(BAIJKokkosSyncHost(mat));
    PetscCall(VecSet(scales, 0));
    PetscCall(VecGetArray(scales, &array));
    Scalar *to = reinterpret_cast<Scalar *>(array);
    PetscCall(OperatorGetParts(mat, type, &owned, &coupling, &global));
    const auto add_rows = [&](const SequentialPart &p) { AddRows(p, to); };
    const auto add_columns = [&](const SequentialPart &p) { AddColumns(p, type.symmetric, to); };
    PetscCall(by_rows ? ReadPart(owned, type, add_rows) : ReadPart(owned, type, add_columns));
    if (coupling && by_rows) PetscCall(ReadPart(coupling, type, add_rows));
    PetscCall(VecGetLocalSize(scales, &n));
    for (PetscInt i = 0; i < n; ++i) InvertRowSums{to}(i);
    PetscCall(VecRestoreArray(scales, &array));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}
