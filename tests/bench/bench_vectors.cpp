// SPDX-License-Identifier: BSD-2-Clause
// VECREPRODUCIBLE compared with VECSTANDARD: operations on one rank, then 30 iterations of Krylov methods with fgbilu
// on as many ranks as there are. All in one run, repetitions interleaved, best of all. Options: -sizes
// 1000000,10000000 -points 40 -repetitions 7. Vectors of type REPRODUCIBLE use OMP_NUM_THREADS threads.
#include "pcs.hpp"
#include "star.hpp"

using namespace finegrain::test;

namespace
{

constexpr PetscInt many = 30; // of VecMDot() and VecMAXPY(), the restart of GMRES

struct Operation {
  const char *name;
  std::function<PetscErrorCode(Vec, Vec *)> run;
};

std::vector<Operation> operations()
{
  static PetscScalar values[many];
  static PetscReal norm;
  return {{"VecDot", [](Vec x, Vec *y) { return VecDot(x, y[0], values); }},
          {"VecNorm, 2",
           [](Vec x, Vec *) {
             PetscFunctionBegin;
             PetscCall(PetscObjectStateIncrease(reinterpret_cast<PetscObject>(x))); // norms are kept
             PetscCall(VecNorm(x, NORM_2, &norm));
             PetscFunctionReturn(PETSC_SUCCESS);
           }},
          {"VecMDot, 30", [](Vec x, Vec *y) { return VecMDot(x, many, y, values); }},
          {"VecAXPY", [](Vec x, Vec *y) { return VecAXPY(x, 1e-9, y[0]); }},
          {"VecMAXPY, 30", [](Vec x, Vec *y) {
             PetscFunctionBegin;
             for (PetscScalar &v : values) v = 1e-9;
             PetscCall(VecMAXPY(x, many, values, y));
             PetscFunctionReturn(PETSC_SUCCESS);
           }}};
}

void run_operations(PetscInt size, PetscInt repetitions)
{
  Interleaved all(repetitions);
  Best best;
  Vec x[2], *y[2];
  const char *types[] = {VECSTANDARD, VECREPRODUCIBLE};
  for (int t = 0; t < 2; ++t) {
    OK(VecCreate(PETSC_COMM_SELF, &x[t]));
    OK(VecSetSizes(x[t], size, size));
    OK(VecSetType(x[t], types[t]));
    OK(VecDuplicateVecs(x[t], many, &y[t]));
    OK(VecSetRandom(x[t], nullptr));
    for (PetscInt k = 0; k < many; ++k) OK(VecSetRandom(y[t][k], nullptr));
    for (const Operation &o : operations())
      all.add(std::string(o.name) + "/" + types[t], [o, v = x[t], w = y[t]](benchmark::State &state) {
        for (auto _ : state) OK(o.run(v, w));
      });
  }
  all.run(&best);
  for (const Operation &o : operations()) {
    const auto per = [&](int t) { return best.ns[std::string(o.name) + "/" + types[t]] / double(size); };
    std::printf("| %d | %s | %.3f | %.3f | %.2f |\n", int(size), o.name, per(0), per(1), per(1) / per(0));
  }
  std::fflush(stdout);
  for (int t = 0; t < 2; ++t) {
    OK(VecDestroyVecs(many, &y[t]));
    OK(VecDestroy(&x[t]));
  }
}

void run_solves(PetscInt points, PetscInt n, PetscInt repetitions)
{
  Interleaved all(repetitions);
  Best best;
  DM da;
  Mat A;
  OK(AssembleStar(PETSC_COMM_WORLD, {{points, points, points}, {n}, 1.0, 1.0}, &da, &A));
  OK(MatConvert(A, MATBAIJKOKKOS, MAT_INPLACE_MATRIX, &A));
  PetscMPIInt rank;
  const char *types[] = {VECSTANDARD, VECREPRODUCIBLE}, *methods[] = {KSPGMRES, KSPCG, KSPBCGS};
  std::vector<KSP> ksps;
  std::vector<Vec> vectors;
  for (const char *type : types) {
    Vec b, x;
    OK(MatSetVecType(A, type));
    OK(MatCreateVecs(A, &x, &b));
    OK(VecSet(b, 1));
    vectors.insert(vectors.end(), {b, x});
    for (const char *method : methods) {
      KSP ksp;
      PC pc;
      OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
      OK(KSPSetOperators(ksp, A, A));
      OK(KSPSetType(ksp, method));
      OK(KSPGetPC(ksp, &pc));
      OK(PCSetType(pc, PCFGBILU));
      OK(PCFGBILUSetEisenstat(pc, PCFGBILU_EISENSTAT_FALSE));
      OK(KSPSetConvergenceTest(ksp, KSPConvergedSkip, nullptr, nullptr));
      OK(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, many));
      OK(KSPSetUp(ksp));
      ksps.push_back(ksp);
      all.add_once(std::string(method) + "/" + type, [ksp, b, x](benchmark::State &state) {
        for (auto _ : state) OK(KSPSolve(ksp, b, x));
      });
    }
  }
  all.run(&best);
  OK([&] {
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscFunctionReturn(PETSC_SUCCESS);
  }());
  for (const char *method : methods) {
    double ms[2];
    for (int t = 0; t < 2; ++t) ms[t] = best.ns[std::string(method) + "/" + types[t]] / 1e6;
    if (!rank) std::printf("| %d | %s | %.1f | %.1f | %.3f |\n", int(n), method, ms[0], ms[1], ms[1] / ms[0]);
  }
  std::fflush(stdout);
  for (KSP &k : ksps) OK(KSPDestroy(&k));
  for (Vec &v : vectors) OK(VecDestroy(&v));
  OK(MatDestroy(&A));
  OK(DMDestroy(&da));
}

} // namespace

int main(int argc, char **argv)
{
  std::vector<PetscInt> sizes{1000000, 10000000};
  PetscInt points = 40, repetitions = 7;
  PetscMPIInt ranks;
  OK(PetscInitialize(&argc, &argv, nullptr, nullptr));
  OK(PetscFinegrainInitializePackage());
  read_numbers("-sizes", &sizes);
  OK(PetscOptionsGetInt(nullptr, nullptr, "-points", &points, nullptr));
  OK(PetscOptionsGetInt(nullptr, nullptr, "-repetitions", &repetitions, nullptr));
  OK([&] {
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    PetscFunctionReturn(PETSC_SUCCESS);
  }());
  if (ranks == 1) {
    std::printf("ns per entry, for all vectors of an operation\n\n| entries | operation | standard | reproducible | "
                "reproducible / standard |\n|---|---|---|---|---|\n");
    for (const PetscInt size : sizes) run_operations(size, repetitions);
  }
  OK(PetscPrintf(PETSC_COMM_WORLD,
                 "\n%d iterations with fgbilu, a grid of %d^3 points, on %d ranks, ms\n\n| n | method | standard | "
                 "reproducible | reproducible / standard |\n|---|---|---|---|---|\n",
                 int(many), int(points), int(ranks)));
  for (const PetscInt n : {1, 5}) run_solves(points, n, repetitions);
  OK(PetscFinalize());
  return 0;
}
