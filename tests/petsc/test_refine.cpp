// KSPREFINE: what a pass computes, when it ends, what it returns.
#include "fixture.hpp"

#include <algorithm>
#include <cmath>

using namespace finegrain::test;

namespace
{

// A solver of a type, with operators, options and a residual history.
PetscErrorCode MakeKSP(Mat A, Mat P, const char *type, const std::string &options, KSP *ksp)
{
  PetscFunctionBegin;
  const Options set(options);
  PetscCall(KSPCreate(PetscObjectComm(reinterpret_cast<PetscObject>(A)), ksp));
  PetscCall(KSPSetType(*ksp, type));
  PetscCall(KSPSetOperators(*ksp, A, P));
  PetscCall(KSPSetResidualHistory(*ksp, nullptr, 5000, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Outcome {
  KSPConvergedReason     reason;
  PetscInt               its;
  PetscReal              norm;
  std::vector<PetscReal> history;

  PetscReal best() const { return *std::min_element(history.begin(), history.end()); }
};

PetscErrorCode GetOutcome(KSP ksp, Outcome *out)
{
  const PetscReal *history;
  PetscInt         count;

  PetscFunctionBegin;
  PetscCall(KSPGetConvergedReason(ksp, &out->reason));
  PetscCall(KSPGetIterationNumber(ksp, &out->its));
  PetscCall(KSPGetResidualNorm(ksp, &out->norm));
  PetscCall(KSPGetResidualHistory(ksp, &history, &count));
  out->history.assign(history, history + count);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve(KSP ksp, Vec b, Vec x, Outcome *out)
{
  PetscFunctionBegin;
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(GetOutcome(ksp, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Solves once with a solver made for it.
PetscErrorCode SolveOnce(Mat A, const char *type, const std::string &options, Vec b, Vec x, Outcome *out)
{
  KSP ksp;

  PetscFunctionBegin;
  PetscCall(MakeKSP(A, A, type, options, &ksp));
  PetscCall(Solve(ksp, b, x, out));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ResidualNorm(Mat A, Vec b, Vec x, PetscReal *norm)
{
  Vec r;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, norm));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A matrix with the entries that row() gives: pairs of column and value. Ranks own whole blocks.
PetscErrorCode AssembleRows(PetscInt                                                                    rows,
                            const std::function<std::vector<std::pair<PetscInt, PetscReal>>(PetscInt)> &row, Mat *A,
                            PetscInt block = 1)
{
  PetscInt first, last, blocks = PETSC_DECIDE, all = rows / block;

  PetscFunctionBegin;
  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &blocks, &all));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, blocks * block, blocks * block, rows, rows, 10, nullptr, 10, nullptr, A));
  PetscCall(MatSetBlockSize(*A, block));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    for (const auto &[j, value] : row(i)) PetscCall(MatSetValue(*A, i, j, value, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The Laplacian of a graph; constants are its null space.
PetscErrorCode AssembleLaplacian(const Couplings &c, Mat *A)
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

// A preconditioner that the test sees through: 1 / diagonal of its Pmat, times `factor[k]` in application k (the last
// one stays), and optionally the function that runs corrections by itself.
struct Probe {
  std::vector<PetscReal> factor{1};
  bool                   fail_on_last_rank = false; // the second application fails there, and there only
  bool                   make_nan          = false; // the second application divides by zero
  int                    applications      = 0;
  std::vector<PetscInt>  corrections; // of each call
};

PetscErrorCode ProbeScale(PC pc, Vec b, Vec x, PetscReal factor)
{
  Mat P;
  Vec diagonal;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, nullptr, &P));
  PetscCall(VecDuplicate(b, &diagonal));
  PetscCall(MatGetDiagonal(P, diagonal));
  PetscCall(VecPointwiseDivide(x, b, diagonal));
  PetscCall(VecScale(x, factor));
  PetscCall(VecDestroy(&diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProbeApply(PC pc, Vec b, Vec x)
{
  Probe      *probe;
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &probe));
  PetscCall(
    ProbeScale(pc, b, x, probe->factor[std::min(std::size_t(probe->applications), probe->factor.size() - 1)]));
  ++probe->applications;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (probe->applications == 2 && probe->fail_on_last_rank && rank == size - 1) {
    PetscCall(PCSetFailedReason(pc, PC_SUBPC_ERROR));
    PetscCall(FinegrainVecFlag(x));
  }
  if (probe->applications == 2 && probe->make_nan) PetscCall(VecSet(x, PetscScalar(std::nan(""))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProbeCorrections(PC pc, PetscInt corrections, Vec b, Vec x)
{
  Probe *probe;
  Mat    P;
  Vec    s, z;

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
  PetscCall(VecDestroy(&s));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetProbe(KSP ksp, Probe *probe, bool corrections = false)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, probe));
  PetscCall(PCShellSetApply(pc, ProbeApply));
  PetscCall(PCShellSetApplyTranspose(pc, ProbeApply));
  if (corrections)
    PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(pc), "PCFinegrainApplyCorrections_C",
                                         ProbeCorrections));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A matrix-free form of a matrix.
PetscErrorCode ShellMult(Mat S, Vec x, Vec y)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(S, &A));
  PetscCall(MatMult(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeShell(Mat A, Mat *S)
{
  PetscInt m, n, M, N;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &m, &n));
  PetscCall(MatGetSize(A, &M, &N));
  PetscCall(MatCreateShell(PetscObjectComm(reinterpret_cast<PetscObject>(A)), m, n, M, N, A, S));
  PetscCall(MatShellSetOperation(*S, MATOP_MULT, reinterpret_cast<void (*)(void)>(ShellMult)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// x = the iterate after some passes from x, with diagonal preconditioning, written down as it is defined. Restarts:
// the number of inner loops that ended early, or -1 for none of them to end.
PetscErrorCode Loop(Mat A, Mat P, PetscInt inner, PetscReal damping, bool transpose, int passes, Vec b, Vec x,
                    int *restarts)
{
  Vec        r, s, e, z, diagonal;
  PetscReal  before, norm;
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
  for (Vec *v : {&r, &s, &e, &z, &diagonal}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Right-hand side and a vector of zeros.
struct Vectors {
  explicit Vectors(Mat A) { code = MakeVectors(A, &b, &x) || VecDuplicate(x, &y) || VecSet(x, 0) || VecSet(y, 0); }
  ~Vectors()
  {
    for (Vec *v : {&b, &x, &y}) (void)VecDestroy(v);
  }
  Vectors(const Vectors &)            = delete;
  Vectors &operator=(const Vectors &) = delete;
  Vec      b, x, y;
  int      code;
};

void expect_same(const Outcome &a, const Outcome &b, const std::string &what)
{
  EXPECT_EQ(a.reason, b.reason) << what;
  EXPECT_EQ(a.its, b.its) << what;
  ASSERT_EQ(a.history.size(), b.history.size()) << what;
  for (std::size_t k = 0; k < a.history.size(); ++k)
    EXPECT_NEAR(a.history[k], b.history[k], tolerance * a.history[0]) << what << ", pass " << k;
}

TEST(Refine, WithOneApplicationIsRichardson)
{
  Mat A;
  OK(AssembleMatrix(star(5, 4, 3), 4, MATBAIJ, 1, &A));
  Vectors v(A);
  for (const char *pc : {"jacobi", "fgbilu"})
    for (const char *damping : {"1", "0.7"})
      for (const char *more :
           {"-ksp_norm_type unpreconditioned", "-ksp_norm_type preconditioned",
            "-ksp_norm_type unpreconditioned -ksp_max_it 3", "-ksp_norm_type preconditioned -ksp_max_it 3",
            "-ksp_norm_type none -ksp_max_it 3", "-ksp_norm_type unpreconditioned -ksp_max_it 0",
            "-ksp_converged_maxits -ksp_max_it 3 -ksp_norm_type preconditioned",
            "-ksp_convergence_test skip -ksp_max_it 4 -ksp_norm_type unpreconditioned"})
        for (const char *guess : {"", " -ksp_initial_guess_nonzero"}) {
          Outcome           ours, theirs;
          PetscReal         d;
          const std::string options = std::string("-pc_type ") + pc + " -ksp_rtol 1e-3 " + more + guess;
          OK(VecSet(v.x, PetscReal(0.01)));
          OK(VecSet(v.y, PetscReal(0.01)));
          OK(SolveOnce(A, KSPREFINE, options + " -ksp_refine_damping " + damping, v.b, v.x, &ours));
          OK(SolveOnce(A, KSPRICHARDSON, options + " -ksp_richardson_scale " + damping, v.b, v.y, &theirs));
          expect_same(ours, theirs, options);
          OK(Difference(v.x, v.y, &d));
          EXPECT_LT(d, tolerance) << options;
        }
  OK(MatDestroy(&A));
}

TEST(Refine, IsTheLoopThatItsManualPageStates)
{
  Mat A, P, S;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 2, &P));
  OK(MakeShell(A, &S));
  Vectors v(A);
  for (const PetscInt inner : {2, 3, 5})
    for (const PetscReal damping : {PetscReal(1), PetscReal(0.75), PetscReal(0.01)}) // the last restarts each pass
      for (const char *norm : {"unpreconditioned", "preconditioned", "none"})
        for (const bool transpose : {false, true})
          for (const bool matrix_free : {false, true}) {
            if (transpose && matrix_free) continue;
            KSP       ksp;
            Probe     probe;
            Outcome   out;
            PetscReal d;
            int       restarts = norm == std::string("none") ? -1 : 0;
            OK(MakeKSP(matrix_free ? S : A, matrix_free ? P : A, KSPREFINE,
                       "-ksp_max_it 3 -ksp_rtol 1e-30 -ksp_norm_type " + std::string(norm), &ksp));
            OK(SetProbe(ksp, &probe));
            OK(KSPRefineSetInner(ksp, inner));
            OK(KSPRefineSetDamping(ksp, damping));
            OK(transpose ? KSPSolveTranspose(ksp, v.b, v.x) : KSPSolve(ksp, v.b, v.x));
            OK(GetOutcome(ksp, &out));
            OK(VecSet(v.y, 0));
            OK(Loop(A, matrix_free ? P : A, inner, damping, transpose, 3, v.b, v.y, &restarts));
            OK(Difference(v.x, v.y, &d));
            const std::string what = std::to_string(inner) + " applications, damping " + std::to_string(damping) +
                                     ", norm " + norm + (transpose ? ", transposed" : "") +
                                     (matrix_free ? ", matrix-free" : "");
            EXPECT_LT(d, tolerance) << what;
            EXPECT_EQ(out.its, 3) << what;
            std::string text;
            OK(ViewText(reinterpret_cast<PetscObject>(ksp), &text));
            EXPECT_NE(text.find("restarts in the last solve: " + std::to_string(std::max(restarts, 0)) + "\n"),
                      std::string::npos)
              << what << "\n"
              << text;
            if (damping < PetscReal(0.1) && restarts >= 0) {
              EXPECT_EQ(restarts, 3) << what; // else the case tests nothing
            }
            OK(KSPDestroy(&ksp));
          }
  OK(MatDestroy(&A));
  OK(MatDestroy(&P));
  OK(MatDestroy(&S));
}

// The first application removes most of the residual, the next ones nearly nothing of the rest.
TEST(Refine, ComparesInnerNormsWithTheLast)
{
  Mat A;
  KSP ksp;
  OK(AssembleRows(
    24,
    [](PetscInt i) {
      std::vector<std::pair<PetscInt, PetscReal>> row{{i, 1}};
      if (i >= 20) row.emplace_back(i ^ 1, PetscReal(0.95));
      return row;
    },
    &A));
  Vectors v(A);
  Probe   probe;
  int     restarts = 0;
  OK(Loop(A, A, 5, 1, false, 1, v.b, v.y, &restarts));
  ASSERT_EQ(restarts, 1);
  OK(MakeKSP(A, A, KSPREFINE, "-ksp_refine_inner 5 -ksp_max_it 1", &ksp));
  OK(SetProbe(ksp, &probe));
  for (int solve = 0; solve < 2; ++solve) { // each has its own count
    PetscReal   d;
    std::string text;
    probe.applications = 0;
    OK(KSPSolve(ksp, v.b, v.x));
    EXPECT_EQ(probe.applications, 2);
    OK(Difference(v.x, v.y, &d));
    EXPECT_LT(d, tolerance);
    OK(ViewText(reinterpret_cast<PetscObject>(ksp), &text));
    EXPECT_NE(text.find("restarts in the last solve: 1\n"), std::string::npos) << text;
  }
  OK(KSPDestroy(&ksp));
  OK(MatDestroy(&A));
}

TEST(Refine, ReachesWorkingPrecisionWithAPreconditionerInSingle)
{
  Mat A;
  OK(AssembleMatrix(box(5, 4, 3), 4, MATBAIJ, 1, &A));
  Vectors         v(A);
  const PetscReal rtol = std::max(PetscReal(1e-12), 100 * PETSC_MACHINE_EPSILON);
  for (const char *inner : {"1", "3"}) {
    Outcome           working, single;
    PetscReal         size, norm;
    const std::string options = "-pc_type fgbilu -ksp_max_it 200 -ksp_refine_inner " + std::string(inner) +
                                " -ksp_rtol " + std::to_string(double(rtol) * 1e9) + "e-9";
    OK(SolveOnce(A, KSPREFINE, options, v.b, v.x, &working));
    OK(SolveOnce(A, KSPREFINE, options + " -pc_fgbilu_precision single -pc_fgbilu_diag_precision storage", v.b, v.x,
                 &single));
    EXPECT_EQ(working.reason, KSP_CONVERGED_RTOL);
    EXPECT_EQ(single.reason, KSP_CONVERGED_RTOL);
    EXPECT_LE(single.its, working.its + 1);
    OK(ResidualNorm(A, v.b, v.x, &norm));
    OK(VecNorm(v.b, NORM_2, &size));
    EXPECT_LE(norm, PetscReal(1.1) * rtol * size);
  }
  OK(MatDestroy(&A));
}

TEST(Refine, StartsFromANonzeroGuess)
{
  Mat A;
  KSP ksp;
  OK(AssembleMatrix(star(5, 4, 3), 3, MATAIJ, 1, &A));
  Vectors   v(A);
  Outcome   out;
  PetscReal norm;
  OK(MakeKSP(A, A, KSPREFINE, "-pc_type jacobi -ksp_refine_inner 2 -ksp_initial_guess_nonzero -ksp_rtol 1e-4", &ksp));
  OK(VecSet(v.x, PetscReal(0.5)));
  OK(ResidualNorm(A, v.b, v.x, &norm));
  OK(Solve(ksp, v.b, v.x, &out));
  EXPECT_NEAR(out.history[0], norm, tolerance * norm);
  EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL);
  EXPECT_GT(out.its, 0);
  OK(Solve(ksp, v.b, v.x, &out)); // from the solution
  EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL);
  EXPECT_EQ(out.its, 0);
  OK(KSPDestroy(&ksp));
  OK(MatDestroy(&A));
}

TEST(Refine, KeepsNullSpacesOut)
{
  Mat          A;
  MatNullSpace constants;
  OK(AssembleLaplacian(star(4, 3, 3), &A));
  OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &constants));
  OK(MatSetNullSpace(A, constants));
  OK(MatSetTransposeNullSpace(A, constants));
  Vectors  v(A);
  PetscInt rows;
  OK(VecGetSize(v.b, &rows));
  for (const bool corrections : {false, true})
    for (const char *options : {"-ksp_refine_inner 1 -ksp_refine_damping 0.6", "-ksp_refine_inner 3"})
      for (const char *norm : {"unpreconditioned", "preconditioned"}) {
        KSP         ksp;
        Probe       probe;
        Outcome     out;
        PetscScalar sum, mean;
        PetscReal   size, residual;
        OK(MakeKSP(A, A, KSPREFINE, options + std::string(" -ksp_rtol 1e-5 -ksp_norm_type ") + norm, &ksp));
        probe.factor = {PetscReal(0.6)}; // damped, so that the fastest mode converges
        OK(SetProbe(ksp, &probe, corrections));
        OK(Solve(ksp, v.b, v.x, &out));
        EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL) << options << norm;
        OK(VecSum(v.x, &sum));
        OK(VecNorm(v.x, NORM_1, &size));
        EXPECT_LT(PetscAbsScalar(sum), tolerance * size) << options << norm;
        // The residual is that of b without its mean.
        OK(VecSum(v.b, &mean));
        OK(VecShift(v.b, -mean / PetscScalar(rows)));
        OK(ResidualNorm(A, v.b, v.x, &residual));
        OK(VecNorm(v.b, NORM_2, &size));
        EXPECT_LT(residual, PetscReal(1e-4) * size) << options << norm;
        OK(KSPDestroy(&ksp));
      }
  OK(MatNullSpaceDestroy(&constants));
  OK(MatDestroy(&A));
}

TEST(Refine, TakesResidualsOfAmat)
{
  Mat A, P, S;
  KSP ksp;
  OK(AssembleMatrix(star(5, 4, 3), 4, MATBAIJ, 1, &A));
  OK(AssembleMatrix(star(5, 4, 3), 4, MATBAIJ, 2, &P));
  OK(MakeShell(A, &S));
  Vectors   v(A);
  Outcome   out;
  PetscReal norm;
  OK(
    MakeKSP(S, P, KSPREFINE, "-pc_type fgbilu -pc_fgbilu_precision single -ksp_refine_inner 2 -ksp_rtol 1e-5", &ksp));
  OK(Solve(ksp, v.b, v.x, &out));
  EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL);
  OK(ResidualNorm(A, v.b, v.x, &norm));
  EXPECT_NEAR(norm, out.norm, tolerance * out.history[0]);
  EXPECT_LE(norm, PetscReal(1.1e-5) * out.history[0]);
  OK(KSPDestroy(&ksp));
  OK(MatDestroy(&A));
  OK(MatDestroy(&P));
  OK(MatDestroy(&S));
}

// How solves end that do not converge.

TEST(RefineEnds, DivergingWithTheGuess)
{
  Mat A;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  Vectors v(A);
  for (const char *norm : {"unpreconditioned", "preconditioned"}) {
    KSP       ksp;
    Outcome   out;
    PetscReal d;
    OK(MakeKSP(A, A, KSPREFINE,
               "-pc_type jacobi -ksp_refine_damping 3 -ksp_initial_guess_nonzero -ksp_norm_type " + std::string(norm),
               &ksp));
    OK(VecSet(v.x, PetscReal(0.01)));
    OK(VecSet(v.y, PetscReal(0.01)));
    OK(Solve(ksp, v.b, v.x, &out));
    EXPECT_EQ(out.reason, KSP_DIVERGED_DTOL) << norm;
    EXPECT_GT(out.history.back(), 1000 * out.history[0]) << norm;
    EXPECT_EQ(out.norm, out.history[0]) << norm;
    OK(Difference(v.x, v.y, &d));
    EXPECT_EQ(d, 0) << norm;
    OK(KSPDestroy(&ksp));
  }
  OK(MatDestroy(&A));
}

TEST(RefineEnds, WithTheBestIterate)
{
  Mat A;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  Vectors v(A);
  Probe   good, bad, nan;
  bad.factor   = {1, 1, 1, PetscReal(-2)}; // three good applications
  nan.make_nan = true;                     // one good application
  const struct {
    Probe             *probe;
    const char        *options;
    KSPConvergedReason reason;
    int                best, its;
  } cases[] = {{&bad, "", KSP_DIVERGED_DTOL, 3, -1},
               {&bad, " -ksp_max_it 5", KSP_DIVERGED_ITS, 3, 5},
               {&good, " -ksp_max_it 4", KSP_DIVERGED_ITS, 4, 4}, // the last one
               {&nan, "", KSP_DIVERGED_NANORINF, 1, 2}};
  for (const auto &c : cases) {
    KSP       ksp;
    Outcome   out;
    PetscReal d, norm;
    int       restarts     = -1;
    c.probe->applications  = 0;
    const std::string what = std::string(KSPConvergedReasons[c.reason]) + c.options;
    OK(MakeKSP(A, A, KSPREFINE, std::string("-ksp_rtol 1e-30") + c.options, &ksp));
    OK(SetProbe(ksp, c.probe));
    OK(Solve(ksp, v.b, v.x, &out));
    EXPECT_EQ(out.reason, c.reason) << what;
    if (c.its >= 0) {
      EXPECT_EQ(out.its, c.its) << what;
    }
    OK(VecSet(v.y, 0));
    OK(Loop(A, A, 1, 1, false, c.best, v.b, v.y, &restarts));
    OK(Difference(v.x, v.y, &d));
    EXPECT_LT(d, tolerance) << what;
    EXPECT_EQ(out.norm, out.best()) << what;
    OK(ResidualNorm(A, v.b, v.x, &norm));
    EXPECT_NEAR(norm, out.norm, tolerance * out.history[0]) << what;
    OK(KSPDestroy(&ksp));
  }
  OK(MatDestroy(&A));
}

// The view must say so, and where.
void expect_stagnation(KSP ksp, const Outcome &out)
{
  std::string text;
  OK(ViewText(reinterpret_cast<PetscObject>(ksp), &text));
  EXPECT_EQ(out.reason, KSP_DIVERGED_BREAKDOWN) << KSPConvergedReasons[out.reason] << " after " << out.its;
  EXPECT_EQ(out.norm, out.best());
  const std::string line = "the last solve stagnated at relative residual ";
  const std::size_t at   = text.find(line);
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_NEAR(std::stod(text.substr(at + line.size())), double(out.norm / out.history[0]),
              1e-5 * double(out.norm / out.history[0]));
}

TEST(RefineEnds, WhereRoundingEndsProgress)
{
  Mat A;
  OK(AssembleMatrix(star(5, 4, 3), 4, MATBAIJ, 1, &A));
  Vectors v(A);
  for (const char *norm : {"unpreconditioned", "preconditioned"})
    for (const char *inner : {"1", "3"}) {
      KSP       ksp;
      Outcome   out;
      PetscReal residual;
      OK(MakeKSP(A, A, KSPREFINE,
                 "-pc_type fgbilu -pc_fgbilu_precision single -ksp_rtol 1e-30 -ksp_norm_type " + std::string(norm) +
                   " -ksp_refine_inner " + inner,
                 &ksp));
      OK(Solve(ksp, v.b, v.x, &out));
      expect_stagnation(ksp, out);
      EXPECT_LT(out.its, 100);
      EXPECT_LT(out.norm, 100 * PETSC_MACHINE_EPSILON * out.history[0]);
      OK(ResidualNorm(A, v.b, v.x, &residual));
      EXPECT_LT(residual, 100 * PETSC_MACHINE_EPSILON * out.history[0] * (norm[0] == 'p' ? 1000 : 1));
      // A better tolerance, and the next solve is no longer said to stagnate.
      OK(KSPSetTolerances(ksp, PetscReal(1e-3), PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
      OK(Solve(ksp, v.b, v.x, &out));
      EXPECT_EQ(out.reason, KSP_CONVERGED_RTOL);
      std::string text;
      OK(ViewText(reinterpret_cast<PetscObject>(ksp), &text));
      EXPECT_EQ(text.find("stagnated"), std::string::npos) << text;
      OK(KSPDestroy(&ksp));
    }
  OK(MatDestroy(&A));
}

// Hilbert matrices along the diagonal. Their condition takes from x what single precision leaves of the corrections.
TEST(RefineEnds, WhereTheConditionIsTooBad)
{
  constexpr PetscInt size = PETSC_MACHINE_EPSILON < PetscReal(1e-10) ? 6 : 3;
  Mat                A;
  OK(AssembleRows(
    10 * size,
    [](PetscInt i) {
      std::vector<std::pair<PetscInt, PetscReal>> row;
      for (PetscInt j = 0; j < size; ++j) row.emplace_back(i / size * size + j, 1 / PetscReal(i % size + j + 1));
      return row;
    },
    &A, size));
  Vectors v(A);
  KSP     ksp;
  Outcome out;
  OK(MakeKSP(A, A, KSPREFINE, "-pc_type fgbilu -pc_fgbilu_precision single -pc_fgbilu_diag_precision storage", &ksp));
  OK(KSPSetTolerances(ksp, 10 * PETSC_MACHINE_EPSILON, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  OK(Solve(ksp, v.b, v.x, &out));
  expect_stagnation(ksp, out);
  EXPECT_LT(out.norm, PetscReal(0.1) * out.history[0]);
  OK(KSPDestroy(&ksp));
  OK(MatDestroy(&A));
}

TEST(RefineEnds, WhereTheSystemHasNoSolution)
{
  Mat A;
  KSP ksp;
  OK(AssembleLaplacian(star(4, 3, 3), &A)); // nobody says that it is singular
  Vectors     v(A);
  Outcome     out;
  PetscScalar sum;
  PetscInt    rows;
  OK(MakeKSP(A, A, KSPREFINE, "-pc_type jacobi -ksp_refine_damping 0.6", &ksp));
  OK(VecShift(v.b, PetscReal(0.3)));
  OK(VecSum(v.b, &sum));
  OK(VecGetSize(v.b, &rows));
  OK(Solve(ksp, v.b, v.x, &out));
  expect_stagnation(ksp, out);
  EXPECT_GE(out.norm, PetscAbsScalar(sum) / std::sqrt(PetscReal(rows)) * (1 - tolerance)); // the smallest there is
  EXPECT_LT(out.norm, out.history[0]);
  OK(KSPDestroy(&ksp));
  OK(MatDestroy(&A));
}

// A diagonal matrix of ones, preconditioned so that a pass multiplies the residual by 1 - damping.
TEST(RefineEnds, SlowConvergenceIsNoStagnation)
{
  Mat A;
  OK(AssembleRows(
    24,
    [](PetscInt i) {
      return std::vector<std::pair<PetscInt, PetscReal>>{{i, 1}};
    },
    &A));
  Vectors v(A);
  for (const char *damping : {"0.03", "0.001"})
    for (const char *norm : {"unpreconditioned", "preconditioned"}) {
      Outcome out;
      OK(SolveOnce(A, KSPREFINE,
                   "-pc_type none -ksp_max_it 300 -ksp_refine_damping " + std::string(damping) + " -ksp_norm_type " +
                     norm,
                   v.b, v.x, &out));
      EXPECT_EQ(out.its, 300) << damping;
      EXPECT_EQ(out.reason, KSP_DIVERGED_ITS) << damping;
    }
  OK(MatDestroy(&A));
}

// The same with a preconditioner that is zero in some applications.
TEST(RefineEnds, AfterTenIdlePassesInSuccession)
{
  Mat A;
  OK(AssembleRows(
    24,
    [](PetscInt i) {
      return std::vector<std::pair<PetscInt, PetscReal>>{{i, 1}};
    },
    &A));
  Vectors         v(A);
  const PetscReal half = PetscReal(0.5);
  const struct {
    std::vector<PetscReal> factors;
    const char            *options;
    KSPConvergedReason     reason;
    PetscInt               its;
  } cases[] = {{{half, 0}, "", KSP_DIVERGED_BREAKDOWN, 11},
               {{half, 0}, "-ksp_convergence_test skip -ksp_max_it 30", KSP_CONVERGED_ITS, 30},
               {{0, 0, 0, 0, 0, 0, 0, 0, 0, half, 0, 0, 0, 0, 0, 0, 0, 0, 0, half, 0, 0, 0, 0, 0, 0, 0, 0, 0, half},
                "-ksp_max_it 30",
                KSP_DIVERGED_ITS,
                30},
               {{1}, "-ksp_check_norm_iteration 25", KSP_CONVERGED_ATOL, 26}}; // done, but told to wait
  for (const auto &c : cases) {
    KSP     ksp;
    Outcome out;
    Probe   probe;
    probe.factor = c.factors;
    OK(MakeKSP(A, A, KSPREFINE, c.options, &ksp));
    OK(SetProbe(ksp, &probe));
    OK(Solve(ksp, v.b, v.x, &out));
    EXPECT_EQ(out.reason, c.reason) << c.options;
    EXPECT_EQ(out.its, c.its) << c.options;
    OK(KSPDestroy(&ksp));
  }
  OK(MatDestroy(&A));
}

// Jacobi on a convection problem carries the residual downwind, a row each pass, and is exact when it has left. On
// the way its norm stays as it is, or grows and falls again.
TEST(RefineEnds, HumpsAreNoStagnation)
{
  const struct {
    PetscInt  rows;
    PetscReal own, upwind; // of the iteration matrix
  } cases[] = {
    {8, 0, 1}, {12, PetscReal(0.3), 1}, {16, PetscReal(0.2), PetscReal(1.5)}, {10, PetscReal(0.9), PetscReal(0.2)}};
  for (const auto &c : cases) {
    Mat A;
    OK(AssembleRows(
      c.rows,
      [&](PetscInt i) {
        std::vector<std::pair<PetscInt, PetscReal>> row{{i, 1 - c.own}};
        if (i > 0) row.emplace_back(i - 1, -c.upwind);
        return row;
      },
      &A));
    Vectors           v(A);
    Outcome           ours, theirs;
    const std::string options = "-pc_type none -ksp_rtol 1e-2 -ksp_divtol 1e30 -ksp_norm_type unpreconditioned";
    OK(VecSet(v.b, 0));
    OK(VecSetValue(v.b, 0, 1, ADD_VALUES)); // by each rank
    OK(VecAssemblyBegin(v.b));
    OK(VecAssemblyEnd(v.b));
    OK(SolveOnce(A, KSPREFINE, options, v.b, v.x, &ours));
    OK(SolveOnce(A, KSPRICHARDSON, options, v.b, v.y, &theirs));
    EXPECT_GT(theirs.reason, 0) << c.rows;
    EXPECT_EQ(ours.reason, theirs.reason) << c.rows << ": after " << ours.its;
    EXPECT_EQ(ours.its, theirs.its) << c.rows;
    OK(MatDestroy(&A));
  }
}

TEST(RefineEnds, WithTheFailureOfThePreconditioner)
{
  Mat         A, singular;
  PetscInt    first, last;
  PetscMPIInt rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  OK(AssembleMatrix(star(5, 4, 3), 1, MATAIJ, 1, &A));
  OK(MatDuplicate(A, MAT_COPY_VALUES, &singular));
  OK(MatGetOwnershipRange(A, &first, &last));
  const PetscInt zero = 47;
  OK(MatSetOption(singular, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  OK(MatZeroRowsColumns(singular, zero >= first && zero < last, &zero, 0, nullptr, nullptr));
  Vectors v(A);
  for (const char *norm : {"unpreconditioned", "preconditioned"})
    for (const PetscInt inner : {1, 3}) {
      // Nobody but the solver looks at the norms where the test is skipped.
      const std::string options =
        "-ksp_norm_type " + std::string(norm) + (inner == 1 ? "" : " -ksp_max_it 50 -ksp_convergence_test skip");
      KSP       ksp;
      Outcome   out;
      PetscReal mark;
      // In the set-up, everywhere; the next good matrix works.
      OK(MakeKSP(singular, singular, KSPREFINE, options + " -pc_type fgbilu", &ksp));
      OK(KSPRefineSetInner(ksp, inner));
      OK(Solve(ksp, v.b, v.x, &out));
      EXPECT_EQ(out.reason, KSP_DIVERGED_PC_FAILED) << norm << inner;
      OK(KSPSetOperators(ksp, A, A));
      OK(Solve(ksp, v.b, v.x, &out));
      EXPECT_EQ(out.reason, inner == 1 ? KSP_CONVERGED_RTOL : KSP_CONVERGED_ITS) << norm << inner;
      OK(KSPDestroy(&ksp));
      // In an application, on one rank.
      Probe probe;
      probe.fail_on_last_rank = true;
      OK(MakeKSP(A, A, KSPREFINE, options, &ksp));
      OK(KSPRefineSetInner(ksp, inner));
      OK(SetProbe(ksp, &probe));
      OK(Solve(ksp, v.b, v.x, &out));
      EXPECT_EQ(out.reason, KSP_DIVERGED_PC_FAILED) << norm << inner << ", rank " << rank;
      OK(VecNorm(v.x, NORM_2, &mark)); // for outer solvers
      EXPECT_FALSE(std::isfinite(mark)) << norm << inner << ", rank " << rank;
      OK(KSPDestroy(&ksp));
    }
  OK(MatDestroy(&A));
  OK(MatDestroy(&singular));
}

// The function that a preconditioner offers for the inner loop.

TEST(RefineCorrections, AreLeftToThePreconditionerWhereItCanDoThem)
{
  Mat A, P;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 2, &P));
  Vectors v(A);
  struct Case {
    const char *name, *options;
    bool        composed, same, transpose, taken;
  };
  for (const Case &c :
       {Case{"all there", "-ksp_refine_inner 3", true, true, false, true},
        Case{"no norm", "-ksp_refine_inner 3 -ksp_norm_type none", true, true, false, true},
        Case{"one application", "-ksp_refine_inner 1", true, true, false, false},
        Case{"damping", "-ksp_refine_inner 3 -ksp_refine_damping 0.9", true, true, false, false},
        Case{"another Amat", "-ksp_refine_inner 3", true, false, false, false},
        Case{"transposed", "-ksp_refine_inner 3", true, true, true, false},
        Case{"preconditioned norm", "-ksp_refine_inner 3 -ksp_norm_type preconditioned", true, true, false, false},
        Case{"not offered", "-ksp_refine_inner 3", false, true, false, false}}) {
    KSP       ksp;
    Probe     probe;
    Outcome   out;
    PetscInt  inner;
    PetscReal damping, d;
    int       restarts = -1;
    OK(MakeKSP(A, c.same ? A : P, KSPREFINE, std::string("-ksp_max_it 4 -ksp_rtol 1e-30 ") + c.options, &ksp));
    OK(SetProbe(ksp, &probe, c.composed));
    OK(c.transpose ? KSPSolveTranspose(ksp, v.b, v.x) : KSPSolve(ksp, v.b, v.x));
    OK(GetOutcome(ksp, &out));
    EXPECT_EQ(out.its, 4) << c.name;
    EXPECT_EQ(probe.corrections, std::vector<PetscInt>(c.taken ? 4 : 0, 2)) << c.name;
    EXPECT_EQ(probe.applications > 0, !c.taken) << c.name;
    OK(KSPRefineGetInner(ksp, &inner));
    OK(KSPRefineGetDamping(ksp, &damping));
    OK(VecSet(v.y, 0));
    OK(Loop(A, c.same ? A : P, inner, damping, c.transpose, 4, v.b, v.y, &restarts));
    OK(Difference(v.x, v.y, &d));
    EXPECT_LT(d, tolerance) << c.name;
    OK(KSPDestroy(&ksp));
  }
  OK(MatDestroy(&A));
  OK(MatDestroy(&P));
}

// Life with PETSc.

struct Seen {
  std::vector<PetscReal> norms, residuals;
};

PetscErrorCode See(KSP ksp, PetscInt it, PetscReal norm, void *context)
{
  Seen     *seen = static_cast<Seen *>(context);
  Vec       r;
  PetscReal residual;

  PetscFunctionBegin;
  EXPECT_EQ(std::size_t(it), seen->norms.size());
  PetscCall(KSPBuildResidual(ksp, nullptr, nullptr, &r));
  PetscCall(VecNorm(r, NORM_2, &residual));
  PetscCall(VecDestroy(&r));
  seen->norms.push_back(norm);
  seen->residuals.push_back(residual);
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(RefineLife, MonitorsSeeEveryPass)
{
  Mat A;
  KSP ksp;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  Vectors v(A);
  Outcome out;
  Seen    seen;
  OK(MakeKSP(A, A, KSPREFINE, "-pc_type jacobi -ksp_refine_inner 2", &ksp));
  OK(KSPMonitorSet(ksp, See, &seen, nullptr));
  OK(Solve(ksp, v.b, v.x, &out));
  EXPECT_GT(out.its, 2);
  EXPECT_EQ(seen.norms, out.history);
  ASSERT_EQ(seen.norms.size(), std::size_t(out.its) + 1);
  for (std::size_t k = 0; k < seen.norms.size(); ++k)
    EXPECT_NEAR(seen.norms[k], seen.residuals[k], tolerance * seen.norms[0]) << k;
  OK(KSPDestroy(&ksp));
  OK(MatDestroy(&A));
}

TEST(RefineLife, SettingsAreThereForAllSolvesAndResets)
{
  Mat A, B;
  KSP ksp;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  OK(AssembleMatrix(star(3, 3, 3), 2, MATAIJ, 1, &B));
  Vectors     v(A), w(B);
  Outcome     first, second, third, more;
  PetscReal   damping;
  PetscInt    inner;
  std::string text;
  OK(MakeKSP(A, A, KSPREFINE, "-pc_type jacobi -ksp_refine_inner 3 -ksp_refine_damping 0.875", &ksp));
  OK(Solve(ksp, v.b, v.x, &first));
  OK(Solve(ksp, v.b, v.x, &second));
  EXPECT_EQ(first.history, second.history);
  OK(KSPReset(ksp));
  OK(KSPSetOperators(ksp, B, B));
  OK(Solve(ksp, w.b, w.x, &third));
  EXPECT_GT(third.reason, 0);
  OK(KSPReset(ksp));
  OK(KSPSetOperators(ksp, A, A));
  OK(Solve(ksp, v.b, v.x, &third));
  EXPECT_EQ(first.history, third.history);
  OK(KSPRefineGetInner(ksp, &inner));
  OK(KSPRefineGetDamping(ksp, &damping));
  EXPECT_EQ(inner, 3);
  EXPECT_EQ(damping, PetscReal(0.875));
  OK(ViewText(reinterpret_cast<PetscObject>(ksp), &text));
  EXPECT_NE(text.find("inner applications: 3, damping: 0.875, restarts in the last solve: 0"), std::string::npos)
    << text;
  // Between solves: fewer and more work vectors.
  OK(KSPReset(ksp));
  OK(KSPSetOperators(ksp, A, A));
  OK(KSPRefineSetInner(ksp, 1));
  OK(Solve(ksp, v.b, v.x, &more));
  EXPECT_GT(more.its, first.its);
  OK(KSPRefineSetInner(ksp, 3));
  OK(Solve(ksp, v.b, v.x, &more));
  EXPECT_EQ(first.history, more.history);
  OK(KSPDestroy(&ksp));
  OK(MatDestroy(&A));
  OK(MatDestroy(&B));
}

TEST(RefineLife, SettersDoNothingForOtherTypesAndGettersAreAnError)
{
  Mat A;
  OK(AssembleMatrix(star(3, 3, 3), 1, MATAIJ, 1, &A));
  for (const bool before : {false, true}) {
    KSP       ksp;
    PetscInt  inner   = 0;
    PetscReal damping = 0;
    OK(MakeKSP(A, A, before ? KSPREFINE : KSPGMRES, "", &ksp));
    OK(KSPSetType(ksp, KSPGMRES));
    OK(KSPRefineSetInner(ksp, 3));
    OK(KSPRefineSetDamping(ksp, PetscReal(0.5)));
    EXPECT_NE(ExpectError([&] { return KSPRefineGetInner(ksp, &inner); }).find("KSPRefineGetInner_C"),
              std::string::npos);
    EXPECT_NE(ExpectError([&] { return KSPRefineGetDamping(ksp, &damping); }).find("KSPRefineGetDamping_C"),
              std::string::npos);
    OK(KSPSetType(ksp, KSPREFINE));
    OK(KSPRefineGetInner(ksp, &inner));
    OK(KSPRefineGetDamping(ksp, &damping));
    EXPECT_EQ(inner, 1);
    EXPECT_EQ(damping, 1);
    OK(KSPDestroy(&ksp));
  }
  OK(MatDestroy(&A));
}

TEST(RefineLife, WrongSettingsAreErrors)
{
  Mat A;
  KSP ksp;
  OK(AssembleMatrix(star(3, 3, 3), 1, MATAIJ, 1, &A));
  for (const char *options :
       {"-ksp_refine_inner 0", "-ksp_refine_inner -1", "-ksp_refine_damping 0", "-ksp_refine_damping -1"}) {
    ksp                    = nullptr;
    const std::string text = ExpectError([&] { return MakeKSP(A, A, KSPREFINE, options, &ksp); });
    const std::string key(options, std::string(options).find(' '));
    EXPECT_NE(text.find(key), std::string::npos) << text;
    OK(KSPDestroy(&ksp));
  }
  OK(MakeKSP(A, A, KSPREFINE, "", &ksp));
  const std::string text = ExpectError([&] { return KSPRefineSetDamping(ksp, PetscReal(std::nan(""))); });
  EXPECT_FALSE(text.empty());
  OK(KSPDestroy(&ksp));
  OK(MatDestroy(&A));
}

} // namespace
