// SPDX-License-Identifier: BSD-2-Clause
// PC_Finegrain, the data of all preconditioner types (pc->data), in six structures. The comment of each names the
// files that use it. A type (types/) is a PCFinegrainType; types with their own settings derive their data from
// PC_Finegrain.
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
class SharedExchange; // ranks/shared_rows.hpp
}
struct PCFinegrainSetting; // options/settings.hpp
class TransformedSolve;    // solve/transformed_solve.hpp

// Setting that a type has.
struct PCFinegrainTypeSetting {
  const PCFinegrainSetting *setting;
  const char *values = nullptr; // permitted names of a choice, separated by commas; null: all
  bool option = true;           // false: there is a setter but no option
};

// Advice after a singular pivot of a factor.
inline constexpr char pivot_remedy_of_factors[] =
  "try @_shift_type inblocks, and other values of @_shift_amount (1e-8 to 1e-3) if the solution is poor";

// Preconditioner type, defined in its file of types/.
struct PCFinegrainType {
  const char *name; // name in -pc_type and in options -pc_<name>_...
  finegrain::Method method;
  std::span<const PCFinegrainTypeSetting> rows; // its own settings, and shared ones with restricted values
  PetscErrorCode (*options)(PC, finegrain::EngineOptions *); // sets the type's engine options; collective
  PetscErrorCode (*view)(PC, PetscViewer);                   // prints the type's own lines
  PetscErrorCode (*create)(PC);
  const char *citation;
  // Advice after a failed set-up and after a rejected solution, for PCFinegrainText().
  const char *pivot_remedy = pivot_remedy_of_factors, *accuracy_remedy = "";
  // Setting that makes results independent of the number of ranks.
  const char *ranks_remedy = "use @_global";
  PetscErrorCode (*check_matrix)(PC) = nullptr; // rejects a matrix, at every set-up; collective
  bool reads_upper = false;                     // reads SBAIJ without conversion
  PetscBool cited = PETSC_FALSE;                // since PetscInitialize()
};

// Settings of several types. They survive PCReset().
struct FinegrainSettings {
  PCFinegrainScheduleType schedule = PC_FINEGRAIN_SCHEDULE_AUTO;
  PCFinegrainAlgorithmType algorithm = PC_FINEGRAIN_ALGORITHM_AUTO;
  PCFinegrainBackendType backend = PC_FINEGRAIN_BACKEND_AUTO;
  PCFinegrainPrecisionType precision = PC_FINEGRAIN_PRECISION_WORKING;
  PCFinegrainDiagonalPrecisionType diag_precision = PC_FINEGRAIN_DIAGONAL_PRECISION_WORKING;
  MatFactorShiftType shift_type = MAT_SHIFT_NONE;
  PetscReal shift_amount = PETSC_SQRT_MACHINE_EPSILON;
  PetscReal zero_pivot = 100 * PETSC_MACHINE_EPSILON;
  PetscBool add_diagonal = PETSC_FALSE;
  PetscInt block_size = 0;    // of an AIJ matrix; 0: the matrix's own
  std::vector<PetscInt> grid; // I, J, K of each local grid; empty: that of the DM
  PCFinegrainGridCoupling grid_coupling = PC_FINEGRAIN_GRID_COUPLING_COUPLED;
  finegrain::Box tile;
  std::string ordering = MATORDERINGNATURAL;
  PCFinegrainColoringType coloring = PC_FINEGRAIN_COLORING_AUTO;
  PetscBool coloring_balance = PETSC_FALSE;
  PetscBool global = PETSC_FALSE;                             // one factor of all ranks
  PCFGBILUEisenstatType eisenstat = PCFGBILU_EISENSTAT_FALSE; // value for types without this setting
  PetscInt corrections = 0;                                   // in one application
  PCFinegrainApplyRichardsonType apply_richardson = PC_FINEGRAIN_APPLY_RICHARDSON_NONE;
  PCFinegrainCheckType check_solution = PC_FINEGRAIN_CHECK_FAIL;
};

// Change of Pmat since it was factored. If a PC is reused (KSPSetReusePreconditioner(), lagging), the factor stays
// as PETSc's does, but residuals use the current matrix: its arrays, or MatMult() if its structure, type or Mat has
// changed.
enum class MatrixChange { none, values, structure };

// The engine, and results of set-up (solve/set_up.cpp, solve/matrix_change.cpp).
struct FinegrainAnalysis {
  bool analyzed = false;
  finegrain::EngineOptions options; // from the settings, without ordering and back end
  finegrain::Operator op;
  std::unique_ptr<finegrain::Engine> engine;
  std::shared_ptr<void> blocks; // blocks of Pmat's device copy that the engine has converted (Relaxation::in_place)
  finegrain::FactorReport report;
  PetscReal diagonal_shift = 0;     // relative (Values::diagonal_shift)
  PetscInt factorizations = 1;      // in the last set-up: one, and one per shift
  std::string failure;              // reason why the last set-up failed; empty: it succeeded
  PetscInt factors = 1, cycles = 1; // factors applied in turn, and cycles of one application
  FinegrainStamp stamp;             // matrix that was analyzed, with the values that were factored
  FinegrainState compared;          // matrix that was compared last; `change` is the result
  MatrixChange change = MatrixChange::none;
  unsigned reserved = 0;                              // bit mask of the kinds of application with reserved memory
  bool has_corrections = false, has_products = false; // the engine can compute residuals, and products of the trick
  bool short_residual = false;                        // residuals from the factor, on all ranks (Statistics)
  Vec residual = nullptr, correction = nullptr;       // for residuals by MatMult()
};

// Matrix that is read instead of Pmat (solve/conversion.cpp).
struct FinegrainConversion {
  Mat matrix = nullptr;
  bool expanded_from_sbaij = false;
  finegrain::Defects defects; // defects of Pmat, which `matrix` does not have
  FinegrainState of;          // state of the converted matrix
};

// Communication between ranks (ranks/).
struct FinegrainRanks {
  bool has_halo = false;
  finegrain::PetscHalo halo;
  std::shared_ptr<finegrain::SharedExchange> shared; // for Method::shared, else null
  bool has_warned = false;                           // in -info, of what depends on the ranks
};

// Solve with Eisenstat's trick (solve/eisenstat_solve.cpp).
struct FinegrainEisenstat {
  TransformedSolve *now = nullptr; // the current solve, or null
  bool active = false;             // the shell replaces Amat, and the preconditioner is the identity
  bool symmetric = false;
  int dilu = -1; // 1: the factor is DILU on all ranks; 0: it is not; -1: not computed since the analysis
  Mat shell = nullptr;
  Vec rhs = nullptr;                      // right-hand side of the transformed system
  Vec solution = nullptr, work = nullptr; // for norms
  bool solved = false;                    // since the analysis
  const char *why = nullptr;              // reason why the last solve did without the trick; null: it used it

  PetscErrorCode reset();
};

// Check of solutions (solve/solution_check.cpp).
struct FinegrainCheck {
  Vec scales = nullptr, work = nullptr; // inverse row sums of a matrix
  FinegrainState scaled_by;             // state of that matrix
  bool transposed = false;
  PetscReal initial = -1;        // scaled residual of the initial guess, if the solver's test compares with it
  PetscReal eta = -1, limit = 0; // scaled residual of the last solution, relative to b; -1: not computed
  bool refused = false;          // the last solution is rejected: the PC's failed reason is that of the check
  std::string text;              // error message, with advice

  PetscErrorCode forget(PC pc); // forgets the last solution
  PetscErrorCode reset();
};

struct PC_Finegrain {
  PCFinegrainType *type = nullptr;
  FinegrainSettings settings;
  FinegrainAnalysis analysis;
  FinegrainConversion conversion;
  FinegrainRanks ranks;
  FinegrainEisenstat eisenstat;
  FinegrainCheck check;
  PetscErrorCode (*set_applications)(PC) = nullptr; // updates pc->ops for new settings (solve/apply.cpp)

  virtual ~PC_Finegrain() = default;
};
