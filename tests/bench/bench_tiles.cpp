// SPDX-License-Identifier: BSD-2-Clause
// Level sets, GMRES iterations to 1e-8 and, on request, times of fgbilu with the ordering tiles, for tiles of several
// sizes and for the natural order. Seven-point stars on n^3 points: isotropic diffusion; diffusion 100 times as
// strong in the third direction (stretched cells); upwind convection along the diagonal with a cell Peclet number
// of 10. With several unknowns these are coupled by random full blocks of a hundredth. Prints a table in Markdown.
// Options: -points 16,32,64,128 -sizes 1,4,5 (above 64^3 points 1 only) -tiles 0,4,8,16 (0: natural order);
// -repetitions 0, or the number of timed applications, of which the best counts.
#include "pcs.hpp"
#include "star.hpp"

#include <cmath>
#include <cstring>

#include <petsctime.h>

using namespace finegrain::test;

namespace
{

struct Kind {
  const char *name;
  std::array<PetscReal, 3> diffusion;
  PetscReal peclet;
};
constexpr Kind kinds[] = {{"isotropic", {1, 1, 1}, 0}, {"stretched", {1, 1, 100}, 0}, {"convective", {1, 1, 1}, 10}};

// The coefficient that couples two points: upwind differences, so that the points before `row` have the convection.
PetscReal coefficient(const Kind &kind, const std::array<PetscInt, 3> &row, const std::array<PetscInt, 3> &col)
{
  for (std::size_t a = 0; a < 3; ++a)
    if (row[a] != col[a]) return -kind.diffusion[a] * (1 + (col[a] < row[a] ? kind.peclet : 0));
  PetscReal sum = 0;
  for (const PetscReal d : kind.diffusion) sum += d * (2 + kind.peclet);
  return sum;
}

PetscErrorCode Assemble(const Kind &kind, const Star &star, DM *da, Mat *A)
{
  const PetscInt n = star.block();
  Mat original;

  PetscFunctionBegin;
  PetscCall(MakeStar(PETSC_COMM_SELF, star.points, n, da, &original));
  PetscCall(ForPoints(*da, [&](const std::array<PetscInt, 3> &at) -> PetscErrorCode {
    const auto points = neighbors(star, at);
    const PetscInt count = PetscInt(points.size());
    const MatStencil row{at[2], at[1], at[0], 0};
    MatStencil cols[7];
    std::vector<PetscScalar> values(std::size_t(n * n * count));

    PetscFunctionBegin;
    for (PetscInt p = 0; p < count; ++p) {
      const auto &to = points[std::size_t(p)];
      cols[p] = {to[2], to[1], to[0], 0};
      star_block(star, number_of(star, at), number_of(star, to), count * n, values.data() + p * n);
    }
    for (PetscScalar &v : values) v *= n > 1 ? PetscReal(0.01) : 0;
    for (PetscInt p = 0; p < count; ++p)
      for (PetscInt r = 0; r < n; ++r)
        values[std::size_t((r * count + p) * n + r)] += coefficient(kind, at, points[std::size_t(p)]);
    PetscCall(MatSetValuesBlockedStencil(original, 1, &row, count, cols, values.data(), INSERT_VALUES));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(MatAssemblyBegin(original, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(original, MAT_FINAL_ASSEMBLY));
  PetscCall(MatConvert(original, MATBAIJKOKKOS, MAT_INITIAL_MATRIX, A)); // on a device if there is one
  PetscCall(MatDestroy(&original));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Finds the number of groups in the view, which no function of the interface returns.
PetscErrorCode FindGroups(PC pc, int *groups)
{
  constexpr char before[] = "schedule: ";
  FILE *const file = std::tmpfile();
  PetscViewer viewer;
  char line[512];

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No temporary file");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  std::rewind(file);
  *groups = 0;
  while (std::fgets(line, sizeof(line), file))
    if (const char *at = std::strstr(line, before)) std::sscanf(std::strchr(at, ','), ", %d groups", groups);
  std::fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Finds the seconds of the fastest of these applications, 0 if there are none.
PetscErrorCode TimeApplications(PC pc, Vec b, Vec x, PetscInt repetitions, double *best)
{
  PetscLogDouble start, end;

  PetscFunctionBegin;
  *best = 0;
  if (repetitions == 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt r = 0; r <= repetitions; ++r) {
    PetscCall(PetscTime(&start));
    PetscCall(PCApply(pc, b, x));
    PetscCall(wait_for_device());
    PetscCall(PetscTime(&end));
    if (r == 1 || (r > 1 && end - start < *best)) *best = end - start; // the first one is a warm-up
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Prints a row of the table. tile: edge of a tile, 0 for the natural order.
PetscErrorCode Row(const Kind &kind, const Star &star, DM da, Mat A, PetscInt tile, PetscInt repetitions)
{
  const PetscInt n = star.block();
  KSP ksp;
  PC pc;
  Vec b, x;
  PetscInt iterations;
  KSPConvergedReason reason;
  int groups;
  double best;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPGMRES));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 10000));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetDM(pc, da));
  PetscCall(PCSetType(pc, PCFGBILU));
  PetscCall(PCFGBILUSetEisenstat(pc, PCFGBILU_EISENSTAT_FALSE));
  if (tile) {
    PetscCall(PCFinegrainSetOrdering(pc, "tiles"));
    PetscCall(PCFinegrainSetTile(pc, tile, tile, tile));
  }
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(FindGroups(pc, &groups));
  PetscCall(TimeApplications(pc, b, x, repetitions, &best));
  std::printf("| %s | %d^3 | %d | %s | %d | %d%s |", kind.name, int(star.points[0]), int(n),
              tile ? (std::to_string(tile) + "^3").c_str() : "none", groups, int(iterations),
              reason > 0 ? "" : " (not converged)");
  if (repetitions) std::printf(" %.2f |", best * 1e9 / std::pow(double(star.points[0]), 3));
  std::printf("\n");
  std::fflush(stdout);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  std::vector<PetscInt> points{16, 32, 64, 128}, sizes{1, 4, 5}, tiles{0, 4, 8, 16};
  PetscInt repetitions = 0;

  OK(PetscInitialize(&argc, &argv, nullptr, nullptr));
  OK(PetscFinegrainInitializePackage());
  read_numbers("-points", &points);
  read_numbers("-sizes", &sizes);
  read_numbers("-tiles", &tiles);
  OK(PetscOptionsGetInt(nullptr, nullptr, "-repetitions", &repetitions, nullptr));
  std::printf("| problem | points | n | tile | groups | iterations |%s\n|---|---|---|---|---|---|%s\n",
              repetitions ? " application, ns/point |" : "", repetitions ? "---|" : "");
  for (const Kind &kind : kinds)
    for (const PetscInt edge : points)
      for (const PetscInt n : sizes) {
        const Star star{{edge, edge, edge}, {n}, 1};
        DM da;
        Mat A;
        if (edge > 64 && n > 1) continue;
        OK(Assemble(kind, star, &da, &A));
        for (const PetscInt tile : tiles) OK(Row(kind, star, da, A, tile, repetitions));
        OK(MatDestroy(&A));
        OK(DMDestroy(&da));
      }
  OK(PetscFinalize());
  return 0;
}
