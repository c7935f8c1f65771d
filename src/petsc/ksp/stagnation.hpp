// SPDX-License-Identifier: BSD-2-Clause
// Stagnation test for the norms of KSPREFINE.
#pragma once

#include <petscsys.h>

// Counts idle norms, which are neither smaller than the previous norm nor the largest since the best one. Slow
// convergence has no idle norms. A rising norm is not idle either: convection may raise it before it falls, and if
// it keeps rising, divtol ends the solve.
struct StagnationTest {
  static constexpr PetscReal rounding = 10 * PETSC_MACHINE_EPSILON; // smaller changes do not count
  static constexpr PetscInt patience = 10;                          // number of idle norms

  PetscReal first = -1, previous = 0; // first: negative before there is one
  PetscReal best = PETSC_INFINITY;
  PetscReal highest = 0; // since the best
  PetscInt idle = 0;     // since the best

  // Adds a norm. Returns true if it is the best so far.
  bool add(PetscReal norm)
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
