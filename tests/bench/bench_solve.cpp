// Whole solves with GMRES, in one run, repetitions interleaved; best of all: matrices and preconditioners of PETSc's,
// then ours, each where its vectors lie. With a PETSc that has CUDA and finds a device AIJ is AIJCUSPARSE. Stars of
// seven points, full blocks: diffusion of all unknowns and random couplings. There rows that have their vectors on
// the host are left out, and a row is printed when it is done, before the next begins. Options: -sizes 5 -points 48
// -diffusion 100 -tolerance 1e-8 -repetitions 5.
#include "pcs.hpp"
#include "star.hpp"

using namespace finegrain::test;

namespace
{

struct Method {
  const char *matrix, *pc, *options; // the last: what PCSetFromOptions() reads
};
constexpr Method methods[] = {{MATAIJ, PCILU, ""},
                              {MATBAIJ, PCILU, ""},
                              {MATBAIJKOKKOS, PCFGBILU, ""},
                              {MATBAIJKOKKOS, PCFGBILU, "-pc_fgbilu_precision single"},
                              {MATBAIJKOKKOS, PCPOWERQILU, ""},
                              {MATBAIJKOKKOS, PCMCPI, "-pc_mcpi_precision half"}};

// AIJ is that on a device where ours are.
MatType place_type(MatType type, [[maybe_unused]] Mat like)
{
#if defined(PETSC_HAVE_CUDA)
  if (type == std::string(MATAIJ)) {
    Mat ours;
    OK(MatConvert(like, MATBAIJKOKKOS, MAT_INITIAL_MATRIX, &ours));
    if (has_vectors_on_device(ours)) type = MATAIJCUSPARSE;
    OK(MatDestroy(&ours));
  }
#endif
  return type;
}

struct Solver {
  Mat A = nullptr;
  KSP ksp = nullptr;
  Vec b = nullptr, x = nullptr;

  PetscErrorCode make(Mat original, const Method &method, PetscReal tolerance)
  {
    PC pc;

    PetscFunctionBegin;
    PetscCall(MatConvert(original, place_type(method.matrix, original), MAT_INITIAL_MATRIX, &A));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSetType(ksp, KSPGMRES));
    PetscCall(KSPSetTolerances(ksp, tolerance, PETSC_DEFAULT, PETSC_DEFAULT, 1000));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, method.pc));
    PetscCall(PetscOptionsInsertString(nullptr, method.options));
    PetscCall(KSPSetFromOptions(ksp));
    if (*method.options)
      PetscCall(PetscOptionsClearValue(
        nullptr, std::string(method.options).substr(0, std::string(method.options).find(' ')).c_str()));
    PetscCall(KSPSetUp(ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode destroy()
  {
    PetscFunctionBegin;
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

// Times these rows in one run and prints them. first: time of the table's first row, 0 before it is known.
void solve(PetscInt n, Mat A, const std::vector<Method> &rows, PetscReal tolerance, int repetitions, double *first)
{
  Interleaved all(repetitions);
  Best best;
  std::vector<Solver> solvers(rows.size());

  for (std::size_t m = 0; m < solvers.size(); ++m) {
    OK(solvers[m].make(A, rows[m], tolerance));
    const Solver s = solvers[m];
    PC pc;
    OK(KSPGetPC(s.ksp, &pc));
    all.add_once("setup/" + std::to_string(m), [pc](benchmark::State &state) { refresh(state, pc); });
    all.add_once("solve/" + std::to_string(m), [s](benchmark::State &state) {
      OK(PetscObjectStateIncrease(reinterpret_cast<PetscObject>(s.b))); // as a caller's new right-hand side
      for (auto _ : state) OK(KSPSolve(s.ksp, s.b, s.x));
    });
  }
  all.run(&best);
  for (std::size_t m = 0; m < solvers.size(); ++m) {
    const double setup = best.ns["setup/" + std::to_string(m)] * 1e-6,
                 solved = best.ns["solve/" + std::to_string(m)] * 1e-6;
    PetscInt iterations;
    KSPConvergedReason reason;
    MatType type;
    OK(KSPGetIterationNumber(solvers[m].ksp, &iterations));
    OK(KSPGetConvergedReason(solvers[m].ksp, &reason));
    OK(MatGetType(solvers[m].A, &type));
    if (*first <= 0) *first = setup + solved;
    std::printf("| %d | %s, %s %s | %.1f | %d%s | %.1f | %.2f | %.2f |\n", int(n), type, rows[m].pc, rows[m].options,
                setup, int(iterations), reason > 0 ? "" : " (not converged)", solved, solved / iterations,
                *first / (setup + solved));
    OK(solvers[m].destroy());
  }
  std::fflush(stdout);
}

void run(PetscInt n, PetscInt points, PetscReal diffusion, PetscReal tolerance, int repetitions)
{
  DM da;
  Mat A;

  OK(AssembleStar(PETSC_COMM_SELF, {{points, points, points}, {n}, 1, diffusion}, &da, &A));
  OK(DMDestroy(&da));
  const bool on_device = place_type(MATAIJ, A) != std::string(MATAIJ);
  std::vector<Method> rows;
  for (const Method &m : methods)
    if (!on_device || m.matrix != std::string(MATBAIJ)) rows.push_back(m);
  double first = 0;
  if (on_device)
    for (const Method &row : rows) solve(n, A, {row}, tolerance, repetitions, &first);
  else solve(n, A, rows, tolerance, repetitions, &first);
  OK(MatDestroy(&A));
}

} // namespace

int main(int argc, char **argv)
{
  std::vector<PetscInt> sizes{5};
  PetscInt points = 48, repetitions = 5;
  PetscReal diffusion = 100, tolerance = 1e-8;
  OK(PetscInitialize(&argc, &argv, nullptr, nullptr));
  OK(PetscFinegrainInitializePackage());
  read_numbers("-sizes", &sizes);
  OK(PetscOptionsGetInt(nullptr, nullptr, "-points", &points, nullptr));
  OK(PetscOptionsGetInt(nullptr, nullptr, "-repetitions", &repetitions, nullptr));
  OK(PetscOptionsGetReal(nullptr, nullptr, "-diffusion", &diffusion, nullptr));
  OK(PetscOptionsGetReal(nullptr, nullptr, "-tolerance", &tolerance, nullptr));
  std::printf(
    "times in ms; %d^3 points, GMRES(30) to %g; set-up: of new values in a structure that is known; theirs / "
    "ours: set-up and solve, the first row's over this one's\n\n"
    "| n | matrix, preconditioner | set-up | iterations | solve | an iteration | theirs / ours "
    "|\n|---|---|---|---|---|---|---|\n",
    int(points), double(tolerance));
  for (const PetscInt n : sizes) run(n, points, diffusion, tolerance, int(repetitions));
  OK(PetscFinalize());
  return 0;
}
