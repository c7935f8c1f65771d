// SPDX-License-Identifier: BSD-2-Clause
// From a Mat to the engine's operator view: graphs of the owned square and of couplings to ghosts, and access to the
// values on the host. Used at set-up by pc and mat.
#pragma once

#include "common/petsc_compat.hpp"

#include "engine.hpp"

#include <string_view>
#include <vector>

namespace finegrain
{

// AIJ with n > 1: where each row of each block begins and which of its columns are there (MatrixValues). On a device
// from the first time on that its kernels read an AIJ matrix where it is.
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

// How a matrix stores its values on this rank. Holds no reference to the matrix: the PC does.
struct Operator {
  bool by_blocks = false;          // BAIJ or SBAIJ; otherwise AIJ
  bool symmetric = false;          // SBAIJ, whose upper triangle is read
  bool parallel = false;           // MPIAIJ or MPIBAIJ
  PetscInt block = 1;              // block size
  Backend backend = Backend::host; // where the values are wanted

  BlockMap owned, coupling;
  std::vector<PetscInt> ghosts; // global block rows of the ghosts, ascending

  std::size_t bytes() const { return owned.bytes() + coupling.bytes() + ghosts.size() * sizeof(PetscInt); }
};

// Row pointers and columns of a sequential part.
struct Structure {
  Mat mat;
  PetscInt rows = 0;
  const PetscInt *ptr = nullptr, *col = nullptr;
};

} // namespace finegrain

// Which matrix something was made of, and with which values.
struct FinegrainState {
  PetscObjectId id = 0;
  PetscObjectState values = -1;

  bool operator==(const FinegrainState &) const = default;
};
PetscErrorCode FinegrainGetState(Mat mat, FinegrainState *state);

// The same, and what its structure was like then.
struct FinegrainStamp : FinegrainState {
  PetscObjectState structure = -1;
  PetscLogDouble entries = -1; // of this rank: PETSc does not count every change of a structure
  PetscInt block = 0;
  char type[64] = "";

  bool has_structure_of(const FinegrainStamp &s) const
  {
    return id == s.id && structure == s.structure && entries == s.entries && block == s.block &&
           std::string_view(type) == s.type;
  }
};
PetscErrorCode FinegrainGetStamp(Mat mat, FinegrainStamp *stamp);

// How a matrix stores its values; known: it is of a type that is read.
PetscErrorCode OperatorFindType(Mat mat, finegrain::Operator *op, bool *known);

// The sequential parts of a matrix of known type; coupling and the global numbers of its columns are null on one
// rank.
PetscErrorCode OperatorGetParts(Mat mat, const finegrain::Operator &op, Mat *owned, Mat *coupling,
                                const PetscInt **global);

// The structure of a part, for the length of a scope.
PetscErrorCode OperatorGetStructure(Mat mat, bool by_blocks, finegrain::Structure *s);
PetscErrorCode OperatorRestoreStructure(bool by_blocks, finegrain::Structure *s);

// f(row, count, columns, values) for the rows of this rank, by global numbers; of SBAIJ the upper triangle. Not
// collective.
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

// Finds the parts of `mat`, whose columns are sorted in each row (matrix_copy.hpp), and its block structure. A SBAIJ
// matrix has the owned square only, for FactorKind::icc. block_size is that of an AIJ matrix, 0 for the matrix's own;
// `option` names the option that sets it. Every error is raised on all ranks of the matrix. Collective.
PetscErrorCode OperatorAnalyze(Mat mat, PetscInt block_size, const char *option, finegrain::Operator *op,
                               finegrain::OperatorView *view);

// The blocks of any matrix of type BAIJ, with the ghosts and their numbers as it has them. Not collective.
PetscErrorCode OperatorGetBlocks(Mat mat, finegrain::Operator *op, finegrain::OperatorView *view);

// Access to the values on the host; mat/baijkokkos.hpp has OperatorGetValues(). `mat` has the structure that was
// analyzed. Collective.
PetscErrorCode OperatorGetHostValues(Mat mat, const finegrain::Operator &op, finegrain::Values *values);
// The same on a device, if that is where op wants them, mat is of type AIJ and PETSc has its values there (aijkokkos,
// aijcusparse): no value is copied. They need not be restored. Not collective.
PetscErrorCode OperatorGetDeviceValues(Mat mat, finegrain::Operator *op, finegrain::Values *values, bool *found);
PetscErrorCode OperatorRestoreValues(Mat mat, const finegrain::Operator &op, finegrain::Values *values);

// The block rows of this rank in a MatOrderingType of their graph.
PetscErrorCode OperatorGetOrdering(const finegrain::Graph &graph, MatOrderingType type,
                                   finegrain::HostArray<finegrain::Index> *order);
