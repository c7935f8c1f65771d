// SPDX-License-Identifier: BSD-2-Clause
// Keeps the device copy and the host values consistent, and gives engines the values of any matrix.
#include "mat/baijkokkos.hpp"

#include "common/row_keys.hpp"
#include "common/runtime.hpp"

using namespace finegrain;

namespace
{

// Creates the device copy for the current structure.
PetscErrorCode MakeCopy(Mat A, BAIJKokkos *m)
{
  OperatorView view;
  MatInfo info;
  PetscMPIInt size;
  DM dm;

  PetscFunctionBegin;
  m->structure = -1;
  m->op = Operator();
  PetscCallMPI(MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(A)), &size));
  PetscCall(FinegrainOnAllRanks(A, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(OperatorGetBlocks(A, &m->op, &view));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(MatGetDM(A, &dm));
  if (size > 1) PetscCall(FinegrainFindKeys(A, dm, m->op, &view));
  PetscCall(FinegrainOnAllRanks(A, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    m->op.backend = has_device() && !BAIJKokkosGet(A)->bound ? Backend::device : Backend::host;
    if (!m->copy) m->copy = make_device_copy(m->op.backend);
    m->copy->set_structure(view, Index(A->cmap->n / A->rmap->bs));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(m->halo.create(reinterpret_cast<PetscObject>(A), m->op, view, A->cmap->n / A->rmap->bs));
  PetscCall(FinegrainOnAllRanks(A, [&]() -> PetscErrorCode { // may allocate memory for ghosts
    PetscFunctionBegin;
    m->copy->set_halo(size > 1 ? &m->halo : nullptr);
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info)); // for the next assembly; a conversion has none
  m->entries = info.nz_used;
  m->structure = A->nonzerostate;
  m->values = -1;
  m->lists_are_set = m->reserved[0] = m->reserved[1] = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Load(Mat A, BAIJKokkos *m)
{
  Values values;

  PetscFunctionBegin;
  PetscCall(OperatorGetHostValues(A, m->op, &values));
  if (m->op.backend == Backend::device) PetscCall(FinegrainWaitForPetsc()); // its queue may still read the blocks
  m->copy->load(values.owned.values, values.coupling.values);
  PetscCall(OperatorRestoreValues(A, m->op, &values));
#if defined(FINEGRAIN_SHARES_DEVICE)
  if (m->op.backend == Backend::device) PetscCall(PetscLogCpuToGpu(PetscLogDouble(m->copy->bytes())));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode BAIJKokkosIsOnDevice(Mat A, bool *on_device)
{
  const BAIJKokkos *m = BAIJKokkosGet(A);

  PetscFunctionBegin;
  *on_device = m && !m->bound;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BAIJKokkosUpdateStructure(Mat A)
{
  BAIJKokkos *m = BAIJKokkosGet(A);

  PetscFunctionBegin;
  if (m->copy && m->structure == A->nonzerostate) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BAIJKokkosSyncHost(A));
  PetscCall(FinegrainOnAllRanks(A, FinegrainStartKokkos));
  PetscCall(MakeCopy(A, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BAIJKokkosUpdate(Mat A)
{
  BAIJKokkos *m = BAIJKokkosGet(A);
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), &state));
  if (m->host_is_behind || (m->structure == A->nonzerostate && m->values == state))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(finegrain_events.matrix_copy, A, nullptr, nullptr, nullptr));
  const PetscErrorCode code = FinegrainGuard([&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(BAIJKokkosUpdateStructure(A));
    PetscCall(FinegrainOnAllRanks(A, [&] { return Load(A, m); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  PetscCall(PetscLogEventEnd(finegrain_events.matrix_copy, A, nullptr, nullptr, nullptr));
  PetscCall(code);
  m->values = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BAIJKokkosSyncHost(Mat A)
{
  BAIJKokkos *m = A ? BAIJKokkosGet(A) : nullptr;
  Values values;

  PetscFunctionBegin;
  if (!m || !m->host_is_behind) PetscFunctionReturn(PETSC_SUCCESS);
  m->host_is_behind = false; // first, because the calls below need the host's values
  PetscCall(OperatorGetHostValues(A, m->op, &values));
  m->copy->save(const_cast<Scalar *>(values.owned.values), const_cast<Scalar *>(values.coupling.values));
  PetscCall(OperatorRestoreValues(A, m->op, &values));
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), &m->values));
#if defined(FINEGRAIN_SHARES_DEVICE)
  if (m->op.backend == Backend::device) PetscCall(PetscLogGpuToCpu(PetscLogDouble(m->copy->bytes())));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BAIJKokkosGetValues(Mat A, Backend backend, Values *values, bool *found)
{
  BAIJKokkos *m = BAIJKokkosGet(A);

  PetscFunctionBegin;
  *found = m && !m->bound;
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BAIJKokkosUpdate(A));
  *found = m->op.backend == backend;
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  const bool is_short = values->short_residual;
  *values = m->copy->values();
  values->short_residual = is_short;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BAIJKokkosTakeBlocks(Mat A, Values *values, std::shared_ptr<void> *blocks)
{
  BAIJKokkos *m = BAIJKokkosGet(A);

  PetscFunctionBegin;
  PetscCall(BAIJKokkosSyncHost(A));
  PetscCall(BAIJKokkosUpdateStructure(A));
  if (*blocks) m->copy->take_blocks(*blocks);
  blocks->reset();
  PetscCall(BAIJKokkosUpdate(A));
  *values = m->copy->values();
  *blocks = m->copy->give_blocks();
  m->values = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OperatorGetValues(Mat mat, Operator *op, Values *values)
{
  bool found;

  PetscFunctionBegin;
  PetscCall(BAIJKokkosGetValues(mat, op->backend, values, &found));
  if (!found) PetscCall(OperatorGetDeviceValues(mat, op, values, &found));
  if (!found) {
    PetscCall(BAIJKokkosSyncHost(mat));
    PetscCall(OperatorGetHostValues(mat, *op, values));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
