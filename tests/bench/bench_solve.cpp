// SPDX-License-Identifier: BSD-2-Clause
// Whole solves in one run, repetitions interleaved, best of all: matrices and preconditioners of PETSc, then ours,
// each on the memory of its vectors; on several ranks PETSc's are inside bjacobi. If PETSc has CUDA and finds a
// device, AIJ is AIJCUSPARSE. Rows with vectors on the host are then omitted, and each row is timed alone and
// printed when it is done. Stars of seven points, full blocks: diffusion of all unknowns and random couplings. For
// cg the matrix is A + A^T. Options: -sizes 5 -points 48 -solvers gmres -diffusion 100 -tolerance 1e-8 -repetitions
// 5; -check times solves with and without the check of solutions instead.
#include "pcs.hpp"
#include "star.hpp"

#include <span>

using namespace finegrain::test;

namespace
{

struct Method {
  const char *matrix, *pc, *options; // options: for PCSetFromOptions()
};
constexpr Method methods[] = {{MATAIJ, PCILU, ""},
                              {MATBAIJ, PCILU, ""},
                              {MATBAIJ, PCFGBILU, ""},
                              {MATBAIJKOKKOS, PCFGBILU, ""},
                              {MATBAIJKOKKOS, PCFGBILU, "-pc_fgbilu_eisenstat false"},
                              {MATBAIJKOKKOS, PCFGBILU, "-pc_fgbilu_precision single"},
                              {MATBAIJKOKKOS, PCPOWERQILU, ""},
                              {MATBAIJKOKKOS, PCMCPI, "-pc_mcpi_precision half"}};
// Measures the cost of the check of solutions.
constexpr Method unchecked_and_checked[] = {
  {MATAIJ, PCFGBILU, "-pc_fgbilu_check_solution none"},        {MATAIJ, PCFGBILU, ""},
  {MATBAIJ, PCFGBILU, "-pc_fgbilu_check_solution none"},       {MATBAIJ, PCFGBILU, ""},
  {MATBAIJKOKKOS, PCFGBILU, "-pc_fgbilu_check_solution none"}, {MATBAIJKOKKOS, PCFGBILU, ""}};

// Uses AIJCUSPARSE for AIJ if vectors of MATBAIJKOKKOS are on a device.
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

  PetscErrorCode make(Mat original, const char *type, const Method &method, PetscReal tolerance)
  {
    PC pc;
    PetscMPIInt size;

    PetscFunctionBegin;
    PetscCall(MatConvert(original, place_type(method.matrix, original), MAT_INITIAL_MATRIX, &A));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSetType(ksp, type));
    PetscCall(KSPSetTolerances(ksp, tolerance, PETSC_DEFAULT, PETSC_DEFAULT, 1000));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, size > 1 && method.pc == std::string(PCILU) ? PCBJACOBI : method.pc));
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
void solve(PetscInt n, Mat A, const char *solver, const std::vector<Method> &rows, PetscReal tolerance,
           int repetitions, double *first)
{
  Interleaved all(repetitions);
  Best best;
  std::vector<Solver> solvers(rows.size());

  for (std::size_t m = 0; m < solvers.size(); ++m) {
    OK(solvers[m].make(A, solver, rows[m], tolerance));
    const Solver s = solvers[m];
    PC pc;
    OK(KSPGetPC(s.ksp, &pc));
    all.add_once("setup/" + std::to_string(m), [pc](benchmark::State &state) { refresh(state, pc); });
    all.add_once("solve/" + std::to_string(m), [s, pc](benchmark::State &state) {
      OK(PCSetUp(pc));                                                  // refresh() has changed A's state
      OK(PetscObjectStateIncrease(reinterpret_cast<PetscObject>(s.b))); // like a new right-hand side of a caller
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
    OK(PetscPrintf(PETSC_COMM_WORLD, "| %d | %s | %s, %s %s | %.1f | %d%s | %.1f | %.2f | %.2f |\n", int(n), solver,
                   type, rows[m].pc, rows[m].options, setup, int(iterations), reason > 0 ? "" : " (not converged)",
                   solved, solved / double(iterations), *first / (setup + solved)));
    OK(solvers[m].destroy());
  }
  std::fflush(stdout);
}

void run(PetscInt n, PetscInt points, const std::string &solver, PetscReal diffusion, PetscReal tolerance,
         int repetitions, bool check)
{
  DM da;
  Mat A, transposed;

  OK(AssembleStar(PETSC_COMM_WORLD, {{points, points, points}, {n}, 1, diffusion}, &da, &A));
  OK(DMDestroy(&da));
  if (solver == KSPCG) {
    OK(MatTranspose(A, MAT_INITIAL_MATRIX, &transposed));
    OK(MatAXPY(A, 1, transposed, SAME_NONZERO_PATTERN));
    OK(MatDestroy(&transposed));
  }
  const bool on_device = place_type(MATAIJ, A) != std::string(MATAIJ);
  std::vector<Method> rows;
  for (const Method &m : check ? std::span<const Method>(unchecked_and_checked) : std::span<const Method>(methods))
    if (!on_device || m.matrix != std::string(MATBAIJ)) rows.push_back(m);
  double first = 0;
  if (on_device)
    for (const Method &row : rows) solve(n, A, solver.c_str(), {row}, tolerance, repetitions, &first);
  else solve(n, A, solver.c_str(), rows, tolerance, repetitions, &first);
  OK(MatDestroy(&A));
}

} // namespace

int main(int argc, char **argv)
{
  std::vector<PetscInt> sizes{5};
  PetscInt points = 48, repetitions = 5, solvers = 8;
  char *names[8];
  PetscBool given, check = PETSC_FALSE;
  PetscReal diffusion = 100, tolerance = 1e-8;
  OK(PetscInitialize(&argc, &argv, nullptr, nullptr));
  OK(PetscFinegrainInitializePackage());
  read_numbers("-sizes", &sizes);
  OK(PetscOptionsGetInt(nullptr, nullptr, "-points", &points, nullptr));
  OK(PetscOptionsGetInt(nullptr, nullptr, "-repetitions", &repetitions, nullptr));
  OK(PetscOptionsGetReal(nullptr, nullptr, "-diffusion", &diffusion, nullptr));
  OK(PetscOptionsGetReal(nullptr, nullptr, "-tolerance", &tolerance, nullptr));
  OK(PetscOptionsGetBool(nullptr, nullptr, "-check", &check, nullptr));
  OK(PetscOptionsGetStringArray(nullptr, nullptr, "-solvers", names, &solvers, &given));
  if (!given) {
    OK(PetscStrallocpy(KSPGMRES, &names[0]));
    solvers = 1;
  }
  OK(PetscPrintf(PETSC_COMM_WORLD,
                 "times in ms; %d^3 points, to %g; set-up: of new values in a structure that is known; theirs / "
                 "ours: set-up and solve, the first row's over this one's\n\n"
                 "| n | solver | matrix, preconditioner | set-up | iterations | solve | an iteration | theirs / ours "
                 "|\n|---|---|---|---|---|---|---|---|\n",
                 int(points), double(tolerance)));
  for (const PetscInt n : sizes)
    for (PetscInt k = 0; k < solvers; ++k) run(n, points, names[k], diffusion, tolerance, int(repetitions), check);
  for (PetscInt k = 0; k < solvers; ++k) OK(PetscFree(names[k]));
  OK(PetscFinalize());
  return 0;
}
