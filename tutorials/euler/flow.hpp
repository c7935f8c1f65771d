// SPDX-License-Identifier: BSD-2-Clause
// First-order finite volumes for the Euler equations on a mesh: residual, time steps, Jacobian.
#pragma once

#include "flux.hpp"

#include <petscmat.h>

struct Flow {
  const Mesh *mesh;
  State<double> stream; // free stream: the initial state, and that beyond inflow and outflow
};

State<double> FreeStream(double mach);

// A vector with ghosts in blocks of 5, all free stream; a matrix, BAIJ with blocks of 5 where the options say
// nothing.
PetscErrorCode CreateStates(MPI_Comm comm, const Flow &flow, Vec *states);
PetscErrorCode CreateJacobian(MPI_Comm comm, const Flow &flow, Mat *J);

// What flows out of each dual cell. `waves`: sum over the faces of each own cell of the fastest wave's speed times
// area. With `open` no boundary is a wall: then the free stream fits.
PetscErrorCode Residual(const Flow &flow, Vec q, bool open, Vec residual, std::vector<double> *waves);

// The residual's derivative, with volume / time step added to its diagonal, which is waves / cfl. No waves: no time.
PetscErrorCode Jacobian(const Flow &flow, Vec q, const std::vector<double> &waves, double cfl, Mat J);

// Checks, as norms: the residual of the free stream with open boundaries, per flux through the inflow; the difference
// of J v and a difference quotient, per J v.
PetscErrorCode CheckFreeStream(const Flow &flow, double *relative);
PetscErrorCode CheckJacobian(const Flow &flow, Vec q, double *relative);

// Mass through inflow and outflow, x force on the walls, largest Mach number, and the change of entropy (root of its
// square's mean over the volume). Without shocks neither force nor change is of the flow: they are the scheme's
// error.
struct Totals {
  double in, out, force, mach, entropy;
};
PetscErrorCode FindTotals(const Flow &flow, Vec q, Totals *totals);
