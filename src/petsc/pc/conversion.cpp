// SPDX-License-Identifier: BSD-2-Clause
// What is read where Pmat cannot be read as it is: BAIJ for SBAIJ, and a copy that is sorted and has all diagonal
// blocks. It has Pmat's values as they are now.
#include "pc/settings.hpp"

using namespace finegrain;

static PetscErrorCode Convert(PC pc, PCEngine *e)
{
  FinegrainState now;
  Operator op;
  bool known;

  PetscFunctionBegin;
  if (!e->analyzed) {
    PetscCall(MatDestroy(&e->converted));
    PetscCall(OperatorFindDefects(pc->pmat, e->block_size, e->add_diagonal, &e->defects));
    if (!e->defects.none())
      PetscCall(PetscInfo(pc,
                          "a copy of the matrix is read: %" PetscInt_FMT
                          " rows have columns out of order, %" PetscInt_FMT " block rows no diagonal block\n",
                          e->defects.unsorted, e->defects.incomplete));
  }
  PetscCall(OperatorFindType(pc->pmat, &op, &known));
  // The upper triangle is enough without residuals of the matrix.
  const bool whole = op.symmetric && !(e->type->reads_upper && e->corrections == 0 && !e->has_corrections);
  if (!whole && e->defects.none()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FinegrainGetState(pc->pmat, &now));
  if (e->converted && whole == e->whole && now == e->converted_of) PetscFunctionReturn(PETSC_SUCCESS);
  if (whole || e->whole) PetscCall(MatDestroy(&e->converted));
  Mat sound = e->converted;
  if (!e->defects.none()) PetscCall(OperatorCopy(pc->pmat, e->add_diagonal, &sound));
  e->converted = sound;
  if (whole) {
    PetscCall(OperatorExpand(pc->pmat, sound ? sound : pc->pmat, &e->converted));
    PetscCall(MatDestroy(&sound));
  }
  e->whole = whole;
  e->converted_of = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineConvert(PC pc, PCEngine *e)
{
  return FinegrainLogged(finegrain_events.convert, pc, [&] { return Convert(pc, e); });
}
