// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters of back end and tile.
#include "mat/baijkokkos.hpp"
#include "pc/options/settings.hpp"
#include "pc/find.hpp"

#include "base/threads.hpp"

#include <cstring>

using namespace finegrain;

const char *const PCFinegrainBackendTypes[] = {
  "auto", "host", "device", "PCFinegrainBackendType", "PC_FINEGRAIN_BACKEND_", nullptr};

namespace
{

PetscErrorCode ReadTile(PC pc, FinegrainOptionItems items, const PCFinegrainSetting &s)
{
  PetscInt ijk[3] = {0, 0, 0}, boxes = 1;

  PetscFunctionBegin;
  PetscCall(PCFinegrainReadBoxes(pc, items, s, ijk, &boxes));
  if (boxes) PetscCall(PCFinegrainSetTile(pc, ijk[0], ijk[1], ijk[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

namespace finegrain::settings
{
constinit const Common<PCFinegrainBackendType> backend{"backend", "Where the factor is and is applied",
                                                       "PCFinegrainSetBackend", &FinegrainSettings::backend,
                                                       PCFinegrainBackendTypes};
constinit const PCFinegrainList tile{
  "tile", "Points I,J,K of a tile (0,0,0: chosen on hosts, none on devices)", "PCFinegrainSetTile", ReadTile,
  [](const PC_Finegrain &e) {
    return PCFinegrainShow(std::vector<PetscInt>{e.settings.tile.i, e.settings.tile.j, e.settings.tile.k});
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
   A device needs a Kokkos with CUDA and a GPU; without them `PC_FINEGRAIN_BACKEND_DEVICE` is an error at set-up.
   `PC_FINEGRAIN_BACKEND_AUTO` is the device if the preconditioning matrix is there (`MATBAIJKOKKOS`), or if its
   vectors are (`MatGetVecType()`). It is the host in all other cases, and if the algorithm is sequential or the
   factorization is global (`PCFinegrainSetGlobal()`).

   On a device, values of a `MATBAIJKOKKOS` are read in place; those of host matrices are copied there at each
   factorization. Vectors on the device are read and written in place; those on the host are copied at each
   application.

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
   PCFinegrainSetTile - Sets the shape of the tiles into which the algorithm tasks divides grids

   Logically Collective

   Input Parameters:
+  pc - the preconditioner
.  i  - points of a tile in the first (fastest) direction of a grid
.  j  - points in the second direction
-  k  - points in the third direction; 0, 0, 0 (default): on a host chosen by grid and threads, on a device no tiles

   Options Database Key:
.  -pc_fgbilu_tile <I,J,K> - the shape

   Level: advanced

   Notes:
   Tiles that depend on each other are an error. With a star any shape fits. With a box stencil tiles fit if they are
   as long as the grid in the first direction and one point thick in the third.

   On a device tasks are runs of rows of a level, unless a shape is given. A team then computes a tile by its level
   sets, so that fewer teams wait for each other. It has not been timed on a GPU; 4 x 4 x 4 to 8 x 8 x 8 points are
   proposed.

   With `PCFinegrainSetGlobal()` the shape is that of the pipeline's tiles.

   With the ordering "tiles" (`PCFinegrainSetOrdering()`) the shape is that of its tiles, on hosts and devices, 8 x 8
   x 8 by default. It then has no effect on the algorithm.

   On a host tiles should be long in the first direction, because its points are adjacent in memory. There should be
   several times as many independent tiles as threads.

.seealso: `PCFinegrainGetTile()`, `PCFinegrainSetAlgorithm()`, `PCFinegrainSetGrid()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetTile(PC pc, PetscInt i, PetscInt j, PetscInt k)
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFind(pc, &e));
  PetscValidLogicalCollectiveInt(pc, i, 2);
  PetscValidLogicalCollectiveInt(pc, j, 3);
  PetscValidLogicalCollectiveInt(pc, k, 4);
  if (!e) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck((i > 0 && j > 0 && k > 0) || (i == 0 && j == 0 && k == 0),
             PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_OUTOFRANGE,
             "%s or PCFinegrainSetTile(): a tile of %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT
             " points; give 1 or more in each direction, or 0,0,0 for a shape that is chosen",
             PCFinegrainOption(pc, "tile").c_str(), i, j, k);
  const auto edge = [](PetscInt n) { return Index(PetscMin(n, PetscInt(1) << 20)); };
  PetscCall(PCFinegrainChange(pc, e, e->settings.tile, Box{edge(i), edge(j), edge(k)}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainGetTile - Gets what `PCFinegrainSetTile()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameters:
+  i - points of a tile in the first direction, 0: chosen automatically
.  j - points in the second direction
-  k - points in the third direction

   Level: advanced

.seealso: `PCFinegrainSetTile()`
@*/
PetscErrorCode PCFinegrainGetTile(PC pc, PetscInt *i, PetscInt *j, PetscInt *k)
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainGet(pc, &e));
  *i = e->settings.tile.i;
  *j = e->settings.tile.j;
  *k = e->settings.tile.k;
  PetscFunctionReturn(PETSC_SUCCESS);
}
