#include "halo.hpp"

#include "pcengine.hpp"

namespace finegrain
{

PetscErrorCode PetscHalo::create(PC pc, const Operator &op, PetscInt rows)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  PetscLayout    layout;

  PetscFunctionBegin;
  PetscCall(destroy());
  pc_ = pc;
  PetscCall(PetscLayoutCreateFromSizes(comm, rows, PETSC_DETERMINE, 1, &layout));
  PetscCall(PetscSFCreate(comm, &sf_));
  PetscCall(
    PetscSFSetGraphLayout(sf_, layout, PetscInt(op.ghosts.size()), nullptr, PETSC_OWN_POINTER, op.ghosts.data()));
  PetscCall(PetscSFSetUp(sf_));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscCallMPI(MPI_Type_contiguous(PetscMPIInt(op.block), MPIU_SCALAR, &unit_));
  PetscCallMPI(MPI_Type_commit(&unit_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscHalo::destroy()
{
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&sf_));
  if (unit_ != MPI_DATATYPE_NULL) PetscCallMPI(MPI_Type_free(&unit_));
  pc_    = nullptr;
  error_ = PETSC_SUCCESS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PetscHalo::begin(const Scalar *x, Scalar *ghosts)
{
  check(PetscLogEventBegin(finegrain_events.halo_begin, pc_, nullptr, nullptr, nullptr));
  check(PetscSFBcastBegin(sf_, unit_, x, ghosts, MPI_REPLACE));
  check(PetscLogEventEnd(finegrain_events.halo_begin, pc_, nullptr, nullptr, nullptr));
}

void PetscHalo::end(const Scalar *x, Scalar *ghosts)
{
  check(PetscLogEventBegin(finegrain_events.halo_end, pc_, nullptr, nullptr, nullptr));
  check(PetscSFBcastEnd(sf_, unit_, x, ghosts, MPI_REPLACE));
  check(PetscLogEventEnd(finegrain_events.halo_end, pc_, nullptr, nullptr, nullptr));
}

void PetscHalo::residual(bool interior, bool starts)
{
  const PetscLogEvent event = interior ? finegrain_events.interior : finegrain_events.boundary;
  if (starts) check(PetscLogEventBegin(event, pc_, nullptr, nullptr, nullptr));
  else check(PetscLogEventEnd(event, pc_, nullptr, nullptr, nullptr));
}

PetscErrorCode PetscHalo::take_error()
{
  const PetscErrorCode error = error_;
  error_                     = PETSC_SUCCESS;
  return error;
}

} // namespace finegrain
