// SPDX-License-Identifier: BSD-2-Clause
#include "common/petsc_halo.hpp"

#include "common/arrays.hpp"
#include "common/runtime.hpp"

namespace finegrain
{

PetscErrorCode PetscHalo::create(PetscObject owner, const Operator &op, const OperatorView &view, PetscInt rows)
{
  std::vector<PetscInt> chosen;

  PetscFunctionBegin;
  PetscCall(destroy());
  owner_ = owner;
  on_device_ = op.backend == Backend::device && exchanges_on_device();
  other_streams_ = follows_ = false;
  memory_ = on_device_ ? device_memory : PETSC_MEMTYPE_HOST;
  PetscCall(FinegrainMakeForest(PetscObjectComm(owner), rows, op.ghosts, &sf_));
  if (op.block == 1) unit_ = MPIU_SCALAR; // PETSc cannot add units that rename one scalar
  else {
    PetscCallMPI(MPI_Type_contiguous(PetscMPIInt(op.block), MPIU_SCALAR, &unit_));
    PetscCallMPI(MPI_Type_commit(&unit_));
  }
  PetscCall(FinegrainOnAllRanks(owner, [&] {
    by_color_.resize(std::size_t(view.agreed.coloring.colors));
    chosen.reserve(std::size_t(view.ghosts));
  }));
  for (std::size_t c = 0; c < by_color_.size(); ++c) {
    chosen.clear();
    for (Index g = 0; g < view.ghosts; ++g)
      if (view.agreed.ghost_color(g) == Index(c)) chosen.push_back(g);
    PetscCall(PetscSFCreateEmbeddedLeafSF(sf_, PetscInt(chosen.size()), chosen.data(), &by_color_[c]));
    PetscCall(PetscSFSetUp(by_color_[c]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscHalo::destroy()
{
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&sf_));
  for (PetscSF &sf : by_color_) PetscCall(PetscSFDestroy(&sf));
  by_color_.clear();
  if (unit_ != MPI_DATATYPE_NULL && unit_ != MPIU_SCALAR) PetscCallMPI(MPI_Type_free(&unit_));
  unit_ = MPI_DATATYPE_NULL;
  owner_ = nullptr;
  error_ = PETSC_SUCCESS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool PetscHalo::follows(const Queue &queue)
{
  Queue now;

  check(FinegrainFindQueue(&now));
  follows_ = on_device_ && !other_streams_ && queue.callers && queue == now;
  return follows_;
}

// Records the stream of an exchange that begins.
void PetscHalo::record_stream()
{
  Queue now;

  if (!on_device_) return;
  check(FinegrainFindQueue(&now));
  if (!now.callers) other_streams_ = true;
}

void PetscHalo::begin(Index color, const Scalar *x, Scalar *ghosts)
{
  record_stream();
  check(PetscLogEventBegin(finegrain_events.halo_begin, owner_, nullptr, nullptr, nullptr));
  check(PetscSFBcastWithMemTypeBegin(forest(color), unit_, memory_, x, memory_, ghosts, MPI_REPLACE));
  check(PetscLogEventEnd(finegrain_events.halo_begin, owner_, nullptr, nullptr, nullptr));
}

void PetscHalo::end(Index color, const Scalar *x, Scalar *ghosts)
{
  check(PetscLogEventBegin(finegrain_events.halo_end, owner_, nullptr, nullptr, nullptr));
  check(PetscSFBcastEnd(forest(color), unit_, x, ghosts, MPI_REPLACE));
  if (on_device_ && !follows_) check(FinegrainWaitForUnpacking());
  check(PetscLogEventEnd(finegrain_events.halo_end, owner_, nullptr, nullptr, nullptr));
}

void PetscHalo::add(Index color, const Scalar *ghosts, Scalar *x)
{
  record_stream();
  check(PetscLogEventBegin(finegrain_events.halo_begin, owner_, nullptr, nullptr, nullptr));
  check(PetscSFReduceWithMemTypeBegin(forest(color), unit_, memory_, ghosts, memory_, x, MPIU_SUM));
  check(PetscLogEventEnd(finegrain_events.halo_begin, owner_, nullptr, nullptr, nullptr));
  check(PetscLogEventBegin(finegrain_events.halo_end, owner_, nullptr, nullptr, nullptr));
  check(PetscSFReduceEnd(forest(color), unit_, ghosts, x, MPIU_SUM));
  if (on_device_ && !follows_) check(FinegrainWaitForUnpacking());
  check(PetscLogEventEnd(finegrain_events.halo_end, owner_, nullptr, nullptr, nullptr));
}

void PetscHalo::residual(bool interior, bool starts)
{
  const PetscLogEvent event = interior ? finegrain_events.interior : finegrain_events.boundary;
  if (starts) check(PetscLogEventBegin(event, owner_, nullptr, nullptr, nullptr));
  else check(PetscLogEventEnd(event, owner_, nullptr, nullptr, nullptr));
}

PetscErrorCode PetscHalo::take_error()
{
  const PetscErrorCode error = error_;
  error_ = PETSC_SUCCESS;
  return error;
}

} // namespace finegrain

PetscErrorCode FinegrainMakeForest(MPI_Comm comm, PetscInt rows, const std::vector<PetscInt> &global, PetscSF *sf)
{
  PetscLayout layout;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(comm, rows, PETSC_DETERMINE, 1, &layout));
  PetscCall(PetscSFCreate(comm, sf));
  PetscCall(PetscSFSetGraphLayout(*sf, layout, PetscInt(global.size()), nullptr, PETSC_OWN_POINTER, global.data()));
  PetscCall(PetscSFSetUp(*sf));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}
