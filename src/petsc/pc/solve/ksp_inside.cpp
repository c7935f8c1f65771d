// SPDX-License-Identifier: BSD-2-Clause
#include "pc/solve/ksp_inside.hpp"

#include <petsc/private/kspimpl.h>

#include <string>

// PETSc has no such query. KSPs of nonlinear solvers have a tab level too, but not the prefixes that preconditioners
// append.
bool PCFinegrainIsInside(KSP ksp)
{
  const PetscObject object = reinterpret_cast<PetscObject>(ksp);
  if (object->tablevel == 0 || !object->prefix) return false;
  const std::string name = object->prefix;
  for (const char *part : {"sub_", "fieldsplit_", "mg_levels_", "mg_coarse_", "redundant_", "telescope_",
                           "redistribute_", "galerkin_", "deflation_"})
    if (name.find(part) != std::string::npos) return true;
  return name.size() >= 4 && name.compare(name.size() - 4, 4, "ksp_") == 0; // PCKSP
}
