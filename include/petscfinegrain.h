/* SPDX-License-Identifier: BSD-2-Clause */
/*
   finegrain: fine-grained parallel preconditioners for PETSc.

   Programs that select the preconditioners by options do not need this header:

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

/* A program built with 1.0 runs with any later 1.x (docs/contributing.md) */
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

/* PC types that contain other preconditioners */
#define PCLAG "lag" /* keeps a preconditioner while the matrix changes */
#define PCCPR "cpr" /* constrained pressure residual */

/*MC
   PCFINEGRAIN - options that all PC types of finegrain have; <type> is the name of the type

   Options Database Keys:
+  -pc_<type>_algorithm <auto,sequential,levels,tasks>  - `PCFinegrainSetAlgorithm()`
.  -pc_<type>_backend <auto,host,device>                - `PCFinegrainSetBackend()`
.  -pc_<type>_precision <working,single,half>           - `PCFinegrainSetPrecision()`
.  -pc_<type>_diag_precision <working,storage>          - `PCFinegrainSetDiagonalPrecision()`
.  -pc_<type>_shift_type <none,inblocks>                - `PCFinegrainSetShift()`
.  -pc_<type>_shift_amount <sqrt epsilon>               - `PCFinegrainSetShift()`
.  -pc_<type>_zero_pivot <100 epsilon>                  - `PCFinegrainSetZeroPivot()`
.  -pc_<type>_add_diagonal <false>                      - `PCFinegrainSetAddDiagonal()`
.  -pc_<type>_grid <I,J,K[,I,J,K...]>                   - `PCFinegrainSetGrid()`
.  -pc_<type>_block_size <n>                            - `PCFinegrainSetBlockSize()`
.  -pc_<type>_corrections <k>                           - `PCFinegrainSetCorrections()`
.  -pc_<type>_apply_richardson <none,fixed,tolerance>   - `PCFinegrainSetApplyRichardson()`
-  -pc_<type>_check_solution <fail,warn,none>           - `PCFinegrainSetCheckSolution()`

   Level: beginner

   Note:
   The page of a type lists an option that has other values there.

.seealso: `PCSetType()`, `PCSetFromOptions()`
M*/

/* Mat types: BAIJ with a second copy of its blocks, from which kernels read (device copy) */
#define MATBAIJKOKKOS "baijkokkos"
#define MATSEQBAIJKOKKOS "seqbaijkokkos"
#define MATMPIBAIJKOKKOS "mpibaijkokkos"

FINEGRAIN_EXTERN PetscErrorCode MatBAIJKokkosSetPreallocationCOO(Mat A, PetscCount ncoo, const PetscInt i[],
                                                                 const PetscInt j[]);

/* Vec types: vectors of the host whose sums do not depend on the number of ranks and threads */
#define VECREPRODUCIBLE "reproducible"
#define VECSEQREPRODUCIBLE "seqreproducible"
#define VECMPIREPRODUCIBLE "mpireproducible"

/* KSP types */
#define KSPREFINE "refine"
#define KSPSIP "sip"

/*E
   PCFinegrainScheduleType - groups of mutually independent block rows that a preconditioner runs in parallel

   Values:
+  PC_FINEGRAIN_SCHEDULE_AUTO       - `PCFGBILU` and `PCFGBICC`: hyperplanes if a grid is known and they fit the
                                      matrix, else level sets; `PCMCPI` and `PCPOWERQILU`: colors
.  PC_FINEGRAIN_SCHEDULE_HYPERPLANE - hyperplanes of a structured grid; an error if they do not fit
.  PC_FINEGRAIN_SCHEDULE_LEVEL      - level sets of the matrix graph
-  PC_FINEGRAIN_SCHEDULE_COLOR      - colors; an error for `PCFGBILU` and `PCFGBICC`

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
   PCFinegrainAlgorithmType - how the rows of a sweep or a factorization run in parallel

   Values:
+  PC_FINEGRAIN_ALGORITHM_AUTO       - sequential on one host thread or if few rows are independent, levels for wide
                                       colors, else tasks
.  PC_FINEGRAIN_ALGORITHM_SEQUENTIAL - one host thread, rows in elimination order
.  PC_FINEGRAIN_ALGORITHM_LEVELS     - one kernel for each group of the schedule
-  PC_FINEGRAIN_ALGORITHM_TASKS      - one kernel per sweep; a thread takes the next task and waits for the tasks that
                                       it depends on. Tasks are tiles of a grid on the host, and on a GPU if a tile is
                                       set, else runs of rows

   Note:
   Results are bitwise identical for all algorithms.

   Level: intermediate

.seealso: `PCFinegrainSetAlgorithm()`
E*/
typedef enum {
  PC_FINEGRAIN_ALGORITHM_AUTO,
  PC_FINEGRAIN_ALGORITHM_SEQUENTIAL,
  PC_FINEGRAIN_ALGORITHM_LEVELS,
  PC_FINEGRAIN_ALGORITHM_TASKS
} PCFinegrainAlgorithmType;
FINEGRAIN_EXTERN const char *const PCFinegrainAlgorithmTypes[];

/*E
   PCFinegrainBackendType - back end that stores the factor of a preconditioner and applies it

   Values:
+  PC_FINEGRAIN_BACKEND_AUTO   - a GPU if the matrix or its vectors are there, unless the algorithm is sequential or
                                 the factorization is global; else the host
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
   PCFinegrainPrecisionType - storage precision of off-diagonal blocks

   Values:
+  PC_FINEGRAIN_PRECISION_WORKING  - `PetscScalar`
.  PC_FINEGRAIN_PRECISION_SINGLE   - single precision, 32-bit real numbers
.  PC_FINEGRAIN_PRECISION_HALF     - IEEE half precision, 16-bit real numbers, scaled by powers of two; a factor then
                                     has inverses and sums in single precision; not `PCFGBICC`
-  PC_FINEGRAIN_PRECISION_BFLOAT16 - 16-bit real numbers with the range of single precision; `PCMCPI` only

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
   PCFinegrainDiagonalPrecisionType - storage precision of inverted diagonal blocks

   Values:
+  PC_FINEGRAIN_DIAGONAL_PRECISION_WORKING - `PetscScalar`
-  PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE - that of the other blocks, see `PCFinegrainSetPrecision()`, but at least
                                             single

   Note:
   Factors in half precision always store single precision.

   Level: advanced

.seealso: `PCFinegrainSetDiagonalPrecision()`
E*/
typedef enum {
  PC_FINEGRAIN_DIAGONAL_PRECISION_WORKING,
  PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE
} PCFinegrainDiagonalPrecisionType;
FINEGRAIN_EXTERN const char *const PCFinegrainDiagonalPrecisionTypes[];

/*E
   PCFinegrainGridCoupling - treatment of blocks that couple the grids of a rank

   Values:
+  PC_FINEGRAIN_GRID_COUPLING_COUPLED      - one factor of all grids of a rank
-  PC_FINEGRAIN_GRID_COUPLING_BLOCK_JACOBI - one factor for each grid; these blocks are ignored, and act in
                                             residuals only

   Level: intermediate

.seealso: `PCFinegrainSetGridCoupling()`
E*/
typedef enum { PC_FINEGRAIN_GRID_COUPLING_COUPLED, PC_FINEGRAIN_GRID_COUPLING_BLOCK_JACOBI } PCFinegrainGridCoupling;
FINEGRAIN_EXTERN const char *const PCFinegrainGridCouplings[];

/*E
   PCFinegrainApplyRichardsonType - iterations that `KSPRICHARDSON` leaves to the preconditioner

   Values:
+  PC_FINEGRAIN_APPLY_RICHARDSON_NONE      - none
.  PC_FINEGRAIN_APPLY_RICHARDSON_FIXED     - a fixed number of iterations without a norm, for smoothers
-  PC_FINEGRAIN_APPLY_RICHARDSON_TOLERANCE - iterations up to the tolerances of the KSP, in the preconditioned norm,
                                             for solvers

   Level: advanced

.seealso: `PCFinegrainSetApplyRichardson()`
E*/
typedef enum {
  PC_FINEGRAIN_APPLY_RICHARDSON_NONE,
  PC_FINEGRAIN_APPLY_RICHARDSON_FIXED,
  PC_FINEGRAIN_APPLY_RICHARDSON_TOLERANCE
} PCFinegrainApplyRichardsonType;
FINEGRAIN_EXTERN const char *const PCFinegrainApplyRichardsonTypes[];

/*E
   PCFinegrainCheckType - effect of the check of a solution, if a solve claims convergence to a relative tolerance but
   leaves a large residual

   Values:
+  PC_FINEGRAIN_CHECK_FAIL - the solve fails with `KSP_DIVERGED_PC_FAILED`
.  PC_FINEGRAIN_CHECK_WARN - one line on stderr reports it
-  PC_FINEGRAIN_CHECK_NONE - solutions are not checked

   Level: intermediate

.seealso: `PCFinegrainSetCheckSolution()`
E*/
typedef enum { PC_FINEGRAIN_CHECK_FAIL, PC_FINEGRAIN_CHECK_WARN, PC_FINEGRAIN_CHECK_NONE } PCFinegrainCheckType;
FINEGRAIN_EXTERN const char *const PCFinegrainCheckTypes[];

/*E
   PCFinegrainColoringType - coloring of block rows; names are those of `MatColoringType` if it has the same

   Values:
+  PC_FINEGRAIN_COLORING_AUTO     - `PCMCPI`: redblack if a grid is known and it fits, else greedy; `PCPOWERQILU`:
                                    greedy; with an exchange by color or a global factorization: redblack if it fits,
                                    else jp
.  PC_FINEGRAIN_COLORING_GREEDY   - the smallest free color, in natural order
.  PC_FINEGRAIN_COLORING_LF       - the same, largest degree first
.  PC_FINEGRAIN_COLORING_SL       - the same, smallest degree last
.  PC_FINEGRAIN_COLORING_JP       - Jones and Plassmann's, by a hash of global rows
.  PC_FINEGRAIN_COLORING_REDBLACK - the parity of grid points; an error if it does not fit
-  PC_FINEGRAIN_COLORING_LEVEL    - level sets: sweeps go in the order of rows, as those of `PCSOR`

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
   PCFGBILUFactorType - blocks that a `PCFGBILU` factorization modifies

   Values:
+  PCFGBILU_FACTOR_AUTO - DILU if it equals ILU(0) (no three block rows are mutually coupled), else ILU(0)
.  PCFGBILU_FACTOR_DILU - the diagonal blocks only
-  PCFGBILU_FACTOR_ILU0 - all blocks in the pattern of the matrix

   Level: intermediate

.seealso: `PCFGBILUSetFactor()`
E*/
typedef enum { PCFGBILU_FACTOR_AUTO, PCFGBILU_FACTOR_DILU, PCFGBILU_FACTOR_ILU0 } PCFGBILUFactorType;
FINEGRAIN_EXTERN const char *const PCFGBILUFactorTypes[];

/*E
   PCFGBILUEisenstatType - solves with `PCFGBILU` that use Eisenstat's trick

   Values:
+  PCFGBILU_EISENSTAT_FALSE - none
.  PCFGBILU_EISENSTAT_TRUE  - all; settings that exclude it are an error
-  PCFGBILU_EISENSTAT_AUTO  - solves with a DILU factor in which only time and rounding change

   Level: intermediate

.seealso: `PCFGBILUSetEisenstat()`
E*/
typedef enum { PCFGBILU_EISENSTAT_FALSE, PCFGBILU_EISENSTAT_TRUE, PCFGBILU_EISENSTAT_AUTO } PCFGBILUEisenstatType;
FINEGRAIN_EXTERN const char *const PCFGBILUEisenstatTypes[];

/*E
   PCMCPISweepType - order in which a `PCMCPI` sweep visits the colors

   Values:
+  PCMCPI_SWEEP_FORWARD   - ascending
.  PCMCPI_SWEEP_BACKWARD  - descending
-  PCMCPI_SWEEP_SYMMETRIC - ascending, then descending (one symmetric sweep)

   Level: intermediate

.seealso: `PCMCPISetSweep()`
E*/
typedef enum { PCMCPI_SWEEP_FORWARD, PCMCPI_SWEEP_BACKWARD, PCMCPI_SWEEP_SYMMETRIC } PCMCPISweepType;
FINEGRAIN_EXTERN const char *const PCMCPISweepTypes[];

/*E
   PCMCPIExchangeType - times at which `PCMCPI` fetches ghost values from other ranks

   Values:
+  PCMCPI_EXCHANGE_NONE  - never: off-rank blocks are ignored, as in block Jacobi
.  PCMCPI_EXCHANGE_SWEEP - before each sweep
-  PCMCPI_EXCHANGE_COLOR - after each color: the result is bitwise identical on any number of ranks

   Level: intermediate

.seealso: `PCMCPISetExchange()`
E*/
typedef enum { PCMCPI_EXCHANGE_NONE, PCMCPI_EXCHANGE_SWEEP, PCMCPI_EXCHANGE_COLOR } PCMCPIExchangeType;
FINEGRAIN_EXTERN const char *const PCMCPIExchangeTypes[];

/*E
   PCMCPIScalingType - scaling of off-diagonal blocks to fit half precision, by powers of two

   Values:
+  PCMCPI_SCALING_GLOBAL - one scale for the whole matrix
-  PCMCPI_SCALING_ROW    - one for each block row

   Level: advanced

.seealso: `PCMCPISetScaling()`
E*/
typedef enum { PCMCPI_SCALING_GLOBAL, PCMCPI_SCALING_ROW } PCMCPIScalingType;
FINEGRAIN_EXTERN const char *const PCMCPIScalingTypes[];

/*E
   PCMCPISumPrecisionType - precision in which `PCMCPI` sums the products of a row's off-diagonal blocks

   Values:
+  PCMCPI_SUM_PRECISION_WORKING - `PetscScalar`
-  PCMCPI_SUM_PRECISION_SINGLE  - single, for blocks stored in single precision or lower

   Level: intermediate

.seealso: `PCMCPISetSumPrecision()`
E*/
typedef enum { PCMCPI_SUM_PRECISION_WORKING, PCMCPI_SUM_PRECISION_SINGLE } PCMCPISumPrecisionType;
FINEGRAIN_EXTERN const char *const PCMCPISumPrecisionTypes[];

/*E
   PCPOWERQILUDropType - treatment of `PCPOWERQILU`'s fill between block rows of one color

   Values:
+  PCPOWERQILU_DROP_DURING - the factorization never creates it, nor further fill from it
.  PCPOWERQILU_DROP_AFTER  - the factorization includes it and runs by level sets; it is dropped from L and
                             U afterwards
-  PCPOWERQILU_DROP_NONE   - it is kept; factorization and sweeps run by level sets

   Note:
   There is no such fill with q > p, see `PCPOWERQILUSetPower()`.

   Level: intermediate

.seealso: `PCPOWERQILUSetDrop()`
E*/
typedef enum { PCPOWERQILU_DROP_DURING, PCPOWERQILU_DROP_AFTER, PCPOWERQILU_DROP_NONE } PCPOWERQILUDropType;
FINEGRAIN_EXTERN const char *const PCPOWERQILUDropTypes[];

/*E
   PCCPRWeightsType - weights with which `PCCPR` adds the equations of a block row to its pressure equation

   Values:
+  PCCPR_WEIGHTS_QUASIIMPES - the solution w of D^T w = e, where D is the diagonal block and e the unit vector of the
                              pressure, divided by its largest entry
.  PCCPR_WEIGHTS_SUM        - all are 1
.  PCCPR_WEIGHTS_ROW        - 1 for the equation with the number of the pressure, else 0
-  PCCPR_WEIGHTS_VECTOR     - those of `PCCPRSetWeightsVector()`

   Level: intermediate

.seealso: `PCCPRSetWeights()`
E*/
typedef enum {
  PCCPR_WEIGHTS_QUASIIMPES,
  PCCPR_WEIGHTS_SUM,
  PCCPR_WEIGHTS_ROW,
  PCCPR_WEIGHTS_VECTOR
} PCCPRWeightsType;
FINEGRAIN_EXTERN const char *const PCCPRWeightsTypes[];

FINEGRAIN_EXTERN PetscErrorCode PetscFinegrainInitializePackage(void);
FINEGRAIN_EXTERN PetscErrorCode PetscFinegrainFinalizePackage(void);

/* Settings of several types. For other types of PC setters do nothing, and getters are an error. */
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetSchedule(PC pc, PCFinegrainScheduleType schedule);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetSchedule(PC pc, PCFinegrainScheduleType *schedule);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetAlgorithm(PC pc, PCFinegrainAlgorithmType algorithm);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetAlgorithm(PC pc, PCFinegrainAlgorithmType *algorithm);
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
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetGlobal(PC pc, PetscBool global);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetGlobal(PC pc, PetscBool *global);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetCorrections(PC pc, PetscInt k);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetCorrections(PC pc, PetscInt *k);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetApplyRichardson(PC pc, PCFinegrainApplyRichardsonType richardson);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetApplyRichardson(PC pc, PCFinegrainApplyRichardsonType *richardson);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetBlockSize(PC pc, PetscInt n);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetBlockSize(PC pc, PetscInt *n);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetFactorBytes(PC pc, PetscLogDouble *bytes);

FINEGRAIN_EXTERN PetscErrorCode PCFGBILUSetFactor(PC pc, PCFGBILUFactorType factor);
FINEGRAIN_EXTERN PetscErrorCode PCFGBILUSetEisenstat(PC pc, PCFGBILUEisenstatType eisenstat);
FINEGRAIN_EXTERN PetscErrorCode PCFGBILUGetEisenstat(PC pc, PCFGBILUEisenstatType *eisenstat);
FINEGRAIN_EXTERN PetscErrorCode PCFGBILUGetFactor(PC pc, PCFGBILUFactorType *factor);

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
FINEGRAIN_EXTERN PetscErrorCode PCMCPISetSumPrecision(PC pc, PCMCPISumPrecisionType precision);
FINEGRAIN_EXTERN PetscErrorCode PCMCPIGetSumPrecision(PC pc, PCMCPISumPrecisionType *precision);
FINEGRAIN_EXTERN PetscErrorCode PCMCPISetInPlace(PC pc, PetscBool in_place);
FINEGRAIN_EXTERN PetscErrorCode PCMCPIGetInPlace(PC pc, PetscBool *in_place);

FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUSetLevels(PC pc, PetscInt levels);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUGetLevels(PC pc, PetscInt *levels);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUSetPower(PC pc, PetscInt power);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUGetPower(PC pc, PetscInt *power);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUSetDrop(PC pc, PCPOWERQILUDropType drop);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUGetDrop(PC pc, PCPOWERQILUDropType *drop);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUSetDropBand(PC pc, PetscInt band);
FINEGRAIN_EXTERN PetscErrorCode PCPOWERQILUGetDropBand(PC pc, PetscInt *band);

FINEGRAIN_EXTERN PetscErrorCode PCSIPSetAlpha(PC pc, PetscInt n, const PetscReal alpha[]);
FINEGRAIN_EXTERN PetscErrorCode PCSIPGetAlpha(PC pc, PetscInt *n, const PetscReal *alpha[]);
FINEGRAIN_EXTERN PetscErrorCode PCSIPSetAlternate(PC pc, PetscBool alternate);
FINEGRAIN_EXTERN PetscErrorCode PCSIPGetAlternate(PC pc, PetscBool *alternate);
FINEGRAIN_EXTERN PetscErrorCode PCSIPSetIterations(PC pc, PetscInt its);
FINEGRAIN_EXTERN PetscErrorCode PCSIPGetIterations(PC pc, PetscInt *its);

/* For other types of PC setters do nothing, and getters are an error. */
FINEGRAIN_EXTERN PetscErrorCode PCLAGGetPC(PC pc, PC *inner);
FINEGRAIN_EXTERN PetscErrorCode PCLAGSetCost(PC pc, PetscReal iterations);
FINEGRAIN_EXTERN PetscErrorCode PCLAGGetCost(PC pc, PetscReal *iterations);
FINEGRAIN_EXTERN PetscErrorCode PCLAGSetMeasure(PC pc, PetscBool measure);
FINEGRAIN_EXTERN PetscErrorCode PCLAGGetMeasure(PC pc, PetscBool *measure);
FINEGRAIN_EXTERN PetscErrorCode PCLAGSetMaximum(PC pc, PetscInt systems);
FINEGRAIN_EXTERN PetscErrorCode PCLAGGetMaximum(PC pc, PetscInt *systems);
FINEGRAIN_EXTERN PetscErrorCode PCLAGGetSetUps(PC pc, PetscInt *setups);

FINEGRAIN_EXTERN PetscErrorCode PCCPRGetPressureKSP(PC pc, KSP *pressure);
FINEGRAIN_EXTERN PetscErrorCode PCCPRGetFullPC(PC pc, PC *full);
FINEGRAIN_EXTERN PetscErrorCode PCCPRSetPressure(PC pc, PetscInt unknown);
FINEGRAIN_EXTERN PetscErrorCode PCCPRGetPressure(PC pc, PetscInt *unknown);
FINEGRAIN_EXTERN PetscErrorCode PCCPRSetBlockSize(PC pc, PetscInt n);
FINEGRAIN_EXTERN PetscErrorCode PCCPRGetBlockSize(PC pc, PetscInt *n);
FINEGRAIN_EXTERN PetscErrorCode PCCPRSetWeights(PC pc, PCCPRWeightsType weights);
FINEGRAIN_EXTERN PetscErrorCode PCCPRGetWeights(PC pc, PCCPRWeightsType *weights);
FINEGRAIN_EXTERN PetscErrorCode PCCPRSetWeightsVector(PC pc, Vec weights);

/* For other types of KSP setters do nothing, and getters are an error. */
FINEGRAIN_EXTERN PetscErrorCode KSPRefineSetInner(KSP ksp, PetscInt inner);
FINEGRAIN_EXTERN PetscErrorCode KSPRefineGetInner(KSP ksp, PetscInt *inner);
FINEGRAIN_EXTERN PetscErrorCode KSPRefineSetDamping(KSP ksp, PetscReal damping);
FINEGRAIN_EXTERN PetscErrorCode KSPRefineGetDamping(KSP ksp, PetscReal *damping);

#endif
