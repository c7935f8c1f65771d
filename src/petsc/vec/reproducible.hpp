// SPDX-License-Identifier: BSD-2-Clause
// Vec types REPRODUCIBLE, SEQREPRODUCIBLE, MPIREPRODUCIBLE: PETSc's vectors of the host with other sums and updates.
#pragma once

#include "common/petsc_compat.hpp"
#include "sum/binned_sum.hpp"

#include <petsc/private/vecimpl.h>
#include <petscfinegrain.h>

#include <string_view>

// True for the names of these types.
inline bool FinegrainIsReproducible(VecType type)
{
  const std::string_view name = type ? type : "";
  return name == VECREPRODUCIBLE || name == VECSEQREPRODUCIBLE || name == VECMPIREPRODUCIBLE;
}

// Calls compute(), which computes *B from A and may replace A, and passes the type on. PETSc itself does so in
// MatDuplicate() alone.
template <class Compute> PetscErrorCode FinegrainPassVecType(Mat A, Mat *B, const Compute &compute)
{
  VecType type;

  PetscFunctionBegin;
  PetscCall(MatGetVecType(A, &type));
  const bool reproducible = FinegrainIsReproducible(type);
  PetscCall(compute());
  if (reproducible) PetscCall(MatSetVecType(*B, VECREPRODUCIBLE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecCreate_Reproducible(Vec);
PetscErrorCode VecCreate_SeqReproducible(Vec);
PetscErrorCode VecCreate_MPIReproducible(Vec);

// Replaces the operations that sum over entries, the norm of errors that TS uses, and those that PETSc leaves to the
// BLAS.
PetscErrorCode VecReproducibleSetSums(Vec v);
PetscErrorCode VecReproducibleSetErrorNorm(Vec v);
PetscErrorCode VecReproducibleSetUpdates(Vec v);

// Merges the sums of all ranks of `v`.
PetscErrorCode VecReproducibleReduce(Vec v, int count, finegrain::BinnedSum *sums);

// Creates and frees MPI's operation that merges sums.
PetscErrorCode VecReproducibleInitialize();
PetscErrorCode VecReproducibleFinalize();
