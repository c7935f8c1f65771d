// SPDX-License-Identifier: BSD-2-Clause
// Converts a Mat to the engine's operator view: graphs of the owned square and of couplings to ghosts, and access to
// the values on the host. pc and mat use it in set-up.
#pragma once

#include "common/petsc_compat.hpp"

#include "engine.hpp"

#include <string_view>
#include <vector>

namespace finegrain
{

// For AIJ matrices with n > 1: the first entry of each row of each block, and a mask of the columns that are present
// (see MatrixValues). The device arrays are filled when device kernels first read an AIJ matrix in place.
struct BlockMap {
  HostArray<Offset> base;
  HostArray<std::uint32_t> mask;
  Array<Offset, DeviceExec::memory_space> device_base;
  Array<std::uint32_t, DeviceExec::memory_space> device_mask;

  std::size_t bytes() const
  {
    return (base.span() + device_base.span()) * sizeof(Offset) +
           (mask.span() + device_mask.span()) * sizeof(std::uint32_t);
  }
};

// Storage of a matrix's values on this rank. It holds no reference to the matrix, because the PC has one.
struct Operator {
  bool by_blocks = false;          // BAIJ or SBAIJ, else AIJ
  bool symmetric = false;          // SBAIJ, stored as its upper triangle
  bool parallel = false;           // MPIAIJ or MPIBAIJ
  PetscInt block = 1;              // block size n
  Backend backend = Backend::host; // memory in which the values are needed

  BlockMap owned, coupling;
  std::vector<PetscInt> ghosts; // global block rows of the ghosts, ascending

  std::size_t bytes() const { return owned.bytes() + coupling.bytes() + ghosts.size() * sizeof(PetscInt); }
};

// Row pointers and columns of a sequential matrix.
struct Structure {
  Mat mat;
  PetscInt rows = 0;
  const PetscInt *ptr = nullptr, *col = nullptr;
};

} // namespace finegrain

// Identifies a matrix and its values.
struct FinegrainState {
  PetscObjectId id = 0;
  PetscObjectState values = -1;

  bool operator==(const FinegrainState &) const = default;
};
PetscErrorCode FinegrainGetState(Mat mat, FinegrainState *state);

// Also identifies the nonzero structure of the matrix.
struct FinegrainStamp : FinegrainState {
  PetscObjectState structure = -1;
  PetscLogDouble entries = -1; // of this rank, because PETSc's nonzero state misses some changes of the structure
  PetscInt block = 0;
  char type[64] = "";

  bool has_structure_of(const FinegrainStamp &s) const
  {
    return id == s.id && structure == s.structure && entries == s.entries && block == s.block &&
           std::string_view(type) == s.type;
  }
};
PetscErrorCode FinegrainGetStamp(Mat mat, FinegrainStamp *stamp);

// Finds how a matrix stores its values. known: the type is supported.
PetscErrorCode OperatorFindType(Mat mat, finegrain::Operator *op, bool *known);

// Gets the sequential matrices of a matrix of known type: its owned square, and its couplings with the global indices
// of their columns, null on one rank.
PetscErrorCode OperatorGetParts(Mat mat, const finegrain::Operator &op, Mat *owned, Mat *coupling,
                                const PetscInt **global);

// Gets the structure of a sequential matrix, to be restored by the second function.
PetscErrorCode OperatorGetStructure(Mat mat, bool by_blocks, finegrain::Structure *s);
PetscErrorCode OperatorRestoreStructure(bool by_blocks, finegrain::Structure *s);

// Calls f(row, count, columns, values) with global indices for each row of this rank; for SBAIJ with its upper
// triangle. Not collective.
template <class F> PetscErrorCode OperatorVisitRows(Mat mat, bool symmetric, const F &f)
{
  PetscInt first, last, count;
  const PetscInt *cols;
  const PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(mat, &first, &last));
  if (symmetric) PetscCall(MatGetRowUpperTriangular(mat));
  for (PetscInt i = first; i < last; ++i) {
    PetscCall(MatGetRow(mat, i, &count, &cols, &values));
    PetscCall(f(i, count, cols, values));
    PetscCall(MatRestoreRow(mat, i, &count, &cols, &values));
  }
  if (symmetric) PetscCall(MatRestoreRowUpperTriangular(mat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Finds the parts and the block structure of `mat`, whose rows must have sorted columns (matrix_copy.hpp). For SBAIJ
// it reads the owned square only, for FactorKind::icc. block_size is that of an AIJ matrix, or 0 for the matrix's
// own; `option` is the name of its option in error messages. Errors are raised on all ranks. Collective.
PetscErrorCode OperatorAnalyze(Mat mat, PetscInt block_size, const char *option, finegrain::Operator *op,
                               finegrain::OperatorView *view);

// Finds the blocks of a BAIJ matrix, with its own order of ghosts. Not collective.
PetscErrorCode OperatorGetBlocks(Mat mat, finegrain::Operator *op, finegrain::OperatorView *view);

// Gets the values on the host. `mat` must have the analyzed structure. OperatorGetValues() is in mat/baijkokkos.hpp.
// Collective.
PetscErrorCode OperatorGetHostValues(Mat mat, const finegrain::Operator &op, finegrain::Values *values);
// Gets the values on a device without a copy, if op needs them there, `mat` is AIJ, and PETSc has its values there
// (aijkokkos, aijcusparse). They need not be restored. Not collective.
PetscErrorCode OperatorGetDeviceValues(Mat mat, finegrain::Operator *op, finegrain::Values *values, bool *found);
PetscErrorCode OperatorRestoreValues(Mat mat, const finegrain::Operator &op, finegrain::Values *values);

// Orders the block rows of this rank by a MatOrderingType of their graph.
PetscErrorCode OperatorGetOrdering(const finegrain::Graph &graph, MatOrderingType type,
                                   finegrain::HostArray<finegrain::Index> *order);
