// SPDX-License-Identifier: BSD-2-Clause
// mcpi compared with PETSc's SOR and the machine's read bandwidth, in one run, on a grid and on a mesh; repetitions
// interleaved, best of all. Forward sweeps start from a zero guess, or from the x of the previous sweep: for mcpi
// (time of 5 sweeps - time of 1) / 4, for PETSc one call. Each ratio to DS and DSH is followed by the ratio of the
// bytes. The program runs one problem, block size and algorithm at a time, with all settings in memory: 8 GB at 64^3
// points and n = 6. Options after --: -sizes 4,5,6 -points 64 -repetitions 7 -problems grid,mesh -settings
// working,single,DS,half,DSH -algorithms sequential -shuffle natural|random|rcm (the mesh's vertices). Memory is
// read by OMP_NUM_THREADS threads, one if that is not set.
#include "mesh.hpp"
#include "pcs.hpp"

#include <petscfinegrain.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace finegrain::test;

namespace
{

constexpr PetscInt many = 5; // sweeps of the longer application, which is compared with one sweep

struct Setting {
  const char *name;
  PCFinegrainPrecisionType precision;
  PCMCPISumPrecisionType sums;
  double size; // bytes of a stored scalar

  double block(double n) const { return n * n * size; } // bytes
};
constexpr double scalars = sizeof(PetscScalar) / sizeof(PetscReal);
constexpr Setting settings[] = {
  {"working", PC_FINEGRAIN_PRECISION_WORKING, PCMCPI_SUM_PRECISION_WORKING, sizeof(PetscScalar)},
  {"single", PC_FINEGRAIN_PRECISION_SINGLE, PCMCPI_SUM_PRECISION_WORKING, 4 * scalars},
  {"DS", PC_FINEGRAIN_PRECISION_SINGLE, PCMCPI_SUM_PRECISION_SINGLE, 4 * scalars},
  {"half", PC_FINEGRAIN_PRECISION_HALF, PCMCPI_SUM_PRECISION_WORKING, 2 * scalars},
  {"DSH", PC_FINEGRAIN_PRECISION_HALF, PCMCPI_SUM_PRECISION_SINGLE, 2 * scalars},
};

struct Options {
  std::vector<PetscInt> sizes{4, 5, 6};
  PetscInt side = 64, repetitions = 7;
  int threads = 1;
  std::vector<std::string> problems{"grid", "mesh"}, settings{"working", "single", "DS", "half", "DSH"};
  std::vector<PCFinegrainAlgorithmType> algorithms{PC_FINEGRAIN_ALGORITHM_SEQUENTIAL};
  Numbering numbering = Numbering::natural;
};

struct Problem {
  std::string name;
  PetscInt n = 0, rows = 0;
  double couplings = 0; // per row
  DM da = nullptr;
  Mat A = nullptr;
  Vec b = nullptr, x = nullptr, w = nullptr;

  // Lower bound of the bytes that a sweep reads and writes. In a first sweep half of the couplings are to rows that
  // are already updated.
  double least(const Setting &s, double share) const
  {
    const double nn = double(n * n), vectors = 3 * double(n);
    return couplings * share * (s.block(double(n)) + 4) + (nn + vectors) * sizeof(PetscScalar) + 8;
  }
  // Bytes that a sweep loads if no entry of x is reused (numerics.md 2).
  double loads(const Setting &s) const
  {
    const double size = double(n), entry = s.sums == PCMCPI_SUM_PRECISION_SINGLE ? 4 * scalars : 8 * scalars;
    return couplings * (s.block(size) + size * entry + 4) + (size * size + size) * sizeof(PetscScalar) +
           size * entry + 8;
  }
};

Problem make_problem(const Options &o, const std::string &name, PetscInt n)
{
  const PetscInt side = o.side;
  Problem p;
  MatInfo info;
  p.name = name;
  p.n = n;
  p.rows = side * side * side;
  if (name == "grid") OK(AssembleStar(PETSC_COMM_SELF, {{side, side, side}, {n}, 8}, &p.da, &p.A));
  else OK(AssembleMesh(Mesh(side, o.numbering), n, 8, &p.A));
  OK(MatGetInfo(p.A, MAT_LOCAL, &info));
  p.couplings = info.nz_used / double(n * n) / double(p.rows) - 1;
  OK(MatCreateVecs(p.A, &p.x, &p.b));
  OK(VecDuplicate(p.x, &p.w));
  OK(VecSet(p.b, 1));
  return p;
}

void destroy(Problem *p)
{
  OK(VecDestroy(&p->b));
  OK(VecDestroy(&p->x));
  OK(VecDestroy(&p->w));
  OK(MatDestroy(&p->A));
  OK(DMDestroy(&p->da));
}

PC make_pc(const Problem &p, const char *type)
{
  PC pc;
  OK(PCCreate(PETSC_COMM_SELF, &pc));
  OK(PCSetType(pc, type));
  OK(PCSetOperators(pc, p.A, p.A));
  if (p.da) OK(PCSetDM(pc, p.da));
  return pc;
}

PC make_ours(const Problem &p, const Setting &s, PCFinegrainAlgorithmType algorithm, PetscInt sweeps)
{
  PC pc = make_pc(p, PCMCPI);
  OK(PCFinegrainSetPrecision(pc, s.precision));
  OK(PCMCPISetSumPrecision(pc, s.sums));
  OK(PCFinegrainSetAlgorithm(pc, algorithm));
  OK(PCMCPISetIterations(pc, sweeps));
  OK(PCFinegrainSetApplyRichardson(pc, PC_FINEGRAIN_APPLY_RICHARDSON_FIXED));
  return pc;
}

PC make_sor(const Problem &p)
{
  PC pc = make_pc(p, PCSOR);
  OK(PCSORSetSymmetric(pc, SOR_FORWARD_SWEEP));
  return pc;
}

// Checks that the timed operation reduces the residual.
void check(const Problem &p, PC pc)
{
  PetscReal before, after;
  OK(PCSetUp(pc));
  OK(PCApply(pc, p.b, p.x));
  OK(MatMult(p.A, p.x, p.w));
  OK(VecAYPX(p.w, -1, p.b));
  OK(VecNorm(p.b, NORM_2, &before));
  OK(VecNorm(p.w, NORM_2, &after));
  PetscCheckAbort(after < before / 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: residual %g from %g", p.name.c_str(),
                  double(after), double(before));
}

void richardson(benchmark::State &state, PC pc, const Problem &p)
{
  PetscInt done;
  PCRichardsonConvergedReason reason;
  OK(PCSetUp(pc));
  OK(PCApply(pc, p.b, p.x));
  for (auto _ : state) OK(PCApplyRichardson(pc, p.b, p.x, p.w, 0, 0, 0, 1, PETSC_FALSE, &done, &reason));
}

void sor(benchmark::State &state, const Problem &p)
{
  OK(VecSet(p.x, 1));
  for (auto _ : state) OK(MatSOR(p.A, p.b, 1.0, SOR_FORWARD_SWEEP, 0, 1, 1, p.x));
}

// PETSc inverts the diagonal blocks in the first MatSOR() after an assembly.
void petsc_setup(benchmark::State &state, const Problem &p, bool first)
{
  const PetscScalar *inverses;
  Mat A;
  OK(MatDuplicate(p.A, MAT_COPY_VALUES, &A));
  if (!first) OK(MatInvertBlockDiagonal(A, &inverses));
  for (auto _ : state) {
    state.PauseTiming();
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    state.ResumeTiming();
    OK(MatInvertBlockDiagonal(A, &inverses));
  }
  OK(MatDestroy(&A));
}

// One problem, block size and algorithm.
class Group
{
public:
  Group(const Options &o, const Problem &p, PCFinegrainAlgorithmType algorithm)
      : o_(o), p_(p), algorithm_(algorithm), sor_(make_sor(p)), all_(o.repetitions)
  {
    for (const Setting &s : settings)
      for (const std::string &wanted : o.settings)
        if (wanted == s.name) settings_.push_back(s);
  }

  void run()
  {
    all_.add("read/0", [this](benchmark::State &s) { read_memory(s, o_.threads); });
    all_.add("zero/PETSc", [this](benchmark::State &s) { apply(s, sor_, p_.b, p_.x); });
    all_.add("next/PETSc", [this](benchmark::State &s) { sor(s, p_); });
    all_.add_once("first/PETSc", [this](benchmark::State &s) { petsc_setup(s, p_, true); });
    all_.add("refresh/PETSc", [this](benchmark::State &s) { petsc_setup(s, p_, false); });
    for (const Setting &setting : settings_) {
      const std::string which = std::string("/") + setting.name;
      const auto make = [this, &setting](PetscInt sweeps) { return make_ours(p_, setting, algorithm_, sweeps); };
      PC one = make(1), more = make(many);
      pcs_.insert(pcs_.end(), {one, more});
      check(p_, one);
      check(p_, more);
      all_.add("zero" + which, [this, one](benchmark::State &s) { apply(s, one, p_.b, p_.x); });
      all_.add("many" + which, [this, more](benchmark::State &s) { apply(s, more, p_.b, p_.x); });
      if (setting.precision == PC_FINEGRAIN_PRECISION_WORKING)
        all_.add("richardson/0", [this, one](benchmark::State &s) { richardson(s, one, p_); });
      all_.add("refresh" + which, [one](benchmark::State &s) { refresh(s, one); });
      all_.add_once("first" + which, [make](benchmark::State &s) { first_setup(s, [&make] { return make(1); }); });
    }
    all_.run(&best_);
    OK(PCDestroy(&sor_));
    for (PC &pc : pcs_) OK(PCDestroy(&pc));
  }

  void print()
  {
    bandwidth_ = read_bytes / best_.ns["read/0"];
    print_row(settings[0], "PETSc", row("zero/PETSc"), row("next/PETSc"));
    for (const Setting &s : settings_) {
      const std::string which = std::string("/") + s.name;
      print_row(s, s.name, row("zero" + which), next(s.name));
    }
    if (best_.ns.count("richardson/0")) print_row(settings[0], "working, Richardson", 0, row("richardson/0"));
    std::fflush(stdout);
  }

  static void print_head()
  {
    std::printf(
      "| problem | n | couplings | algorithm | GB/s | blocks, sums | first sweep | first, of least | PETSc's / first "
      "| "
      "next sweep | next, of least | PETSc's / next | DS / it | bytes of DS / its | DSH / it | bytes of DSH / its | "
      "first set-up | refresh |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  }

private:
  double row(const std::string &key) const // 0: not measured
  {
    const auto found = best_.ns.find(key);
    return found == best_.ns.end() ? 0 : found->second / double(p_.rows);
  }
  double next(const std::string &name) const { return (row("many/" + name) - row("zero/" + name)) / (many - 1); }
  // Time of a setting's next sweep over this one's, and the ratio of their bytes.
  std::string beside(const char *name, const Setting &s, double time) const
  {
    const double other = next(name);
    for (const Setting &o : settings)
      if (other > 0 && time > 0 && !std::strcmp(o.name, name))
        return text(" %.2f |", other / time) + text(" %.2f |", p_.loads(o) / p_.loads(s));
    return " | |";
  }

  void print_row(const Setting &s, const char *name, double zero, double next_sweep)
  {
    const bool ours = std::strcmp(name, "PETSc") != 0;
    const auto cell = [&](double time, double share, double petsc) -> std::string {
      if (time <= 0) return " | | |";
      return text(" %.1f |", time) + text(" %.0f %% |", 100 * p_.least(s, share) / bandwidth_ / time) +
             text(ours ? " %.2f |" : " |", petsc / time);
    };
    const auto setup = [&](const char *what) {
      const double time = row(std::string(what) + "/" + name);
      return text(time > 0 ? " %.0f |" : " |", time);
    };
    const std::string others = ours ? beside("DS", s, next_sweep) + beside("DSH", s, next_sweep) : " | | | |";
    std::printf("| %s | %d | %.1f | %s | %.1f | %s |%s%s%s%s%s\n", p_.name.c_str(), int(p_.n), p_.couplings,
                ours ? PCFinegrainAlgorithmTypes[algorithm_] : "", bandwidth_, name,
                cell(zero, 0.5, row("zero/PETSc")).c_str(), cell(next_sweep, 1, row("next/PETSc")).c_str(),
                others.c_str(), setup("first").c_str(), setup("refresh").c_str());
  }

  const Options &o_;
  const Problem &p_;
  PCFinegrainAlgorithmType algorithm_;
  PC sor_;
  std::vector<Setting> settings_;
  std::vector<PC> pcs_;
  Interleaved all_;
  Best best_;
  double bandwidth_ = 0;
};

Options read_options()
{
  Options o;
  PetscInt sizes[16], count = 16;
  PetscBool set;
  std::vector<std::string> algorithms;
  OK(PetscOptionsGetIntArray(nullptr, nullptr, "-sizes", sizes, &count, &set));
  if (set) o.sizes.assign(sizes, sizes + count);
  OK(PetscOptionsGetInt(nullptr, nullptr, "-points", &o.side, nullptr));
  OK(PetscOptionsGetInt(nullptr, nullptr, "-repetitions", &o.repetitions, nullptr));
  o.threads = reading_threads();
  OK(PetscOptionsGetEnum(nullptr, nullptr, "-shuffle", Numberings, reinterpret_cast<PetscEnum *>(&o.numbering),
                         nullptr));
  read_names("-problems", &o.problems);
  read_names("-settings", &o.settings);
  read_names("-algorithms", &algorithms);
  if (!algorithms.empty()) o.algorithms.clear();
  for (const std::string &name : algorithms) {
    PetscEnum value;
    OK(PetscEnumFind(PCFinegrainAlgorithmTypes, name.c_str(), &value, &set));
    PetscCheckAbort(set, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "No algorithm %s", name.c_str());
    o.algorithms.push_back(static_cast<PCFinegrainAlgorithmType>(value));
  }
  return o;
}

} // namespace

int main(int argc, char **argv)
{
  OK(PetscInitialize(&argc, &argv, nullptr, nullptr));
  const Options o = read_options();
  OK(PetscFinegrainInitializePackage());
  std::printf("ns per block row on %d vertices, %d threads; least bytes over read bandwidth of these minutes\n\n",
              int(o.side * o.side * o.side), o.threads);
  Group::print_head();
  for (const std::string &name : o.problems)
    for (const PetscInt n : o.sizes) {
      Problem p = make_problem(o, name, n);
      for (const PCFinegrainAlgorithmType algorithm : o.algorithms) {
        Group group(o, p, algorithm);
        group.run();
        group.print();
      }
      destroy(&p);
    }
  OK(PetscFinalize());
  return 0;
}
