// SPDX-License-Identifier: BSD-2-Clause
// PCLAG: keeps a preconditioner while the matrix changes, and rebuilds it when that pays. lag_decision.hpp has the
// rule; this file has the counts and times that it needs, and what PETSc calls.
#include "pc/nested/lag.hpp"
#include "pc/find.hpp"

#include <petsctime.h>

#include <cstring>
#include <new>

namespace
{

PC_Lag *Data(PC pc) { return static_cast<PC_Lag *>(pc->data); }

// Time of a set-up over that of an iteration, for new values of a known pattern: rounded medians of
// docs/performance/setup_cost.csv.
struct DefaultCost {
  const char *type;
  PetscReal iterations;
};
constexpr DefaultCost default_costs[] = {{PCGAMG, 10},     {PCML, 8},   {PCCPR, 8}, {PCASM, 6},    {PCLU, 20},
                                         {PCCHOLESKY, 20}, {PCMCPI, 1}, {PCSOR, 1}, {PCJACOBI, 1}, {PCPBJACOBI, 1}};
constexpr PetscReal other_cost = 4;

} // namespace

PetscReal PCLagCost(const PC_Lag &lag)
{
  const char *type = reinterpret_cast<PetscObject>(lag.inner)->type_name;
  if (lag.measure && lag.measured > 0) return lag.measured;
  if (lag.cost > 0) return lag.cost;
  for (const DefaultCost &c : default_costs)
    if (type && !std::strcmp(type, c.type)) return c.iterations;
  return other_cost;
}

namespace
{

// Returns the reason for a set-up, or null if the preconditioner is kept.
const char *FindReason(const PC_Lag &lag, bool same_pattern)
{
  if (!lag.is_built) return lag.why;
  if (!lag.inner->setupcalled) return "the preconditioner inside was reset or has another type";
  if (!same_pattern) return "the matrix or its pattern is another one";
  if (lag.failed) return "the last solve or set-up failed";
  if (!lag.solved) return "no solve has said how many iterations it needs";
  if (lag.maximum > 0 && lag.systems >= lag.maximum) return "it has had the largest number of systems";
  if (lag.decision.pays(double(PCLagCost(lag)))) return "extra iterations cost more than a set-up";
  return nullptr;
}

// Sets up what is inside the inner PC. bjacobi, composite and others tell the PCs inside them in applications alone
// whether to stay as they are, and the last application said so.
PetscErrorCode Renew(PC inner)
{
  PC_Finegrain *ours = nullptr; // has nothing inside
  Vec b = nullptr, x = nullptr;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFind(inner, &ours));
  if (ours) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(inner->pmat, &x, &b));
  PetscCall(VecSet(b, 0));
  const PetscErrorCode code = PCApply(inner, b, x);
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Sets up the inner PC and takes the time.
PetscErrorCode Build(PC pc, PC_Lag *lag)
{
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  PetscCall(PCSetReusePreconditioner(lag->inner, PETSC_FALSE));
  lag->inner->matstate = -1;                            // the matrix of a failed solve may be unchanged
  PetscCall(PCSetFailedReason(lag->inner, PC_NOERROR)); // bjacobi and asm would keep that of old values
  PetscCall(PCSetUp(lag->inner));
  if (lag->setups) PetscCall(Renew(lag->inner));
  PetscCall(PCSetUpOnBlocks(lag->inner));
  PetscCall(PetscTime(&end));
  lag->setup_time = end - begin;
  lag->begin += lag->setup_time;                               // if it is a part of a solve
  PetscCall(PCSetReusePreconditioner(lag->inner, PETSC_TRUE)); // its applications would set it up for other matrices
  PetscCall(FinegrainGetState(pc->pmat, &lag->built));
  lag->is_built = true;
  lag->solved = lag->failed = false;
  lag->systems = 0;
  ++lag->setups;
  lag->decision.rebuilt(double(PCLagCost(*lag)));
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
  const FinegrainState before = lag->seen;
  bool same, failed;

  PetscFunctionBegin;
  if (!reinterpret_cast<PetscObject>(lag->inner)->type_name)
    PetscCall(PCNestedSetFromOptions(pc, "lag_", lag->inner));
  PetscCall(PCNestedUpdate(pc, "lag_", lag->inner));
  PetscCall(PCNestedFindPattern(pc, &lag->seen, &same));
  if (static_cast<const FinegrainState &>(lag->seen) != before) ++lag->all_systems;
  const char *why = FindReason(*lag, same);
  PetscCall(PetscInfo(pc, "system %" PetscInt_FMT ": %s%s; %g extra iterations, a set-up costs %g\n",
                      lag->all_systems, why ? "set-up, because " : "the preconditioner is kept", why ? why : "",
                      lag->decision.extra(), double(PCLagCost(*lag))));
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  if (why) {
    lag->why = why;
    lag->is_built = false; // until it is complete
    PetscCall(Build(pc, lag));
    SetApplications(pc, lag->inner);
    PetscCall(PCNestedTakeFailure(pc, lag->inner, &failed));
    lag->failed = failed;
  }
  ++lag->systems;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// KSPSolve() calls this before it reads the failed reason. Without KSPSetOperators() it leaves the set-up for changed
// values to the first application; the failed reason would then be that of the old values. The blocks of the inner PC
// are set up with it.
PetscErrorCode PCSetUpOnBlocks_LAG(PC pc)
{
  PetscFunctionBegin;
  if (Data(pc)->failed && !Data(pc)->running) PetscCall(PCSetUp(pc)); // equal on all ranks, unlike pc->failedreason
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Calls an application of the inner PC.
template <class Function, class Argument> PetscErrorCode Forward(PC pc, Function f, Argument x, Argument y)
{
  PetscFunctionBegin;
  PetscCall(PCNestedUpdateMatrices(pc, Data(pc)->inner));
  PetscCall((*f)(Data(pc)->inner, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApply_LAG(PC pc, Vec x, Vec y) { return Forward(pc, PCApply, x, y); }
PetscErrorCode PCApplyTranspose_LAG(PC pc, Vec x, Vec y) { return Forward(pc, PCApplyTranspose, x, y); }
PetscErrorCode PCApplySymmetricLeft_LAG(PC pc, Vec x, Vec y) { return Forward(pc, PCApplySymmetricLeft, x, y); }
PetscErrorCode PCApplySymmetricRight_LAG(PC pc, Vec x, Vec y) { return Forward(pc, PCApplySymmetricRight, x, y); }
PetscErrorCode PCMatApply_LAG(PC pc, Mat X, Mat Y) { return Forward(pc, PCMatApply, X, Y); }

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
  PetscBool ascii, binary;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERBINARY, &binary));
  if (binary) PetscFunctionReturn(PETSC_SUCCESS);
  if (ascii) {
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "%" PetscInt_FMT " set-ups for %" PetscInt_FMT " systems; a set-up costs %g iterations (%s)\n",
      lag->setups, lag->all_systems, double(PCLagCost(*lag)),
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
  lag->is_built = lag->solved = lag->failed = lag->running = false;
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

   The extra iterations of a solve are those above the count of the same place in a step, with a new preconditioner
   or at first. A step begins where the norm of the right-hand side does not fall, so that Newton iterations of
   successive time steps are compared with each other. The preconditioner is set up again if the extra iterations
   expected of the next solve exceed the average cost of a solve since the last set-up.

   The cost of a set-up in iterations is 20 for `PCLU` and `PCCHOLESKY`, 10 for `PCGAMG`, 8 for `PCML` and `PCCPR`, 6
   for `PCASM`, 1 for `PCMCPI`, `PCSOR`, `PCJACOBI` and `PCPBJACOBI`, and 4 for other types. All ranks decide alike,
   and two runs of a program rebuild at the same systems, unless the cost is measured.

   If a solve fails with a kept preconditioner, it is set up and the solve repeated. A set-up also follows a matrix
   with another pattern or another `Mat`, and `PCReset()`; and every change of the matrix if the KSP runs a fixed
   number of iterations, as `KSPPREONLY` and smoothers do: such a solve does not say how good the preconditioner is.
   `KSPSetReusePreconditioner()` keeps it in any case. -info and `PCView()` say when and why it was set up.

   A preconditioner that changes the solve of its KSP, as `PCEISENSTAT` and `PCLAG`, is an error. What is inside
   `PCKSP` is set up for each matrix even if the rest is kept; with PETSc before 3.24 so is the smoother of the finest
   grid of `PCMG` and `PCGAMG`.

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
  pc->ops->setfromoptions = PCSetFromOptions_LAG;
  pc->ops->view = PCView_LAG;
  pc->ops->reset = PCReset_LAG;
  pc->ops->destroy = PCDestroy_LAG;
  PCLagSetSolves(pc);
  PetscFunctionReturn(PETSC_SUCCESS);
}
