// SPDX-License-Identifier: BSD-2-Clause
// Results of one computation by two algorithms, for benchmarks that compare before they time.
#pragma once

#include "common/petsc_compat.hpp"

#include <petscvec.h>

namespace finegrain::test
{

// An error if x and y differ by more than rounding does, or one is NaN. Sums of magnitudes on both sides: rounding of
// n numbers is as large in proportion whatever n is, and one wrong number among 1e8 is still seen. y becomes y - x.
inline PetscErrorCode ExpectTheSame(Vec x, Vec y, const char *what)
{
  PetscReal difference, size;

  PetscFunctionBegin;
  PetscCall(VecNorm(x, NORM_1, &size));
  PetscCall(VecAXPY(y, -1, x));
  PetscCall(VecNorm(y, NORM_1, &difference)); // which sees NaN
  PetscCheck(difference <= 4500 * PETSC_MACHINE_EPSILON * size, PetscObjectComm(reinterpret_cast<PetscObject>(x)),
             PETSC_ERR_PLIB, "%s: theirs differs from ours by %g of %g", what, double(difference), double(size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace finegrain::test
