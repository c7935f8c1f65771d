/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrices from files, and from single entries. */
#ifndef TUTORIALS_MATRIX_H
#define TUTORIALS_MATRIX_H

#include <petscmat.h>

#if PETSC_VERSION_LT(3, 19, 0) && !defined(PETSC_SUCCESS)
#define PETSC_SUCCESS 0
#endif

/* Collects the entries of the rows of this rank. */
typedef struct {
  Mat A;
  PetscInt first, last; /* rows of this rank */
  PetscCount count, room;
  PetscInt *i, *j;
  PetscScalar *value;
} Entries;

/* Creates a square matrix over all ranks; the option -mat_type sets its type. */
extern PetscErrorCode EntriesCreate(PetscInt rows, PetscInt bs, Entries *entries);
/* Ignores rows of other ranks, and sums repeated entries. */
extern PetscErrorCode EntriesAdd(Entries *entries, PetscInt i, PetscInt j, PetscReal value);
extern PetscErrorCode EntriesAssemble(Entries *entries, Mat *A);

/* The option -bs, 1 by default. */
extern PetscErrorCode GetBlockSize(PetscInt *bs);
/* Reads Matrix Market, coordinate real or integer, general or symmetric; or PETSc's binary format. */
extern PetscErrorCode LoadMatrix(const char *name, PetscInt bs, Mat *A);

#endif
