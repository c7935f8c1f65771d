// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters of PCCPR.
#include "pc/nested/cpr.hpp"

const char *const PCCPRWeightsTypes[] = {"QUASIIMPES",     "SUM",  "ROW", "VECTOR", "PCCPRWeightsType",
                                         "PCCPR_WEIGHTS_", nullptr};

namespace
{

// New settings need a new analysis.
void Invalidate(PC pc, PC_Cpr *cpr)
{
  cpr->analyzed = false;
  pc->setupcalled = PETSC_FALSE;
}

} // namespace

/*@
   PCCPRGetPressureKSP - Gets the solver of the pressure system of `PCCPR`

   Not Collective

   Input Parameter:
.  pc - the preconditioner, of type `PCCPR`

   Output Parameter:
.  pressure - the solver; its options have the prefix cpr_pressure_

   Level: intermediate

.seealso: `PCCPRGetFullPC()`, `PCCPR`
@*/
PetscErrorCode PCCPRGetPressureKSP(PC pc, KSP *pressure)
{
  PC_Cpr *cpr = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCCPR, true, &cpr));
  *pressure = cpr->pressure;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCCPRGetFullPC - Gets the preconditioner of all unknowns of `PCCPR`

   Not Collective

   Input Parameter:
.  pc - the preconditioner, of type `PCCPR`

   Output Parameter:
.  full - the preconditioner; its options have the prefix cpr_full_

   Level: intermediate

.seealso: `PCCPRGetPressureKSP()`, `PCCPR`
@*/
PetscErrorCode PCCPRGetFullPC(PC pc, PC *full)
{
  PC_Cpr *cpr = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCCPR, true, &cpr));
  *full = cpr->full;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCCPRSetPressure - Sets which unknown of a block is the pressure

   Logically Collective

   Input Parameters:
+  pc      - the preconditioner
-  unknown - its index in the block, counted from 0; 0 by default

   Options Database Key:
.  -pc_cpr_pressure <0> - the index

   Level: beginner

.seealso: `PCCPRGetPressure()`, `PCCPR`
@*/
PetscErrorCode PCCPRSetPressure(PC pc, PetscInt unknown)
{
  PC_Cpr *cpr = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCCPR, false, &cpr));
  PetscValidLogicalCollectiveInt(pc, unknown, 2);
  if (!cpr || cpr->system.unknown == unknown) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(unknown >= 0, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_OUTOFRANGE,
             "-%spc_cpr_pressure is %" PetscInt_FMT "; it must be 0 or more, PCCPRSetPressure()", PCNestedPrefix(pc),
             unknown);
  cpr->system.unknown = unknown;
  Invalidate(pc, cpr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCCPRGetPressure(PC pc, PetscInt *unknown)
{
  PC_Cpr *cpr = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCCPR, true, &cpr));
  *unknown = cpr->system.unknown;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCCPRSetBlockSize - Sets the number of unknowns of a block, for an AIJ matrix that does not have it

   Logically Collective

   Input Parameters:
+  pc - the preconditioner
-  n  - the number of unknowns, 2 to 32, or 0 (default) for the block size of the matrix

   Options Database Key:
.  -pc_cpr_block_size <0> - the number of unknowns

   Level: intermediate

   Note:
   The preconditioner of all unknowns gets the same block size if it is one of finegrain.

.seealso: `PCCPRGetBlockSize()`, `PCCPR`
@*/
PetscErrorCode PCCPRSetBlockSize(PC pc, PetscInt n)
{
  PC_Cpr *cpr = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCCPR, false, &cpr));
  PetscValidLogicalCollectiveInt(pc, n, 2);
  if (!cpr || cpr->system.block_size == n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(n == 0 || (n >= 2 && n <= 32), PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_ARG_OUTOFRANGE,
             "-%spc_cpr_block_size is %" PetscInt_FMT
             "; it must be 2 to 32, or 0 for the block size of the matrix, PCCPRSetBlockSize()",
             PCNestedPrefix(pc), n);
  cpr->system.block_size = n;
  PetscCall(PCFinegrainSetBlockSize(cpr->full, n));
  Invalidate(pc, cpr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCCPRGetBlockSize(PC pc, PetscInt *n)
{
  PC_Cpr *cpr = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCCPR, true, &cpr));
  *n = cpr->system.block_size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCCPRSetWeights - Sets the weights of the equations in the pressure system

   Logically Collective

   Input Parameters:
+  pc      - the preconditioner
-  weights - the kind of weights, quasi-IMPES by default

   Options Database Key:
.  -pc_cpr_weights <quasiimpes,sum,row,vector> - the kind of weights

   Level: intermediate

.seealso: `PCCPRGetWeights()`, `PCCPRSetWeightsVector()`, `PCCPRWeightsType`, `PCCPR`
@*/
PetscErrorCode PCCPRSetWeights(PC pc, PCCPRWeightsType weights)
{
  const int value = int(weights);
  PC_Cpr *cpr = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCCPR, false, &cpr));
  PetscValidLogicalCollectiveEnum(pc, weights, 2);
  if (!cpr || cpr->system.weights_type == weights) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(value >= 0 && value <= int(PCCPR_WEIGHTS_VECTOR), PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_ARG_OUTOFRANGE,
             "-%spc_cpr_weights is number %d of its values; it must be 0 for quasiimpes, 1 for sum, 2 for row, 3 for "
             "vector, PCCPRSetWeights()",
             PCNestedPrefix(pc), value);
  cpr->system.weights_type = weights;
  Invalidate(pc, cpr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCCPRGetWeights(PC pc, PCCPRWeightsType *weights)
{
  PC_Cpr *cpr = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCCPR, true, &cpr));
  *weights = cpr->system.weights_type;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCCPRSetWeightsVector - Gives `PCCPR` the weights of the equations, as those of true IMPES

   Logically Collective

   Input Parameters:
+  pc      - the preconditioner
-  weights - a weight for each row of the matrix, in a vector with its layout

   Level: advanced

   Note:
   The weights become `PCCPR_WEIGHTS_VECTOR`. The vector is read at each set-up, and the
   preconditioner keeps a reference.

.seealso: `PCCPRSetWeights()`, `PCCPR`
@*/
PetscErrorCode PCCPRSetWeightsVector(PC pc, Vec weights)
{
  PC_Cpr *cpr = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCCPR, false, &cpr));
  PetscValidHeaderSpecific(weights, VEC_CLASSID, 2);
  if (!cpr) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectReference(reinterpret_cast<PetscObject>(weights)));
  PetscCall(VecDestroy(&cpr->system.given));
  cpr->system.given = weights;
  cpr->system.weights_type = PCCPR_WEIGHTS_VECTOR;
  Invalidate(pc, cpr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
