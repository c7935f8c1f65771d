// SPDX-License-Identifier: BSD-2-Clause
// Matrices for the tests of PCSIP and KSPSIP: Poisson's equation, and stars with random values on grids of a DMDA
// with their vectors.
#pragma once
#include "refine.hpp"

namespace finegrain::test::sip
{

// Poisson's equation with Dirichlet boundaries on a DMDA: a star with twice the number of dimensions in the center
// and -1 around it.
inline PetscErrorCode AssemblePoisson(PetscInt i, PetscInt j, PetscInt k, DM *da, Mat *A)
{
  DMDALocalInfo info;

  PetscFunctionBegin;
  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, i,
                         j, k, PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr, nullptr, da));
  PetscCall(DMSetUp(*da));
  PetscCall(DMCreateMatrix(*da, A));
  PetscCall(DMDAGetLocalInfo(*da, &info));
  const PetscScalar diagonal = k > 1 ? 6 : 4;
  for (PetscInt z = info.zs; z < info.zs + info.zm; ++z)
    for (PetscInt y = info.ys; y < info.ys + info.ym; ++y)
      for (PetscInt x = info.xs; x < info.xs + info.xm; ++x) {
        const MatStencil row{z, y, x, 0};
        PetscCall(MatSetValuesStencil(*A, 1, &row, 1, &row, &diagonal, INSERT_VALUES));
        for (int axis = 0; axis < 3; ++axis)
          for (const PetscInt step : {-1, 1}) {
            const MatStencil to{z + (axis == 2) * step, y + (axis == 1) * step, x + (axis == 0) * step, 0};
            const PetscScalar value = -1;
            if (to.i < 0 || to.i >= i || to.j < 0 || to.j >= j || to.k < 0 || to.k >= k) continue;
            PetscCall(MatSetValuesStencil(*A, 1, &row, 1, &to, &value, INSERT_VALUES));
          }
      }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A star with random values on a grid of a DMDA: 11 x 10 x 9 points, fewer in lower dimensions.
struct Problem {
  explicit Problem(PetscInt dim, PetscInt dof = 1, MatType type = MATAIJ, DMBoundaryType boundary = DM_BOUNDARY_NONE)
  {
    code = MakeGrid(dim, boundary, DMDA_STENCIL_STAR, dof, 1, &da) || AssembleOnGrid(da, type, &A) ||
           MakeVectors(A, &b, &x) || VecDuplicate(x, &y);
  }

  Owned<DM> da;
  Owned<Mat> A;
  Owned<Vec> b, x, y;
  int code;
};

} // namespace finegrain::test::sip
