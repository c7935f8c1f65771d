// SPDX-License-Identifier: BSD-2-Clause
#include "pc/solve/view.hpp"
#include "pc/solve/set_up.hpp"
#include "pc/solve/steps.hpp"
#include "pc/options/settings.hpp"
#include "pc/ranks/shared_rows.hpp"
#include "pc/solve/backend.hpp"
#include "pc/solve/solution_check.hpp"
#include "pc/solve/view_draw.hpp"

#include <limits>
#include <string>

using namespace finegrain;

namespace
{

// Statistics of all ranks together.
struct Totals {
  PetscInt64 rows, groups, factor_bytes, index_bytes, work_bytes, blocks, ignored, shifted;
  PetscInt64 schedule_ranks[4];                        // that have rows, by kind
  PetscInt64 most_groups, widest, narrowest, launches; // largest, smallest over ranks
  PetscInt64 tasks, chain, parallelism;                // of one rank, largest
  PetscInt64 first_algorithm, last_algorithm;
  PetscInt64 residual_bytes;
};

PetscErrorCode ReduceStatistics(PC pc, const PC_Finegrain &e, const Statistics &s, Totals *t)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  const PetscInt64 none = std::numeric_limits<Index>::max();
  const PetscInt64 sums[] = {s.rows,
                             s.widths.groups,
                             PetscInt64(s.factor_bytes),
                             PetscInt64(s.index_bytes + e.analysis.op.bytes()),
                             PetscInt64(s.work_bytes),
                             PetscInt64(s.lower) + s.upper + s.rows,
                             s.ignored,
                             e.analysis.report.shifted,
                             0,
                             s.rows && s.schedule == ScheduleKind::hyperplane,
                             s.rows && s.schedule == ScheduleKind::level,
                             s.rows && s.schedule == ScheduleKind::color,
                             PetscInt64(s.difference_bytes)};
  // Algorithms count on ranks that have rows.
  const PetscInt64 algorithm = s.rows ? PetscInt64(s.algorithm) : -none, minus = s.rows ? -algorithm : -none;
  const PetscInt64 maxima[] = {s.widths.groups,  s.widths.max, s.widths.groups ? -PetscInt64(s.widths.min) : -none,
                               s.apply_launches, s.tasks,      s.task_levels,
                               s.task_width,     algorithm,    minus};
  PetscInt64 sum[13], most[9];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(sums, sum, 13, MPIU_INT64, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(maxima, most, 9, MPIU_INT64, MPI_MAX, comm));
  *t = {sum[0],  sum[1],   sum[2],
        sum[3],  sum[4],   sum[5],
        sum[6],  sum[7],   {sum[8], sum[9], sum[10], sum[11]},
        most[0], most[1],  sum[1] ? -most[2] : 0,
        most[3], most[4],  most[5],
        most[6], -most[8], most[7],
        sum[12]};
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The kinds of schedule that ranks have; if no rank has a row, the type's.
std::string NameSchedules(const PC_Finegrain &e, const Totals &t)
{
  const char *names[2] = {nullptr, nullptr};
  for (const ScheduleKind kind : {ScheduleKind::hyperplane, ScheduleKind::color, ScheduleKind::level})
    if (t.schedule_ranks[int(kind)]) names[names[0] != nullptr] = PCFinegrainScheduleTypes[int(kind)];
  if (names[1]) return std::string(names[0]) + " on some ranks, " + names[1] + " on others";
  if (names[0]) return names[0];
  return PCFinegrainScheduleTypes[int(PCFinegrainHas(e, settings::coloring) ? ScheduleKind::color
                                                                            : ScheduleKind::level)];
}

// The given grids of the first rank.
std::string NameGrids(const PC_Finegrain &e)
{
  std::string text;
  for (std::size_t b = 0; b + 2 < e.settings.grid.size(); b += 3)
    for (std::size_t a = 0; a < 3; ++a)
      text.append(a ? " x " : b ? ", " : "").append(std::to_string(e.settings.grid[b + a]));
  return text;
}

// When applications exchange values between ranks.
std::string NameExchanges(const PC_Finegrain &e)
{
  const EngineOptions &options = e.analysis.options;
  const bool by_color =
    options.relaxation.exchange == Exchange::color || (FinegrainSharesRows(options) && !options.pipelined);
  std::string exchange = by_color                                         ? "each color"
                         : options.pipelined                              ? "each tile"
                         : options.relaxation.exchange == Exchange::sweep ? "each sweep"
                                                                          : "";
  if (PCFinegrainSteps(e) > 1) exchange.append(exchange.empty() ? "" : ", ").append("each correction");
  return exchange.empty() ? "none" : exchange;
}

// Schedule, back end, algorithm and tasks.
PetscErrorCode ViewExecution(PC pc, const PC_Finegrain &e, const Statistics &s, const Totals &t, PetscViewer viewer)
{
  PetscFunctionBegin;
  const std::string schedule = NameSchedules(e, t);
  PetscCall(PetscViewerASCIIPrintf(
    viewer,
    "schedule: %s, %" PetscInt64_FMT " groups, block rows per group: min %" PetscInt64_FMT
    ", mean %.1f, max %" PetscInt64_FMT "\n",
    schedule.c_str(), t.most_groups, t.narrowest, t.groups ? double(t.rows) / double(t.groups) : 0., t.widest));
  if (!e.settings.grid.empty())
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "grids of the first rank: %s%s%s\n", NameGrids(e).c_str(),
      PCFinegrainHas(e, settings::grid_coupling) && e.settings.grid.size() > 3 ? "; couplings between them: " : "",
      PCFinegrainHas(e, settings::grid_coupling) && e.settings.grid.size() > 3
        ? PCFinegrainGridCouplings[e.settings.grid_coupling]
        : ""));
  PetscCall(PCFinegrainViewBackend(pc, e, s, viewer));
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "algorithm: %s%s (%s), kernel launches per %s: %" PetscInt64_FMT "\n",
    PCFinegrainAlgorithmTypes[int(s.algorithm)],
    t.rows && t.first_algorithm != t.last_algorithm ? " on the first rank, others elsewhere" : "", s.reason,
    PCFinegrainSteps(e) > 1 ? "correction" : "application", t.launches));
  if (t.tasks)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "tasks: at most %" PetscInt64_FMT " on a rank, critical path %" PetscInt64_FMT
                                     ", parallelism %" PetscInt64_FMT "\n",
                                     t.tasks, t.chain, t.parallelism));
  if (s.tile.points())
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "tile: %d x %d x %d points\n", int(s.tile.i), int(s.tile.j), int(s.tile.k)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Precision, bytes, ignored blocks and corrections.
PetscErrorCode ViewStorage(PC pc, const PC_Finegrain &e, const Statistics &s, const Totals &t, PetscViewer viewer)
{
  PetscFunctionBegin;
  const bool factors = e.type->method != Method::relaxation;
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "storage: blocks of %" PetscInt_FMT ", %s precision, inverted diagonal blocks %s%s\n",
    e.analysis.op.block, PCFinegrainPrecisionTypes[int(s.precision)], PCFinegrainPrecisionTypes[int(s.diagonal)],
    factors && e.analysis.options.single_sums ? ", sums in single precision" : ""));
  if (factors && s.precision == Precision::half) PetscCall(PCFinegrainViewFlushed(pc, e.analysis.report, viewer, ""));
  const std::string residuals =
    t.residual_bytes ? ", kept for residuals " + std::to_string(t.residual_bytes) : std::string();
  PetscCall(PetscViewerASCIIPrintf(
    viewer,
    "bytes: factor %" PetscInt64_FMT " (%" PetscInt64_FMT " blocks), indices and maps %" PetscInt64_FMT
    ", work vectors %" PetscInt64_FMT "%s\n",
    t.factor_bytes, t.blocks * e.analysis.factors, t.index_bytes, t.work_bytes, residuals.c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "ignored blocks: %" PetscInt64_FMT ", exchange: %s\n", t.ignored,
                                   NameExchanges(e).c_str()));
  if (e.settings.corrections)
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "corrections: %" PetscInt_FMT ", %s\n", e.settings.corrections,
                             e.analysis.short_residual ? "residual from the factor" : "residual from the matrix"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Ordering, copies of the matrix and shifts, if there are any.
PetscErrorCode ViewChanges(const PC_Finegrain &e, const Totals &t, PetscViewer viewer)
{
  PetscFunctionBegin;
  const Box tile = PCFinegrainOrderedTile(e);
  if (tile.points() > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "ordering: colored tiles of %d x %d x %d points\n", int(tile.i),
                                     int(tile.j), int(tile.k)));
  else if (e.settings.ordering != MATORDERINGNATURAL)
    PetscCall(PetscViewerASCIIPrintf(viewer, "ordering: %s\n", e.settings.ordering.c_str()));
  if (e.conversion.matrix && e.conversion.defects.incomplete)
    PetscCall(PetscViewerASCIIPrintf(viewer, "diagonal blocks added: %" PetscInt_FMT ", in a copy of the matrix\n",
                                     e.conversion.defects.incomplete));
  if (e.conversion.matrix && e.conversion.defects.unsorted)
    PetscCall(PetscViewerASCIIPrintf(viewer, "columns of the matrix are not sorted: a sorted copy is read\n"));
  if (e.analysis.factorizations > 1)
    PetscCall(PetscViewerASCIIPrintf(
      viewer,
      "shift positive_definite: diagonal entries raised by %.4g of themselves, factorizations: %" PetscInt_FMT "\n",
      double(e.analysis.diagonal_shift), e.analysis.factorizations));
  if (e.settings.shift_type == MAT_SHIFT_INBLOCKS)
    PetscCall(PetscViewerASCIIPrintf(viewer, "shift inblocks, amount %g: %" PetscInt64_FMT " block rows shifted\n",
                                     double(e.settings.shift_amount), t.shifted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewSetUp(PC pc, const PC_Finegrain &e, PetscViewer viewer)
{
  const Statistics s = e.analysis.engine->statistics();
  Totals t{};

  PetscFunctionBegin;
  PetscCall(ReduceStatistics(pc, e, s, &t));
  PetscCall(ViewExecution(pc, e, s, t, viewer));
  PetscCall(ViewStorage(pc, e, s, t, viewer));
  PetscCall(ViewChanges(e, t, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCFinegrainViewFlushed(PC pc, const FactorReport &report, PetscViewer viewer, const char *more)
{
  PetscInt64 flushed = report.flushed;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &flushed, 1, MPIU_INT64, MPI_SUM,
                             PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  PetscCall(PetscViewerASCIIPrintf(viewer, "entries flushed to zero: %" PetscInt64_FMT "%s\n", flushed, more));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCView_Finegrain(PC pc, PetscViewer viewer)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
  if (!ascii) {
    PetscCall(FinegrainGuard([&] { return PCFinegrainViewOtherwise(pc, *e, viewer); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(FinegrainGuard([&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall((*e->type->view)(pc, viewer));
    if (!e->analysis.failure.empty())
      PetscCall(PetscViewerASCIIPrintf(viewer, "set-up failed: %s\n", e->analysis.failure.c_str()));
    if (e->analysis.analyzed) PetscCall(ViewSetUp(pc, *e, viewer));
    else PetscCall(PCFinegrainViewSettings(*e, viewer));
    PetscCall(PCFinegrainViewCheck(e->check, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
