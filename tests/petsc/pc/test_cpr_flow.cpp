// SPDX-License-Identifier: BSD-2-Clause
// PCCPR with its default stages on a flow of two phases in rock.
#include "fixture.hpp"

#include <algorithm>
#include <cmath>

using namespace finegrain::test;

namespace
{

// Water that displaces oil in a box of 10 x 10 x 5 cells, whose permeability varies over four decades. The equations
// are masses of water and of oil, the unknowns pressure and saturation. `order`: the number of each cell.
PetscErrorCode TwoPhase(const std::vector<PetscInt> &order, MatType type, Mat *A)
{
  constexpr PetscInt nx = 10, ny = 10, nz = 5;
  const auto cell = [&](PetscInt i, PetscInt j, PetscInt k) { return i + nx * (j + ny * k); };
  const auto random = [](PetscInt c, PetscInt salt) {
    return std::fabs(std::fmod(std::sin(12.9898 * double(c + 1) + 78.233 * double(salt)) * 43758.5453, 1.));
  };
  const auto permeability = [&](PetscInt c) { return std::pow(10., 4 * random(c, 1) - 2); };
  const auto pressure = [&](PetscInt c) { return 1 - double(c % nx) / nx + 0.02 * random(c, 2); };
  const auto saturation = [&](PetscInt c) {
    return std::clamp(0.9 - 1.2 * double(c % nx) / nx + 0.1 * random(c, 3), 0.05, 0.95);
  };
  const double storage = 2;
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, 2 * nx * ny * nz, 2 * nx * ny * nz));
  PetscCall(MatSetBlockSize(*A, 2));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetUp(*A));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  const auto add = [&](PetscInt row, PetscInt col, PetscInt r, PetscInt c, double value) {
    const PetscInt at = 2 * order[std::size_t(row)] + r;
    return at < first || at >= last
             ? PETSC_SUCCESS
             : MatSetValue(*A, at, 2 * order[std::size_t(col)] + c, PetscScalar(value), ADD_VALUES);
  };
  const auto connect = [&](PetscInt a, PetscInt b, double factor) -> PetscErrorCode {
    const double ka = permeability(a), kb = permeability(b), through = factor * 2 * ka * kb / (ka + kb);
    const double drop = pressure(a) - pressure(b);
    const PetscInt up = drop > 0 ? a : b;
    const double s = saturation(up);
    const double mobility[] = {s * s, (1 - s) * (1 - s) / 5}, slope[] = {2 * s, -2 * (1 - s) / 5};
    PetscFunctionBegin;
    for (PetscInt phase = 0; phase < 2; ++phase)
      for (const auto &[to, sign] : {std::pair<PetscInt, double>(a, 1.), std::pair<PetscInt, double>(b, -1.)}) {
        PetscCall(add(to, a, phase, 0, sign * through * mobility[phase]));
        PetscCall(add(to, b, phase, 0, -sign * through * mobility[phase]));
        PetscCall(add(to, up, phase, 1, sign * through * slope[phase] * drop));
      }
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  for (PetscInt k = 0; k < nz; ++k)
    for (PetscInt j = 0; j < ny; ++j)
      for (PetscInt i = 0; i < nx; ++i) {
        const PetscInt c = cell(i, j, k);
        for (PetscInt r = 0; r < 2; ++r) {
          PetscCall(add(c, c, r, 0, 1e-3 * storage));
          PetscCall(add(c, c, r, 1, r ? -storage : storage));
        }
        if (i + 1 < nx) PetscCall(connect(c, cell(i + 1, j, k), 1));
        if (j + 1 < ny) PetscCall(connect(c, cell(i, j + 1, k), 1));
        if (k + 1 < nz) PetscCall(connect(c, cell(i, j, k + 1), 0.1));
      }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Cpr, SolvesTwoPhaseFlowInAnyOrderOfCells)
{
  std::vector<PetscInt> natural(500), mixed(500);
  for (std::size_t c = 0; c < 500; ++c) {
    natural[c] = PetscInt(c);
    mixed[c] = PetscInt(c * 183 % 500);
  }
  const auto iterations = [](Mat A, const std::string &options, PetscInt *its) -> PetscErrorCode {
    Owned<KSP> ksp;
    Vectors v(A);
    PetscFunctionBegin;
    const Options set("-ksp_type gmres -ksp_pc_side right -ksp_rtol 1e-8 -ksp_max_it 500 " + options);
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSolve(ksp, v.b, v.x));
    PetscCall(KSPGetIterationNumber(ksp, its)); // 500: no convergence
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  for (const auto &order : {natural, mixed})
    for (const char *type : {MATAIJ, MATBAIJKOKKOS}) {
      SCOPED_TRACE(type);
      Owned<Mat> A;
      PetscInt plain, quasi, sum;
      OK(TwoPhase(order, type, &A));
      OK(iterations(A, "-pc_type fgbilu", &plain));
      OK(iterations(A, "-pc_type cpr", &quasi)); // the stages of a user who names none
      OK(iterations(A, "-pc_type cpr -pc_cpr_weights sum", &sum));
      if (PetscDefined(HAVE_HYPRE)) {
        EXPECT_LE(sum, 14);
      }
      EXPECT_LT(2 * sum, plain);
      EXPECT_LT(quasi, plain);
    }
}

} // namespace
