// SPDX-License-Identifier: BSD-2-Clause
// What everything here that uses Kokkos runs in: its start, a guard against exceptions, log events, and errors that
// all ranks raise.
#pragma once

#include "common/petsc_compat.hpp"

#include "base/kokkos.hpp"

#include <exception>
#include <new>

// Starts Kokkos, if nobody has, on the device that PETSc takes.
PetscErrorCode FinegrainStartKokkos();

// The device that PETSc is on, or will be on once it needs one: it is not started for this, because it stops programs
// whose MPI is not aware of GPUs. -1: none.
PetscErrorCode FinegrainFindDeviceOfPetsc(int *device);

// Runs what uses Kokkos: not where that would abort, and C++ exceptions end here.
template <class Body> PetscErrorCode FinegrainGuard(Body body)
{
  PetscCheck(finegrain::kokkos_may_run(), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Kokkos cannot run inside a parallel region of OpenMP unless regions may be nested: set "
             "OMP_MAX_ACTIVE_LEVELS=2, or leave the region before the solver is called");
  try {
    if constexpr (std::is_void_v<decltype(body())>) body();
    else return body();
    return PETSC_SUCCESS;
  } catch (const std::bad_alloc &) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "Out of memory");
  } catch (const std::exception &e) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", e.what());
  }
}

// Raises the error of a rank on all ranks: returns `local` where it is set (the error has been raised there already)
// and an error of its own elsewhere. Collective.
PetscErrorCode FinegrainErrorOnAnyRank(MPI_Comm comm, PetscErrorCode local);

// Runs what a rank does by itself and may fail in, memory that is not there included, and lets all ranks know before
// any of them waits for another. Between two calls of this, collective functions allocate nothing of ours.
// Collective.
template <class Body> PetscErrorCode FinegrainOnAllRanks(MPI_Comm comm, Body body)
{
  return FinegrainErrorOnAnyRank(comm, FinegrainGuard(body));
}
template <class Object, class Body> PetscErrorCode FinegrainOnAllRanks(Object object, Body body)
{
  return FinegrainOnAllRanks(PetscObjectComm(reinterpret_cast<PetscObject>(object)), body);
}

struct FinegrainEvents {
  PetscLogEvent convert, analyze, factor, apply, halo_begin, halo_end, interior, boundary, matrix_copy, check,
    eisenstat;
};
extern FinegrainEvents finegrain_events;

// Runs `body` inside a log event, which ends after an error or exception too: an event left open counts no more.
template <class Body> PetscErrorCode FinegrainLogged(PetscLogEvent event, PC pc, Body body)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(event, pc, nullptr, nullptr, nullptr));
  const PetscErrorCode code = FinegrainGuard(body);
  PetscCall(PetscLogEventEnd(event, pc, nullptr, nullptr, nullptr));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
