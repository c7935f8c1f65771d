// SPDX-License-Identifier: BSD-2-Clause
// Eisenstat's trick, what its files share: eisenstat_solve.cpp has the transformed system, eisenstat_choice.cpp says
// which solves take it, transformed_solve.cpp shows tests, monitors and histories the system of the program
// meanwhile.
#pragma once

#include "pc/options/settings.hpp"

#include <petsc/private/kspimpl.h>

// What the trick needs to know of a type of KSP.
struct EisenstatSolver {
  const char *type;
  bool any_matrix; // else the operator must be symmetric, and the symmetric form is taken
  bool builds;     // KSPBuildSolution() gives in a test the iterate whose norm is tested
};
// Null: none of these, and the symmetric form.
const EisenstatSolver *FindEisenstatSolver(KSP ksp);

// Why a solve goes without the trick; null: nothing is in the way. The same on all ranks. Collective.
PetscErrorCode FindEisenstatObstacle(PC pc, PC_Finegrain *e, KSP ksp, const char **why);

// x = P b for a part P of M = P_L P_R, of the form of this solve.
PetscErrorCode ApplyEisenstatPart(PC_Finegrain *e, finegrain::Part part, Vec b, Vec x, bool transposed = false);

// A solve of P_L^-1 A P_R^-1 x' = P_L^-1 b. While it lives the KSP's own solver sees that system; convergence tests,
// monitors and all that they call see A, b, x and norms of the kind that was asked for. The KSP is as it was when
// this ends, however that happens.
class TransformedSolve
{
public:
  TransformedSolve(PC pc, KSP ksp);
  ~TransformedSolve();
  TransformedSolve(const TransformedSolve &) = delete;
  TransformedSolve &operator=(const TransformedSolve &) = delete;

  // The KSP has ended, and its solution is x: what it says of norms is made that of b - A x.
  PetscErrorCode set_norms();

private:
  // Shows the other system as long as it lives.
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
  bool transformed_ = false; // what the KSP shows now
  bool measures_;            // norms of the kind that was asked for
  bool near_ = false;        // they have been measured near the tolerance
  int measurements_ = 0;
  PetscReal first_ratio_ = 1, ratio_ = 1; // of that norm to the one that the solver has: at first, as measured last
  PetscInt measured_at_ = -1;
  PetscReal measured_of_ = 0, measured_ = 0; // the solver's norm there, and the other one
  PetscReal largest_ = 0, sound_ratio_ = 1;  // the other one; its ratio where it was not of rounding errors
  std::size_t history_;

  // What the KSP and the PC do not show now.
  Mat mat_;
  Vec rhs_;
  decltype(_KSPOps::buildsolution) build_solution_ = build_solution;
  decltype(_KSPOps::buildresidual) build_residual_ = KSPBuildResidualDefault;
  decltype(_p_KSP::converged) test_ = test;
  void *test_context_ = this;
  decltype(_p_KSP::monitor) monitors_{};
  decltype(_p_KSP::monitorcontext) monitor_contexts_{};
  PetscInt monitor_count_;
};
