// Setters and getters of PCMCPI.
#include "pc/types.hpp"

using namespace finegrain;

const char *const PCMCPISweepTypes[] = {"forward",         "backward",      "symmetric",
                                        "PCMCPISweepType", "PCMCPI_SWEEP_", nullptr};
const char *const PCMCPIExchangeTypes[] = {"none", "sweep", "color", "PCMCPIExchangeType", "PCMCPI_EXCHANGE_",
                                           nullptr};
const char *const PCMCPIScalingTypes[] = {"global", "row", "PCMCPIScalingType", "PCMCPI_SCALING_", nullptr};
const char *const PCMCPIAccumulateTypes[] = {"working", "single", "PCMCPIAccumulateType", "PCMCPI_ACCUMULATE_",
                                             nullptr};

const char *const PCMCPIReductionTypes[] = {"none", "in_place", "PCMCPIReductionType", "PCMCPI_REDUCTION_", nullptr};

static_assert(int(SweepKind::symmetric) == PCMCPI_SWEEP_SYMMETRIC);
static_assert(int(Exchange::color) == PCMCPI_EXCHANGE_COLOR);
static_assert(int(Scaling::row) == PCMCPI_SCALING_ROW);
static_assert(int(Reduction::in_place) == PCMCPI_REDUCTION_IN_PLACE);

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
PetscErrorCode PCMCPISetIterations(PC pc, PetscInt its)
{
  PetscFunctionBegin;
  PetscCheck(its > 0, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_mcpi_its is %" PetscInt_FMT "; it must be 1 or more", its);
  PetscCall(PCEngineSet(
    pc, its, [](PCEngine & e) -> auto & { return e.recipe.relaxation.sweeps; }, PCMCPI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCMCPIGetIterations - Gets what `PCMCPISetIterations()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  its - the value

   Level: intermediate

.seealso: `PCMCPISetIterations()`
@*/
PetscErrorCode PCMCPIGetIterations(PC pc, PetscInt *its)
{
  PetscFunctionBegin;
  PetscCall(PCEngineGetSetting(
    pc, its, [](PCEngine & e) -> auto & { return e.recipe.relaxation.sweeps; }, PCMCPI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
PetscErrorCode PCMCPISetSweep(PC pc, PCMCPISweepType sweep)
{
  PetscFunctionBegin;
  PetscCall(PCEngineSet(
    pc, sweep, [](PCEngine & e) -> auto & { return e.recipe.relaxation.sweep; }, PCMCPI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCMCPIGetSweep - Gets what `PCMCPISetSweep()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  sweep - the value

   Level: intermediate

.seealso: `PCMCPISetSweep()`
@*/
PetscErrorCode PCMCPIGetSweep(PC pc, PCMCPISweepType *sweep)
{
  PetscFunctionBegin;
  PetscCall(PCEngineGetSetting(
    pc, sweep, [](PCEngine & e) -> auto & { return e.recipe.relaxation.sweep; }, PCMCPI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
PetscErrorCode PCMCPISetOmega(PC pc, PetscReal omega)
{
  PetscFunctionBegin;
  PetscCheck(omega > 0 && omega < 2, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_mcpi_omega is %g; it must be between 0 and 2, both left out", double(omega));
  PetscCall(PCEngineSet(
    pc, omega, [](PCEngine & e) -> auto & { return e.recipe.relaxation.omega; }, PCMCPI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCMCPIGetOmega - Gets what `PCMCPISetOmega()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  omega - the value

   Level: intermediate

.seealso: `PCMCPISetOmega()`
@*/
PetscErrorCode PCMCPIGetOmega(PC pc, PetscReal *omega)
{
  PetscFunctionBegin;
  PetscCall(PCEngineGetSetting(
    pc, omega, [](PCEngine & e) -> auto & { return e.recipe.relaxation.omega; }, PCMCPI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
PetscErrorCode PCMCPISetExchange(PC pc, PCMCPIExchangeType exchange)
{
  PetscFunctionBegin;
  PetscCall(PCEngineSet(
    pc, exchange, [](PCEngine & e) -> auto & { return e.recipe.relaxation.exchange; }, PCMCPI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCMCPIGetExchange - Gets what `PCMCPISetExchange()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  exchange - the value

   Level: intermediate

.seealso: `PCMCPISetExchange()`
@*/
PetscErrorCode PCMCPIGetExchange(PC pc, PCMCPIExchangeType *exchange)
{
  PetscFunctionBegin;
  PetscCall(PCEngineGetSetting(
    pc, exchange, [](PCEngine & e) -> auto & { return e.recipe.relaxation.exchange; }, PCMCPI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
PetscErrorCode PCMCPISetScaling(PC pc, PCMCPIScalingType scaling)
{
  PetscFunctionBegin;
  PetscCall(PCEngineSet(
    pc, scaling, [](PCEngine & e) -> auto & { return e.recipe.relaxation.scaling; }, PCMCPI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCMCPIGetScaling - Gets what `PCMCPISetScaling()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  scaling - the value

   Level: advanced

.seealso: `PCMCPISetScaling()`
@*/
PetscErrorCode PCMCPIGetScaling(PC pc, PCMCPIScalingType *scaling)
{
  PetscFunctionBegin;
  PetscCall(PCEngineGetSetting(
    pc, scaling, [](PCEngine & e) -> auto & { return e.recipe.relaxation.scaling; }, PCMCPI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCMCPISetAccumulate - Chooses the precision of the sums of a row's couplings

   Logically Collective

   Input Parameters:
+  pc         - the preconditioner
-  accumulate - `PCMCPI_ACCUMULATE_WORKING` (default) or `PCMCPI_ACCUMULATE_SINGLE`

   Options Database Key:
.  -pc_mcpi_accumulate <working,single> - the precision

   Level: intermediate

.seealso: `PCMCPIGetAccumulate()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetAccumulate(PC pc, PCMCPIAccumulateType accumulate)
{
  PetscFunctionBegin;
  PetscCall(PCEngineSet(
    pc, accumulate, [](PCEngine & e) -> auto & { return e.recipe.relaxation.single_sums; }, PCMCPI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCMCPIGetAccumulate - Gets what `PCMCPISetAccumulate()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  accumulate - the value

   Level: intermediate

.seealso: `PCMCPISetAccumulate()`
@*/
PetscErrorCode PCMCPIGetAccumulate(PC pc, PCMCPIAccumulateType *accumulate)
{
  PetscFunctionBegin;
  PetscCall(PCEngineGetSetting(
    pc, accumulate, [](PCEngine & e) -> auto & { return e.recipe.relaxation.single_sums; }, PCMCPI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  PetscFunctionBegin;
  PetscCall(PCEngineSet(
    pc, reduction, [](PCEngine & e) -> auto & { return e.recipe.relaxation.reduction; }, PCMCPI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCMCPIGetReduction - Gets what `PCMCPISetReduction()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  reduction - the value

   Level: advanced

.seealso: `PCMCPISetReduction()`
@*/
PetscErrorCode PCMCPIGetReduction(PC pc, PCMCPIReductionType *reduction)
{
  PetscFunctionBegin;
  PetscCall(PCEngineGetSetting(
    pc, reduction, [](PCEngine & e) -> auto & { return e.recipe.relaxation.reduction; }, PCMCPI));
  PetscFunctionReturn(PETSC_SUCCESS);
}
