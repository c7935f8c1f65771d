// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters of PCLAG.
#include "pc/nested/lag.hpp"

/*@
   PCLAGGetPC - Gets the preconditioner that `PCLAG` keeps

   Not Collective

   Input Parameter:
.  pc - the preconditioner, of type `PCLAG`

   Output Parameter:
.  inner - the preconditioner inside it; its options have the prefix lag_

   Level: intermediate

.seealso: `PCLAG`
@*/
PetscErrorCode PCLAGGetPC(PC pc, PC *inner)
{
  PC_Lag *lag = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCLAG, true, &lag));
  *inner = lag->inner;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCLAGSetCost - Sets the cost of a set-up: the number of extra iterations at which `PCLAG` rebuilds

   Logically Collective

   Input Parameters:
+  pc         - the preconditioner
-  iterations - time of a set-up over time of an iteration, positive, or 0 (default) for a value by the type of the
                inner PC

   Options Database Key:
.  -pc_lag_cost <0> - the cost

   Level: intermediate

   Note:
   A smaller value rebuilds more often. The defaults by type are in the manual page of `PCLAG`.

.seealso: `PCLAGGetCost()`, `PCLAGSetMeasure()`, `PCLAG`
@*/
PetscErrorCode PCLAGSetCost(PC pc, PetscReal iterations)
{
  PC_Lag *lag = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCLAG, false, &lag));
  PetscValidLogicalCollectiveReal(pc, iterations, 2);
  if (!lag) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(iterations >= 0, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_OUTOFRANGE,
             "-%spc_lag_cost is %g; it must be positive, or 0 for a value by type, PCLAGSetCost()",
             PCNestedPrefix(pc), double(iterations));
  lag->cost = iterations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCLAGGetCost(PC pc, PetscReal *iterations)
{
  PC_Lag *lag = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCLAG, true, &lag));
  *iterations = lag->cost;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCLAGSetMeasure - Sets if `PCLAG` measures the cost of a set-up

   Logically Collective

   Input Parameters:
+  pc      - the preconditioner
-  measure - `PETSC_TRUE`: the time of the last set-up over that of an iteration of the last solve, of the slowest
             rank; `PETSC_FALSE` (default): the number of `PCLAGSetCost()`

   Options Database Key:
.  -pc_lag_measure <false> - measure

   Level: intermediate

   Note:
   With measured times two runs of a program may rebuild at different systems, and so differ in rounding.

.seealso: `PCLAGGetMeasure()`, `PCLAGSetCost()`, `PCLAG`
@*/
PetscErrorCode PCLAGSetMeasure(PC pc, PetscBool measure)
{
  PC_Lag *lag = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCLAG, false, &lag));
  PetscValidLogicalCollectiveBool(pc, measure, 2);
  if (lag) lag->measure = measure;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCLAGGetMeasure(PC pc, PetscBool *measure)
{
  PC_Lag *lag = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCLAG, true, &lag));
  *measure = lag->measure;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCLAGSetMaximum - Sets how many systems `PCLAG` solves with one set-up at most

   Logically Collective

   Input Parameters:
+  pc      - the preconditioner
-  systems - the largest number of systems, or 0 (default) for no limit

   Options Database Key:
.  -pc_lag_maximum <0> - the largest number

   Level: intermediate

.seealso: `PCLAGGetMaximum()`, `PCLAG`
@*/
PetscErrorCode PCLAGSetMaximum(PC pc, PetscInt systems)
{
  PC_Lag *lag = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCLAG, false, &lag));
  PetscValidLogicalCollectiveInt(pc, systems, 2);
  if (!lag) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(systems >= 0, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_OUTOFRANGE,
             "-%spc_lag_maximum is %" PetscInt_FMT "; it must be 0 or more, PCLAGSetMaximum()", PCNestedPrefix(pc),
             systems);
  lag->maximum = systems;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCLAGGetMaximum(PC pc, PetscInt *systems)
{
  PC_Lag *lag = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCLAG, true, &lag));
  *systems = lag->maximum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCLAGGetSetUps - Gets how often `PCLAG` has set up the preconditioner inside it

   Not Collective

   Input Parameter:
.  pc - the preconditioner, of type `PCLAG`

   Output Parameter:
.  setups - the number of set-ups

   Level: intermediate

.seealso: `PCLAG`
@*/
PetscErrorCode PCLAGGetSetUps(PC pc, PetscInt *setups)
{
  PC_Lag *lag = nullptr;

  PetscFunctionBegin;
  PetscCall(PCNestedFind(pc, PCLAG, true, &lag));
  *setups = lag->setups;
  PetscFunctionReturn(PETSC_SUCCESS);
}
