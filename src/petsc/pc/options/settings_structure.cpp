// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters for the structure of the block rows: grids, block size, ordering, global factorization.
#include "pc/options/settings_structure.hpp"
#include "pc/options/settings.hpp"
#include "pc/find.hpp"

using namespace finegrain;

const char *const PCFinegrainGridCouplings[] = {"coupled", "block_jacobi", "PCFinegrainGridCoupling",
                                                "PC_FINEGRAIN_GRID_COUPLING_", nullptr};
static_assert(int(GridCoupling::block_jacobi) == PC_FINEGRAIN_GRID_COUPLING_BLOCK_JACOBI);

namespace
{

// Reads I,J,K of each grid.
PetscErrorCode ReadGrid(PC pc, FinegrainOptionItems items, const PCFinegrainSetting &s)
{
  constexpr PetscInt most = 64;
  PetscInt ijk[3 * most] = {}, boxes = most; // -help prints them

  PetscFunctionBegin;
  PetscCall(PCFinegrainReadBoxes(pc, items, s, ijk, &boxes));
  if (boxes) PetscCall(PCFinegrainSetGrid(pc, boxes, ijk));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadOrdering(PC pc, FinegrainOptionItems PetscOptionsObject, const PCFinegrainSetting &s)
{
  char ordering[256];
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(MatInitializePackage()); // registers the orderings
  PetscCall(PetscOptionsFList(PCFinegrainKey(pc, s.name).c_str(), s.text, s.setter, MatOrderingList,
                              PCFinegrainData<PC_Finegrain>(pc).settings.ordering.c_str(), ordering, sizeof(ordering),
                              &given));
  if (given) PetscCall(PCFinegrainSetOrdering(pc, ordering));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckGrids(PC pc, PetscInt ngrids, const PetscInt ijk[])
{
  PetscFunctionBegin;
  PetscCheck(ngrids >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " grids", ngrids);
  PetscCheck(ngrids == 0 || ijk, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "PCFinegrainSetGrid(): no points of grids");
  for (PetscInt i = 0; i < 3 * ngrids; ++i)
    PetscCheck(ijk[i] > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "%s or PCFinegrainSetGrid(): a grid has %" PetscInt_FMT " points in one direction; give 1 or more",
               PCFinegrainOption(pc, "grid").c_str(), ijk[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

// Name under which a PC without a type of finegrain keeps the argument of PCFinegrainSetGrid().
constexpr char kept_grid[] = "PCFinegrainGrid";

PetscErrorCode PCFinegrainMoveGrid(PC pc, PC_Finegrain *e)
{
  IS kept;
  const PetscInt *ijk;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(pc), kept_grid, reinterpret_cast<PetscObject *>(&kept)));
  if (!kept) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(kept, &n));
  PetscCall(ISGetIndices(kept, &ijk));
  PetscCall(FinegrainOnAllRanks(pc, [&] { e->settings.grid.assign(ijk, ijk + n); }));
  PetscCall(ISRestoreIndices(kept, &ijk));
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(pc), kept_grid, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace finegrain::settings
{
constinit const PCFinegrainList grid{"grid", "Points I,J,K of each local grid", "PCFinegrainSetGrid", ReadGrid,
                                     [](const PC_Finegrain &e) { return PCFinegrainShow(e.settings.grid); }};
constinit const PCFinegrainList ordering{"ordering", "Order of elimination: tiles, or of PETSc",
                                         "PCFinegrainSetOrdering", ReadOrdering,
                                         [](const PC_Finegrain &e) { return e.settings.ordering; }};
constinit const Common<PetscInt> block_size{"block_size",
                                            "Rows per block of an AIJ matrix (0: its own)",
                                            "PCFinegrainSetBlockSize",
                                            &FinegrainSettings::block_size,
                                            0,
                                            max_block};
constinit const Common<PCFinegrainGridCoupling> grid_coupling{
  "grid_coupling", "Couplings between the grids of a rank", "PCFinegrainSetGridCoupling",
  &FinegrainSettings::grid_coupling, PCFinegrainGridCouplings};
constinit const Common<PetscBool> global{"global", "One factor of all ranks", "PCFinegrainSetGlobal",
                                         &FinegrainSettings::global};
} // namespace finegrain::settings

/*@
   PCFinegrainSetGrid - Sets the grids that the block rows of this rank form, if no `DMDA` has them

   Collective, values may differ between ranks

   Input Parameters:
+  pc     - the preconditioner
.  ngrids - number of grids on this rank, one after the other; 0 for none
-  ijk    - points of each grid in the first (fastest), second and third direction, 3 `ngrids` numbers

   Options Database Key:
.  -pc_fgbilu_grid <I,J,K[,I,J,K...]> - the grids, if they are equal on all ranks

   Level: intermediate

   Note:
   A call before `PCSetType()` or `PCSetFromOptions()` acts when the PC gets a type that has grids. Hyperplanes of
   these grids must fit the matrix; otherwise set-up is an error. Hyperplane schedules use the grids, and
   `PCFinegrainSetGridCoupling()` does with any schedule. A grid without a point on this rank is omitted.

.seealso: `PCFinegrainGetGrid()`, `PCFinegrainSetGridCoupling()`, `PCFinegrainSetSchedule()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetGrid(PC pc, PetscInt ngrids, const PetscInt ijk[])
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFind(pc, &e));
  if (!e) { // the type will use it when it is set
    IS kept;
    PetscCall(FinegrainOnAllRanks(pc, [&] { return CheckGrids(pc, ngrids, ijk); }));
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 3 * ngrids, ijk, PETSC_COPY_VALUES, &kept));
    PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(pc), kept_grid, reinterpret_cast<PetscObject>(kept)));
    PetscCall(ISDestroy(&kept));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  // If the grids of one rank have changed, all ranks repeat the analysis.
  std::vector<PetscInt> grid;
  PetscCall(FinegrainOnAllRanks(pc, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(CheckGrids(pc, ngrids, ijk));
    grid.assign(ijk, ijk + 3 * ngrids);
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  int mine = grid != e->settings.grid, any;
  PetscCallMPI(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  e->settings.grid = grid;
  PCFinegrainInvalidate(pc, e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainGetGrid - Gets what `PCFinegrainSetGrid()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameters:
+  ngrids - number of grids
-  ijk    - their sizes, owned by `pc`

   Level: intermediate

.seealso: `PCFinegrainSetGrid()`
@*/
PetscErrorCode PCFinegrainGetGrid(PC pc, PetscInt *ngrids, const PetscInt *ijk[])
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainGet(pc, &e));
  *ngrids = PetscInt(e->settings.grid.size() / 3);
  *ijk = e->settings.grid.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainSetBlockSize - Sets the size of the blocks of an AIJ matrix

   Logically Collective

   Input Parameters:
+  pc - the preconditioner
-  n  - rows per block, 1 to 32; 0 (default) for the block size of the matrix

   Options Database Key:
.  -pc_fgbilu_block_size <n> - the block size

   Level: intermediate

   Note:
   Entries missing inside a block count as zeros. BAIJ matrices have their own block size.

.seealso: `PCFinegrainGetBlockSize()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetBlockSize(PC pc, PetscInt n) { return settings::block_size.set(pc, n); }

PetscErrorCode PCFinegrainGetBlockSize(PC pc, PetscInt *n) { return settings::block_size.get(pc, n); }

/*@
   PCFinegrainSetGridCoupling - Chooses if the factor contains the blocks that couple the grids of a rank

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  coupling - `PC_FINEGRAIN_GRID_COUPLING_COUPLED` (default) or `PC_FINEGRAIN_GRID_COUPLING_BLOCK_JACOBI`

   Options Database Key:
.  -pc_fgbilu_grid_coupling <coupled,block_jacobi> - the coupling

   Level: intermediate

   Note:
   With `PC_FINEGRAIN_GRID_COUPLING_COUPLED` the grids are factored as one matrix, by level sets. With
   `PC_FINEGRAIN_GRID_COUPLING_BLOCK_JACOBI` each grid has its own factor and hyperplanes, and all grids run in the
   same groups. The factor then ignores blocks that couple grids, like off-rank blocks; they act in residuals only,
   those of the Krylov method and of `PCFinegrainSetCorrections()`.

.seealso: `PCFinegrainGetGridCoupling()`, `PCFinegrainSetGrid()`, `PCFinegrainSetCorrections()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetGridCoupling(PC pc, PCFinegrainGridCoupling coupling)
{
  return settings::grid_coupling.set(pc, coupling);
}

PetscErrorCode PCFinegrainGetGridCoupling(PC pc, PCFinegrainGridCoupling *coupling)
{
  return settings::grid_coupling.get(pc, coupling);
}

/*@
   PCFinegrainSetGlobal - Chooses one factorization of the whole matrix instead of one for each rank

   Logically Collective

   Input Parameters:
+  pc     - the preconditioner, `PCFGBILU`, `PCSIP` or `PCPOWERQILU`
-  global - `PETSC_FALSE` (default): each rank factors its own block rows

   Options Database Key:
.  -pc_fgbilu_global, -pc_sip_global, -pc_powerqilu_global <false> - true: one factorization of all ranks

   Level: intermediate

   Notes:
   The result is bitwise identical to that of one rank; with a `DMDA` it does not depend on the process grid either.
   A global factorization runs on the host and has working or single precision.

   `PCFGBILU` and `PCSIP` factor and sweep the whole grid of a `DMDA` in its natural order, as a pipeline (Koch,
   Baker and Alcouffe). Each rank divides its box into tiles. When a tile is done, its faces are sent to the next
   ranks, which can then begin their tiles. The matrix must be a star of width 1 without periodic axes, with any
   number of unknowns per point. Iterations do not grow with the number of ranks, but ranks at the far end of the
   grid start late: `PCView()` predicts the efficiency. -pc_fgbilu_tile sets the shape of tiles, which a model
   chooses by default. Each rank uses one thread. -pc_sip_alternate is an error.

   `PCPOWERQILU` colors the matrix over all ranks, and factors and sweeps it color by color. A sweep sends one
   message to each neighbor for each color. It needs -pc_powerqilu_coloring jp (default, or redblack if that fits and
   p is 0) and -pc_powerqilu_drop during.

   References:
.  * - K. R. Koch, R. S. Baker, R. E. Alcouffe, Solution of the first-order form of the 3-D discrete ordinates
       equation on a massively parallel processor, Transactions of the American Nuclear Society 65 (1992)

.seealso: `PCFinegrainGetGlobal()`, `PCMCPISetExchange()`, `PCFinegrainSetTile()`, `PCFGBILU`, `PCSIP`, `PCPOWERQILU`
@*/
PetscErrorCode PCFinegrainSetGlobal(PC pc, PetscBool global) { return settings::global.set(pc, global); }

PetscErrorCode PCFinegrainGetGlobal(PC pc, PetscBool *global) { return settings::global.get(pc, global); }

/*@C
   PCFinegrainSetOrdering - Chooses the order in which the block rows of a rank are eliminated

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  ordering - "tiles" or a `MatOrderingType`, `MATORDERINGNATURAL` by default

   Options Database Key:
.  -pc_fgbilu_ordering <natural,tiles,rcm,nd,...> - the ordering

   Level: intermediate

   Notes:
   The ordering is that of the graph of block rows. It needs a level schedule, because hyperplanes keep the natural
   order, or colors, which are then assigned in this order.

   "tiles" cuts each grid into tiles, 8 x 8 x 8 points or those of `PCFinegrainSetTile()`, and colors them so that
   tiles of one color are not coupled. All tiles of a color are eliminated before those of the next one, each in
   natural order. The number of level sets then does not grow with the grid, for a few more iterations.

.seealso: `PCFinegrainGetOrdering()`, `PCFinegrainSetTile()`, `PCFactorSetMatOrderingType()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetOrdering(PC pc, MatOrderingType ordering)
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFind(pc, &e));
  if (e)
    PetscCall(
      FinegrainOnAllRanks(pc, [&] { return PCFinegrainChange(pc, e, e->settings.ordering, std::string(ordering)); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   PCFinegrainGetOrdering - Gets what `PCFinegrainSetOrdering()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  ordering - the ordering, owned by `pc`

   Level: intermediate

.seealso: `PCFinegrainSetOrdering()`
@*/
PetscErrorCode PCFinegrainGetOrdering(PC pc, MatOrderingType *ordering)
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainGet(pc, &e));
  *ordering = e->settings.ordering.c_str();
  PetscFunctionReturn(PETSC_SUCCESS);
}
