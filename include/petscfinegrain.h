/* SPDX-License-Identifier: BSD-2-Clause */
/*
   finegrain: fine-grained parallel preconditioners for PETSc.

   Nothing here is needed to use the preconditioners from options:

     your_program -dll_append /path/to/libpetscfinegrain.so -pc_type fgbilu

   Programs that link the library call PetscFinegrainInitializePackage() after PetscInitialize().
*/
#ifndef PETSCFINEGRAIN_H
#define PETSCFINEGRAIN_H

#include <petscksp.h>

#if defined(__cplusplus)
#define FINEGRAIN_EXTERN extern "C" __attribute__((visibility("default")))
#else
#define FINEGRAIN_EXTERN extern __attribute__((visibility("default")))
#endif

/* A program that was built with 1.0 runs with each later 1.x (docs/contributing.md) */
#define PETSCFINEGRAIN_VERSION_MAJOR 1
#define PETSCFINEGRAIN_VERSION_MINOR 0
#define PETSCFINEGRAIN_VERSION_SUBMINOR 0
#define PETSCFINEGRAIN_VERSION "1.0.0"

FINEGRAIN_EXTERN PetscErrorCode PetscFinegrainGetVersion(char version[], size_t len);

/* PC types */
#define PCFGBILU "fgbilu"
#define PCFGBICC "fgbicc" /* block incomplete Cholesky of symmetric matrices */
#define PCMCPI "mcpi"
#define PCPOWERQILU "powerqilu"
#define PCSIP "sip"

/* Mat types: BAIJ with a copy of its blocks where Kokkos' kernels run */
#define MATBAIJKOKKOS "baijkokkos"
#define MATSEQBAIJKOKKOS "seqbaijkokkos"
#define MATMPIBAIJKOKKOS "mpibaijkokkos"

FINEGRAIN_EXTERN PetscErrorCode MatBAIJKokkosSetPreallocationCOO(Mat A, PetscCount ncoo, const PetscInt i[],
                                                                 const PetscInt j[]);

/* KSP types */
#define KSPREFINE "refine"
#define KSPSIP "sip"

/*E
   PCFinegrainScheduleType - which groups of mutually independent block rows a preconditioner runs in parallel

   Values:
+  PC_FINEGRAIN_SCHEDULE_AUTO       - `PCFGBILU`: hyperplanes where the grid is known and they fit the matrix, else
                                      level sets; `PCMCPI` and `PCPOWERQILU`: colors
.  PC_FINEGRAIN_SCHEDULE_HYPERPLANE - hyperplanes of a structured grid; an error where they do not fit
.  PC_FINEGRAIN_SCHEDULE_LEVEL      - level sets of the matrix graph
-  PC_FINEGRAIN_SCHEDULE_COLOR      - colors; an error for `PCFGBILU`

   Level: intermediate

.seealso: `PCFinegrainSetSchedule()`
E*/
typedef enum {
  PC_FINEGRAIN_SCHEDULE_AUTO,
  PC_FINEGRAIN_SCHEDULE_HYPERPLANE,
  PC_FINEGRAIN_SCHEDULE_LEVEL,
  PC_FINEGRAIN_SCHEDULE_COLOR
} PCFinegrainScheduleType;
FINEGRAIN_EXTERN const char *const PCFinegrainScheduleTypes[];

/*E
   PCFinegrainExecutorType - how the groups of a schedule are run

   Values:
+  PC_FINEGRAIN_EXECUTOR_AUTO    - natural on one host thread or without independent rows, launch for wide
                                    colors, else tile or self
.  PC_FINEGRAIN_EXECUTOR_NATURAL - one host thread, rows in elimination order
.  PC_FINEGRAIN_EXECUTOR_LAUNCH  - a kernel per group
.  PC_FINEGRAIN_EXECUTOR_SELF    - one kernel per sweep that draws pieces of the groups
.  PC_FINEGRAIN_EXECUTOR_TILE    - the same with tiles of the grid, or runs of consecutive rows; not on a device
-  PC_FINEGRAIN_EXECUTOR_TUNE    - the fastest of those, measured at the first set-up

   Note:
   All executors give the same bits.

   Level: intermediate

.seealso: `PCFinegrainSetExecutor()`
E*/
typedef enum {
  PC_FINEGRAIN_EXECUTOR_AUTO,
  PC_FINEGRAIN_EXECUTOR_NATURAL,
  PC_FINEGRAIN_EXECUTOR_LAUNCH,
  PC_FINEGRAIN_EXECUTOR_SELF,
  PC_FINEGRAIN_EXECUTOR_TILE,
  PC_FINEGRAIN_EXECUTOR_TUNE
} PCFinegrainExecutorType;
FINEGRAIN_EXTERN const char *const PCFinegrainExecutorTypes[];

/*E
   PCFinegrainBackendType - where a preconditioner keeps its factor and is applied

   Values:
+  PC_FINEGRAIN_BACKEND_AUTO   - a GPU where the matrix or its vectors are there, unless executor or exchange are
                                 those of hosts; else the host
.  PC_FINEGRAIN_BACKEND_HOST   - the host
-  PC_FINEGRAIN_BACKEND_DEVICE - a GPU; an error on builds and machines without one

   Level: intermediate

.seealso: `PCFinegrainSetBackend()`
E*/
typedef enum {
  PC_FINEGRAIN_BACKEND_AUTO,
  PC_FINEGRAIN_BACKEND_HOST,
  PC_FINEGRAIN_BACKEND_DEVICE
} PCFinegrainBackendType;
FINEGRAIN_EXTERN const char *const PCFinegrainBackendTypes[];

/*E
   PCFinegrainPrecisionType - how blocks are stored; `PCFinegrainSetAccumulate()` has the precision of sums

   Values:
+  PC_FINEGRAIN_PRECISION_WORKING  - as `PetscScalar`
.  PC_FINEGRAIN_PRECISION_SINGLE   - 32 bits per real number
.  PC_FINEGRAIN_PRECISION_HALF     - IEEE half precision, 16 bits, scaled by powers of two; not `PCFGBICC`
-  PC_FINEGRAIN_PRECISION_BFLOAT16 - 16 bits with the range of single; `PCMCPI` only

   Level: intermediate

.seealso: `PCFinegrainSetPrecision()`
E*/
typedef enum {
  PC_FINEGRAIN_PRECISION_WORKING,
  PC_FINEGRAIN_PRECISION_SINGLE,
  PC_FINEGRAIN_PRECISION_HALF,
  PC_FINEGRAIN_PRECISION_BFLOAT16
} PCFinegrainPrecisionType;
FINEGRAIN_EXTERN const char *const PCFinegrainPrecisionTypes[];

/*E
   PCFinegrainDiagonalPrecisionType - how inverted diagonal blocks are stored

   Values:
+  PC_FINEGRAIN_DIAGONAL_PRECISION_WORKING - as `PetscScalar`
-  PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE - as the other blocks, see `PCFinegrainSetPrecision()`, but single at least

   Level: advanced

.seealso: `PCFinegrainSetDiagonalPrecision()`
E*/
typedef enum {
  PC_FINEGRAIN_DIAGONAL_PRECISION_WORKING,
  PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE
} PCFinegrainDiagonalPrecisionType;
FINEGRAIN_EXTERN const char *const PCFinegrainDiagonalPrecisionTypes[];

/*E
   PCFinegrainGridCoupling - what becomes of couplings between the grids of a rank

   Values:
+  PC_FINEGRAIN_GRID_COUPLING_FACTOR      - one factor over all grids
-  PC_FINEGRAIN_GRID_COUPLING_CORRECTIONS - a factor for each grid; couplings act in residuals only

   Level: intermediate

.seealso: `PCFinegrainSetGridCoupling()`
E*/
typedef enum { PC_FINEGRAIN_GRID_COUPLING_FACTOR, PC_FINEGRAIN_GRID_COUPLING_CORRECTIONS } PCFinegrainGridCoupling;
FINEGRAIN_EXTERN const char *const PCFinegrainGridCouplings[];

/*E
   PCFinegrainRichardsonType - whether `KSPRICHARDSON` leaves its iterations to the preconditioner

   Values:
+  PC_FINEGRAIN_RICHARDSON_NONE       - never
.  PC_FINEGRAIN_RICHARDSON_STEPS      - all steps allowed, no norm is tested: for smoothers
-  PC_FINEGRAIN_RICHARDSON_TOLERANCES - with the tolerances of the KSP for the preconditioned norm: for solvers

   Level: advanced

.seealso: `PCFinegrainSetRichardson()`
E*/
typedef enum {
  PC_FINEGRAIN_RICHARDSON_NONE,
  PC_FINEGRAIN_RICHARDSON_STEPS,
  PC_FINEGRAIN_RICHARDSON_TOLERANCES
} PCFinegrainRichardsonType;
FINEGRAIN_EXTERN const char *const PCFinegrainRichardsonTypes[];

/*E
   PCFinegrainCheckType - what follows a solve that claims convergence to a relative tolerance but leaves a large
residual

   Values:
+  PC_FINEGRAIN_CHECK_FAIL - the solve fails with `KSP_DIVERGED_PC_FAILED`
.  PC_FINEGRAIN_CHECK_WARN - one line on stderr says so
-  PC_FINEGRAIN_CHECK_NONE - solutions are not checked

   Level: intermediate

.seealso: `PCFinegrainSetCheckSolution()`
E*/
typedef enum { PC_FINEGRAIN_CHECK_FAIL, PC_FINEGRAIN_CHECK_WARN, PC_FINEGRAIN_CHECK_NONE } PCFinegrainCheckType;
FINEGRAIN_EXTERN const char *const PCFinegrainCheckTypes[];

/*E
   PCFinegrainColoringType - how block rows are colored; names as in `MatColoringType` where that has the same

   Values:
+  PC_FINEGRAIN_COLORING_AUTO     - greedy; `PCMCPI`: red-black where a grid is known and it fits, and jp
                                    for an exchange by color
.  PC_FINEGRAIN_COLORING_GREEDY   - the smallest color free, in natural order
.  PC_FINEGRAIN_COLORING_LF       - the same, largest degree first
.  PC_FINEGRAIN_COLORING_SL       - the same, smallest degree last
.  PC_FINEGRAIN_COLORING_JP       - Jones and Plassmann's, by a hash of global rows
.  PC_FINEGRAIN_COLORING_REDBLACK - the parity of grid points; an error where it does not fit
-  PC_FINEGRAIN_COLORING_LEVEL    - level sets: sweeps go in the order of rows, as `PCSOR`'s do

   Level: intermediate

.seealso: `PCFinegrainSetColoring()`
E*/
typedef enum {
  PC_FINEGRAIN_COLORING_AUTO,
  PC_FINEGRAIN_COLORING_GREEDY,
  PC_FINEGRAIN_COLORING_LF,
  PC_FINEGRAIN_COLORING_SL,
  PC_FINEGRAIN_COLORING_JP,
  PC_FINEGRAIN_COLORING_REDBLACK,
  PC_FINEGRAIN_COLORING_LEVEL
} PCFinegrainColoringType;
FINEGRAIN_EXTERN const char *const PCFinegrainColoringTypes[];

/*E
   PCFGBILUFactorType - which blocks a `PCFGBILU` factorization modifies

   Values:
+  PCFGBILU_FACTOR_AUTO - DILU where it is ILU(0) exactly (no three block rows are mutually coupled), else ILU(0)
.  PCFGBILU_FACTOR_DILU - the diagonal blocks only
-  PCFGBILU_FACTOR_ILU0 - all blocks in the pattern of the matrix

   Level: intermediate

.seealso: `PCFGBILUSetFactor()`
E*/
typedef enum { PCFGBILU_FACTOR_AUTO, PCFGBILU_FACTOR_DILU, PCFGBILU_FACTOR_ILU0 } PCFGBILUFactorType;
FINEGRAIN_EXTERN const char *const PCFGBILUFactorTypes[];

/*E
   PCFGBILUEisenstatType - which solves with `PCFGBILU` take Eisenstat's trick

   Values:
+  PCFGBILU_EISENSTAT_FALSE - none
.  PCFGBILU_EISENSTAT_TRUE  - all; an error where one cannot
-  PCFGBILU_EISENSTAT_AUTO  - those whose factor is DILU, where nothing but the time shows it

   Level: intermediate

.seealso: `PCFGBILUSetEisenstat()`
E*/
typedef enum { PCFGBILU_EISENSTAT_FALSE, PCFGBILU_EISENSTAT_TRUE, PCFGBILU_EISENSTAT_AUTO } PCFGBILUEisenstatType;
FINEGRAIN_EXTERN const char *const PCFGBILUEisenstatTypes[];

/*E
   PCMCPISweepType - in which order a `PCMCPI` sweep visits the colors

   Values:
+  PCMCPI_SWEEP_FORWARD   - up
.  PCMCPI_SWEEP_BACKWARD  - down
-  PCMCPI_SWEEP_SYMMETRIC - up, then down

   Level: intermediate

.seealso: `PCMCPISetSweep()`
E*/
typedef enum { PCMCPI_SWEEP_FORWARD, PCMCPI_SWEEP_BACKWARD, PCMCPI_SWEEP_SYMMETRIC } PCMCPISweepType;
FINEGRAIN_EXTERN const char *const PCMCPISweepTypes[];

/*E
   PCMCPIExchangeType - when `PCMCPI` fetches the values of other ranks

   Values:
+  PCMCPI_EXCHANGE_NONE  - never: couplings between ranks are left out, as in additive Schwarz
.  PCMCPI_EXCHANGE_SWEEP - before each sweep
-  PCMCPI_EXCHANGE_COLOR - after each color: the result does not depend on the number of ranks

   Level: intermediate

.seealso: `PCMCPISetExchange()`
E*/
typedef enum { PCMCPI_EXCHANGE_NONE, PCMCPI_EXCHANGE_SWEEP, PCMCPI_EXCHANGE_COLOR } PCMCPIExchangeType;
FINEGRAIN_EXTERN const char *const PCMCPIExchangeTypes[];

/*E
   PCMCPIScalingType - how couplings are scaled to fit half precision, always by a power of two

   Values:
+  PCMCPI_SCALING_GLOBAL - one scale for the matrix
-  PCMCPI_SCALING_ROW    - one for each block row

   Level: advanced

.seealso: `PCMCPISetScaling()`
E*/
typedef enum { PCMCPI_SCALING_GLOBAL, PCMCPI_SCALING_ROW } PCMCPIScalingType;
FINEGRAIN_EXTERN const char *const PCMCPIScalingTypes[];

/*E
   PCFinegrainAccumulateType - in which precision the products of a row's couplings are summed

   Values:
+  PC_FINEGRAIN_ACCUMULATE_WORKING - `PetscScalar`
-  PC_FINEGRAIN_ACCUMULATE_SINGLE  - single, for couplings stored in single precision or below

   Level: intermediate

.seealso: `PCFinegrainSetAccumulate()`
E*/
typedef enum { PC_FINEGRAIN_ACCUMULATE_WORKING, PC_FINEGRAIN_ACCUMULATE_SINGLE } PCFinegrainAccumulateType;
FINEGRAIN_EXTERN const char *const PCFinegrainAccumulateTypes[];

/*E
   PCMCPIReductionType - where `PCMCPI` stores couplings of lower precision

   Values:
+  PCMCPI_REDUCTION_NONE     - in memory of their own
-  PCMCPI_REDUCTION_IN_PLACE - in the memory of Pmat's mirror, which Pmat makes anew when it is needed next

   Level: advanced

.seealso: `PCMCPISetReduction()`
E*/
typedef enum { PCMCPI_REDUCTION_NONE, PCMCPI_REDUCTION_IN_PLACE } PCMCPIReductionType;
FINEGRAIN_EXTERN const char *const PCMCPIReductionTypes[];

/*E
   PCPOWERQILUDropType - what becomes of fill of `PCPOWERQILU` between two block rows of one color

   Values:
+  PCPOWERQILU_DROP_DURING - it is left out of the factorization, and so is what would follow from it
.  PCPOWERQILU_DROP_AFTER  - it is factored, by level sets, and left out of L and U afterwards
-  PCPOWERQILU_DROP_NONE   - it stays; run by level sets

   Note:
   There is none with q > p, see `PCPOWERQILUSetPower()`.

   Level: intermediate

.seealso: `PCPOWERQILUSetDrop()`
E*/
typedef enum { PCPOWERQILU_DROP_DURING, PCPOWERQILU_DROP_AFTER, PCPOWERQILU_DROP_NONE } PCPOWERQILUDropType;
FINEGRAIN_EXTERN const char *const PCPOWERQILUDropTypes[];

/*E
   PCFGBILUExchangeType - what ranks factor with `PCFGBILU`

   Values:
+  PCFGBILU_EXCHANGE_NONE     - each its own block rows
-  PCFGBILU_EXCHANGE_PIPELINE - the whole grid of a `DMDA` together, tile by tile: the result of one rank

   Level: intermediate

.seealso: `PCFGBILUSetExchange()`
E*/
typedef enum { PCFGBILU_EXCHANGE_NONE, PCFGBILU_EXCHANGE_PIPELINE } PCFGBILUExchangeType;
FINEGRAIN_EXTERN const char *const PCFGBILUExchangeTypes[];

/*E
   PCSIPExchangeType - what ranks factor with `PCSIP`

   Values:
+  PCSIP_EXCHANGE_NONE     - each its own points
-  PCSIP_EXCHANGE_PIPELINE - the whole grid of a `DMDA` together, tile by tile: the result of one rank

   Level: intermediate

.seealso: `PCSIPSetExchange()`
E*/
typedef enum { PCSIP_EXCHANGE_NONE, PCSIP_EXCHANGE_PIPELINE } PCSIPExchangeType;
FINEGRAIN_EXTERN const char *const PCSIPExchangeTypes[];

/*E
   PCPOWERQILUExchangeType - what ranks factor with `PCPOWERQILU`

   Values:
+  PCPOWERQILU_EXCHANGE_NONE  - each its own block rows
-  PCPOWERQILU_EXCHANGE_COLOR - the whole matrix together, color by color: the result does not depend on their number

   Level: intermediate

.seealso: `PCPOWERQILUSetExchange()`
E*/
typedef enum { PCPOWERQILU_EXCHANGE_NONE, PCPOWERQILU_EXCHANGE_COLOR } PCPOWERQILUExchangeType;
FINEGRAIN_EXTERN const char *const PCPOWERQILUExchangeTypes[];

FINEGRAIN_EXTERN PetscErrorCode PetscFinegrainInitializePackage(void);
FINEGRAIN_EXTERN PetscErrorCode PetscFinegrainFinalizePackage(void);

/* What all types share. Setters do nothing for other types of PC, getters are an error there. */
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetSchedule(PC pc, PCFinegrainScheduleType schedule);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetSchedule(PC pc, PCFinegrainScheduleType *schedule);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetExecutor(PC pc, PCFinegrainExecutorType executor);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetExecutor(PC pc, PCFinegrainExecutorType *executor);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetTile(PC pc, PetscInt i, PetscInt j, PetscInt k);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetTile(PC pc, PetscInt *i, PetscInt *j, PetscInt *k);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetBackend(PC pc, PCFinegrainBackendType backend);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetBackend(PC pc, PCFinegrainBackendType *backend);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetPrecision(PC pc, PCFinegrainPrecisionType precision);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetPrecision(PC pc, PCFinegrainPrecisionType *precision);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetDiagonalPrecision(PC pc, PCFinegrainDiagonalPrecisionType precision);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetDiagonalPrecision(PC pc, PCFinegrainDiagonalPrecisionType *precision);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetShift(PC pc, MatFactorShiftType type, PetscReal amount);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetShift(PC pc, MatFactorShiftType *type, PetscReal *amount);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetZeroPivot(PC pc, PetscReal tol);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetZeroPivot(PC pc, PetscReal *tol);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetAddDiagonal(PC pc, PetscBool add);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetAddDiagonal(PC pc, PetscBool *add);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetCheckSolution(PC pc, PCFinegrainCheckType check);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetCheckSolution(PC pc, PCFinegrainCheckType *check);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetScaledResidual(PC pc, PetscReal *eta);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetGrid(PC pc, PetscInt ngrids, const PetscInt ijk[]);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetGrid(PC pc, PetscInt *ngrids, const PetscInt *ijk[]);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetGridCoupling(PC pc, PCFinegrainGridCoupling coupling);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetGridCoupling(PC pc, PCFinegrainGridCoupling *coupling);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetOrdering(PC pc, MatOrderingType ordering);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetOrdering(PC pc, MatOrderingType *ordering);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetColoring(PC pc, PCFinegrainColoringType coloring);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetColoring(PC pc, PCFinegrainColoringType *coloring);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetColoringBalance(PC pc, PetscBool balance);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetColoringBalance(PC pc, PetscBool *balance);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetCorrections(PC pc, PetscInt k);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetCorrections(PC pc, PetscInt *k);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetRichardson(PC pc, PCFinegrainRichardsonType richardson);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetRichardson(PC pc, PCFinegrainRichardsonType *richardson);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetBlockSize(PC pc, PetscInt n);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetBlockSize(PC pc, PetscInt *n);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetFactorBytes(PC pc, PetscLogDouble *bytes);

FINEGRAIN_EXTERN PetscErrorCode PCFGBILUSetFactor(PC pc, PCFGBILUFactorType factor);
FINEGRAIN_EXTERN PetscErrorCode PCFGBILUSetEisenstat(PC pc, PCFGBILUEisenstatType eisenstat);
FINEGRAIN_EXTERN PetscErrorCode PCFGBILUGetEisenstat(PC pc, PCFGBILUEisenstatType *eisenstat);
FINEGRAIN_EXTERN PetscErrorCode PCFGBILUGetFactor(PC pc, PCFGBILUFactorType *factor);
FINEGRAIN_EXTERN PetscErrorCode PCFGBILUSetExchange(PC pc, PCFGBILUExchangeType exchange);
FINEGRAIN_EXTERN PetscErrorCode PCFGBILUGetExchange(PC pc, PCFGBILUExchangeType *exchange);

FINEGRAIN_EXTERN PetscErrorCode PCMCPISetIterations(PC pc, PetscInt its);
FINEGRAIN_EXTERN PetscErrorCode PCMCPIGetIterations(PC pc, PetscInt *its);
FINEGRAIN_EXTERN PetscErrorCode PCMCPISetSweep(PC pc, PCMCPISweepType sweep);
FINEGRAIN_EXTERN PetscErrorCode PCMCPIGetSweep(PC pc, PCMCPISweepType *sweep);
FINEGRAIN_EXTERN PetscErrorCode PCMCPISetOmega(PC pc, PetscReal omega);
FINEGRAIN_EXTERN PetscErrorCode PCMCPIGetOmega(PC pc, PetscReal *omega);
FINEGRAIN_EXTERN PetscErrorCode PCMCPISetExchange(PC pc, PCMCPIExchangeType exchange);
FINEGRAIN_EXTERN PetscErrorCode PCMCPIGetExchange(PC pc, PCMCPIExchangeType *exchange);
FINEGRAIN_EXTERN PetscErrorCode PCMCPISetScaling(PC pc, PCMCPIScalingType scaling);
FINEGRAIN_EXTERN PetscErrorCode PCMCPIGetScaling(PC pc, PCMCPIScalingType *scaling);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetAccumulate(PC pc, PCFinegrainAccumulateType accumulate);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetAccumulate(PC pc, PCFinegrainAccumulateType *accumulate);
FINEGRAIN_EXTERN PetscErrorCode PCMCPISetReduction(PC pc, PCMCPIReductionType reduction);
FINEGRAIN_EXTERN PetscErrorCode PCMCPIGetReduction(PC pc, PCMCPIReductionType *reduction);

FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUSetLevels(PC pc, PetscInt levels);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUGetLevels(PC pc, PetscInt *levels);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUSetPower(PC pc, PetscInt power);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUGetPower(PC pc, PetscInt *power);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUSetDrop(PC pc, PCPOWERQILUDropType drop);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUGetDrop(PC pc, PCPOWERQILUDropType *drop);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUSetDropRadius(PC pc, PetscInt radius);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUGetDropRadius(PC pc, PetscInt *radius);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUSetExchange(PC pc, PCPOWERQILUExchangeType exchange);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUGetExchange(PC pc, PCPOWERQILUExchangeType *exchange);

FINEGRAIN_EXTERN PetscErrorCode PCSIPSetAlpha(PC pc, PetscInt n, const PetscReal alpha[]);
FINEGRAIN_EXTERN PetscErrorCode PCSIPGetAlpha(PC pc, PetscInt *n, const PetscReal *alpha[]);
FINEGRAIN_EXTERN PetscErrorCode PCSIPSetAlternate(PC pc, PetscBool alternate);
FINEGRAIN_EXTERN PetscErrorCode PCSIPGetAlternate(PC pc, PetscBool *alternate);
FINEGRAIN_EXTERN PetscErrorCode PCSIPSetIterations(PC pc, PetscInt its);
FINEGRAIN_EXTERN PetscErrorCode PCSIPGetIterations(PC pc, PetscInt *its);
FINEGRAIN_EXTERN PetscErrorCode PCSIPSetExchange(PC pc, PCSIPExchangeType exchange);
FINEGRAIN_EXTERN PetscErrorCode PCSIPGetExchange(PC pc, PCSIPExchangeType *exchange);

/* Setters do nothing for other types of KSP, getters are an error there. */
FINEGRAIN_EXTERN PetscErrorCode KSPRefineSetInner(KSP ksp, PetscInt inner);
FINEGRAIN_EXTERN PetscErrorCode KSPRefineGetInner(KSP ksp, PetscInt *inner);
FINEGRAIN_EXTERN PetscErrorCode KSPRefineSetDamping(KSP ksp, PetscReal damping);
FINEGRAIN_EXTERN PetscErrorCode KSPRefineGetDamping(KSP ksp, PetscReal *damping);

#endif
