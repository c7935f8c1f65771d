// SPDX-License-Identifier: BSD-2-Clause
// BAIJ with a mirror of its blocks: the data that its files share, and access to values for preconditioners (pc).
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

// A->spptr of SEQBAIJKOKKOS and MPIBAIJKOKKOS. A->data is BAIJ's, with values on the host.
struct BAIJKokkos {
  const char *type, *parent_type;
  bool parallel() const { return parent_type[0] == 'm'; } // mpibaij
  _MatOps parent;                                         // its operations
  PetscErrorCode (*preallocate_seq)(Mat, PetscInt, PetscInt, const PetscInt[]) = nullptr;
  PetscErrorCode (*preallocate_mpi)(Mat, PetscInt, PetscInt, const PetscInt[], PetscInt, const PetscInt[]) = nullptr;
  bool bound = false;     // to the host, MatBindToCPU()
  bool is_viewed = false; // PETSc prints it

  std::unique_ptr<finegrain::DeviceCopy> copy; // made at first use
  bool reserved[2] = {false, false};           // what products need, and transposed ones
  finegrain::Operator op;
  finegrain::PetscHalo halo;
  PetscObjectState structure = -1, values = -1; // of the matrix, as the mirror has them

  // Values that were assembled in the device copy and have not been brought to the host.
  bool host_is_behind = false;
  bool keeps_host_current = false; // somebody reads the host's values without asking: they are brought there at once

  // Coordinates (coo.cpp).
  bool has_lists = false, lists_are_set = false;
  finegrain::AssemblyLists lists;
  PetscSF received = nullptr; // null: none on any rank
  MPI_Datatype unit = MPI_DATATYPE_NULL;
  PetscObjectState coo_structure = -1;                 // that the lists are for
  finegrain::HostArray<finegrain::Scalar> from_others; // where SF takes no device's arrays

  // The same on all ranks, which host_is_behind need not be: values came from coordinates, and nothing has been set
  // on any rank since, as far as assemblies have seen; and PETSc's assembly after MatSetValuesCOO() is under way.
  bool from_coordinates = false, assembling = false;
  PetscLogDouble entries = -1; // as the last assembly left them

  std::array<void (*)(void), 4> composed{}; // the parent's (host_operations.cpp)

  // A copy of type AIJ, and the states of the matrix that it has (aij_copy.cpp).
  struct {
    Mat mat = nullptr;
    PetscObjectState structure = -1, values = -1;
  } aij;
};

// Composes a function with the matrix, or takes it away.
template <class Function> PetscErrorCode BAIJKokkosCompose(Mat A, const std::string &name, Function *f)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(A), name.c_str(), f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The data of a matrix of these types, null for any other.
BAIJKokkos *BAIJKokkosGet(Mat A);

// Brings the mirror up to date with the structure, or with structure and values. Collective.
PetscErrorCode BAIJKokkosUpdateStructure(Mat A);
PetscErrorCode BAIJKokkosUpdate(Mat A);

// Brings the host up to date; does nothing for matrices of other types. Not collective.
PetscErrorCode BAIJKokkosSyncHost(Mat A);

// Makes a BAIJ matrix one of these types, or it BAIJ again.
PetscErrorCode BAIJKokkosAdopt(Mat A);
PetscErrorCode BAIJKokkosRelease(Mat A);

// Access to the values of any matrix that was analyzed: those of the mirror of a BAIJKOKKOS matrix, if it lies where
// they are wanted (op->backend), those of an AIJ matrix that are there, else on the host. Collective.
PetscErrorCode OperatorGetValues(Mat mat, finegrain::Operator *op, finegrain::Values *values);

// sums_i = sum over j of |a_ij| in any matrix of a known type (OperatorFindType()), with its values as they are now,
// on a device if they are there. Of the transpose, and of SBAIJ, entries that couple ranks are not counted. `other`
// is any vector of the same layout. Collective.
PetscErrorCode OperatorSumRows(Mat mat, const finegrain::Operator &type, bool transposed, Vec other, Vec sums);

// The mirror's blocks for an engine on `backend`, where the matrix has such a mirror; *found says so. Collective.
PetscErrorCode BAIJKokkosGetValues(Mat A, finegrain::Backend backend, finegrain::Values *values, bool *found);

// The same, and the array that they lie in (DeviceCopy::give_blocks()), from a matrix of these types with a mirror on
// op.backend. *blocks is what the caller took before, if anything: it is used again. Collective.
PetscErrorCode BAIJKokkosTakeBlocks(Mat A, finegrain::Values *values, std::shared_ptr<void> *blocks);

// Whether the matrix is of these types and not bound to the host.
PetscErrorCode BAIJKokkosIsOnDevice(Mat A, bool *mirrored);

// Runs what asks for the name of the type while that is the parent's.
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

// Puts an operation of this type in the place of its parent's, again after each change of that, or takes it away. One
// that the parent lacks stays away unless it is `needed`.
template <auto Member, class Function> void BAIJKokkosSwap(Mat A, bool there, Function *ours, bool needed = false)
{
  auto &now = A->ops[0].*Member, &parent = static_cast<BAIJKokkos *>(A->spptr)->parent.*Member;
  if (there && now != ours) {
    parent = now;
    if (now || needed) now = ours;
  } else if (!there && now == ours) {
    now = parent;
  }
}

// Puts this type's operations in place of its parent's, again after each change of those, or takes them away
// (host_operations.cpp).
PetscErrorCode BAIJKokkosSetHostOperations(Mat A, bool there);
PetscErrorCode BAIJKokkosComposeHostFunctions(Mat A, BAIJKokkos *m, bool there);
PetscErrorCode BAIJKokkosRegisterFactors();

// Composes or removes conversions (convert.cpp), assembly from coordinates (coo.cpp).
PetscErrorCode BAIJKokkosComposeConversions(Mat A, const BAIJKokkos &m, bool there);
PetscErrorCode BAIJKokkosComposeCOO(Mat A, bool there);
PetscErrorCode BAIJKokkosDestroyCOO(BAIJKokkos *m);

// What asks for single unknowns or for products with other matrices reads A's copy of type AIJ, on the host, up to
// date. It belongs to A, which keeps it until its structure changes, so that later calls copy values only.
// Collective.
PetscErrorCode BAIJKokkosGetAIJ(Mat A, Mat *aij);

// A new one, which is the caller's. Collective.
PetscErrorCode BAIJKokkosCreateAIJ(Mat A, Mat *aij);

// Products of matrices, some of them of these types (product.cpp).
PetscErrorCode MatProductSetFromOptions_BAIJKokkos(Mat C);

// Puts operations that BAIJ lacks and the copy has in their places, and those that may split blocks.
PetscErrorCode BAIJKokkosSetCopiedOperations(Mat A, bool there);

// Makes a new matrix one of these types, or AIJ where it is an interpolation (gamg.cpp).
PetscErrorCode BAIJKokkosCreate(Mat A, MatType baij, MatType aij);

PetscErrorCode MatCreate_SeqBAIJKokkos(Mat A);
PetscErrorCode MatCreate_MPIBAIJKokkos(Mat A);
