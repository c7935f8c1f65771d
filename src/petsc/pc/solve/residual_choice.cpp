// SPDX-License-Identifier: BSD-2-Clause
#include "pc/solve/residual_choice.hpp"
#include "pc/find.hpp"
#include "pc/ranks/colors_and_keys.hpp"
#include "pc/ranks/shared_rows.hpp"
#include "pc/solve/conversion.hpp"
#include "pc/solve/matrix_change.hpp"
#include "pc/solve/set_up.hpp"

using namespace finegrain;

static PetscErrorCode AllowCorrectionsLater(PC pc, PC_Finegrain *e, MatrixChange change)
{
  OperatorView view;
  Operator op;

  PetscFunctionBegin;
  if (e->analysis.op.symmetric) { // residuals need the whole matrix, and the factor its entry indices
    e->analysis.has_corrections = true;
    PetscCall(PCFinegrainConvert(pc, e));
    PetscCall(PCFinegrainAnalyze(pc, e));
    PetscCall(PCFinegrainRefactor(pc, e));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(OperatorAnalyze(PCFinegrainMatrix(pc, e->conversion), e->settings.block_size, "", &op, &view));
  if (e->analysis.options.relaxation.exchange == Exchange::color)
    PetscCall(PCFinegrainFindColorsAndKeys(pc, *e, &view)); // for the order of sums
  if (FinegrainSharesRows(e->analysis.options)) PetscCall(PCFinegrainFindKeys(pc, *e, &view));
  PetscCall(PCFinegrainAllowCorrections(pc, e, view));
  if (change == MatrixChange::none) // for residuals from the factor; a lagged factor stays as it is
    PetscCall(PCFinegrainRefactor(pc, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainMakesResiduals(PC pc, PC_Finegrain *e, bool *makes)
{
  MatrixChange change;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFindChange(pc, e, &change));
  // A factor made from an upper triangle would have to be recomputed for residuals.
  *makes = change == MatrixChange::none ||
           (change == MatrixChange::values && (e->analysis.has_corrections || !e->analysis.op.symmetric));
  if (!*makes || e->analysis.has_corrections) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscErrorCode code = AllowCorrectionsLater(pc, e, change);
  if (code) PCFinegrainInvalidate(pc, e);
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
