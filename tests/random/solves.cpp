// SPDX-License-Identifier: BSD-2-Clause
// Checks of solves by a KSP, with and without Eisenstat's trick.
#include "checks.hpp"

#include <algorithm>

namespace finegrain::test
{

void CheckSolve(const RandomCase &c, PC pc)
{
  std::string others = c.settings.text;
  for (const std::string trick : {"-@_eisenstat true", "-@_eisenstat auto", "-@_eisenstat false"})
    if (const std::size_t at = others.find(trick); at != std::string::npos) others.erase(at, trick.size());
  if (others.find("@_") != std::string::npos) return; // only the defaults promise this
  Mat A = c.problem.A;
  Owned<KSP> ksp;
  Owned<Vec> r;
  KSPConvergedReason reason;
  PetscReal norm, size;
  Vectors v(A);
  OK(v.code);
  OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
  OK(KSPSetOperators(ksp, A, A));
  OK(KSPSetPC(ksp, pc));
  constexpr bool coarse = sizeof(PetscReal) == 4;
  // The check of solutions limits the residual to 0.01 in a norm with scaled rows, which is close to this norm.
  const PetscReal rtol = coarse ? PetscReal(1e-5) : PETSC_SQRT_MACHINE_EPSILON,
                  small = PetscReal(coarse ? 0.1 : 0.03);
  OK(KSPSetTolerances(ksp, rtol, 0, PETSC_DEFAULT, 200));
  OK(KSPSolve(ksp, v.b, v.x));
  OK(KSPGetConvergedReason(ksp, &reason));
  if (reason <= 0) return;
  OK(VecDuplicate(v.b, &r));
  OK(MatMult(A, v.x, r));
  OK(VecAYPX(r, -1, v.b));
  OK(VecNorm(r, NORM_2, &norm));
  OK(VecNorm(v.b, NORM_2, &size));
  // Nearly singular blocks make M nearly singular. PETSc's ILU then reports convergence with equally large
  // residuals.
  const bool regular = c.problem.values <= Values::indefinite;
  if (regular) {
    EXPECT_LT(norm, small * size) << "KSP says converged";
  }
  Count(regular || norm < small * size ? "converged solves" : "that say so falsely");
}

void CheckTrick(const RandomCase &c, PC pc)
{
  if (c.type.type != std::string(PCFGBILU) || c.problem.values > Values::indefinite) return;
  if (c.settings.has("corrections 1") || c.settings.has("corrections 2")) return;     // they exclude the trick
  if (c.settings.has("precision single") || c.settings.has("precision half")) return; // exclude it as well
  for (const auto &[solver, norm_type] :
       {std::pair(KSPGMRES, KSP_NORM_PRECONDITIONED), std::pair(KSPFGMRES, KSP_NORM_UNPRECONDITIONED),
        std::pair(KSPBCGS, KSP_NORM_PRECONDITIONED), std::pair(KSPCG, KSP_NORM_UNPRECONDITIONED)}) {
    Mat A = c.problem.A;
    Owned<KSP> ksp;
    Owned<Vec> r, z;
    PetscReal claimed, norm, size;
    KSPConvergedReason reason;
    Vectors v(A);
    OK(v.code);
    OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
    OK(KSPSetOperators(ksp, A, A));
    OK(KSPSetType(ksp, solver));
    OK(KSPSetNormType(ksp, norm_type));
    OK(KSPSetPC(ksp, pc));
    OK(KSPSetTolerances(ksp, PETSC_SQRT_MACHINE_EPSILON, 0, PETSC_DEFAULT, 12));
    OK(KSPSolve(ksp, v.b, v.x));
    OK(KSPGetConvergedReason(ksp, &reason));
    if (reason < 0 && reason != KSP_DIVERGED_ITS) continue;
    OK(KSPGetResidualNorm(ksp, &claimed));
    OK(VecDuplicate(v.b, &r));
    OK(VecDuplicate(v.b, &z));
    OK(MatMult(A, v.x, r));
    OK(VecAYPX(r, -1, v.b));
    OK(PCApply(pc, norm_type == KSP_NORM_PRECONDITIONED ? r : v.b, z));
    OK(VecNorm(norm_type == KSP_NORM_PRECONDITIONED ? z : r, NORM_2, &norm));
    if (norm_type == KSP_NORM_PRECONDITIONED) {
      OK(PCApply(pc, v.b, z));
    } else OK(VecCopy(v.b, z));
    OK(VecNorm(z, NORM_2, &size));
    if (!(norm < 1e3 * size)) continue; // in CG the recurrence differs from a residual that grows
    EXPECT_LT(PetscAbsReal(norm - claimed), 1000 * PETSC_SQRT_MACHINE_EPSILON * std::max(size, norm)) << solver;
    Count("norms of solvers");
  }
}

} // namespace finegrain::test
