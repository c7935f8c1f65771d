#include "matrix.h"

#include <petscviewer.h>

#include <stdio.h>
#include <string.h>

PetscErrorCode EntriesCreate(PetscInt rows, PetscInt bs, Entries *entries)
{
  PetscLayout layout;

  PetscFunctionBeginUser;
  memset(entries, 0, sizeof(*entries));
  PetscCheck(rows % bs == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "-bs %d does not divide %ld rows", (int)bs,
             (long)rows);
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

/* Every rank reads the file and keeps its rows. */
static PetscErrorCode LoadMatrixMarket(FILE *file, PetscInt bs, Mat *A)
{
  char line[1024], field[64], symmetry[64];
  long rows, cols, count, i, j;
  double value;
  PetscBool symmetric;
  Entries entries;

  PetscFunctionBeginUser;
  PetscCheck(fgets(line, sizeof(line), file) &&
               sscanf(line, "%%%%MatrixMarket matrix coordinate %63s %63s", field, symmetry) == 2,
             PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "Not a Matrix Market file in coordinate format");
  symmetric = strcmp(symmetry, "symmetric") ? PETSC_FALSE : PETSC_TRUE;
  PetscCheck((!strcmp(field, "real") || !strcmp(field, "integer")) && (symmetric || !strcmp(symmetry, "general")),
             PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Matrix Market field %s, symmetry %s; real or integer, general or symmetric are read", field, symmetry);
  do
    PetscCheck(fgets(line, sizeof(line), file), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "The file ends in its header");
  while (line[0] == '%');
  PetscCheck(sscanf(line, "%ld %ld %ld", &rows, &cols, &count) == 3 && rows == cols, PETSC_COMM_SELF,
             PETSC_ERR_FILE_UNEXPECTED, "The matrix must be square");
  PetscCall(EntriesCreate((PetscInt)rows, bs, &entries));
  for (long e = 0; e < count; ++e) {
    PetscCheck(fscanf(file, "%ld %ld %lf", &i, &j, &value) == 3, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "The file ends after %ld of %ld entries", e, count);
    PetscCheck(i > 0 && i <= rows && j > 0 && j <= rows, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "Entry %ld is (%ld,%ld) of %ld rows", e + 1, i, j, rows);
    PetscCall(EntriesAdd(&entries, (PetscInt)(i - 1), (PetscInt)(j - 1), (PetscReal)value));
    if (symmetric && i != j) PetscCall(EntriesAdd(&entries, (PetscInt)(j - 1), (PetscInt)(i - 1), (PetscReal)value));
  }
  PetscCall(EntriesAssemble(&entries, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LoadMatrix(const char *name, PetscInt bs, Mat *A)
{
  FILE *file = fopen(name, "r");
  int market;
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open %s", name);
  market = fgetc(file) == '%';
  rewind(file);
  if (market) PetscCall(LoadMatrixMarket(file, bs, A));
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
