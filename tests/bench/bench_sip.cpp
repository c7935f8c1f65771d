// SPDX-License-Identifier: BSD-2-Clause
// sip compared with PETSc's ILU(0) on AIJ and the machine's read bandwidth, in one run, repetitions interleaved,
// best of all. One unknown per point, stars of seven points. An iteration is one of KSPSIP, or of KSPRICHARDSON with
// PETSc's ILU, without a norm. Options after --: -grids 64,64,64,128,128,128,512,64,64 -repetitions 5 -algorithms
// sequential, or -launches for views instead of times. Memory is read by OMP_NUM_THREADS threads, one if that is not
// set.
#include "pcs.hpp"
#include "star.hpp"

#include <petscfinegrain.h>

#include <functional>

using namespace finegrain::test;

namespace
{

constexpr PetscInt iterations = 10; // iterations of one solve

struct Variant {
  std::string name, ksp;
  bool single = false;
  std::function<PC()> make;
};

struct Problem {
  PetscInt size[3];
  Mat A = nullptr;
  Vec b = nullptr, x = nullptr;
};

PC make_ours(const Problem &p, const std::string &algorithm, bool single)
{
  PC pc = make_pc(p.A, PCSIP);
  OK(PCFinegrainSetGrid(pc, 1, p.size));
  set_algorithm(pc, algorithm);
  if (single) {
    OK(PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_SINGLE));
    OK(PCFinegrainSetDiagonalPrecision(pc, PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE));
  }
  return pc;
}

// Iterations from a nonzero guess, without norms.
void iterate(benchmark::State &state, KSP ksp, Vec b, Vec x)
{
  OK(VecSet(x, 0));
  OK(KSPSolve(ksp, b, x));
  for (auto _ : state) OK(KSPSolve(ksp, b, x));
}

KSP make_ksp(PC pc, const Problem &p, const std::string &type)
{
  KSP ksp;
  OK(KSPCreate(PETSC_COMM_SELF, &ksp));
  OK(KSPSetType(ksp, type.c_str()));
  OK(KSPSetPC(ksp, pc));
  OK(KSPSetOperators(ksp, p.A, p.A));
  OK(KSPSetNormType(ksp, KSP_NORM_NONE));
  OK(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  OK(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, iterations));
  OK(KSPSetUp(ksp));
  return ksp;
}

void run(const Problem &p, const std::vector<std::string> &algorithms, int repetitions, int threads)
{
  std::vector<Variant> variants{{"PETSc's ILU(0)", KSPRICHARDSON, false, [&] { return make_pc(p.A, PCILU); }}};
  for (const std::string &e : algorithms)
    for (const bool single : {false, true})
      variants.push_back(
        {e + (single ? ", single" : ""), KSPSIP, single, [&, single] { return make_ours(p, e, single); }});
  Interleaved all(repetitions);
  Best best;
  std::vector<PC> pcs;
  std::vector<KSP> ksps;
  all.add("read/0", [&](benchmark::State &s) { read_memory(s, threads); });
  for (const Variant &v : variants) {
    PC pc = v.make();
    KSP ksp = make_ksp(pc, p, v.ksp);
    pcs.push_back(pc);
    ksps.push_back(ksp);
    all.add("apply/" + v.name, [&p, pc](benchmark::State &s) { apply(s, pc, p.b, p.x); });
    all.add("refresh/" + v.name, [pc](benchmark::State &s) { refresh(s, pc); });
    all.add("iterate/" + v.name, [&p, ksp](benchmark::State &s) { iterate(s, ksp, p.b, p.x); });
  }
  all.run(&best);
  const double points = double(p.size[0]) * double(p.size[1]) * double(p.size[2]), scalar = sizeof(PetscScalar);
  const double bandwidth = read_bytes / best.ns["read/0"];
  const auto per = [&](const std::string &what, const std::string &name) {
    return best.ns[what + "/" + name] / points / (what == "iterate" ? double(iterations) : 1);
  };
  for (std::size_t k = 0; k < variants.size(); ++k) {
    const Variant &v = variants[k];
    const double factor = 7 * scalar / (v.single ? 2 : 1);
    // Sweeps read the factor and make four passes over vectors. An iteration makes two more, and reads the matrix
    // and the three vectors of its residual.
    const double pair = factor + 4 * scalar, iteration = pair + 2 * scalar + (7 + 3) * scalar;
    std::printf("| %d x %d x %d | %.1f | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.0f %% | %.0f %% |\n",
                int(p.size[0]), int(p.size[1]), int(p.size[2]), bandwidth, v.name.c_str(), per("refresh", v.name),
                per("apply", v.name), per("iterate", v.name),
                per("refresh", variants[0].name) / per("refresh", v.name),
                per("apply", variants[0].name) / per("apply", v.name),
                per("iterate", variants[0].name) / per("iterate", v.name),
                100 * pair / bandwidth / per("apply", v.name), 100 * iteration / bandwidth / per("iterate", v.name));
    OK(KSPDestroy(&ksps[k]));
    OK(PCDestroy(&pcs[k]));
  }
  std::fflush(stdout);
}

// Prints the kernel launches that views report: one per hyperplane, or one per sweep.
void view_launches(const Problem &p)
{
  for (const char *algorithm : {"levels", "tasks"}) {
    PC pc = make_ours(p, algorithm, false);
    OK(PCSetUp(pc));
    OK(PCView(pc, PETSC_VIEWER_STDOUT_SELF));
    OK(PCDestroy(&pc));
  }
}

} // namespace

int main(int argc, char **argv)
{
  std::vector<PetscInt> grids{64, 64, 64, 128, 128, 128, 512, 64, 64};
  std::vector<std::string> algorithms{"sequential"};
  PetscInt repetitions = 5;
  PetscBool launches = PETSC_FALSE;
  OK(PetscInitialize(&argc, &argv, nullptr, nullptr));
  OK(PetscFinegrainInitializePackage());
  read_numbers("-grids", &grids);
  read_names("-algorithms", &algorithms);
  OK(PetscOptionsGetInt(nullptr, nullptr, "-repetitions", &repetitions, nullptr));
  OK(PetscOptionsGetBool(nullptr, nullptr, "-launches", &launches, nullptr));
  const int threads = reading_threads();
  std::printf(
    "times in ns per point, %d threads; of least: bytes of coefficients and vectors, no indices, over read "
    "bandwidth of these minutes\n\n"
    "| grid | GB/s | which | numeric | apply | iteration | PETSc's numeric / it | PETSc's apply / it | PETSc's "
    "iteration / it | apply, of least | iteration, of least |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    threads);
  for (std::size_t g = 0; g + 2 < grids.size(); g += 3) {
    Problem p{{grids[g], grids[g + 1], grids[g + 2]}};
    DM da;
    OK(AssembleStar(PETSC_COMM_SELF, {{p.size[0], p.size[1], p.size[2]}, {1}, 8}, &da, &p.A));
    OK(DMDestroy(&da));
    OK(MatCreateVecs(p.A, &p.x, &p.b));
    OK(VecSet(p.b, 1));
    if (launches) view_launches(p);
    else run(p, algorithms, int(repetitions), threads);
    OK(VecDestroy(&p.b));
    OK(VecDestroy(&p.x));
    OK(MatDestroy(&p.A));
  }
  OK(PetscFinalize());
  return 0;
}
