/* SPDX-License-Identifier: BSD-2-Clause */
static char help[] =
  "Solves A x = 1 by CG with the preconditioners of Table 2 of Heuveline, Lukarski and Weiss: none, multicolor\n\
SGS, and powerqilu, multicolor ILU(p,q). The matrix comes from a file (-f name, Matrix Market or PETSc binary), or is a\n\
generated stand-in: -matrix ecology, shell or circuit, with about -size unknowns. -bs sets the block size.\n\
-all adds SGS and ILU(p) without colors, and ILU(p,q) for all p <= 3 and q <= p + 1. -petsc adds ILU(p) without colors\n\
and PETSc's own, on one rank. -ksp_... and -pc_powerqilu_... options act on every row.\n\n";

#include "standins.h"

#include <petscfinegrain.h>
#include <petscksp.h>
#include <petsctime.h>

#include <stdio.h>
#include <string.h>

typedef enum { NONE, SGS, SGS_LEVELS, ILU, ILU_LEVELS, ILU_PETSC } Kind;

typedef struct {
  Kind kind;
  PetscInt p, q; /* q of 0 is p + 1 */
  PCPOWERQILUDropType drop;
} Row;

/* Data from the view of a preconditioner; -1 if it is not in the view. Rank 0 has it. */
typedef struct {
  int colors, groups;
  long dropped;
  double ratio; /* nnz(L+U) / nnz(A) */
} Viewed;

static PetscErrorCode ReadView(PC pc, Viewed *viewed)
{
  FILE *file;
  PetscViewer viewer;
  PetscMPIInt rank;
  char line[1024], *found;

  PetscFunctionBeginUser;
  viewed->colors = viewed->groups = -1;
  viewed->dropped = -1;
  viewed->ratio = -1;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  file = tmpfile();
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No temporary file");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, file, &viewer));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  rewind(file);
  while (rank == 0 && fgets(line, sizeof(line), file)) {
    if ((found = strstr(line, "coloring: "))) sscanf(found, "coloring: %*[^,], %d colors", &viewed->colors);
    if ((found = strstr(line, "schedule: "))) sscanf(found, "schedule: %*[^,], %d groups", &viewed->groups);
    if ((found = strstr(line, "nnz(L+U) / nnz(A) = "))) sscanf(found, "nnz(L+U) / nnz(A) = %lf", &viewed->ratio);
    if ((found = strstr(line, "of one color: "))) sscanf(found, "of one color: %ld", &viewed->dropped);
  }
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds in an event so far, on this rank. */
static PetscErrorCode SecondsOf(const char *name, double *seconds)
{
  PetscLogEvent event;
  PetscEventPerfInfo info;

  PetscFunctionBeginUser;
  PetscCall(PetscLogEventGetId(name, &event));
  PetscCall(PetscLogEventGetPerfInfo(0, event, &info));
  *seconds = info.time;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void NameRow(Row row, char name[32])
{
  const char *const drop = row.q > 0 && row.q <= row.p ? PCPOWERQILUDropTypes[row.drop] : "";

  if (row.kind == NONE) snprintf(name, 32, "none");
  if (row.kind == SGS) snprintf(name, 32, "SGS");
  if (row.kind == SGS_LEVELS) snprintf(name, 32, "SGS by levels");
  if (row.kind == ILU && row.p == 0) snprintf(name, 32, "ILU(0)");
  if (row.kind == ILU && row.p > 0)
    snprintf(name, 32, "ILU(%d,%d)%s%s", (int)row.p, (int)(row.q ? row.q : row.p + 1), *drop ? " " : "", drop);
  if (row.kind == ILU_LEVELS) snprintf(name, 32, "ILU(%d) by levels", (int)row.p);
  if (row.kind == ILU_PETSC) snprintf(name, 32, "PETSc ILU(%d)", (int)row.p);
}

static PetscErrorCode SetRow(PC pc, Row row)
{
  const PCType types[] = {PCNONE, PCMCPI, PCMCPI, PCPOWERQILU, PCPOWERQILU, PCILU};

  PetscFunctionBeginUser;
  PetscCall(PCSetType(pc, types[row.kind]));
  PetscCall(PCSetFromOptions(pc));
  if (row.kind == ILU_PETSC) PetscCall(PCFactorSetLevels(pc, row.p));
  if (row.kind == SGS || row.kind == SGS_LEVELS) {
    PetscCall(PCMCPISetIterations(pc, 1));
    PetscCall(PCMCPISetSweep(pc, PCMCPI_SWEEP_SYMMETRIC));
    PetscCall(PCMCPISetExchange(pc, PCMCPI_EXCHANGE_NONE)); /* symmetric on several ranks too */
  }
  if (row.kind == SGS_LEVELS) PetscCall(PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_LEVEL));
  if (row.kind == ILU || row.kind == ILU_LEVELS) {
    PetscCall(PCPOWERQILUSetLevels(pc, row.p));
    PetscCall(PCPOWERQILUSetPower(pc, row.q));
    PetscCall(PCPOWERQILUSetDrop(pc, row.drop));
    PetscCall(
      PCFinegrainSetSchedule(pc, row.kind == ILU ? PC_FINEGRAIN_SCHEDULE_COLOR : PC_FINEGRAIN_SCHEDULE_LEVEL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* nnz(L+U) / nnz(A) of PETSc's ILU, whose view rounds it. */
static PetscErrorCode ReadFill(PC pc, Mat A, double *ratio)
{
  Mat F;
  MatInfo factor, matrix;

  PetscFunctionBeginUser;
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatGetInfo(F, MAT_LOCAL, &factor));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &matrix));
  *ratio = factor.nz_used / matrix.nz_used;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Write(char cell[16], const char *format, double value)
{
  if (value < 0) snprintf(cell, 16, "-");
  else snprintf(cell, 16, format, value);
}

/* Prints a row of the table. Stores the iterations of the first row, with which others are compared, and the
 * colors of |A|^q. */
static PetscErrorCode SolveRow(Row row, Mat A, Vec b, PetscInt *unpreconditioned, int colors[5])
{
  KSP ksp;
  PC pc;
  Vec x;
  Viewed viewed;
  PetscInt iterations;
  KSPConvergedReason reason;
  PetscLogDouble start, stop;
  const char *const numeric = row.kind == ILU_PETSC ? "MatLUFactorNum" : "FGFactor";
  double before = 0, seconds[3] = {0, 0, 0}; /* of set-up without its numeric phase, of that phase, of the solve */
  char name[32], cells[6][16];

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(ksp, (PetscReal)1e-6, PETSC_DEFAULT, PETSC_DEFAULT, 100000));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(SetRow(pc, row));
  PetscCall(SecondsOf(numeric, &before));
  PetscCall(PetscTime(&start));
  PetscCall(PCSetUp(pc));
  PetscCall(PetscTime(&stop));
  PetscCall(SecondsOf(numeric, &seconds[1]));
  seconds[1] -= before;
  seconds[0] = stop - start - seconds[1];
  PetscCall(KSPSetUp(ksp));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&start));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&stop));
  seconds[2] = stop - start;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 3, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(ReadView(pc, &viewed));
  if (row.kind == ILU_PETSC) PetscCall(ReadFill(pc, A, &viewed.ratio));
  if (row.kind == ILU) colors[row.q ? row.q : row.p + 1] = viewed.colors;
  if (row.kind == NONE && reason > 0) *unpreconditioned = iterations;

  NameRow(row, name);
  Write(cells[0], "%.0f", viewed.colors);
  Write(cells[1], "%.0f", viewed.groups);
  Write(cells[2], "%.3f", viewed.ratio);
  Write(cells[3], "%.0f", (double)viewed.dropped);
  Write(cells[4], "%.0f", reason > 0 || reason == KSP_DIVERGED_ITS ? (double)iterations : -1);
  Write(cells[5], "%.2f", reason > 0 && *unpreconditioned ? *unpreconditioned / (double)PetscMax(iterations, 1) : -1);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-21s %7s %7s %8s %9s %10s %8s %10.3f %10.3f %10.3f   %s\n", name,
                        cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], seconds[0], seconds[1],
                        seconds[2], KSPConvergedReasons[reason]));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of the paper's table, or of its figures, and rows for the comparison of times. */
static int ListRows(PetscBool all, PetscBool petsc, Row rows[64])
{
  const PCPOWERQILUDropType during = PCPOWERQILU_DROP_DURING, after = PCPOWERQILU_DROP_AFTER;
  int count = 0;

  rows[count++] = (Row){NONE, 0, 0, during};
  rows[count++] = (Row){SGS, 0, 0, during};
  if (all) rows[count++] = (Row){SGS_LEVELS, 0, 0, during};
  for (PetscInt p = 0; petsc && p <= 3; ++p) rows[count++] = (Row){ILU_PETSC, p, 0, during};
  for (PetscInt p = 0; (all || petsc) && p <= 3; ++p) rows[count++] = (Row){ILU_LEVELS, p, 0, during};
  for (PetscInt p = 0; p <= 3; ++p)
    for (PetscInt q = all ? 1 : p + 1; q <= p + 1; ++q) {
      rows[count++] = (Row){ILU, p, q, during};
      if (q <= p) rows[count++] = (Row){ILU, p, q, after};
    }
  if (!all) {
    rows[count++] = (Row){ILU, 3, 3, during};
    rows[count++] = (Row){ILU, 3, 3, after};
  }
  return count;
}

int main(int argc, char **argv)
{
  char name[PETSC_MAX_PATH_LEN], description[256] = "";
  PetscInt size = 0, bs, unknowns, unpreconditioned = 0;
  PetscBool file, generated, sized, all = PETSC_FALSE, petsc = PETSC_FALSE;
  PetscEnum kind;
  Mat A;
  Vec b;
  MatInfo info;
  Row rows[64];
  int count, colors[5] = {0};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscFinegrainInitializePackage());
  PetscCall(PetscLogDefaultBegin()); /* for the times of events */
  PetscCall(PetscOptionsClearValue(NULL, "-pc_type"));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", name, sizeof(name), &file));
  PetscCall(PetscOptionsGetEnum(NULL, NULL, "-matrix", Standins, &kind, &generated));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-size", &size, &sized));
  PetscCall(GetBlockSize(&bs));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-all", &all, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-petsc", &petsc, NULL));
  PetscCheck(file != generated, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "Give -f matrix or -matrix ecology, shell or circuit");
  /* Generators make somewhat more unknowns than this, to fill a square, and PetscInt must be able to number them. */
  PetscCheck(!sized || (size > 0 && size <= PETSC_MAX_INT / 2), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-size %" PetscInt_FMT ": give 1 to %" PetscInt_FMT, size, PETSC_MAX_INT / 2);
  if (file) PetscCall(LoadMatrix(name, bs, &A));
  else {
    PetscCall(StandinCreate((Standin)kind, size, bs, &A, description, sizeof(description)));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s (a generated stand-in)", Standins[kind]));
  }
  PetscCall(MatCreateVecs(A, NULL, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(MatGetSize(A, &unknowns, NULL));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %d unknowns, %.0f entries\n", name, (int)unknowns, info.nz_used));
  if (generated) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", description));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-21s %7s %7s %8s %9s %10s %8s %10s %10s %10s\n", "preconditioner",
                        "colors", "groups", "fill", "dropped", "iterations", "factor", "analysis s", "numeric s",
                        "solve s"));
  count = ListRows(all, petsc, rows);
  for (int r = 0; r < count; ++r) PetscCall(SolveRow(rows[r], A, b, &unpreconditioned, colors));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "colors of |A|^q, q = 1 to 4: %d %d %d %d\n", colors[1], colors[2],
                        colors[3], colors[4]));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
