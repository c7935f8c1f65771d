// SPDX-License-Identifier: BSD-2-Clause
// Matrices and preconditioners whose results depend on the number of ranks.
#include "pc/solve/rank_dependence.hpp"
#include "mat/baijkokkos.hpp"
#include "pc/options/settings.hpp"
#include "pc/ranks/shared_rows.hpp"
#include "vec/reproducible.hpp"

#include <petsc/private/kspimpl.h>

using namespace finegrain;

PetscErrorCode PCFinegrainNameRankDependence(PC pc, PC_Finegrain *e, KSP ksp)
{
  const EngineOptions &options = e->analysis.options;
  PetscBool parallel = PETSC_FALSE;
  VecType work;

  PetscFunctionBegin;
  if (ksp->vec_rhs)
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp->vec_rhs), VECMPIREPRODUCIBLE, &parallel));
  if (!parallel || e->ranks.has_warned) PetscFunctionReturn(PETSC_SUCCESS);
  e->ranks.has_warned = true;
  PetscCall(MatGetVecType(pc->mat, &work));
  if (!FinegrainIsReproducible(work))
    PetscCall(PetscInfo(pc,
                        "The vectors are reproducible, but work vectors of the solver may not be: the Mat makes "
                        "vectors of type %s, see MatSetVecType()\n",
                        work));
  const BAIJKokkos *matrix = BAIJKokkosGet(pc->mat);
  if (!matrix || matrix->bound)
    PetscCall(
      PetscInfo(pc,
                "The vectors are reproducible, the solve is not: products with a Mat of type %s depend on the "
                "number of ranks, those of type " MATBAIJKOKKOS " do not\n",
                reinterpret_cast<PetscObject>(pc->mat)->type_name));
  const bool by_color = options.method == Method::relaxation && options.relaxation.exchange == Exchange::color;
  if (!by_color && !FinegrainSharesRows(options))
    PetscCall(PetscInfo(pc,
                        "The vectors are reproducible, the solve is not: this preconditioner depends on the number "
                        "of ranks; %s\n",
                        PCFinegrainText(pc, e->type->ranks_remedy).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}
