// What all preconditioner types share: pc->data, its set-up, and how setters are written. A type is a PCEngineType, a
// default recipe and a constructor, in a file of its own beside this one.
#pragma once

#include "common/petsc_halo.hpp"
#include "common/runtime.hpp"

#include <petscfinegrain.h>

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

// Common settings that not every type has.
enum : unsigned {
  PCENGINE_HYPERPLANES = 1, // schedules hyperplane, and auto among others; tile
  PCENGINE_LEVELS = 2,      // schedule level; ordering
  PCENGINE_COLORS = 4,      // schedule color, which is auto without hyperplanes; coloring
  PCENGINE_GRIDS = 8        // grid_coupling
};

struct PCEngineType {
  const char *name; // as in -pc_type; options are -pc_<name>_...
  finegrain::Method method;
  unsigned has;                                        // PCENGINE_...
  PetscErrorCode (*options)(PC, FinegrainOptionItems); // the type's own options; may be null
  PetscErrorCode (*view)(PC, PetscViewer);             // the type's own lines; may be null
  const char *citation;
  PetscBool cited;                                              // by this run of PETSc
  PetscErrorCode (*prepare)(PC, finegrain::Recipe *) = nullptr; // before the analysis, collective; may be null
};

// pc->data of all types.
struct PCEngine {
  PCEngineType *type;

  // Settings. They survive PCReset().
  finegrain::Recipe recipe; // less grid and back end
  PCFinegrainBackendType backend = PC_FINEGRAIN_BACKEND_AUTO;
  PCFinegrainDiagonalPrecisionType diagonal = PC_FINEGRAIN_DIAGONAL_PRECISION_WORKING;
  MatFactorShiftType shift_type = MAT_SHIFT_NONE;
  PetscReal shift_amount;
  PetscInt block_size = 0;    // of an AIJ matrix; 0: its own
  std::vector<PetscInt> grid; // I, J, K of each local grid; empty: ask the DM
  std::string ordering = MATORDERINGNATURAL;
  PetscInt corrections = 0;          // inside one application
  PetscInt cycles = 1;               // in which an application takes all factors, of several
  std::vector<PetscReal> alpha;      // of Stone's factors
  PetscBool alternate = PETSC_FALSE; // Stone's factors: each alpha in several directions
  PCFinegrainRichardsonType richardson = PC_FINEGRAIN_RICHARDSON_NONE;

  // What set-up made.
  bool analyzed = false;
  finegrain::Operator op;
  std::unique_ptr<finegrain::Engine> engine;
  std::shared_ptr<void> blocks; // of Pmat's mirror, which the engine has narrowed (Reduction::in_place)
  finegrain::FactorReport report;
  PetscInt members = 1;                 // factors that take turns
  Mat converted = nullptr;              // of an SBAIJ matrix
  PetscObjectState state = 0;           // of the matrix when it was factored
  PetscObjectState converted_state = 0; // of the matrix when it was converted

  // The exchange between ranks, made where an application or a correction needs it.
  bool has_halo = false;

  // What corrections need; made at first use.
  bool has_corrections = false;
  bool short_residual = false; // on all ranks
  finegrain::PetscHalo halo;
  Vec residual = nullptr, correction = nullptr; // where PETSc finds residuals
};

// Whether the couplings lie where Pmat's mirror was.
inline bool PCEngineReducesInPlace(const PCEngine &e)
{
  return e.type->method == finegrain::Method::relaxation &&
         e.recipe.relaxation.reduction == finegrain::Reduction::in_place;
}

// Stops where Pmat has no mirror that can be given away, or somebody will need it. Not collective.
PetscErrorCode PCEngineCheckReduction(PC pc, const PCEngine &e);

// The matrix that is read: the PC's, or its conversion.
inline Mat PCEngineMatrix(PC pc, const PCEngine &e) { return e.converted ? e.converted : pc->pmat; }

// What an application exchanges between ranks.
inline finegrain::Exchange PCEngineExchange(const PCEngine &e)
{
  return e.type->method == finegrain::Method::relaxation ? e.recipe.relaxation.exchange : finegrain::Exchange::none;
}

// Steps x += M^-1 (b - A x) of one application, the first from x = 0; each takes the next factor.
inline PetscInt PCEngineSteps(const PCEngine &e) { return (e.corrections + 1) * e.cycles * e.members; }

// Whether there may be several, as far as settings say.
inline bool PCEngineRepeats(const PCEngine &e)
{
  return e.corrections > 0 || e.cycles > 1 || e.alternate || e.alpha.size() > 1;
}

// Makes the conversion of an SBAIJ matrix, or brings it up to date. Collective.
PetscErrorCode PCEngineConvert(PC pc, PCEngine *e);

// Lets the ranks agree on colors and on the order of terms, for Exchange::color. Collective.
PetscErrorCode PCEngineAgree(PC pc, const PCEngine &e, finegrain::OperatorView *view);

// The DMDA of the PC or of its matrix; null: none.
PetscErrorCode PCEngineFindGrid(PC pc, DM *da);

// Where the engine shall work; an error where the one asked for is not there. Not collective.
PetscErrorCode PCEngineFindBackend(PC pc, const PCEngine &e, finegrain::Backend *backend);

// Makes ready for corrections, if that has not been done since the analysis. Collective.
PetscErrorCode PCEngineAllowCorrections(PC pc, PCEngine *e);

// Parts of an iteration of KSPSIP, x += M^-1 (b - A x), with the factor whose turn it is: the residual by Pmat, which
// lies in the engine's memory until the next call; x += M^-1 r; and step = M^-1 r, or that with M transposed.
PetscErrorCode PCEngineFindResidual(PC pc, Vec b, Vec x, const PetscScalar **r);
PetscErrorCode PCEngineAddStep(PC pc, PetscInt turn, const PetscScalar *r, Vec x);
PetscErrorCode PCEngineStep(PC pc, PetscInt turn, Vec r, Vec step, bool transposed);

// Gives the PC its applications: pc->ops, and a composed function for KSPREFINE; the second, which the first calls,
// those to several vectors (pcmatapply.cpp).
PetscErrorCode PCEngineSetApplications(PC pc);
PetscErrorCode PCEngineSetMatApplications(PC pc);

// Fills pc->data and pc->ops. To be called by the constructor of a type.
PetscErrorCode PCEngineCreate(PC pc, PCEngineType *type);

// The data of a PC of ours, null for any other.
PetscErrorCode PCEngineFind(PC pc, PCEngine **e);

// The same, but an error for any other.
PetscErrorCode PCEngineGet(PC pc, PCEngine **e);

// The next set-up begins with the analysis.
inline void PCEngineInvalidate(PC pc, PCEngine *e)
{
  e->analyzed = false;
  pc->setupcalled = PETSC_FALSE;
}

// Gives a setting a new value; the next set-up begins with the analysis if that changes it.
template <class T> PetscErrorCode PCEngineChange(PC pc, PCEngine *e, T &setting, const T &value)
{
  PetscFunctionBegin;
  if (setting == value) PetscFunctionReturn(PETSC_SUCCESS);
  setting = value;
  PCEngineInvalidate(pc, e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The public enumerations number their values as the engine's do.
template <class To, class From> constexpr To FinegrainEnum(From value)
{
  if constexpr (std::is_enum_v<From>) return static_cast<To>(static_cast<int>(value));
  else return static_cast<To>(value);
}

// Stops where ranks give different values.
template <class T> PetscErrorCode PCEngineCheckSame(PC pc, T value)
{
  PetscFunctionBegin;
  if constexpr (std::is_enum_v<T>) PetscValidLogicalCollectiveEnum(pc, value, 2);
  else if constexpr (std::is_same_v<T, PetscReal>) PetscValidLogicalCollectiveReal(pc, value, 2);
  else if constexpr (std::is_same_v<T, PetscBool>) PetscValidLogicalCollectiveBool(pc, value, 2);
  else PetscValidLogicalCollectiveInt(pc, value, 2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Whether the PC is of that type (null: any) and has those settings (0: any).
inline bool PCEngineMatches(const PCEngine &e, const char *type, unsigned has)
{
  return (!type || !std::strcmp(type, e.type->name)) && (e.type->has & has) == has;
}

// The body of a setter: gives setting(data) the value, in PCs of ours or, if they are given, of that type and with
// those settings only. The next set-up begins with the analysis.
template <class T, class Setting>
PetscErrorCode PCEngineSet(PC pc, T value, Setting setting, const char *type = nullptr, unsigned has = 0)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, &e));
  PetscCall(PCEngineCheckSame(pc, value));
  if (e && !PCEngineMatches(*e, type, has)) e = nullptr;
  if (e) {
    auto &to = setting(*e);
    const auto as = FinegrainEnum<std::remove_reference_t<decltype(to)>>(value);
    if constexpr (std::is_same_v<T, PetscInt>)
      PetscCheck(PetscInt(as) == value, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_OUTOFRANGE,
                 "A setting of -pc_type %s is %" PetscInt_FMT "; it must be below 2^31", e->type->name, value);
    PetscCall(PCEngineChange(pc, e, to, as));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Stops for a PC of another type, or without those settings.
inline PetscErrorCode PCEngineCheckType(PC pc, const PCEngine &e, const char *type, unsigned has)
{
  PetscFunctionBegin;
  PetscCheck(PCEngineMatches(e, type, has), PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_SUP,
             "Preconditioner of type %s has no such setting; it is one of %s%s", e.type->name,
             type ? "type " : "other types", type ? type : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The body of a getter; an error for PCs of others or, if they are given, of another type or without those settings.
template <class T, class Setting>
PetscErrorCode PCEngineGetSetting(PC pc, T *value, Setting setting, const char *type = nullptr, unsigned has = 0)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  PetscCall(PCEngineCheckType(pc, *e, type, has));
  *value = FinegrainEnum<T>(setting(*e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Options and view of all types.
PetscErrorCode PCSetFromOptions_Engine(PC pc, FinegrainOptionItems PetscOptionsObject);
PetscErrorCode PCView_Engine(PC pc, PetscViewer viewer);
PetscErrorCode PCEngineViewSettings(const PCEngine &e, PetscViewer viewer);
PetscErrorCode PCEngineViewBackend(PC pc, const PCEngine &e, const finegrain::Statistics &s, PetscViewer viewer);

// A line on the coloring. Collective.
PetscErrorCode PCEngineViewColoring(PC pc, const PCEngine &e, PetscViewer viewer);
