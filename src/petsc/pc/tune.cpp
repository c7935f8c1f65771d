// SPDX-License-Identifier: BSD-2-Clause
// Executor tune: each executor that the other settings allow is set up and timed, and the fastest one is kept. Set-up
// calls it once for each pattern; the times are for the view.
#include "common/arrays.hpp"
#include "pc/settings.hpp"

#include <petsctime.h>

#include <algorithm>
#include <limits>
#include <vector>

using namespace finegrain;

namespace
{

constexpr PCFinegrainExecutorType all_executors[] = {PC_FINEGRAIN_EXECUTOR_NATURAL, PC_FINEGRAIN_EXECUTOR_LAUNCH,
                                                     PC_FINEGRAIN_EXECUTOR_SELF, PC_FINEGRAIN_EXECUTOR_TILE};

// Applications of one executor: as many as take so many seconds, within these numbers; one, if that takes so many
// times what the best has taken.
constexpr double enough_seconds = 0.02, hopeless = 3;
constexpr int least_turns = 3, most_turns = 50;

// Those that no setting excludes on any rank; the matrix has been analyzed.
PetscErrorCode FindCandidates(PC pc, const PCEngine &e, std::vector<PCFinegrainExecutorType> *candidates)
{
  unsigned allowed = 0;
  EngineOptions options = e.options;

  PetscFunctionBegin;
  options.backend = e.op.backend;
  for (const PCFinegrainExecutorType executor : all_executors) {
    options.executor = FinegrainEnum<ExecutorKind>(executor);
    if (!find_conflict(options)) allowed |= 1u << executor;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &allowed, 1, MPI_UNSIGNED, MPI_BAND,
                             PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  for (const PCFinegrainExecutorType executor : all_executors)
    if (allowed & (1u << executor)) candidates->push_back(executor);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Of one application, on the slowest rank.
PetscErrorCode TimeOnce(PC pc, Vec b, Vec x, double *seconds)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(comm));
  PetscCall(PetscTime(&begin));
  PetscCall((*pc->ops->apply)(pc, b, x));
  PetscCall(FinegrainWaitForUnpacking()); // and for the kernels
  PetscCall(PetscTime(&end));
  *seconds = end - begin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The shortest of several, after one that makes what is made once. `best`: what another executor takes.
PetscErrorCode TimeApplication(PC pc, double best, double *seconds)
{
  Vec b, x;
  double first, next;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(pc->pmat, &x, &b));
  PetscErrorCode code = FinegrainGuard([&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(VecSet(b, 1));
    PetscCall(TimeOnce(pc, b, x, &first));
    PetscCall(TimeOnce(pc, b, x, seconds));
    const int turns = *seconds / hopeless > best // best times hopeless may overflow
                        ? 1
                        : std::clamp(int(enough_seconds / std::max(*seconds, 1e-9)), least_turns, most_turns);
    for (int turn = 1; turn < turns; ++turn) {
      PetscCall(TimeOnce(pc, b, x, &next));
      *seconds = std::min(*seconds, next);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCEngineTune(PC pc, PCEngine *e, PetscErrorCode (*analyze)(PC, PCEngine *),
                            PetscErrorCode (*factor)(PC, PCEngine *))
{
  std::vector<PCFinegrainExecutorType> candidates;
  PCFinegrainExecutorType last = PC_FINEGRAIN_EXECUTOR_AUTO, fastest = last;
  double best = std::numeric_limits<double>::max();

  PetscFunctionBegin;
  PetscCall(FindCandidates(pc, *e, &candidates));
  for (const PCFinegrainExecutorType executor : candidates) {
    double seconds;
    e->tuned = last = executor;
    PetscCall((*analyze)(pc, e));
    PetscCall((*factor)(pc, e));
    if (pc->failedreason) break; // which the set-up will say
    PetscCall(TimeApplication(pc, best, &seconds));
    e->timings.push_back({executor, seconds});
    if (seconds < best) fastest = executor;
    best = std::min(best, seconds);
  }
  e->tuned = fastest;
  if (e->tuned != last) PetscCall((*analyze)(pc, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineViewTuning(const PCEngine &e, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (e.executor != PC_FINEGRAIN_EXECUTOR_TUNE || e.timings.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "executor: the fastest measured, milliseconds of an application:"));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
  for (const auto &[executor, seconds] : e.timings)
    PetscCall(PetscViewerASCIIPrintf(viewer, " %s %.3g", PCFinegrainExecutorTypes[executor], 1e3 * seconds));
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
