// SPDX-License-Identifier: BSD-2-Clause
// What differs between PETSc 3.18 and 3.26; nothing else.
#pragma once

#include <petsc/private/pcimpl.h>
#include <petscmat.h>

#if PETSC_VERSION_LT(3, 19, 0) && !defined(PETSC_SUCCESS)
#define PETSC_SUCCESS ((PetscErrorCode)0)
#endif

// The argument of setfromoptions; it must be called PetscOptionsObject.
#if PETSC_VERSION_LT(3, 23, 0)
using FinegrainOptionItems = PetscOptionItems *;
#else
using FinegrainOptionItems = PetscOptionItems;
#endif

// Fills a vector so that norms and inner products see that it is no answer.
static inline PetscErrorCode FinegrainVecFlag(Vec v)
{
#if PETSC_VERSION_LT(3, 22, 0)
  return VecSetInf(v);
#else
  return VecFlag(v, 1);
#endif
}

// Whether MatSetUp() has put a hash table's operations in the place of the type's, until it is preallocated or
// assembled: since PETSc 3.19.
template <class M> bool FinegrainIsHashed(M A)
{
  if constexpr (requires { A->hash_active; }) return A->hash_active;
  else return false;
}

// The parts of an MPIBAIJ matrix or of a type derived from it; MatMPIBAIJGetSeqBAIJ() takes that name only.
static inline PetscErrorCode FinegrainMPIBAIJGetParts(Mat A, Mat *owned, Mat *coupling, const PetscInt **global)
{
  char *&name = reinterpret_cast<PetscObject>(A)->type_name;
  char base[] = MATMPIBAIJ, *const own = name;

  PetscFunctionBegin;
  name = base;
  const PetscErrorCode code = MatMPIBAIJGetSeqBAIJ(A, owned, coupling, global);
  name = own;
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The square of a SBAIJ matrix that this rank owns, as a sequential one.
static inline PetscErrorCode FinegrainSBAIJGetOwned(Mat A, bool parallel, Mat *owned)
{
  PetscFunctionBegin;
  *owned = A;
  if (parallel) PetscCall(MatGetDiagonalBlock(A, owned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Values of a SEQBAIJ or SEQSBAIJ matrix for reading. PETSc has no such call, and from 3.26 on the one for writing
// marks the matrix as changed when it is given back, which would set up the preconditioner at every application.
static inline PetscErrorCode FinegrainSeqBAIJGetArrayRead(Mat A, bool symmetric, const PetscScalar **values)
{
  PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(symmetric ? MatSeqSBAIJGetArray(A, &array) : MatSeqBAIJGetArray(A, &array));
  *values = array;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode FinegrainSeqBAIJRestoreArrayRead(Mat A, bool symmetric, const PetscScalar **values)
{
  PetscScalar *array = const_cast<PetscScalar *>(*values);
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), &state));
  PetscCall(symmetric ? MatSeqSBAIJRestoreArray(A, &array) : MatSeqBAIJRestoreArray(A, &array));
  PetscCall(PetscObjectStateSet(reinterpret_cast<PetscObject>(A), state));
  *values = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}
