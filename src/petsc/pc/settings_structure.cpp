// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters of what all types share: the structure of the rank's block rows.
#include "pc/settings.hpp"

using namespace finegrain;

const char *const PCFinegrainGridCouplings[] = {"factor", "corrections", "PCFinegrainGridCoupling",
                                                "PC_FINEGRAIN_GRID_COUPLING_", nullptr};
static_assert(int(GridCoupling::corrections) == PC_FINEGRAIN_GRID_COUPLING_CORRECTIONS);

namespace
{

// The grid is given as I,J,K of each, one after the other.
PetscErrorCode ReadGrid(PC pc, FinegrainOptionItems items, const PCEngineSetting &s)
{
  constexpr PetscInt most = 64;
  PetscInt ijk[3 * most] = {}, boxes = most; // -help prints them

  PetscFunctionBegin;
  PetscCall(PCEngineReadBoxes(pc, items, s, ijk, &boxes));
  if (boxes) PetscCall(PCFinegrainSetGrid(pc, boxes, ijk));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadOrdering(PC pc, FinegrainOptionItems PetscOptionsObject, const PCEngineSetting &s)
{
  char ordering[256];
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(MatInitializePackage()); // registers the orderings
  PetscCall(PetscOptionsFList(PCEngineKey(pc, s.name).c_str(), s.text, s.setter, MatOrderingList,
                              PCEngineData<PCEngine>(pc).ordering.c_str(), ordering, sizeof(ordering), &given));
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
               PCEngineOption(pc, "grid").c_str(), ijk[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

// What PCFinegrainSetGrid() was given before the PC had a type of ours.
constexpr char kept_grid[] = "PCFinegrainGrid";

PetscErrorCode PCEngineTakeGrid(PC pc, PCEngine *e)
{
  IS kept;
  const PetscInt *ijk;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(pc), kept_grid, reinterpret_cast<PetscObject *>(&kept)));
  if (!kept) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(kept, &n));
  PetscCall(ISGetIndices(kept, &ijk));
  PetscCall(FinegrainOnAllRanks(pc, [&] { e->grid.assign(ijk, ijk + n); }));
  PetscCall(ISRestoreIndices(kept, &ijk));
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(pc), kept_grid, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace finegrain::settings
{
constinit const PCEngineList grid{"grid", "Points I,J,K of each local grid", "PCFinegrainSetGrid", ReadGrid,
                                  [](const PCEngine &e) { return PCEngineShow(e.grid); }};
constinit const PCEngineList ordering{"ordering", "Order of elimination", "PCFinegrainSetOrdering", ReadOrdering,
                                      [](const PCEngine &e) { return e.ordering; }};
constinit const Common<PetscInt> block_size{
  "block_size", "Rows per block of an AIJ matrix (0: its own)", "PCFinegrainSetBlockSize", &PCEngine::block_size, 0,
  max_block};
constinit const Common<PCFinegrainGridCoupling> coupling{"grid_coupling", "Couplings between the grids of a rank",
                                                         "PCFinegrainSetGridCoupling", &PCEngine::coupling,
                                                         PCFinegrainGridCouplings};
} // namespace finegrain::settings

/*@
   PCFinegrainSetGrid - Gives the structure of the block rows of this rank, where no `DMDA` does

   Collective, values may differ between ranks

   Input Parameters:
+  pc     - the preconditioner
.  ngrids - number of grids on this rank, one after the other; 0 for none
-  ijk    - points of each grid in the first (fastest), second and third direction, 3 `ngrids` numbers

   Options Database Key:
.  -pc_fgbilu_grid <I,J,K[,I,J,K...]> - the grids, where they are the same on all ranks

   Level: intermediate

   Note:
   A call before `PCSetType()` or `PCSetFromOptions()` acts when the PC gets a type that has grids. Hyperplanes of
these grids must fit the matrix; where they do not, set-up is an error. Grids are used by hyperplane schedules, and by
`PCFinegrainSetGridCoupling()` with any schedule. A grid without a point on this rank is left out.

.seealso: `PCFinegrainGetGrid()`, `PCFinegrainSetGridCoupling()`, `PCFinegrainSetSchedule()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetGrid(PC pc, PetscInt ngrids, const PetscInt ijk[])
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, &e));
  if (!e) { // the type comes later, and takes it
    IS kept;
    PetscCall(FinegrainOnAllRanks(pc, [&] { return CheckGrids(pc, ngrids, ijk); }));
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 3 * ngrids, ijk, PETSC_COPY_VALUES, &kept));
    PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(pc), kept_grid, reinterpret_cast<PetscObject>(kept)));
    PetscCall(ISDestroy(&kept));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  // All ranks analyze again if the grids of one have changed.
  std::vector<PetscInt> grid;
  PetscCall(FinegrainOnAllRanks(pc, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(CheckGrids(pc, ngrids, ijk));
    grid.assign(ijk, ijk + 3 * ngrids);
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  int mine = grid != e->grid, any;
  PetscCallMPI(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  e->grid = grid;
  PCEngineInvalidate(pc, e);
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
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  *ngrids = PetscInt(e->grid.size() / 3);
  *ijk = e->grid.data();
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
   Entries missing inside a block count as zeros. BAIJ matrices bring their own block size.

.seealso: `PCFinegrainGetBlockSize()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetBlockSize(PC pc, PetscInt n) { return settings::block_size.set(pc, n); }

PetscErrorCode PCFinegrainGetBlockSize(PC pc, PetscInt *n) { return settings::block_size.get(pc, n); }

/*@
   PCFinegrainSetGridCoupling - Says what becomes of couplings between the grids of a rank

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  coupling - `PC_FINEGRAIN_GRID_COUPLING_FACTOR` (default) or `PC_FINEGRAIN_GRID_COUPLING_CORRECTIONS`

   Options Database Key:
.  -pc_fgbilu_grid_coupling <factor,corrections> - the coupling

   Level: intermediate

   Note:
   In the factor, the grids are eliminated as one matrix, on level sets over all of them. Left to corrections, each
grid has a factor and hyperplanes of its own, all of them run in the same groups, and only
   `PCFinegrainSetCorrections()` (or the Krylov method) sees what couples them, as between ranks.

.seealso: `PCFinegrainGetGridCoupling()`, `PCFinegrainSetGrid()`, `PCFinegrainSetCorrections()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetGridCoupling(PC pc, PCFinegrainGridCoupling coupling)
{
  return settings::coupling.set(pc, coupling);
}

PetscErrorCode PCFinegrainGetGridCoupling(PC pc, PCFinegrainGridCoupling *coupling)
{
  return settings::coupling.get(pc, coupling);
}

/*@C
   PCFinegrainSetOrdering - Chooses the order in which the block rows of a rank are eliminated

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  ordering - a `MatOrderingType`, `MATORDERINGNATURAL` by default

   Options Database Key:
.  -pc_fgbilu_ordering <natural,rcm,nd,...> - the ordering

   Level: intermediate

   Note:
   The ordering is that of the graph of block rows. It goes with level schedules: hyperplanes keep the natural order.

.seealso: `PCFinegrainGetOrdering()`, `PCFactorSetMatOrderingType()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetOrdering(PC pc, MatOrderingType ordering)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, &e));
  if (e)
    PetscCall(FinegrainOnAllRanks(pc, [&] { return PCEngineChange(pc, e, e->ordering, std::string(ordering)); }));
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
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  *ordering = e->ordering.c_str();
  PetscFunctionReturn(PETSC_SUCCESS);
}
