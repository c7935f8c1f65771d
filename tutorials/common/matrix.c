/* SPDX-License-Identifier: BSD-2-Clause */
#include "matrix.h"

#include <petscviewer.h>

#include <stdio.h>
#include <string.h>

PetscErrorCode EntriesCreate(PetscInt rows, PetscInt bs, Entries *entries)
{
  PetscLayout layout;

  PetscFunctionBeginUser;
  memset(entries, 0, sizeof(*entries));
  PetscCheck(rows % bs == 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-bs %" PetscInt_FMT " does not divide %" PetscInt_FMT " rows: give a divisor, or 1", bs, rows);
  PetscCall(MatCreate(PETSC_COMM_WORLD, &entries->A));
  PetscCall(MatSetSizes(entries->A, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
  PetscCall(MatSetBlockSize(entries->A, bs));
  PetscCall(MatSetFromOptions(entries->A));
  PetscCall(MatGetLayouts(entries->A, &layout, NULL));
  PetscCall(PetscLayoutSetUp(layout));
  PetscCall(PetscLayoutGetRange(layout, &entries->first, &entries->last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EntriesAdd(Entries *e, PetscInt i, PetscInt j, PetscReal value)
{
  PetscFunctionBeginUser;
  if (i < e->first || i >= e->last) PetscFunctionReturn(PETSC_SUCCESS);
  if (e->count == e->room) {
    e->room = 2 * e->room + 1024;
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)e->room, &e->i));
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)e->room, &e->j));
    PetscCall(PetscRealloc(sizeof(PetscScalar) * (size_t)e->room, &e->value));
  }
  e->i[e->count] = i;
  e->j[e->count] = j;
  e->value[e->count++] = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EntriesAssemble(Entries *e, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetPreallocationCOO(e->A, e->count, e->i, e->j));
  PetscCall(MatSetValuesCOO(e->A, e->value, ADD_VALUES));
  PetscCall(PetscFree(e->i));
  PetscCall(PetscFree(e->j));
  PetscCall(PetscFree(e->value));
  *A = e->A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows and columns of the header, which may exceed PetscInt. */
static PetscErrorCode CheckHeader(const char *name, const long long header[3])
{
  PetscFunctionBeginUser;
  PetscCheck(header[0] == header[1], PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
             "%s has %lld rows and %lld columns: give a square matrix", name, header[0], header[1]);
  PetscCheck(header[0] > 0 && header[2] >= 0, PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
             "%s has a header of %lld rows and %lld entries: there must be a row, and no negative number", name,
             header[0], header[2]);
  PetscCheck(header[0] < PETSC_MAX_INT, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "%s has too many rows for the PetscInt of this PETSc, which counts to %" PetscInt_FMT
             ": take a PETSc that is configured with 64-bit indices",
             name, PETSC_MAX_INT);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every rank reads the file and keeps its rows, so that all ranks find the same errors. */
static PetscErrorCode LoadMatrixMarket(const char *name, FILE *file, PetscInt bs, Mat *A)
{
  char line[1024], field[64], symmetry[64];
  long long header[3], i, j; /* header: rows, columns, entries */
  double value;
  PetscBool symmetric;
  Entries entries;

  PetscFunctionBeginUser;
  PetscCheck(fgets(line, sizeof(line), file) &&
               sscanf(line, "%%%%MatrixMarket matrix coordinate %63s %63s", field, symmetry) == 2,
             PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED, "%s is no Matrix Market file in coordinate format", name);
  symmetric = strcmp(symmetry, "symmetric") ? PETSC_FALSE : PETSC_TRUE;
  PetscCheck((!strcmp(field, "real") || !strcmp(field, "integer")) && (symmetric || !strcmp(symmetry, "general")),
             PETSC_COMM_WORLD, PETSC_ERR_SUP,
             "%s has Matrix Market's field %s and symmetry %s: real or integer, general or symmetric are read", name,
             field, symmetry);
  do
    PetscCheck(fgets(line, sizeof(line), file), PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED, "%s ends in its header",
               name);
  while (line[0] == '%');
  PetscCheck(sscanf(line, "%lld %lld %lld", &header[0], &header[1], &header[2]) == 3, PETSC_COMM_WORLD,
             PETSC_ERR_FILE_UNEXPECTED, "%s has no numbers of rows, columns and entries behind its comments", name);
  PetscCall(CheckHeader(name, header));
  PetscCall(EntriesCreate((PetscInt)header[0], bs, &entries));
  for (long long e = 0; e < header[2]; ++e) {
    PetscCheck(fscanf(file, "%lld %lld %lf", &i, &j, &value) == 3, PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
               "%s ends, or has no numbers, after %lld of %lld entries", name, e, header[2]);
    PetscCheck(i > 0 && i <= header[0] && j > 0 && j <= header[0], PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
               "Entry %lld of %s is in row %lld, column %lld of %lld rows", e + 1, name, i, j, header[0]);
    PetscCheck(!PetscIsInfOrNanReal((PetscReal)value), PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
               "Entry %lld of %s is no finite number", e + 1, name);
    PetscCall(EntriesAdd(&entries, (PetscInt)(i - 1), (PetscInt)(j - 1), (PetscReal)value));
    if (symmetric && i != j) PetscCall(EntriesAdd(&entries, (PetscInt)(j - 1), (PetscInt)(i - 1), (PetscReal)value));
  }
  PetscCheck(fscanf(file, "%1s", line) == EOF, PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
             "%s goes on after the %lld entries that its header has", name, header[2]);
  PetscCall(EntriesAssemble(&entries, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetBlockSize(PetscInt *bs)
{
  PetscFunctionBeginUser;
  *bs = 1;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-bs", bs, NULL));
  PetscCheck(*bs > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-bs %" PetscInt_FMT ": give 1 or more", *bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LoadMatrix(const char *name, PetscInt bs, Mat *A)
{
  FILE *file = fopen(name, "r");
  int market, open = file ? 1 : 0;
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &open, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
  PetscCheck(open, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "-f %s: no file that every rank can read", name);
  market = fgetc(file) == '%';
  rewind(file);
  if (market) PetscCall(LoadMatrixMarket(name, file, bs, A));
  fclose(file);
  if (market) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, name, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  if (bs > 1) PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
