// SPDX-License-Identifier: BSD-2-Clause
#include "pc/solve/backend.hpp"
#include "mat/baijkokkos.hpp"
#include "pc/options/settings.hpp"
#include "pc/ranks/shared_rows.hpp"

#include <cstring>
#include <string>

using namespace finegrain;

namespace
{

// Chooses the device if the matrix or its vectors are there.
PetscErrorCode ChooseBackend(Mat A, const EngineOptions &options, Backend *backend)
{
  VecType type;
  bool there;

  PetscFunctionBegin;
  *backend = Backend::host;
  if (!has_device() || options.algorithm == Algorithm::sequential) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BAIJKokkosIsOnDevice(A, &there));
  PetscCall(MatGetVecType(A, &type));
#if defined(FINEGRAIN_SHARES_DEVICE)
  there = there || std::strstr(type, "cuda") || std::strstr(type, "kokkos");
#endif
  if (there) *backend = Backend::device;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Another library may have initialized Kokkos on a device that PETSc does not use.
PetscErrorCode CheckSameDevice()
{
  int device;

  PetscFunctionBegin;
  PetscCall(FinegrainFindDeviceOfPetsc(&device));
  PetscCheck(device < 0 || device == kokkos_device(), PETSC_COMM_SELF, PETSC_ERR_GPU,
             "Kokkos runs on device %d and PETSc on device %d: give both the same one, by -device_select_cuda %d and "
             "Kokkos' own --kokkos-device-id, or let PETSc start Kokkos",
             kokkos_device(), device, kokkos_device());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCFinegrainFindBackend(PC pc, const PC_Finegrain &e, Backend *backend)
{
  PetscFunctionBegin;
  *backend = e.settings.backend == PC_FINEGRAIN_BACKEND_DEVICE ? Backend::device : Backend::host;
  if (e.settings.backend == PC_FINEGRAIN_BACKEND_AUTO &&
      !FinegrainSharesRows(e.analysis.options)) // a global factorization runs on the host only
    PetscCall(ChooseBackend(pc->pmat, e.analysis.options, backend));
  const std::string option = PCFinegrainOption(pc, "backend");
  PetscCheck(
    *backend == Backend::host || builds_device, PETSC_COMM_SELF, PETSC_ERR_SUP,
    "%s device: this libpetscfinegrain has no device back end, only %s; build it with a Kokkos that has CUDA "
    "(Kokkos_ROOT), or use %s host, PCFinegrainSetBackend()",
    option.c_str(), backend_names().c_str(), option.c_str());
  PetscCheck(*backend == Backend::host || has_device(), PETSC_COMM_SELF, PETSC_ERR_GPU,
             "%s device: the device back end of this libpetscfinegrain (%s) finds no such GPU in this process; run "
             "where nvidia-smi lists a GPU and CUDA_VISIBLE_DEVICES does not hide it, or use %s host, "
             "PCFinegrainSetBackend()",
             option.c_str(), backend_names().c_str(), option.c_str());
  if (*backend == Backend::device) PetscCall(CheckSameDevice());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainViewBackend(PC pc, const PC_Finegrain &e, const Statistics &s, PetscViewer viewer)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  const HostThreads threads = find_host_threads();
  const PetscInt64 copies = PetscInt64(s.staged_bytes), own[] = {threads.count, -threads.count};
  PetscInt64 bytes, most[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&copies, &bytes, 1, MPIU_INT64, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(own, most, 2, MPIU_INT64, MPI_MAX, comm));
  const std::string count = (most[0] == -most[1] ? "" : std::to_string(-most[1]) + " to ") + std::to_string(most[0]);
  PetscCall(PetscViewerASCIIPrintf(viewer, "library: finegrain " PETSCFINEGRAIN_VERSION "\n"));
  if (e.analysis.op.backend == Backend::device)
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "back end: device (%s), bytes of copies of matrix and vectors: %" PetscInt64_FMT "\n",
      DeviceExec::name(), bytes));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "back end: host, %s thread%s (%s)\n", count.c_str(),
                                     most[0] == 1 ? "" : "s", threads.reason));
  if (has_device() && e.settings.backend == PC_FINEGRAIN_BACKEND_AUTO && FinegrainSharesRows(e.analysis.options))
    PetscCall(PetscViewerASCIIPrintf(viewer, "back end: auto takes the host, because ranks factor together there\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
