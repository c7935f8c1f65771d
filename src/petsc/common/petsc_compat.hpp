// SPDX-License-Identifier: BSD-2-Clause
// Differences between PETSc 3.18 and 3.26, and nothing else.
#pragma once

#include <petsc/private/pcimpl.h>
#include <petscmat.h>

#if PETSC_VERSION_LT(3, 19, 0) && !defined(PETSC_SUCCESS)
#define PETSC_SUCCESS ((PetscErrorCode)0)
#endif

// Type of the argument of setfromoptions, which PETSc's macros expect to be named PetscOptionsObject.
#if PETSC_VERSION_LT(3, 23, 0)
using FinegrainOptionItems = PetscOptionItems *;
#else
using FinegrainOptionItems = PetscOptionItems;
#endif

// Marks a vector as invalid, so that norms and inner products show that it is no solution.
static inline PetscErrorCode FinegrainVecFlag(Vec v)
{
#if PETSC_VERSION_LT(3, 22, 0)
  return VecSetInf(v);
#else
  return VecFlag(v, 1);
#endif
}

// Arrays of dense matrices. Older PETScs do not say where they are, and copy those of a device to the host.
#if PETSC_VERSION_LT(3, 19, 0)
static inline PetscErrorCode MatDenseGetArrayReadAndMemType(Mat A, const PetscScalar **array, PetscMemType *type)
{
  *type = PETSC_MEMTYPE_HOST;
  return MatDenseGetArrayRead(A, array);
}
static inline PetscErrorCode MatDenseRestoreArrayReadAndMemType(Mat A, const PetscScalar **array)
{
  return MatDenseRestoreArrayRead(A, array);
}
static inline PetscErrorCode MatDenseGetArrayWriteAndMemType(Mat A, PetscScalar **array, PetscMemType *type)
{
  *type = PETSC_MEMTYPE_HOST;
  return MatDenseGetArrayWrite(A, array);
}
static inline PetscErrorCode MatDenseRestoreArrayWriteAndMemType(Mat A, PetscScalar **array)
{
  return MatDenseRestoreArrayWrite(A, array);
}
#endif

// True if MatSetUp() has replaced the operations of the type by those of a hash table, until preallocation or
// assembly. PETSc does so since 3.19.
template <class M> bool FinegrainIsHashed(M A)
{
  if constexpr (requires { A->hash_active; }) return A->hash_active;
  else return false;
}

// Gets the parts of an MPIBAIJ matrix or of a derived type. MatMPIBAIJGetSeqBAIJ() accepts the name MPIBAIJ only, so
// the type name is replaced during the call.
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

// Gets the owned square of a SBAIJ matrix as a sequential matrix.
static inline PetscErrorCode FinegrainSBAIJGetOwned(Mat A, bool parallel, Mat *owned)
{
  PetscFunctionBegin;
  *owned = A;
  if (parallel) PetscCall(MatGetDiagonalBlock(A, owned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Gets the values of a SEQBAIJ or SEQSBAIJ matrix for reading. PETSc has no such call. Since 3.26 restoring the
// writable array marks the matrix as changed, which would repeat set-up at every application.
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
