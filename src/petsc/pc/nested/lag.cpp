// SPDX-License-Identifier: BSD-2-Clause
// PCLAG: keeps a preconditioner while the matrix changes, and rebuilds it when that pays. lag_decision.hpp has the
// rule; this file has the counts and times that it needs, and what PETSc calls.
#include "pc/nested/lag.hpp"

#include <petsc/private/kspimpl.h>

#include <petsctime.h>

#include <cstring>
#include <new>

namespace
{

PC_Lag *Data(PC pc) { return static_cast<PC_Lag *>(pc->data); }

// Time of a set-up over that of an iteration, for new values of a known pattern: median of the systems of
// docs/performance/setup_cost.csv.
struct DefaultCost {
  const char *type;
  PetscReal iterations;
};
constexpr DefaultCost default_costs[] = {{PCGAMG, 15}, {PCHYPRE, 15},     {PCML, 15},  {PCMG, 10},
                                         {PCLU, 100},  {PCCHOLESKY, 100}, {PCASM, 10}, {PCFIELDSPLIT, 10},
                                         {PCCPR, 15},  {PCPOWERQILU, 10}};
constexpr PetscReal other_cost = 4;

PetscReal Cost(const PC_Lag &lag)
{
  const char *type = reinterpret_cast<PetscObject>(lag.inner)->type_name;
  if (lag.measure && lag.measured > 0) return lag.measured;
  if (lag.cost > 0) return lag.cost;
  for (const DefaultCost &c : default_costs)
    if (type && !std::strcmp(type, c.type)) return c.iterations;
  return other_cost;
}

// Returns the reason for a set-up, or null if the preconditioner is kept.
const char *FindReason(PC pc, const PC_Lag &lag)
{
  if (!lag.built) return lag.why;
  if (pc->flag == DIFFERENT_NONZERO_PATTERN) return "the matrix or its pattern is another one";
  if (lag.failed) return "the last solve failed";
  if (!lag.solved) return "no solve has said how many iterations it needs";
  if (lag.maximum > 0 && lag.systems >= lag.maximum) return "it has had the largest number of systems";
  if (lag.decision.pays(double(Cost(lag)))) return "extra iterations have cost a set-up";
  return nullptr;
}

// Sets up the inner PC and takes the time.
PetscErrorCode Build(PC pc, PC_Lag *lag)
{
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  PetscCall(PCSetReusePreconditioner(lag->inner, PETSC_FALSE));
  lag->inner->matstate = -1; // the matrix of a failed solve may be unchanged
  PetscCall(PCSetUp(lag->inner));
  PetscCall(PCSetUpOnBlocks(lag->inner));
  PetscCall(PetscTime(&end));
  lag->setup_time = end - begin;
  lag->begin += lag->setup_time; // if it is a part of a solve
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(pc->pmat), &lag->state));
  lag->built = true;
  lag->solved = lag->failed = false;
  lag->systems = 0;
  ++lag->setups;
  lag->decision.rebuilt(double(Cost(*lag)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApply_LAG(PC pc, Vec x, Vec y);
PetscErrorCode PCApplyTranspose_LAG(PC pc, Vec x, Vec y);
PetscErrorCode PCApplySymmetricLeft_LAG(PC pc, Vec x, Vec y);
PetscErrorCode PCApplySymmetricRight_LAG(PC pc, Vec x, Vec y);
PetscErrorCode PCMatApply_LAG(PC pc, Mat X, Mat Y);

// The type can do what the inner PC can.
void SetApplications(PC pc, PC inner)
{
  pc->ops->applytranspose = inner->ops->applytranspose ? PCApplyTranspose_LAG : nullptr;
  pc->ops->applysymmetricleft = inner->ops->applysymmetricleft ? PCApplySymmetricLeft_LAG : nullptr;
  pc->ops->applysymmetricright = inner->ops->applysymmetricright ? PCApplySymmetricRight_LAG : nullptr;
  pc->ops->matapply = inner->ops->matapply ? PCMatApply_LAG : nullptr;
}

PetscErrorCode PCSetUp_LAG(PC pc)
{
  PC_Lag *lag = Data(pc);

  PetscFunctionBegin;
  if (!reinterpret_cast<PetscObject>(lag->inner)->type_name)
    PetscCall(PCNestedSetFromOptions(pc, "lag_", lag->inner));
  PetscCall(PCNestedUpdate(pc, lag->inner));
  ++lag->all_systems;
  const char *why = FindReason(pc, *lag);
  if (why) {
    lag->why = why;
    PetscCall(PetscInfo(pc, "set-up for system %" PetscInt_FMT ": %s; %g extra iterations, a set-up costs %g\n",
                        lag->all_systems, why, lag->decision.extra(), double(Cost(*lag))));
    lag->built = false; // until it is complete
    PetscCall(Build(pc, lag));
    SetApplications(pc, lag->inner);
  } else {
    PetscCall(PCSetReusePreconditioner(lag->inner, PETSC_TRUE));
    PetscCall(PetscInfo(pc, "kept for system %" PetscInt_FMT ": %g extra iterations, a set-up costs %g\n",
                        lag->all_systems, lag->decision.extra(), double(Cost(*lag))));
  }
  ++lag->systems;
  PetscCall(PCNestedTakeFailure(pc, lag->inner));
  if (pc->failedreason) lag->failed = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// KSPSolve() calls this before it reads the failed reason. Without KSPSetOperators() it leaves the set-up for changed
// values to the first application; the failed reason would then be that of the old values. The blocks of the inner PC
// are set up with it.
PetscErrorCode PCSetUpOnBlocks_LAG(PC pc)
{
  PetscFunctionBegin;
  if (pc->failedreason) PetscCall(PCSetUp(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Another matrix may have been set since the set-up, which -ksp_reuse_preconditioner leaves out.
PetscErrorCode UpdateMatrices(PC pc, PC inner)
{
  PetscFunctionBegin;
  if (inner->mat != pc->mat || inner->pmat != pc->pmat) {
    PetscCall(PCSetReusePreconditioner(inner, PETSC_TRUE));
    PetscCall(PCSetOperators(inner, pc->mat, pc->pmat));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Calls an application of the inner PC.
template <class Function, class Argument> PetscErrorCode Forward(PC pc, Function f, Argument x, Argument y)
{
  PetscFunctionBegin;
  PetscCall(UpdateMatrices(pc, Data(pc)->inner));
  PetscCall((*f)(Data(pc)->inner, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApply_LAG(PC pc, Vec x, Vec y) { return Forward(pc, PCApply, x, y); }
PetscErrorCode PCApplyTranspose_LAG(PC pc, Vec x, Vec y) { return Forward(pc, PCApplyTranspose, x, y); }
PetscErrorCode PCApplySymmetricLeft_LAG(PC pc, Vec x, Vec y) { return Forward(pc, PCApplySymmetricLeft, x, y); }
PetscErrorCode PCApplySymmetricRight_LAG(PC pc, Vec x, Vec y) { return Forward(pc, PCApplySymmetricRight, x, y); }
PetscErrorCode PCMatApply_LAG(PC pc, Mat X, Mat Y) { return Forward(pc, PCMatApply, X, Y); }

// Set-up comes before this, or after it if KSPSetOperators() was not called for the new values.
PetscErrorCode PCPreSolve_LAG(PC pc, KSP, Vec b, Vec)
{
  PC_Lag *lag = Data(pc);
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(VecNorm(b, NORM_2, &norm));
  lag->decision.begin(double(norm));
  lag->failed = lag->failed || lag->running; // an error ended the solve before this one
  lag->running = true;
  PetscCall(PetscTime(&lag->begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Measures the cost of a set-up. All ranks get the same number.
PetscErrorCode Measure(PC pc, PC_Lag *lag, PetscInt its)
{
  PetscLogDouble times[2] = {lag->setup_time, 0}, now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  times[1] = (now - lag->begin) / PetscMax(its, 1);
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  if (times[1] > 0) lag->measured = PetscReal(times[0] / times[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCPostSolve_LAG(PC pc, KSP ksp, Vec, Vec)
{
  PC_Lag *lag = Data(pc);
  PetscObjectState now;

  PetscFunctionBegin;
  lag->running = false;
  lag->failed = ksp->reason < 0;
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(pc->pmat), &now));
  const bool fresh = lag->built && lag->state == now;
  // Set-up follows also if the matrix stays the same, but not if it would only be repeated.
  if (lag->failed && !fresh) pc->matstate = -1;
  // A fixed number of iterations, as of KSPPREONLY and smoothers, does not depend on the preconditioner.
  if (ksp->reason == KSP_CONVERGED_ITS || ksp->normtype == KSP_NORM_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  lag->solved = true;
  if (lag->failed) PetscFunctionReturn(PETSC_SUCCESS);
  lag->decision.end(double(ksp->its), fresh);
  if (lag->measure) PetscCall(Measure(pc, lag, ksp->its));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetFromOptions_LAG(PC pc, FinegrainOptionItems PetscOptionsObject)
{
  PC_Lag *lag = Data(pc);
  PetscReal cost = lag->cost;
  PetscBool measure = lag->measure, set;
  PetscInt maximum = lag->maximum;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "lag options");
  PetscCall(PetscOptionsReal("-pc_lag_cost", "Cost of a set-up in iterations, 0: by the type of the inner PC",
                             "PCLAGSetCost", cost, &cost, &set));
  if (set) PetscCall(PCLAGSetCost(pc, cost));
  PetscCall(PetscOptionsBool("-pc_lag_measure", "Measure the cost of a set-up by times", "PCLAGSetMeasure", measure,
                             &measure, &set));
  if (set) PetscCall(PCLAGSetMeasure(pc, measure));
  PetscCall(PetscOptionsInt("-pc_lag_maximum", "Most systems for one set-up, 0: no limit", "PCLAGSetMaximum", maximum,
                            &maximum, &set));
  if (set) PetscCall(PCLAGSetMaximum(pc, maximum));
  PetscOptionsHeadEnd();
  PetscCall(PCNestedSetFromOptions(pc, "lag_", lag->inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCView_LAG(PC pc, PetscViewer viewer)
{
  const PC_Lag *lag = Data(pc);
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
  if (ascii) {
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "%" PetscInt_FMT " set-ups for %" PetscInt_FMT " systems; a set-up costs %g iterations (%s)\n",
      lag->setups, lag->all_systems, double(Cost(*lag)),
      lag->measure && lag->measured > 0 ? "measured"
      : lag->cost > 0                   ? "set"
                                        : "by type"));
    if (lag->setups)
      PetscCall(PetscViewerASCIIPrintf(viewer,
                                       "last set-up: %s; %" PetscInt_FMT " systems and %g extra iterations since\n",
                                       lag->why, lag->systems, lag->decision.extra()));
  }
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(PCView(lag->inner, viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCReset_LAG(PC pc)
{
  PC_Lag *lag = Data(pc);

  PetscFunctionBegin;
  PetscCall(PCReset(lag->inner));
  lag->built = lag->solved = lag->failed = lag->running = false;
  lag->why = "it is the first set-up";
  lag->systems = 0;
  lag->measured = 0;
  lag->decision = LagDecision();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCDestroy_LAG(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCDestroy(&Data(pc)->inner));
  delete Data(pc);
  pc->data = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/*MC
   PCLAG - "lag": keeps any preconditioner while the matrix changes, and rebuilds it when that pays

   Options Database Keys:
+  -pc_lag_cost <0>        - `PCLAGSetCost()`
.  -pc_lag_measure <false> - `PCLAGSetMeasure()`
.  -pc_lag_maximum <0>     - `PCLAGSetMaximum()`
-  -lag_pc_type <type>     - type of the preconditioner inside; all its options have the prefix lag_

   Level: beginner

   Notes:
   For sequences of systems: time steps, Newton iterations, optimization. The preconditioner inside is kept until the
   iterations above those of a new one have cost as much as a set-up. `SNESSetLagPreconditioner()` has fixed intervals
   instead.

   A solve with a preconditioner that was set up for its matrix is fresh. The extra iterations of a later solve are
   those above the fresh count of the same place in a step. A step begins where the norm of the right-hand side does
   not fall, so that Newton iterations of successive time steps are compared with each other. A place without a fresh
   count uses that of the nearest place.

   The cost of a set-up in iterations is 15 for `PCGAMG`, `PCHYPRE`, `PCML` and `PCCPR`, 10 for `PCMG`, `PCASM`,
   `PCFIELDSPLIT` and `PCPOWERQILU`, 100 for `PCLU` and `PCCHOLESKY`, and 4 for other types. All ranks
   decide alike, and two runs of a program rebuild at the same systems, unless the cost is measured.

   A set-up also follows a failed solve, a matrix with another pattern or another `Mat`, and `PCReset()`; and every
   change of the matrix if the KSP runs a fixed number of iterations, as `KSPPREONLY` and smoothers do: such a solve
   does not say how good the preconditioner is. `KSPSetReusePreconditioner()` keeps it in any case. -info and
   `PCView()` say when and why it was set up.

   Inside this type `PCFGBILU` does not use Eisenstat's trick, and no preconditioner of finegrain checks solutions.

   Supports what the preconditioner inside supports: transposed and symmetric applications, and `PCMatApply()`.

.seealso: `PCCreate()`, `PCSetType()`, `PCLAGGetPC()`, `SNESSetLagPreconditioner()`, `KSPSetReusePreconditioner()`
M*/
PetscErrorCode PCCreate_LAG(PC pc)
{
  PetscFunctionBegin;
  auto *lag = new (std::nothrow) PC_Lag;
  PetscCheck(lag, PETSC_COMM_SELF, PETSC_ERR_MEM, "Out of memory");
  pc->data = lag;
  PetscCall(PCCreate(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), &lag->inner));
  PetscCall(
    PetscObjectIncrementTabLevel(reinterpret_cast<PetscObject>(lag->inner), reinterpret_cast<PetscObject>(pc), 1));
  pc->ops->setup = PCSetUp_LAG;
  pc->ops->setuponblocks = PCSetUpOnBlocks_LAG;
  pc->ops->apply = PCApply_LAG;
  pc->ops->presolve = PCPreSolve_LAG;
  pc->ops->postsolve = PCPostSolve_LAG;
  pc->ops->setfromoptions = PCSetFromOptions_LAG;
  pc->ops->view = PCView_LAG;
  pc->ops->reset = PCReset_LAG;
  pc->ops->destroy = PCDestroy_LAG;
  PetscFunctionReturn(PETSC_SUCCESS);
}
