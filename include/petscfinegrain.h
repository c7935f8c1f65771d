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

#define PETSCFINEGRAIN_VERSION "0.1.0"

/* PC types */
#define PCFGBILU "fgbilu"

/* KSP types */
#define KSPREFINE "refine"

/*E
   PCFinegrainScheduleType - which groups of mutually independent block rows a preconditioner runs in parallel

   Values:
+  PC_FINEGRAIN_SCHEDULE_AUTO       - hyperplanes where the grid is known and they fit the matrix, else level sets
.  PC_FINEGRAIN_SCHEDULE_HYPERPLANE - hyperplanes of a structured grid; an error where they do not fit
-  PC_FINEGRAIN_SCHEDULE_LEVEL      - level sets of the matrix graph

   Level: intermediate

.seealso: `PCFinegrainSetSchedule()`
E*/
typedef enum {
  PC_FINEGRAIN_SCHEDULE_AUTO,
  PC_FINEGRAIN_SCHEDULE_HYPERPLANE,
  PC_FINEGRAIN_SCHEDULE_LEVEL
} PCFinegrainScheduleType;
FINEGRAIN_EXTERN const char *const PCFinegrainScheduleTypes[];

/*E
   PCFinegrainExecutorType - how the groups of a schedule are run

   Values:
+  PC_FINEGRAIN_EXECUTOR_AUTO    - natural on one host thread or without independent rows, else tile or self
.  PC_FINEGRAIN_EXECUTOR_NATURAL - one host thread, rows in elimination order
.  PC_FINEGRAIN_EXECUTOR_LAUNCH  - a kernel per group
.  PC_FINEGRAIN_EXECUTOR_SELF    - one kernel per sweep that draws pieces of the groups
-  PC_FINEGRAIN_EXECUTOR_TILE    - the same with tiles of the grid, or runs of consecutive rows

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
  PC_FINEGRAIN_EXECUTOR_TILE
} PCFinegrainExecutorType;
FINEGRAIN_EXTERN const char *const PCFinegrainExecutorTypes[];

/*E
   PCFinegrainBackendType - where a preconditioner keeps its factor and is applied

   Values:
+  PC_FINEGRAIN_BACKEND_AUTO   - the host: matrices and vectors are read there
.  PC_FINEGRAIN_BACKEND_HOST   - the host
-  PC_FINEGRAIN_BACKEND_DEVICE - a GPU; an error on builds and machines without one

   Note:
   The device back end has been compiled, and has never run.

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
   PCFinegrainPrecisionType - how blocks are stored; arithmetic is always in `PetscScalar`

   Values:
+  PC_FINEGRAIN_PRECISION_WORKING - as `PetscScalar`
-  PC_FINEGRAIN_PRECISION_SINGLE  - 32 bits per real number

   Level: intermediate

.seealso: `PCFinegrainSetPrecision()`
E*/
typedef enum { PC_FINEGRAIN_PRECISION_WORKING, PC_FINEGRAIN_PRECISION_SINGLE } PCFinegrainPrecisionType;
FINEGRAIN_EXTERN const char *const PCFinegrainPrecisionTypes[];

/*E
   PCFinegrainDiagonalPrecisionType - how inverted diagonal blocks are stored

   Values:
+  PC_FINEGRAIN_DIAGONAL_PRECISION_WORKING - as `PetscScalar`
-  PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE - as the other blocks, see `PCFinegrainSetPrecision()`

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

FINEGRAIN_EXTERN PetscErrorCode PetscFinegrainInitializePackage(void);
FINEGRAIN_EXTERN PetscErrorCode PetscFinegrainFinalizePackage(void);

/* What all types share. Setters do nothing for other types of PC, getters are an error there. */
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetSchedule(PC, PCFinegrainScheduleType);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetSchedule(PC, PCFinegrainScheduleType *);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetExecutor(PC, PCFinegrainExecutorType);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetExecutor(PC, PCFinegrainExecutorType *);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetTile(PC pc, PetscInt i, PetscInt j, PetscInt k);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetTile(PC pc, PetscInt *i, PetscInt *j, PetscInt *k);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetBackend(PC, PCFinegrainBackendType);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetBackend(PC, PCFinegrainBackendType *);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetPrecision(PC, PCFinegrainPrecisionType);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetPrecision(PC, PCFinegrainPrecisionType *);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetDiagonalPrecision(PC, PCFinegrainDiagonalPrecisionType);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetDiagonalPrecision(PC, PCFinegrainDiagonalPrecisionType *);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetShift(PC, MatFactorShiftType, PetscReal);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetShift(PC, MatFactorShiftType *, PetscReal *);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetGrid(PC, PetscInt, const PetscInt[]);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetGrid(PC, PetscInt *, const PetscInt *[]);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetGridCoupling(PC, PCFinegrainGridCoupling);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetGridCoupling(PC, PCFinegrainGridCoupling *);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetOrdering(PC, MatOrderingType);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetOrdering(PC, MatOrderingType *);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetCorrections(PC, PetscInt);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetCorrections(PC, PetscInt *);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetRichardson(PC, PCFinegrainRichardsonType);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetRichardson(PC, PCFinegrainRichardsonType *);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainSetBlockSize(PC, PetscInt);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetBlockSize(PC, PetscInt *);
FINEGRAIN_EXTERN PetscErrorCode PCFinegrainGetFactorBytes(PC, PetscLogDouble *);

FINEGRAIN_EXTERN PetscErrorCode PCFGBILUSetFactor(PC, PCFGBILUFactorType);
FINEGRAIN_EXTERN PetscErrorCode PCFGBILUGetFactor(PC, PCFGBILUFactorType *);

/* Setters do nothing for other types of KSP, getters are an error there. */
FINEGRAIN_EXTERN PetscErrorCode KSPRefineSetInner(KSP, PetscInt);
FINEGRAIN_EXTERN PetscErrorCode KSPRefineGetInner(KSP, PetscInt *);
FINEGRAIN_EXTERN PetscErrorCode KSPRefineSetDamping(KSP, PetscReal);
FINEGRAIN_EXTERN PetscErrorCode KSPRefineGetDamping(KSP, PetscReal *);

#endif
