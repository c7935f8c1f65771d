// SPDX-License-Identifier: BSD-2-Clause
// Declarations that the files of Eisenstat's trick share. eisenstat_choice.cpp chooses the solves that use it,
// eisenstat_solve.cpp has the transformed system, and transformed_solve.cpp shows the program's system to tests,
// monitors and histories.
#pragma once

#include "pc/options/settings.hpp"

#include <petsc/private/kspimpl.h>

// Properties of a KSP type that matter to the trick.
struct EisenstatSolver {
  const char *type;
  bool any_matrix; // false: the operator must be symmetric, and the symmetric form is used
  bool builds;     // during a test, KSPBuildSolution() returns the iterate whose norm is tested
};
// Returns null for other types, which get the symmetric form.
const EisenstatSolver *FindEisenstatSolver(KSP ksp);

// Finds the reason why a solve does without the trick, or null. Equal on all ranks. Collective.
PetscErrorCode FindEisenstatObstacle(PC pc, PC_Finegrain *e, KSP ksp, const char **why);

// Computes x = P b for P_L^-1, P_R^-1 or P_R of M = P_L P_R, in the form of this solve.
PetscErrorCode ApplySplit(PC_Finegrain *e, finegrain::Split split, Vec b, Vec x, bool transposed = false);

// Solve of P_L^-1 A P_R^-1 x' = P_L^-1 b. During its lifetime the KSP's solver sees that system, while convergence
// tests, monitors and functions that they call see A, b, x and norms of the requested kind. The destructor restores
// the KSP, after an error too.
class TransformedSolve
{
public:
  TransformedSolve(PC pc, KSP ksp);
  ~TransformedSolve();
  TransformedSolve(const TransformedSolve &) = delete;
  TransformedSolve &operator=(const TransformedSolve &) = delete;

  // Converts the norms that the KSP reports to those of b - A x, after the KSP has ended with the solution x.
  PetscErrorCode set_norms();

private:
  // Shows the other system during its lifetime.
  class OtherView;

  void swap();
  static PetscErrorCode test(KSP, PetscInt, PetscReal, KSPConvergedReason *, void *);
  static PetscErrorCode monitor(KSP, PetscInt, PetscReal, void *);
  static PetscErrorCode build_solution(KSP, Vec, Vec *);

  PetscReal estimate(PetscInt iteration, PetscReal norm) const;
  PetscErrorCode find(PetscInt iteration, PetscReal norm, PetscReal *found);
  PetscErrorCode decide(PetscInt iteration, PetscReal norm, KSPConvergedReason *reason);
  PetscErrorCode measure(PetscInt iteration, PetscReal norm);
  PetscErrorCode measure_residual();
  PetscErrorCode measure_residual_of(Vec x);
  PetscErrorCode build(Vec x);
  bool knows(PetscInt iteration, PetscReal norm) const { return measured_at_ == iteration && measured_of_ == norm; }

  PC pc_;
  KSP ksp_;
  bool transformed_ = false; // the system that the KSP shows now
  bool measures_;            // the requested norm can be measured
  bool near_ = false;        // it has been measured near the tolerance
  int measurements_ = 0;
  PetscReal first_ratio_ = 1, ratio_ = 1; // requested norm divided by the solver's: at first, and as measured last
  PetscInt measured_at_ = -1;
  PetscReal measured_of_ = 0, measured_ = 0; // the solver's norm in that iteration, and the requested one
  PetscReal largest_ = 0, sound_ratio_ = 1;  // largest requested norm; last ratio without rounding errors
  std::size_t history_;

  // Values that the KSP and the PC do not show now.
  Mat mat_;
  Vec rhs_;
  KSPConvergedReason reason_ = KSP_CONVERGED_ITERATING;
  decltype(_KSPOps::buildsolution) build_solution_ = build_solution;
  decltype(_KSPOps::buildresidual) build_residual_ = KSPBuildResidualDefault;
  decltype(_p_KSP::converged) test_ = test;
  void *test_context_ = this;
  decltype(_p_KSP::monitor) monitors_{};
  decltype(_p_KSP::monitorcontext) monitor_contexts_{};
  PetscInt monitor_count_;
};
