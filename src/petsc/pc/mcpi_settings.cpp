// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters of PCMCPI.
#include "pc/mcpi.hpp"

using namespace finegrain;

const char *const PCMCPISweepTypes[] = {"forward",         "backward",      "symmetric",
                                        "PCMCPISweepType", "PCMCPI_SWEEP_", nullptr};
const char *const PCMCPIExchangeTypes[] = {"none", "sweep", "color", "PCMCPIExchangeType", "PCMCPI_EXCHANGE_",
                                           nullptr};
const char *const PCMCPIScalingTypes[] = {"global", "row", "PCMCPIScalingType", "PCMCPI_SCALING_", nullptr};

const char *const PCMCPIReductionTypes[] = {"none", "in_place", "PCMCPIReductionType", "PCMCPI_REDUCTION_", nullptr};

static_assert(int(SweepKind::symmetric) == PCMCPI_SWEEP_SYMMETRIC);
static_assert(int(Exchange::color) == PCMCPI_EXCHANGE_COLOR);
static_assert(int(Scaling::row) == PCMCPI_SCALING_ROW);
static_assert(int(Reduction::in_place) == PCMCPI_REDUCTION_IN_PLACE);

constinit const PCEngineValue<Mcpi, PetscInt> its_setting{"its", "Sweeps of one application", "PCMCPISetIterations",
                                                          &Mcpi::its, 1};
constinit const PCEngineValue<Mcpi, PetscReal> omega_setting{
  "omega", "Relaxation factor", "PCMCPISetOmega", &Mcpi::omega, 0, 2};
constinit const PCEngineValue<Mcpi, PCMCPISweepType> sweep_setting{"sweep", "Order of the colors", "PCMCPISetSweep",
                                                                   &Mcpi::sweep, PCMCPISweepTypes};
constinit const PCEngineValue<Mcpi, PCMCPIExchangeType> exchange_setting{
  "exchange", "When values of other ranks are fetched", "PCMCPISetExchange", &Mcpi::exchange, PCMCPIExchangeTypes};
constinit const PCEngineValue<Mcpi, PCMCPIScalingType> scaling_setting{
  "scaling", "Scaling of half precision", "PCMCPISetScaling", &Mcpi::scaling, PCMCPIScalingTypes};
constinit const PCEngineValue<Mcpi, PCMCPIReductionType> reduction_setting{
  "reduction", "Where couplings of lower precision are stored", "PCMCPISetReduction", &Mcpi::reduction,
  PCMCPIReductionTypes};

/*@
   PCMCPISetIterations - Sets the number of sweeps of one application

   Logically Collective

   Input Parameters:
+  pc  - the preconditioner
-  its - sweeps, 15 by default; a symmetric sweep, up and down, counts once

   Options Database Key:
.  -pc_mcpi_its <15> - the number

   Level: intermediate

.seealso: `PCMCPIGetIterations()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetIterations(PC pc, PetscInt its) { return its_setting.set(pc, its); }

PetscErrorCode PCMCPIGetIterations(PC pc, PetscInt *its) { return its_setting.get(pc, its); }

/*@
   PCMCPISetSweep - Chooses in which order a sweep visits the colors

   Logically Collective

   Input Parameters:
+  pc    - the preconditioner
-  sweep - `PCMCPI_SWEEP_FORWARD` (default), `PCMCPI_SWEEP_BACKWARD` or `PCMCPI_SWEEP_SYMMETRIC`

   Options Database Key:
.  -pc_mcpi_sweep <forward,backward,symmetric> - the order

   Level: intermediate

   Note:
   For a symmetric matrix the symmetric sweep is a symmetric preconditioner, as `KSPCG` needs, with `-pc_mcpi_exchange
none` or `color`, or on one rank.

.seealso: `PCMCPIGetSweep()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetSweep(PC pc, PCMCPISweepType sweep) { return sweep_setting.set(pc, sweep); }

PetscErrorCode PCMCPIGetSweep(PC pc, PCMCPISweepType *sweep) { return sweep_setting.get(pc, sweep); }

/*@
   PCMCPISetOmega - Sets the relaxation factor

   Logically Collective

   Input Parameters:
+  pc    - the preconditioner
-  omega - between 0 and 2, both left out; 1 by default

   Options Database Key:
.  -pc_mcpi_omega <1> - the factor

   Level: intermediate

.seealso: `PCMCPIGetOmega()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetOmega(PC pc, PetscReal omega) { return omega_setting.set(pc, omega); }

PetscErrorCode PCMCPIGetOmega(PC pc, PetscReal *omega) { return omega_setting.get(pc, omega); }

/*@
   PCMCPISetExchange - Says when values of other ranks are fetched

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  exchange - `PCMCPI_EXCHANGE_NONE`, `PCMCPI_EXCHANGE_SWEEP` (default) or `PCMCPI_EXCHANGE_COLOR`

   Options Database Key:
.  -pc_mcpi_exchange <none,sweep,color> - the exchange

   Level: intermediate

   Note:
   With `PCMCPI_EXCHANGE_COLOR` the colors are agreed between ranks (jp, or redblack on a `DMDA`), and the result is
that of one rank bit by bit, for the same global numbering; of a `DMDA`, for any distribution. Each color's exchange
overlaps with its rows that no other rank needs. It needs the executors natural or launch.

.seealso: `PCMCPIGetExchange()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetExchange(PC pc, PCMCPIExchangeType exchange) { return exchange_setting.set(pc, exchange); }

PetscErrorCode PCMCPIGetExchange(PC pc, PCMCPIExchangeType *exchange) { return exchange_setting.get(pc, exchange); }

/*@
   PCMCPISetScaling - Chooses how couplings are scaled to fit half precision

   Logically Collective

   Input Parameters:
+  pc      - the preconditioner
-  scaling - `PCMCPI_SCALING_GLOBAL` (default) or `PCMCPI_SCALING_ROW`

   Options Database Key:
.  -pc_mcpi_scaling <global,row> - the scaling

   Level: advanced

   Note:
   Scales are powers of two, so that scaling itself rounds nothing. Rows of very different size want a scale each;
   `PCView()` counts the entries that became zero.

.seealso: `PCMCPIGetScaling()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetScaling(PC pc, PCMCPIScalingType scaling) { return scaling_setting.set(pc, scaling); }

PetscErrorCode PCMCPIGetScaling(PC pc, PCMCPIScalingType *scaling) { return scaling_setting.get(pc, scaling); }

/*@
   PCMCPISetReduction - Chooses where couplings of lower precision are stored

   Logically Collective

   Input Parameters:
+  pc        - the preconditioner
-  reduction - `PCMCPI_REDUCTION_NONE` (default) or `PCMCPI_REDUCTION_IN_PLACE`

   Options Database Key:
.  -pc_mcpi_reduction <none,in_place> - the reduction

   Level: advanced

   Notes:
   `PCMCPI_REDUCTION_IN_PLACE` (PIPSR of Walden et al.) makes shorter numbers of those in the mirror of Pmat, a matrix
of type `MATBAIJKOKKOS`, where they are, so that a set-up never holds two arrays of blocks there. Results are the
same, bit by bit. Values of Pmat on the host stay as they are. The preconditioner keeps the mirror's memory until the
next set-up; a product with Pmat in between, or whatever else needs the mirror, makes a new one.

   Pmat must not be Amat, whose products need the mirror in each iteration: give `KSPSetOperators()` two matrices. The
precision is a lower one, the scaling global, and there are no corrections, which would read Pmat.

.seealso: `PCMCPIGetReduction()`, `PCFinegrainSetPrecision()`, `MATBAIJKOKKOS`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetReduction(PC pc, PCMCPIReductionType reduction)
{
  return reduction_setting.set(pc, reduction);
}

PetscErrorCode PCMCPIGetReduction(PC pc, PCMCPIReductionType *reduction)
{
  return reduction_setting.get(pc, reduction);
}
