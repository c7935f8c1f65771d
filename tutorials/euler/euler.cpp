// SPDX-License-Identifier: BSD-2-Clause
// Compressible flow over a bump, as unstructured flow solvers compute it: the linear systems of such a solver in a
// few hundred lines. mesh.cpp makes the tetrahedra and their dual cells, flux.hpp has Roe's flux and its
// derivatives, flow.cpp residual and Jacobian; this file has the pseudo-time steps.
//
//   mpiexec -n 2 euler -pc_type fgbilu -check_jacobian
//
// shows closed dual cells, a free stream that is preserved up to rounding, a Jacobian that is the derivative of the
// residual, and a residual that falls by ten orders in 17 steps; then the mass flow in equals that out. The scheme
// is of first order in space, and loses entropy over the bump, as any such scheme does. ./study compares linear
// solvers as in FUN3D, with a fixed number of sweeps per step.
static char help[] =
  "Compressible flow over a bump on the floor of a duct: Euler equations, first-order finite volumes on tetrahedra, five\n\
unknowns per vertex, pseudo-time steps with one linear solve each until the flow is steady. Prints a table: step, CFL\n\
number, norm of the nonlinear residual, linear iterations, norm of the linear residual, seconds.\n\
  -cells <nx,ny,nz>       cubes, of six tetrahedra each            -bump <height>       0 for none\n\
  -numbering <natural,shuffle,rcm>  of the vertices                -perturb <share>     random displacement of vertices\n\
  -mach <number>          of the free stream                       -max_steps <k>, -steps_rtol <r>  when to end\n\
  -cfl <first>, -cfl_growth <factor>, -cfl_max <number>            local time steps\n\
  -check_jacobian         compare it with difference quotients     -timing false        no seconds\n\
  -write_system <file>    matrix and right-hand side of -write_step <k>, PETSc binary, for MatLoad (baij) and VecLoad\n\
  -read_system <file>     solve that system once instead of a flow\n\
KSP and PC options act on the solves. A fixed number of sweeps in every step: -ksp_type preonly -pc_type sor -pc_sor_its 15\n\n";

#include "flow.hpp"

#include <petscksp.h>
#include <petsctime.h>
// An ordinary PETSc program, which also compiles without finegrain; then -dll_append can load the plugin's types.
#if __has_include(<petscfinegrain.h>)
#include <petscfinegrain.h>
#else
#define PetscFinegrainInitializePackage() PETSC_SUCCESS
#endif

#include <string>

struct Settings {
  MeshOptions mesh;
  PetscReal mach = PetscReal(0.5), cfl = 10, cfl_growth = PetscReal(1.5), cfl_max = 200, rtol = PetscReal(1e-10);
  PetscInt max_steps = 60, write_step = 10;
  PetscBool check_jacobian = PETSC_FALSE, timing = PETSC_TRUE;
  std::string write, read;
};

struct Seconds {
  double residual = 0, jacobian = 0, setup = 0, solve = 0, all = 0;
};

static PetscErrorCode FileName(const char *option, std::string *name)
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
  PetscInt count = 3, numbering = PetscInt(s->mesh.numbering);
  PetscBool cells;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetIntArray(nullptr, nullptr, "-cells", s->mesh.cells, &count, &cells));
  PetscCall(PetscOptionsGetEList(nullptr, nullptr, "-numbering", Numberings, 3, &numbering, nullptr));
  s->mesh.numbering = Numbering(numbering);
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-bump", &s->mesh.bump, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-perturb", &s->mesh.perturb, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-mach", &s->mach, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-cfl", &s->cfl, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-cfl_growth", &s->cfl_growth, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-cfl_max", &s->cfl_max, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-steps_rtol", &s->rtol, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-max_steps", &s->max_steps, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-write_step", &s->write_step, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-check_jacobian", &s->check_jacobian, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-timing", &s->timing, nullptr));
  PetscCall(FileName("-write_system", &s->write));
  PetscCall(FileName("-read_system", &s->read));
  PetscCheck((!cells || count == 3) && s->mesh.cells[0] > 0 && s->mesh.cells[1] > 0 && s->mesh.cells[2] > 0,
             PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Give -cells nx,ny,nz of 1 or more");
  PetscCheck(s->max_steps >= 0 && s->write_step >= 0 && s->rtol >= 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-max_steps, -write_step and -steps_rtol are not negative");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteSystem(const std::string &name, Mat A, Vec b)
{
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, name.c_str(), FILE_MODE_WRITE, &viewer));
  PetscCall(MatView(A, viewer));
  PetscCall(VecView(b, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadSystem(const std::string &name, Mat *A, Vec *b)
{
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, name.c_str(), FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetBlockSize(*A, 5));
  PetscCall(MatSetType(*A, MATBAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(MatCreateVecs(*A, nullptr, b));
  PetscCall(VecLoad(*b, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Now(double *seconds)
{
  PetscLogDouble t;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&t));
  *seconds = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Solves from x = 0. A method with a fixed number of iterations "fails" to converge, which is accepted; any other
// failure ends the program.
static PetscErrorCode Solve(KSP ksp, Mat A, Vec b, Vec x, PetscInt *iterations, double *relative, Seconds *seconds)
{
  KSPConvergedReason reason;
  Vec r;
  PetscReal norm, size;
  double start, ready, end;

  PetscFunctionBeginUser;
  PetscCall(Now(&start));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(Now(&ready));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Now(&end));
  seconds->setup += ready - start;
  seconds->solve += end - ready;
  PetscCall(KSPGetIterationNumber(ksp, iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason >= 0 || reason == KSP_DIVERGED_ITS, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED,
             "The linear solver ended as %s", KSPConvergedReasons[reason]);
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecNorm(b, NORM_2, &size));
  *relative = double(norm / size);
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Implicit Euler with local time steps; q is initially the free stream.
static PetscErrorCode March(const Settings &s, const Flow &flow, KSP ksp, Vec q, Seconds *seconds, bool *converged)
{
  std::vector<double> waves;
  Mat A;
  Vec b, dq;
  PetscReal norm = 0, first = 0;
  PetscInt iterations = 0;
  double begin, start, mid, end, linear = 0;
  double cfl = double(s.cfl);

  PetscFunctionBeginUser;
  PetscCall(CreateJacobian(PETSC_COMM_WORLD, flow, &A));
  PetscCall(MatCreateVecs(A, &dq, &b));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%4s %7s %10s %10s %9s%s\n", "step", "CFL", "residual", "iterations",
                        "linear", s.timing ? "   seconds" : ""));
  PetscCall(Now(&begin));
  for (PetscInt step = 0;; ++step) {
    PetscCall(Now(&start));
    PetscCall(Residual(flow, q, false, b, &waves));
    PetscCall(VecNorm(b, NORM_2, &norm));
    PetscCall(Now(&mid));
    seconds->residual += mid - start;
    seconds->all = mid - begin;
    if (step == 0) first = norm;
    PetscCheck(norm <= 1000 * first, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED,
               "The flow is lost: a smaller -cfl, or better linear solves");
    if (norm <= s.rtol * first || step == s.max_steps) {
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%4d %7s %10.3e\n", int(step), "", double(norm / first)));
      PetscCheck(s.write.empty() || s.write_step < step, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
                 "There was no step %d to write", int(s.write_step));
      // If the system of a step is written, the flow need not become steady.
      *converged = norm <= s.rtol * first || !s.write.empty();
      if (!*converged)
        PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                              "NOT CONVERGED to %g of the first residual: this is no steady flow; give more "
                              "-max_steps than %d\n",
                              double(s.rtol), int(s.max_steps)));
      break;
    }
    PetscCall(VecScale(b, -1));
    PetscCall(Now(&mid));
    PetscCall(Jacobian(flow, q, waves, cfl, A));
    PetscCall(Now(&end));
    seconds->jacobian += end - mid;
    if (step == s.write_step && !s.write.empty()) PetscCall(WriteSystem(s.write, A, b));
    PetscCall(Solve(ksp, A, b, dq, &iterations, &linear, seconds));
    PetscCall(VecAXPY(q, 1, dq));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%4d %7.1f %10.3e %10d %9.1e", int(step), cfl, double(norm / first),
                          int(iterations), linear));
    if (s.timing) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %9.3f", seconds->all));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
    cfl = std::min(cfl * double(s.cfl_growth), double(s.cfl_max));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&dq));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunFlow(const Settings &s, KSP ksp, Seconds *seconds, bool *converged)
{
  Mesh mesh;
  Flow flow = {&mesh, FreeStream(double(s.mach))};
  Vec q;
  Totals totals;
  double relative;

  PetscFunctionBeginUser;
  PetscCall(CreateMesh(PETSC_COMM_WORLD, s.mesh, &mesh));
  PetscCall(PrintMesh(PETSC_COMM_WORLD, s.mesh, mesh));
  PetscCall(CheckFreeStream(flow, &relative));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "free stream, no walls: residual %.0e of the flux\n", relative));
  PetscCall(CreateStates(PETSC_COMM_WORLD, flow, &q));
  PetscCall(March(s, flow, ksp, q, seconds, converged));
  if (s.check_jacobian) {
    PetscCall(CheckJacobian(flow, q, &relative));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Jacobian: differs from difference quotients by %.0e\n", relative));
  }
  PetscCall(FindTotals(flow, q, &totals));
  PetscCall(
    PetscPrintf(PETSC_COMM_WORLD,
                "mass in %.8f, out %.8f; largest Mach number %.4f; errors: x force on the walls %.6f, entropy %.6f\n",
                totals.in, totals.out, totals.mach, totals.force, totals.entropy));
  PetscCall(VecDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunSystem(const Settings &s, KSP ksp, Seconds *seconds)
{
  Mat A;
  Vec b, x;
  PetscInt iterations, rows;
  double relative;

  PetscFunctionBeginUser;
  PetscCall(ReadSystem(s.read, &A, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(Solve(ksp, A, b, x, &iterations, &relative, seconds));
  PetscCall(MatGetSize(A, &rows, nullptr));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d rows: %d iterations, linear residual %.6e\n", int(rows),
                        int(iterations), relative));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Settings settings;
  Seconds seconds;
  KSP ksp;
  bool converged = true;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(PetscFinegrainInitializePackage());
  PetscCall(GetSettings(&settings));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetTolerances(ksp, PetscReal(1e-2), PETSC_DEFAULT, PETSC_DEFAULT, 200));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(settings.read.empty() ? RunFlow(settings, ksp, &seconds, &converged)
                                  : RunSystem(settings, ksp, &seconds));
  if (settings.timing)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "seconds: residual %.3f, Jacobian %.3f, linear set-up %.3f, linear solves %.3f\n",
                          seconds.residual, seconds.jacobian, seconds.setup, seconds.solve));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(PetscFinalize());
  return converged ? 0 : 1;
}
