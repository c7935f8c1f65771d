// SPDX-License-Identifier: BSD-2-Clause
// Pseudo-time steps to a steady flow, or to each time of an unsteady one.
#pragma once

#include "system.hpp"

#include <functional>

struct MarchOptions {
  PetscReal cfl = 10, cfl_max = 200; // of the local pseudo-time steps; it grows as the residual decreases
  PetscReal rtol = PetscReal(1e-8);  // of the residual, by the first; unsteady: in each time step, 1e-3; 0: none
  PetscInt max_steps = 500;          // unsteady: pseudo-time steps per time step; their number if rtol is 0
  PetscReal dt = 0, until = 0;       // above 0: unsteady, by BDF2
  PetscBool second_order = PETSC_FALSE, timing = PETSC_TRUE;
  PetscBool sub_residuals = PETSC_FALSE; // unsteady: print the relative residual after each pseudo-time step
};

// Progress of the march, for restarts; the flow has the state.
struct Progress {
  double time = 0, first = 0; // first: norm of the first residual
  PetscInt steps = 0, iterations = 0, times = 0;
  PetscInt short_ends = 0;        // of this run: the march, or its time steps, that ended above the tolerance
  double residual = 0;            // the largest relative residual at an end
  std::vector<double> old, older; // states at the last two times
};

PetscErrorCode GetMarchOptions(MarchOptions *options);

// `done` is called after each step, or time, with text that it may append to the printed line.
using Monitor = std::function<PetscErrorCode(const Progress &, std::string *text)>;
PetscErrorCode March(const MarchOptions &options, Flow *flow, System *system, Progress *progress,
                     const Monitor &done);
