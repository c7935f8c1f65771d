// SPDX-License-Identifier: BSD-2-Clause
// Comparison of one computation by two algorithms, for benchmarks that compare results before they time.
#pragma once

#include "common/petsc_compat.hpp"

#include <petscvec.h>

namespace finegrain::test
{

// Raises an error if x and y differ by more than rounding, or if one has NaN. y becomes y - x. Both sides are sums
// of magnitudes: the rounding of n numbers has the same relative size for any n, and one wrong number among 1e8 is
// still seen.
inline PetscErrorCode ExpectTheSame(Vec x, Vec y, const char *what)
{
  PetscReal difference, size;

  PetscFunctionBegin;
  PetscCall(VecNorm(x, NORM_1, &size));
  PetscCall(VecAXPY(y, -1, x));
  PetscCall(VecNorm(y, NORM_1, &difference)); // sees NaN
  PetscCheck(difference <= 4500 * PETSC_MACHINE_EPSILON * size, PetscObjectComm(reinterpret_cast<PetscObject>(x)),
             PETSC_ERR_PLIB, "%s: theirs differs from ours by %g of %g", what, double(difference), double(size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace finegrain::test
