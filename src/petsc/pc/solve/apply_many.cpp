// SPDX-License-Identifier: BSD-2-Clause
// Applications of all types to several vectors, the columns of dense matrices.
#include "pc/solve/apply_many.hpp"
#include "pc/solve/steps.hpp"
#include "common/arrays.hpp"
#include "pc/ranks/shared_rows.hpp"
#include "pc/solve/apply.hpp"

#include <algorithm>
#include <vector>

using namespace finegrain;

namespace
{

// Applies the PC to one column after the other, if they cannot share sweeps.
PetscErrorCode ApplyToColumns(PC pc, Mat B, Mat X, bool transposed)
{
  PetscInt columns;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, nullptr, &columns));
  for (PetscInt c = 0; c < columns; ++c) {
    Vec b, x;
    PetscCall(MatDenseGetColumnVecRead(B, c, &b));
    PetscCall(MatDenseGetColumnVecWrite(X, c, &x));
    PetscCall(transposed ? (*pc->ops->applytranspose)(pc, b, x) : (*pc->ops->apply)(pc, b, x));
    PetscCall(MatDenseRestoreColumnVecWrite(X, c, &x));
    PetscCall(MatDenseRestoreColumnVecRead(B, c, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatApply(PC pc, Mat B, Mat X, bool transposed)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);
  PetscInt from, to, rows, columns;
  const PetscScalar *b;
  PetscScalar *x;

  PetscFunctionBegin;
  if (pc->failedreason || PCFinegrainSteps(*e) > 1 || e->eisenstat.active) { // equal on all ranks
    PetscCall(ApplyToColumns(pc, B, X, transposed));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatDenseGetLDA(B, &from));
  PetscCall(MatDenseGetLDA(X, &to));
  PetscCall(MatGetLocalSize(B, &rows, nullptr));
  PetscCall(MatGetSize(B, nullptr, &columns));
  PetscCall(MatDenseGetArrayRead(B, &b));
  PetscCall(MatDenseGetArrayWrite(X, &x));
  // Sweeps over several vectors use one stride. If the columns of B and X have different strides, which other ranks
  // do not know, results are first computed in a temporary array.
  std::vector<PetscScalar> other;
  Application application = {.b = reinterpret_cast<const Scalar *>(b),
                             .x = reinterpret_cast<Scalar *>(x),
                             .vectors = int(columns),
                             .stride = from,
                             .transposed = transposed};
  const PetscErrorCode code = FinegrainLogged(finegrain_events.apply, pc, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(FinegrainOnAllRanks(pc, [&] {
      if (from == to) return;
      other.resize(std::size_t(from) * std::size_t(columns));
      application.x = reinterpret_cast<Scalar *>(other.data());
    }));
    PetscCall(PCFinegrainReserve(pc, e, application));
    e->analysis.engine->apply(application);
    for (Offset c = 0; c < columns && from != to; ++c) std::copy_n(other.data() + c * from, rows, x + c * to);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  PetscCall(MatDenseRestoreArrayWrite(X, &x));
  PetscCall(MatDenseRestoreArrayRead(B, &b));
  PetscCall(code);
  PetscCall(FinegrainTakeError(&e->ranks));
  PetscCall(
    FinegrainLogFlops(e->analysis.op.backend, double(columns) * e->analysis.engine->statistics().apply_flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCMatApply_Finegrain(PC pc, Mat B, Mat X)
{
  PetscFunctionBegin;
  PetscCall(MatApply(pc, B, X, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PETSC_VERSION_GE(3, 24, 0)
PetscErrorCode PCMatApplyTranspose_Finegrain(PC pc, Mat B, Mat X)
{
  PetscFunctionBegin;
  PetscCall(MatApply(pc, B, X, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

} // namespace

PetscErrorCode PCFinegrainSetMatApplications(PC pc)
{
  PetscFunctionBegin;
  pc->ops->matapply = PCMatApply_Finegrain;
#if PETSC_VERSION_GE(3, 24, 0)
  pc->ops->matapplytranspose = PCMatApplyTranspose_Finegrain;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
