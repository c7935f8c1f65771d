// SPDX-License-Identifier: BSD-2-Clause
// What set-up refuses, with errors that name the option and a remedy, and how it fails, with a reason that all ranks
// have. set_up.cpp calls these after the engine's analysis and factorization.
#include "pc/solve/failures.hpp"
#include "pc/options/settings.hpp"
#include "pc/ranks/shared_rows.hpp"
#include "pc/solve/conversion.hpp"

#include <limits>
#include <string>

using namespace finegrain;

namespace
{

// An error whose text has options as PCFinegrainText() writes them.
template <class... T> PetscErrorCode Refuse(PC pc, PetscErrorCode code, const char *format, T... values)
{
  char text[2048];

  PetscFunctionBegin;
  if constexpr (sizeof...(values) == 0) PetscCall(PetscStrncpy(text, format, sizeof text));
  else PetscCall(PetscSNPrintf(text, sizeof text, format, values...));
  SETERRQ(PETSC_COMM_SELF, code, "%s", PCFinegrainText(pc, text).c_str());
}

// The set-up fails, or is an error for those who want one. Collective.
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

// Of the matrix that was factored: its first entry that is not finite, by global numbers, row -1 if all are, and the
// largest magnitude of the others. Collective.
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

// What to do about values that overflow where they are computed or stored.
std::string OverflowRemedy(const PC_Finegrain &e, PetscReal largest)
{
  char number[32];
  (void)PetscSNPrintf(number, sizeof number, "%.2g", double(largest));
  const std::string entry = std::string("the largest entry of the matrix is ") + number;
  if (e.settings.precision == PC_FINEGRAIN_PRECISION_WORKING) return entry + ", scale the matrix";
  return entry + ", and entries, or what is computed from them, do not fit @_precision " +
         PCFinegrainPrecisionTypes[e.settings.precision] + ": take @_precision working, PCFinegrainSetPrecision()";
}

// Says in how many block rows of all ranks pivots were replaced. Collective.
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
  std::string sizes, power;

  PetscFunctionBegin;
  if (e.analysis.options.method == Method::factorization)
    power = " in |A|^" + std::to_string(colored_power(e.analysis.options)) +
            " (@_power 1 colors A itself), or an ordering is given";
  for (const Box &box : grid)
    for (const Index points : {box.i, box.j, box.k})
      sizes.append(sizes.empty() ? "" : ",").append(std::to_string(points));
  switch (error.reason) {
  case SetupError::none:
    break;
  case SetupError::conflict:
    PetscCall(Refuse(pc, PETSC_ERR_ARG_INCOMP, "Options exclude each other: %s", error.text));
    break;
  case SetupError::missing_diagonal:
    PetscCall(Refuse(pc, PETSC_ERR_ARG_WRONGSTATE,
                     "Block row %" PetscInt_FMT " of the preconditioning matrix has no diagonal block; "
                     "insert one with MatSetValues(), zeros if need be, before the matrix is assembled, or take "
                     "@_add_diagonal, which factors a copy that has one, PCFinegrainSetAddDiagonal()",
                     first_row + error.row));
    break;
  case SetupError::no_grid:
    if (e.analysis.options.method == Method::sip)
      PetscCall(
        Refuse(pc, PETSC_ERR_ARG_WRONGSTATE,
               "@type sip needs a structured grid in its natural order: give its local size with @_grid I,J,K "
               "or PCFinegrainSetGrid(), or set a DMDA with KSPSetDM()"));
    PetscCall(
      Refuse(pc, PETSC_ERR_ARG_WRONGSTATE,
             "@_schedule hyperplane and @_tile need a structured grid in its natural order: give its local "
             "size with @_grid I,J,K or PCFinegrainSetGrid(), or set a DMDA with KSPSetDM(); @_schedule level "
             "without a shape of tiles needs none"));
    break;
  case SetupError::grid_size:
    PetscCall(Refuse(pc, PETSC_ERR_ARG_SIZ,
                     "The grid %s (@_grid, PCFinegrainSetGrid() or a DMDA) does not have the %d block rows of this "
                     "rank; give the local size in points, or leave the grid out",
                     sizes.c_str(), int(rows)));
    break;
  case SetupError::grid_fit:
    PetscCall(Refuse(pc, PETSC_ERR_ARG_INCOMP,
                     "The matrix couples block rows that no hyperplanes of the grid %s (@_grid, PCFinegrainSetGrid() "
                     "or a DMDA) separate: its stencil is neither a star nor a box of width up to 3, or the grid is "
                     "not its own; @_schedule level fits any matrix",
                     sizes.c_str()));
    break;
  case SetupError::star_fit:
    PetscCall(Refuse(pc, PETSC_ERR_ARG_INCOMP,
                     "Block row %" PetscInt_FMT " is coupled to one that is not beside it on the grid %s (@_grid, "
                     "PCFinegrainSetGrid() or a DMDA): @type %s factors stars of width 1; take DMDA_STENCIL_STAR of "
                     "width 1, or @type fgbilu, which fits any stencil",
                     first_row + error.row, sizes.c_str(), e.type->name));
    break;
  case SetupError::unsymmetric:
    PetscCall(Refuse(pc, PETSC_ERR_ARG_INCOMP,
                     "@type %s needs a symmetric nonzero pattern: there are blocks on one side of the diagonal that "
                     "nothing mirrors; insert zeros there, or take @type fgbilu, which fits any matrix",
                     e.type->name));
    break;
  case SetupError::tile_fit:
    PetscCall(Refuse(
      pc, PETSC_ERR_ARG_INCOMP,
      "@_tile %d,%d,%d cuts the grid %s into tiles of which two need each other; tiles as long as the "
      "grid in the first direction and 1 thick in the third fit box stencils, and 0,0,0 lets finegrain "
      "choose",
      int(e.analysis.options.tile.i), int(e.analysis.options.tile.j), int(e.analysis.options.tile.k), sizes.c_str()));
    break;
  case SetupError::color_fit:
    PetscCall(Refuse(pc, PETSC_ERR_ARG_INCOMP,
                     "@_coloring redblack does not fit: points of the same parity are coupled%s, or there is no "
                     "grid%s%s (@_grid, PCFinegrainSetGrid() or a DMDA); @_coloring greedy fits any matrix",
                     power.c_str(), grid.empty() ? "" : ", which is ", sizes.c_str()));
    break;
  case SetupError::entries:
    PetscCall(
      Refuse(pc, PETSC_ERR_ARG_OUTOFRANGE,
             "The factor, the pattern that is colored, or the matrix with its couplings to other ranks has more "
             "than 2^31 - 1 blocks on this rank; take more ranks, or a smaller @_levels or @_power"));
    break;
  case SetupError::scratch:
    PetscCall(Refuse(pc, PETSC_ERR_SUP,
                     "@type %s on a device: the factorization of blocks of %d x %d needs more scratch memory than a "
                     "team of a device has; take @_backend host, PCFinegrainSetBackend(), or smaller blocks",
                     e.type->name, int(e.analysis.op.block), int(e.analysis.op.block)));
    break;
  default:
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "The engine refused the matrix for reason %d", int(error.reason));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// What is bad on any rank is a failure on all of them; residuals are short on all ranks or on none.
PetscErrorCode PCFinegrainReportFailure(PC pc, PC_Finegrain *e)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  constexpr PetscInt none = std::numeric_limits<PetscInt>::max();
  const Statistics s = e->analysis.engine->statistics();
  PetscInt first, mine[4] = {none, none, s.short_residual, none}, least[4];

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(pc->pmat, &first, nullptr));
  if (FinegrainSharesRows(e->analysis.options)) { // ranks whose bad rows come later have none of their own
    const PetscInt turn = e->analysis.report.bad_row >= 0 ? PetscInt(e->analysis.report.bad_turn) : none;
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
  else if (least[0] != none && least[0] != least[3])
    PetscCall(Fail(pc, e, PC_FACTOR_NUMERIC_ZEROPIVOT, PETSC_ERR_MAT_LU_ZRPVT,
                   (e->analysis.options.shift.definite ? "Diagonal block that is not positive definite in block row "
                                                       : "Singular diagonal block in block row ") +
                     std::to_string(least[0]),
                   e->type->pivot_remedy));
  else
    PetscCall(Fail(pc, e, PC_FACTOR_OTHER, PETSC_ERR_FP,
                   least[0] != none
                     ? "Diagonal block that is not finite in the factor of block row " + std::to_string(least[0])
                     : "Block that is not finite as it is stored in block row " + std::to_string(least[1]),
                   OverflowRemedy(*e, entries.largest)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
