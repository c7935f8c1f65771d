// SPDX-License-Identifier: BSD-2-Clause
// Kokkos' start on PETSc's device, and errors that all ranks raise.
#include "common/runtime.hpp"

#include "common/arrays.hpp"

using namespace finegrain;

FinegrainEvents finegrain_events;

PetscErrorCode FinegrainErrorOnAnyRank(MPI_Comm comm, PetscErrorCode local)
{
  int mine = local ? 1 : 0, any = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm));
  if (local) PetscFunctionReturn(local);
  PetscCheck(!any, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "Another rank has failed; its message says why");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FinegrainFindDeviceOfPetsc(int *device)
{
  PetscFunctionBegin;
  *device = -1;
#if defined(FINEGRAIN_SHARES_DEVICE)
  const int count = count_devices();
  PetscMPIInt rank;
  PetscInt named = -1;

  if (count == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-device_select", &named, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-device_select_cuda", &named, nullptr));
  if (PetscDeviceInitialized(PETSC_DEVICE_CUDA)) {
    PetscDeviceContext context;
    PetscDevice own;
    PetscDeviceType type;
    PetscCall(PetscDeviceContextGetCurrentContext(&context));
    PetscCall(PetscDeviceContextGetDevice(context, &own));
    PetscCall(PetscDeviceGetType(own, &type));
    if (type == PETSC_DEVICE_CUDA) PetscCall(PetscDeviceGetDeviceId(own, &named));
  }
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  *device = device_of_petsc(named, rank, count);
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FinegrainStartKokkos()
{
  int device;

  PetscFunctionBegin;
#if defined(PETSC_HAVE_KOKKOS)
  PetscCall(PetscKokkosInitializeCheck());
#endif
  PetscCall(FinegrainFindDeviceOfPetsc(&device));
  const KokkosState state = start_kokkos(device);
  PetscCheck(state != KokkosState::finalized, PETSC_COMM_SELF, PETSC_ERR_ORDER,
             "Kokkos has been finalized in this process and cannot be started again");
  PetscCheck(
    state != KokkosState::no_device, PETSC_COMM_SELF, PETSC_ERR_GPU,
    "The Kokkos %d.%d of this libpetscfinegrain (%s) does not start without a device, and this process finds "
    "none; run where there is one, or build finegrain with a Kokkos without CUDA",
    KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100, backend_names().c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}
