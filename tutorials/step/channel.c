#include "channel.h"

/* Which side of the channel a cell's neighbour along an axis is beyond. */
static PetscBool Outside(const Channel *c, PetscInt axis, PetscInt at)
{
  return axis < 2 && (at < 0 || at >= c->n[axis]) ? PETSC_TRUE : PETSC_FALSE;
}

static PetscBool Solid(const Channel *c, PetscInt i, PetscInt j)
{
  return i < c->inlet && j < c->n[1] / 2 ? PETSC_TRUE : PETSC_FALSE;
}

/* Whether a component of a cell, which is on its upper face, is zero on a wall, or in the step. */
static PetscBool Fixed(const Channel *c, PetscInt axis, const PetscInt at[3])
{
  return Solid(c, at[0], at[1]) || (axis == 1 && at[1] == c->n[1] - 1) ? PETSC_TRUE : PETSC_FALSE;
}

static PetscInt Ghosted(const Channel *c, const PetscInt at[3])
{
  return c->corner + (at[0] - c->first[0]) + c->stride[1] * (at[1] - c->first[1]) +
         c->stride[2] * (at[2] - c->first[2]);
}

/* The next owned cell, x fastest; false after the last. */
static PetscBool Next(const Channel *c, PetscInt at[3])
{
  for (PetscInt a = 0; a < 3; ++a) {
    if (++at[a] < c->first[a] + c->count[a]) return PETSC_TRUE;
    at[a] = c->first[a];
  }
  return PETSC_FALSE;
}

/* Along x, widths of cells grow by a constant factor from the step's end, in both directions; along y, S and h have
 * as many cells each. */
static PetscErrorCode CreateWidths(Channel *c, PetscReal stretch)
{
  PetscFunctionBeginUser;
  for (PetscInt a = 0; a < 3; ++a) {
    const PetscInt n = c->n[a], behind = n - c->inlet;
    PetscReal      sum = 0, *width, *gap;
    PetscCall(PetscMalloc2(n + 2, &width, n + 1, &gap));
    c->width[a] = ++width;
    c->gap[a]   = ++gap;
    for (PetscInt i = 0; i < n; ++i) {
      const PetscInt from = i < c->inlet ? c->inlet - 1 - i : i - c->inlet;
      width[i]            = 1;
      if (a == 0) width[i] = PetscPowReal(stretch, (PetscReal)from / (PetscReal)(behind - 1));
      if (a == 1) width[i] = i < n / 2 ? c->step : 1;
      if (a > 0 || i >= c->inlet) sum += width[i];
    }
    for (PetscInt i = 0; i < n; ++i) width[i] *= c->size[a] / sum;
    /* Ghosts of walls, inlet and outlet lie on these, half a cell away. */
    width[-1] = a == 2 ? width[n - 1] : 0;
    width[n]  = a == 2 ? width[0] : 0;
    for (PetscInt i = -1; i < n; ++i) gap[i] = (width[i] + width[i + 1]) / 2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateGrid(Channel *c, DMDAStencilType stencil, DM *grid)
{
  const DMBoundaryType wall = DM_BOUNDARY_GHOSTED;
  const PetscInt      *n    = c->n;

  PetscFunctionBeginUser;
  if (c->dim == 2)
    PetscCall(DMDACreate2d(PETSC_COMM_WORLD, wall, wall, stencil, n[0], n[1], PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL,
                           NULL, grid));
  else
    PetscCall(DMDACreate3d(PETSC_COMM_WORLD, wall, wall, DM_BOUNDARY_PERIODIC, stencil, n[0], n[1], n[2],
                           PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, NULL, grid));
  PetscCall(DMDASetInterpolationType(*grid, DMDA_Q0)); /* a coarse cell is two fine ones along each axis */
  PetscCall(DMSetFromOptions(*grid));
  PetscCall(DMSetUp(*grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mean of the inlet's parabola over the face of a cell. */
static PetscReal Inlet(const Channel *c, PetscInt j)
{
  const PetscReal dy = 2. / (PetscReal)c->n[1], low = ((PetscReal)j - (PetscReal)(c->n[1] / 2)) * dy;
  const PetscReal high = low + dy;

  if (j < c->n[1] / 2 || j >= c->n[1]) return 0;
  return (3 * (high * high - low * low) - 2 * (high * high * high - low * low * low)) / dy;
}

/* The inlet's profile everywhere; in 3-D, more in some places than in others. */
static PetscErrorCode Begin(Channel *c)
{
  PetscInt     at[3] = {c->first[0], c->first[1], c->first[2]};
  PetscScalar *u;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayWrite(c->velocity[0], &u));
  do {
    const PetscReal turn = 2 * PETSC_PI * ((PetscReal)at[2] + 0.5) / (PetscReal)c->n[2];
    *u++                 = Inlet(c, at[1]) * (1 + (c->dim == 3 ? 0.2 * PetscSinReal(turn) : 0));
  } while (Next(c, at));
  u -= c->count[0] * c->count[1] * c->count[2];
  PetscCall(VecRestoreArrayWrite(c->velocity[0], &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChannelCreate(PetscInt dim, const PetscInt n[], PetscInt inlet, PetscReal step, PetscReal length,
                             PetscReal span, PetscReal stretch, PetscReal Re, Channel *c)
{
  PetscInt ghost[3], ghosts[3];

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(c, sizeof(*c)));
  c->dim       = dim;
  c->inlet     = inlet;
  c->step      = step;
  c->viscosity = 2 / Re;
  c->size[0]   = length;
  c->size[1]   = 1 + step;
  c->size[2]   = dim == 3 ? span : 1;
  for (PetscInt a = 0; a < 3; ++a) c->n[a] = a < dim ? n[a] : 1;
  PetscCall(CreateWidths(c, stretch));
  PetscCall(CreateGrid(c, DMDA_STENCIL_STAR, &c->cells));
  PetscCall(CreateGrid(c, DMDA_STENCIL_BOX, &c->ghosted));
  PetscCall(
    DMDAGetCorners(c->ghosted, &c->first[0], &c->first[1], &c->first[2], &c->count[0], &c->count[1], &c->count[2]));
  PetscCall(DMDAGetGhostCorners(c->ghosted, &ghost[0], &ghost[1], &ghost[2], &ghosts[0], &ghosts[1], &ghosts[2]));
  c->stride[0] = 1;
  c->stride[1] = ghosts[0];
  c->stride[2] = ghosts[0] * ghosts[1];
  for (PetscInt a = 0; a < 3; ++a) c->corner += c->stride[a] * (c->first[a] - ghost[a]);
  PetscCall(DMCreateGlobalVector(c->cells, &c->pressure));
  PetscCall(DMCreateLocalVector(c->ghosted, &c->pressure_ghosts));
  for (PetscInt a = 0; a < dim; ++a) {
    PetscCall(DMCreateGlobalVector(c->cells, &c->velocity[a]));
    PetscCall(DMCreateLocalVector(c->ghosted, &c->ghosts[a]));
  }
  PetscCall(Begin(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChannelDestroy(Channel *c)
{
  PetscFunctionBeginUser;
  for (PetscInt a = 0; a < 3; ++a) {
    PetscReal *width = c->width[a] - 1, *gap = c->gap[a] - 1;
    PetscCall(PetscFree2(width, gap));
    PetscCall(VecDestroy(&c->velocity[a]));
    PetscCall(VecDestroy(&c->ghosts[a]));
  }
  PetscCall(VecDestroy(&c->pressure));
  PetscCall(VecDestroy(&c->pressure_ghosts));
  PetscCall(DMDestroy(&c->cells));
  PetscCall(DMDestroy(&c->ghosted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ghosts outside: inlet's profile and zeros before x = 0, no gradient behind the outlet, zeros on the walls. Pressure
 * is 0 at the outlet; beyond the other sides nobody reads it. Boxes of ghosts are walked with their corners. */
static PetscErrorCode Fetch(Channel *c, Vec field, PetscInt axis, Vec ghosts)
{
  PetscInt     ghost[3], size[3];
  PetscScalar *u;

  PetscFunctionBeginUser;
  PetscCall(DMGlobalToLocal(c->ghosted, field, INSERT_VALUES, ghosts));
  PetscCall(DMDAGetGhostCorners(c->ghosted, &ghost[0], &ghost[1], &ghost[2], &size[0], &size[1], &size[2]));
  PetscCall(VecGetArray(ghosts, &u));
  for (PetscInt k = 0, p = 0; k < size[2]; ++k)
    for (PetscInt j = ghost[1]; j < ghost[1] + size[1]; ++j)
      for (PetscInt i = ghost[0]; i < ghost[0] + size[0]; ++i, ++p) {
        if (Outside(c, 1, j)) u[p] = 0;
        else if (i < 0) u[p] = axis == 0 ? Inlet(c, j) : 0;
        else if (i == c->n[0]) u[p] = axis < 0 ? 0 : u[p - 1];
      }
  PetscCall(VecRestoreArray(ghosts, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChannelExchange(Channel *c)
{
  PetscFunctionBeginUser;
  for (PetscInt a = 0; a < c->dim; ++a) PetscCall(Fetch(c, c->velocity[a], a, c->ghosts[a]));
  PetscCall(Fetch(c, c->pressure, -1, c->pressure_ghosts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Area of a face along axis a, without the extent along axis b, which a staggered cell has its own of. */
static PetscReal Area(const Channel *c, const PetscInt at[3], PetscInt a, PetscInt b)
{
  PetscReal area = 1;

  for (PetscInt k = 0; k < c->dim; ++k)
    if (k != a && k != b) area *= c->width[k][at[k]];
  return area;
}

/* What a side along axis b of a component's control volume has to do with diffusion: its area by the distance to the
 * neighbour, or, where the cell beyond is solid, to its wall. A half of the side belongs to each of two cells. */
static PetscReal Contact(const Channel *c, PetscInt a, PetscInt b, PetscInt side, const PetscInt at[3])
{
  const PetscInt low = side < 0 ? at[b] - 1 : at[b];
  PetscReal      sum = 0;

  for (PetscInt half = 0; half < 2; ++half) {
    PetscInt cell[3] = {at[0], at[1], at[2]};
    cell[a] += half;
    cell[b] += side;
    sum += c->width[a][at[a] + half] / 2 / (Solid(c, cell[0], cell[1]) ? c->width[b][at[b]] / 2 : c->gap[b][low]);
  }
  return sum * Area(c, at, a, b);
}

/* Row of a component: the flow F out of each face of its control volume, which reaches from a cell's centre to the
 * next one's, or to the outlet, and the diffusion D through it. */
static PetscErrorCode MomentumRow(const Channel *c, PetscInt a, PetscReal central, const PetscInt at[3],
                                  const PetscScalar *const u[], PetscInt columns[7], PetscReal values[7],
                                  PetscReal *right)
{
  const PetscInt  p = Ghosted(c, at), ahead = p + c->stride[a];
  const PetscReal before = c->width[a][at[a]] / 2, after = c->width[a][at[a] + 1] / 2;
  const PetscReal mine = PetscRealPart(u[a][p]);
  PetscInt        k    = 0;

  PetscFunctionBeginUser;
  columns[k]  = p;
  values[k++] = 0;
  *right      = 0;
  for (PetscInt b = 0; b < c->dim; ++b)
    for (PetscInt side = -1; side <= 1; side += 2) {
      const PetscInt  q = p + side * c->stride[b], face = side < 0 ? -c->stride[b] : 0;
      const PetscBool outlet = b == 0 && side > 0 && at[0] == c->n[0] - 1 ? PETSC_TRUE : PETSC_FALSE;
      const PetscReal theirs = PetscRealPart(u[a][q]), area = Area(c, at, a, b);
      PetscReal       F, D, weight; /* weight of the neighbour in the face's central value */
      if (a == b) {
        F      = side * area * (outlet ? mine : (mine + theirs) / 2);
        D      = c->viscosity * area / c->width[a][side < 0 ? at[a] : at[a] + 1 == c->n[a] ? 0 : at[a] + 1];
        weight = 0.5;
      } else {
        const PetscReal here = c->width[b][at[b]], there = c->width[b][at[b] + side];
        F      = side * area * (before * PetscRealPart(u[b][p + face]) + after * PetscRealPart(u[b][ahead + face]));
        D      = c->viscosity * Contact(c, a, b, side, at);
        weight = here / (here + there);
      }
      if (outlet) D = weight = 0;
      {
        const PetscReal coupling = D + PetscMax(-F, 0), upwind = F > 0 ? mine : theirs;
        const PetscReal middle = (1 - weight) * mine + weight * theirs;
        values[0] += coupling;
        *right -= central * F * (middle - upwind);
        columns[k]  = q;
        values[k++] = -coupling;
        if (Outside(c, b, at[b] + side)) *right += coupling * theirs;
      }
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChannelMomentum(Channel *c, PetscInt axis, PetscReal dt, PetscReal central, Mat A, Vec b)
{
  PetscInt           at[3] = {c->first[0], c->first[1], c->first[2]}, row = 0;
  const PetscScalar *u[3], *p;
  PetscScalar       *right;

  PetscFunctionBeginUser;
  PetscCall(MatZeroEntries(A));
  for (PetscInt a = 0; a < c->dim; ++a) PetscCall(VecGetArrayRead(c->ghosts[a], &u[a]));
  PetscCall(VecGetArrayRead(c->pressure_ghosts, &p));
  PetscCall(VecGetArrayWrite(b, &right));
  do {
    const PetscInt q = Ghosted(c, at), ahead = q + c->stride[axis], count = 1 + 2 * c->dim;
    PetscInt       columns[7];
    PetscReal      real[7], sum, time;
    PetscScalar    values[7];
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
    /* Ghosts outside have negative numbers, which are passed over; two cells along z are neighbours twice. */
    PetscCall(MatSetValuesLocal(A, 1, &q, count, columns, values, ADD_VALUES));
  } while (Next(c, at));
  for (PetscInt a = 0; a < c->dim; ++a) PetscCall(VecRestoreArrayRead(c->ghosts[a], &u[a]));
  PetscCall(VecRestoreArrayRead(c->pressure_ghosts, &p));
  PetscCall(VecRestoreArrayWrite(b, &right));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Extent along an axis of cells `from` to `to` - 1. */
static PetscReal Extent(const Channel *c, PetscInt axis, PetscInt from, PetscInt to)
{
  PetscReal sum = 0;

  for (PetscInt i = from; i < to; ++i) sum += c->width[axis][i];
  return sum;
}

/* Whether a cell of a coarser grid of n cells is solid. */
static PetscBool SolidOf(const Channel *c, const PetscInt n[3], const PetscInt at[3])
{
  return Solid(c, c->n[0] / n[0] * at[0], c->n[1] / n[1] * at[1]);
}

PetscErrorCode ChannelPressureMatrix(KSP ksp, Mat J, Mat A, void *channel)
{
  const Channel *c = channel;
  DM             grid;
  DMDALocalInfo  g;
  PetscInt       at[3], n[3];

  PetscFunctionBeginUser;
  (void)J;
  PetscCall(KSPGetDM(ksp, &grid));
  PetscCall(DMDAGetLocalInfo(grid, &g));
  PetscCall(MatZeroEntries(A));
  n[0] = g.mx, n[1] = g.my, n[2] = g.mz;
  for (at[2] = g.zs; at[2] < g.zs + g.zm; ++at[2])
    for (at[1] = g.ys; at[1] < g.ys + g.ym; ++at[1])
      for (at[0] = g.xs; at[0] < g.xs + g.xm; ++at[0]) {
        const PetscInt row       = at[0] - g.gxs + g.gxm * (at[1] - g.gys + g.gym * (at[2] - g.gzs));
        const PetscInt stride[3] = {1, g.gxm, g.gxm * g.gym};
        PetscReal      width[3], volume = 1;
        for (PetscInt a = 0; a < 3; ++a) {
          const PetscInt fine = c->n[a] / n[a];
          width[a]            = Extent(c, a, fine * at[a], fine * (at[a] + 1));
          volume *= width[a];
        }
        for (PetscInt a = 0; a < c->dim; ++a)
          for (PetscInt side = -1; side <= 1; side += 2) {
            const PetscInt    columns[2] = {row, row + side * stride[a]}, fine = c->n[a] / n[a];
            const PetscInt    other  = (at[a] + side + n[a]) % n[a];
            const PetscBool   out    = Outside(c, a, fine * (at[a] + side));
            const PetscBool   outlet = a == 0 && out && side > 0 ? PETSC_TRUE : PETSC_FALSE;
            const PetscReal   gap    = (width[a] + (outlet ? 0 : Extent(c, a, fine * other, fine * (other + 1)))) / 2;
            const PetscScalar coupling  = volume / width[a] / gap;
            const PetscScalar value[2]  = {coupling, -coupling};
            PetscInt          beyond[3] = {at[0], at[1], at[2]};
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
  PetscInt           at[3] = {c->first[0], c->first[1], c->first[2]};
  PetscScalar       *into;
  const PetscScalar *u[3];

  PetscFunctionBeginUser;
  for (PetscInt a = 0; a < c->dim; ++a) {
    PetscCall(Fetch(c, c->velocity[a], a, c->ghosts[a]));
    PetscCall(VecGetArrayRead(c->ghosts[a], &u[a]));
  }
  PetscCall(VecGetArrayWrite(b, &into));
  do {
    const PetscInt p    = Ghosted(c, at);
    PetscScalar    flow = 0;
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
  PetscCall(Fetch(c, phi, -1, c->pressure_ghosts));
  PetscCall(VecGetArrayRead(c->pressure_ghosts, &f));
  for (PetscInt a = 0; a < c->dim; ++a) {
    PetscInt     at[3] = {c->first[0], c->first[1], c->first[2]};
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

PetscErrorCode ChannelReattachment(Channel *c, PetscReal *x1)
{
  const PetscReal   *dy = c->width[1], y0 = dy[0] / 2, y1 = dy[0] + dy[1] / 2;
  PetscReal         *friction, x = -Extent(c, 0, 0, c->inlet);
  const PetscScalar *u;
  PetscInt           at[3];

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(c->n[0], &friction));
  PetscCall(Fetch(c, c->velocity[0], 0, c->ghosts[0]));
  PetscCall(VecGetArrayRead(c->ghosts[0], &u));
  at[1] = 0;
  if (c->first[1] == 0) /* a parabola through the wall and two cells */
    for (at[2] = c->first[2]; at[2] < c->first[2] + c->count[2]; ++at[2])
      for (at[0] = c->first[0]; at[0] < c->first[0] + c->count[0]; ++at[0]) {
        const PetscInt p = Ghosted(c, at);
        friction[at[0]] += y1 * y1 * PetscRealPart(u[p]) - y0 * y0 * PetscRealPart(u[p + c->stride[1]]);
      }
  PetscCall(VecRestoreArrayRead(c->ghosts[0], &u));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, friction, (PetscMPIInt)c->n[0], MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  *x1 = 0;
  for (PetscInt i = 0; i + 1 < c->n[0]; ++i) {
    const PetscReal dx = c->width[0][i + 1], before = friction[i], after = friction[i + 1];
    x += c->width[0][i];
    if (before < 0 && after >= 0) *x1 = (x + dx * before / (before - after)) / c->step;
  }
  PetscCall(PetscFree(friction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChannelWrite(Channel *c, const char name[])
{
  PetscViewer viewer;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscViewerCreate(PETSC_COMM_WORLD, &viewer));
  PetscCall(PetscViewerSetType(viewer, PETSCVIEWERBINARY));
  PetscCall(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE));
  PetscCall(PetscViewerFileSetMode(viewer, FILE_MODE_WRITE));
  PetscCall(PetscViewerFileSetName(viewer, name));
  for (PetscInt a = 0; a < c->dim; ++a) {
    Vec x;
    PetscCall(VecCreateMPI(PETSC_COMM_WORLD, rank == 0 ? c->n[a] + 1 : 0, PETSC_DETERMINE, &x));
    for (PetscInt i = 0; rank == 0 && i <= c->n[a]; ++i)
      PetscCall(VecSetValue(x, i, Extent(c, a, 0, i) - (a == 0 ? Extent(c, 0, 0, c->inlet) : 0), INSERT_VALUES));
    PetscCall(VecAssemblyBegin(x));
    PetscCall(VecAssemblyEnd(x));
    PetscCall(VecView(x, viewer));
    PetscCall(VecDestroy(&x));
  }
  for (PetscInt a = 0; a < c->dim; ++a) PetscCall(VecView(c->velocity[a], viewer));
  PetscCall(VecView(c->pressure, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
