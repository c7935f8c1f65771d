// SPDX-License-Identifier: BSD-2-Clause
// Shows the program's system during a solve with Eisenstat's trick. The KSP iterates on another system, whose
// residuals have norms |P_L^-1 (b - A x)|. Tests and monitors get the requested norm: measured where find() decides
// so, and in between estimated in proportion to the norm of the KSP.
#include "pc/solve/transformed_solve.hpp"
#include "pc/find.hpp"

#include <algorithm>
#include <utility>

using namespace finegrain;

namespace
{

// A norm that is measured below this multiple of the tolerance corrects the ratio of the norms for the end of the
// solve.
constexpr PetscReal near_factor = 10;

// Below this fraction of the largest norm, b - A x may consist mostly of rounding errors.
constexpr PetscReal rounding = PetscReal(1e6) * PETSC_MACHINE_EPSILON;

} // namespace

class TransformedSolve::OtherView
{
public:
  explicit OtherView(TransformedSolve *solve) : solve_(solve) { swap(); }
  ~OtherView() { swap(); }
  OtherView(const OtherView &) = delete;
  OtherView &operator=(const OtherView &) = delete;

private:
  void swap()
  {
    std::swap(solve_->ksp_->ops->buildsolution, solve_->build_solution_);
    std::swap(solve_->ksp_->ops->buildresidual, solve_->build_residual_);
    solve_->swap();
  }

  TransformedSolve *solve_;
};

TransformedSolve::TransformedSolve(PC pc, KSP ksp)
    : pc_(pc), ksp_(ksp), history_(std::size_t(ksp->res_hist_len)), monitor_count_(ksp->numbermonitors > 0)
{
  FinegrainEisenstat &s = static_cast<PC_Finegrain *>(pc->data)->eisenstat;
  const EisenstatSolver *solver = FindEisenstatSolver(ksp);
  measures_ = solver && solver->builds && !ksp->transpose_solve && ksp->converged == KSPConvergedDefault &&
              ksp->normtype != KSP_NORM_NONE && (ksp->normtype != KSP_NORM_NATURAL || s.symmetric) &&
              ksp->pc_side != PC_SYMMETRIC;
  mat_ = s.shell;
  rhs_ = s.rhs;
  (void)PetscObjectReference(reinterpret_cast<PetscObject>(mat_));
  (void)PetscObjectReference(reinterpret_cast<PetscObject>(rhs_));
  monitors_[0] = monitor;
  monitor_contexts_[0] = this;
  s.now = this;
  swap();
}

TransformedSolve::~TransformedSolve()
{
  PC_Finegrain *e = nullptr;
  swap();
  (void)MatDestroy(&mat_);
  (void)VecDestroy(&rhs_);
  if (PCFinegrainFind(pc_, &e) || !e) return;
  e->eisenstat.now = nullptr;
  e->eisenstat.symmetric = false; // as -ksp_pc_side symmetric expects it
}

// Operators, tests and monitors that are set in the meantime are set in the program's view, and stay set.
void TransformedSolve::swap()
{
  PC_Finegrain *e = nullptr;
  transformed_ = !transformed_;
  std::swap(pc_->mat, mat_);
  std::swap(ksp_->vec_rhs, rhs_); // b may be locked, as the columns of KSPMatSolve() are
  std::swap(ksp_->converged, test_);
  std::swap(ksp_->cnvP, test_context_);
  std::swap_ranges(std::begin(ksp_->monitor), std::end(ksp_->monitor), monitors_);
  std::swap_ranges(std::begin(ksp_->monitorcontext), std::end(ksp_->monitorcontext), monitor_contexts_);
  std::swap(ksp_->numbermonitors, monitor_count_);
  if (!PCFinegrainFind(pc_, &e) && e) e->eisenstat.active = transformed_; // a monitor may have set another type
}

PetscErrorCode TransformedSolve::build_solution(KSP ksp, Vec v, Vec *x)
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFind(ksp->pc, &e));
  PetscCheck(e && e->eisenstat.now, PetscObjectComm(reinterpret_cast<PetscObject>(ksp)), PETSC_ERR_ARG_WRONGSTATE,
             "The preconditioner was replaced in the middle of a solve with Eisenstat's trick");
  *x = v ? v : e->eisenstat.solution;
  PetscCall(e->eisenstat.now->build(*x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Builds the solution, in either view.
PetscErrorCode TransformedSolve::build(Vec x)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc_->data);

  PetscFunctionBegin;
  if (!transformed_) {
    const OtherView view(this);
    PetscCall(build(x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  std::swap(ksp_->reason, reason_);
  PetscCall(KSPBuildSolution(ksp_, e->eisenstat.work, nullptr));
  std::swap(ksp_->reason, reason_);
  PetscCall(ApplySplit(e, Split::right_inverse, e->eisenstat.work, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes the requested norm of the residual in `work`, which is overwritten.
PetscErrorCode TransformedSolve::measure_residual()
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc_->data);
  FinegrainEisenstat &s = e->eisenstat;
  Vec r = s.work;

  PetscFunctionBegin;
  if (ksp_->normtype != KSP_NORM_UNPRECONDITIONED) {
    PetscCall(ApplySplit(e, Split::left_inverse, s.work, s.solution));
    r = s.solution;
    if (ksp_->normtype == KSP_NORM_PRECONDITIONED) { // half of this for the natural norm: P_L = P_R^H
      PetscCall(ApplySplit(e, Split::right_inverse, s.solution, s.work));
      r = s.work;
    }
  }
  PetscCall(VecNorm(r, NORM_2, &measured_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes the requested norm of b - A x. The program's b is in rhs_, which the KSP does not show now.
PetscErrorCode TransformedSolve::measure_residual_of(Vec x)
{
  const Vec r = static_cast<PC_Finegrain *>(pc_->data)->eisenstat.work;

  PetscFunctionBegin;
  PetscCall(MatMult(pc_->pmat, x, r));
  PetscCall(VecAYPX(r, -1, rhs_));
  PetscCall(measure_residual());
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes the requested norm of the solver's iterate. `norm` is the solver's own norm.
PetscErrorCode TransformedSolve::measure(PetscInt iteration, PetscReal norm)
{
  FinegrainEisenstat &s = static_cast<PC_Finegrain *>(pc_->data)->eisenstat;

  PetscFunctionBegin;
  if (measurements_ == 0 && ksp_->guess_zero) {
    PetscCall(VecCopy(rhs_, s.work));
    PetscCall(measure_residual());
  } else {
    PetscCall(build(s.solution));
    PetscCall(measure_residual_of(s.solution));
  }
  measured_at_ = iteration;
  measured_of_ = norm;
  largest_ = PetscMax(largest_, measured_);
  if (norm > 0) ratio_ = measured_ / norm;
  if (measured_ > rounding * largest_) sound_ratio_ = ratio_;
  if (measurements_++ == 0) first_ratio_ = ratio_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Estimates the requested norm from the last measurement. If that may consist of rounding errors, which do not fall
// with the solver's recurrence, it uses the last one that does not: the solve ends as it would without the trick.
PetscReal TransformedSolve::estimate(PetscInt iteration, PetscReal norm) const
{
  const PetscReal found = knows(iteration, norm) ? measured_ : ratio_ * norm;
  return measured_ > rounding * largest_ ? found : PetscMin(found, sound_ratio_ * norm);
}

// Finds the requested norm or an estimate. It is measured at the first two iterations, wherever the solver's norm
// has fallen tenfold below `near_factor` times the tolerance, and wherever a test would pass.
PetscErrorCode TransformedSolve::find(PetscInt iteration, PetscReal norm, PetscReal *found)
{
  PetscFunctionBegin;
  if (!knows(iteration, norm)) {
    const PetscReal limit = PetscMax(near_factor * ksp_->ttol, 10 * rounding * largest_);
    const bool near = measurements_ > 0 && ratio_ * norm <= limit;
    const bool due = near && (!near_ || 10 * norm <= measured_of_);
    if (measurements_ < 2 || due || estimate(iteration, norm) <= ksp_->ttol) PetscCall(measure(iteration, norm));
    near_ |= near;
  }
  *found = estimate(iteration, norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Calls the program's test.
PetscErrorCode TransformedSolve::decide(PetscInt iteration, PetscReal norm, KSPConvergedReason *reason)
{
  PetscFunctionBegin;
  const OtherView view(this);
  *reason = KSP_CONVERGED_ITERATING;
  PetscCall((*ksp_->converged)(ksp_, iteration, norm, reason, ksp_->cnvP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransformedSolve::test(KSP ksp, PetscInt iteration, PetscReal norm, KSPConvergedReason *reason,
                                      void *context)
{
  TransformedSolve *s = static_cast<TransformedSolve *>(context);
  PetscReal found;

  PetscFunctionBegin;
  if (!s->measures_ || PetscIsInfOrNanReal(norm)) {
    PetscCall(s->decide(iteration, norm, reason));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(s->find(iteration, norm, &found));
  PetscCall(s->decide(iteration, found, reason));
  // GMRES reduces its own norm, while the requested one may rise first.
  if (*reason == KSP_DIVERGED_DTOL && s->first_ratio_ * norm < ksp->divtol * ksp->rnorm0)
    *reason = KSP_CONVERGED_ITERATING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Only the first norm is measured for monitors, so that a solve is the same without them.
PetscErrorCode TransformedSolve::monitor(KSP ksp, PetscInt iteration, PetscReal norm, void *context)
{
  TransformedSolve *s = static_cast<TransformedSolve *>(context);

  PetscFunctionBegin;
  if (s->measures_ && !PetscIsInfOrNanReal(norm)) {
    if (s->measurements_ == 0) PetscCall(s->measure(iteration, norm));
    norm = s->knows(iteration, norm) ? s->measured_ : s->first_ratio_ * norm;
  }
  const OtherView view(s);
  std::swap(ksp->rnorm, norm);
  // PETSc 3.25 gives monitors the KSP's own vector when the solve has ended; here that is another system's solution.
  s->reason_ = std::exchange(ksp->reason, KSP_CONVERGED_ITERATING);
  const PetscErrorCode code = KSPMonitor(ksp, iteration, ksp->rnorm);
  if (ksp->reason == KSP_CONVERGED_ITERATING) ksp->reason = s->reason_;
  s->reason_ = KSP_CONVERGED_ITERATING;
  std::swap(ksp->rnorm, norm);
  PetscFunctionReturn(code);
}

PetscErrorCode TransformedSolve::set_norms()
{
  PetscFunctionBegin;
  if (!measures_ || measurements_ == 0) PetscFunctionReturn(PETSC_SUCCESS); // there was no test
  const std::size_t length = std::size_t(ksp_->res_hist_len);
  for (std::size_t i = history_; i < length; ++i) ksp_->res_hist[i] *= first_ratio_;
  if (ksp_->reason == KSP_DIVERGED_NANORINF || ksp_->reason == KSP_DIVERGED_PC_FAILED)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (measured_at_ != ksp_->its) PetscCall(measure_residual_of(ksp_->vec_sol));
  ksp_->rnorm = measured_;
  if (length > history_ && length < std::size_t(ksp_->res_hist_max)) ksp_->res_hist[length - 1] = measured_;
  PetscFunctionReturn(PETSC_SUCCESS);
}
