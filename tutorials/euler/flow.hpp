// SPDX-License-Identifier: BSD-2-Clause
// First-order finite volumes for the Euler equations on a mesh: residual, time steps, Jacobian.
#pragma once

#include "flux.hpp"

#include <petscmat.h>

struct Flow {
  const Mesh *mesh;
  State<double> stream; // free stream: the initial state, and the state outside of inflow and outflow
};

State<double> FreeStream(double mach);

// Creates a vector with ghosts in blocks of 5, set to the free stream; and a matrix, BAIJ with blocks of 5 unless
// options say otherwise.
PetscErrorCode CreateStates(MPI_Comm comm, const Flow &flow, Vec *states);
PetscErrorCode CreateJacobian(MPI_Comm comm, const Flow &flow, Mat *J);

// Computes the flow out of each dual cell. `waves`: for each own cell, the sum over its faces of the fastest wave's
// speed times area. With `open` no boundary is a wall, so that the free stream is a solution.
PetscErrorCode Residual(const Flow &flow, Vec q, bool open, Vec residual, std::vector<double> *waves);

// The residual's derivative, with volume / time step = waves / cfl added to its diagonal, or, without waves, no time
// term.
PetscErrorCode Jacobian(const Flow &flow, Vec q, const std::vector<double> &waves, double cfl, Mat J);

// Checks, as norms: the residual of the free stream with open boundaries, relative to the flux through the inflow;
// the difference of J v and a difference quotient, relative to J v.
PetscErrorCode CheckFreeStream(const Flow &flow, double *relative);
PetscErrorCode CheckJacobian(const Flow &flow, Vec q, double *relative);

// Mass through inflow and outflow, x force on the walls, largest Mach number, and the change of entropy (root of its
// mean square over the volume). Without shocks, the exact flow has neither force nor entropy change: they are errors
// of the scheme.
struct Totals {
  double in, out, force, mach, entropy;
};
PetscErrorCode FindTotals(const Flow &flow, Vec q, Totals *totals);
