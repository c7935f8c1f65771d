// SPDX-License-Identifier: BSD-2-Clause
// Applications of all types to several vectors, the columns of dense matrices.
#include "common/arrays.hpp"
#include "pc/pcengine.hpp"

#include <algorithm>
#include <vector>

using namespace finegrain;

namespace
{

// Columns one by one, where they cannot share sweeps.
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
  PCEngine *e = static_cast<PCEngine *>(pc->data);
  PetscInt from, to, rows, columns;
  const PetscScalar *b;
  PetscScalar *x;

  PetscFunctionBegin;
  if (pc->failedreason || PCEngineSteps(*e) > 1 || e->solve.active) { // the same on all ranks
    PetscCall(ApplyToColumns(pc, B, X, transposed));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatDenseGetLDA(B, &from));
  PetscCall(MatDenseGetLDA(X, &to));
  PetscCall(MatGetLocalSize(B, &rows, nullptr));
  PetscCall(MatGetSize(B, nullptr, &columns));
  PetscCall(MatDenseGetArrayRead(B, &b));
  PetscCall(MatDenseGetArrayWrite(X, &x));
  // Sweeps over several vectors have one stride for all. Where the columns of B and X lie otherwise apart, which
  // other ranks do not know, results lie elsewhere first.
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
    PetscCall(PCEngineReserve(pc, e, application));
    e->engine->apply(application);
    for (Offset c = 0; c < columns && from != to; ++c) std::copy_n(other.data() + c * from, rows, x + c * to);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  PetscCall(MatDenseRestoreArrayWrite(X, &x));
  PetscCall(MatDenseRestoreArrayRead(B, &b));
  PetscCall(code);
  PetscCall(PCEngineTakeError(e));
  PetscCall(FinegrainLogFlops(e->op.backend, double(columns) * e->engine->statistics().apply_flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCMatApply_Engine(PC pc, Mat B, Mat X)
{
  PetscFunctionBegin;
  PetscCall(MatApply(pc, B, X, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PETSC_VERSION_GE(3, 24, 0)
PetscErrorCode PCMatApplyTranspose_Engine(PC pc, Mat B, Mat X)
{
  PetscFunctionBegin;
  PetscCall(MatApply(pc, B, X, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

} // namespace

PetscErrorCode PCEngineSetMatApplications(PC pc)
{
  PetscFunctionBegin;
  pc->ops->matapply = PCMatApply_Engine;
#if PETSC_VERSION_GE(3, 24, 0)
  pc->ops->matapplytranspose = PCMatApplyTranspose_Engine;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
