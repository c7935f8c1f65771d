// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters of back end and tile; which back end a set-up takes, and what the view says of it.
#include "base/threads.hpp"
#include "mat/baijkokkos.hpp"
#include "pc/settings.hpp"

#include <cstring>

using namespace finegrain;

const char *const PCFinegrainBackendTypes[] = {
  "auto", "host", "device", "PCFinegrainBackendType", "PC_FINEGRAIN_BACKEND_", nullptr};

namespace
{

PetscErrorCode ReadTile(PC pc, FinegrainOptionItems items, const PCEngineSetting &s)
{
  PetscInt ijk[3] = {0, 0, 0}, boxes = 1;

  PetscFunctionBegin;
  PetscCall(PCEngineReadBoxes(pc, items, s, ijk, &boxes));
  if (boxes) PetscCall(PCFinegrainSetTile(pc, ijk[0], ijk[1], ijk[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

namespace finegrain::settings
{
constinit const Common<PCFinegrainBackendType> backend{"backend", "Where the factor is and is applied",
                                                       "PCFinegrainSetBackend", &PCEngine::backend,
                                                       PCFinegrainBackendTypes};
constinit const PCEngineList tile{"tile", "Points I,J,K of a tile (0,0,0: chosen)", "PCFinegrainSetTile", ReadTile,
                                  [](const PCEngine &e) {
                                    return PCEngineShow(std::vector<PetscInt>{e.tile.i, e.tile.j, e.tile.k});
                                  }};
} // namespace finegrain::settings

/*@
   PCFinegrainSetBackend - Chooses where a preconditioner keeps its factor and is applied

   Logically Collective

   Input Parameters:
+  pc      - the preconditioner
-  backend - `PC_FINEGRAIN_BACKEND_AUTO` (default), `PC_FINEGRAIN_BACKEND_HOST` or `PC_FINEGRAIN_BACKEND_DEVICE`

   Options Database Key:
.  -pc_fgbilu_backend <auto,host,device> - the back end

   Level: intermediate

   Notes:
   A device needs a build with a Kokkos that has CUDA, and a GPU; without them `PC_FINEGRAIN_BACKEND_DEVICE` is an
error at set-up. `PC_FINEGRAIN_BACKEND_AUTO` is the device where the preconditioning matrix is there, of type
`MATBAIJKOKKOS`, or gives vectors that are (`MatGetVecType()`), and the host everywhere else, or if the algorithm is
sequential, or if ranks factor together (`PCFinegrainSetGlobal()`).

   On a device the values of a `MATBAIJKOKKOS` are read where they are, those of other types are copied there at each
factorization. Vectors are read and written where PETSc has them; those on the host are copied at each application.

.seealso: `PCFinegrainGetBackend()`, `PCFinegrainSetAlgorithm()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetBackend(PC pc, PCFinegrainBackendType backend)
{
  return settings::backend.set(pc, backend);
}

PetscErrorCode PCFinegrainGetBackend(PC pc, PCFinegrainBackendType *backend)
{
  return settings::backend.get(pc, backend);
}

/*@
   PCFinegrainSetTile - Gives the shape of the tiles that the algorithm tasks cuts grids into

   Logically Collective

   Input Parameters:
+  pc - the preconditioner
.  i  - points of a tile in the first (fastest) direction of a grid
.  j  - in the second
-  k  - in the third; 0, 0, 0 (default) for a shape chosen by grid and threads

   Options Database Key:
.  -pc_fgbilu_tile <I,J,K> - the shape

   Level: advanced

   Notes:
   Tiles that do not fit the matrix, because two of them need each other, are an error. Those of a star fit in any
shape, those of a box stencil if they are as long as the grid in the first direction and one point thick in the third.

   Devices have no tiles: a shape is an error there.

   On a host tiles should be long in the first direction, because its points are neighbors in memory, and there
should be several times as many of them side by side as threads.

.seealso: `PCFinegrainGetTile()`, `PCFinegrainSetAlgorithm()`, `PCFinegrainSetGrid()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetTile(PC pc, PetscInt i, PetscInt j, PetscInt k)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, &e));
  PetscValidLogicalCollectiveInt(pc, i, 2);
  PetscValidLogicalCollectiveInt(pc, j, 3);
  PetscValidLogicalCollectiveInt(pc, k, 4);
  if (!e) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck((i > 0 && j > 0 && k > 0) || (i == 0 && j == 0 && k == 0),
             PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_OUTOFRANGE,
             "%s or PCFinegrainSetTile(): a tile of %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT
             " points; give 1 or more in each direction, or 0,0,0 for a shape that is chosen",
             PCEngineOption(pc, "tile").c_str(), i, j, k);
  const auto edge = [](PetscInt n) { return Index(PetscMin(n, PetscInt(1) << 20)); };
  PetscCall(PCEngineChange(pc, e, e->tile, Box{edge(i), edge(j), edge(k)}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainGetTile - Gets what `PCFinegrainSetTile()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameters:
+  i - points of a tile in the first direction, 0 for a shape that is chosen
.  j - in the second
-  k - in the third

   Level: advanced

.seealso: `PCFinegrainSetTile()`
@*/
PetscErrorCode PCFinegrainGetTile(PC pc, PetscInt *i, PetscInt *j, PetscInt *k)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  *i = e->tile.i;
  *j = e->tile.j;
  *k = e->tile.k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

// The device, where matrix or vectors are.
PetscErrorCode ChooseBackend(Mat A, const EngineOptions &options, Backend *backend)
{
  VecType type;
  bool there;

  PetscFunctionBegin;
  *backend = Backend::host;
  if (!has_device() || options.algorithm == Algorithm::sequential || options.tile.points() > 0)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BAIJKokkosIsMirrored(A, &there));
  PetscCall(MatGetVecType(A, &type));
#if defined(FINEGRAIN_SHARES_DEVICE)
  there = there || std::strstr(type, "cuda") || std::strstr(type, "kokkos");
#endif
  if (there) *backend = Backend::device;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Kokkos may have been started by others before PETSc, or us, could say where.
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

PetscErrorCode PCEngineFindBackend(PC pc, const PCEngine &e, Backend *backend)
{
  PetscFunctionBegin;
  *backend = e.backend == PC_FINEGRAIN_BACKEND_DEVICE ? Backend::device : Backend::host;
  if (e.backend == PC_FINEGRAIN_BACKEND_AUTO && !PCEngineSharesRows(e)) // which hosts do alone
    PetscCall(ChooseBackend(pc->pmat, e.options, backend));
  const std::string option = PCEngineOption(pc, "backend");
  PetscCheck(
    *backend == Backend::host || builds_device, PETSC_COMM_SELF, PETSC_ERR_SUP,
    "%s device: this libpetscfinegrain has no device back end, only %s; build it with a Kokkos that has CUDA "
    "(Kokkos_ROOT), or take %s host, PCFinegrainSetBackend()",
    option.c_str(), backend_names().c_str(), option.c_str());
  PetscCheck(*backend == Backend::host || has_device(), PETSC_COMM_SELF, PETSC_ERR_GPU,
             "%s device: the device back end of this libpetscfinegrain (%s) finds no such GPU in this process; run "
             "where nvidia-smi lists a GPU and CUDA_VISIBLE_DEVICES does not hide it, or take %s host, "
             "PCFinegrainSetBackend()",
             option.c_str(), backend_names().c_str(), option.c_str());
  if (*backend == Backend::device) PetscCall(CheckSameDevice());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineViewBackend(PC pc, const PCEngine &e, const Statistics &s, PetscViewer viewer)
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
  if (e.op.backend == Backend::device)
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "back end: device (%s), bytes of copies of matrix and vectors: %" PetscInt64_FMT "\n",
      DeviceExec::name(), bytes));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "back end: host, %s thread%s (%s)\n", count.c_str(),
                                     most[0] == 1 ? "" : "s", threads.reason));
  if (has_device() && e.backend == PC_FINEGRAIN_BACKEND_AUTO && PCEngineSharesRows(e))
    PetscCall(PetscViewerASCIIPrintf(viewer, "back end: auto takes the host, because ranks factor together there\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
