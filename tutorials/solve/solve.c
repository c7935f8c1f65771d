/* SPDX-License-Identifier: BSD-2-Clause */
static char help[] = "Solves a linear system with several preconditioners and prints a table.\n\
The matrix comes from a file (-f name, Matrix Market or PETSc binary) or is a convection-diffusion problem with coupled\n\
unknowns on a 3-D grid (-grid i,j,k). -bs sets the block size, or the unknowns per grid point.\n\
The table has PETSc's block Jacobi with ILU(0), fgbilu, fgbilu stored in single precision and, if -pc_type is given, a row\n\
for that and all other -pc_... options. KSP options act on every row. Of large systems a sentence compares fgbilu with\n\
PETSc's ILU(0).\n\n";

#include "../common/matrix.h"

#include <petscdmda.h>
#include <petscfinegrain.h>
#include <petscksp.h>
#include <petsctime.h>

#include <string.h>

#if PETSC_VERSION_LT(3, 25, 0)
#define KSP_DMACTIVE_ALL_ /* the DM is used for everything or nothing */
#else
#define KSP_DMACTIVE_ALL_ KSP_DMACTIVE_ALL,
#endif

/* Block for the neighbor `step` away along an axis: diffusion, convection that differs between unknowns, weak
 * coupling. */
static void NeighborBlock(PetscInt bs, PetscInt step, PetscScalar *block)
{
  for (PetscInt r = 0; r < bs; ++r)
    for (PetscInt c = 0; c < bs; ++c)
      block[r * bs + c] = r == c ? -1 + 0.5 * (PetscReal)step / (PetscReal)(1 + r)
                                 : 0.1 * (PetscReal)(step * (c - r)) / (PetscReal)(bs * bs);
}

/* PetscInt must be able to number the unknowns of all ranks and, in PETSc, the entries of one. */
static PetscErrorCode CheckSizes(const PetscInt size[3], PetscInt bs)
{
  const double unknowns = (double)size[0] * (double)size[1] * (double)size[2] * (double)bs;
  PetscMPIInt ranks;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCheck(size[0] > 0 && size[1] > 0 && size[2] > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-grid %" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ": give 1 point or more along each axis",
             size[0], size[1], size[2]);
  PetscCheck(unknowns <= PETSC_MAX_INT && 7 * bs * unknowns / ranks <= PETSC_MAX_INT, PETSC_COMM_WORLD,
             PETSC_ERR_USER_INPUT,
             "-grid and -bs make %g unknowns, and on a rank %g entries, and the PetscInt of this PETSc counts to "
             "%" PetscInt_FMT ": give smaller ones or more ranks",
             unknowns, 7 * bs * unknowns / ranks, PETSC_MAX_INT);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AssembleOnGrid(const PetscInt size[3], PetscInt bs, DM *da, Mat *A)
{
  DMDALocalInfo info;
  MatStencil row, col;
  PetscScalar *block[3]; /* neighbor below, point, neighbor above */

  PetscFunctionBeginUser;
  PetscCall(CheckSizes(size, bs));
  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR,
                         size[0], size[1], size[2], PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, bs, 1, NULL, NULL, NULL,
                         da));
  PetscCall(DMSetMatType(*da, MATBAIJ));
  PetscCall(DMSetFromOptions(*da));
  PetscCall(DMSetUp(*da));
  PetscCall(DMCreateMatrix(*da, A));
  PetscCall(DMDAGetLocalInfo(*da, &info));
  for (PetscInt step = -1; step <= 1; ++step) {
    PetscCall(PetscMalloc1(bs * bs, &block[step + 1]));
    NeighborBlock(bs, step, block[step + 1]);
  }
  for (PetscInt r = 0; r < bs; ++r) block[1][r * bs + r] = 6.02;
  memset(&row, 0, sizeof(row));
  for (row.k = info.zs; row.k < info.zs + info.zm; ++row.k)
    for (row.j = info.ys; row.j < info.ys + info.ym; ++row.j)
      for (row.i = info.xs; row.i < info.xs + info.xm; ++row.i)
        for (int neighbor = 0; neighbor < 7; ++neighbor) {
          const PetscInt step = neighbor == 6 ? 0 : neighbor % 2 ? 1 : -1;
          col = row;
          if (neighbor / 2 == 0) col.i += step;
          if (neighbor / 2 == 1) col.j += step;
          if (neighbor / 2 == 2) col.k += step;
          if (col.i < 0 || col.j < 0 || col.k < 0 || col.i >= info.mx || col.j >= info.my || col.k >= info.mz)
            continue;
          PetscCall(MatSetValuesBlockedStencil(*A, 1, &row, 1, &col, block[step + 1], INSERT_VALUES));
        }
  for (int s = 0; s < 3; ++s) PetscCall(PetscFree(block[s]));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Megabytes of the factor's blocks on all ranks: ours, or those of the ILU inside block Jacobi; 0 for any other. */
static PetscErrorCode CountFactor(PC pc, double *megabytes)
{
  PetscBool ours, bjacobi, ilu = PETSC_FALSE;
  PetscInt count;
  KSP *sub;
  PC subpc;
  Mat factor;
  MatInfo info;
  PetscLogDouble bytes = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &ours, PCFGBILU, PCMCPI, PCPOWERQILU, ""));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCBJACOBI, &bjacobi));
  if (ours) PetscCall(PCFinegrainGetFactorBytes(pc, &bytes));
  if (bjacobi) {
    PetscCall(PCBJacobiGetSubKSP(pc, &count, NULL, &sub));
    PetscCall(KSPGetPC(sub[0], &subpc));
    PetscCall(PetscObjectTypeCompare((PetscObject)subpc, PCILU, &ilu));
  }
  if (ilu) {
    PetscCall(PCFactorGetMatrix(subpc, &factor));
    PetscCall(MatGetInfo(factor, MAT_LOCAL, &info));
    bytes = info.nz_used * (double)sizeof(PetscScalar);
  }
  PetscCallMPI(MPI_Allreduce(&bytes, megabytes, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  *megabytes /= 1e6;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Best of several applications, in milliseconds. */
static PetscErrorCode TimeApplication(PC pc, Vec b, Vec x, double *milliseconds)
{
  PetscLogDouble start, stop;

  PetscFunctionBeginUser;
  *milliseconds = 1e30;
  for (int i = 0; i < 10; ++i) {
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(PetscTime(&start));
    PetscCall(PCApply(pc, b, x));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(PetscTime(&stop));
    *milliseconds = PetscMin(*milliseconds, 1e3 * (stop - start));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The results of a row. */
typedef struct {
  PetscInt iterations;
  PetscLogDouble setup, solve; /* seconds */
  PetscBool converged;
} Result;

typedef enum { ROW_PETSC, ROW_FGBILU, ROW_SINGLE, ROW_OPTIONS } Row;

/* Stores the text of an error instead of printing it. */
static PetscErrorCode KeepError(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                PetscErrorType kind, const char *text, void *kept)
{
  (void)comm, (void)line, (void)function, (void)file;
  if (kind == PETSC_ERROR_INITIAL && text) (void)PetscStrncpy((char *)kept, text, 256);
  return code;
}

/* Sets up the solver. `error`: why the options exclude this row; empty if they do not. */
static PetscErrorCode SetUp(KSP ksp, char error[256])
{
  PetscErrorCode code;

  PetscFunctionBeginUser;
  error[0] = 0;
  PetscCall(PetscPushErrorHandler(KeepError, error));
  code = KSPSetUp(ksp);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(!code || error[0], PETSC_COMM_WORLD, code, "The set-up has failed");
  if (!code) PetscCall(KSPSetUpOnBlocks(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveRow(Row row, DM da, Mat A, Vec b, Result *result)
{
  const char *const names[] = {"bjacobi + ilu", "fgbilu", "fgbilu, single", "-pc_type"};
  KSP ksp;
  PC pc;
  Vec x, r;
  KSPConvergedReason reason;
  PetscReal norm, size;
  PetscLogDouble start, stop, end;
  double megabytes, milliseconds;
  PCType type;
  char name[64], error[256];

  PetscFunctionBeginUser;
  result->converged = PETSC_FALSE;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  if (da) {
    PetscCall(KSPSetDM(ksp, da));
    PetscCall(KSPSetDMActive(ksp, KSP_DMACTIVE_ALL_ PETSC_FALSE));
  }
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  if (row != ROW_OPTIONS) PetscCall(PCSetType(pc, row == ROW_PETSC ? PCBJACOBI : PCFGBILU));
  if (row == ROW_SINGLE) PetscCall(PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_SINGLE));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&start));
  PetscCall(SetUp(ksp, error));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&stop));
  if (error[0]) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-18s left out: %s\n", names[row], error));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&r));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(KSPSolve(ksp, b, x));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&end));
  PetscCall(KSPGetIterationNumber(ksp, &result->iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(TimeApplication(pc, b, r, &milliseconds));
  PetscCall(CountFactor(pc, &megabytes));
  PetscCall(PCGetType(pc, &type));
  PetscCall(PetscSNPrintf(name, sizeof(name), row == ROW_OPTIONS ? "%s %s" : "%s", names[row], type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-18s %10d %10.3f %11.3f %14.3f %10.2f   %9.2e   %s\n", name,
                        (int)result->iterations, 1e3 * (stop - start), 1e3 * (end - stop), milliseconds, megabytes,
                        (double)(norm / size), KSPConvergedReasons[reason]));
  result->setup = stop - start;
  result->solve = end - stop;
  result->converged = (PetscBool)(reason > 0);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(Result petsc, Result ours)
{
  PetscFunctionBeginUser;
  PetscCall(
    PetscPrintf(PETSC_COMM_WORLD,
                "fgbilu beside PETSc's ILU(0): %d iterations and %d, set-up %.1f times, solve %.1f times, both "
                "together %.1f times as fast\n",
                (int)ours.iterations, (int)petsc.iterations, petsc.setup / ours.setup, petsc.solve / ours.solve,
                (petsc.setup + petsc.solve) / (ours.setup + ours.solve)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char name[PETSC_MAX_PATH_LEN];
  PetscInt size[3], count = 3, bs, rows, block;
  PetscBool file, grid, options;
  DM da = NULL;
  Mat A;
  Vec b;
  MatType type;
  Result results[4];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscFinegrainInitializePackage());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", name, sizeof(name), &file));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-grid", size, &count, &grid));
  PetscCall(GetBlockSize(&bs));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-pc_type", &options));
  PetscCheck(file || (grid && count == 3), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Give -f matrix or -grid i,j,k");
  if (file) PetscCall(LoadMatrix(name, bs, &A));
  else PetscCall(AssembleOnGrid(size, bs, &da, &A));
  PetscCall(MatCreateVecs(A, NULL, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCall(MatGetBlockSize(A, &block));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %d unknowns, %s, block size %d\n",
                        file ? name : "convection-diffusion", (int)rows, type, (int)block));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-18s %10s %10s %11s %14s %10s   %9s\n", "preconditioner", "iterations",
                        "set-up ms", "solve ms", "application ms", "factor MB", "residual"));
  for (Row row = ROW_PETSC; row <= (options ? ROW_OPTIONS : ROW_SINGLE); ++row)
    PetscCall(SolveRow(row, da, A, b, &results[row]));
  if (rows > 100000 && results[ROW_PETSC].converged && results[ROW_FGBILU].converged)
    PetscCall(Compare(results[ROW_PETSC], results[ROW_FGBILU]));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&da));
  PetscCall(PetscFinalize());
  return 0;
}
