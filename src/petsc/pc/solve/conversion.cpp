// SPDX-License-Identifier: BSD-2-Clause
// Conversion of a Pmat that cannot be read directly, with its current values: BAIJ for SBAIJ, and a copy with sorted
// columns and all diagonal blocks.
#include "pc/solve/conversion.hpp"

using namespace finegrain;

static PetscErrorCode Convert(PC pc, PC_Finegrain *e)
{
  FinegrainState now;
  Operator op;
  bool known;

  PetscFunctionBegin;
  if (!e->analysis.analyzed) {
    PetscCall(MatDestroy(&e->conversion.matrix));
    PetscCall(
      OperatorFindDefects(pc->pmat, e->settings.block_size, e->settings.add_diagonal, &e->conversion.defects));
    if (!e->conversion.defects.none())
      PetscCall(PetscInfo(pc,
                          "a copy of the matrix is read: %" PetscInt_FMT
                          " rows have columns out of order, %" PetscInt_FMT " block rows no diagonal block\n",
                          e->conversion.defects.unsorted, e->conversion.defects.incomplete));
  }
  PetscCall(OperatorFindType(pc->pmat, &op, &known));
  // The upper triangle suffices if no residuals of the matrix are needed.
  const bool whole =
    op.symmetric && !(e->type->reads_upper && e->settings.corrections == 0 && !e->analysis.has_corrections);
  if (!whole && e->conversion.defects.none()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FinegrainGetState(pc->pmat, &now));
  if (e->conversion.matrix && whole == e->conversion.expanded_from_sbaij && now == e->conversion.of)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (whole || e->conversion.expanded_from_sbaij) PetscCall(MatDestroy(&e->conversion.matrix));
  Mat sound = e->conversion.matrix;
  if (!e->conversion.defects.none()) PetscCall(OperatorCopy(pc->pmat, e->settings.add_diagonal, &sound));
  e->conversion.matrix = sound;
  if (whole) {
    PetscCall(OperatorExpand(pc->pmat, sound ? sound : pc->pmat, &e->conversion.matrix));
    PetscCall(MatDestroy(&sound));
  }
  e->conversion.expanded_from_sbaij = whole;
  e->conversion.of = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainConvert(PC pc, PC_Finegrain *e)
{
  return FinegrainLogged(finegrain_events.convert, pc, [&] { return Convert(pc, e); });
}
