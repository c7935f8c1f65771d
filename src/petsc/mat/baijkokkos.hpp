// SPDX-License-Identifier: BSD-2-Clause
// BAIJ with a device copy of its blocks: data that the files of this folder share, and access to values for
// preconditioners (pc).
#pragma once

#include "common/arrays.hpp"
#include "common/petsc_halo.hpp"

#include "product/device_copy.hpp"
#include "base/copies.hpp"

#include <petsc/private/matimpl.h>
#include <petscfinegrain.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

// Data of SEQBAIJKOKKOS and MPIBAIJKOKKOS in A->spptr. A->data is BAIJ's, with the values on the host.
struct BAIJKokkos {
  const char *type, *parent_type;
  bool parallel() const { return parent_type[0] == 'm'; } // mpibaij
  _MatOps parent;                                         // operations of BAIJ
  PetscErrorCode (*preallocate_seq)(Mat, PetscInt, PetscInt, const PetscInt[]) = nullptr;
  PetscErrorCode (*preallocate_mpi)(Mat, PetscInt, PetscInt, const PetscInt[], PetscInt, const PetscInt[]) = nullptr;
  bool bound = false;     // to the host, by MatBindToCPU()
  bool is_viewed = false; // during MatView()

  std::unique_ptr<finegrain::DeviceCopy> copy; // created at first use
  bool reserved[2] = {false, false};           // memory for products, for transposed products
  finegrain::Operator op;
  finegrain::PetscHalo halo;
  PetscObjectState structure = -1, values = -1; // states of the matrix that the device copy has

  // True if values assembled in the device copy have not been copied to the host.
  bool host_is_behind = false;
  bool keeps_host_current = false; // copies values to the host at once, for readers without a call

  // Assembly from coordinates (coo.cpp).
  bool has_lists = false, lists_are_set = false;
  finegrain::AssemblyLists lists;
  PetscSF received = nullptr; // null if no rank receives values
  MPI_Datatype unit = MPI_DATATYPE_NULL;
  PetscObjectState coo_structure = -1;                 // structure that the lists are for
  finegrain::HostArray<finegrain::Scalar> from_others; // if PetscSF cannot use device arrays

  // Both are equal on all ranks, unlike host_is_behind. from_coordinates: values came from coordinates, and as far
  // as assemblies have seen no rank has set any since. assembling: PETSc's assembly after MatSetValuesCOO() has not
  // finished.
  bool from_coordinates = false, assembling = false;
  PetscLogDouble entries = -1; // after the last assembly

  std::array<void (*)(void), 4> composed{}; // functions that BAIJ composed (host_operations.cpp)

  // Copy of type AIJ, and the states of the matrix that it has (aij_copy.cpp).
  struct {
    Mat mat = nullptr;
    PetscObjectState structure = -1, values = -1;
  } aij;
};

// Composes a function with the matrix, or removes it if f is null.
template <class Function> PetscErrorCode BAIJKokkosCompose(Mat A, const std::string &name, Function *f)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(A), name.c_str(), f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Returns the data of a matrix of these types, or null for other types.
BAIJKokkos *BAIJKokkosGet(Mat A);

// Updates the structure of the device copy, or its structure and values. Collective.
PetscErrorCode BAIJKokkosUpdateStructure(Mat A);
PetscErrorCode BAIJKokkosUpdate(Mat A);

// Copies values assembled in the device copy to the host; does nothing for other types. Not collective.
PetscErrorCode BAIJKokkosSyncHost(Mat A);

// Converts a BAIJ matrix to the corresponding type, or back to BAIJ.
PetscErrorCode BAIJKokkosAdopt(Mat A);
PetscErrorCode BAIJKokkosRelease(Mat A);

// Gets the values of any analyzed matrix: from the device copy of a BAIJKOKKOS matrix or from an AIJ matrix, if they
// are in the memory that op->backend needs, else from the host. Collective.
PetscErrorCode OperatorGetValues(Mat mat, finegrain::Operator *op, finegrain::Values *values);

// Computes scales_i = 1 / (sum over j of |a_ij|), and 1 for a row of zeros, for a matrix of any known type
// (OperatorFindType()), on a device if the current values are there. Sums of the transpose, and of SBAIJ, omit
// off-rank entries. `other` is any vector of the same layout. Collective.
PetscErrorCode OperatorScaleRows(Mat mat, const finegrain::Operator &type, bool transposed, Vec other, Vec scales);

// Gets the blocks of the device copy for an engine on `backend`. *found is false if the matrix has no copy there.
// Collective.
PetscErrorCode BAIJKokkosGetValues(Mat A, finegrain::Backend backend, finegrain::Values *values, bool *found);

// Gets the same blocks and takes over their array (DeviceCopy::give_blocks()). The matrix must have a device copy on
// op.backend. *blocks is the array of an earlier call, whose memory is reused, or null. Collective.
PetscErrorCode BAIJKokkosTakeBlocks(Mat A, finegrain::Values *values, std::shared_ptr<void> *blocks);

// *on_device is true if the matrix is of these types and not bound to the host.
PetscErrorCode BAIJKokkosIsOnDevice(Mat A, bool *on_device);

// Runs `body` while the matrix has the type name of its parent, for functions that compare it.
template <class Body> PetscErrorCode BAIJKokkosWithParentName(Mat A, Body body)
{
  const BAIJKokkos *m = BAIJKokkosGet(A);
  const PetscObject object = reinterpret_cast<PetscObject>(A);

  PetscFunctionBegin;
  PetscCall(PetscObjectChangeTypeName(object, m->parent_type));
  const PetscErrorCode code = body();
  PetscCall(PetscObjectChangeTypeName(object, m->type));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Replaces an operation of the parent by `ours`, again if the parent has changed it since, or restores it. An
// operation that the parent lacks is set only if it is `needed`.
template <auto Member, class Function> void BAIJKokkosSwap(Mat A, bool install, Function *ours, bool needed = false)
{
  auto &now = A->ops[0].*Member, &parent = static_cast<BAIJKokkos *>(A->spptr)->parent.*Member;
  if (install && now != ours) {
    parent = now;
    if (now || needed) now = ours;
  } else if (!install && now == ours) {
    now = parent;
  }
}

// Sets or removes operations and composed functions that first copy values to the host (host_operations.cpp).
PetscErrorCode BAIJKokkosSetHostOperations(Mat A, bool install);
PetscErrorCode BAIJKokkosComposeHostFunctions(Mat A, BAIJKokkos *m, bool install);
PetscErrorCode BAIJKokkosRegisterFactors();

// Composes or removes conversions (convert.cpp) and assembly from coordinates (coo.cpp).
PetscErrorCode BAIJKokkosComposeConversions(Mat A, const BAIJKokkos &m, bool install);
PetscErrorCode BAIJKokkosComposeCOO(Mat A, bool install);
PetscErrorCode BAIJKokkosDestroyCOO(BAIJKokkos *m);

// Returns the current copy of type AIJ on the host, for operations on single unknowns and products with other
// matrices. A owns the copy until its structure changes, so that later calls only update values. Collective.
PetscErrorCode BAIJKokkosGetAIJ(Mat A, Mat *aij);

// Creates a new AIJ copy, which the caller owns. Collective.
PetscErrorCode BAIJKokkosCreateAIJ(Mat A, Mat *aij);

// Sets the operations of a matrix product with operands of these types (product.cpp).
PetscErrorCode MatProductSetFromOptions_BAIJKokkos(Mat C);

// Sets or removes operations that BAIJ lacks and AIJ has, and those that may split blocks (aij_copy.cpp).
PetscErrorCode BAIJKokkosSetCopiedOperations(Mat A, bool install);

// Makes a new matrix one of these types, or AIJ if it is an interpolation of gamg (gamg.cpp).
PetscErrorCode BAIJKokkosCreate(Mat A, MatType baij, MatType aij);

PetscErrorCode MatCreate_SeqBAIJKokkos(Mat A);
PetscErrorCode MatCreate_MPIBAIJKokkos(Mat A);
