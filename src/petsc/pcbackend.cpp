// Where all types run: the setting, what it comes to on this machine, what the view says of it, and Kokkos' start.
#include "pcsettings.hpp"

#if defined(PETSC_HAVE_KOKKOS)
#include <petscdevice.h>
#endif

using namespace finegrain;

const char *const PCFinegrainBackendTypes[] = {
  "auto", "host", "device", "PCFinegrainBackendType", "PC_FINEGRAIN_BACKEND_", nullptr};

/*@
   PCFinegrainSetBackend - Chooses where a preconditioner keeps its factor and is applied

   Logically Collective

   Input Parameters:
+  pc      - the preconditioner
-  backend - `PC_FINEGRAIN_BACKEND_AUTO` (default, today the host always), `PC_FINEGRAIN_BACKEND_HOST` or
`PC_FINEGRAIN_BACKEND_DEVICE`

   Options Database Key:
.  -pc_fgbilu_backend <auto,host,device> - the back end

   Level: intermediate

   Notes:
   A device needs a build with a Kokkos that has CUDA, and a GPU; without them the set-up is an error. Matrices and
   vectors are read and written on the host: their values are copied to the device at each factorization and their
   vectors at each application.

   The device back end has been compiled, and has never run: treat its results accordingly.

.seealso: `PCFinegrainGetBackend()`, `PCFinegrainSetExecutor()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetBackend(PC pc, PCFinegrainBackendType backend)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, &e));
  PetscValidLogicalCollectiveEnum(pc, backend, 2);
  if (e) PetscCall(PCEngineChange(pc, e, e->backend, backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainGetBackend - Gets what `PCFinegrainSetBackend()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  backend - the back end asked for

   Level: intermediate

.seealso: `PCFinegrainSetBackend()`
@*/
PetscErrorCode PCFinegrainGetBackend(PC pc, PCFinegrainBackendType *backend)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  *backend = e->backend;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineStartKokkos()
{
  PetscFunctionBegin;
#if defined(PETSC_HAVE_KOKKOS)
  PetscCall(PetscKokkosInitializeCheck());
#endif
  const KokkosState state = start_kokkos();
  PetscCheck(state != KokkosState::finalized, PETSC_COMM_SELF, PETSC_ERR_ORDER,
             "Kokkos has been finalized in this process and cannot be started again");
  PetscCheck(
    state != KokkosState::no_device, PETSC_COMM_SELF, PETSC_ERR_GPU,
    "The Kokkos %d.%d of this libpetscfinegrain (%s) does not start without a device, and this process finds "
    "none; run where there is one, or build finegrain with a Kokkos without CUDA",
    KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100, backend_names().c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineFindBackend(PC pc, const PCEngine &e, Backend *backend)
{
  const char *prefix, *name = e.type->name;

  PetscFunctionBegin;
  *backend = e.backend == PC_FINEGRAIN_BACKEND_DEVICE ? Backend::device : Backend::host;
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  if (!prefix) prefix = "";
  PetscCheck(
    *backend == Backend::host || builds_device, PETSC_COMM_SELF, PETSC_ERR_SUP,
    "-%spc_%s_backend device: this libpetscfinegrain has no device back end, only %s; build it with a Kokkos "
    "that has CUDA (Kokkos_ROOT), or take -%spc_%s_backend host, PCFinegrainSetBackend()",
    prefix, name, backend_names().c_str(), prefix, name);
  PetscCheck(
    *backend == Backend::host || has_device(), PETSC_COMM_SELF, PETSC_ERR_GPU,
    "-%spc_%s_backend device: the device back end of this libpetscfinegrain (%s) finds no such GPU in this process; "
    "run where nvidia-smi lists a GPU and CUDA_VISIBLE_DEVICES does not hide it, or take -%spc_%s_backend "
    "host, PCFinegrainSetBackend()",
    prefix, name, backend_names().c_str(), prefix, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineViewBackend(PC pc, const PCEngine &e, const Statistics &s, PetscViewer viewer)
{
  const MPI_Comm   comm   = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  const PetscInt64 copies = PetscInt64(s.staged_bytes), threads = HostExec().concurrency(),
                   own[] = {threads, -threads};
  PetscInt64 bytes, most[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&copies, &bytes, 1, MPIU_INT64, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(own, most, 2, MPIU_INT64, MPI_MAX, comm));
  if (e.backend == PC_FINEGRAIN_BACKEND_DEVICE)
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "back end: device (%s), bytes of copies of matrix and vectors: %" PetscInt64_FMT "\n",
      DeviceExec::name(), bytes));
  else if (most[0] == 1) PetscCall(PetscViewerASCIIPrintf(viewer, "back end: host (%s)\n", HostExec::name()));
  else if (most[0] == -most[1])
    PetscCall(PetscViewerASCIIPrintf(viewer, "back end: host (%s, %" PetscInt64_FMT " threads)\n", HostExec::name(),
                                     most[0]));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "back end: host (%s, %" PetscInt64_FMT " to %" PetscInt64_FMT " threads)\n",
                                     HostExec::name(), -most[1], most[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
