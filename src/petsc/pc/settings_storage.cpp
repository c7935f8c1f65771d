// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters of what all types share: schedule, executor, storage.
#include "pc/settings.hpp"

using namespace finegrain;

const char *const PCFinegrainScheduleTypes[] = {
  "auto", "hyperplane", "level", "color", "PCFinegrainScheduleType", "PC_FINEGRAIN_SCHEDULE_", nullptr};
const char *const PCFinegrainExecutorTypes[] = {
  "auto", "natural", "launch", "self", "tile", "tune", "PCFinegrainExecutorType", "PC_FINEGRAIN_EXECUTOR_", nullptr};
const char *const PCFinegrainPrecisionTypes[] = {
  "working", "single", "half", "bfloat16", "PCFinegrainPrecisionType", "PC_FINEGRAIN_PRECISION_", nullptr};
const char *const PCFinegrainAccumulateTypes[] = {"working", "single", "PCFinegrainAccumulateType",
                                                  "PC_FINEGRAIN_ACCUMULATE_", nullptr};
const char *const PCFinegrainDiagonalPrecisionTypes[] = {"working", "storage", "PCFinegrainDiagonalPrecisionType",
                                                         "PC_FINEGRAIN_DIAGONAL_PRECISION_", nullptr};

namespace finegrain::settings
{
constinit const Common<PCFinegrainScheduleType> schedule{"schedule", "Groups of independent block rows",
                                                         "PCFinegrainSetSchedule", &PCEngine::schedule,
                                                         PCFinegrainScheduleTypes};
constinit const Common<PCFinegrainExecutorType> executor{"executor", "How groups are run", "PCFinegrainSetExecutor",
                                                         &PCEngine::executor, PCFinegrainExecutorTypes};
constinit const Common<PCFinegrainPrecisionType> precision{"precision", "Storage of off-diagonal blocks",
                                                           "PCFinegrainSetPrecision", &PCEngine::precision,
                                                           PCFinegrainPrecisionTypes};
constinit const Common<PCFinegrainAccumulateType> accumulate{
  "accumulate", "Precision of sums", "PCFinegrainSetAccumulate", &PCEngine::accumulate, PCFinegrainAccumulateTypes};
constinit const Common<PCFinegrainDiagonalPrecisionType> diagonal{
  "diag_precision", "Storage of inverted diagonal blocks", "PCFinegrainSetDiagonalPrecision", &PCEngine::diagonal,
  PCFinegrainDiagonalPrecisionTypes};
} // namespace finegrain::settings

static_assert(int(ScheduleKind::color) == PC_FINEGRAIN_SCHEDULE_COLOR);
static_assert(int(ExecutorKind::launch) == PC_FINEGRAIN_EXECUTOR_LAUNCH);
static_assert(int(ExecutorKind::tile) == PC_FINEGRAIN_EXECUTOR_TILE);

/*@
   PCFinegrainSetSchedule - Chooses the groups of mutually independent block rows that run in parallel

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  schedule - `PC_FINEGRAIN_SCHEDULE_AUTO` (default), `PC_FINEGRAIN_SCHEDULE_HYPERPLANE` or
`PC_FINEGRAIN_SCHEDULE_LEVEL` for `PCFGBILU` and `PCFGBICC`; `PC_FINEGRAIN_SCHEDULE_COLOR` (default) or
`PC_FINEGRAIN_SCHEDULE_LEVEL` for `PCPOWERQILU`

   Options Database Keys:
+  -pc_fgbilu_schedule, -pc_fgbicc_schedule <auto,hyperplane,level> - the schedule
-  -pc_powerqilu_schedule <auto,color,level>   - the same

   Level: intermediate

   Note:
   Hyperplanes and level sets keep the result of the natural order, colors have an order of their own. Hyperplanes
need a grid: that of a `DMDA`, or `PCFinegrainSetGrid()`.

.seealso: `PCFinegrainGetSchedule()`, `PCFinegrainSetGrid()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetSchedule(PC pc, PCFinegrainScheduleType schedule)
{
  return settings::schedule.set(pc, schedule);
}

PetscErrorCode PCFinegrainGetSchedule(PC pc, PCFinegrainScheduleType *schedule)
{
  return settings::schedule.get(pc, schedule);
}

/*@
   PCFinegrainSetExecutor - Chooses how the groups of the schedule are run

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  executor - `PC_FINEGRAIN_EXECUTOR_AUTO` (default), `PC_FINEGRAIN_EXECUTOR_NATURAL`,
`PC_FINEGRAIN_EXECUTOR_LAUNCH`, `PC_FINEGRAIN_EXECUTOR_SELF`, `PC_FINEGRAIN_EXECUTOR_TILE` or
`PC_FINEGRAIN_EXECUTOR_TUNE`

   Options Database Key:
.  -pc_fgbilu_executor <auto,natural,launch,self,tile,tune> - the executor

   Level: intermediate

   Notes:
   All executors give the same bits.

   With tune the first set-up of a nonzero pattern sets up each executor that the other settings allow, applies it for
some 20 ms, and keeps the one that is fastest on the slowest rank. `-ksp_view` says what was measured.

.seealso: `PCFinegrainGetExecutor()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetExecutor(PC pc, PCFinegrainExecutorType executor)
{
  return settings::executor.set(pc, executor);
}

PetscErrorCode PCFinegrainGetExecutor(PC pc, PCFinegrainExecutorType *executor)
{
  return settings::executor.get(pc, executor);
}

/*@
   PCFinegrainSetPrecision - Chooses how the off-diagonal blocks are stored

   Logically Collective

   Input Parameters:
+  pc        - the preconditioner
-  precision - `PC_FINEGRAIN_PRECISION_WORKING` (default), `PC_FINEGRAIN_PRECISION_SINGLE`,
`PC_FINEGRAIN_PRECISION_HALF` or `PC_FINEGRAIN_PRECISION_BFLOAT16`; `PCFGBICC` has the first two, `PCMCPI` all, and
the others have the first three

   Options Database Key:
.  -pc_fgbilu_precision <working,single,half> - the precision

   Level: intermediate

   Notes:
   The time of an application is that of reading the blocks. Products are summed in `PetscScalar`, or as
`PCFinegrainSetAccumulate()` says.

   A factor in 16 bits is made in `PetscScalar`, scaled by powers of two, one for each unknown of a block, and rounded
where it is.

.seealso: `PCFinegrainGetPrecision()`, `PCFinegrainSetDiagonalPrecision()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetPrecision(PC pc, PCFinegrainPrecisionType precision)
{
  return settings::precision.set(pc, precision);
}

PetscErrorCode PCFinegrainGetPrecision(PC pc, PCFinegrainPrecisionType *precision)
{
  return settings::precision.get(pc, precision);
}

/*@
   PCFinegrainSetAccumulate - Chooses the precision of the sums of products of couplings

   Logically Collective

   Input Parameters:
+  pc         - the preconditioner
-  accumulate - `PC_FINEGRAIN_ACCUMULATE_WORKING` (default) or `PC_FINEGRAIN_ACCUMULATE_SINGLE`

   Options Database Key:
.  -pc_mcpi_accumulate, -pc_fgbilu_accumulate, -pc_powerqilu_accumulate, -pc_sip_accumulate <working,single> - the
precision

   Level: intermediate

   Note:
   Sums in single precision make an application linear to about seven digits. `KSPGMRES` in double precision takes it
   for linear, and below that its recurrence and the true residual part: take `KSPFGMRES`, `KSPGCR` or `KSPREFINE`.

.seealso: `PCFinegrainGetAccumulate()`, `PCFinegrainSetPrecision()`, `PCMCPI`, `PCFGBILU`, `PCPOWERQILU`,
`PCSIP`
@*/
PetscErrorCode PCFinegrainSetAccumulate(PC pc, PCFinegrainAccumulateType accumulate)
{
  return settings::accumulate.set(pc, accumulate);
}

PetscErrorCode PCFinegrainGetAccumulate(PC pc, PCFinegrainAccumulateType *accumulate)
{
  return settings::accumulate.get(pc, accumulate);
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
  return settings::diagonal.set(pc, precision);
}

PetscErrorCode PCFinegrainGetDiagonalPrecision(PC pc, PCFinegrainDiagonalPrecisionType *precision)
{
  return settings::diagonal.get(pc, precision);
}

/*@
   PCFinegrainGetFactorBytes - Gets the size of the factor's blocks on this rank

   Not Collective

   Input Parameter:
.  pc - the preconditioner, set up

   Output Parameter:
.  bytes - of lower, upper and inverted diagonal blocks, without indices and work vectors

   Note:
   That much memory is held between set-ups. A set-up in half, or with sums in single precision makes the
factor in working precision first, and gives that memory back.

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
