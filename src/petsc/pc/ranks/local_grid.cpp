// SPDX-License-Identifier: BSD-2-Clause
#include "pc/ranks/local_grid.hpp"

using namespace finegrain;

PetscErrorCode PCFinegrainFindGrid(PC pc, DM *da)
{
  PetscBool is_da = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PCGetDM(pc, da));
  if (!*da) PetscCall(MatGetDM(pc->pmat, da));
  if (*da) PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(*da), DMDA, &is_da));
  if (!is_da) *da = nullptr;
  if (*da) PetscCall(DMSetUp(*da)); // PCFIELDSPLIT does not set up the grids of its fields
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FinegrainFindBoxes(DM da, const std::vector<PetscInt> &given, Grid *grid, unsigned *open_axes,
                                  bool *hint)
{
  PetscInt m, n, p, all[3];
  DMBoundaryType boundary[3];

  PetscFunctionBegin;
  grid->clear();
  *hint = given.empty();
  for (std::size_t b = 0; b + 2 < given.size(); b += 3)
    grid->push_back({Index(given[b]), Index(given[b + 1]), Index(given[b + 2])});
  if (!*hint) PetscFunctionReturn(PETSC_SUCCESS);
  if (da) {
    PetscCall(DMDAGetCorners(da, nullptr, nullptr, nullptr, &m, &n, &p));
    grid->push_back({Index(m), Index(n), Index(p)});
    PetscCall(DMDAGetInfo(da, nullptr, &all[0], &all[1], &all[2], nullptr, nullptr, nullptr, nullptr, nullptr,
                          &boundary[0], &boundary[1], &boundary[2], nullptr));
    const PetscInt mine[] = {m, n, p};
    for (unsigned a = 0; a < 3; ++a) // a rank with a part of a period does not meet its own end
      if (boundary[a] != DM_BOUNDARY_PERIODIC || mine[a] < all[a]) *open_axes |= 1u << a;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
