// SPDX-License-Identifier: BSD-2-Clause
// powerqilu compared with PETSc's ILU(p) and the machine's read bandwidth, in one run, repetitions interleaved, best
// of all. Symbolic time is that of a first set-up less that of a refresh. The program runs one problem and p at a
// time. Problems: the generated matrices of tutorials/powerq, and a 7-point star of blocks. Options: -problems
// ecology,circuit,star (and shell, whose lists of products are large) -unknowns 1000000 -levels 0,1,2,3 -points 48
// -n 5 -repetitions 5 -algorithms sequential. Memory is read by OMP_NUM_THREADS threads, one if that is not set.
#include "pcs.hpp"
#include "star.hpp"

extern "C" {
#include "../../tutorials/powerq/standins.h"
}

#include <petscfinegrain.h>

#include <functional>

using namespace finegrain::test;

namespace
{

struct Options {
  std::vector<std::string> problems{"ecology", "circuit", "star"}, algorithms{"sequential"};
  std::vector<PetscInt> levels{0, 1, 2, 3};
  PetscInt unknowns = 0, points = 48, n = 5, repetitions = 5;
  int threads = 1;
};

struct Problem {
  std::string name;
  PetscInt n = 1;
  Mat A = nullptr;
  Vec b = nullptr, x = nullptr;
};

Problem make_problem(const Options &o, const std::string &name)
{
  Problem p;
  p.name = name;
  if (name == "star") {
    DM da;
    OK(AssembleStar(PETSC_COMM_SELF, {{o.points, o.points, o.points}, {o.n}, 8}, &da, &p.A));
    OK(DMDestroy(&da));
  } else {
    int kind = 0;
    char description[256];
    while (name != Standins[kind])
      PetscCheckAbort(++kind <= STANDIN_CIRCUIT, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "No problem %s",
                      name.c_str());
    OK(StandinCreate(static_cast<Standin>(kind), o.unknowns, 1, &p.A, description, sizeof(description)));
  }
  OK(MatGetBlockSize(p.A, &p.n));
  OK(MatCreateVecs(p.A, &p.x, &p.b));
  OK(VecSet(p.b, 1));
  return p;
}

PC make_petsc(const Problem &p, PetscInt levels)
{
  PC pc = make_pc(p.A, PCILU);
  OK(PCFactorSetLevels(pc, levels));
  OK(PCFactorSetFill(pc, 30)); // so that arrays do not grow
  return pc;
}

PC make_ours(const Problem &p, PetscInt levels, PCFinegrainScheduleType schedule, bool single,
             const std::string &algorithm)
{
  PC pc = make_pc(p.A, PCPOWERQILU);
  OK(PCPOWERQILUSetLevels(pc, levels));
  OK(PCFinegrainSetSchedule(pc, schedule));
  set_algorithm(pc, algorithm);
  if (single) OK(PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_SINGLE));
  return pc;
}

struct Variant {
  std::string name;
  bool single = false;
  std::function<PC()> make;
};

// Number of blocks of the factor.
double count_blocks(PC pc, const Problem &p, bool single)
{
  const double nn = double(p.n * p.n);
  PetscBool is_petsc;
  OK(PCSetUp(pc));
  OK(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), PCILU, &is_petsc));
  if (is_petsc) {
    Mat F;
    MatInfo info;
    OK(PCFactorGetMatrix(pc, &F));
    OK(MatGetInfo(F, MAT_LOCAL, &info));
    return info.nz_used / nn;
  }
  PetscLogDouble bytes;
  PetscInt rows;
  OK(PCFinegrainGetFactorBytes(pc, &bytes));
  OK(MatGetSize(p.A, &rows, nullptr));
  const double diagonal = double(rows / p.n), scalar = sizeof(PetscScalar);
  return diagonal + (bytes / (nn * scalar) - diagonal) * (single ? 2 : 1);
}

void run(const Options &o, const Problem &p, PetscInt levels)
{
  std::vector<Variant> variants{{"PETSc", false, [&] { return make_petsc(p, levels); }}};
  for (const std::string &e : o.algorithms)
    for (const bool single : {false, true})
      for (const auto schedule : {PC_FINEGRAIN_SCHEDULE_LEVEL, PC_FINEGRAIN_SCHEDULE_COLOR})
        variants.push_back({std::string(PCFinegrainScheduleTypes[schedule]) + ", " + e + (single ? ", single" : ""),
                            single, [&, schedule, single] { return make_ours(p, levels, schedule, single, e); }});
  Interleaved all(o.repetitions);
  Best best;
  std::vector<PC> pcs;
  all.add("read/0", [&](benchmark::State &s) { read_memory(s, o.threads); });
  for (const Variant &v : variants) {
    PC pc = v.make();
    pcs.push_back(pc);
    OK(PCSetUp(pc));
    all.add("apply/" + v.name, [&p, pc](benchmark::State &s) { apply(s, pc, p.b, p.x); });
    all.add("refresh/" + v.name, [pc](benchmark::State &s) { refresh(s, pc); });
    all.add_once("first/" + v.name, [&v](benchmark::State &s) { first_setup(s, v.make); });
  }
  all.run(&best);
  const double bandwidth = read_bytes / best.ns["read/0"];
  double petsc[3] = {};
  for (std::size_t k = 0; k < variants.size(); ++k) {
    const Variant &v = variants[k];
    const double blocks = count_blocks(pcs[k], p, v.single), nn = double(p.n * p.n);
    const double per[3] = {(best.ns["first/" + v.name] - best.ns["refresh/" + v.name]) / blocks,
                           best.ns["refresh/" + v.name] / blocks, best.ns["apply/" + v.name] / blocks};
    if (k == 0) std::copy(per, per + 3, petsc);
    const double least = (nn * sizeof(PetscScalar) / (v.single ? 2 : 1) + 4) / bandwidth; // of a block and its column
    std::printf("| %s | %d | %d | %.1f | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.0f %% |\n",
                p.name.c_str(), int(p.n), int(levels), bandwidth, v.name.c_str(), blocks / 1e6, per[0], per[1],
                per[0] / per[1], per[2], petsc[1] / per[1], petsc[2] / per[2], 100 * least / per[2]);
    OK(PCDestroy(&pcs[k]));
  }
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
  Options o;
  OK(PetscInitialize(&argc, &argv, nullptr, nullptr));
  OK(PetscFinegrainInitializePackage());
  read_names("-problems", &o.problems);
  read_names("-algorithms", &o.algorithms);
  read_numbers("-levels", &o.levels);
  OK(PetscOptionsGetInt(nullptr, nullptr, "-unknowns", &o.unknowns, nullptr));
  OK(PetscOptionsGetInt(nullptr, nullptr, "-points", &o.points, nullptr));
  OK(PetscOptionsGetInt(nullptr, nullptr, "-n", &o.n, nullptr));
  OK(PetscOptionsGetInt(nullptr, nullptr, "-repetitions", &o.repetitions, nullptr));
  o.threads = reading_threads();
  std::printf(
    "times in ns per block of L + U, %d threads; least: a block and its column over read bandwidth of these "
    "minutes\n\n"
    "| problem | n | p | GB/s | which | 1e6 blocks | symbolic | numeric | symbolic / numeric | apply | "
    "PETSc's numeric / it | PETSc's apply / it | of least |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    o.threads);
  for (const std::string &name : o.problems) {
    Problem p = make_problem(o, name);
    for (const PetscInt levels : o.levels) run(o, p, levels);
    OK(VecDestroy(&p.b));
    OK(VecDestroy(&p.x));
    OK(MatDestroy(&p.A));
  }
  OK(PetscFinalize());
  return 0;
}
