// SPDX-License-Identifier: BSD-2-Clause
// Solvers, matrices and preconditioners for the tests of KSPREFINE; all tests that count iterations use SolveWith().
// The loop of the manual page is the oracle.
#pragma once
#include "fixture.hpp"

#include <algorithm>
#include <cmath>

namespace finegrain::test::refine
{

// Makes a solver of a type, with operators, options and a residual history.
inline PetscErrorCode MakeKSP(Mat A, Mat P, const char *type, const std::string &options, KSP *ksp)
{
  PetscFunctionBegin;
  const Options set(options);
  PetscCall(KSPCreate(PetscObjectComm(object(A)), ksp));
  PetscCall(KSPSetType(*ksp, type));
  PetscCall(KSPSetOperators(*ksp, A, P));
  PetscCall(KSPSetResidualHistory(*ksp, nullptr, 5000, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Outcome {
  KSPConvergedReason reason;
  PetscInt its;
  PetscReal norm;
  std::vector<PetscReal> history;

  PetscReal best() const { return *std::min_element(history.begin(), history.end()); }
};

inline PetscErrorCode GetOutcome(KSP ksp, Outcome *out)
{
  const PetscReal *history;
  PetscInt count;

  PetscFunctionBegin;
  PetscCall(KSPGetConvergedReason(ksp, &out->reason));
  PetscCall(KSPGetIterationNumber(ksp, &out->its));
  PetscCall(KSPGetResidualNorm(ksp, &out->norm));
  PetscCall(KSPGetResidualHistory(ksp, &history, &count));
  out->history.assign(history, history + count);
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Solve(KSP ksp, Vec b, Vec x, Outcome *out)
{
  PetscFunctionBegin;
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(GetOutcome(ksp, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Solves once with a solver made for it.
inline PetscErrorCode SolveOnce(Mat A, const char *type, const std::string &options, Vec b, Vec x, Outcome *out)
{
  Owned<KSP> ksp;

  PetscFunctionBegin;
  PetscCall(MakeKSP(A, A, type, options, &ksp));
  PetscCall(Solve(ksp, b, x, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode ResidualNorm(Mat A, Vec b, Vec x, PetscReal *norm)
{
  Owned<Vec> r;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A matrix whose rows row() returns as pairs of column and value. Ranks own whole blocks.
inline PetscErrorCode AssembleRows(PetscInt rows,
                                   const std::function<std::vector<std::pair<PetscInt, PetscReal>>(PetscInt)> &row,
                                   Mat *A, PetscInt block = 1)
{
  PetscInt first, last, blocks = PETSC_DECIDE, all = rows / block;

  PetscFunctionBegin;
  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &blocks, &all));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, blocks * block, blocks * block, rows, rows, 10, nullptr, 10, nullptr, A));
  PetscCall(MatSetBlockSize(*A, block));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    for (const auto &[j, value] : row(i)) PetscCall(MatSetValue(*A, i, j, value, INSERT_VALUES));
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The Laplacian of a graph; constants are its null space.
inline PetscErrorCode AssembleLaplacian(const Couplings &c, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(AssembleRows(
    PetscInt(c.size()),
    [&](PetscInt i) {
      std::vector<std::pair<PetscInt, PetscReal>> row;
      for (const PetscInt j : c[std::size_t(i)])
        row.emplace_back(j, j == i ? PetscReal(c[std::size_t(i)].size() - 1) : PetscReal(-1));
      return row;
    },
    A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A preconditioner that the test controls: 1 / diagonal of its Pmat, times `factor[k]` in application k (the last
// factor is repeated). Optionally it offers the function that runs corrections itself.
struct Probe {
  std::vector<PetscReal> factor{1};
  bool fail_on_last_rank = false; // the second application fails, on this rank only
  bool make_nan = false;          // the second application returns NaN
  int applications = 0;
  std::vector<PetscInt> corrections; // of each call
};

inline PetscErrorCode ProbeScale(PC pc, Vec b, Vec x, PetscReal factor)
{
  Mat P;
  Owned<Vec> diagonal;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, nullptr, &P));
  PetscCall(VecDuplicate(b, &diagonal));
  PetscCall(MatGetDiagonal(P, diagonal));
  PetscCall(VecPointwiseDivide(x, b, diagonal));
  PetscCall(VecScale(x, factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode ProbeApply(PC pc, Vec b, Vec x)
{
  Probe *probe;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &probe));
  PetscCall(
    ProbeScale(pc, b, x, probe->factor[std::min(std::size_t(probe->applications), probe->factor.size() - 1)]));
  ++probe->applications;
  if (probe->applications == 2 && probe->fail_on_last_rank && Rank() == Size() - 1) {
    PetscCall(PCSetFailedReason(pc, PC_SUBPC_ERROR));
    PetscCall(FinegrainVecFlag(x));
  }
  if (probe->applications == 2 && probe->make_nan) PetscCall(VecSet(x, PetscScalar(std::nan(""))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode ProbeCorrections(PC pc, PetscInt corrections, Vec b, Vec x)
{
  Probe *probe;
  Mat P;
  Owned<Vec> s, z;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &probe));
  probe->corrections.push_back(corrections);
  PetscCall(PCGetOperators(pc, nullptr, &P));
  PetscCall(VecDuplicate(b, &s));
  PetscCall(VecDuplicate(b, &z));
  PetscCall(ProbeScale(pc, b, x, probe->factor[0]));
  for (PetscInt j = 0; j < corrections; ++j) {
    PetscCall(MatMult(P, x, s));
    PetscCall(VecAYPX(s, -1, b));
    PetscCall(ProbeScale(pc, s, z, probe->factor[0]));
    PetscCall(VecAXPY(x, 1, z));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode SetProbe(KSP ksp, Probe *probe, bool corrections = false)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, probe));
  PetscCall(PCShellSetApply(pc, ProbeApply));
  PetscCall(PCShellSetApplyTranspose(pc, ProbeApply));
  if (corrections)
    PetscCall(PetscObjectComposeFunction(object(pc), "PCFinegrainApplyCorrections_C", ProbeCorrections));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A matrix-free form of a matrix.
inline PetscErrorCode ShellMult(Mat S, Vec x, Vec y)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(S, &A));
  PetscCall(MatMult(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode MakeShell(Mat A, Mat *S)
{
  PetscInt m, n, M, N;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &m, &n));
  PetscCall(MatGetSize(A, &M, &N));
  PetscCall(MatCreateShell(PetscObjectComm(object(A)), m, n, M, N, A, S));
  PetscCall(MatShellSetOperation(*S, MATOP_MULT, reinterpret_cast<void (*)(void)>(ShellMult)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes the iterate after some passes from x, with diagonal preconditioning, directly from the definition.
// `restarts` counts the inner loops that ended early; -1 switches early ends off.
inline PetscErrorCode Loop(Mat A, Mat P, PetscInt inner, PetscReal damping, bool transpose, int passes, Vec b, Vec x,
                           int *restarts)
{
  Owned<Vec> r, s, e, z, diagonal;
  PetscReal before, norm;
  const auto mult = [&](Mat M, Vec from, Vec to) {
    return transpose ? MatMultTranspose(M, from, to) : MatMult(M, from, to);
  };

  PetscFunctionBegin;
  for (Vec *v : {&r, &s, &e, &z, &diagonal}) PetscCall(VecDuplicate(b, v));
  PetscCall(MatGetDiagonal(P, diagonal));
  for (int pass = 0; pass < passes; ++pass) {
    PetscCall(mult(A, x, r));
    PetscCall(VecAYPX(r, -1, b));
    PetscCall(VecSet(e, 0));
    PetscCall(VecNorm(r, NORM_2, &before));
    for (PetscInt j = 0; j < inner; ++j) {
      PetscCall(mult(P, e, s));
      PetscCall(VecAYPX(s, -1, r));
      PetscCall(VecNorm(s, NORM_2, &norm));
      if (j > 0 && *restarts >= 0 && norm >= PetscReal(0.9) * before) {
        ++*restarts;
        break;
      }
      before = norm;
      PetscCall(VecPointwiseDivide(z, s, diagonal));
      PetscCall(VecAXPY(e, damping, z));
    }
    PetscCall(VecAXPY(x, 1, e));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Solves with options and computes the norm of the residual relative to that of b. x is Inf before.
inline PetscErrorCode SolveWith(Mat A, DM da, const std::string &options, Outcome *out, PetscReal *residual)
{
  Owned<KSP> ksp;
  Owned<Vec> b, x;
  PetscReal norm;
  const Options set(options);

  PetscFunctionBegin;
  PetscCall(MakeVectors(A, &b, &x));
  PetscCall(KSPCreate(PetscObjectComm(object(A)), &ksp));
  PetscCall(KSPSetResidualHistory(ksp, nullptr, 5000, PETSC_TRUE));
  if (da) PetscCall(SetGrid(ksp, da));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, PetscSqrtReal(PETSC_MACHINE_EPSILON), 0, PETSC_DEFAULT, 300));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(VecSet(x, PETSC_INFINITY));
  PetscCall(Solve(ksp, b, x, out));
  PetscCall(ResidualNorm(A, b, x, residual));
  PetscCall(VecNorm(b, NORM_2, &norm));
  *residual /= norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline void expect_same(const Outcome &a, const Outcome &b, const std::string &what)
{
  EXPECT_EQ(a.reason, b.reason) << what;
  EXPECT_EQ(a.its, b.its) << what;
  ASSERT_EQ(a.history.size(), b.history.size()) << what;
  for (std::size_t k = 0; k < a.history.size(); ++k)
    EXPECT_NEAR(a.history[k], b.history[k], tolerance * a.history[0]) << what << ", pass " << k;
}

} // namespace finegrain::test::refine
