/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrices from files, and from entries given one by one. */
#ifndef TUTORIALS_MATRIX_H
#define TUTORIALS_MATRIX_H

#include <petscmat.h>

#if PETSC_VERSION_LT(3, 19, 0) && !defined(PETSC_SUCCESS)
#define PETSC_SUCCESS 0
#endif

/* Entries of the rows of this rank. */
typedef struct {
  Mat A;
  PetscInt first, last; /* rows of this rank */
  PetscCount count, room;
  PetscInt *i, *j;
  PetscScalar *value;
} Entries;

/* A square matrix over all ranks; its type is an option, -mat_type. */
extern PetscErrorCode EntriesCreate(PetscInt rows, PetscInt bs, Entries *entries);
/* Rows of other ranks are left to them; what is given twice is summed. */
extern PetscErrorCode EntriesAdd(Entries *entries, PetscInt i, PetscInt j, PetscReal value);
extern PetscErrorCode EntriesAssemble(Entries *entries, Mat *A);

/* The option -bs, 1 where it is not given. */
extern PetscErrorCode GetBlockSize(PetscInt *bs);
/* Matrix Market, coordinate real or integer, general or symmetric; or PETSc's binary format. */
extern PetscErrorCode LoadMatrix(const char *name, PetscInt bs, Mat *A);

#endif
