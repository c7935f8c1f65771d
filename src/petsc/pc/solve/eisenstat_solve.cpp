// SPDX-License-Identifier: BSD-2-Clause
// Eisenstat's trick for a DILU factor (numerics.md 1). During a solve a shell matrix, the product with P_L^-1 A
// P_R^-1, replaces Amat, and the preconditioner is the identity. PETSc's PCEISENSTAT sets this up between
// PCPreSolve() and PCPostSolve(), but a solve that ends with an error does not call PCPostSolve(). Here a function
// of finegrain calls the KSP's solver (ksp_solve.cpp) and restores everything. Only fgbilu has the trick; apply.cpp
// tests if an application is the identity.
#include "pc/solve/eisenstat_solve.hpp"
#include "pc/solve/steps.hpp"
#include "common/arrays.hpp"
#include "mat/baijkokkos.hpp"
#include "pc/options/settings.hpp"
#include "pc/ranks/shared_rows.hpp"
#include "pc/solve/apply.hpp"
#include "pc/solve/conversion.hpp"
#include "pc/find.hpp"
#include "pc/solve/set_up.hpp"
#include "pc/solve/transformed_solve.hpp"

using namespace finegrain;

PetscErrorCode ApplySplit(PC_Finegrain *e, Split split, Vec b, Vec x, bool transposed)
{
  Arrays a;

  PetscFunctionBegin;
  PetscCall(a.get(*e->analysis.engine, e->analysis.op.backend, b, nullptr, x, false));
  e->analysis.engine->split_form()->apply_split({.split = split,
                                                 .b = a.from(),
                                                 .x = a.to(),
                                                 .transposed = transposed,
                                                 .symmetric = e->eisenstat.symmetric,
                                                 .memory = a.memory()});
  PetscCall(a.restore());
  PetscCall(FinegrainLogFlops(e->analysis.op.backend, e->analysis.engine->statistics().apply_flops / 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

PetscErrorCode Multiply(PC pc, Vec v, Vec u)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);
  Values values;
  Arrays a;

  PetscFunctionBegin;
  PetscCall(OperatorGetValues(PCFinegrainMatrix(pc, e->conversion), &e->analysis.op, &values));
  PetscCall(a.get(*e->analysis.engine, e->analysis.op.backend, v, nullptr, u, false));
  e->analysis.engine->split_form()->multiply(
    {.values = values, .v = a.from(), .u = a.to(), .symmetric = e->eisenstat.symmetric, .memory = a.memory()});
  PetscCall(a.restore());
  const Statistics s = e->analysis.engine->statistics();
  PetscCall(FinegrainLogFlops(e->analysis.op.backend, s.apply_flops + s.residual_flops));
  PetscCall(OperatorRestoreValues(PCFinegrainMatrix(pc, e->conversion), e->analysis.op, &values));
  PetscCall(FinegrainTakeError(&e->ranks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Gets the data of a PC during a solve. It is an error if a monitor has replaced or reset the PC.
PetscErrorCode Proceed(PC pc, PC_Finegrain **e)
{
  PetscFunctionBegin;
  PetscCall(PCFinegrainFind(pc, e));
  PetscCheck(*e && (*e)->eisenstat.now && (*e)->analysis.engine, PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_ARG_WRONGSTATE,
             "The preconditioner was replaced or reset in the middle of a solve that has Eisenstat's trick; use "
             "-pc_fgbilu_eisenstat false for that");
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Operations of the shell matrix.
PetscErrorCode MatMult_Eisenstat(Mat shell, Vec v, Vec u)
{
  PC_Finegrain *e;
  PC pc;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(shell, &pc));
  PetscCall(Proceed(pc, &e));
  PetscCall(FinegrainLogged(finegrain_events.apply, pc, [&] { return Multiply(pc, v, u); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Multiplies by P_L^-1 and P_R^-1, which read all blocks; KSPs with transposed products use the general form.
PetscErrorCode MatMultTranspose_Eisenstat(Mat shell, Vec v, Vec u)
{
  PC_Finegrain *e;
  PC pc;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(shell, &pc));
  PetscCall(Proceed(pc, &e));
  if (!e->analysis.residual) PetscCall(VecDuplicate(u, &e->analysis.residual));
  PetscCall(PCFinegrainReserve(pc, e, {.transposed = true}));
  PetscCall(ApplySplit(e, Split::left_inverse, v, u, true));
  PetscCall(MatMultTranspose(pc->pmat, u, e->analysis.residual));
  PetscCall(ApplySplit(e, Split::right_inverse, e->analysis.residual, u, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Returns the norm of A, as PCEISENSTAT does: pipecgrr estimates rounding errors from it.
PetscErrorCode MatNorm_Eisenstat(Mat shell, NormType type, PetscReal *norm)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(shell, &pc));
  PetscCall(MatNorm(pc->pmat, type, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeShell(PC pc, PC_Finegrain *e)
{
  PetscInt m, n;
  VecType type;
  using Operation = void (*)();

  PetscFunctionBegin;
  PetscCall(MatDestroy(&e->eisenstat.shell));
  PetscCall(MatGetLocalSize(pc->pmat, &m, &n));
  PetscCall(MatGetVecType(pc->pmat, &type));
  PetscCall(MatCreateShell(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), m, n, PETSC_DETERMINE, PETSC_DETERMINE,
                           pc, &e->eisenstat.shell));
  PetscCall(MatShellSetVecType(e->eisenstat.shell, type));
  PetscCall(MatShellSetOperation(e->eisenstat.shell, MATOP_MULT, reinterpret_cast<Operation>(MatMult_Eisenstat)));
  PetscCall(MatShellSetOperation(e->eisenstat.shell, MATOP_MULT_TRANSPOSE,
                                 reinterpret_cast<Operation>(MatMultTranspose_Eisenstat)));
  PetscCall(MatShellSetOperation(e->eisenstat.shell, MATOP_NORM, reinterpret_cast<Operation>(MatNorm_Eisenstat)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes the data that products read, at the first solve with a factor. *symmetric: the symmetric form is needed;
// on return true if all ranks have it.
PetscErrorCode Prepare(PC pc, PC_Finegrain *e, PetscBool *symmetric)
{
  Values values;
  PetscInt mine, all;

  PetscFunctionBegin;
  PetscCall(OperatorGetValues(PCFinegrainMatrix(pc, e->conversion), &e->analysis.op, &values));
  PetscCall(FinegrainOnAllRanks(pc, [&] { mine = e->analysis.engine->split_form()->prepare(values, *symmetric); }));
  PetscCall(OperatorRestoreValues(PCFinegrainMatrix(pc, e->conversion), e->analysis.op, &values));
  if (*symmetric) {
    PetscCallMPI(
      MPI_Allreduce(&mine, &all, 1, MPIU_INT, MPI_MIN, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
    *symmetric = PetscBool(all);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Solves P_L^-1 A P_R^-1 x' = P_L^-1 b with x' = P_R x; for A^T x = b the transpose of this with x' = P_L^T x.
PetscErrorCode SolveTransformed(PC pc, PC_Finegrain *e, KSP ksp, KSPSolver solve)
{
  FinegrainEisenstat &now = e->eisenstat;
  const Vec b = ksp->vec_rhs, x = ksp->vec_sol;
  const bool transposed = ksp->transpose_solve, guess = !ksp->guess_zero;

  PetscFunctionBegin;
  PetscCall(FinegrainLogged(finegrain_events.apply, pc, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(FinegrainOnAllRanks(pc, [&]() -> PetscErrorCode {
      for (Vec *v : {&now.rhs, &now.solution, &now.work})
        if (!*v) PetscCall(VecDuplicate(b, v));
      return PETSC_SUCCESS;
    }));
    PetscCall(PCFinegrainReserve(pc, e, {.transposed = transposed, .in_split_form = !transposed}));
    if (guess) {
      PetscCall(VecCopy(x, now.rhs));
      PetscCall(ApplySplit(e, Split::right, now.rhs, x));
    }
    PetscCall(ApplySplit(e, transposed ? Split::right_inverse : Split::left_inverse, b, now.rhs, transposed));
    PetscCall(MakeShell(pc, e));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  TransformedSolve transformed(pc, ksp);
  PetscCall((*solve)(ksp));
  PetscCall(Proceed(pc, &e));
  PetscCall(FinegrainLogged(finegrain_events.apply, pc, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(VecCopy(x, now.work));
    PetscCall(ApplySplit(e, transposed ? Split::left_inverse : Split::right_inverse, now.work, x, transposed));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(transformed.set_norms());
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Applies P_L^-1 or P_R^-1, for KSPs with the preconditioner on both sides. During a solve with the trick the
// operator already contains both.
template <Split split> PetscErrorCode PCApplySymmetric_Finegrain(PC pc, Vec b, Vec x)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);

  PetscFunctionBegin;
  PetscCheck(
    PCFinegrainSteps(*e) == 1, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_SUP, "%s",
    PCFinegrainText(pc, "One step of the preconditioner has two parts, several have not: leave out @_corrections "
                        "and what else makes steps, or use -ksp_pc_side left")
      .c_str());
  if (e->eisenstat.active) {
    PetscCall(VecCopy(b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PCFinegrainReserve(pc, e, {.in_split_form = true}));
  PetscCall(FinegrainLogged(finegrain_events.apply, pc, [&] { return ApplySplit(e, split, b, x); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCFinegrainSolveByEisenstat(PC pc, PC_Finegrain *e, KSP ksp, KSPSolver solve)
{
  const char *why = nullptr;
  PetscBool symmetric = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PCSetUp(pc)); // PETSc may leave it to the first application
  PetscCall(FindEisenstatObstacle(pc, e, ksp, &why));
  if (!why) {
    PetscCheck(pc->mat == pc->pmat, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_SUP,
               "%s takes the factor for the matrix, so that Amat and Pmat must be one; leave the option out",
               PCFinegrainOption(pc, "eisenstat").c_str());
    const EisenstatSolver *solver = FindEisenstatSolver(ksp);
    const PetscBool wanted = symmetric = PetscBool(!ksp->transpose_solve && !(solver && solver->any_matrix));
    if (!e->analysis.has_products)
      PetscCall(FinegrainLogged(finegrain_events.eisenstat, pc, [&] { return PCFinegrainAllowProducts(pc, e); }));
    PetscCall(FinegrainLogged(finegrain_events.eisenstat, pc, [&] { return Prepare(pc, e, &symmetric); }));
    if (wanted && !symmetric) why = "a pivot is not positive definite";
  }
  if (!e->eisenstat.now) {
    e->eisenstat.why = why;
    e->eisenstat.solved = true;
  }
  if (!why) {
    e->eisenstat.symmetric = symmetric;
    PetscCall(SolveTransformed(pc, e, ksp, solve));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscInfo(pc, "Eisenstat's trick is left out in this solve: %s\n", why));
  PetscCall((*solve)(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainSetSplitForm(PC pc)
{
  const PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);

  PetscFunctionBegin;
  const bool splits = e->type->method == Method::factorization;
  pc->ops->applysymmetricleft = splits ? PCApplySymmetric_Finegrain<Split::left_inverse> : nullptr;
  pc->ops->applysymmetricright = splits ? PCApplySymmetric_Finegrain<Split::right_inverse> : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FinegrainEisenstat::reset()
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&shell));
  for (Vec *v : {&rhs, &solution, &work}) PetscCall(VecDestroy(v));
  dilu = -1;
  solved = false;
  why = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}
