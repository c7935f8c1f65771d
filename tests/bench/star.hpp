// SPDX-License-Identifier: BSD-2-Clause
// Problems of the benchmarks and of the tests of Luo et al. (2015): 7-point stars of full blocks on a DMDA. Values
// depend only on the coordinates of points, so that a problem is the same on any number of ranks.
#pragma once

#include "common/petsc_compat.hpp"
#include "../hash.hpp"

#include <petscdmda.h>
#include <petscksp.h>

#include <array>
#include <cstdlib>
#include <vector>

namespace finegrain::test
{

struct Star {
  std::array<PetscInt, 3> points;
  std::vector<PetscInt> systems; // sizes of the independent systems; several make the block block diagonal
  PetscReal dominance;           // how much the diagonal exceeds [-1, 1), divided by the size of its system
  PetscReal diffusion = 0;       // factor of the Laplacian (h = 1) that is added for each unknown

  PetscInt block() const
  {
    PetscInt n = 0;
    for (const PetscInt s : systems) n += s;
    return n;
  }
};

// Calls body(coordinates) for each point of this rank, in the order of its rows.
template <class Body> PetscErrorCode ForPoints(DM da, Body body)
{
  PetscInt i, j, k, m, n, p;

  PetscFunctionBegin;
  PetscCall(DMDAGetCorners(da, &i, &j, &k, &m, &n, &p));
  for (PetscInt c = k; c < k + p; ++c)
    for (PetscInt b = j; b < j + n; ++b)
      for (PetscInt a = i; a < i + m; ++a) PetscCall(body(std::array<PetscInt, 3>{a, b, c}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Writes the block that couples points `row` and `col` into rows of `stride` scalars.
inline void star_block(const Star &star, PetscInt row, PetscInt col, PetscInt stride, PetscScalar *block)
{
  const PetscInt n = star.block();
  PetscInt first = 0;
  for (const PetscInt s : star.systems) {
    for (PetscInt r = first; r < first + s; ++r)
      for (PetscInt c = first; c < first + s; ++c) {
        const PetscInt to = row * n + r, from = col * n + c;
        const PetscReal laplacian = r != c ? 0 : row == col ? 6 : -1;
        block[r * stride + c] = hash_scalar((std::uint64_t(to) << 24) ^ std::uint64_t(from)) +
                                (to == from ? star.dominance * PetscReal(s) : PetscReal(0)) +
                                star.diffusion * laplacian;
      }
    first += s;
  }
}

inline PetscInt number_of(const Star &star, const std::array<PetscInt, 3> &at)
{
  return at[0] + star.points[0] * (at[1] + star.points[1] * at[2]);
}

// The points coupled with a point, itself included, in the order of their numbers.
inline std::vector<std::array<PetscInt, 3>> neighbors(const Star &star, const std::array<PetscInt, 3> &at)
{
  std::vector<std::array<PetscInt, 3>> all;
  for (const int step : {-3, -2, -1, 0, 1, 2, 3}) { // along axis |step| - 1
    std::array<PetscInt, 3> to = at;
    const std::size_t axis = std::size_t(step ? std::abs(step) - 1 : 0);
    to[axis] += (step > 0) - (step < 0);
    if (to[axis] >= 0 && to[axis] < star.points[axis]) all.push_back(to);
  }
  return all;
}

// Creates a grid of stars of n x n blocks, and its matrix without values.
inline PetscErrorCode MakeStar(MPI_Comm comm, const std::array<PetscInt, 3> &points, PetscInt n, DM *da, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(DMDACreate3d(comm, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, points[0],
                         points[1], points[2], PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, n, 1, nullptr, nullptr,
                         nullptr, da));
  PetscCall(DMSetMatType(*da, n == 1 ? MATAIJ : MATBAIJ));
  PetscCall(DMSetMatrixPreallocateOnly(*da, PETSC_TRUE)); // so that no zeros are inserted first
  PetscCall(DMSetUp(*da));
  PetscCall(DMCreateMatrix(*da, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode AssembleStar(MPI_Comm comm, const Star &star, DM *da, Mat *A)
{
  const PetscInt n = star.block();
  std::vector<PetscScalar> values;

  PetscFunctionBegin;
  PetscCall(MakeStar(comm, star.points, n, da, A));
  PetscCall(ForPoints(*da, [&](const std::array<PetscInt, 3> &at) -> PetscErrorCode {
    const auto points = neighbors(star, at);
    const PetscInt count = PetscInt(points.size());
    const MatStencil row{at[2], at[1], at[0], 0};
    MatStencil cols[7];

    PetscFunctionBegin;
    values.assign(std::size_t(n * n * count), 0);
    for (PetscInt p = 0; p < count; ++p) {
      const auto &to = points[std::size_t(p)];
      cols[p] = {to[2], to[1], to[0], 0};
      star_block(star, number_of(star, at), number_of(star, to), count * n, values.data() + p * n);
    }
    PetscCall(MatSetValuesBlockedStencil(*A, 1, &row, count, cols, values.data(), INSERT_VALUES));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Creates a random right-hand side of norm `size`.
inline PetscErrorCode MakeRightHandSide(const Star &star, DM da, PetscReal size, Vec *b)
{
  const PetscInt n = star.block();
  PetscScalar *values;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(DMCreateGlobalVector(da, b));
  PetscCall(VecGetArrayWrite(*b, &values));
  PetscScalar *next = values;
  PetscCall(ForPoints(da, [&](const std::array<PetscInt, 3> &at) -> PetscErrorCode {
    const PetscInt row = number_of(star, at);
    for (PetscInt r = 0; r < n; ++r) *next++ = hash_scalar((std::uint64_t(1) << 60) + std::uint64_t(row * n + r));
    return PETSC_SUCCESS;
  }));
  PetscCall(VecRestoreArrayWrite(*b, &values));
  PetscCall(VecNorm(*b, NORM_2, &norm));
  PetscCall(VecScale(*b, size / norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Norms of the residuals r_0 = b, ..., r_steps of x += M^-1 (b - A x), as KSPRICHARDSON tests them.
inline PetscErrorCode RichardsonHistory(PC pc, Vec b, PetscInt steps, std::vector<PetscReal> *norms)
{
  KSP ksp;
  Vec x;
  const PetscReal *history;
  PetscInt count;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(KSPCreate(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), &ksp));
  PetscCall(KSPSetType(ksp, KSPRICHARDSON));
  PetscCall(KSPSetPC(ksp, pc));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(ksp, 0, 0, PETSC_DEFAULT, steps));
  PetscCall(KSPSetResidualHistory(ksp, nullptr, steps + 1, PETSC_TRUE));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetResidualHistory(ksp, &history, &count));
  norms->assign(history, history + count);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Replaces the system of table 1 of Luo et al. (2015), which is not public. It has the same grid and unknowns, the
// same sum of squares of the right-hand side, and residuals that decrease by about as much in as many steps. Complex
// entries are larger by the root of two.
inline Star table_1(const std::array<PetscInt, 3> &points)
{
  return {points, {6}, PetscReal(0.876) * PetscSqrtReal(PetscReal(sizeof(PetscScalar)) / sizeof(PetscReal))};
}
inline constexpr std::array<PetscInt, 3> table_1_points{51, 97, 63};
inline constexpr double table_1_first = 0.542674993335e5;
inline constexpr PetscInt table_1_steps = 19;

} // namespace finegrain::test
