/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FINEGRAIN_TUTORIALS_STEP_CHANNEL_H
#define FINEGRAIN_TUTORIALS_STEP_CHANNEL_H

#include <petscdmda.h>
#include <petscksp.h>

#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS 0
#endif

/* Lengths are in heights h of the inlet, velocities in its mean: two thirds of a parabola's maximum.
 *
 * A channel with a step of height S that ends at x = 0: flow enters above it and leaves at x = length. The cells
 * of the step are solid. Staggered velocities: component a of a cell is the one normal to the cell's upper face
 * along axis a. All fields have one value per cell, so that one grid serves all: `cells`, a star, makes matrices
 * of 5 or 7 points; `ghosted` also has corners, which convection needs. Ghosts outside of the channel hold
 * boundary values. */
typedef struct {
  DM cells, ghosted;
  PetscInt dim, n[3], inlet;                      /* cells before the step's end */
  PetscBool uniform;                              /* velocity of the inlet, instead of a parabola */
  PetscInt first[3], count[3], stride[3], corner; /* owned cells; strides of ghosted arrays; these begin at a ghost */
  PetscReal size[3], step, viscosity;
  PetscReal *width[3], *gap[3]; /* of cells -1 to n; between the centers of cells c and c + 1, c from -1 */
  Vec velocity[3], pressure;
  Vec ghosts[3], pressure_ghosts;
} Channel;

/* `inlet` of the n[0] cells along x are before the step's end; for mg's grids these and n[1] / 2 must also be
 * even. Re is Armaly's: mean velocity times 2 h, divided by the viscosity. stretch: width of the last cell over
 * that of the first. */
PetscErrorCode ChannelCreate(PetscInt dim, const PetscInt n[], PetscInt inlet, PetscReal step, PetscReal length,
                             PetscReal span, PetscReal stretch, PetscReal Re, PetscBool uniform, Channel *c);
PetscErrorCode ChannelDestroy(Channel *c);

/* Fetches ghosts of a component, or with axis -1 of a pressure. Outside values are: the inlet's profile, or
 * zeros, before the inlet; zero gradient behind the outlet; zeros on the walls. Pressure is 0 at the outlet, and
 * is not read beyond other sides. */
PetscErrorCode ChannelFetch(Channel *c, Vec field, PetscInt axis, Vec ghosts);

/* Fetches ghosts of all components and the pressure. */
PetscErrorCode ChannelExchange(Channel *c);

/* equations.c: one step of implicit Euler for a component. The matrix has upwind convection; the right-hand side
 * has the rest of central differences, times `central`. */
PetscErrorCode ChannelMomentum(Channel *c, PetscInt axis, PetscReal dt, PetscReal central, Mat A, Vec b);

/* The matrix of the pressure correction on `cells` or a coarser grid of these, as a function for
 * KSPSetComputeOperators(). */
PetscErrorCode ChannelPressureMatrix(KSP ksp, Mat J, Mat A, void *channel);

/* The net flow into each cell, which the pressure correction must remove, and the sum of the amounts. */
PetscErrorCode ChannelInflow(Channel *c, Vec b, PetscReal *sum);

/* Subtracts the gradient of phi from the velocity, and adds phi / dt to the pressure. */
PetscErrorCode ChannelCorrect(Channel *c, Vec phi, PetscReal dt);

/* Position at which the wall's friction, averaged over z, last changes its sign; in step heights, 0 if there is
 * none. */
PetscErrorCode ChannelReattachment(Channel *c, PetscReal *x1);

/* PETSc binary file: coordinates of faces along x and y, velocities, pressure, each a Vec in natural order. */
PetscErrorCode ChannelWrite(Channel *c, const char name[]);

/* True if this index along an axis is outside the channel. */
static inline PetscBool Outside(const Channel *c, PetscInt axis, PetscInt at)
{
  return axis < 2 && (at < 0 || at >= c->n[axis]) ? PETSC_TRUE : PETSC_FALSE;
}

static inline PetscBool Solid(const Channel *c, PetscInt i, PetscInt j)
{
  return i < c->inlet && j < c->n[1] / 2 ? PETSC_TRUE : PETSC_FALSE;
}

/* True if a component of a cell, which is on its upper face, is on a wall or in the step, and therefore zero. */
static inline PetscBool Fixed(const Channel *c, PetscInt axis, const PetscInt at[3])
{
  return Solid(c, at[0], at[1]) || (axis == 1 && at[1] == c->n[1] - 1) ? PETSC_TRUE : PETSC_FALSE;
}

static inline PetscInt Ghosted(const Channel *c, const PetscInt at[3])
{
  return c->corner + (at[0] - c->first[0]) + c->stride[1] * (at[1] - c->first[1]) +
         c->stride[2] * (at[2] - c->first[2]);
}

/* The next owned cell, x fastest; false after the last. */
static inline PetscBool Next(const Channel *c, PetscInt at[3])
{
  for (PetscInt a = 0; a < 3; ++a) {
    if (++at[a] < c->first[a] + c->count[a]) return PETSC_TRUE;
    at[a] = c->first[a];
  }
  return PETSC_FALSE;
}

/* Area of a face along axis a, without the extent along axis b, which differs for a staggered cell. */
static inline PetscReal Area(const Channel *c, const PetscInt at[3], PetscInt a, PetscInt b)
{
  PetscReal area = 1;

  for (PetscInt k = 0; k < c->dim; ++k)
    if (k != a && k != b) area *= c->width[k][at[k]];
  return area;
}

/* Extent along an axis of cells `from` to `to` - 1. */
static inline PetscReal Extent(const Channel *c, PetscInt axis, PetscInt from, PetscInt to)
{
  PetscReal sum = 0;

  for (PetscInt i = from; i < to; ++i) sum += c->width[axis][i];
  return sum;
}

#endif
