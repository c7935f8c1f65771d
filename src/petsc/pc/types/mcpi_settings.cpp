// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters of PCMCPI.
#include "pc/types/mcpi.hpp"

using namespace finegrain;

const char *const PCMCPISweepTypes[] = {"forward",         "backward",      "symmetric",
                                        "PCMCPISweepType", "PCMCPI_SWEEP_", nullptr};
const char *const PCMCPIExchangeTypes[] = {"none", "sweep", "color", "PCMCPIExchangeType", "PCMCPI_EXCHANGE_",
                                           nullptr};
const char *const PCMCPIScalingTypes[] = {"global", "row", "PCMCPIScalingType", "PCMCPI_SCALING_", nullptr};

const char *const PCMCPISumPrecisionTypes[] = {"working", "single", "PCMCPISumPrecisionType", "PCMCPI_SUM_PRECISION_",
                                               nullptr};

static_assert(int(SweepKind::symmetric) == PCMCPI_SWEEP_SYMMETRIC);
static_assert(int(Exchange::color) == PCMCPI_EXCHANGE_COLOR);
static_assert(int(Scaling::row) == PCMCPI_SCALING_ROW);

constinit const PCFinegrainValue<Mcpi, PetscInt> its_setting{"its", "Sweeps of one application",
                                                             "PCMCPISetIterations", &Mcpi::its, 1};
constinit const PCFinegrainValue<Mcpi, PetscReal> omega_setting{
  "omega", "Relaxation factor", "PCMCPISetOmega", &Mcpi::omega, 0, 2};
constinit const PCFinegrainValue<Mcpi, PCMCPISweepType> sweep_setting{
  "sweep", "Order of the colors", "PCMCPISetSweep", &Mcpi::sweep, PCMCPISweepTypes};
constinit const PCFinegrainValue<Mcpi, PCMCPIExchangeType> exchange_setting{
  "exchange", "When values of other ranks are fetched", "PCMCPISetExchange", &Mcpi::exchange, PCMCPIExchangeTypes};
constinit const PCFinegrainValue<Mcpi, PCMCPIScalingType> scaling_setting{
  "scaling", "Scaling of half precision", "PCMCPISetScaling", &Mcpi::scaling, PCMCPIScalingTypes};
constinit const PCFinegrainValue<Mcpi, PCMCPISumPrecisionType> sum_precision_setting{
  "sum_precision", "Precision of sums", "PCMCPISetSumPrecision", &Mcpi::sum_precision, PCMCPISumPrecisionTypes};
constinit const PCFinegrainValue<Mcpi, PetscBool> in_place_setting{
  "in_place", "Store off-diagonal blocks in the memory of Pmat's device copy", "PCMCPISetInPlace", &Mcpi::in_place};

/*@
   PCMCPISetIterations - Sets the number of sweeps of one application

   Logically Collective

   Input Parameters:
+  pc  - the preconditioner
-  its - number of sweeps, 15 by default; a symmetric sweep, forward and backward, counts once

   Options Database Key:
.  -pc_mcpi_its <15> - the number

   Level: intermediate

.seealso: `PCMCPIGetIterations()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetIterations(PC pc, PetscInt its) { return its_setting.set(pc, its); }

PetscErrorCode PCMCPIGetIterations(PC pc, PetscInt *its) { return its_setting.get(pc, its); }

/*@
   PCMCPISetSweep - Chooses the order in which a sweep visits the colors

   Logically Collective

   Input Parameters:
+  pc    - the preconditioner
-  sweep - `PCMCPI_SWEEP_FORWARD` (default), `PCMCPI_SWEEP_BACKWARD` or `PCMCPI_SWEEP_SYMMETRIC`

   Options Database Key:
.  -pc_mcpi_sweep <forward,backward,symmetric> - the order

   Level: intermediate

   Note:
   If the matrix is symmetric, the symmetric sweep is a symmetric preconditioner, as `KSPCG` needs, on one rank or
   with `-pc_mcpi_exchange none` or `color`.

.seealso: `PCMCPIGetSweep()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetSweep(PC pc, PCMCPISweepType sweep) { return sweep_setting.set(pc, sweep); }

PetscErrorCode PCMCPIGetSweep(PC pc, PCMCPISweepType *sweep) { return sweep_setting.get(pc, sweep); }

/*@
   PCMCPISetOmega - Sets the relaxation factor

   Logically Collective

   Input Parameters:
+  pc    - the preconditioner
-  omega - more than 0 and less than 2; 1 by default

   Options Database Key:
.  -pc_mcpi_omega <1> - the factor

   Level: intermediate

.seealso: `PCMCPIGetOmega()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetOmega(PC pc, PetscReal omega) { return omega_setting.set(pc, omega); }

PetscErrorCode PCMCPIGetOmega(PC pc, PetscReal *omega) { return omega_setting.get(pc, omega); }

/*@
   PCMCPISetExchange - Chooses when ghost values are fetched from other ranks

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  exchange - `PCMCPI_EXCHANGE_NONE`, `PCMCPI_EXCHANGE_SWEEP` (default) or `PCMCPI_EXCHANGE_COLOR`

   Options Database Key:
.  -pc_mcpi_exchange <none,sweep,color> - the exchange

   Level: intermediate

   Note:
   With `PCMCPI_EXCHANGE_COLOR` the ranks agree on the colors (jp, or redblack on a `DMDA`). The result is bitwise
   identical to that of one rank for the same global numbering, and on a `DMDA` for any distribution. The exchange of
   a color overlaps with the rows of the color that no other rank needs. It needs the algorithms sequential or
   levels.

.seealso: `PCMCPIGetExchange()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetExchange(PC pc, PCMCPIExchangeType exchange) { return exchange_setting.set(pc, exchange); }

PetscErrorCode PCMCPIGetExchange(PC pc, PCMCPIExchangeType *exchange) { return exchange_setting.get(pc, exchange); }

/*@
   PCMCPISetScaling - Chooses how off-diagonal blocks are scaled to fit half precision

   Logically Collective

   Input Parameters:
+  pc      - the preconditioner
-  scaling - `PCMCPI_SCALING_GLOBAL` (default) or `PCMCPI_SCALING_ROW`

   Options Database Key:
.  -pc_mcpi_scaling <global,row> - the scaling

   Level: advanced

   Note:
   Scales are powers of two, so that scaling is exact. Rows of very different size need one scale each. `PCView()`
   counts the entries that became zero.

.seealso: `PCMCPIGetScaling()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetScaling(PC pc, PCMCPIScalingType scaling) { return scaling_setting.set(pc, scaling); }

PetscErrorCode PCMCPIGetScaling(PC pc, PCMCPIScalingType *scaling) { return scaling_setting.get(pc, scaling); }

/*@
   PCMCPISetSumPrecision - Chooses the precision in which products of off-diagonal blocks are summed

   Logically Collective

   Input Parameters:
+  pc        - the preconditioner
-  precision - `PCMCPI_SUM_PRECISION_WORKING` (default) or `PCMCPI_SUM_PRECISION_SINGLE`

   Options Database Key:
.  -pc_mcpi_sum_precision <working,single> - the precision

   Level: intermediate

   Note:
   With sums in single precision an application is linear to about seven digits only. In `KSPGMRES` with double
   precision the recurrence then differs from the true residual. Use `KSPFGMRES`, `KSPGCR` or `KSPREFINE`. Single
   precision needs blocks in single precision or lower (`PCFinegrainSetPrecision()`).

.seealso: `PCMCPIGetSumPrecision()`, `PCFinegrainSetPrecision()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetSumPrecision(PC pc, PCMCPISumPrecisionType precision)
{
  return sum_precision_setting.set(pc, precision);
}

PetscErrorCode PCMCPIGetSumPrecision(PC pc, PCMCPISumPrecisionType *precision)
{
  return sum_precision_setting.get(pc, precision);
}

/*@
   PCMCPISetInPlace - Stores off-diagonal blocks of lower precision in the memory of Pmat's device copy

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  in_place - `PETSC_FALSE` (default): in memory of the preconditioner

   Options Database Key:
.  -pc_mcpi_in_place <false> - true: in the memory of the device copy

   Level: advanced

   Notes:
   Set-up converts the blocks of Pmat's device copy in their own memory (PIPSR of Walden et al.) and thus never holds
   two arrays of blocks. Pmat must be of type `MATBAIJKOKKOS`. Results are bitwise identical. Values of Pmat on the
   host do not change. The preconditioner keeps the memory until the next set-up; a product with Pmat in between, or
   anything else that needs the device copy, makes a new one.

   Pmat must not be Amat, because products with Amat need its device copy in each iteration: give `KSPSetOperators()`
   two matrices. The precision must be lower than working, the scaling global, and corrections, which would read
   Pmat, must be 0.

.seealso: `PCMCPIGetInPlace()`, `PCFinegrainSetPrecision()`, `MATBAIJKOKKOS`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetInPlace(PC pc, PetscBool in_place) { return in_place_setting.set(pc, in_place); }

PetscErrorCode PCMCPIGetInPlace(PC pc, PetscBool *in_place) { return in_place_setting.get(pc, in_place); }
