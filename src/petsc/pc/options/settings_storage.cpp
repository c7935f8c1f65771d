// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters of schedule, algorithm and storage precision.
#include "pc/options/settings.hpp"
#include "pc/find.hpp"

using namespace finegrain;

const char *const PCFinegrainScheduleTypes[] = {
  "auto", "hyperplane", "level", "color", "PCFinegrainScheduleType", "PC_FINEGRAIN_SCHEDULE_", nullptr};
const char *const PCFinegrainAlgorithmTypes[] = {
  "auto", "sequential", "levels", "tasks", "PCFinegrainAlgorithmType", "PC_FINEGRAIN_ALGORITHM_", nullptr};
const char *const PCFinegrainPrecisionTypes[] = {
  "working", "single", "half", "bfloat16", "PCFinegrainPrecisionType", "PC_FINEGRAIN_PRECISION_", nullptr};
const char *const PCFinegrainDiagonalPrecisionTypes[] = {"working", "storage", "PCFinegrainDiagonalPrecisionType",
                                                         "PC_FINEGRAIN_DIAGONAL_PRECISION_", nullptr};

namespace finegrain::settings
{
constinit const Common<PCFinegrainScheduleType> schedule{"schedule", "Groups of independent block rows",
                                                         "PCFinegrainSetSchedule", &FinegrainSettings::schedule,
                                                         PCFinegrainScheduleTypes};
constinit const Common<PCFinegrainAlgorithmType> algorithm{"algorithm", "How groups are run",
                                                           "PCFinegrainSetAlgorithm", &FinegrainSettings::algorithm,
                                                           PCFinegrainAlgorithmTypes};
constinit const Common<PCFinegrainPrecisionType> precision{"precision", "Storage of off-diagonal blocks",
                                                           "PCFinegrainSetPrecision", &FinegrainSettings::precision,
                                                           PCFinegrainPrecisionTypes};
constinit const Common<PCFinegrainDiagonalPrecisionType> diag_precision{
  "diag_precision", "Storage of inverted diagonal blocks", "PCFinegrainSetDiagonalPrecision",
  &FinegrainSettings::diag_precision, PCFinegrainDiagonalPrecisionTypes};
} // namespace finegrain::settings

static_assert(int(ScheduleKind::color) == PC_FINEGRAIN_SCHEDULE_COLOR);
static_assert(int(Algorithm::tasks) == PC_FINEGRAIN_ALGORITHM_TASKS);

/*@
   PCFinegrainSetSchedule - Chooses the groups of mutually independent block rows that run in parallel

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  schedule - `PC_FINEGRAIN_SCHEDULE_AUTO` (default); `PCFGBILU` and `PCFGBICC` also have
              `PC_FINEGRAIN_SCHEDULE_HYPERPLANE` and `PC_FINEGRAIN_SCHEDULE_LEVEL`, `PCPOWERQILU` has
              `PC_FINEGRAIN_SCHEDULE_COLOR` and `PC_FINEGRAIN_SCHEDULE_LEVEL`

   Options Database Keys:
+  -pc_fgbilu_schedule, -pc_fgbicc_schedule <auto,hyperplane,level> - the schedule
-  -pc_powerqilu_schedule <auto,color,level>   - the same

   Level: intermediate

   Note:
   Hyperplanes and level sets give the result of the natural order; colors change the order of elimination.
   Hyperplanes need a grid: that of a `DMDA`, or `PCFinegrainSetGrid()`.

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
   PCFinegrainSetAlgorithm - Chooses how the rows of a sweep or a factorization run in parallel

   Logically Collective

   Input Parameters:
+  pc        - the preconditioner
-  algorithm - `PC_FINEGRAIN_ALGORITHM_AUTO` (default), `PC_FINEGRAIN_ALGORITHM_SEQUENTIAL`,
               `PC_FINEGRAIN_ALGORITHM_LEVELS` or `PC_FINEGRAIN_ALGORITHM_TASKS`

   Options Database Key:
.  -pc_fgbilu_algorithm <auto,sequential,levels,tasks> - the algorithm

   Level: intermediate

   Note:
   Results are bitwise identical for all algorithms.

.seealso: `PCFinegrainGetAlgorithm()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetAlgorithm(PC pc, PCFinegrainAlgorithmType algorithm)
{
  return settings::algorithm.set(pc, algorithm);
}

PetscErrorCode PCFinegrainGetAlgorithm(PC pc, PCFinegrainAlgorithmType *algorithm)
{
  return settings::algorithm.get(pc, algorithm);
}

/*@
   PCFinegrainSetPrecision - Chooses how the off-diagonal blocks are stored

   Logically Collective

   Input Parameters:
+  pc        - the preconditioner
-  precision - `PC_FINEGRAIN_PRECISION_WORKING` (default), `PC_FINEGRAIN_PRECISION_SINGLE`,
               `PC_FINEGRAIN_PRECISION_HALF` or `PC_FINEGRAIN_PRECISION_BFLOAT16`; `PCFGBICC` has the first two,
               `PCMCPI` all, and the others have the first three

   Options Database Key:
.  -pc_fgbilu_precision <working,single,half> - the precision

   Level: intermediate

   Notes:
   The time of an application is mostly that of reading the blocks. Products are summed in `PetscScalar`, except with
   `PCMCPISetSumPrecision()` and in factors of half precision.

   A factor in half precision is computed in `PetscScalar`, scaled by powers of two, one for each unknown of a block,
   and then rounded. Its inverted diagonal blocks and its sums are in single precision;
   `PCFinegrainSetDiagonalPrecision()` has no effect on it. As with `PCMCPISetSumPrecision()`, an application is then
   linear to about seven digits only: use `KSPFGMRES`, `KSPGCR` or `KSPREFINE`.

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
  return settings::diag_precision.set(pc, precision);
}

PetscErrorCode PCFinegrainGetDiagonalPrecision(PC pc, PCFinegrainDiagonalPrecisionType *precision)
{
  return settings::diag_precision.get(pc, precision);
}

/*@
   PCFinegrainGetFactorBytes - Gets the size of the factor's blocks on this rank

   Not Collective

   Input Parameter:
.  pc - the preconditioner, set up

   Output Parameter:
.  bytes - size of lower, upper and inverted diagonal blocks, without indices and work vectors

   Note:
   The preconditioner holds this memory between set-ups. In half precision a set-up computes the factor in a
   temporary working-precision copy, which it frees.

   Level: intermediate

.seealso: `PCFinegrainSetPrecision()`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainGetFactorBytes(PC pc, PetscLogDouble *bytes)
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainGet(pc, &e));
  PetscCheck(e->analysis.analyzed, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "The preconditioner is not set up: call PCSetUp() first");
  *bytes = PetscLogDouble(e->analysis.engine->statistics().factor_bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}
