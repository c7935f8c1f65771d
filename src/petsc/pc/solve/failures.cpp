// SPDX-License-Identifier: BSD-2-Clause
// Errors of set-up name the option and a remedy. A set-up that fails has the same reason on all ranks. set_up.cpp
// calls these functions after the engine's analysis and factorization.
#include "pc/solve/failures.hpp"
#include "pc/options/settings.hpp"
#include "pc/ranks/shared_rows.hpp"
#include "pc/solve/conversion.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

using namespace finegrain;

namespace
{

// An error of the engine's analysis. Texts have options as PCFinegrainText() writes them, and {names} of values.
struct Refusal {
  SetupError::Reason reason;
  PetscErrorCode code;
  const char *text;
};
constexpr Refusal refusals[] = {
  {SetupError::conflict, PETSC_ERR_ARG_INCOMP, "Options exclude each other: {conflict}"},
  {SetupError::missing_diagonal, PETSC_ERR_ARG_WRONGSTATE,
   "Block row {row} of the preconditioning matrix has no diagonal block; insert one with MatSetValues(), zeros if "
   "need be, before the matrix is assembled, or use @_add_diagonal, which factors a copy that has one, "
   "PCFinegrainSetAddDiagonal()"},
  {SetupError::no_grid, PETSC_ERR_ARG_WRONGSTATE,
   "{needs_grid} a structured grid in its natural order: give its local size with @_grid I,J,K or "
   "PCFinegrainSetGrid(), or set a DMDA with KSPSetDM(){without_grid}"},
  {SetupError::grid_size, PETSC_ERR_ARG_SIZ,
   "The grid {grid} (@_grid, PCFinegrainSetGrid() or a DMDA) does not have the {rows} block rows of this rank; give "
   "the local size in points, or leave the grid out"},
  {SetupError::grid_fit, PETSC_ERR_ARG_INCOMP,
   "The matrix couples block rows that no hyperplanes of the grid {grid} (@_grid, PCFinegrainSetGrid() or a DMDA) "
   "separate: its stencil is neither a star nor a box of width up to 3, or the grid is not its own; @_schedule level "
   "fits any matrix"},
  {SetupError::star_fit, PETSC_ERR_ARG_INCOMP,
   "Block row {row} is coupled to one that is not beside it on the grid {grid} (@_grid, PCFinegrainSetGrid() or a "
   "DMDA): @type {name} factors stars of width 1; use DMDA_STENCIL_STAR of width 1, or @type fgbilu, which fits any "
   "stencil"},
  {SetupError::unsymmetric, PETSC_ERR_ARG_INCOMP,
   "@type {name} needs a symmetric nonzero pattern: there are blocks on one side of the diagonal without a block on "
   "the other; insert zeros there, or use @type fgbilu, which fits any matrix"},
  {SetupError::tile_fit, PETSC_ERR_ARG_INCOMP,
   "@_tile {tile} cuts the grid {grid} into tiles of which two need each other; tiles as long as the grid in the "
   "first direction and 1 thick in the third fit box stencils, and 0,0,0 lets finegrain choose"},
  {SetupError::color_fit, PETSC_ERR_ARG_INCOMP,
   "@_coloring redblack does not fit: points of the same parity are coupled{power}, or there is no grid{which_grid} "
   "(@_grid, PCFinegrainSetGrid() or a DMDA); @_coloring greedy fits any matrix"},
  {SetupError::entries, PETSC_ERR_ARG_OUTOFRANGE,
   "The factor, the pattern that is colored, or the matrix with its couplings to other ranks has more than 2^31 - 1 "
   "blocks on this rank; use more ranks, or a smaller @_levels or @_power"},
  {SetupError::scratch, PETSC_ERR_SUP,
   "@type {name} on a device: the factorization of blocks of {n} x {n} needs more scratch memory than a team of a "
   "device has; use @_backend host, PCFinegrainSetBackend(), or smaller blocks"}};

std::string Join(const Grid &grid)
{
  std::string sizes;
  for (const Box &box : grid)
    for (const Index points : {box.i, box.j, box.k})
      sizes.append(sizes.empty() ? "" : ",").append(std::to_string(points));
  return sizes;
}

std::string Replace(std::string text, const std::vector<std::pair<const char *, std::string>> &values)
{
  for (const auto &[name, value] : values)
    for (std::size_t at; (at = text.find(name)) != std::string::npos;) text.replace(at, std::strlen(name), value);
  return text;
}

// The set-up fails, or is an error if the user wants one (PCSetErrorIfFailure()). Collective.
PetscErrorCode Fail(PC pc, PC_Finegrain *e, PCFailedReason reason, PetscErrorCode code, std::string what,
                    const std::string &remedy)
{
  PetscFunctionBegin;
  e->analysis.failure = PCFinegrainText(pc, what.append("; ").append(remedy));
  PetscCall(PCSetFailedReason(pc, reason));
  PetscCheck(!pc->erroriffailure, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), code, "%s",
             e->analysis.failure.c_str());
  PetscCall(PetscInfo(pc, "%s\n", e->analysis.failure.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The first entry of the factored matrix that is not finite, by global numbers (row -1: none), and the largest
// magnitude of the others. Collective.
struct Entries {
  PetscInt row = -1, column = -1;
  PetscReal largest = 0;
};
PetscErrorCode FindEntries(PC pc, const PC_Finegrain &e, Entries *found)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  constexpr PetscInt none = std::numeric_limits<PetscInt>::max();
  PetscInt mine[2] = {none, none}, first[2];

  PetscFunctionBegin;
  const auto visit = [&](PetscInt row, PetscInt count, const PetscInt *columns, const PetscScalar *values) {
    for (PetscInt k = 0; k < count; ++k) {
      if (!PetscIsInfOrNanScalar(values[k])) {
        found->largest = PetscMax(found->largest, PetscAbsScalar(values[k]));
      } else if (mine[0] == none) {
        mine[0] = row;
        mine[1] = columns[k];
      }
    }
    return PETSC_SUCCESS;
  };
  PetscCall(FinegrainOnAllRanks(
    pc, [&] { return OperatorVisitRows(PCFinegrainMatrix(pc, e.conversion), e.analysis.op.symmetric, visit); }));
  PetscCallMPI(MPI_Allreduce(mine, first, 1, MPIU_INT, MPI_MIN, comm));
  if (mine[0] != first[0]) mine[1] = none;
  PetscCallMPI(MPI_Allreduce(mine + 1, first + 1, 1, MPIU_INT, MPI_MIN, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &found->largest, 1, MPIU_REAL, MPIU_MAX, comm));
  if (first[0] != none) *found = {first[0], first[1], found->largest};
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The remedy for values that overflow where they are computed or stored.
std::string OverflowRemedy(const PC_Finegrain &e, PetscReal largest)
{
  char number[32];
  (void)PetscSNPrintf(number, sizeof number, "%.2g", double(largest));
  const std::string entry = std::string("the largest entry of the matrix is ") + number;
  if (e.settings.precision == PC_FINEGRAIN_PRECISION_WORKING) return entry + ", scale the matrix";
  return entry + ", and entries, or what is computed from them, do not fit @_precision " +
         PCFinegrainPrecisionTypes[e.settings.precision] + ": use @_precision working, PCFinegrainSetPrecision()";
}

// A zero pivot, or one of a factor that must be positive definite: more than inblocks can mend.
PetscErrorCode FailAtPivot(PC pc, PC_Finegrain *e, PetscInt row)
{
  const bool definite = e->analysis.options.shift.definite;

  PetscFunctionBegin;
  PetscCall(Fail(pc, e, PC_FACTOR_NUMERIC_ZEROPIVOT, PETSC_ERR_MAT_LU_ZRPVT,
                 (definite ? "Diagonal block that is not positive definite in block row "
                           : "Singular diagonal block in block row ") +
                   std::to_string(row),
                 definite ? "use @type fgbilu and gmres, or @_shift_type none and a KSP that accepts an indefinite "
                            "preconditioner"
                          : e->type->pivot_remedy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Reports the number of block rows of all ranks whose pivots were replaced. Collective.
PetscErrorCode ReportReplacement(PC pc, const PC_Finegrain &e)
{
  PetscInt64 rows = e.analysis.report.shifted;

  PetscFunctionBegin;
  if (e.settings.shift_type != MAT_SHIFT_INBLOCKS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, &rows, 1, MPIU_INT64, MPI_SUM, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  PetscCall(PetscInfo(pc, "shift inblocks, amount %g: pivots replaced in %" PetscInt64_FMT " block rows\n",
                      double(e.settings.shift_amount), rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCFinegrainRefuse(PC pc, const PC_Finegrain &e, const SetupError &error, PetscInt first_row,
                                 Index rows, const Grid &grid)
{
  const EngineOptions &options = e.analysis.options;
  const bool colors_powers = options.method == Method::factorization, needs_grid = options.method == Method::sip;
  const bool orders_tiles = e.settings.ordering == settings::tile_ordering;

  PetscFunctionBegin;
  if (!error) PetscFunctionReturn(PETSC_SUCCESS);
  const auto found = std::find_if(std::begin(refusals), std::end(refusals),
                                  [&](const Refusal &r) { return r.reason == error.reason; });
  PetscCheck(found != std::end(refusals), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The engine refused the matrix for reason %d", int(error.reason));
  const std::string text =
    Replace(found->text, {{"{conflict}", error.text ? error.text : ""},
                          {"{row}", std::to_string(first_row + error.row)},
                          {"{rows}", std::to_string(rows)},
                          {"{grid}", Join(grid)},
                          {"{which_grid}", grid.empty() ? "" : ", which is " + Join(grid)},
                          {"{tile}", Join({options.tile})},
                          {"{n}", std::to_string(e.analysis.op.block)},
                          {"{name}", e.type->name},
                          {"{needs_grid}", needs_grid     ? "@type sip needs"
                                           : orders_tiles ? "@_ordering tiles needs"
                                                          : "@_schedule hyperplane and @_tile need"},
                          {"{without_grid}", needs_grid     ? ""
                                             : orders_tiles ? "; @_ordering rcm needs none"
                                                            : "; @_schedule level without a tile shape needs none"},
                          {"{power}", colors_powers ? " in |A|^" + std::to_string(colored_power(options)) +
                                                        " (@_power 1 colors A itself), or an ordering is given"
                                                    : ""}});
  SETERRQ(PETSC_COMM_SELF, found->code, "%s", PCFinegrainText(pc, text).c_str());
}

// A bad pivot on one rank is a failure on all ranks; residuals are short on all ranks or on none.
PetscErrorCode PCFinegrainReportFailure(PC pc, PC_Finegrain *e)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  constexpr PetscInt none = std::numeric_limits<PetscInt>::max();
  const Statistics s = e->analysis.engine->statistics();
  PetscInt first, mine[4] = {none, none, s.short_residual, none}, least[4];

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(pc->pmat, &first, nullptr));
  if (FinegrainSharesRows(e->analysis.options)) { // ranks whose bad rows come later have none of their own
    const PetscInt turn = e->analysis.report.bad_row >= 0 ? PetscInt(e->analysis.report.bad_stage) : none;
    PetscInt least_turn;
    PetscCallMPI(MPI_Allreduce(&turn, &least_turn, 1, MPIU_INT, MPI_MIN, comm));
    if (turn > least_turn) e->analysis.report.bad_row = -1;
  }
  if (e->analysis.report.bad_row >= 0) mine[0] = first / e->analysis.op.block + e->analysis.report.bad_row;
  if (!e->analysis.report.bad_is_finite) mine[3] = mine[0];
  if (e->analysis.report.bad_coupling >= 0) mine[1] = first / e->analysis.op.block + e->analysis.report.bad_coupling;
  PetscCallMPI(MPI_Allreduce(mine, least, 4, MPIU_INT, MPI_MIN, comm));
  e->analysis.short_residual = least[2] > 0;
  PetscCall(ReportReplacement(pc, *e));
  e->analysis.failure.clear();
  PetscCall(e->check.forget(pc));
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  if (least[0] == none && least[1] == none) PetscFunctionReturn(PETSC_SUCCESS);
  Entries entries;
  PetscCall(FindEntries(pc, *e, &entries));
  if (entries.row >= 0)
    PetscCall(Fail(pc, e, PC_FACTOR_OTHER, PETSC_ERR_FP,
                   "Inf or NaN in row " + std::to_string(entries.row) + ", column " + std::to_string(entries.column) +
                     " of the matrix, block row " + std::to_string(entries.row / e->analysis.op.block),
                   "look for what computes it; -fp_trap stops there"));
  else if (least[0] != none && least[0] != least[3]) PetscCall(FailAtPivot(pc, e, least[0]));
  else
    PetscCall(Fail(pc, e, PC_FACTOR_OTHER, PETSC_ERR_FP,
                   least[0] != none
                     ? "Diagonal block that is not finite in the factor of block row " + std::to_string(least[0])
                     : "Block that is not finite as it is stored in block row " + std::to_string(least[1]),
                   OverflowRemedy(*e, entries.largest)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
