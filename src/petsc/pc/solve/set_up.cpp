// SPDX-License-Identifier: BSD-2-Clause
// Set-up of all types: analysis and factorization. Errors and failures are in failures.cpp, applications in
// apply.cpp, options and setters in options/ and in the files of types.
#include "pc/solve/set_up.hpp"
#include "pc/solve/steps.hpp"
#include "mat/baijkokkos.hpp"
#include "pc/options/settings.hpp"
#include "pc/ranks/colors_and_keys.hpp"
#include "pc/ranks/pipeline.hpp"
#include "pc/ranks/shared_rows.hpp"
#include "pc/solve/backend.hpp"
#include "pc/solve/conversion.hpp"
#include "pc/solve/eisenstat_choice.hpp"
#include "pc/solve/shifted_factor.hpp"
#include "pc/solve/failures.hpp"
#include "pc/ranks/local_grid.hpp"
#include "pc/solve/in_place.hpp"
#include "pc/find.hpp"
#include "pc/solve/matrix_change.hpp"

#include "base/storage.hpp"
#include "order/selection.hpp"
#include "order/tile_order.hpp"
#include "device_copies.hpp"

#include <limits>
#include <string>

using namespace finegrain;

namespace
{

// Converts the settings to engine options, without results of the analysis.
EngineOptions MakeOptions(const PC_Finegrain &e)
{
  EngineOptions r;
  r.method = e.type->method;
  r.schedule = FinegrainEnum<ScheduleKind>(e.settings.schedule);
  r.algorithm = FinegrainEnum<Algorithm>(e.settings.algorithm);
  r.precision = FinegrainEnum<Precision>(e.settings.precision);
  // Inverses are stored in single precision at least.
  if (e.settings.diag_precision == PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE)
    r.diagonal = r.precision == Precision::working ? Precision::working : Precision::single;
  r.shift = {.amount = e.settings.shift_type == MAT_SHIFT_INBLOCKS ? Real(e.settings.shift_amount) : Real(0),
             .zero = Real(e.settings.zero_pivot),
             .definite = e.settings.shift_type == MAT_SHIFT_POSITIVE_DEFINITE};
  r.coupling = FinegrainEnum<GridCoupling>(e.settings.grid_coupling);
  if (PCFinegrainOrderedTile(e).points() == 0) r.tile = e.settings.tile; // else algorithms do not have tiles
  r.coloring = FinegrainEnum<ColoringKind>(e.settings.coloring);
  r.balanced = e.settings.coloring_balance;
  r.eisenstat = e.settings.eisenstat == PCFGBILU_EISENSTAT_TRUE;
  if (r.method != Method::relaxation && r.precision == Precision::half) {
    r.diagonal = half_factor.diagonal;
    r.single_sums = half_factor.single_sums;
  }
  return r;
}

// Finds the order of elimination that the settings name. Errors of grids are those of the engine's analysis.
PetscErrorCode FindOrdering(PC pc, const PC_Finegrain &e, const OperatorView &view, PetscInt first_row,
                            EngineOptions *options)
{
  const char *const name = e.settings.ordering.c_str();
  const Box tile = PCFinegrainOrderedTile(e);

  PetscFunctionBegin;
  if (e.settings.ordering == MATORDERINGNATURAL) PetscFunctionReturn(PETSC_SUCCESS);
  if (tile.points() > 0) {
    const Index rows = view.owned.rows;
    const SetupError::Reason reason = count_points(options->grid) == rows ? SetupError::none
                                      : options->grid.empty()             ? SetupError::no_grid
                                                                          : SetupError::grid_size;
    PetscCall(PCFinegrainRefuse(pc, e, {reason}, first_row, rows, options->grid));
    options->ordering =
      order_tiles(options->grid, tile, select_for_factor(view.owned, options->grid, options->coupling).graph);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode (*order)(Mat, MatOrderingType, IS *, IS *) = nullptr;
  PetscCall(PetscFunctionListFind(MatOrderingList, name, &order));
  PetscCheck(
    order, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE,
    "%s is %s, which no ordering of PETSc is; use natural, tiles, rcm, nd, 1wd, qmd or another one that -help "
    "lists, PCFinegrainSetOrdering()",
    PCFinegrainOption(pc, "ordering").c_str(), name);
  PetscCall(OperatorGetOrdering(view.owned, name, &options->ordering));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// hint: the grid of the options comes from a DMDA and need not fit.
PetscErrorCode AnalyzeLocal(PC pc, PC_Finegrain *e, const OperatorView &view, EngineOptions options, bool hint)
{
  PetscInt first;

  PetscFunctionBegin;
  const bool colors = PCFinegrainHas(*e, settings::coloring);
  PetscCall(PCFinegrainCheckValues(pc, *e));
  if (options.schedule == ScheduleKind::automatic && colors) options.schedule = ScheduleKind::color;
  else if (options.schedule == ScheduleKind::automatic && PCFinegrainOrderedTile(*e).points() > 0)
    options.schedule = ScheduleKind::level;
  else if (options.schedule == ScheduleKind::automatic && !hint) options.schedule = ScheduleKind::hyperplane;
  PetscCall(MatGetOwnershipRange(pc->pmat, &first, nullptr));
  first /= e->analysis.op.block;
  PetscCall(FindOrdering(pc, *e, view, first, &options));
  PetscCall(PCFinegrainFindBackend(pc, *e, &options.backend));
  e->analysis.op.backend = options.backend;
  e->analysis.engine = make_engine_for_host_arrays(options.backend, options.method);
  // A grid that was set, but that nothing would use.
  const bool misfit =
    !hint && colors && count_points(options.grid) != view.owned.rows && options.coloring == ColoringKind::automatic;
  const SetupError error = misfit ? SetupError{SetupError::grid_size} : e->analysis.engine->analyze(view, options);
  PetscCall(PCFinegrainRefuse(pc, *e, error, first, view.owned.rows, options.grid));
  const Statistics s = e->analysis.engine->statistics();
  PetscCall(
    PetscInfo(pc,
              "algorithm %s (%s); %s schedule: %d groups of %d to %d block rows of size %d, %d lower and %d upper "
              "blocks, %s\n",
              PCFinegrainAlgorithmTypes[int(s.algorithm)], s.reason, PCFinegrainScheduleTypes[int(s.schedule)],
              int(s.widths.groups), int(s.widths.min), int(s.widths.max), view.block, int(s.lower), int(s.upper),
              hint && !options.grid.empty() && s.schedule == ScheduleKind::level && options.schedule != s.schedule
                ? "the DMDA's hyperplanes do not fit the matrix"
                : "as the settings have it"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Creates the exchange of ghosts and links the engine to it.
PetscErrorCode MakeHalo(PC pc, PC_Finegrain *e, const OperatorView &view)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  if (!e->ranks.has_halo)
    PetscCall(e->ranks.halo.create(reinterpret_cast<PetscObject>(pc), e->analysis.op, view, view.owned.rows));
  e->ranks.has_halo = true;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), &size));
  e->analysis.engine->set_halo(size > 1 ? &e->ranks.halo : nullptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Creates the exchange of rows of a global factorization.
PetscErrorCode ShareStorage(PC pc, PC_Finegrain *e, const OperatorView &view)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(e->ranks.shared->create(reinterpret_cast<PetscObject>(pc), e->analysis.op, view,
                                    e->analysis.engine->sharing()->shared_storage()));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), &size));
  e->analysis.engine->sharing()->set_shared_halo(size > 1 ? e->ranks.shared.get() : nullptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AllowProducts(PC pc, PC_Finegrain *e, const OperatorView &view)
{
  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(pc, [&] { e->analysis.engine->split_form()->allow_products(view); }));
  PetscCall(MakeHalo(pc, e, view));
  e->analysis.has_products = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Analyze(PC pc, PC_Finegrain *e)
{
  OperatorView view;
  std::string block_size; // name of the option
  bool hint = false;
  DM da;

  PetscFunctionBegin;
  PCFinegrainInvalidate(pc, e); // until the analysis is complete
  e->ranks.has_halo = e->analysis.has_products = false;
  e->eisenstat.dilu = -1;
  e->eisenstat.solved = false;
  e->analysis.reserved = 0;
  e->analysis.engine.reset();
  e->analysis.blocks.reset();
  PetscCall(PCFinegrainFindGrid(pc, &da));
  PetscCall(FinegrainOnAllRanks(pc, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    block_size = PCFinegrainOption(pc, "block_size");
    e->analysis.options = MakeOptions(*e);
    PetscCall(
      FinegrainFindBoxes(da, e->settings.grid, &e->analysis.options.grid, &e->analysis.options.open_axes, &hint));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(OperatorAnalyze(PCFinegrainMatrix(pc, e->conversion), e->settings.block_size, block_size.c_str(),
                            &e->analysis.op, &view));
  PetscCall(FinegrainGetStamp(pc->pmat, &e->analysis.stamp));
  e->analysis.stamp.values = -1;
  PetscCall((*e->type->options)(pc, &e->analysis.options));
  PetscCheck(PCFinegrainSteps(*e) <= std::numeric_limits<int>::max(),
             PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_OUTOFRANGE, "%s",
             PCFinegrainText(pc, "@_corrections and what else makes steps come to " +
                                   std::to_string(PCFinegrainSteps(*e)) +
                                   " in one application; 2147483647 is the most")
               .c_str());
  if (e->settings.eisenstat == PCFGBILU_EISENSTAT_AUTO)
    e->analysis.options.eisenstat = !PCFinegrainExcludesEisenstat(*e, e->analysis.options);
  PetscCheck(e->settings.eisenstat != PCFGBILU_EISENSTAT_TRUE ||
               (PCFinegrainSteps(*e) == 1 && e->settings.apply_richardson == PC_FINEGRAIN_APPLY_RICHARDSON_NONE),
             PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_INCOMP, "%s",
             PCFinegrainText(pc, "Options exclude each other: @_eisenstat takes the product with the matrix from one "
                                 "application; leave out @_corrections and @_apply_richardson")
               .c_str());
  if (e->analysis.options.relaxation.exchange == Exchange::color)
    PetscCall(PCFinegrainFindColorsAndKeys(pc, *e, &view));
  if (FinegrainSharesRows(e->analysis.options)) {
    PetscCall(FinegrainOnAllRanks(pc, [&] {
      if (!e->ranks.shared && e->analysis.options.pipelined) e->ranks.shared = std::make_shared<PipelineExchange>();
      if (!e->ranks.shared) e->ranks.shared = std::make_shared<ColorExchange>();
    }));
    PetscCall(e->ranks.shared->find_rows(pc, e, &view));
  }
  PetscCall(FinegrainOnAllRanks(pc, [&] { return AnalyzeLocal(pc, e, view, e->analysis.options, hint); }));
  if (FinegrainSharesRows(e->analysis.options)) PetscCall(ShareStorage(pc, e, view));
  if (e->analysis.options.relaxation.exchange != Exchange::none) PetscCall(MakeHalo(pc, e, view));
  if (PCFinegrainSteps(*e) > 1 || e->analysis.has_corrections) PetscCall(PCFinegrainAllowCorrections(pc, e, view));
  if (e->settings.eisenstat == PCFGBILU_EISENSTAT_TRUE) PetscCall(AllowProducts(pc, e, view));
  PetscCall((*e->set_applications)(pc));
  e->analysis.analyzed = true;
  pc->setupcalled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Factor(PC pc, PC_Finegrain *e)
{
  const Mat mat = PCFinegrainMatrix(pc, e->conversion);
  Values values;
  PetscReal largest = -1;

  PetscFunctionBegin;
  e->analysis.stamp.values = e->analysis.compared.values = -1;
  if (e->analysis.options.relaxation.in_place) {
    PetscCall(FinegrainOnAllRanks(pc, [&] { return PCFinegrainCheckInPlace(pc, *e); }));
    PetscCall(BAIJKokkosTakeBlocks(mat, &values, &e->analysis.blocks));
  } else PetscCall(OperatorGetValues(mat, &e->analysis.op, &values));
  PetscCall(FinegrainOnAllRanks(pc, [&] { largest = e->analysis.engine->find_largest(values); }));
  if (largest >= 0)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPIU_REAL, MPIU_MAX,
                               PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  PetscCall(PCFinegrainFactor(pc, e, values, largest));
  PetscCall(FinegrainTakeError(&e->ranks));
  PetscCall(OperatorRestoreValues(mat, e->analysis.op, &values));
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(pc->pmat), &e->analysis.stamp.values));
  PetscCall(FinegrainLogFlops(e->analysis.op.backend, e->analysis.engine->statistics().factor_flops));
  PetscCall(PCFinegrainReportFailure(pc, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

Box PCFinegrainOrderedTile(const PC_Finegrain &e)
{
  if (e.settings.ordering != settings::tile_ordering) return {};
  return e.settings.tile.points() > 0 ? e.settings.tile : Box{8, 8, 8};
}

PetscErrorCode PCFinegrainAnalyze(PC pc, PC_Finegrain *e)
{
  return FinegrainLogged(finegrain_events.analyze, pc, [&] { return Analyze(pc, e); });
}
PetscErrorCode PCFinegrainRefactor(PC pc, PC_Finegrain *e)
{
  return FinegrainLogged(finegrain_events.factor, pc, [&] { return Factor(pc, e); });
}

PetscErrorCode PCSetUp_Finegrain(PC pc)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);

  PetscFunctionBegin;
  PetscCall(PetscCitationsRegister(e->type->citation, &e->type->cited));
  const PetscErrorCode code = FinegrainGuard([&]() -> PetscErrorCode {
    PetscFunctionBegin;
    if (e->type->check_matrix) PetscCall((*e->type->check_matrix)(pc));
    if (pc->flag != SAME_NONZERO_PATTERN) e->analysis.analyzed = false;
    if (e->analysis.analyzed) { // PETSc's flag does not see a new type, nor all new entries
      MatrixChange change;
      PetscCall(PCFinegrainFindChange(pc, e, &change));
      e->analysis.analyzed = change != MatrixChange::structure;
    }
    if (!e->analysis.analyzed) PetscCall(FinegrainOnAllRanks(pc, FinegrainStartKokkos));
    PetscCall(PCFinegrainConvert(pc, e));
    if (!e->analysis.analyzed) PetscCall(PCFinegrainAnalyze(pc, e));
    PetscCall(PCFinegrainRefactor(pc, e));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  if (code) pc->setupcalled = PETSC_FALSE; // PETSc has already recorded the matrix, and would consider it set up
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainAllowCorrections(PC pc, PC_Finegrain *e, const OperatorView &view)
{
  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(pc, [&] { e->analysis.engine->allow_corrections(view); }));
  PetscCall(MakeHalo(pc, e, view));
  e->analysis.has_corrections = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainAllowProducts(PC pc, PC_Finegrain *e)
{
  OperatorView view;
  Operator op;

  PetscFunctionBegin;
  PetscCall(OperatorAnalyze(PCFinegrainMatrix(pc, e->conversion), e->settings.block_size, "", &op, &view));
  const PetscErrorCode code = AllowProducts(pc, e, view);
  if (code) PCFinegrainInvalidate(pc, e);
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
