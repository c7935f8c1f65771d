// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters of back end and tile; which back end a set-up takes, and what the view says of it.
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
  "tile", "Points I,J,K of a tile (0,0,0: chosen)", "PCFinegrainSetTile", ReadTile, [](const PC_Finegrain &e) {
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
+  i - points of a tile in the first direction, 0 for a shape that is chosen
.  j - in the second
-  k - in the third

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
