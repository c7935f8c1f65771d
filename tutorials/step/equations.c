/* SPDX-License-Identifier: BSD-2-Clause */
#include "channel.h"

/* Diffusion coefficient of a side along axis b of a component's control volume: its area divided by the distance
 * to the neighbor, or, if the cell beyond is solid, to its wall. Half of the side belongs to each of two cells. */
static PetscReal Contact(const Channel *c, PetscInt a, PetscInt b, PetscInt side, const PetscInt at[3])
{
  const PetscInt low = side < 0 ? at[b] - 1 : at[b];
  PetscReal sum = 0;

  for (PetscInt half = 0; half < 2; ++half) {
    PetscInt cell[3] = {at[0], at[1], at[2]};
    cell[a] += half;
    cell[b] += side;
    sum += c->width[a][at[a] + half] / 2 / (Solid(c, cell[0], cell[1]) ? c->width[b][at[b]] / 2 : c->gap[b][low]);
  }
  return sum * Area(c, at, a, b);
}

/* Row of a component, with the flow F out of each face of its control volume and the diffusion D through it. The
 * control volume extends from a cell's center to the next one's, or to the outlet. */
static PetscErrorCode MomentumRow(const Channel *c, PetscInt a, PetscReal central, const PetscInt at[3],
                                  const PetscScalar *const u[], PetscInt columns[7], PetscReal values[7],
                                  PetscReal *right)
{
  const PetscInt p = Ghosted(c, at), ahead = p + c->stride[a];
  const PetscReal before = c->width[a][at[a]] / 2, after = c->width[a][at[a] + 1] / 2;
  const PetscReal mine = PetscRealPart(u[a][p]);
  PetscInt k = 0;

  PetscFunctionBeginUser;
  columns[k] = p;
  values[k++] = 0;
  *right = 0;
  for (PetscInt b = 0; b < c->dim; ++b)
    for (PetscInt side = -1; side <= 1; side += 2) {
      const PetscInt q = p + side * c->stride[b], face = side < 0 ? -c->stride[b] : 0;
      const PetscBool outlet = b == 0 && side > 0 && at[0] == c->n[0] - 1 ? PETSC_TRUE : PETSC_FALSE;
      const PetscReal theirs = PetscRealPart(u[a][q]), area = Area(c, at, a, b);
      PetscReal F, D, weight; /* weight of the neighbor in the face's central value */
      if (a == b) {
        F = side * area * (outlet ? mine : (mine + theirs) / 2);
        D = c->viscosity * area / c->width[a][side < 0 ? at[a] : at[a] + 1 == c->n[a] ? 0 : at[a] + 1];
        weight = 0.5;
      } else {
        const PetscReal here = c->width[b][at[b]], there = c->width[b][at[b] + side];
        F = side * area * (before * PetscRealPart(u[b][p + face]) + after * PetscRealPart(u[b][ahead + face]));
        D = c->viscosity * Contact(c, a, b, side, at);
        weight = here / (here + there);
      }
      if (outlet) D = weight = 0;
      {
        const PetscReal coupling = D + PetscMax(-F, 0), upwind = F > 0 ? mine : theirs;
        const PetscReal middle = (1 - weight) * mine + weight * theirs;
        values[0] += coupling;
        *right -= central * F * (middle - upwind);
        columns[k] = q;
        values[k++] = -coupling;
        if (Outside(c, b, at[b] + side)) *right += coupling * theirs;
      }
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChannelMomentum(Channel *c, PetscInt axis, PetscReal dt, PetscReal central, Mat A, Vec b)
{
  PetscInt at[3] = {c->first[0], c->first[1], c->first[2]}, row = 0;
  const PetscScalar *u[3], *p;
  PetscScalar *right;

  PetscFunctionBeginUser;
  PetscCall(MatZeroEntries(A));
  for (PetscInt a = 0; a < c->dim; ++a) PetscCall(VecGetArrayRead(c->ghosts[a], &u[a]));
  PetscCall(VecGetArrayRead(c->pressure_ghosts, &p));
  PetscCall(VecGetArrayWrite(b, &right));
  do {
    const PetscInt q = Ghosted(c, at), ahead = q + c->stride[axis], count = 1 + 2 * c->dim;
    PetscInt columns[7];
    PetscReal real[7], sum, time;
    PetscScalar values[7];
    PetscCall(MomentumRow(c, axis, central, at, u, columns, real, &sum));
    time = Area(c, at, axis, axis) * c->gap[axis][at[axis]] / dt;
    real[0] += time;
    sum += time * PetscRealPart(u[axis][q]) - Area(c, at, axis, axis) * PetscRealPart(p[ahead] - p[q]);
    if (Fixed(c, axis, at)) {
      sum = 0;
      for (PetscInt k = 1; k < count; ++k) real[k] = 0;
    }
    right[row++] = sum;
    for (PetscInt k = 0; k < count; ++k) values[k] = real[k];
    /* Ghosts outside have negative numbers, which are ignored; along z two cells may be neighbors twice. */
    PetscCall(MatSetValuesLocal(A, 1, &q, count, columns, values, ADD_VALUES));
  } while (Next(c, at));
  for (PetscInt a = 0; a < c->dim; ++a) PetscCall(VecRestoreArrayRead(c->ghosts[a], &u[a]));
  PetscCall(VecRestoreArrayRead(c->pressure_ghosts, &p));
  PetscCall(VecRestoreArrayWrite(b, &right));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* True if a cell of a coarser grid of n cells is solid. */
static PetscBool SolidOf(const Channel *c, const PetscInt n[3], const PetscInt at[3])
{
  return Solid(c, c->n[0] / n[0] * at[0], c->n[1] / n[1] * at[1]);
}

PetscErrorCode ChannelPressureMatrix(KSP ksp, Mat J, Mat A, void *channel)
{
  const Channel *c = channel;
  DM grid;
  DMDALocalInfo g;
  PetscInt at[3], n[3];

  PetscFunctionBeginUser;
  (void)J;
  PetscCall(KSPGetDM(ksp, &grid));
  PetscCall(DMDAGetLocalInfo(grid, &g));
  PetscCall(MatZeroEntries(A));
  n[0] = g.mx, n[1] = g.my, n[2] = g.mz;
  for (at[2] = g.zs; at[2] < g.zs + g.zm; ++at[2])
    for (at[1] = g.ys; at[1] < g.ys + g.ym; ++at[1])
      for (at[0] = g.xs; at[0] < g.xs + g.xm; ++at[0]) {
        const PetscInt row = at[0] - g.gxs + g.gxm * (at[1] - g.gys + g.gym * (at[2] - g.gzs));
        const PetscInt stride[3] = {1, g.gxm, g.gxm * g.gym};
        PetscReal width[3], volume = 1;
        for (PetscInt a = 0; a < 3; ++a) {
          const PetscInt fine = c->n[a] / n[a];
          width[a] = Extent(c, a, fine * at[a], fine * (at[a] + 1));
          volume *= width[a];
        }
        for (PetscInt a = 0; a < c->dim; ++a)
          for (PetscInt side = -1; side <= 1; side += 2) {
            const PetscInt columns[2] = {row, row + side * stride[a]}, fine = c->n[a] / n[a];
            const PetscInt other = (at[a] + side + n[a]) % n[a];
            const PetscBool out = Outside(c, a, fine * (at[a] + side));
            const PetscBool outlet = a == 0 && out && side > 0 ? PETSC_TRUE : PETSC_FALSE;
            const PetscReal gap = (width[a] + (outlet ? 0 : Extent(c, a, fine * other, fine * (other + 1)))) / 2;
            const PetscScalar coupling = volume / width[a] / gap;
            const PetscScalar value[2] = {coupling, -coupling};
            PetscInt beyond[3] = {at[0], at[1], at[2]};
            beyond[a] += side;
            if (SolidOf(c, n, at)) PetscCall(MatSetValuesLocal(A, 1, &row, 1, &row, value, ADD_VALUES));
            else if ((!out || outlet) && !SolidOf(c, n, beyond))
              PetscCall(MatSetValuesLocal(A, 1, &row, 2, columns, value, ADD_VALUES));
          }
      }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChannelInflow(Channel *c, Vec b, PetscReal *sum)
{
  PetscInt at[3] = {c->first[0], c->first[1], c->first[2]};
  PetscScalar *into;
  const PetscScalar *u[3];

  PetscFunctionBeginUser;
  for (PetscInt a = 0; a < c->dim; ++a) {
    PetscCall(ChannelFetch(c, c->velocity[a], a, c->ghosts[a]));
    PetscCall(VecGetArrayRead(c->ghosts[a], &u[a]));
  }
  PetscCall(VecGetArrayWrite(b, &into));
  do {
    const PetscInt p = Ghosted(c, at);
    PetscScalar flow = 0;
    for (PetscInt a = 0; a < c->dim; ++a) flow += Area(c, at, a, a) * (u[a][p - c->stride[a]] - u[a][p]);
    *into++ = flow;
  } while (Next(c, at));
  into -= c->count[0] * c->count[1] * c->count[2];
  PetscCall(VecRestoreArrayWrite(b, &into));
  for (PetscInt a = 0; a < c->dim; ++a) PetscCall(VecRestoreArrayRead(c->ghosts[a], &u[a]));
  PetscCall(VecNorm(b, NORM_1, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChannelCorrect(Channel *c, Vec phi, PetscReal dt)
{
  const PetscScalar *f;

  PetscFunctionBeginUser;
  PetscCall(VecAXPY(c->pressure, 1 / dt, phi));
  PetscCall(ChannelFetch(c, phi, -1, c->pressure_ghosts));
  PetscCall(VecGetArrayRead(c->pressure_ghosts, &f));
  for (PetscInt a = 0; a < c->dim; ++a) {
    PetscInt at[3] = {c->first[0], c->first[1], c->first[2]};
    PetscScalar *u;
    PetscCall(VecGetArray(c->velocity[a], &u));
    do {
      const PetscInt p = Ghosted(c, at);
      if (!Fixed(c, a, at)) *u -= (f[p + c->stride[a]] - f[p]) / c->gap[a][at[a]];
      ++u;
    } while (Next(c, at));
    u -= c->count[0] * c->count[1] * c->count[2];
    PetscCall(VecRestoreArray(c->velocity[a], &u));
  }
  PetscCall(VecRestoreArrayRead(c->pressure_ghosts, &f));
  PetscFunctionReturn(PETSC_SUCCESS);
}
