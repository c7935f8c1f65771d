// SPDX-License-Identifier: BSD-2-Clause
// Whether the norms of a refinement still get anywhere. KSPREFINE asks it once a pass.
#pragma once

#include <petscsys.h>

// Idle are norms that are neither smaller than the one before nor the highest since the best. Slow convergence has
// none of them however slow it is, and neither has a norm that rises: it may be on its way over a hump, as convection
// makes them, and if it is not, divtol ends the solve.
struct StagnationTest {
  static constexpr PetscReal rounding = 10 * PETSC_MACHINE_EPSILON; // less than this is no change
  static constexpr PetscInt patience = 10;                          // idle norms

  PetscReal first = -1, previous = 0; // first: negative before there is any
  PetscReal best = PETSC_INFINITY;
  PetscReal highest = 0; // since the best
  PetscInt idle = 0;     // since the best

  // Whether this is the best norm of all.
  bool take(PetscReal norm)
  {
    if (first < 0) first = norm;
    if (norm < (1 - rounding) * best) idle = 0;
    else if (norm >= (1 - rounding) * previous && norm <= (1 + rounding) * highest) ++idle;
    previous = norm;
    const bool is_best = norm < best;
    if (is_best) best = norm;
    highest = is_best ? norm : PetscMax(norm, highest);
    return is_best;
  }
  bool has_stagnated() const { return idle >= patience; }
  PetscReal reduction() const { return best / first; }
};
