/* SPDX-License-Identifier: BSD-2-Clause */
static char help[] =
  "Laminar flow behind a backward-facing step: finite volumes on a staggered grid, marched to the steady state by steps of\n\
implicit momentum and a pressure correction. Prints where the flow reattaches, beside published values.\n\n";

#include "channel.h"

#include <petscfinegrain.h>

typedef struct {
  PetscReal Re, values[3];
} Published;

/* x1/S; 0 if not published. docs/examples/step.md lists the sources. */
static const char *const sources[] = {"measured by Armaly et al.", "computed by Armaly et al.", "computed by Erturk"};
static const PetscReal heights[] = {0.94, 0.94, 1};
static const Published published[] = {
  {100, {3.03, 3.10, 2.92}}, {200, {5.0, 5.03, 4.98}}, {300, {6.60, 6.78, 6.76}},
  {389, {8.05, 8.00, 0}},    {400, {0, 8.10, 8.24}},
};

typedef struct {
  PetscInt dim, cells[3], inlet, steps, every;
  PetscReal Re, step, length, span, stretch, dt, central, tolerance;
  PetscBool uniform;
  char fields[PETSC_MAX_PATH_LEN];
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  PetscInt given = 3;
  PetscBool set;

  PetscFunctionBeginUser;
  o->cells[0] = 128, o->cells[1] = 32, o->cells[2] = 1;
  o->steps = 2000, o->every = 50;
  o->Re = 100, o->step = 0.94, o->length = 20, o->span = 2, o->stretch = 4, o->dt = 0.5, o->central = 1,
  o->tolerance = 1e-5;
  o->fields[0] = 0;
  o->uniform = PETSC_FALSE;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Flow behind a step", NULL);
  PetscCall(PetscOptionsIntArray("-cells", "Cells along x, y and, in 3-D, z", NULL, o->cells, &given, &set));
  o->inlet = o->cells[0] / 8;
  PetscCall(PetscOptionsInt("-inlet", "Cells along x before the step's end; 0: the channel begins there", NULL,
                            o->inlet, &o->inlet, NULL));
  PetscCall(PetscOptionsBool("-uniform", "Uniform velocity at the inlet, instead of a parabola", NULL, o->uniform,
                             &o->uniform, NULL));
  PetscCall(
    PetscOptionsReal("-re", "Re: mean inlet velocity times twice the inlet's height", NULL, o->Re, &o->Re, NULL));
  PetscCall(PetscOptionsReal("-height", "Height of the step, S, in inlet heights", NULL, o->step, &o->step, NULL));
  PetscCall(
    PetscOptionsReal("-length", "Length of the channel, in inlet heights", NULL, o->length, &o->length, NULL));
  PetscCall(PetscOptionsReal("-span", "Period along z, in inlet heights", NULL, o->span, &o->span, NULL));
  PetscCall(
    PetscOptionsReal("-stretch", "Width of the last cell by that of the first", NULL, o->stretch, &o->stretch, NULL));
  PetscCall(PetscOptionsReal("-dt", "Length of a step", NULL, o->dt, &o->dt, NULL));
  PetscCall(PetscOptionsReal("-central", "1: central differences; 0: upwind", NULL, o->central, &o->central, NULL));
  PetscCall(PetscOptionsReal("-tolerance", "Of both residuals", NULL, o->tolerance, &o->tolerance, NULL));
  PetscCall(PetscOptionsInt("-steps", "Most steps", NULL, o->steps, &o->steps, NULL));
  PetscCall(PetscOptionsInt("-every", "Steps between two lines of the table", NULL, o->every, &o->every, NULL));
  PetscCall(PetscOptionsString("-fields", "File for the flow", NULL, o->fields, o->fields, sizeof(o->fields), NULL));
  PetscOptionsEnd();
  o->dim = set && given == 3 ? 3 : 2;
  PetscCheck(!set || given > 1, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Give -cells X,Y or X,Y,Z");
  PetscCheck(o->cells[0] > 1 && o->cells[1] > 3 && o->cells[1] % 2 == 0 && (o->dim == 2 || o->cells[2] > 1),
             PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Give an even number of cells along y, 4 or more");
  PetscCheck(o->inlet >= 0 && o->inlet < o->cells[0] - 1, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "Give fewer cells before the step's end than along x");
  PetscCheck(o->steps >= 0 && o->every > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-steps %" PetscInt_FMT " -every %" PetscInt_FMT
             ": give no negative number of steps, and every 1 or more",
             o->steps, o->every);
  PetscCheck(o->Re > 0 && o->step > 0 && o->length > 0 && o->span > 0 && o->stretch > 0 && o->dt > 0,
             PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "Give numbers above 0 for -re, -height, -length, -span, -stretch and -dt");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two of Stone's iterations for each component of the momentum: the time step makes its rows diagonally dominant. */
static PetscErrorCode CreateMomentum(const Channel *c, KSP *ksp, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(DMCreateMatrix(c->cells, A));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, "momentum_"));
  PetscCall(KSPSetType(*ksp, KSPSIP));
  PetscCall(KSPSetTolerances(*ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 2));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_NONE));
  PetscCall(KSPSetConvergenceTest(*ksp, KSPConvergedSkip, NULL, NULL));
  PetscCall(KSPSetInitialGuessNonzero(*ksp, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of the pressure correction never changes. The KSP has its grid, from which mg makes coarser ones.
 * Stone's factors of a symmetric matrix are not transposes of each other, and cg needs several times the
 * iterations of fcg. */
static PetscErrorCode CreatePressure(Channel *c, KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, "pressure_"));
  PetscCall(KSPSetDM(*ksp, c->cells));
  PetscCall(KSPSetComputeOperators(*ksp, ChannelPressureMatrix, c));
  PetscCall(KSPSetType(*ksp, KSPFCG));
  PetscCall(KSPSetTolerances(*ksp, 0.05, PETSC_DEFAULT, PETSC_DEFAULT, 200));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCSIP));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b - A x does not contain the time step. It is relative to the momentum that flows in. */
static PetscErrorCode Solve(const Options *o, Channel *c, PetscInt axis, KSP ksp, Mat A, Vec b, Vec r,
                            PetscInt *iterations, PetscReal *residual)
{
  PetscInt its;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(ChannelMomentum(c, axis, o->dt, o->central, A, b));
  PetscCall(MatMult(A, c->velocity[axis], r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_1, &norm));
  PetscCall(KSPSetOperators(ksp, A, A)); /* its values are new */
  PetscCall(KSPSolve(ksp, b, c->velocity[axis]));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  *iterations += its;
  *residual = PetscMax(*residual, norm / c->size[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps until neither momentum nor mass change; both equations are solved by few iterations per step. */
static PetscErrorCode March(const Options *o, Channel *c, PetscReal *x1, PetscBool *steady)
{
  KSP momentum, pressure;
  Mat A;
  Vec b, r, phi;
  PetscInt inner[2] = {0, 0}, step = 0;
  PetscBool done = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(CreateMomentum(c, &momentum, &A));
  PetscCall(CreatePressure(c, &pressure));
  PetscCall(VecDuplicate(c->pressure, &b));
  PetscCall(VecDuplicate(c->pressure, &r));
  PetscCall(VecDuplicate(c->pressure, &phi));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%6s %9s %9s %12s %12s %8s\n", "step", "momentum", "pressure", "momentum",
                        "mass", "x1/S"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%6s %9s %9s %12s %12s\n", "", "inner", "inner", "residual", "residual"));
  while (!done && step < o->steps) {
    PetscReal residual = 0, mass;
    PetscInt its;
    PetscCall(ChannelExchange(c));
    for (PetscInt a = 0; a < c->dim; ++a) PetscCall(Solve(o, c, a, momentum, A, b, r, &inner[0], &residual));
    PetscCall(ChannelInflow(c, b, &mass));
    mass /= c->size[2];
    PetscCall(KSPSolve(pressure, b, phi));
    PetscCall(KSPGetIterationNumber(pressure, &its));
    inner[1] += its;
    PetscCall(ChannelCorrect(c, phi, o->dt));
    PetscCheck(residual < 1e6, PETSC_COMM_WORLD, PETSC_ERR_CONV_FAILED, "Diverged in step %d: shorten -dt",
               (int)step);
    done = residual < o->tolerance && mass < o->tolerance ? PETSC_TRUE : PETSC_FALSE;
    ++step;
    if (done || step % o->every == 0 || step == o->steps) {
      PetscCall(ChannelReattachment(c, x1));
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%6d %9d %9d %12.3e %12.3e %8.3f\n", (int)step, (int)inner[0],
                            (int)inner[1], (double)residual, (double)mass, (double)*x1));
    }
  }
  PetscCall(PetscPrintf(
    PETSC_COMM_WORLD, done ? "steady after %d steps\n" : "NOT STEADY after %d steps: give more -steps\n", (int)step));
  *steady = done;
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&phi));
  PetscCall(MatDestroy(&A));
  PetscCall(KSPDestroy(&momentum));
  PetscCall(KSPDestroy(&pressure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Published results are steady flows with a parabola at the inlet. */
static PetscErrorCode Compare(const Options *o, PetscReal x1, PetscBool steady)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Re %.6g: x1/S %.3f\n", (double)o->Re, (double)x1));
  for (size_t k = 0; steady && !o->uniform && k < PETSC_STATIC_ARRAY_LENGTH(published); ++k)
    for (int s = 0; s < 3; ++s) {
      const PetscReal value = published[k].values[s];
      if (value > 0 && PetscAbsReal(published[k].Re - o->Re) < 0.5 && PetscAbsReal(heights[s] - o->step) < 0.005)
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-26s %.2f, %+.1f %%\n", sources[s], (double)value,
                              (double)(100 * (x1 / value - 1))));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options o;
  Channel c;
  PetscReal x1 = 0, wind;
  PetscMPIInt ranks;
  PetscBool steady = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscFinegrainInitializePackage());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(GetOptions(&o));
  PetscCall(ChannelCreate(o.dim, o.cells, o.inlet, o.step, o.length, o.span, o.stretch, o.Re, o.uniform, &c));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d x %d x %d cells, Re %.6g, on %d rank(s)\n", (int)c.n[0], (int)c.n[1],
                        (int)c.n[2], (double)o.Re, (int)ranks));
  PetscCall(March(&o, &c, &x1, &steady));
  if (c.dim == 3) {
    PetscCall(VecNorm(c.velocity[2], NORM_INFINITY, &wind));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "largest velocity along z %.1e\n", (double)wind));
  }
  PetscCall(Compare(&o, x1, steady));
  if (o.fields[0]) PetscCall(ChannelWrite(&c, o.fields));
  PetscCall(ChannelDestroy(&c));
  PetscCall(PetscFinalize());
  return steady ? 0 : 1;
}
