/* SPDX-License-Identifier: BSD-2-Clause */
#include "channel.h"

/* Along x, widths of cells grow by a constant factor from the step's end, in both directions; along y, S and h
 * have the same number of cells. */
static PetscErrorCode CreateWidths(Channel *c, PetscReal stretch)
{
  PetscFunctionBeginUser;
  for (PetscInt a = 0; a < 3; ++a) {
    const PetscInt n = c->n[a], behind = n - c->inlet;
    PetscReal sum = 0, *width, *gap;
    PetscCall(PetscMalloc2(n + 2, &width, n + 1, &gap));
    c->width[a] = ++width;
    c->gap[a] = ++gap;
    for (PetscInt i = 0; i < n; ++i) {
      const PetscInt from = i < c->inlet ? c->inlet - 1 - i : i - c->inlet;
      width[i] = 1;
      if (a == 0) width[i] = PetscPowReal(stretch, (PetscReal)from / (PetscReal)(behind - 1));
      if (a == 1) width[i] = i < n / 2 ? c->step : 1;
      if (a > 0 || i >= c->inlet) sum += width[i];
    }
    for (PetscInt i = 0; i < n; ++i) width[i] *= c->size[a] / sum;
    /* Ghosts of walls, inlet and outlet are on the boundary, half a cell away. */
    width[-1] = a == 2 ? width[n - 1] : 0;
    width[n] = a == 2 ? width[0] : 0;
    for (PetscInt i = -1; i < n; ++i) gap[i] = (width[i] + width[i + 1]) / 2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateGrid(Channel *c, DMDAStencilType stencil, DM *grid)
{
  const DMBoundaryType wall = DM_BOUNDARY_GHOSTED;
  const PetscInt *n = c->n;

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

/* Mean of the inlet's profile over the face of a cell. */
static PetscReal Inlet(const Channel *c, PetscInt j)
{
  const PetscReal dy = 2. / (PetscReal)c->n[1], low = ((PetscReal)j - (PetscReal)(c->n[1] / 2)) * dy;
  const PetscReal high = low + dy;

  if (j < c->n[1] / 2 || j >= c->n[1]) return 0;
  if (c->uniform) return 1;
  return (3 * (high * high - low * low) - 2 * (high * high * high - low * low * low)) / dy;
}

/* Starts with the inlet's profile everywhere, in 3-D with a variation. */
static PetscErrorCode Begin(Channel *c)
{
  PetscInt at[3] = {c->first[0], c->first[1], c->first[2]};
  PetscScalar *u;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayWrite(c->velocity[0], &u));
  do {
    const PetscReal turn = 2 * PETSC_PI * ((PetscReal)at[2] + 0.5) / (PetscReal)c->n[2];
    *u++ = Inlet(c, at[1]) * (1 + (c->dim == 3 ? 0.2 * PetscSinReal(turn) : 0));
  } while (Next(c, at));
  u -= c->count[0] * c->count[1] * c->count[2];
  PetscCall(VecRestoreArrayWrite(c->velocity[0], &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChannelCreate(PetscInt dim, const PetscInt n[], PetscInt inlet, PetscReal step, PetscReal length,
                             PetscReal span, PetscReal stretch, PetscReal Re, PetscBool uniform, Channel *c)
{
  PetscInt ghost[3], ghosts[3];

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(c, sizeof(*c)));
  c->dim = dim;
  c->inlet = inlet;
  c->uniform = uniform;
  c->step = step;
  c->viscosity = 2 / Re;
  c->size[0] = length;
  c->size[1] = 1 + step;
  c->size[2] = dim == 3 ? span : 1;
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

/* Ghost boxes are traversed including their corners. */
PetscErrorCode ChannelFetch(Channel *c, Vec field, PetscInt axis, Vec ghosts)
{
  PetscInt ghost[3], size[3];
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
  for (PetscInt a = 0; a < c->dim; ++a) PetscCall(ChannelFetch(c, c->velocity[a], a, c->ghosts[a]));
  PetscCall(ChannelFetch(c, c->pressure, -1, c->pressure_ghosts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChannelReattachment(Channel *c, PetscReal *x1)
{
  const PetscReal *dy = c->width[1], y0 = dy[0] / 2, y1 = dy[0] + dy[1] / 2;
  PetscReal *friction, x = -Extent(c, 0, 0, c->inlet);
  const PetscScalar *u;
  PetscInt at[3];

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(c->n[0], &friction));
  PetscCall(ChannelFetch(c, c->velocity[0], 0, c->ghosts[0]));
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
