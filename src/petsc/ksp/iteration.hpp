// SPDX-License-Identifier: BSD-2-Clause
// Shared functions of finegrain's KSP types, and their constructors.
#pragma once

#include "common/petsc_compat.hpp"

#include <petsc/private/kspimpl.h>

// Sets the number of completed iterations.
inline PetscErrorCode KSPIterationCount(KSP ksp, PetscInt its)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectSAWsTakeAccess(reinterpret_cast<PetscObject>(ksp)));
  ksp->its = its;
  PetscCall(PetscObjectSAWsGrantAccess(reinterpret_cast<PetscObject>(ksp)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Logs and monitors the norm before an iteration, and sets ksp->reason if the solve ends.
inline PetscErrorCode KSPIterationTest(KSP ksp, PetscReal norm)
{
  PetscFunctionBegin;
  KSPCheckNorm(ksp, norm); // returns if the norm is not finite
  ksp->rnorm = norm;
  PetscCall(KSPLogResidualHistory(ksp, norm));
  PetscCall(KSPMonitor(ksp, ksp->its, norm));
  PetscCall((*ksp->converged)(ksp, ksp->its, norm, &ksp->reason, ksp->cnvP));
  if (!ksp->reason && ksp->its >= ksp->max_it)
    ksp->reason = ksp->normtype == KSP_NORM_NONE ? KSP_CONVERGED_ITS : KSP_DIVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Constructors that plugin.cpp registers.
PetscErrorCode KSPCreate_Refine(KSP ksp);
PetscErrorCode KSPCreate_SIP(KSP ksp);
