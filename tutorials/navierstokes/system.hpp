// SPDX-License-Identifier: BSD-2-Clause
// Where the flow meets PETSc: the Jacobian's blocks become a matrix, and the pieces of the grid are told to the
// preconditioner.
#pragma once

#include "flow.hpp"

#include <petscksp.h>

struct System {
  Mat A = nullptr;
  Mat second = nullptr; // A x by differences of the residual of second order, if wanted
  KSP ksp = nullptr;
  Vec b = nullptr, dq = nullptr;
  std::vector<PetscScalar> blocks; // star blocks a cell, as Flow::Jacobian() fills them
  std::vector<PetscInt> columns;
  PetscBool by_coordinates = PETSC_FALSE;
  // What `second` is taken at and with.
  Flow *flow = nullptr;
  std::vector<double> base, diagonal;
};

PetscErrorCode CreateSystem(Flow *flow, PetscBool second_order, System *system);
PetscErrorCode DestroySystem(System *system);
// Gives the matrix the values of `blocks`, with `diagonal` (n a cell) added.
PetscErrorCode SetMatrix(System *system);
// dq = A^-1 b.
PetscErrorCode SolveSystem(System *system, PetscInt *iterations);
