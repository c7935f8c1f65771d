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

// Arrays of B and X: on the device if its kernels can read both in place with one stride, else on the host.
struct Columns {
  PetscInt from, to; // strides
  const PetscScalar *b;
  PetscScalar *x;
  Memory memory = Memory::host;
};
PetscErrorCode GetColumns(const PC_Finegrain &e, Mat B, Mat X, Columns *c)
{
  PetscMemType b, x;
  Queue queue;

  PetscFunctionBegin;
  PetscCall(MatDenseGetLDA(B, &c->from));
  PetscCall(MatDenseGetLDA(X, &c->to));
  if (e.analysis.op.backend == Backend::device && c->from == c->to) {
    PetscCall(FinegrainFindQueue(&queue));
    const bool queued = e.analysis.engine->set_queue(queue);
    PetscCall(MatDenseGetArrayReadAndMemType(B, &c->b, &b));
    PetscCall(MatDenseGetArrayWriteAndMemType(X, &c->x, &x));
    if (is_on_device(b) && is_on_device(x)) {
      c->memory = Memory::engine;
      if (!queued) PetscCall(FinegrainWaitForPetsc());
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(MatDenseRestoreArrayWriteAndMemType(X, &c->x));
    PetscCall(MatDenseRestoreArrayReadAndMemType(B, &c->b));
  }
  PetscCall(MatDenseGetArrayRead(B, &c->b));
  PetscCall(MatDenseGetArrayWrite(X, &c->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PetscErrorCode RestoreColumns(Mat B, Mat X, Columns *c)
{
  const bool on_device = c->memory == Memory::engine;

  PetscFunctionBegin;
  PetscCall(on_device ? MatDenseRestoreArrayWriteAndMemType(X, &c->x) : MatDenseRestoreArrayWrite(X, &c->x));
  PetscCall(on_device ? MatDenseRestoreArrayReadAndMemType(B, &c->b) : MatDenseRestoreArrayRead(B, &c->b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatApply(PC pc, Mat B, Mat X, bool transposed)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);
  PetscInt rows, columns;
  Columns c;

  PetscFunctionBegin;
  if (pc->failedreason || PCFinegrainSteps(*e) > 1 || e->eisenstat.active) { // equal on all ranks
    PetscCall(ApplyToColumns(pc, B, X, transposed));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatGetLocalSize(B, &rows, nullptr));
  PetscCall(MatGetSize(B, nullptr, &columns));
  PetscCall(GetColumns(*e, B, X, &c));
  // Sweeps over several vectors use one stride. If the columns of B and X have different strides, which other ranks
  // do not know, results are first computed in a temporary array.
  std::vector<PetscScalar> other;
  Application application = {.b = reinterpret_cast<const Scalar *>(c.b),
                             .x = reinterpret_cast<Scalar *>(c.x),
                             .vectors = int(columns),
                             .stride = c.from,
                             .transposed = transposed,
                             .memory = c.memory};
  const PetscErrorCode code = FinegrainLogged(finegrain_events.apply, pc, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(FinegrainOnAllRanks(pc, [&] {
      if (c.from == c.to) return;
      other.resize(std::size_t(c.from) * std::size_t(columns));
      application.x = reinterpret_cast<Scalar *>(other.data());
    }));
    PetscCall(PCFinegrainReserve(pc, e, application));
    e->analysis.engine->apply(application);
    for (Offset v = 0; v < columns && c.from != c.to; ++v)
      std::copy_n(other.data() + v * c.from, rows, c.x + v * c.to);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  PetscCall(RestoreColumns(B, X, &c));
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
