// Options of what all types share.
#include "pcsettings.hpp"

#include <string>

using namespace finegrain;

PetscErrorCode PCSetFromOptions_Engine(PC pc, FinegrainOptionItems PetscOptionsObject)
{
  PCEngine                        *e    = static_cast<PCEngine *>(pc->data);
  const std::string                name = e->type->name, prefix = "-pc_" + name + "_";
  const auto                       key = [&](const char *what) { return prefix + what; };
  PCFinegrainScheduleType          schedule;
  PCFinegrainExecutorType          executor;
  PCFinegrainBackendType           backend = e->backend;
  PCFinegrainPrecisionType         precision;
  PCFinegrainDiagonalPrecisionType diagonal = e->diagonal;
  MatFactorShiftType               shift    = e->shift_type;
  PetscReal                        amount   = e->shift_amount;
  PCFinegrainGridCoupling          coupling;
  PCFinegrainRichardsonType        richardson = e->richardson;
  MatOrderingType                  natural    = e->ordering.c_str();
  char                             ordering[256];
  PetscInt                         block = e->block_size, k = e->corrections, count = 3 * 64, edges = 3;
  PetscInt                         ijk[3 * 64] = {}; // -help prints them
  PetscBool                        set;

  PetscFunctionBegin;
  PetscCall(PCFinegrainGetSchedule(pc, &schedule));
  PetscCall(PCFinegrainGetExecutor(pc, &executor));
  PetscCall(PCFinegrainGetPrecision(pc, &precision));
  PetscCall(PCFinegrainGetGridCoupling(pc, &coupling));
  PetscCall(MatInitializePackage()); // registers the orderings
  PetscOptionsHeadBegin(PetscOptionsObject, (name + " options").c_str());
  PetscCall(PetscOptionsEnum(key("executor").c_str(), "How groups are run", "PCFinegrainSetExecutor",
                             PCFinegrainExecutorTypes, static_cast<PetscEnum>(executor),
                             reinterpret_cast<PetscEnum *>(&executor), &set));
  if (set) PetscCall(PCFinegrainSetExecutor(pc, executor));
  PetscCall(PetscOptionsEnum(key("backend").c_str(), "Where the factor is and is applied", "PCFinegrainSetBackend",
                             PCFinegrainBackendTypes, static_cast<PetscEnum>(backend),
                             reinterpret_cast<PetscEnum *>(&backend), &set));
  if (set) PetscCall(PCFinegrainSetBackend(pc, backend));
  PetscCall(PetscOptionsEnum(key("precision").c_str(), "Storage of off-diagonal blocks", "PCFinegrainSetPrecision",
                             PCFinegrainPrecisionTypes, static_cast<PetscEnum>(precision),
                             reinterpret_cast<PetscEnum *>(&precision), &set));
  if (set) PetscCall(PCFinegrainSetPrecision(pc, precision));
  PetscCall(PetscOptionsEnum(key("diag_precision").c_str(), "Storage of inverted diagonal blocks",
                             "PCFinegrainSetDiagonalPrecision", PCFinegrainDiagonalPrecisionTypes,
                             static_cast<PetscEnum>(diagonal), reinterpret_cast<PetscEnum *>(&diagonal), &set));
  if (set) PetscCall(PCFinegrainSetDiagonalPrecision(pc, diagonal));
  PetscCall(PetscOptionsEnum(key("shift_type").c_str(), "What to do about singular blocks (none or inblocks)",
                             "PCFinegrainSetShift", MatFactorShiftTypes, static_cast<PetscEnum>(shift),
                             reinterpret_cast<PetscEnum *>(&shift), &set));
  if (set) PetscCall(PCFinegrainSetShift(pc, shift, amount));
  PetscCall(PetscOptionsReal(key("shift_amount").c_str(), "Smallest pivot, relative to its block",
                             "PCFinegrainSetShift", amount, &amount, &set));
  if (set) PetscCall(PCFinegrainSetShift(pc, shift, amount));
  PetscCall(PetscOptionsIntArray(key("grid").c_str(), "Points I,J,K of each local grid", "PCFinegrainSetGrid", ijk,
                                 &count, &set));
  if (set) {
    PetscCheck(count > 0 && count % 3 == 0, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_SIZ,
               "%s has %" PetscInt_FMT
               " numbers; give I,J,K of each local grid, with 1 for a direction that is not there",
               key("grid").c_str(), count);
    PetscCall(PCFinegrainSetGrid(pc, count / 3, ijk));
  }
  PetscCall(PetscOptionsInt(key("block_size").c_str(), "Rows per block of an AIJ matrix (0: its own)",
                            "PCFinegrainSetBlockSize", block, &block, &set));
  if (set) PetscCall(PCFinegrainSetBlockSize(pc, block));
  PetscCall(PetscOptionsInt(key("corrections").c_str(), "Correction iterations inside one application",
                            "PCFinegrainSetCorrections", k, &k, &set));
  if (set) PetscCall(PCFinegrainSetCorrections(pc, k));
  PetscCall(PetscOptionsEnum(key("richardson").c_str(), "What KSPRICHARDSON leaves to the preconditioner",
                             "PCFinegrainSetRichardson", PCFinegrainRichardsonTypes,
                             static_cast<PetscEnum>(richardson), reinterpret_cast<PetscEnum *>(&richardson), &set));
  if (set) PetscCall(PCFinegrainSetRichardson(pc, richardson));
  if (e->type->has & PCENGINE_SCHEDULE) {
    PetscCall(PetscOptionsEnum(key("schedule").c_str(), "Groups of independent block rows", "PCFinegrainSetSchedule",
                               PCFinegrainScheduleTypes, static_cast<PetscEnum>(schedule),
                               reinterpret_cast<PetscEnum *>(&schedule), &set));
    if (set) PetscCall(PCFinegrainSetSchedule(pc, schedule));
    PetscCall(PetscOptionsFList(key("ordering").c_str(), "Order of elimination", "PCFinegrainSetOrdering",
                                MatOrderingList, natural, ordering, sizeof(ordering), &set));
    if (set) PetscCall(PCFinegrainSetOrdering(pc, ordering));
    PetscCall(PetscOptionsIntArray(key("tile").c_str(), "Points I,J,K of a tile (0,0,0: chosen)",
                                   "PCFinegrainSetTile", ijk, &edges, &set));
    if (set) {
      PetscCheck(edges == 3, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_SIZ,
                 "%s has %" PetscInt_FMT " numbers; give I,J,K, with 1 for a direction that is not there",
                 key("tile").c_str(), edges);
      PetscCall(PCFinegrainSetTile(pc, ijk[0], ijk[1], ijk[2]));
    }
  }
  if (e->type->has & PCENGINE_GRIDS) {
    PetscCall(PetscOptionsEnum(key("grid_coupling").c_str(), "Couplings between the grids of a rank",
                               "PCFinegrainSetGridCoupling", PCFinegrainGridCouplings,
                               static_cast<PetscEnum>(coupling), reinterpret_cast<PetscEnum *>(&coupling), &set));
    if (set) PetscCall(PCFinegrainSetGridCoupling(pc, coupling));
  }
  if (e->type->options) PetscCall((*e->type->options)(pc, PetscOptionsObject));
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
