// SPDX-License-Identifier: BSD-2-Clause
// pc->data of all preconditioner types, PC_Finegrain: data in six parts, each used by the files that are named with
// it. A type (types/) is a PCFinegrainType; types with settings of their own derive their data from PC_Finegrain.
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

// A setting of a type.
struct PCFinegrainRow {
  const PCFinegrainSetting *setting;
  const char *values = nullptr; // the names of a choice that the type has, by commas; null: all
  bool option = true;           // else the setter alone is there
};

// What to try after a singular pivot of a factor.
inline constexpr char pivot_remedy_of_factors[] =
  "try @_shift_type inblocks, and other values of @_shift_amount (1e-8 to 1e-3) if the solution is poor";

// A type of preconditioner, defined in its file of types/.
struct PCFinegrainType {
  const char *name; // as in -pc_type; options are -pc_<name>_...
  finegrain::Method method;
  std::span<const PCFinegrainRow> rows;                      // its own settings, and shared ones that it restricts
  PetscErrorCode (*options)(PC, finegrain::EngineOptions *); // sets the type's part, before the analysis; collective
  PetscErrorCode (*view)(PC, PetscViewer);                   // the type's own lines
  PetscErrorCode (*create)(PC);
  const char *citation;
  // What to try after a failed set-up, and after a refused solution, for PCFinegrainText().
  const char *pivot_remedy = pivot_remedy_of_factors, *accuracy_remedy = "";
  PetscErrorCode (*check_matrix)(PC) = nullptr; // refuses a matrix, at every set-up; collective
  bool reads_upper = false;                     // SBAIJ is read as it is
  PetscBool cited = PETSC_FALSE;                // in this run of PETSc
};

// Settings that several types have. They survive PCReset().
struct FinegrainSettings {
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
  std::vector<PetscInt> grid; // I, J, K of each local grid; empty: the DM's
  PCFinegrainGridCoupling coupling = PC_FINEGRAIN_GRID_COUPLING_COUPLED;
  finegrain::Box tile;
  std::string ordering = MATORDERINGNATURAL;
  PCFinegrainColoringType coloring = PC_FINEGRAIN_COLORING_AUTO;
  PetscBool balance = PETSC_FALSE;
  PetscBool global = PETSC_FALSE;                             // one factor of all ranks
  PCFGBILUEisenstatType eisenstat = PCFGBILU_EISENSTAT_FALSE; // for types that have none
  PetscInt corrections = 0;                                   // inside one application
  PCFinegrainApplyRichardsonType apply_richardson = PC_FINEGRAIN_APPLY_RICHARDSON_NONE;
  PCFinegrainCheckType check_solution = PC_FINEGRAIN_CHECK_FAIL;
};

// The change of Pmat since it was factored. With a PC that is kept (KSPSetReusePreconditioner(), lagging) the factor
// stays, as PETSc's does. Residuals use the current matrix: its arrays, or MatMult() if its structure, type or Mat is
// another.
enum class MatrixChange { none, values, structure };

// The engine, and what set-up knows of it and of the matrix (solve/set_up.cpp, solve/matrix_change.cpp).
struct FinegrainAnalysis {
  bool analyzed = false;
  finegrain::EngineOptions options; // of the settings, without ordering and back end
  finegrain::Operator op;
  std::unique_ptr<finegrain::Engine> engine;
  std::shared_ptr<void> blocks; // of Pmat's device copy, which the engine has converted (Relaxation::in_place)
  finegrain::FactorReport report;
  PetscReal diagonal_shift = 0;     // relative (Values::diagonal_shift)
  PetscInt factorizations = 1;      // of the last set-up: one, and one for each shift
  std::string failure;              // the reason of the last set-up's failure; empty: it succeeded
  PetscInt factors = 1, cycles = 1; // factors applied in turn, and how often in one application
  FinegrainStamp stamp;             // of the matrix that was analyzed, with its values when they were factored
  FinegrainState compared;          // of the matrix that was compared last, and the result
  MatrixChange change = MatrixChange::none;
  unsigned reserved = 0;                              // bits for the kinds of application that have their memory
  bool has_corrections = false, has_products = false; // the engine is ready for residuals, for Eisenstat's products
  bool short_residual = false;                        // D is that of the matrix, on all ranks
  Vec residual = nullptr, correction = nullptr;       // for residuals by MatMult()
};

// The matrix that is read instead of Pmat (solve/conversion.cpp).
struct FinegrainConversion {
  Mat matrix = nullptr;
  bool expanded_from_sbaij = false;
  finegrain::Defects defects; // of Pmat, which `matrix` does not have
  FinegrainState of;          // of the matrix that was converted
};

// Communication (ranks/).
struct FinegrainRanks {
  bool has_halo = false;
  finegrain::PetscHalo halo;
  std::shared_ptr<finegrain::SharedExchange> shared; // of Method::shared, else null
};

// A solve with Eisenstat's trick (solve/eisenstat_solve.cpp).
struct FinegrainEisenstat {
  TransformedSolve *now = nullptr; // null: there is none
  bool active = false;             // the shell is in the place of Amat, and the preconditioner is the identity
  bool symmetric = false;
  int dilu = -1; // whether the factor is DILU on all ranks; -1: unknown since the analysis
  Mat shell = nullptr;
  Vec rhs = nullptr;                      // of the transformed system
  Vec solution = nullptr, work = nullptr; // for norms
  bool solved = false;                    // since the analysis
  const char *why = nullptr;              // the reason why the last solve had no trick; null: it had

  PetscErrorCode reset();
};

// The check of solutions (solve/solution_check.cpp).
struct FinegrainCheck {
  Vec scales = nullptr, work = nullptr; // the inverse row sums of a matrix
  FinegrainState scaled_by;             // that matrix
  bool transposed = false;
  PetscReal initial = -1;        // the scaled residual of the initial guess, where the solver's test compares with it
  PetscReal eta = -1, limit = 0; // the scaled residual of the last solution relative to b; -1: not computed
  bool refused = false;          // the last solution: the failed reason of the PC is this one, and not the set-up's
  std::string text;              // the message, with a remedy

  PetscErrorCode forget(PC pc); // the last solution
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
