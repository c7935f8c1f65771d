// SPDX-License-Identifier: BSD-2-Clause
// Set-up of all types: analysis, factorization. What it refuses and how it fails is in failures.cpp, applications are
// in apply.cpp, options and setters in settings*.cpp and in the files of types.
#include "common/arrays.hpp"
#include "mat/baijkokkos.hpp"
#include "pc/agreement.hpp"
#include "pc/pipeline.hpp"
#include "device_copies.hpp"
#include "base/storage.hpp"

#include <petscdmda.h>

#include <limits>
#include <string>

using namespace finegrain;

namespace
{

// The grid set by the user, else the local box of a DMDA, which knows its periodic axes. `hint` says that nobody
// asked for it.
PetscErrorCode FindGrid(DM da, const PCEngine &e, Grid *grid, unsigned *open_axes, bool *hint)
{
  PetscInt m, n, p, all[3];
  DMBoundaryType boundary[3];

  PetscFunctionBegin;
  grid->clear();
  *hint = e.grid.empty();
  for (std::size_t b = 0; b + 2 < e.grid.size(); b += 3)
    grid->push_back({Index(e.grid[b]), Index(e.grid[b + 1]), Index(e.grid[b + 2])});
  if (!*hint) PetscFunctionReturn(PETSC_SUCCESS);
  if (da) {
    PetscCall(DMDAGetCorners(da, nullptr, nullptr, nullptr, &m, &n, &p));
    grid->push_back({Index(m), Index(n), Index(p)});
    PetscCall(DMDAGetInfo(da, nullptr, &all[0], &all[1], &all[2], nullptr, nullptr, nullptr, nullptr, nullptr,
                          &boundary[0], &boundary[1], &boundary[2], nullptr));
    const PetscInt mine[] = {m, n, p};
    for (unsigned a = 0; a < 3; ++a) // a rank that has a part of a period meets its own end nowhere
      if (boundary[a] != DM_BOUNDARY_PERIODIC || mine[a] < all[a]) *open_axes |= 1u << a;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// What the settings come to, less what is found at the analysis.
EngineOptions MakeOptions(const PCEngine &e)
{
  EngineOptions r;
  r.method = e.type->method;
  r.schedule = FinegrainEnum<ScheduleKind>(e.schedule);
  r.algorithm = FinegrainEnum<Algorithm>(e.algorithm);
  r.precision = FinegrainEnum<Precision>(e.precision);
  // Inverses are never stored below single.
  if (e.diagonal == PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE)
    r.diagonal = r.precision == Precision::working ? Precision::working : Precision::single;
  r.shift = {.amount = e.shift_type == MAT_SHIFT_INBLOCKS ? Real(e.shift_amount) : Real(0),
             .zero = Real(e.zero_pivot),
             .definite = e.shift_type == MAT_SHIFT_POSITIVE_DEFINITE};
  r.coupling = FinegrainEnum<GridCoupling>(e.coupling);
  r.tile = e.tile;
  r.coloring = FinegrainEnum<ColoringKind>(e.coloring);
  r.balanced = e.balance;
  r.eisenstat = e.eisenstat == PCFGBILU_EISENSTAT_TRUE;
  if (r.method != Method::relaxation && r.precision == Precision::half) {
    r.diagonal = half_factor.diagonal;
    r.single_sums = half_factor.single_sums;
  }
  return r;
}

// `hint`: nobody asked for the grid of the options.
PetscErrorCode AnalyzeLocal(PC pc, PCEngine *e, const OperatorView &view, EngineOptions options, bool hint)
{
  PetscInt first;

  PetscFunctionBegin;
  const bool colors = PCEngineHas(*e, settings::coloring);
  PetscCall(PCEngineCheckValues(pc, *e));
  if (options.schedule == ScheduleKind::automatic && colors) options.schedule = ScheduleKind::color;
  else if (options.schedule == ScheduleKind::automatic && !hint) options.schedule = ScheduleKind::hyperplane;
  if (e->ordering != MATORDERINGNATURAL) {
    PetscErrorCode (*order)(Mat, MatOrderingType, IS *, IS *) = nullptr;
    PetscCall(PetscFunctionListFind(MatOrderingList, e->ordering.c_str(), &order));
    PetscCheck(order, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE,
               "%s is %s, which no ordering of PETSc is; take natural, rcm, nd, 1wd, qmd or another one that -help "
               "lists, PCFinegrainSetOrdering()",
               PCEngineOption(pc, "ordering").c_str(), e->ordering.c_str());
    PetscCall(OperatorGetOrdering(view.owned, e->ordering.c_str(), &options.ordering));
  }
  PetscCall(PCEngineFindBackend(pc, *e, &options.backend));
  e->op.backend = options.backend;
  e->engine = make_engine_for_host_arrays(options.backend, options.method);
  PetscCall(MatGetOwnershipRange(pc->pmat, &first, nullptr));
  // A grid that was given and that nothing would use.
  const bool misfit =
    !hint && colors && count_points(options.grid) != view.owned.rows && options.coloring == ColoringKind::automatic;
  const SetupError error = misfit ? SetupError{SetupError::grid_size} : e->engine->analyze(view, options);
  PetscCall(PCEngineRefuse(pc, *e, error, first / e->op.block, view.owned.rows, options.grid));
  const Statistics s = e->engine->statistics();
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

// The exchange between ranks, and the engine's link to it.
PetscErrorCode MakeHalo(PC pc, PCEngine *e, const OperatorView &view)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  if (!e->has_halo) PetscCall(e->halo.create(reinterpret_cast<PetscObject>(pc), e->op, view, view.owned.rows));
  e->has_halo = true;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), &size));
  e->engine->set_halo(size > 1 ? &e->halo : nullptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The exchange of what ranks compute of one factor.
PetscErrorCode ShareStorage(PC pc, PCEngine *e, const OperatorView &view)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(
    e->shared->create(reinterpret_cast<PetscObject>(pc), e->op, view, e->engine->sharing()->shared_storage()));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), &size));
  e->engine->sharing()->set_shared_halo(size > 1 ? e->shared.get() : nullptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AllowCorrections(PC pc, PCEngine *e, const OperatorView &view)
{
  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(pc, [&] { e->engine->allow_corrections(view); }));
  PetscCall(MakeHalo(pc, e, view));
  e->has_corrections = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AllowProducts(PC pc, PCEngine *e, const OperatorView &view)
{
  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(pc, [&] { e->engine->parts()->allow_products(view); }));
  PetscCall(MakeHalo(pc, e, view));
  e->has_products = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Analyze(PC pc, PCEngine *e)
{
  OperatorView view;
  std::string block_size; // the option's name
  bool hint = false;
  DM da;

  PetscFunctionBegin;
  PCEngineInvalidate(pc, e); // until all of it is done
  e->has_halo = e->has_products = false;
  e->solve.dilu = -1;
  e->solve.solved = false;
  e->reserved = 0;
  e->engine.reset();
  e->blocks.reset();
  PetscCall(PCEngineFindGrid(pc, &da));
  PetscCall(FinegrainOnAllRanks(pc, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    block_size = PCEngineOption(pc, "block_size");
    e->options = MakeOptions(*e);
    PetscCall(FindGrid(da, *e, &e->options.grid, &e->options.open_axes, &hint));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(OperatorAnalyze(PCEngineMatrix(pc, *e), e->block_size, block_size.c_str(), &e->op, &view));
  PetscCall(FinegrainGetStamp(pc->pmat, &e->stamp));
  e->stamp.values = -1;
  PetscCall((*e->type->options)(pc, &e->options));
  PetscCheck(PCEngineSteps(*e) <= std::numeric_limits<int>::max(), PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_ARG_OUTOFRANGE, "%s",
             PCEngineText(pc, "@_corrections and what else makes steps come to " + std::to_string(PCEngineSteps(*e)) +
                                " in one application; 2147483647 is the most")
               .c_str());
  if (e->eisenstat == PCFGBILU_EISENSTAT_AUTO) e->options.eisenstat = !PCEngineExcludesEisenstat(*e, e->options);
  PetscCheck(e->eisenstat != PCFGBILU_EISENSTAT_TRUE ||
               (PCEngineSteps(*e) == 1 && e->apply_richardson == PC_FINEGRAIN_APPLY_RICHARDSON_NONE),
             PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_INCOMP, "%s",
             PCEngineText(pc, "Options exclude each other: @_eisenstat takes the product with the matrix from one "
                              "application; leave out @_corrections and @_apply_richardson")
               .c_str());
  if (PCEngineExchange(*e) == Exchange::color) PetscCall(PCEngineAgree(pc, *e, &view));
  if (PCEngineSharesRows(*e)) {
    PetscCall(FinegrainOnAllRanks(pc, [&] {
      if (!e->shared && e->options.pipelined) e->shared = std::make_shared<PipelineExchange>();
      if (!e->shared) e->shared = std::make_shared<ColorExchange>();
    }));
    PetscCall(e->shared->find_rows(pc, e, &view));
  }
  PetscCall(FinegrainOnAllRanks(pc, [&] { return AnalyzeLocal(pc, e, view, e->options, hint); }));
  if (PCEngineSharesRows(*e)) PetscCall(ShareStorage(pc, e, view));
  if (PCEngineExchange(*e) != Exchange::none) PetscCall(MakeHalo(pc, e, view));
  if (PCEngineSteps(*e) > 1 || e->has_corrections) PetscCall(AllowCorrections(pc, e, view));
  if (e->eisenstat == PCFGBILU_EISENSTAT_TRUE) PetscCall(AllowProducts(pc, e, view));
  PetscCall(PCEngineSetApplications(pc));
  e->analyzed = true;
  pc->setupcalled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Factor(PC pc, PCEngine *e)
{
  const Mat mat = PCEngineMatrix(pc, *e);
  Values values;
  PetscReal largest = -1;

  PetscFunctionBegin;
  e->stamp.values = e->compared.values = -1;
  if (PCEngineIsInPlace(*e)) {
    PetscCall(FinegrainOnAllRanks(pc, [&] { return PCEngineCheckInPlace(pc, *e); }));
    PetscCall(BAIJKokkosTakeBlocks(mat, &values, &e->blocks));
  } else PetscCall(OperatorGetValues(mat, &e->op, &values));
  PetscCall(FinegrainOnAllRanks(pc, [&] { largest = e->engine->find_largest(values); }));
  if (largest >= 0)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPIU_REAL, MPIU_MAX,
                               PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  PetscCall(PCEngineFactor(pc, e, values, largest));
  PetscCall(PCEngineTakeError(e));
  PetscCall(OperatorRestoreValues(mat, e->op, &values));
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(pc->pmat), &e->stamp.values));
  PetscCall(FinegrainLogFlops(e->op.backend, e->engine->statistics().factor_flops));
  PetscCall(PCEngineReportTrouble(pc, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Both inside their log events.
PetscErrorCode LogAnalyze(PC pc, PCEngine *e)
{
  return FinegrainLogged(finegrain_events.analyze, pc, [&] { return Analyze(pc, e); });
}
PetscErrorCode LogFactor(PC pc, PCEngine *e)
{
  return FinegrainLogged(finegrain_events.factor, pc, [&] { return Factor(pc, e); });
}

} // namespace

PetscErrorCode PCSetUp_Engine(PC pc)
{
  PCEngine *e = static_cast<PCEngine *>(pc->data);

  PetscFunctionBegin;
  PetscCall(PetscCitationsRegister(e->type->citation, &e->type->cited));
  const PetscErrorCode code = FinegrainGuard([&]() -> PetscErrorCode {
    PetscFunctionBegin;
    if (e->type->check_matrix) PetscCall((*e->type->check_matrix)(pc));
    if (pc->flag != SAME_NONZERO_PATTERN) e->analyzed = false;
    if (e->analyzed) { // PETSc's flag does not see another type, nor every new entry
      MatrixChange change;
      PetscCall(PCEngineFindChange(pc, e, &change));
      e->analyzed = change != MatrixChange::structure;
    }
    if (!e->analyzed) PetscCall(FinegrainOnAllRanks(pc, FinegrainStartKokkos));
    PetscCall(PCEngineConvert(pc, e));
    if (!e->analyzed) PetscCall(LogAnalyze(pc, e));
    PetscCall(LogFactor(pc, e));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  if (code) pc->setupcalled = PETSC_FALSE; // PETSc has noted the matrix already, and would take this for done
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineFindChange(PC pc, PCEngine *e, MatrixChange *change)
{
  FinegrainState state;
  FinegrainStamp now;

  PetscFunctionBegin;
  PetscCall(FinegrainGetState(pc->pmat, &state));
  if (state != e->compared) { // on all ranks: PETSc counts objects and their states alike there
    PetscCall(FinegrainGetStamp(pc->pmat, &now));
    const FinegrainState &factored = e->stamp;
    int mine = int(!now.has_structure_of(e->stamp) ? MatrixChange::structure
                   : state == factored             ? MatrixChange::none
                                                   : MatrixChange::values);
    PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
    e->change = MatrixChange(mine);
    e->compared = state;
  }
  *change = e->change;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AllowCorrectionsLater(PC pc, PCEngine *e, MatrixChange change)
{
  OperatorView view;
  Operator op;

  PetscFunctionBegin;
  if (e->op.symmetric) { // residuals need the whole matrix, and the factor its numbers
    e->has_corrections = true;
    PetscCall(PCEngineConvert(pc, e));
    PetscCall(LogAnalyze(pc, e));
    PetscCall(LogFactor(pc, e));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(OperatorAnalyze(PCEngineMatrix(pc, *e), e->block_size, "", &op, &view));
  if (PCEngineExchange(*e) == Exchange::color) PetscCall(PCEngineAgree(pc, *e, &view)); // the order of sums
  if (PCEngineSharesRows(*e)) PetscCall(PCEngineFindGhostKeys(pc, *e, &view));
  PetscCall(AllowCorrections(pc, e, view));
  if (change == MatrixChange::none) // for the short residual; a lagged factor stays as it is
    PetscCall(LogFactor(pc, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineAllowProducts(PC pc, PCEngine *e)
{
  OperatorView view;
  Operator op;

  PetscFunctionBegin;
  PetscCall(OperatorAnalyze(PCEngineMatrix(pc, *e), e->block_size, "", &op, &view));
  const PetscErrorCode code = AllowProducts(pc, e, view);
  if (code) PCEngineInvalidate(pc, e);
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineMakesResiduals(PC pc, PCEngine *e, bool *makes)
{
  MatrixChange change;

  PetscFunctionBegin;
  PetscCall(PCEngineFindChange(pc, e, &change));
  // A factor of an upper triangle would have to be made again for them.
  *makes =
    change == MatrixChange::none || (change == MatrixChange::values && (e->has_corrections || !e->op.symmetric));
  if (!*makes || e->has_corrections) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscErrorCode code = AllowCorrectionsLater(pc, e, change);
  if (code) PCEngineInvalidate(pc, e);
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineReserve(PC pc, PCEngine *e, const Application &kind)
{
  const unsigned bit = kind.in_parts ? 8 : kind.transposed ? 2 : e->has_corrections ? 4 : 1;

  PetscFunctionBegin;
  if (kind.vectors == 1 && (e->reserved & bit)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FinegrainOnAllRanks(pc, [&] {
    e->engine->reserve(kind);
    if (e->has_corrections) e->engine->scratch(kind.memory);
  }));
  if (kind.vectors == 1) e->reserved |= bit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineTakeError(PCEngine *e)
{
  PetscFunctionBegin;
  PetscCall(e->halo.take_error());
  if (e->shared) PetscCall(e->shared->take_error());
  PetscFunctionReturn(PETSC_SUCCESS);
}
