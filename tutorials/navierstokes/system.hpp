// SPDX-License-Identifier: BSD-2-Clause
// Interface of the flow to PETSc: converts the Jacobian's blocks to a matrix, and gives the preconditioner the
// pieces of the grid.
#pragma once

#include "flow.hpp"

#include <petscksp.h>

struct System {
  Mat A = nullptr;
  Mat second = nullptr; // A x by differences of the second-order residual, if wanted
  KSP ksp = nullptr;
  Vec b = nullptr, dq = nullptr;
  std::vector<PetscScalar> blocks; // star blocks per cell, filled by Flow::Jacobian()
  std::vector<PetscInt> columns;
  PetscBool by_coordinates = PETSC_FALSE;
  // Data of `second`: the flow, the base state, and the added diagonal.
  Flow *flow = nullptr;
  std::vector<double> base, diagonal;
};

PetscErrorCode CreateSystem(Flow *flow, PetscBool second_order, System *system);
PetscErrorCode DestroySystem(System *system);
// Sets the matrix to the values of `blocks`, with `diagonal` (n per cell) added.
PetscErrorCode SetMatrix(System *system);
// dq = A^-1 b.
PetscErrorCode SolveSystem(System *system, PetscInt *iterations);
