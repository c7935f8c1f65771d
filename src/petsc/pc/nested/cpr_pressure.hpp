// SPDX-License-Identifier: BSD-2-Clause
// Pressure system of PCCPR: S = W^T A P, where P has the column of the pressure of each block row, and W its weights.
#pragma once

#include "common/matrix_view.hpp"

#include <petscfinegrain.h>

#include <vector>

class PressureSystem
{
public:
  // Settings.
  PetscInt unknown = 0;    // index of the pressure in a block
  PetscInt block_size = 0; // 0: the matrix's own
  PCCPRWeightsType weights_type = PCCPR_WEIGHTS_QUASIIMPES;
  Vec given = nullptr; // weights of the program, one for each row

  // Finds the pattern of S. Collective.
  PetscErrorCode analyze(Mat pmat, const char *option);

  // Computes the weights and S from the values of the matrix, which has the analyzed pattern. *singular is the global
  // number of the first block row whose diagonal block is singular where weights need its inverse, else -1, and then
  // S is not computed. Collective.
  PetscErrorCode update(Mat pmat, PetscInt *singular);

  // Restrictions and prolongations between vectors of the matrix and of S: with the weights, or of the pressure
  // alone.
  PetscErrorCode restrict_weighted(Vec r, Vec pressure) const;
  PetscErrorCode restrict_pressure(Vec r, Vec pressure) const;
  PetscErrorCode prolong_weighted(Vec pressure, Vec z) const;
  PetscErrorCode prolong_pressure(Vec pressure, Vec z) const;

  PetscErrorCode reset();

  Mat matrix() const { return S_; }
  PetscInt block() const { return op_.block; }

private:
  // Finds the matrix that is read instead of one whose rows have unsorted columns or that stores one triangle.
  PetscErrorCode find_source(Mat pmat, Mat *source);
  PetscErrorCode find_weights(const finegrain::MatrixValues &owned, PetscInt *singular);
  PetscErrorCode find_quasiimpes(const finegrain::MatrixValues &owned, PetscInt *singular);
  void add_columns(const finegrain::Graph &g, const finegrain::MatrixValues &blocks, PetscScalar *values) const;

  finegrain::Operator op_;
  finegrain::OperatorView view_;
  std::vector<PetscScalar> weights_; // one for each row of this rank
  Mat S_ = nullptr, copy_ = nullptr;
};
