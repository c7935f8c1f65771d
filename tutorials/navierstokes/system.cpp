// SPDX-License-Identifier: BSD-2-Clause
#include "system.hpp"

#include <algorithm>
// An ordinary PETSc program, which also compiles without finegrain; then -dll_append can load the plugin's types.
#if __has_include(<petscfinegrain.h>)
#include <petscfinegrain.h>
#define MATRIX_TYPE MATBAIJKOKKOS
#define PRECONDITIONER PCFGBILU
#else
#define MATRIX_TYPE MATBAIJ
#define PRECONDITIONER PCBJACOBI
#define MatBAIJKokkosSetPreallocationCOO(A, count, i, j) PETSC_SUCCESS
#define PCFinegrainSetGrid(pc, grids, sizes) PETSC_SUCCESS
#endif

// A star of blocks per cell, in the storage of Flow::Jacobian(). baijkokkos reads them as they are stored, by
// coordinates that are set once; other types are filled cell by cell.
static PetscErrorCode CreateMatrix(System *s)
{
  const Flow &flow = *s->flow;
  const PetscInt n = flow.n, cells = flow.grid.owned;
  std::vector<PetscInt> rows(std::size_t(cells * star));

  PetscFunctionBeginUser;
  s->blocks.resize(std::size_t(cells) * star * std::size_t(n * n));
  s->columns.resize(rows.size());
  flow.Columns(s->columns.data());
  for (std::size_t e = 0; e < rows.size(); ++e) rows[e] = flow.grid.global[e / star];
  PetscCall(MatCreate(flow.grid.comm, &s->A));
  PetscCall(MatSetSizes(s->A, n * cells, n * cells, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(s->A, n));
  PetscCall(MatSetType(s->A, MATRIX_TYPE));
  PetscCall(MatSetFromOptions(s->A));
  PetscCall(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(s->A), &s->by_coordinates, "seqbaijkokkos",
                                      "mpibaijkokkos", ""));
  if (s->by_coordinates)
    PetscCall(MatBAIJKokkosSetPreallocationCOO(s->A, PetscCount(rows.size()), rows.data(), s->columns.data()));
  else {
    const std::vector<PetscInt> counts(std::size_t(cells), star);
    PetscCall(MatXAIJSetPreallocation(s->A, n, counts.data(), counts.data(), nullptr, nullptr));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetMatrix(System *s)
{
  const std::size_t n = std::size_t(s->flow->n), square = n * n;

  PetscFunctionBeginUser;
  for (std::size_t row = 0; row < s->diagonal.size(); ++row)
    s->blocks[row / n * star * square + row % n * (n + 1)] += PetscScalar(s->diagonal[row]);
  if (s->by_coordinates) PetscCall(MatSetValuesCOO(s->A, s->blocks.data(), INSERT_VALUES));
  else {
    // Two sides may meet the same cell.
    PetscCall(MatZeroEntries(s->A));
    for (std::size_t e = 0; e < s->columns.size(); ++e)
      if (s->columns[e] >= 0)
        PetscCall(MatSetValuesBlocked(s->A, 1, &s->flow->grid.global[e / star], 1, &s->columns[e],
                                      s->blocks.data() + e * square, ADD_VALUES));
    PetscCall(MatAssemblyBegin(s->A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(s->A, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Pieces of a rank, one after the other, i fastest: the order of its block rows.
static PetscErrorCode TellGrids(const Grid &grid, PC pc)
{
  std::vector<PetscInt> sizes;

  PetscFunctionBeginUser;
  for (const Piece &piece : grid.own) sizes.insert(sizes.end(), piece.cells.begin(), piece.cells.end());
  PetscCall(PCFinegrainSetGrid(pc, PetscInt(grid.own.size()), sizes.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The second-order residual with the time step's terms, as a function for the differences of MATMFFD.
static PetscErrorCode SecondOrder(void *context, Vec x, Vec y)
{
  System &s = *static_cast<System *>(context);
  const PetscScalar *in;
  PetscScalar *out;
  std::vector<double> residual(s.base.size());

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &in));
  for (std::size_t e = 0; e < residual.size(); ++e) s.flow->q[e] = double(PetscRealPart(in[e]));
  PetscCall(VecRestoreArrayRead(x, &in));
  PetscCall(s.flow->Residual(true, residual.data()));
  PetscCall(VecGetArrayWrite(y, &out));
  for (std::size_t e = 0; e < residual.size(); ++e)
    out[e] = PetscScalar(residual[e] + s.diagonal[e] * (s.flow->q[e] - s.base[e]));
  PetscCall(VecRestoreArrayWrite(y, &out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateSystem(Flow *flow, PetscBool second_order, System *s)
{
  PC pc;

  PetscFunctionBeginUser;
  s->flow = flow;
  s->diagonal.assign(std::size_t(flow->grid.owned * flow->n), 0);
  s->base.resize(s->diagonal.size());
  PetscCall(CreateMatrix(s));
  PetscCall(MatCreateVecs(s->A, &s->dq, &s->b));
  PetscCall(KSPCreate(flow->grid.comm, &s->ksp));
  PetscCall(KSPSetTolerances(s->ksp, PetscReal(1e-2), PETSC_DEFAULT, PETSC_DEFAULT, 200));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCSetType(pc, PRECONDITIONER));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscCall(TellGrids(flow->grid, pc));
  if (second_order) {
    PetscInt rows;
    PetscCall(VecGetLocalSize(s->b, &rows));
    PetscCall(MatCreateMFFD(flow->grid.comm, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, &s->second));
    PetscCall(MatMFFDSetFunction(s->second, SecondOrder, s));
    PetscCall(MatSetFromOptions(s->second));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DestroySystem(System *s)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&s->A));
  PetscCall(MatDestroy(&s->second));
  PetscCall(VecDestroy(&s->b));
  PetscCall(VecDestroy(&s->dq));
  PetscCall(KSPDestroy(&s->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolveSystem(System *s, PetscInt *iterations)
{
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  if (s->second) {
    PetscScalar *base;
    Vec at;
    PetscCall(VecDuplicate(s->b, &at));
    PetscCall(VecGetArrayWrite(at, &base));
    for (std::size_t e = 0; e < s->base.size(); ++e) {
      s->base[e] = s->flow->q[e];
      base[e] = PetscScalar(s->base[e]);
    }
    PetscCall(VecRestoreArrayWrite(at, &base));
    PetscCall(MatMFFDSetBase(s->second, at, nullptr));
    PetscCall(MatAssemblyBegin(s->second, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(s->second, MAT_FINAL_ASSEMBLY));
    PetscCall(VecDestroy(&at)); // the matrix keeps a reference
  }
  PetscCall(KSPSetOperators(s->ksp, s->second ? s->second : s->A, s->A));
  PetscCall(KSPSolve(s->ksp, s->b, s->dq));
  if (s->second) std::copy(s->base.begin(), s->base.end(), s->flow->q.begin());
  PetscCall(KSPGetIterationNumber(s->ksp, iterations));
  PetscCall(KSPGetConvergedReason(s->ksp, &reason));
  // If the tolerance is not reached after few iterations, the step is less accurate, but valid.
  PetscCheck(reason >= 0 || reason == KSP_DIVERGED_ITS, s->flow->grid.comm, PETSC_ERR_NOT_CONVERGED,
             "The linear solver ended as %s", KSPConvergedReasons[reason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
