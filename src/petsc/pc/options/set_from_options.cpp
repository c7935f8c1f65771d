// SPDX-License-Identifier: BSD-2-Clause
#include "pc/options/set_from_options.hpp"
#include "pc/options/petsc_setters.hpp"
#include "pc/options/settings.hpp"

PetscErrorCode PCSetFromOptions_Finegrain(PC pc, FinegrainOptionItems PetscOptionsObject)
{
  const PCFinegrainType &type = *static_cast<PC_Finegrain *>(pc->data)->type;

  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(pc, [&] { return PCFinegrainSayUnread(pc); }));
  PetscCall(FinegrainOnAllRanks(pc, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscOptionsHeadBegin(PetscOptionsObject, (std::string(type.name) + " options").c_str());
    for (const PCFinegrainTypeSetting &row : PCFinegrainRows(type))
      if (row.option) PetscCall(row.setting->read(pc, PetscOptionsObject, row));
    PetscOptionsHeadEnd();
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}
