// SPDX-License-Identifier: BSD-2-Clause
#include "pc/solve/shifted_factor.hpp"
#include "pc/ranks/shared_rows.hpp"

using namespace finegrain;

// M is positive definite if all its pivots are. Diagonal entries a become a + shift |a|, which does not depend on
// the scaling of unknowns. Each shift is twice the one before (Lin and More, SIAM J. Sci. Comput. 21, 1999).
PetscErrorCode PCFinegrainFactor(PC pc, PC_Finegrain *e, Values values, Real largest)
{
  constexpr PetscReal first = PetscReal(1e-3);
  constexpr PetscInt most = 20; // the last shift is 262
  PetscInt indefinite;
  const auto factor = [&]() -> PetscErrorCode {
    e->analysis.report = e->analysis.engine->factor(values, largest);
    return PETSC_SUCCESS;
  };

  PetscFunctionBegin;
  e->analysis.diagonal_shift = 0;
  for (e->analysis.factorizations = 1;; ++e->analysis.factorizations) {
    values.diagonal_shift = Real(e->analysis.diagonal_shift);
    if (FinegrainSharesRows(e->analysis.options)) PetscCall(factor()); // it communicates, and allocates nothing
    else PetscCall(FinegrainOnAllRanks(pc, factor));
    if (!e->analysis.options.shift.definite) PetscFunctionReturn(PETSC_SUCCESS);
    indefinite = e->analysis.report.indefinite > 0;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &indefinite, 1, MPIU_INT, MPI_MAX,
                               PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
    if (!indefinite || e->analysis.factorizations == most) break;
    e->analysis.diagonal_shift = e->analysis.diagonal_shift > 0 ? 2 * e->analysis.diagonal_shift : first;
  }
  PetscCall(PetscInfo(pc, "diagonal entries raised by %.4g of themselves, %" PetscInt_FMT " factorizations\n",
                      double(e->analysis.diagonal_shift), e->analysis.factorizations));
  PetscFunctionReturn(PETSC_SUCCESS);
}
