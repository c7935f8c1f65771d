// SPDX-License-Identifier: BSD-2-Clause
// The numerical experiments of Luo et al. (2015) with fgbilu, compared with PETSc's sequential block ILU(0):
// residuals of table 1, times over grid sizes (figure 9, table 3) and over unknowns per point (figure 10). Prints
// tables in Markdown. Needs 5 GB of memory. Options: -seconds 8 (for each problem, at least two rounds)
#include "star.hpp"

#include <petscfinegrain.h>
#include <petsctime.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace finegrain::test;

namespace
{

constexpr PetscInt corrections = 3;

PetscErrorCode MakePC(Mat A, DM da, const char *type, PC *pc)
{
  PetscFunctionBegin;
  PetscCall(PCCreate(PETSC_COMM_SELF, pc));
  PetscCall(PCSetType(*pc, type));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetDM(*pc, da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Table1()
{
  constexpr double first[] = {0.542674993335e+05, 0.170814598038e+04, 0.131446936261e+03},
                   middle[] = {0.138239874038e-05, 0.180227555902e-06};
  constexpr double last = 0.126561189429e-12;
  const Star star = table_1(table_1_points);
  const char *types[2] = {PCILU, PCFGBILU};
  DM da;
  Mat A;
  Vec b;
  PetscReal difference = 0;
  std::vector<PetscReal> r[2];

  PetscFunctionBegin;
  PetscCall(AssembleStar(PETSC_COMM_SELF, star, &da, &A));
  PetscCall(MakeRightHandSide(star, da, PetscReal(std::sqrt(table_1_first)), &b));
  for (int t = 0; t < 2; ++t) {
    PC pc;
    PetscCall(MakePC(A, da, types[t], &pc));
    PetscCall(RichardsonHistory(pc, b, table_1_steps, &r[t]));
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "## Table 1: sums of squares of residuals, %d x %d x %d points, n = 6\n\n"
                        "| iteration | paper | PETSc's ILU(0) | fgbilu |\n|---|---|---|---|\n",
                        int(star.points[0]), int(star.points[1]), int(star.points[2])));
  for (std::size_t l = 0; l < r[0].size(); ++l) {
    char paper[32] = "";
    if (l < 3) PetscCall(PetscSNPrintf(paper, sizeof(paper), "%.11e", first[l]));
    if (l == 11 || l == 12) PetscCall(PetscSNPrintf(paper, sizeof(paper), "%.11e", middle[l - 11]));
    if (l == std::size_t(table_1_steps)) PetscCall(PetscSNPrintf(paper, sizeof(paper), "%.11e", last));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %d | %s | %.11e | %.11e |\n", int(l), paper, double(r[0][l] * r[0][l]),
                          double(r[1][l] * r[1][l])));
    difference = std::max(difference, std::abs(r[0][l] - r[1][l]));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nlargest difference of norms: %.1e of the first\n\n",
                        double(difference / r[0][0])));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A timed call: enough repetitions for the clock's resolution, and the best time of one.
struct Timed {
  std::function<PetscErrorCode()> call;
  int repetitions; // in each round
  int calls = 1;
  double best = std::numeric_limits<double>::max();
};

PetscErrorCode Measure(Timed *t)
{
  PetscLogDouble start, end;

  PetscFunctionBegin;
  PetscCall(PetscTime(&start));
  for (int c = 0; c < t->calls; ++c) PetscCall((t->call)());
  PetscCall(PetscTime(&end));
  const double once = (end - start) / t->calls;
  t->best = std::min(t->best, once);
  t->calls = std::max(1, int(2e-3 / std::max(once, 1e-9)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Microseconds per point of one preconditioner. PETSc's residual is MatMult().
struct Times {
  double factor, solve, residual;

  // Of a factorization, an application and its corrections, as in figures 9(a) and 10(a).
  double total() const { return factor + (corrections + 1) * solve + corrections * residual; }
};

struct Problem {
  Star star;
  DM da = nullptr;
  Mat A = nullptr;
  Vec b = nullptr, x = nullptr;
  PC pcs[3] = {}; // PETSc's, fgbilu sequential, fgbilu by levels

  double points() const { return double(star.points[0]) * double(star.points[1]) * double(star.points[2]); }
};

PetscErrorCode Create(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(AssembleStar(PETSC_COMM_SELF, p->star, &p->da, &p->A));
  PetscCall(MakeRightHandSide(p->star, p->da, 1, &p->b));
  PetscCall(VecDuplicate(p->b, &p->x));
  for (PC &pc : p->pcs) PetscCall(MakePC(p->A, p->da, &pc == p->pcs ? PCILU : PCFGBILU, &pc));
  PetscCall(PCFinegrainSetAlgorithm(p->pcs[1], PC_FINEGRAIN_ALGORITHM_SEQUENTIAL));
  PetscCall(PCFinegrainSetAlgorithm(p->pcs[2], PC_FINEGRAIN_ALGORITHM_LEVELS));
  for (PC pc : p->pcs) {
    PetscCall(PCFinegrainSetCorrections(pc, corrections)); // before the set-up, which prepares them
    PetscCall(PCSetUp(pc));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Destroy(Problem *p)
{
  PetscFunctionBegin;
  for (PC &pc : p->pcs) PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&p->b));
  PetscCall(VecDestroy(&p->x));
  PetscCall(MatDestroy(&p->A));
  PetscCall(DMDestroy(&p->da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Times all three preconditioners on one problem, in rounds. Each preconditioner factors, then applies: corrections
// read less after a factorization of their own than after another's, which has marked the matrix as changed.
PetscErrorCode MeasureProblem(const Star &star, double seconds, std::array<Times, 3> *times)
{
  Problem p{star};
  std::vector<Timed> all;
  PetscLogDouble start, now;

  PetscFunctionBegin;
  PetscCall(Create(&p));
  for (PC pc : p.pcs) {
    const auto apply = [&p, pc](PetscInt k) -> PetscErrorCode {
      PetscFunctionBegin;
      PetscCall(PCFinegrainSetCorrections(pc, k));
      PetscCall(PCApply(pc, p.b, p.x));
      PetscFunctionReturn(PETSC_SUCCESS);
    };
    const auto factor = [&p, pc]() -> PetscErrorCode {
      PetscFunctionBegin;
      PetscCall(PetscObjectStateIncrease(reinterpret_cast<PetscObject>(p.A)));
      PetscCall(PCSetUp(pc));
      PetscFunctionReturn(PETSC_SUCCESS);
    };
    all.push_back({factor, 1});
    all.push_back({[apply] { return apply(0); }, 3});
    if (pc == p.pcs[0]) all.push_back({[&p] { return MatMult(p.A, p.b, p.x); }, 3});
    else all.push_back({[apply] { return apply(corrections); }, 3});
  }
  PetscCall(PetscTime(&start));
  for (int round = 0; round < 2 || now - start < seconds; ++round) {
    for (Timed &t : all)
      for (int r = 0; r < t.repetitions; ++r) PetscCall(Measure(&t));
    PetscCall(PetscTime(&now));
  }
  for (std::size_t m = 0; m < 3; ++m) {
    const double factor = all[3 * m].best, solve = all[3 * m + 1].best, third = all[3 * m + 2].best;
    const double residual = m ? (third - (corrections + 1) * solve) / corrections : third;
    (*times)[m] = {factor / p.points() * 1e6, solve / p.points() * 1e6, residual / p.points() * 1e6};
  }
  PetscCall(Destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Row(const Star &star, double seconds, std::array<Times, 3> *times)
{
  PetscFunctionBegin;
  PetscCall(MeasureProblem(star, seconds, times));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %d | %d x %d x %d |", int(star.block()), int(star.points[0]),
                        int(star.points[1]), int(star.points[2])));
  for (const Times &t : *times)
    for (const double us : {t.factor, t.solve, t.residual}) PetscCall(PetscPrintf(PETSC_COMM_SELF, " %.4g |", us));
  for (const Times &t : *times) PetscCall(PetscPrintf(PETSC_COMM_SELF, " %.4g |", t.total()));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Heading(const char *text)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "## %s\n\n| n | grid |", text));
  for (const char *name : {"PETSc", "sequential", "levels"})
    PetscCall(PetscPrintf(PETSC_COMM_SELF, " %s factor | %s solve | %s |", name, name,
                          name[0] == 'P' ? "PETSc MatMult" : (std::string(name) + " residual").c_str()));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, " PETSc total | sequential total | levels total |\n"
                                         "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Section 4.2: cubes at n = 6. Table 3 has the largest.
PetscErrorCode GridSizes(double seconds)
{
  std::array<Times, 3> t;

  PetscFunctionBegin;
  PetscCall(Heading("Grid sizes: microseconds per point"));
  for (const PetscInt side : {15, 25, 35, 45, 55, 65}) PetscCall(Row({{side, side, side}, {6}, 1}, seconds, &t));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\n## Table 3: microseconds per point, 65^3 points, n = 6\n\n"
                        "| | paper, CPU | paper, GPU | PETSc | sequential | levels |\n|---|---|---|---|---|---|\n"
                        "| factorization | 3.48 | 0.122 | %.3g | %.3g | %.3g |\n"
                        "| triangular solve | 0.84 | 0.0604 | %.3g | %.3g | %.3g |\n"
                        "| residual | 0.51 | 0.0324 | %.3g | %.3g | %.3g |\n\n",
                        t[0].factor, t[1].factor, t[2].factor, t[0].solve, t[1].solve, t[2].solve, t[0].residual,
                        t[1].residual, t[2].residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Section 4.3: blocks of n that consist of systems of 6 and 4, about 1.8e7 / n^2 points.
PetscErrorCode Unknowns(double seconds)
{
  std::array<Times, 3> t;

  PetscFunctionBegin;
  PetscCall(Heading("Unknowns per point: microseconds per point"));
  for (const PetscInt n : {4, 6, 8, 10, 12, 16, 20, 24, 28, 32}) {
    Star star{{}, {}, 1};
    for (PetscInt rest = n; rest;) { // as many systems of 6 as leave no rest of 2
      star.systems.push_back(rest == 6 || rest >= 10 ? 6 : 4);
      rest -= star.systems.back();
    }
    const double points = 1.8e7 / double(n * n);
    const PetscInt side = PetscInt(std::lround(std::cbrt(points)));
    star.points = {side, side, PetscInt(std::lround(points / double(side * side)))};
    PetscCall(Row(star, seconds, &t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  PetscReal seconds = 8;
  char date[64], version[256];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(PetscFinegrainInitializePackage());
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-seconds", &seconds, nullptr));
  PetscCall(PetscGetDate(date, sizeof(date)));
  PetscCall(PetscGetVersion(version, sizeof(version)));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "# Experiments of Luo et al., %s\n\n%s\n\n", date, version));
  PetscCall(Table1());
  PetscCall(GridSizes(double(seconds)));
  PetscCall(Unknowns(double(seconds)));
  PetscCall(PetscFinalize());
  return 0;
}
