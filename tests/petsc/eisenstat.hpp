// SPDX-License-Identifier: BSD-2-Clause
// Solvers with Eisenstat's trick, for its tests.
#pragma once

#include "refine.hpp"

namespace finegrain::test::eisenstat
{

inline constexpr char dilu[] = " -pc_fgbilu_factor dilu -pc_fgbilu_eisenstat false ";
inline constexpr char trick[] = " -pc_fgbilu_factor dilu -pc_fgbilu_eisenstat ";

// The default auto uses the trick on the host only.
inline constexpr char by_default[] = "-pc_type fgbilu -pc_fgbilu_backend host ";

// True if the last solve used the trick.
inline bool HadTrick(KSP ksp)
{
  std::string text;
  PC pc;
  EXPECT_EQ(int(KSPGetPC(ksp, &pc)), 0);
  EXPECT_EQ(int(ViewText(pc, &text)), 0);
  return text.find(", in the last solve") != std::string::npos;
}

struct Solver {
  Owned<KSP> ksp;
  bool tricked = false; // the last solve used the trick

  PetscErrorCode make(Mat A, const std::string &options, bool guess = false)
  {
    PetscFunctionBegin;
    PetscCall(refine::MakeKSP(A, A, KSPGMRES, "-pc_type fgbilu -ksp_rtol 1e-9 " + options, &ksp));
    PetscCall(KSPSetInitialGuessNonzero(ksp, PetscBool(guess)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode solve(Vec b, Vec x, refine::Outcome *out, bool transposed = false)
  {
    PetscFunctionBegin;
    PetscCall(transposed ? KSPSolveTranspose(ksp, b, x) : KSPSolve(ksp, b, x));
    PetscCall(refine::GetOutcome(ksp, out));
    tricked = HadTrick(ksp);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

} // namespace finegrain::test::eisenstat
