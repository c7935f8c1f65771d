// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters for small, missing and indefinite pivots.
#include "pc/options/settings.hpp"
#include "pc/find.hpp"

using namespace finegrain;

namespace finegrain::settings
{
constinit const Common<MatFactorShiftType> shift_type{"shift_type", "What to do about singular blocks",
                                                      "PCFinegrainSetShift", &FinegrainSettings::shift_type,
                                                      MatFactorShiftTypes};
constinit const PCFinegrainList shift_amount{
  "shift_amount", "Smallest pivot, relative to its row and column", "PCFinegrainSetShift",
  [](PC pc, FinegrainOptionItems items, const PCFinegrainSetting &s) {
    const PC_Finegrain &e = PCFinegrainData<PC_Finegrain>(pc);
    PetscReal amount = e.settings.shift_amount;
    PetscBool given;

    PetscFunctionBegin;
    PetscCall(PCFinegrainRead(pc, items, s, amount, &amount, &given));
    if (given) PetscCall(PCFinegrainSetShift(pc, e.settings.shift_type, amount));
    PetscFunctionReturn(PETSC_SUCCESS);
  },
  [](const PC_Finegrain &e) { return PCFinegrainShow(e.settings.shift_amount); }};
constinit const Common<PetscReal> zero_pivot{"zero_pivot", "Pivots that are zero, relative to what they come from",
                                             "PCFinegrainSetZeroPivot", &FinegrainSettings::zero_pivot, PetscInt(0)};
constinit const Common<PetscBool> add_diagonal{"add_diagonal", "Whether missing diagonal blocks are added",
                                               "PCFinegrainSetAddDiagonal", &FinegrainSettings::add_diagonal};
} // namespace finegrain::settings

/*@
   PCFinegrainSetShift - Chooses the treatment of diagonal blocks that are singular or not positive definite

   Logically Collective

   Input Parameters:
+  pc     - the preconditioner
.  type   - `MAT_SHIFT_NONE` (default, except for `PCFGBICC` with real numbers): set-up fails with
            `PC_FACTOR_NUMERIC_ZEROPIVOT`; `MAT_SHIFT_INBLOCKS`: a pivot of magnitude at most amount times the scales
            of its row and column is replaced by that value; `MAT_SHIFT_POSITIVE_DEFINITE` (`PCFGBICC` only, its
            default): diagonal entries are increased until all pivots are positive definite
-  amount - for `MAT_SHIFT_INBLOCKS`; by default, and for `PETSC_DECIDE`, the square root of `PETSC_MACHINE_EPSILON`

   Options Database Keys:
+  -pc_fgbilu_shift_type <none,inblocks> - the type; `PCFGBICC` also has positive_definite
-  -pc_fgbilu_shift_amount <amount>      - the amount

   Level: intermediate

   Notes:
   `PCView()` and -info report the number of block rows with replaced pivots on all ranks, or how much diagonal
   entries were increased and in how many factorizations.

   The scales of rows and columns equilibrate the block, both as the matrix has it and as it is factored. Units of
   unknowns and equations or penalties therefore cause no replacement. Blocks that are not singular by the test of
   `PCFinegrainSetZeroPivot()`, with the amount as its tolerance, do not change.

   A pivot below the rounding errors of its block gives an application that amplifies errors as much. Small amounts,
   such as 100 `PETSC_MACHINE_EPSILON`, hide a zero pivot but not its consequences.

.seealso: `PCFinegrainGetShift()`, `PCFinegrainSetZeroPivot()`, `PCFGBILU`, `PCFGBICC`, `MatFactorShiftType`
@*/
PetscErrorCode PCFinegrainSetShift(PC pc, MatFactorShiftType type, PetscReal amount)
{
  const PCFinegrainArgument<MatFactorShiftType> chosen = type; // may be none of the enumeration
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFind(pc, &e));
  PetscCall(PCFinegrainCheckSame<MatFactorShiftType>(pc, chosen));
  PetscValidLogicalCollectiveReal(pc, amount, 3);
  if (!e) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(settings::shift_type.check(pc, chosen));
  if (amount == PetscReal(PETSC_DECIDE)) amount = PETSC_SQRT_MACHINE_EPSILON;
  PetscCheck(amount > 0 && amount < 1, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_OUTOFRANGE,
             "%s is %g; it must be positive and below 1, or PETSC_DECIDE, PCFinegrainSetShift()",
             PCFinegrainOption(pc, "shift_amount").c_str(), double(amount));
  PetscCall(PCFinegrainChange(pc, e, e->settings.shift_type, MatFactorShiftType(chosen)));
  PetscCall(PCFinegrainChange(pc, e, e->settings.shift_amount, amount));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainGetShift - Gets what `PCFinegrainSetShift()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameters:
+  type   - the type, or `NULL`
-  amount - the amount, or `NULL`

   Level: intermediate

.seealso: `PCFinegrainSetShift()`
@*/
PetscErrorCode PCFinegrainGetShift(PC pc, MatFactorShiftType *type, PetscReal *amount)
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainGet(pc, &e));
  if (type) *type = e->settings.shift_type;
  if (amount) *amount = e->settings.shift_amount;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFinegrainSetZeroPivot - Sets how small a pivot must be to count as zero

   Logically Collective

   Input Parameters:
+  pc  - the preconditioner
-  tol - tolerance relative to the terms that the pivot was computed from; 100 `PETSC_MACHINE_EPSILON` by default;
         with 0 only an exact zero counts

   Options Database Key:
.  -pc_fgbilu_zero_pivot <tol> - the tolerance

   Level: intermediate

   Notes:
   A scalar pivot is zero if its magnitude is at most tol times those of the terms of its sum; a factor in single
   precision uses at least 10 epsilons of that precision. A block D computed from the block B of the matrix is
   singular if a row of |D^-1| |B| has a diagonal entry of 1/tol or more, that is, if changes of the entries of B by
   tol of themselves may make D singular. Units of unknowns and equations do not matter. The set-up then fails with
   `PC_FACTOR_NUMERIC_ZEROPIVOT`.

   With `MAT_SHIFT_INBLOCKS` zero scalar pivots are replaced, and blocks have only the test of that shift.

.seealso: `PCFinegrainGetZeroPivot()`, `PCFinegrainSetShift()`, `PCFactorSetZeroPivot()`
@*/
PetscErrorCode PCFinegrainSetZeroPivot(PC pc, PetscReal tol) { return settings::zero_pivot.set(pc, tol); }

PetscErrorCode PCFinegrainGetZeroPivot(PC pc, PetscReal *tol) { return settings::zero_pivot.get(pc, tol); }

/*@
   PCFinegrainSetAddDiagonal - Chooses if missing diagonal blocks are added

   Logically Collective

   Input Parameters:
+  pc  - the preconditioner
-  add - `PETSC_FALSE` (default): missing diagonal blocks are an error

   Options Database Key:
.  -pc_fgbilu_add_diagonal <false> - true: they are added

   Level: intermediate

   Note:
   A matrix without some diagonal blocks is copied, with zeros there, and each set-up updates the copy. The
   factorization fills the zeros in, or they are zero pivots: for rows that are eliminated before all their
   neighbors, and always for `PCMCPI`. `PCFinegrainSetShift()` replaces zero pivots, and `PCFinegrainSetOrdering()`
   may move their rows behind their neighbors.

.seealso: `PCFinegrainGetAddDiagonal()`, `PCFinegrainSetShift()`, `PCFinegrainSetOrdering()`
@*/
PetscErrorCode PCFinegrainSetAddDiagonal(PC pc, PetscBool add) { return settings::add_diagonal.set(pc, add); }

PetscErrorCode PCFinegrainGetAddDiagonal(PC pc, PetscBool *add) { return settings::add_diagonal.get(pc, add); }
