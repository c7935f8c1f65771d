// SPDX-License-Identifier: BSD-2-Clause
// fgbilu compared with PETSc's ILU(0) and the machine's read bandwidth, in one run, repetitions interleaved, best of
// all. Options after -- go to PETSc: -sizes 1,4,5,6,8 -points 64
#include "pcs.hpp"
#include "star.hpp"

#include <petsc/private/kspimpl.h>
#include <petscfinegrain.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace
{

using namespace finegrain::test;

struct Problem {
  PetscInt n = 0, points = 0;
  DM da = nullptr;
  Mat A = nullptr;
  Vec b = nullptr, x = nullptr;
};

std::map<PetscInt, Problem> problems;

Problem make_problem(PetscInt n, PetscInt side)
{
  Problem p{n, side * side * side};
  OK(AssembleStar(PETSC_COMM_SELF, {{side, side, side}, {n}, 8}, &p.da, &p.A));
  OK(MatCreateVecs(p.A, &p.x, &p.b));
  OK(VecSet(p.b, 1));
  return p;
}

PC make_pc(const Problem &p, const char *type)
{
  PC pc;
  OK(PCCreate(PETSC_COMM_SELF, &pc));
  OK(PCSetType(pc, type));
  OK(PCSetOperators(pc, p.A, p.A));
  OK(PCSetDM(pc, p.da));
  OK(PCSetFromOptions(pc));
  return pc;
}

PC make_ours(const Problem &p, bool single, bool launch)
{
  PC pc = make_pc(p, PCFGBILU);
  if (single) OK(PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_SINGLE));
  if (single) OK(PCFinegrainSetDiagonalPrecision(pc, PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE));
  OK(PCFinegrainSetAlgorithm(pc, launch ? PC_FINEGRAIN_ALGORITHM_LEVELS : PC_FINEGRAIN_ALGORITHM_SEQUENTIAL));
  return pc;
}

// Returns a function: ns/point of a benchmark.
auto times_of(Best &best, PetscInt n, PetscInt points)
{
  return
    [&best, n, points](const std::string &what) { return best.ns[what + "/" + std::to_string(n)] / double(points); };
}

// Sets up a PC for `body` and frees its factor afterwards: only one factor is in memory at a time.
template <class Body> void with(PC pc, Body body)
{
  body(pc);
  OK(PCDestroy(&pc));
}

void print_table(Best &best)
{
  const double bandwidth = read_bytes / best.ns["read/0"]; // GB/s
  std::printf("\nread bandwidth of one thread: %.1f GB/s\n", bandwidth);
  std::printf("times in ns per point, best of all repetitions; least: 7 blocks, 6 columns, 2 row pointers and 4 "
              "vectors over read "
              "bandwidth\n\n");
  std::printf("| n | points | least | PETSc apply | fgbilu apply | PETSc's / it | of least | levels | single apply | "
              "PETSc's / single | single, of least | PETSc refactor | fgbilu refactor | PETSc's / it, refactor | "
              "single refactor |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto &[n, p] : problems) {
    const auto t = times_of(best, n, p.points);
    const auto least = [&, n = n](double size) {
      return (7 * double(n * n) * size + 4 * 8 + 4 * double(n) * sizeof(PetscScalar)) / bandwidth;
    };
    const double both = least(sizeof(PetscScalar)), low = least(sizeof(PetscScalar) / 2.);
    std::printf("| %d | %d | %.1f | %.1f | %.1f | %.2f | %.0f %% | %.1f | %.1f | %.2f | %.0f %% | %.0f | %.0f | %.2f "
                "| %.0f |\n",
                int(n), int(p.points), both, t("petsc_apply"), t("apply"), t("petsc_apply") / t("apply"),
                100 * both / t("apply"), t("levels_apply"), t("single_apply"), t("petsc_apply") / t("single_apply"),
                100 * low / t("single_apply"), t("petsc_refactor"), t("refactor"),
                t("petsc_refactor") / t("refactor"), t("single_refactor"));
  }
}

// The same matrix treated as symmetric: its upper triangle.
void print_symmetric_table(Best &best)
{
  std::printf(
    "\nfgbicc: upper blocks are not stored, lower ones read twice\n\n"
    "| n | PETSc ICC(0) apply | fgbicc apply | PETSc's / it | fgbilu apply | PETSc refactor | fgbicc refactor | "
    "PETSc's / it, refactor |\n"
    "|---|---|---|---|---|---|---|---|\n");
  for (const auto &[n, p] : problems) {
    const auto t = times_of(best, n, p.points);
    std::printf("| %d | %.1f | %.1f | %.2f | %.1f | %.0f | %.0f | %.2f |\n", int(n), t("petsc_icc"), t("icc"),
                t("petsc_icc") / t("icc"), t("apply"), t("petsc_icc_refactor"), t("icc_refactor"),
                t("petsc_icc_refactor") / t("icc_refactor"));
  }
}

// Storage of a factor, for the precisions other than working and single, which are in the first table.
struct Store {
  const char *name;
  PCFinegrainPrecisionType precision;
  PCFinegrainDiagonalPrecisionType diagonal;
  double coupling, inverse; // bytes of a scalar
};
constexpr double parts = sizeof(PetscScalar) / sizeof(PetscReal);
constexpr Store stores[] = {
  {"single, inverses single", PC_FINEGRAIN_PRECISION_SINGLE, PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE, 4 * parts,
   4 * parts},
  {"half", PC_FINEGRAIN_PRECISION_HALF, PC_FINEGRAIN_DIAGONAL_PRECISION_WORKING, 2 * parts, 4 * parts}};

PC make_stored(const Problem &p, const Store &s)
{
  PC pc = make_ours(p, false, false);
  OK(PCFinegrainSetPrecision(pc, s.precision));
  OK(PCFinegrainSetDiagonalPrecision(pc, s.diagonal));
  return pc;
}

void print_storage_table(Best &best)
{
  const double bandwidth = read_bytes / best.ns["read/0"];
  std::printf(
    "\nstorage: 6 couplings, a diagonal block, 6 columns, 2 row pointers and 5 vectors are least\n\n"
    "| n | storage | apply | PETSc / ours | working / this | of least | refactor |\n|---|---|---|---|---|---|---|\n");
  for (const auto &[n, p] : problems) {
    const auto t = times_of(best, n, p.points);
    for (const Store &s : stores) {
      const std::string name = s.name;
      const double least =
        (double(n * n) * (6 * s.coupling + s.inverse) + 4 * 8 + 5 * double(n) * sizeof(PetscScalar)) / bandwidth;
      std::printf("| %d | %s | %.1f | %.2f | %.2f | %.0f %% | %.0f |\n", int(n), s.name, t("stored " + name),
                  t("petsc_apply") / t("stored " + name), t("apply") / t("stored " + name),
                  100 * least / t("stored " + name), t("restored " + name));
    }
  }
}

// Product and application, PETSc's and ours, and products by Eisenstat's trick.
void print_products_table(Best &best)
{
  std::printf(
    "\nA M^-1 v: PETSc's MatMult and ILU(0) on AIJ, ours on baijkokkos, and by Eisenstat's trick, general and "
    "symmetric\n\n| n | PETSc | ours | fgbilu apply | Eisenstat | ours / it | it / apply | PETSc / it | "
    "symmetric |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const auto &[n, p] : problems) {
    const auto t = times_of(best, n, p.points);
    std::printf("| %d | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f | %.2f | %.1f |\n", int(n), t("petsc_both"),
                t("both"), t("apply"), t("eisenstat"), t("both") / t("eisenstat"), t("eisenstat") / t("apply"),
                t("petsc_both") / t("eisenstat"), t("eisenstat_cg"));
  }
}

// Several vectors at once; PETSc's PCILU applies them one after the other.
constexpr PetscInt vectors = 8;
void apply_to_several(benchmark::State &s, const Problem &p, PC pc)
{
  Mat B, X;
  PetscInt rows;
  OK(VecGetSize(p.b, &rows));
  OK(MatCreateSeqDense(PETSC_COMM_SELF, rows, vectors, nullptr, &B));
  for (PetscInt v = 0; v < vectors; ++v) {
    Vec column;
    OK(MatDenseGetColumnVecWrite(B, v, &column));
    OK(VecCopy(p.b, column));
    OK(MatDenseRestoreColumnVecWrite(B, v, &column));
  }
  OK(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  OK(PCMatApply(pc, B, X));
  for (auto _ : s) OK(PCMatApply(pc, B, X));
  OK(MatDestroy(&B));
  OK(MatDestroy(&X));
}

void print_several_table(Best &best)
{
  std::printf(
    "\n%d vectors by PCMatApply(), times of each; mcpi: half precision, 15 sweeps\n\n| n | PETSc | fgbilu | "
    "PETSc's / it | one / of several | mcpi, one | mcpi, of several | mcpi, one / of several "
    "|\n|---|---|---|---|---|---|---|---|\n",
    int(vectors));
  for (const auto &[n, p] : problems) {
    const auto t = times_of(best, n, p.points);
    const double theirs = t("petsc_several") / double(vectors), ours = t("several") / double(vectors),
                 relaxed = t("mcpi_several") / double(vectors);
    std::printf("| %d | %.1f | %.1f | %.2f | %.2f | %.1f | %.1f | %.2f |\n", int(n), theirs, ours, theirs / ours,
                t("apply") / ours, t("mcpi"), relaxed, t("mcpi") / relaxed);
  }
}

// A product with A, then the preconditioner.
void multiply_and_apply(benchmark::State &s, const Problem &p, const char *format, const char *type)
{
  Mat A;
  Vec y;
  PC pc;
  OK(MatConvert(p.A, format, MAT_INITIAL_MATRIX, &A));
  OK(VecDuplicate(p.x, &y));
  OK(PCCreate(PETSC_COMM_SELF, &pc));
  OK(PCSetType(pc, type));
  OK(PCSetOperators(pc, A, A));
  OK(PCSetDM(pc, p.da));
  OK(PCSetUp(pc));
  for (auto _ : s) {
    OK(MatMult(A, p.b, y));
    OK(PCApply(pc, y, p.x));
  }
  OK(PCDestroy(&pc));
  OK(VecDestroy(&y));
  OK(MatDestroy(&A));
}

// The product with the preconditioned operator that a KSP calls in its solve.
benchmark::State *timed = nullptr;
PetscErrorCode TimeProducts(KSP ksp)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  for (auto _ : *timed) PetscCall(MatMult(A, ksp->vec_rhs, ksp->vec_sol));
  ksp->reason = KSP_CONVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void multiply_by_sweeps(benchmark::State &s, const Problem &p, const char *solver)
{
  Mat A;
  KSP ksp;
  PC pc;
  OK(MatConvert(p.A, MATBAIJKOKKOS, MAT_INITIAL_MATRIX, &A));
  if (solver == std::string(KSPCG)) { // the pivots are Hermitian
    Mat transposed;
    OK(MatTranspose(A, MAT_INITIAL_MATRIX, &transposed));
    OK(MatAXPY(A, 1, transposed, SAME_NONZERO_PATTERN));
    OK(MatDestroy(&transposed));
  }
  OK(KSPCreate(PETSC_COMM_SELF, &ksp));
  OK(KSPSetType(ksp, solver));
  OK(KSPSetOperators(ksp, A, A));
  OK(KSPGetPC(ksp, &pc));
  OK(PCSetType(pc, PCFGBILU));
  OK(PCFGBILUSetEisenstat(pc, PCFGBILU_EISENSTAT_TRUE));
  OK(PCSetDM(pc, p.da));
  OK(KSPSetUp(ksp));
  ksp->ops->solve = TimeProducts;
  timed = &s;
  OK(KSPSolve(ksp, p.b, p.x));
  OK(KSPDestroy(&ksp));
  OK(MatDestroy(&A));
}

} // namespace

int main(int argc, char **argv)
{
  PetscInt sizes[16] = {1, 4, 5, 6, 8}, count = 16, side = 64, repetitions = 7;
  PetscBool set;
  OK(PetscInitialize(&argc, &argv, nullptr, nullptr));
  OK(PetscFinegrainInitializePackage());
  OK(PetscOptionsGetIntArray(nullptr, nullptr, "-sizes", sizes, &count, &set));
  if (!set) count = 5;
  OK(PetscOptionsGetInt(nullptr, nullptr, "-points", &side, nullptr));
  OK(PetscOptionsGetInt(nullptr, nullptr, "-repetitions", &repetitions, nullptr));
  for (PetscInt i = 0; i < count; ++i)
    problems[sizes[i]] = make_problem(sizes[i], sizes[i] >= 8 ? side * 3 / 4 : side);

  Interleaved all(repetitions);
  const auto add = [&](const std::string &name, auto body) { all.add(name, body); };
  add("read/0", [](benchmark::State &s) { read_memory(s); });
  for (auto &[n, problem] : problems) {
    const Problem &p = problem;
    const std::string end = std::string("/").append(std::to_string(n));
    add("petsc_apply" + end,
        [&p](benchmark::State &s) { with(make_pc(p, PCILU), [&](PC pc) { apply(s, pc, p.b, p.x); }); });
    add("apply" + end,
        [&p](benchmark::State &s) { with(make_ours(p, false, false), [&](PC pc) { apply(s, pc, p.b, p.x); }); });
    add("levels_apply" + end,
        [&p](benchmark::State &s) { with(make_ours(p, false, true), [&](PC pc) { apply(s, pc, p.b, p.x); }); });
    add("single_apply" + end,
        [&p](benchmark::State &s) { with(make_ours(p, true, false), [&](PC pc) { apply(s, pc, p.b, p.x); }); });
    add("petsc_refactor" + end,
        [&p](benchmark::State &s) { with(make_pc(p, PCILU), [&](PC pc) { refresh(s, pc); }); });
    add("refactor" + end,
        [&p](benchmark::State &s) { with(make_ours(p, false, false), [&](PC pc) { refresh(s, pc); }); });
    add("single_refactor" + end,
        [&p](benchmark::State &s) { with(make_ours(p, true, false), [&](PC pc) { refresh(s, pc); }); });
    add("petsc_both" + end, [&p](benchmark::State &s) { multiply_and_apply(s, p, MATAIJ, PCILU); });
    add("both" + end, [&p](benchmark::State &s) { multiply_and_apply(s, p, MATBAIJKOKKOS, PCFGBILU); });
    add("eisenstat" + end, [&p](benchmark::State &s) { multiply_by_sweeps(s, p, KSPGMRES); });
    add("eisenstat_cg" + end, [&p](benchmark::State &s) { multiply_by_sweeps(s, p, KSPCG); });
    add("petsc_several" + end,
        [&p](benchmark::State &s) { with(make_pc(p, PCILU), [&](PC pc) { apply_to_several(s, p, pc); }); });
    add("several" + end,
        [&p](benchmark::State &s) { with(make_ours(p, false, false), [&](PC pc) { apply_to_several(s, p, pc); }); });
    add("mcpi" + end,
        [&p](benchmark::State &s) { with(make_pc(p, PCMCPI), [&](PC pc) { apply(s, pc, p.b, p.x); }); });
    add("mcpi_several" + end,
        [&p](benchmark::State &s) { with(make_pc(p, PCMCPI), [&](PC pc) { apply_to_several(s, p, pc); }); });
    for (const Store &store : stores) {
      add("stored " + std::string(store.name) + end,
          [&](benchmark::State &s) { with(make_stored(p, store), [&](PC pc) { apply(s, pc, p.b, p.x); }); });
      add("restored " + std::string(store.name) + end,
          [&](benchmark::State &s) { with(make_stored(p, store), [&](PC pc) { refresh(s, pc); }); });
    }
    for (const auto &[name, type] : {std::pair("petsc_icc", PCICC), std::pair("icc", PCFGBICC)}) {
      add(name + end,
          [&p, type = type](benchmark::State &s) { with(make_pc(p, type), [&](PC pc) { apply(s, pc, p.b, p.x); }); });
      add(name + ("_refactor" + end),
          [&p, type = type](benchmark::State &s) { with(make_pc(p, type), [&](PC pc) { refresh(s, pc); }); });
    }
  }
  Best best;
  all.run(&best);
  print_table(best);
  print_symmetric_table(best);
  print_products_table(best);
  print_storage_table(best);
  print_several_table(best);
  for (auto &[n, p] : problems) {
    OK(VecDestroy(&p.b));
    OK(VecDestroy(&p.x));
    OK(MatDestroy(&p.A));
    OK(DMDestroy(&p.da));
  }
  OK(PetscFinalize());
  return 0;
}
