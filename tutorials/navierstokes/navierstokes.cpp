// SPDX-License-Identifier: BSD-2-Clause
// Incompressible flow on grids of several blocks, as a structured multi-block solver computes it: a starting point
// for your own flow solver. grid.cpp cuts, places and joins blocks; cases.cpp has the flows, read.cpp those of
// files; flux.hpp and flow.cpp have fluxes, residual and Jacobian; system.cpp passes the Jacobian's blocks to PETSc
// as they are stored; march.cpp has the time steps.
//
//   mpiexec -n 2 navierstokes -case cavity -blocks 2,2,1 -re 400
//
// computes the cavity on four blocks, two per rank; docs/examples/flow.md explains more.
static char help[] =
  "Incompressible Navier-Stokes on multi-block structured grids: finite volumes of second order, artificial compressibility,\n\
implicit steps with one linear solve each; four unknowns a cell, six where two scalars are carried along.\n\
  -case cavity|cylinder|step|convection|file         -re <number>          Reynolds number\n\
  -cells <X,Y[,Z]>        of the whole flow           -blocks <X,Y[,Z]>     it is made of\n\
  -stretch <s>            towards walls               -depth <z>, -span walls|slip|periodic   the third direction\n\
  -turn                   indices of blocks turned and reversed            -radius <r>   cylinder: of the far field\n\
  -step_height <h>, -length <l>   of the step         -rayleigh, -prandtl, -lewis, -buoyancy_ratio   convection\n\
  -grid <file>, -conditions <file>, -viscosity, -unknowns 4|6, -diffusivity <a,b>   -case file\n\
  -pieces <k>             cut blocks into k pieces at least; 0: until ranks are even; -1: only where ranks are more\n\
  -start <u,v,w>          velocity at first           -smagorinsky <C>      eddies' viscosity; 0: none\n\
  -beta <number>          artificial compressibility; 1, unsteady (0.3 / dt)^2  -cfl <first>, -cfl_max <most>    local pseudo-time steps\n\
  -steps_rtol <r>, -max_steps <k>   when to end       -second_order_operator   solve with the residual's own derivative\n\
  -dt <step>, -until <time>   unsteady, BDF2          -timing false     no seconds\n\
  -sub_residuals          unsteady: after each pseudo-time step\n\
  A march, or a time step, that ends above -steps_rtol is said so, and the exit status is 1; -steps_rtol 0 makes -max_steps\n\
  steps, whatever the residual.\n\
  -check                  closed cells, uniform flow, Jacobian against differences\n\
  -vtk <prefix>           for ParaView                -write_restart <file>, -restart <file>, -every <k>\n\
  -profiles <file>        the cavity's center lines\n\
KSP, PC and Mat options act on the linear solves; by default gmres with fgbilu to 1e-2.\n\n";

#include "check.hpp"
#include "output.hpp"
#include "probes.hpp"

#if __has_include(<petscfinegrain.h>)
#include <petscfinegrain.h>
#else
#define PetscFinegrainInitializePackage() PETSC_SUCCESS
#endif

struct Settings {
  PetscInt pieces = -1, every = 0;
  PetscReal beta = 1;
  PetscBool check = PETSC_FALSE;
  std::string vtk, restart, write_restart, profiles;
  MarchOptions march;
};

static PetscErrorCode Name(const char *option, std::string *name)
{
  char text[PETSC_MAX_PATH_LEN];
  PetscBool set;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, option, text, sizeof(text), &set));
  if (set) *name = text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetSettings(Settings *s)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-pieces", &s->pieces, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-every", &s->every, nullptr));
  PetscCall(GetMarchOptions(&s->march));
  // For short time steps the pressure's upwinding, proportional to 1 / sqrt(beta), must stay below the effect of dt
  // grad p.
  if (s->march.dt > 0) s->beta = PetscMax(1, PetscSqr(PetscReal(0.3) / s->march.dt));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-beta", &s->beta, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-check", &s->check, nullptr));
  PetscCall(Name("-vtk", &s->vtk));
  PetscCall(Name("-restart", &s->restart));
  PetscCall(Name("-write_restart", &s->write_restart));
  PetscCall(Name("-profiles", &s->profiles));
  PetscCheck(s->beta > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-beta is above 0");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const Grid &grid, Flow *flow)
{
  double gap, uniform, jacobian;

  PetscFunctionBeginUser;
  PetscCall(CheckClosed(grid, &gap));
  PetscCall(CheckUniform(flow, &uniform));
  PetscCall(CheckJacobian(flow, &jacobian));
  PetscCall(PetscPrintf(
    grid.comm,
    "cells are closed to %.0e; a uniform stream leaves %.0e; the Jacobian is that of differences to %.0e\n", gap,
    uniform, jacobian));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Times of the slowest rank, as in figure 8 of Luo et al. (2015). Exchange is included in residual and Jacobian.
static PetscErrorCode PrintTimes(const Flow &flow)
{
  static const char *const events[][2] = {
    {"FlowResidual", "residual"},        {"FlowExchange", "exchange of it"},
    {"FlowJacobian", "Jacobian"},        {"PCSetUp", "set-up of the preconditioner"},
    {"PCApply", "its application"},      {"MatMult", "products"},
    {"KSPSolve", "linear solves in all"}};
  const char *between = "";

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(flow.grid.comm, "seconds:"));
  for (const auto &event : events) {
    PetscLogEvent id;
    PetscEventPerfInfo info;
    PetscLogDouble slowest;
    PetscCall(PetscLogEventGetId(event[0], &id));
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, id, &info));
    PetscCallMPI(MPI_Allreduce(&info.time, &slowest, 1, MPI_DOUBLE, MPI_MAX, flow.grid.comm));
    PetscCall(PetscPrintf(flow.grid.comm, "%s %s %.3f", between, event[1], slowest));
    between = ",";
  }
  PetscCall(PetscPrintf(flow.grid.comm, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Decides whether the march has reached its end.
static PetscErrorCode JudgeEnd(const MarchOptions &o, const Progress &progress, MPI_Comm comm, bool *converged)
{
  PetscFunctionBeginUser;
  *converged = progress.short_ends == 0;
  if (*converged && o.rtol == 0)
    PetscCall(PetscPrintf(comm, "no tolerance: ended with a residual of %.1e of the first\n", progress.residual));
  if (!*converged && o.dt == 0)
    PetscCall(
      PetscPrintf(comm,
                  "NOT CONVERGED: the residual is %.1e of the first, not %g: this is no steady flow; give more "
                  "-max_steps than %d\n",
                  progress.residual, double(o.rtol), int(o.max_steps)));
  if (!*converged && o.dt > 0)
    PetscCall(
      PetscPrintf(comm,
                  "NOT CONVERGED: %d time steps ended with a residual of up to %.1e of their first, not %g: give "
                  "more -max_steps than %d, or a smaller -dt\n",
                  int(progress.short_ends), progress.residual, double(o.rtol), int(o.max_steps)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunFlow(const Settings &s, const Case &problem, const Grid &grid, bool *converged)
{
  Flow flow(grid, problem, double(s.beta));
  System system;
  Progress progress;
  Shedding shedding;
  const bool forces = s.march.dt > 0 && problem.kind == Case::cylinder;

  PetscFunctionBeginUser;
  PetscCall(flow.Create());
  PetscCall(CreateSystem(&flow, s.march.second_order, &system));
  if (!s.restart.empty()) PetscCall(ReadRestart(s.restart, &flow, &progress));
  PetscCall(March(s.march, &flow, &system, &progress, [&](const Progress &now, std::string *text) {
    const PetscInt done = s.march.dt > 0 ? now.times : now.steps;

    PetscFunctionBeginUser;
    if (forces) {
      Vector3 force;
      char line[64];
      PetscCall(FindForce(flow, &force));
      PetscCall(PetscSNPrintf(line, sizeof(line), "  drag %.4f lift %8.4f", 2 * force[0], 2 * force[1]));
      *text += line;
      shedding.Add(now.time, force[1]);
    }
    if (s.every > 0 && done > 0 && done % s.every == 0) {
      if (!s.write_restart.empty()) PetscCall(WriteRestart(s.write_restart, flow, now));
      if (!s.vtk.empty()) PetscCall(WriteVtk(s.vtk + "_at_" + std::to_string(done), flow));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(
    PetscPrintf(grid.comm, "%d steps, %d linear iterations\n", int(progress.steps), int(progress.iterations)));
  PetscCall(JudgeEnd(s.march, progress, grid.comm, converged));
  if (forces) PetscCall(shedding.Print(grid.comm));
  // Published results are steady laminar flows.
  PetscCall(Report(flow, *converged && s.march.rtol > 0 && s.march.dt == 0 && problem.smagorinsky == 0));
  if (!s.profiles.empty()) PetscCall(WriteProfiles(s.profiles, flow));
  if (!s.vtk.empty()) PetscCall(WriteVtk(s.vtk, flow));
  if (!s.write_restart.empty()) PetscCall(WriteRestart(s.write_restart, flow, progress));
  if (s.check) PetscCall(Check(grid, &flow));
  if (s.march.timing) PetscCall(PrintTimes(flow));
  PetscCall(DestroySystem(&system));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Settings settings;
  Case problem;
  Grid grid;
  bool converged = true;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(PetscFinegrainInitializePackage());
  PetscCall(GetSettings(&settings));
  PetscCall(CreateCase(PETSC_COMM_WORLD, &problem));
  PetscCall(CreateGrid(PETSC_COMM_WORLD, problem.geometry, settings.pieces, &grid));
  PetscCall(PrintGrid(grid));
  PetscCall(RunFlow(settings, problem, grid, &converged));
  PetscCall(DestroyGrid(&grid));
  PetscCall(PetscFinalize());
  return converged ? 0 : 1;
}
