// SPDX-License-Identifier: BSD-2-Clause
// Data of PCLAG. lag.cpp has what PETSc calls, lag_settings.cpp the setters.
#pragma once

#include "pc/nested/lag_decision.hpp"
#include "pc/nested/nested.hpp"

struct PC_Lag {
  PC inner = nullptr;

  // Settings, which survive PCReset().
  PetscReal cost = 0;   // of a set-up in iterations; 0: by the type of the inner PC
  PetscInt maximum = 0; // most systems for one set-up; 0: no limit
  PetscBool measure = PETSC_FALSE;

  LagDecision decision;
  FinegrainStamp seen;  // matrix of the last set-up of this PC
  FinegrainState built; // matrix for which the inner PC is set up
  bool is_built = false;
  bool solved = false;  // since the last set-up, by a solve whose iterations depend on the preconditioner
  bool running = false; // a solve has begun and not ended
  bool failed = false;  // the last solve or set-up failed, or did not end
  PetscInt systems = 0; // since the last set-up
  PetscInt setups = 0, all_systems = 0;
  PetscLogDouble setup_time = 0, begin = 0; // of the last set-up; when the current solve began
  PetscReal measured = 0;                   // cost of a set-up in iterations, from times
  const char *why = "it is the first set-up";
};

// Cost of a set-up in iterations: measured, set, or by the type of the inner PC.
PetscReal PCLagCost(const PC_Lag &lag);

// Sets the functions that PETSc calls before and after a solve.
void PCLagSetSolves(PC pc);
