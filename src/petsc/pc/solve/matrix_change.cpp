// SPDX-License-Identifier: BSD-2-Clause
#include "pc/solve/matrix_change.hpp"

using namespace finegrain;

PetscErrorCode PCFinegrainFindChange(PC pc, PC_Finegrain *e, MatrixChange *change)
{
  FinegrainState state;
  FinegrainStamp now;

  PetscFunctionBegin;
  PetscCall(FinegrainGetState(pc->pmat, &state));
  if (state != e->analysis.compared) { // equal on all ranks, because PETSc's identifiers and states are
    PetscCall(FinegrainGetStamp(pc->pmat, &now));
    const FinegrainState &factored = e->analysis.stamp;
    int mine = int(!now.has_structure_of(e->analysis.stamp) ? MatrixChange::structure
                   : state == factored                      ? MatrixChange::none
                                                            : MatrixChange::values);
    PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
    e->analysis.change = MatrixChange(mine);
    e->analysis.compared = state;
  }
  *change = e->analysis.change;
  PetscFunctionReturn(PETSC_SUCCESS);
}
