/* SPDX-License-Identifier: BSD-2-Clause */
static char help[] =
  "Several structured grids on every rank, as multi-block flow solvers have them. Prints iteration counts of block Jacobi with\n\
ILU(0), and of fgbilu with the joints of the grids in its factor or left to corrections.\n\
  -blocks I,J,K,I,J,K...   points of each block       -n <n>   unknowns per point\n\
KSP and PC options act on every row; with -ksp_type, the table has one column for that type.\n\n";

#include <petscfinegrain.h>
#include <petscksp.h>

#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS 0
#endif

#define MOST_BLOCKS 16
#define MOST_UNKNOWNS 16

/* Every block is cut into slabs along k, one for each rank, so that each rank has a slab of every block. This
 * balances the load for any sizes of blocks, and no block waits for its neighbors. Rows are numbered rank by
 * rank, on a rank slab by slab, in a slab i fastest; PCFinegrainSetGrid() describes this order. */
typedef struct {
  PetscInt count, n, size[MOST_BLOCKS][3];
  PetscMPIInt rank, ranks;
  PetscInt *first; /* row of the first point of each rank's slab of each block, and the number of points */
} Blocks;

typedef struct {
  PetscInt block, at[3]; /* i, j, k in the block */
} Point;

typedef struct {
  PetscInt64 all, ranks, grids; /* off-diagonal blocks; of these, between ranks, between grids of a rank */
} Couplings;

/* First k plane of a rank's slab. If a block has fewer planes than there are ranks, some slabs are empty. */
static PetscInt FirstPlane(const Blocks *b, PetscInt block, PetscInt rank)
{
  return b->size[block][2] * rank / b->ranks;
}

static PetscInt Planes(const Blocks *b, PetscInt block, PetscInt rank)
{
  return FirstPlane(b, block, rank + 1) - FirstPlane(b, block, rank);
}

static PetscErrorCode CreateBlocks(Blocks *b)
{
  const PetscInt sizes[] = {12, 10, 9, 8, 9, 11, 10, 7, 8};
  PetscInt given = 3 * MOST_BLOCKS, row = 0;
  PetscBool set;
  double unknowns = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-blocks", &b->size[0][0], &given, &set));
  if (!set) {
    given = PETSC_STATIC_ARRAY_LENGTH(sizes);
    PetscCall(PetscArraycpy(&b->size[0][0], sizes, given));
  }
  b->count = given / 3;
  b->n = 4;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &b->n, NULL));
  for (PetscInt i = 0; i < PetscMax(given, 1); ++i)
    PetscCheck(given % 3 == 0 && (&b->size[0][0])[i] > 0 && b->n > 0 && b->n <= MOST_UNKNOWNS, PETSC_COMM_WORLD,
               PETSC_ERR_USER_INPUT, "Give -blocks I,J,K,I,J,K... of 1 or more, and -n of 1 to %d", MOST_UNKNOWNS);
  for (PetscInt k = 0; k < b->count; ++k)
    unknowns += (double)b->n * (double)b->size[k][0] * (double)b->size[k][1] * (double)b->size[k][2];
  PetscCheck(unknowns <= PETSC_MAX_INT, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-blocks and -n make %g unknowns, and the PetscInt of this PETSc counts to %" PetscInt_FMT
             ": give smaller blocks",
             unknowns, PETSC_MAX_INT);
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &b->rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &b->ranks));
  PetscCall(PetscMalloc1(b->ranks * b->count + 1, &b->first));
  for (PetscInt slab = 0; slab < b->ranks * b->count; ++slab) {
    const PetscInt block = slab % b->count;
    b->first[slab] = row;
    row += b->size[block][0] * b->size[block][1] * Planes(b, block, slab / b->count);
  }
  b->first[b->ranks * b->count] = row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt RowOfPoint(const Blocks *b, Point p, PetscInt *rank)
{
  const PetscInt *size = b->size[p.block];

  for (*rank = 0; FirstPlane(b, p.block, *rank + 1) <= p.at[2];) ++*rank;
  return b->first[*rank * b->count + p.block] + p.at[0] +
         size[0] * (p.at[1] + size[1] * (p.at[2] - FirstPlane(b, p.block, *rank)));
}

/* Moves a point one step along an axis, along i into the next block; returns false if there is no such point. */
static PetscBool Step(const Blocks *b, PetscInt axis, PetscInt step, Point *p)
{
  p->at[axis] += step;
  if (axis == 0 && (p->at[0] < 0 || p->at[0] == b->size[p->block][0])) {
    p->block += step;
    if (p->block < 0 || p->block == b->count) return PETSC_FALSE;
    p->at[0] = step > 0 ? 0 : b->size[p->block][0] - 1;
  }
  /* Neighboring blocks may differ in J and K: only a part of their faces is joined. */
  for (PetscInt a = 0; a < 3; ++a)
    if (p->at[a] < 0 || p->at[a] >= b->size[p->block][a]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Block for the neighbor one step away. Its diagonal is diffusion and upwind convection, different for each
 * unknown; its other entries are flux terms that couple all unknowns. */
static void FluxBlock(PetscInt n, PetscInt axis, PetscInt step, PetscScalar *flux)
{
  const PetscReal speed[] = {1.2, 0.7, -0.4}, v = speed[axis] * (PetscReal)step;

  for (PetscInt r = 0; r < n; ++r)
    for (PetscInt c = 0; c < n; ++c)
      flux[r * n + c] = r == c ? -1. / (1 + 0.2 * (PetscReal)r) + PetscMin(v, 0)
                               : 0.2 * v * (PetscReal)((r + 2 * c + axis) % 3 - 1) / (PetscReal)n;
}

static PetscErrorCode AssembleRow(const Blocks *b, Point p, Mat A, Couplings *couplings)
{
  const PetscInt n = b->n;
  PetscScalar diagonal[MOST_UNKNOWNS * MOST_UNKNOWNS], flux[MOST_UNKNOWNS * MOST_UNKNOWNS];
  PetscInt rank, row = RowOfPoint(b, p, &rank), col;

  PetscFunctionBeginUser;
  /* Reaction: each unknown decays, and pairs of unknowns feed each other. */
  for (PetscInt r = 0; r < n; ++r)
    for (PetscInt c = 0; c < n; ++c) diagonal[r * n + c] = r == c ? 0.4 : (c > r ? 0.3 : -0.3) / (PetscReal)n;
  for (PetscInt axis = 0; axis < 3; ++axis)
    for (PetscInt step = -1; step <= 1; step += 2) {
      Point q = p;
      if (!Step(b, axis, step, &q)) continue; /* a wall: no flux */
      col = RowOfPoint(b, q, &rank);
      FluxBlock(n, axis, step, flux);
      PetscCall(MatSetValuesBlocked(A, 1, &row, 1, &col, flux, INSERT_VALUES));
      for (PetscInt e = 0; e < n * n; ++e) diagonal[e] -= flux[e];
      ++couplings->all;
      if (rank != b->rank) ++couplings->ranks;
      else if (q.block != p.block) ++couplings->grids;
    }
  PetscCall(MatSetValuesBlocked(A, 1, &row, 1, &row, diagonal, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Assembles matrix and right-hand side. Only the order of their rows depends on the number of ranks. */
static PetscErrorCode Assemble(const Blocks *b, Mat *A, Vec *rhs, Couplings *couplings)
{
  const PetscInt points = b->first[(b->rank + 1) * b->count] - b->first[b->rank * b->count];
  Couplings mine = {0, 0, 0};
  PetscScalar *value, *values;
  Point p;

  PetscFunctionBeginUser;
  PetscCall(MatCreateBAIJ(PETSC_COMM_WORLD, b->n, points * b->n, points * b->n, PETSC_DETERMINE, PETSC_DETERMINE, 7,
                          NULL, 6, NULL, A));
  PetscCall(MatCreateVecs(*A, NULL, rhs));
  PetscCall(VecGetArrayWrite(*rhs, &values));
  value = values;
  for (p.block = 0; p.block < b->count; ++p.block)
    for (p.at[2] = FirstPlane(b, p.block, b->rank); p.at[2] < FirstPlane(b, p.block, b->rank + 1); ++p.at[2])
      for (p.at[1] = 0; p.at[1] < b->size[p.block][1]; ++p.at[1])
        for (p.at[0] = 0; p.at[0] < b->size[p.block][0]; ++p.at[0]) {
          PetscCall(AssembleRow(b, p, *A, &mine));
          for (PetscInt r = 0; r < b->n; ++r)
            *value++ = 1 + (PetscReal)((7 * p.at[0] + 5 * p.at[1] + 3 * p.at[2] + 2 * r) % 11) / 11;
        }
  PetscCall(VecRestoreArrayWrite(*rhs, &values));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCallMPI(MPI_Allreduce(&mine, couplings, 3, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gives the preconditioner the grids of this rank's rows. A grid without points is not passed. */
static PetscErrorCode SetGrids(const Blocks *b, PC pc)
{
  PetscInt ijk[3 * MOST_BLOCKS], grids = 0;

  PetscFunctionBeginUser;
  for (PetscInt block = 0; block < b->count; ++block) {
    if (Planes(b, block, b->rank) == 0) continue;
    for (PetscInt axis = 0; axis < 3; ++axis)
      ijk[3 * grids + axis] = axis == 2 ? Planes(b, block, b->rank) : b->size[block][axis];
    ++grids;
  }
  PetscCall(PCFinegrainSetGrid(pc, grids, ijk));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Number of iterations as text. Coupling -1 is PETSc's block Jacobi; a null type means the type of the options. */
static PetscErrorCode Solve(const Blocks *b, Mat A, Vec rhs, const char *type, int coupling, PetscInt corrections,
                            char text[16])
{
  KSP ksp;
  PC pc;
  Vec x;
  PetscInt iterations;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(rhs, &x));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  if (type) { /* the norm of b - A x in both methods, so that their counts are comparable */
    PetscCall(KSPSetType(ksp, type));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  }
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, coupling < 0 ? PCBJACOBI : PCFGBILU));
  PetscCall(KSPSetFromOptions(ksp));
  if (coupling >= 0) { /* after the options, because these two define the rows of the table */
    PetscCall(SetGrids(b, pc));
    PetscCall(PCFinegrainSetGridCoupling(pc, (PCFinegrainGridCoupling)coupling));
    PetscCall(PCFinegrainSetCorrections(pc, corrections));
  }
  PetscCall(KSPSolve(ksp, rhs, x));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(PetscSNPrintf(text, 16, reason > 0 ? "%d" : "failed", (int)iterations));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const methods[] = {KSPGMRES, KSPRICHARDSON};
  char type[64], text[2][16] = {"", ""};
  Blocks b = {0};
  Couplings c;
  Mat A;
  Vec rhs;
  PetscBool chosen;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscFinegrainInitializePackage());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-ksp_type", type, sizeof(type), &chosen));
  PetscCall(CreateBlocks(&b));
  PetscCall(Assemble(&b, &A, &rhs, &c));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%d blocks, %d points, %d unknowns each, on %d rank(s)\n"
                        "%d couplings, %d between ranks, %d between grids of a rank\n"
                        "%-14s %-14s %11s %9s %11s %11s\n",
                        (int)b.count, (int)b.first[b.ranks * b.count], (int)b.n, (int)b.ranks, (int)c.all,
                        (int)c.ranks, (int)c.grids, "preconditioner", "grid coupling", "corrections", "left out",
                        chosen ? type : methods[0], chosen ? "" : methods[1]));
  for (int coupling = -1; coupling < 2; ++coupling)
    for (PetscInt k = 0; k < (coupling < 0 ? 1 : 4); ++k) {
      for (int m = 0; m < (chosen ? 1 : 2); ++m)
        PetscCall(Solve(&b, A, rhs, chosen ? NULL : methods[m], coupling, k, text[m]));
      PetscCall(PetscPrintf(
        PETSC_COMM_WORLD, "%-14s %-14s %11d %9d %11s %11s\n", coupling < 0 ? "bjacobi+ilu" : PCFGBILU,
        coupling < 0 ? "" : PCFinegrainGridCouplings[coupling], (int)k,
        (int)(coupling == PC_FINEGRAIN_GRID_COUPLING_BLOCK_JACOBI ? c.ranks + c.grids : c.ranks), text[0], text[1]));
    }
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&rhs));
  PetscCall(PetscFree(b.first));
  PetscCall(PetscFinalize());
  return 0;
}
