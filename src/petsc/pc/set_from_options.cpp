// Reads the options that types share; PCSetFromOptions() calls it.
#include "pc/settings.hpp"

using namespace finegrain;

static PetscErrorCode ReadShift(const PCEngineOptions &options)
{
  const FinegrainOptionItems PetscOptionsObject = options.items;
  MatFactorShiftType shift;
  PetscReal amount;
  PetscBool type_given, amount_given;

  PetscFunctionBegin;
  PetscCall(PCFinegrainGetShift(options.pc, &shift, &amount));
  PetscCall(PetscOptionsEnum(options.key("shift_type").c_str(), "What to do about singular blocks (none or inblocks)",
                             "PCFinegrainSetShift", MatFactorShiftTypes, static_cast<PetscEnum>(shift),
                             reinterpret_cast<PetscEnum *>(&shift), &type_given));
  PetscCall(PetscOptionsReal(options.key("shift_amount").c_str(), "Smallest pivot, relative to its block",
                             "PCFinegrainSetShift", amount, &amount, &amount_given));
  if (type_given || amount_given) PetscCall(PCFinegrainSetShift(options.pc, shift, amount));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Points I,J,K of `most` boxes; *boxes: how many are given, 0 for none.
static PetscErrorCode ReadBoxes(const PCEngineOptions &options, const char *name, const char *text,
                                const char *setter, PetscInt most, PetscInt ijk[], PetscInt *boxes)
{
  const FinegrainOptionItems PetscOptionsObject = options.items;
  PetscInt count = 3 * most;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsIntArray(options.key(name).c_str(), text, setter, ijk, &count, &set));
  *boxes = set ? count / 3 : 0;
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(count > 0 && count % 3 == 0, PetscObjectComm(reinterpret_cast<PetscObject>(options.pc)),
             PETSC_ERR_ARG_SIZ,
             "%s has %" PetscInt_FMT " numbers; give I,J,K%s, with 1 for a direction that is not there",
             options.key(name).c_str(), count, most > 1 ? " of each local grid" : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadOrdering(const PCEngineOptions &options)
{
  const FinegrainOptionItems PetscOptionsObject = options.items;
  MatOrderingType now;
  char ordering[256];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(MatInitializePackage()); // registers the orderings
  PetscCall(PCFinegrainGetOrdering(options.pc, &now));
  PetscCall(PetscOptionsFList(options.key("ordering").c_str(), "Order of elimination", "PCFinegrainSetOrdering",
                              MatOrderingList, now, ordering, sizeof(ordering), &set));
  if (set) PetscCall(PCFinegrainSetOrdering(options.pc, ordering));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetFromOptions_Engine(PC pc, FinegrainOptionItems PetscOptionsObject)
{
  const PCEngineType &type = *static_cast<PCEngine *>(pc->data)->type;
  const PCEngineOptions options(pc, PetscOptionsObject);
  constexpr PetscInt most = 64;
  PetscInt ijk[3 * most] = {}, boxes; // -help prints them

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, (std::string(type.name) + " options").c_str());
  PetscCall(options.choice("executor", "How groups are run", "PCFinegrainSetExecutor", PCFinegrainExecutorTypes,
                           PCFinegrainGetExecutor, PCFinegrainSetExecutor));
  PetscCall(options.choice("backend", "Where the factor is and is applied", "PCFinegrainSetBackend",
                           PCFinegrainBackendTypes, PCFinegrainGetBackend, PCFinegrainSetBackend));
  PetscCall(options.choice("precision", "Storage of off-diagonal blocks", "PCFinegrainSetPrecision",
                           PCFinegrainPrecisionTypes, PCFinegrainGetPrecision, PCFinegrainSetPrecision));
  PetscCall(options.choice("diag_precision", "Storage of inverted diagonal blocks", "PCFinegrainSetDiagonalPrecision",
                           PCFinegrainDiagonalPrecisionTypes, PCFinegrainGetDiagonalPrecision,
                           PCFinegrainSetDiagonalPrecision));
  PetscCall(ReadShift(options));
  PetscCall(ReadBoxes(options, "grid", "Points I,J,K of each local grid", "PCFinegrainSetGrid", most, ijk, &boxes));
  if (boxes) PetscCall(PCFinegrainSetGrid(pc, boxes, ijk));
  PetscCall(options.value("block_size", "Rows per block of an AIJ matrix (0: its own)", "PCFinegrainSetBlockSize",
                          PCFinegrainGetBlockSize, PCFinegrainSetBlockSize));
  PetscCall(options.value("corrections", "Correction iterations inside one application", "PCFinegrainSetCorrections",
                          PCFinegrainGetCorrections, PCFinegrainSetCorrections));
  PetscCall(options.choice("richardson", "What KSPRICHARDSON leaves to the preconditioner",
                           "PCFinegrainSetRichardson", PCFinegrainRichardsonTypes, PCFinegrainGetRichardson,
                           PCFinegrainSetRichardson));
  if (type.has & PCENGINE_LEVELS) {
    PetscCall(options.choice("schedule", "Groups of independent block rows", "PCFinegrainSetSchedule",
                             PCFinegrainScheduleTypes, PCFinegrainGetSchedule, PCFinegrainSetSchedule));
    PetscCall(ReadOrdering(options));
  }
  if (type.has & PCENGINE_HYPERPLANES) {
    PetscCall(
      ReadBoxes(options, "tile", "Points I,J,K of a tile (0,0,0: chosen)", "PCFinegrainSetTile", 1, ijk, &boxes));
    if (boxes) PetscCall(PCFinegrainSetTile(pc, ijk[0], ijk[1], ijk[2]));
  }
  if (type.has & PCENGINE_COLORS) {
    PetscCall(options.choice("coloring", "How block rows are colored", "PCFinegrainSetColoring",
                             PCFinegrainColoringTypes, PCFinegrainGetColoring, PCFinegrainSetColoring));
    PetscCall(options.value("coloring_balance", "Evens out the sizes of the colors", "PCFinegrainSetColoringBalance",
                            PCFinegrainGetColoringBalance, PCFinegrainSetColoringBalance));
  }
  if (type.has & PCENGINE_GRIDS)
    PetscCall(options.choice("grid_coupling", "Couplings between the grids of a rank", "PCFinegrainSetGridCoupling",
                             PCFinegrainGridCouplings, PCFinegrainGetGridCoupling, PCFinegrainSetGridCoupling));
  if (type.options) PetscCall((*type.options)(pc, PetscOptionsObject));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineViewSettings(const PCEngine &e, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(
    viewer,
    "not set up; back end %s, schedule %s, executor %s, precision %s, diagonal precision %s, "
    "ordering %s, corrections %" PetscInt_FMT "\n",
    PCFinegrainBackendTypes[int(e.backend)], PCFinegrainScheduleTypes[int(e.recipe.schedule)],
    PCFinegrainExecutorTypes[int(e.recipe.executor)], PCFinegrainPrecisionTypes[int(e.recipe.precision)],
    PCFinegrainDiagonalPrecisionTypes[e.diagonal], e.ordering.c_str(), e.corrections));
  PetscFunctionReturn(PETSC_SUCCESS);
}
