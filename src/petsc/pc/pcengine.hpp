// SPDX-License-Identifier: BSD-2-Clause
// What all preconditioner types share: pc->data, and the stages of its set-up. A type is a PCEngineType, in a file of
// its own beside this one; settings.hpp says what a setting is.
#pragma once

#include "common/matrix_copy.hpp"
#include "common/petsc_halo.hpp"
#include "common/runtime.hpp"

#include <petscfinegrain.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace finegrain
{
class SharedExchange; // shared_rows.hpp
}
struct PCEngine;
struct PCEngineSetting; // settings.hpp

// A setting of a type.
struct PCEngineRow {
  const PCEngineSetting *setting;
  const char *values = nullptr; // the names of a choice that the type has, by commas; null: all
  bool option = true;           // else the setter alone is there
};

// What to try where a pivot is singular.
inline constexpr char pcengine_pivot_remedy[] =
  "try @_shift_type inblocks, and other values of @_shift_amount (1e-8 to 1e-3) if the solution is poor";

// A type of preconditioner: what its file, beside this one, says of it.
struct PCEngineType {
  const char *name; // as in -pc_type; options are -pc_<name>_...
  finegrain::Method method;
  std::span<const PCEngineRow> rows; // its own settings, and common ones that it has less of, or options for
  PetscErrorCode (*options)(PC, finegrain::EngineOptions *); // fills the type's part, before the analysis; collective
  PetscErrorCode (*view)(PC, PetscViewer);                   // the type's own lines
  PetscErrorCode (*create)(PC);
  const char *citation;
  // What to try after a failed set-up, and after a solution that was refused, for PCEngineText().
  const char *pivot_remedy = pcengine_pivot_remedy, *accuracy_remedy = "";
  PetscErrorCode (*check_matrix)(PC) = nullptr; // refuses a matrix, at every set-up; collective
  bool reads_upper = false;                     // of the matrix, so that SBAIJ is read as it is
  PetscBool cited = PETSC_FALSE;                // by this run of PETSc
};

class TransformedSolve; // transformed_solve.hpp

// Of solves with Eisenstat's trick (eisenstat.cpp).
struct PCEngineEisenstat {
  TransformedSolve *now = nullptr; // null: there is none
  bool active = false;             // the shell is in the place of Amat, and the preconditioner is the identity
  bool symmetric = false;
  int dilu = -1; // whether the factor is DILU on all ranks; -1: not asked since the analysis
  Mat shell = nullptr;
  Vec rhs = nullptr;                      // what the KSP solves for
  Vec solution = nullptr, work = nullptr; // where norms are measured
  bool solved = false;                    // since the analysis
  const char *why = nullptr;              // the last solve went without; null: it did not

  PetscErrorCode reset();
};

// The check of solutions (solution_check.cpp).
struct PCEngineCheck {
  Vec scales = nullptr, work = nullptr; // the inverse row sums of a matrix, and that matrix
  FinegrainState scaled_by;
  bool transposed = false;
  PetscReal initial = -1;        // the scaled residual of the initial guess, where the solver's test compares with it
  PetscReal eta = -1, limit = 0; // the scaled residual of the last solution relative to b; -1: not computed
  bool refused = false;          // the last solution: the failed reason of the PC is this one, and not the set-up's
  std::string text;              // says so, with the remedy

  PetscErrorCode forget(PC pc); // the last solution
  PetscErrorCode reset();
};

// What has become of Pmat since it was factored. With a PC that is kept (KSPSetReusePreconditioner(), lagging) the
// factor stays, as PETSc's does, and residuals are those of the matrix of the day: from its arrays, or, of another
// structure, type or Mat, from MatMult().
enum class MatrixChange { none, values, structure };

// pc->data of all types; a type with settings of its own derives from it.
struct PCEngine {
  PCEngineType *type = nullptr;

  virtual ~PCEngine() = default;

  // The common settings. They survive PCReset().
  PCFinegrainScheduleType schedule = PC_FINEGRAIN_SCHEDULE_AUTO;
  PCFinegrainAlgorithmType algorithm = PC_FINEGRAIN_ALGORITHM_AUTO;
  PCFinegrainBackendType backend = PC_FINEGRAIN_BACKEND_AUTO;
  PCFinegrainPrecisionType precision = PC_FINEGRAIN_PRECISION_WORKING;
  PCFinegrainDiagonalPrecisionType diagonal = PC_FINEGRAIN_DIAGONAL_PRECISION_WORKING;
  MatFactorShiftType shift_type = MAT_SHIFT_NONE;
  PetscReal shift_amount = PETSC_SQRT_MACHINE_EPSILON;
  PetscReal zero_pivot = 100 * PETSC_MACHINE_EPSILON;
  PetscBool add_diagonal = PETSC_FALSE;
  PetscInt block_size = 0;    // of an AIJ matrix; 0: its own
  std::vector<PetscInt> grid; // I, J, K of each local grid; empty: ask the DM
  PCFinegrainGridCoupling coupling = PC_FINEGRAIN_GRID_COUPLING_COUPLED;
  finegrain::Box tile;
  std::string ordering = MATORDERINGNATURAL;
  PCFinegrainColoringType coloring = PC_FINEGRAIN_COLORING_AUTO;
  PetscBool balance = PETSC_FALSE;
  PCFGBILUEisenstatType eisenstat = PCFGBILU_EISENSTAT_FALSE; // of types that have none
  PetscInt corrections = 0;                                   // inside one application
  PetscBool global = PETSC_FALSE;                             // one factor of all ranks
  PCFinegrainApplyRichardsonType apply_richardson = PC_FINEGRAIN_APPLY_RICHARDSON_NONE;
  PCFinegrainCheckType check_solution = PC_FINEGRAIN_CHECK_FAIL;

  // What set-up made.
  bool analyzed = false;
  finegrain::EngineOptions options; // what the settings came to, less ordering and back end
  finegrain::Operator op;
  std::unique_ptr<finegrain::Engine> engine;
  std::shared_ptr<void> blocks; // of Pmat's mirror, which the engine has narrowed (Relaxation::in_place)
  finegrain::FactorReport report;
  PetscReal raise = 0;              // of diagonal entries, relative (Values::raise)
  PetscInt factorizations = 1;      // of the last set-up: one, and one for each raise
  std::string trouble;              // why the last set-up failed; empty: it did not
  PetscInt factors = 1, cycles = 1; // factors that take turns, and how often in one application
  FinegrainStamp stamp;             // of the matrix that was analyzed, with its values when they were factored
  FinegrainState compared;          // of the matrix that PCEngineFindChange() has seen last, and what it said
  MatrixChange change = MatrixChange::none;
  Mat converted = nullptr;     // what is read instead of Pmat (conversion.cpp)
  bool whole = false;          // it is BAIJ, of an SBAIJ matrix
  finegrain::Defects defects;  // that it mends
  FinegrainState converted_of; // of the matrix that was converted

  PCEngineEisenstat solve;
  PCEngineCheck check;

  // The exchange between ranks, made where an application or a correction needs it.
  bool has_halo = false;

  std::shared_ptr<finegrain::SharedExchange> shared; // of Method::shared, else null

  // What applications of one vector have reserved: plain, transposed, and both from several factors.
  unsigned reserved = 0;

  // What corrections need; made at first use.
  bool has_corrections = false, has_products = false; // of Eisenstat's trick
  bool short_residual = false;                        // D is that of the matrix, on all ranks
  finegrain::PetscHalo halo;
  Vec residual = nullptr, correction = nullptr; // where PETSc finds residuals
};

// Whether the couplings lie where Pmat's mirror was.
inline bool PCEngineIsInPlace(const PCEngine &e) { return e.options.relaxation.in_place; }

// Stops where Pmat has no mirror that can be given away, or somebody will need it. Not collective.
PetscErrorCode PCEngineCheckInPlace(PC pc, const PCEngine &e);

// The matrix that is read: the PC's, or its conversion.
inline Mat PCEngineMatrix(PC pc, const PCEngine &e) { return e.converted ? e.converted : pc->pmat; }

// What an application exchanges between ranks.
inline finegrain::Exchange PCEngineExchange(const PCEngine &e) { return e.options.relaxation.exchange; }
inline bool PCEngineSharesRows(const PCEngine &e)
{
  return e.options.method == finegrain::Method::shared || e.options.pipelined;
}

// The first error of an exchange since the last call: the engine lets none through.
PetscErrorCode PCEngineTakeError(PCEngine *e);

// Steps x += M^-1 (b - A x) of one application, the first from x = 0; each takes the next factor.
inline PetscInt64 PCEngineSteps(const PCEngine &e) { return (PetscInt64(e.corrections) + 1) * e.cycles * e.factors; }

// Collective.
PetscErrorCode PCEngineFindChange(PC pc, PCEngine *e, MatrixChange *change);

// Whether the engine makes residuals of Pmat as it is now, and makes it ready to; else MatMult() does. Collective.
PetscErrorCode PCEngineMakesResiduals(PC pc, PCEngine *e, bool *makes);

// Makes what is read instead of Pmat, if that cannot be read as it is, or brings it up to date. Collective.
PetscErrorCode PCEngineConvert(PC pc, PCEngine *e);

// Makes what the first application of a kind needs, so that it may fail before others wait for this rank. Collective.
PetscErrorCode PCEngineReserve(PC pc, PCEngine *e, const finegrain::Application &kind);
// Factors, with Shift::definite again and again with larger diagonal entries until all ranks' pivots are definite.
// Collective.
PetscErrorCode PCEngineFactor(PC pc, PCEngine *e, finegrain::Values values, finegrain::Real largest);

// An error for what the engine's analysis refuses on this rank: block rows from `first_row` on. Not collective.
PetscErrorCode PCEngineRefuse(PC pc, const PCEngine &e, const finegrain::SetupError &error, PetscInt first_row,
                              finegrain::Index rows, const finegrain::Grid &grid);

// The failed reason, and e->trouble, of what the factorization found on any rank. Collective.
PetscErrorCode PCEngineReportTrouble(PC pc, PCEngine *e);

// x = M^-1 b as PCApply() has it, but outside of log events and whatever the last set-up said. Collective.
PetscErrorCode PCEngineApply(PC pc, Vec b, Vec x);

// Lets the ranks agree on colors and on the order of terms, for Exchange::color. Collective.
PetscErrorCode PCEngineAgree(PC pc, const PCEngine &e, finegrain::OperatorView *view);

// The DMDA of the PC or of its matrix, set up; null: none. Collective.
PetscErrorCode PCEngineFindGrid(PC pc, DM *da);

// Where the engine shall work; an error where the one asked for is not there. Not collective.
PetscErrorCode PCEngineFindBackend(PC pc, const PCEngine &e, finegrain::Backend *backend);

// Parts of an iteration of KSPSIP, x += M^-1 (b - A x), with the factor whose turn it is: the residual by Pmat, which
// lies in the engine's memory until the next call; x += M^-1 r; and step = M^-1 r, or that with M transposed.
PetscErrorCode PCEngineFindResidual(PC pc, Vec b, Vec x, const PetscScalar **r);
PetscErrorCode PCEngineAddStep(PC pc, PetscInt turn, const PetscScalar *r, Vec x);
PetscErrorCode PCEngineStep(PC pc, PetscInt turn, Vec r, Vec step, bool transposed);

// Gives the PC its applications: pc->ops, and a composed function for KSPREFINE; the second, which the first calls,
// those to several vectors (apply_many.cpp).
PetscErrorCode PCEngineSetApplications(PC pc);
PetscErrorCode PCEngineSetMatApplications(PC pc);

// Those that are parts of M, P_L^-1 and P_R^-1 (eisenstat.cpp).
PetscErrorCode PCEngineSetParts(PC pc);

// A KSP's own solver, and the one that takes its place for one solve (ksp_solve.cpp).
using KSPSolver = PetscErrorCode (*)(KSP);
PetscErrorCode PCEngineSetSolve(PC pc);

// Why the settings exclude the trick where nobody asked for it; null: they do not.
const char *PCEngineExcludesEisenstat(const PCEngine &e, const finegrain::EngineOptions &options);

PetscErrorCode PCEngineViewEisenstat(const PCEngine &e, PetscViewer viewer);

// Makes what the trick's products need, once after an analysis. Collective.
PetscErrorCode PCEngineAllowProducts(PC pc, PCEngine *e);

// Runs the KSP's solver with Eisenstat's trick, or without it where it cannot be used. Collective.
PetscErrorCode PCEngineSolveByParts(PC pc, PCEngine *e, KSP ksp, KSPSolver solve);

// Whether the KSP is inside another preconditioner, where a wrong solution is that preconditioner's affair.
bool PCEngineIsInside(KSP ksp);

// Around the KSP's solver: the check of its solution, which may change ksp->reason. Collective.
PetscErrorCode PCEngineBeginCheck(PC pc, PCEngine *e, KSP ksp);
PetscErrorCode PCEngineEndCheck(PC pc, PCEngine *e, KSP ksp);
PetscErrorCode PCEngineViewCheck(const PCEngine &e, PetscViewer viewer);

// A grid that was set before the PC had a type. Collective where there is one.
PetscErrorCode PCEngineTakeGrid(PC pc, PCEngine *e);

// Gives the PC its data and pc->ops.
PetscErrorCode PCEngineCreate(PC pc, PCEngineType &type, PCEngine *data);

// The constructor of a type, for PCEngineType::create.
template <class Data, PCEngineType &type> PetscErrorCode PCEngineConstruct(PC pc)
{
  Data *data = nullptr;

  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(pc, [&] { data = new Data; }));
  PetscCall(PCEngineCreate(pc, type, data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

// The public enumerations number their values as the engine's do.
template <class To, class From> constexpr To FinegrainEnum(From value)
{
  if constexpr (std::is_enum_v<From>) return static_cast<To>(static_cast<int>(value));
  else return static_cast<To>(value);
}

// The own settings of a PC of that type.
template <class Data> Data &PCEngineData(PC pc) { return *static_cast<Data *>(static_cast<PCEngine *>(pc->data)); }

// Options and view of all types.
PetscErrorCode PCSetFromOptions_Engine(PC pc, FinegrainOptionItems PetscOptionsObject);
PetscErrorCode PCSetUp_Engine(PC pc);
PetscErrorCode PCView_Engine(PC pc, PetscViewer viewer);
PetscErrorCode PCEngineViewBackend(PC pc, const PCEngine &e, const finegrain::Statistics &s, PetscViewer viewer);

// What viewers other than ASCII show: a string, a picture of the groups (view_draw.cpp). Collective.
PetscErrorCode PCEngineViewOtherwise(PC pc, const PCEngine &e, PetscViewer viewer);

// A line on the coloring. Collective.
PetscErrorCode PCEngineViewColoring(PC pc, const PCEngine &e, PetscViewer viewer);

// The line about entries that storage has made zero; `more` ends it. Collective.
PetscErrorCode PCEngineViewFlushed(PC pc, const PCEngine &e, PetscViewer viewer, const char *more);
