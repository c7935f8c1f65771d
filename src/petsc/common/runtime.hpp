// SPDX-License-Identifier: BSD-2-Clause
// Environment of all code that uses Kokkos: initialization, exceptions converted to PETSc errors, log events, and
// errors that all ranks raise.
#pragma once

#include "common/petsc_compat.hpp"

#include "base/kokkos.hpp"

#include <exception>
#include <new>

// Initializes Kokkos on the device that PETSc uses, unless it is initialized already.
PetscErrorCode FinegrainStartKokkos();

// Finds the device that PETSc uses or will use, or -1 if there is none. PETSc's device is not initialized for this,
// because that stops programs whose MPI is not GPU-aware.
PetscErrorCode FinegrainFindDeviceOfPetsc(int *device);

// Runs code that uses Kokkos and converts C++ exceptions to PETSc errors. It is an error where Kokkos would abort.
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

// Makes the error of a rank an error on all ranks. Returns `local` if it is set (that error has already been
// raised), else a new error if another rank has one. Collective.
PetscErrorCode FinegrainErrorOnAnyRank(MPI_Comm comm, PetscErrorCode local);

// Runs rank-local code that may fail, also for lack of memory, and makes its error collective: no rank then waits in
// MPI for one that failed. Between two calls, collective functions of finegrain allocate no memory. Collective.
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

// Runs `body` inside a log event and ends the event after an error or exception too, because an open event would not
// be counted again.
template <class Body> PetscErrorCode FinegrainLogged(PetscLogEvent event, PC pc, Body body)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(event, pc, nullptr, nullptr, nullptr));
  const PetscErrorCode code = FinegrainGuard(body);
  PetscCall(PetscLogEventEnd(event, pc, nullptr, nullptr, nullptr));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
