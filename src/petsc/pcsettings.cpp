// Setters, getters and options of what all types share.
#include "pcsettings.hpp"

#include <string>

using namespace finegrain;

const char *const PCFinegrainScheduleTypes[] = {
  "auto", "hyperplane", "level", "PCFinegrainScheduleType", "PC_FINEGRAIN_SCHEDULE_", nullptr};
const char *const PCFinegrainExecutorTypes[] = {
  "auto", "natural", "launch", "PCFinegrainExecutorType", "PC_FINEGRAIN_EXECUTOR_", nullptr};
const char *const PCFinegrainPrecisionTypes[]         = {"working", "single", "PCFinegrainPrecisionType",
                                                         "PC_FINEGRAIN_PRECISION_", nullptr};
const char *const PCFinegrainDiagonalPrecisionTypes[] = {"working", "storage", "PCFinegrainDiagonalPrecisionType",
                                                         "PC_FINEGRAIN_DIAGONAL_PRECISION_", nullptr};

static_assert(int(ScheduleKind::level) == PC_FINEGRAIN_SCHEDULE_LEVEL);
static_assert(int(ExecutorKind::launch) == PC_FINEGRAIN_EXECUTOR_LAUNCH);
static_assert(int(Precision::single) == PC_FINEGRAIN_PRECISION_SINGLE);

/*@
   PCFinegrainSetSchedule - Chooses the groups of mutually independent block rows that run in parallel

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  schedule - `PC_FINEGRAIN_SCHEDULE_AUTO` (default), `PC_FINEGRAIN_SCHEDULE_HYPERPLANE` or
`PC_FINEGRAIN_SCHEDULE_LEVEL`

   Options Database Key:
.  -pc_fgbilu_schedule <auto,hyperplane,level> - the schedule

   Level: intermediate

   Note:
   All of them keep the result of the natural order. Hyperplanes need a grid: that of a `DMDA`, or
`PCFinegrainSetGrid()`.

.seealso: `PCFinegrainGetSchedule()`, `PCFinegrainSetGrid()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetSchedule(PC pc, PCFinegrainScheduleType schedule)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, &e));
  PetscValidLogicalCollectiveEnum(pc, schedule, 2);
  if (e) PetscCall(PCEngineChange(pc, e, e->recipe.schedule, FinegrainEnum<ScheduleKind>(schedule)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainGetSchedule - Gets what `PCFinegrainSetSchedule()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  schedule - the schedule asked for

   Level: intermediate

.seealso: `PCFinegrainSetSchedule()`
@*/
PetscErrorCode PCFinegrainGetSchedule(PC pc, PCFinegrainScheduleType *schedule)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  *schedule = FinegrainEnum<PCFinegrainScheduleType>(e->recipe.schedule);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainSetExecutor - Chooses how the groups of the schedule are run

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  executor - `PC_FINEGRAIN_EXECUTOR_AUTO` (default), `PC_FINEGRAIN_EXECUTOR_NATURAL` or
`PC_FINEGRAIN_EXECUTOR_LAUNCH`

   Options Database Key:
.  -pc_fgbilu_executor <auto,natural,launch> - the executor

   Level: intermediate

   Note:
   All executors give the same bits.

.seealso: `PCFinegrainGetExecutor()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetExecutor(PC pc, PCFinegrainExecutorType executor)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, &e));
  PetscValidLogicalCollectiveEnum(pc, executor, 2);
  if (e) PetscCall(PCEngineChange(pc, e, e->recipe.executor, FinegrainEnum<ExecutorKind>(executor)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainGetExecutor - Gets what `PCFinegrainSetExecutor()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  executor - the executor asked for

   Level: intermediate

.seealso: `PCFinegrainSetExecutor()`
@*/
PetscErrorCode PCFinegrainGetExecutor(PC pc, PCFinegrainExecutorType *executor)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  *executor = FinegrainEnum<PCFinegrainExecutorType>(e->recipe.executor);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainSetPrecision - Chooses how the off-diagonal blocks are stored

   Logically Collective

   Input Parameters:
+  pc        - the preconditioner
-  precision - `PC_FINEGRAIN_PRECISION_WORKING` (default) or `PC_FINEGRAIN_PRECISION_SINGLE`

   Options Database Key:
.  -pc_fgbilu_precision <working,single> - the precision

   Level: intermediate

   Note:
   Arithmetic is always in `PetscScalar`. The time of an application is that of reading the blocks.

.seealso: `PCFinegrainGetPrecision()`, `PCFinegrainSetDiagonalPrecision()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetPrecision(PC pc, PCFinegrainPrecisionType precision)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, &e));
  PetscValidLogicalCollectiveEnum(pc, precision, 2);
  if (e) PetscCall(PCEngineChange(pc, e, e->recipe.precision, FinegrainEnum<Precision>(precision)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainGetPrecision - Gets what `PCFinegrainSetPrecision()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  precision - the precision

   Level: intermediate

.seealso: `PCFinegrainSetPrecision()`
@*/
PetscErrorCode PCFinegrainGetPrecision(PC pc, PCFinegrainPrecisionType *precision)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  *precision = FinegrainEnum<PCFinegrainPrecisionType>(e->recipe.precision);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainSetDiagonalPrecision - Chooses how the inverted diagonal blocks are stored

   Logically Collective

   Input Parameters:
+  pc        - the preconditioner
-  precision - `PC_FINEGRAIN_DIAGONAL_PRECISION_WORKING` (default) or `PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE`

   Options Database Key:
.  -pc_fgbilu_diag_precision <working,storage> - the precision

   Level: advanced

.seealso: `PCFinegrainGetDiagonalPrecision()`, `PCFinegrainSetPrecision()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetDiagonalPrecision(PC pc, PCFinegrainDiagonalPrecisionType precision)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, &e));
  PetscValidLogicalCollectiveEnum(pc, precision, 2);
  if (e) PetscCall(PCEngineChange(pc, e, e->diagonal, precision));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainGetDiagonalPrecision - Gets what `PCFinegrainSetDiagonalPrecision()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  precision - the precision

   Level: advanced

.seealso: `PCFinegrainSetDiagonalPrecision()`
@*/
PetscErrorCode PCFinegrainGetDiagonalPrecision(PC pc, PCFinegrainDiagonalPrecisionType *precision)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  *precision = e->diagonal;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainSetShift - Says what to do about singular diagonal blocks

   Logically Collective

   Input Parameters:
+  pc     - the preconditioner
.  type   - `MAT_SHIFT_NONE` (default): the set-up fails with `PC_FACTOR_NUMERIC_ZEROPIVOT`; `MAT_SHIFT_INBLOCKS`: a
pivot of magnitude at most amount times the largest entry of its block is replaced by that value
-  amount - relative to the block; 100 `PETSC_MACHINE_EPSILON` by default, `PETSC_DECIDE` for that

   Options Database Keys:
+  -pc_fgbilu_shift_type <none,inblocks> - the type
-  -pc_fgbilu_shift_amount <amount>      - the amount

   Level: intermediate

   Note:
   `PCView()` prints in how many block rows pivots were replaced.

.seealso: `PCFinegrainGetShift()`, `PCFGBILU`, `MatFactorShiftType`
@*/
PetscErrorCode PCFinegrainSetShift(PC pc, MatFactorShiftType type, PetscReal amount)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, &e));
  PetscValidLogicalCollectiveEnum(pc, type, 2);
  PetscValidLogicalCollectiveReal(pc, amount, 3);
  if (!e) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(type == MAT_SHIFT_NONE || type == MAT_SHIFT_INBLOCKS, PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_SUP, "-pc_%s_shift_type %s is not supported; use none or inblocks", e->type->name,
             MatFactorShiftTypes[type]);
  if (amount == PetscReal(PETSC_DECIDE)) amount = 100 * PETSC_MACHINE_EPSILON;
  PetscCheck(amount > 0, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_%s_shift_amount is %g; it must be positive", e->type->name, double(amount));
  PetscCall(PCEngineChange(pc, e, e->shift_type, type));
  PetscCall(PCEngineChange(pc, e, e->shift_amount, amount));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainGetShift - Gets what `PCFinegrainSetShift()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameters:
+  type   - the type, or `NULL`
-  amount - the amount, or `NULL`

   Level: intermediate

.seealso: `PCFinegrainSetShift()`
@*/
PetscErrorCode PCFinegrainGetShift(PC pc, MatFactorShiftType *type, PetscReal *amount)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  if (type) *type = e->shift_type;
  if (amount) *amount = e->shift_amount;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainSetGrid - Gives the structure of the block rows of this rank, where no `DMDA` does

   Logically Collective, values may differ between ranks

   Input Parameters:
+  pc     - the preconditioner
.  ngrids - number of grids on this rank, one after the other; 0 for none
-  ijk    - points of each grid in the first (fastest), second and third direction, 3 `ngrids` numbers

   Options Database Key:
.  -pc_fgbilu_grid <I,J,K[,I,J,K...]> - the grids, where they are the same on all ranks

   Level: intermediate

   Note:
   Hyperplanes of these grids must fit the matrix; where they do not, set-up is an error. Grids are only ever used by
   hyperplane schedules.

.seealso: `PCFinegrainGetGrid()`, `PCFinegrainSetSchedule()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetGrid(PC pc, PetscInt ngrids, const PetscInt ijk[])
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, &e));
  if (!e) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(ngrids >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " grids", ngrids);
  for (PetscInt i = 0; i < 3 * ngrids; ++i)
    PetscCheck(ijk[i] > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "-pc_%s_grid or PCFinegrainSetGrid(): a grid has %" PetscInt_FMT
               " points in one direction; give 1 or more",
               e->type->name, ijk[i]);
  PetscCall(PCEngineChange(pc, e, e->grid, std::vector<PetscInt>(ijk, ijk + 3 * ngrids)));
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
  *ijk    = e->grid.data();
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
PetscErrorCode PCFinegrainSetBlockSize(PC pc, PetscInt n)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, &e));
  PetscValidLogicalCollectiveInt(pc, n, 2);
  if (!e) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(n >= 0 && n <= max_block, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_%s_block_size is %" PetscInt_FMT "; it must be 0 to %d", e->type->name, n, max_block);
  PetscCall(PCEngineChange(pc, e, e->block_size, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainGetBlockSize - Gets what `PCFinegrainSetBlockSize()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  n - rows per block, 0 for the block size of the matrix

   Level: intermediate

.seealso: `PCFinegrainSetBlockSize()`
@*/
PetscErrorCode PCFinegrainGetBlockSize(PC pc, PetscInt *n)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  *n = e->block_size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainGetFactorBytes - Gets the size of the factor's blocks on this rank

   Not Collective

   Input Parameter:
.  pc - the preconditioner, set up

   Output Parameter:
.  bytes - of lower, upper and inverted diagonal blocks, without indices and work vectors

   Level: intermediate

.seealso: `PCFinegrainSetPrecision()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainGetFactorBytes(PC pc, PetscLogDouble *bytes)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  PetscCheck(e->analyzed, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "The preconditioner is not set up: call PCSetUp() first");
  *bytes = PetscLogDouble(e->engine->statistics().factor_bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetFromOptions_Engine(PC pc, FinegrainOptionItems PetscOptionsObject)
{
  PCEngine                        *e    = static_cast<PCEngine *>(pc->data);
  const std::string                name = e->type->name, prefix = "-pc_" + name + "_";
  const auto                       key = [&](const char *what) { return prefix + what; };
  PCFinegrainScheduleType          schedule;
  PCFinegrainExecutorType          executor;
  PCFinegrainPrecisionType         precision;
  PCFinegrainDiagonalPrecisionType diagonal = e->diagonal;
  MatFactorShiftType               shift    = e->shift_type;
  PetscReal                        amount   = e->shift_amount;
  PetscInt                         block = e->block_size, count = 3 * 64, ijk[3 * 64];
  PetscBool                        set;

  PetscFunctionBegin;
  PetscCall(PCFinegrainGetSchedule(pc, &schedule));
  PetscCall(PCFinegrainGetExecutor(pc, &executor));
  PetscCall(PCFinegrainGetPrecision(pc, &precision));
  PetscOptionsHeadBegin(PetscOptionsObject, (name + " options").c_str());
  PetscCall(PetscOptionsEnum(key("schedule").c_str(), "Groups of independent block rows", "PCFinegrainSetSchedule",
                             PCFinegrainScheduleTypes, static_cast<PetscEnum>(schedule),
                             reinterpret_cast<PetscEnum *>(&schedule), &set));
  if (set) PetscCall(PCFinegrainSetSchedule(pc, schedule));
  PetscCall(PetscOptionsEnum(key("executor").c_str(), "How groups are run", "PCFinegrainSetExecutor",
                             PCFinegrainExecutorTypes, static_cast<PetscEnum>(executor),
                             reinterpret_cast<PetscEnum *>(&executor), &set));
  if (set) PetscCall(PCFinegrainSetExecutor(pc, executor));
  PetscCall(PetscOptionsEnum(key("precision").c_str(), "Storage of off-diagonal blocks", "PCFinegrainSetPrecision",
                             PCFinegrainPrecisionTypes, static_cast<PetscEnum>(precision),
                             reinterpret_cast<PetscEnum *>(&precision), &set));
  if (set) PetscCall(PCFinegrainSetPrecision(pc, precision));
  PetscCall(PetscOptionsEnum(key("diag_precision").c_str(), "Storage of inverted diagonal blocks",
                             "PCFinegrainSetDiagonalPrecision", PCFinegrainDiagonalPrecisionTypes,
                             static_cast<PetscEnum>(diagonal), reinterpret_cast<PetscEnum *>(&diagonal), &set));
  if (set) PetscCall(PCFinegrainSetDiagonalPrecision(pc, diagonal));
  PetscCall(PetscOptionsEnum(key("shift_type").c_str(), "What to do about singular blocks (none or inblocks)",
                             "PCFinegrainSetShift", MatFactorShiftTypes, static_cast<PetscEnum>(shift),
                             reinterpret_cast<PetscEnum *>(&shift), &set));
  if (set) PetscCall(PCFinegrainSetShift(pc, shift, amount));
  PetscCall(PetscOptionsReal(key("shift_amount").c_str(), "Smallest pivot, relative to its block",
                             "PCFinegrainSetShift", amount, &amount, &set));
  if (set) PetscCall(PCFinegrainSetShift(pc, shift, amount));
  PetscCall(PetscOptionsIntArray(key("grid").c_str(), "Points I,J,K of each local grid", "PCFinegrainSetGrid", ijk,
                                 &count, &set));
  if (set) {
    PetscCheck(count > 0 && count % 3 == 0, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_SIZ,
               "%s has %" PetscInt_FMT
               " numbers; give I,J,K of each local grid, with 1 for a direction that is not there",
               key("grid").c_str(), count);
    PetscCall(PCFinegrainSetGrid(pc, count / 3, ijk));
  }
  PetscCall(PetscOptionsInt(key("block_size").c_str(), "Rows per block of an AIJ matrix (0: its own)",
                            "PCFinegrainSetBlockSize", block, &block, &set));
  if (set) PetscCall(PCFinegrainSetBlockSize(pc, block));
  if (e->type->options) PetscCall((*e->type->options)(pc, PetscOptionsObject));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineViewSettings(const PCEngine &e, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "not set up; schedule %s, executor %s, precision %s, diagonal precision %s\n",
    PCFinegrainScheduleTypes[int(e.recipe.schedule)], PCFinegrainExecutorTypes[int(e.recipe.executor)],
    PCFinegrainPrecisionTypes[int(e.recipe.precision)], PCFinegrainDiagonalPrecisionTypes[e.diagonal]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
