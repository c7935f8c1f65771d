// SPDX-License-Identifier: BSD-2-Clause
#include "march.hpp"

#include <petsctime.h>

#include <algorithm>
#include <cmath>

PetscErrorCode GetMarchOptions(MarchOptions *o)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-dt", &o->dt, nullptr));
  if (o->dt > 0) {
    o->rtol = PetscReal(1e-3);
    o->max_steps = 30;
    o->cfl = o->cfl_max = 1e6; // the physical time step is the limit
    o->until = 10 * o->dt;
  }
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-cfl", &o->cfl, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-cfl_max", &o->cfl_max, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-steps_rtol", &o->rtol, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-until", &o->until, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-max_steps", &o->max_steps, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-second_order_operator", &o->second_order, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-timing", &o->timing, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-sub_residuals", &o->sub_residuals, nullptr));
  PetscCheck(o->cfl > 0 && o->cfl_max >= o->cfl && o->dt >= 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-cfl is above 0, -cfl_max not below it, -dt not negative");
  PetscCheck(o->rtol >= 0 && o->max_steps >= 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-steps_rtol and -max_steps are not negative");
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

// Estimates the remaining seconds from the time of the last lines.
class Clock
{
public:
  PetscErrorCode Start()
  {
    PetscFunctionBeginUser;
    PetscCall(PetscTime(&start_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  // `left`: remaining work, in any measure that decreases evenly to 0 at the end.
  PetscErrorCode Line(double left, std::string *text)
  {
    PetscLogDouble now;
    char line[64];

    PetscFunctionBeginUser;
    PetscCall(PetscTime(&now));
    history_.push_back({now - start_, left});
    if (history_.size() > 10) history_.erase(history_.begin());
    const double done = history_.front().second - left, seconds = now - start_ - history_.front().first;
    PetscCall(PetscSNPrintf(line, sizeof(line), " %8.1f", now - start_));
    *text += line;
    if (done > 0 && left > 0) {
      PetscCall(PetscSNPrintf(line, sizeof(line), " %8.1f", left * seconds / done));
      *text += line;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  PetscLogDouble start_ = 0;
  std::vector<std::pair<double, double>> history_;
};

class Marcher
{
public:
  Marcher(const MarchOptions &o, Flow *flow, System *system, Progress *progress)
      : options_(o),
        flow_(*flow),
        system_(*system),
        progress_(*progress),
        n_(std::size_t(flow->n)),
        size_(std::size_t(flow->grid.owned) * n_),
        residual_(size_)
  {
  }

  PetscErrorCode Steady(const Monitor &done)
  {
    Clock clock;
    double norm = 0, cfl = double(options_.cfl);
    PetscInt iterations = 0;

    PetscFunctionBeginUser;
    PetscCall(PetscPrintf(flow_.grid.comm, "%6s %8s %10s %10s%s\n", "step", "CFL", "residual", "iterations",
                          options_.timing ? "  seconds    to go" : ""));
    PetscCall(clock.Start());
    for (PetscInt step = 0;; ++step) {
      std::string text;
      PetscCall(FindResidual(&norm));
      if (progress_.first == 0) progress_.first = norm;
      const double relative = norm / progress_.first;
      const bool end = relative <= double(options_.rtol) || step == options_.max_steps;
      if (options_.timing) PetscCall(clock.Line(std::max(std::log(relative / double(options_.rtol)), 0.), &text));
      PetscCall(done(progress_, &text));
      PetscCall(PetscPrintf(flow_.grid.comm, "%6d %8.1f %10.3e %10d%s\n", int(progress_.steps), cfl, relative,
                            int(iterations), text.c_str()));
      PetscCheck(std::isfinite(norm) && relative < 1e4, flow_.grid.comm, PETSC_ERR_NOT_CONVERGED,
                 "The flow is lost: give a smaller -cfl and -cfl_max, or a better linear solver");
      if (end) {
        End(relative);
        break;
      }
      // Switched evolution relaxation: the time step grows as the residual decreases.
      cfl = std::min(double(options_.cfl) / relative, double(options_.cfl_max));
      PetscCall(Step(cfl, 0, &iterations));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode Unsteady(const Monitor &done)
  {
    Clock clock;
    const double dt = double(options_.dt);

    PetscFunctionBeginUser;
    PetscCall(PetscPrintf(flow_.grid.comm, "%8s %6s %10s %10s\n", "time", "steps", "residual", "iterations"));
    PetscCall(clock.Start());
    while (progress_.time < double(options_.until) - 0.5 * dt) {
      std::string text;
      double norm = 0, first = 0;
      PetscInt steps = 0, all = 0, iterations;
      progress_.older = progress_.old;
      progress_.old.assign(flow_.q.begin(), flow_.q.begin() + std::ptrdiff_t(size_));
      for (;; ++steps) {
        PetscCall(FindResidual(&norm));
        if (steps == 0) first = norm;
        PetscCheck(std::isfinite(norm) && norm < 1e4 * first, flow_.grid.comm, PETSC_ERR_NOT_CONVERGED,
                   "The flow is lost at time %g: give a smaller -dt or -cfl", progress_.time);
        if (options_.sub_residuals && steps > 0) {
          char residual[32];
          PetscCall(PetscSNPrintf(residual, sizeof(residual), " %.3e", norm / first));
          text += residual;
        }
        if (norm <= double(options_.rtol) * first || steps == options_.max_steps) break;
        PetscCall(Step(double(options_.cfl), (progress_.older.empty() ? 1 : 1.5) / dt, &iterations));
        all += iterations;
      }
      End(first > 0 ? norm / first : 0);
      progress_.time += dt;
      ++progress_.times;
      if (options_.timing) PetscCall(clock.Line((double(options_.until) - progress_.time) / dt, &text));
      PetscCall(done(progress_, &text));
      PetscCall(PetscPrintf(flow_.grid.comm, "%8.3f %6d %10.3e %10d%s\n", progress_.time, int(steps),
                            first > 0 ? norm / first : 0, int(all), text.c_str()));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  // Records the end of the march, or of a time step, with this relative residual.
  void End(double residual)
  {
    progress_.residual = std::max(progress_.residual, residual);
    if (options_.rtol > 0 && residual > double(options_.rtol)) ++progress_.short_ends;
  }

  // With old states it includes the time derivative, which the pressure does not have.
  PetscErrorCode FindResidual(double *norm)
  {
    double square = 0, sum;

    PetscFunctionBeginUser;
    PetscCall(flow_.Residual(true, residual_.data()));
    if (options_.dt > 0)
      for (std::size_t e = 0; e < size_; ++e) {
        if (e % n_ == 0) continue;
        const double volume = flow_.grid.volume[e / n_] / double(options_.dt), now = flow_.q[e];
        residual_[e] +=
          volume * (progress_.older.empty() ? now - progress_.old[e]
                                            : 1.5 * now - 2 * progress_.old[e] + 0.5 * progress_.older[e]);
      }
    for (double r : residual_) square += r * r;
    PetscCallMPI(MPI_Allreduce(&square, &sum, 1, MPI_DOUBLE, MPI_SUM, flow_.grid.comm));
    *norm = std::sqrt(sum);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // One implicit step of local pseudo-time; `rate`: factor of the new state in its time derivative.
  PetscErrorCode Step(double cfl, double rate, PetscInt *iterations)
  {
    PetscScalar *b;
    const PetscScalar *dq;

    PetscFunctionBeginUser;
    PetscCall(flow_.Jacobian(system_.blocks.data()));
    for (std::size_t e = 0; e < size_; ++e)
      system_.diagonal[e] = flow_.waves[e / n_] / cfl + (e % n_ ? rate * flow_.grid.volume[e / n_] : 0);
    PetscCall(SetMatrix(&system_));
    PetscCall(VecGetArrayWrite(system_.b, &b));
    for (std::size_t e = 0; e < size_; ++e) b[e] = PetscScalar(-residual_[e]);
    PetscCall(VecRestoreArrayWrite(system_.b, &b));
    PetscCall(SolveSystem(&system_, iterations));
    PetscCall(VecGetArrayRead(system_.dq, &dq));
    for (std::size_t e = 0; e < size_; ++e) flow_.q[e] += double(PetscRealPart(dq[e]));
    PetscCall(VecRestoreArrayRead(system_.dq, &dq));
    ++progress_.steps;
    progress_.iterations += *iterations;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  const MarchOptions &options_;
  Flow &flow_;
  System &system_;
  Progress &progress_;
  std::size_t n_, size_;
  std::vector<double> residual_;
};

} // namespace

PetscErrorCode March(const MarchOptions &options, Flow *flow, System *system, Progress *progress, const Monitor &done)
{
  Marcher marcher(options, flow, system, progress);

  PetscFunctionBeginUser;
  PetscCall(options.dt > 0 ? marcher.Unsteady(done) : marcher.Steady(done));
  PetscFunctionReturn(PETSC_SUCCESS);
}
