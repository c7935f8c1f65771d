// SPDX-License-Identifier: BSD-2-Clause
// Chooses the solves that use Eisenstat's trick. By default these are solves that it changes in time and rounding
// only: the factor is DILU in working precision, and nobody uses features of the KSP that the trick does not
// support.
#include "pc/solve/eisenstat_choice.hpp"
#include "pc/solve/ksp_inside.hpp"
#include "pc/solve/steps.hpp"
#include "pc/options/settings.hpp"
#include "pc/solve/matrix_change.hpp"
#include "pc/solve/transformed_solve.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

using namespace finegrain;

const char *const PCFGBILUEisenstatTypes[] = {"false", "true", "auto", "PCFGBILUEisenstatType", "PCFGBILU_EISENSTAT_",
                                              nullptr};

constinit const settings::Common<PCFGBILUEisenstatType> settings::eisenstat{
  "eisenstat", "Let sweeps make the product with the matrix too", "PCFGBILUSetEisenstat",
  &FinegrainSettings::eisenstat, PCFGBILUEisenstatTypes};

const EisenstatSolver *FindEisenstatSolver(KSP ksp)
{
  static constexpr EisenstatSolver solvers[] = {
    {KSPGMRES, true, true},    {KSPFGMRES, true, true},      {KSPLGMRES, true, true},
    {KSPDGMRES, true, true},   {KSPPGMRES, true, true},      {KSPGCR, true, true},
    {KSPBCGS, true, true},     {KSPBCGSL, true, false},      {KSPFBCGS, true, true},
    {KSPFBCGSR, true, false},  {KSPIBCGS, true, true},       {KSPPIPEBCGS, true, true},
    {KSPCGS, true, true},      {KSPPIPEFGMRES, true, false}, {KSPPIPEGCR, true, false},
    {KSPQMRCGS, true, false},  {KSPTFQMR, true, false},      {KSPTCQMR, true, false},
    {KSPBICG, true, false},    {KSPRICHARDSON, true, false}, {KSPCHEBYSHEV, true, false},
    {KSPLSQR, true, false},    {KSPCGNE, true, false},       {KSPCGLS, true, false},
    {KSPCG, false, true},      {KSPFCG, false, true},        {KSPPIPECG, false, true},
    {KSPGROPPCG, false, true}, {KSPPIPEPRCG, false, true},   {KSPPIPEFCG, false, true},
    {KSPCR, false, true},      {KSPPIPECR, false, true}};
  const std::string_view type = reinterpret_cast<PetscObject>(ksp)->type_name;
  const auto *found =
    std::find_if(std::begin(solvers), std::end(solvers), [&](const auto &s) { return type == s.type; });
  return found == std::end(solvers) ? nullptr : found;
}

namespace
{

// True if all monitors use norms only, or solutions and residuals by KSPBuildSolution() and KSPBuildResidual().
bool HasOnlyKnownMonitors(KSP ksp)
{
  using Function = void (*)();
  static const std::array known = {
    Function(KSPMonitorResidual),           Function(KSPMonitorResidualRange),   Function(KSPMonitorResidualDraw),
    Function(KSPMonitorResidualDrawLG),     Function(KSPMonitorTrueResidual),    Function(KSPMonitorTrueResidualDraw),
    Function(KSPMonitorTrueResidualDrawLG), Function(KSPMonitorTrueResidualMax), Function(KSPMonitorSolution),
    Function(KSPMonitorSolutionDraw),       Function(KSPMonitorSolutionDrawLG)};
  return std::all_of(ksp->monitor, ksp->monitor + ksp->numbermonitors,
                     [&](auto m) { return std::find(known.begin(), known.end(), Function(m)) != known.end(); });
}

// A solve with fewer iterations, or with a larger tolerance, does not save the time that the trick needs for
// preparation.
constexpr PetscInt few_iterations = 10;
constexpr PetscReal few_iterations_rtol = PetscReal(1e-3);

// Returns a reason not to use the trick in this solve with `auto`, or null.
const char *FindDoubt(PC pc, const PC_Finegrain &e, KSP ksp)
{
  const EisenstatSolver *solver = FindEisenstatSolver(ksp);
  if (e.analysis.op.backend == Backend::device) return "on a device it has gained nothing";
  if (!solver || !solver->builds) return "the trick is not known to be good for this KSP";
  if (pc->mat != pc->pmat) return "Amat is not Pmat";
  if (ksp->converged != KSPConvergedDefault) return "the convergence test is the program's";
  if (ksp->normtype == KSP_NORM_NONE) return "no norm is tested";
  if (ksp->rtol > few_iterations_rtol || ksp->max_it < few_iterations) return "few iterations would not pay for it";
  if (PCFinegrainIsInside(ksp)) return "the solve is inside another preconditioner";
  // Only KSPs of the CG family test r^H M^-1 r with this norm.
  if (ksp->normtype == KSP_NORM_NATURAL &&
      (solver->any_matrix || std::string_view(solver->type).find(KSPCG) == std::string_view::npos))
    return "the norm is the natural one";
  if (ksp->pc_side == PC_SYMMETRIC) return "the preconditioner is on both sides";
  if (ksp->transpose_solve) return "the system is transposed";
  if (ksp->calc_sings || ksp->calc_ritz) return "singular values or Ritz pairs are asked for";
  if (ksp->err_hist) return "a history of errors is asked for";
  if (ksp->dscale) return "the KSP scales the matrix";
  if (!HasOnlyKnownMonitors(ksp)) return "there is a monitor of the program's";
  return nullptr;
}

// Finds if the factor is DILU on all ranks.
PetscErrorCode FindWhetherDILU(PC pc, PC_Finegrain *e, bool *dilu)
{
  PetscMPIInt mine = e->analysis.engine->statistics().factor == FactorKind::dilu, all;

  PetscFunctionBegin;
  if (e->eisenstat.dilu < 0) {
    PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
    e->eisenstat.dilu = all;
  }
  *dilu = e->eisenstat.dilu > 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

// Returns the reason why the settings exclude the trick with `auto`, or null.
const char *PCFinegrainExcludesEisenstat(const PC_Finegrain &e, const EngineOptions &options)
{
  if (options.precision != Precision::working) return "the factor is not in working precision";
  if (options.factor != FactorKind::automatic && options.factor != FactorKind::dilu) return "the factor is not DILU";
  if (options.pipelined) return "ranks factor together";
  if (PCFinegrainSteps(e) > 1) return "an application has several steps";
  if (e.settings.apply_richardson != PC_FINEGRAIN_APPLY_RICHARDSON_NONE)
    return "the preconditioner makes Richardson's iterations";
  return nullptr;
}

PetscErrorCode FindEisenstatObstacle(PC pc, PC_Finegrain *e, KSP ksp, const char **why)
{
  MatrixChange change;
  MatNullSpace space;
  PetscBool guess, own, once;
  bool dilu = true;

  PetscFunctionBegin;
  *why = nullptr;
  PetscCall(PCFinegrainFindChange(pc, e, &change));
  PetscCall(MatGetNullSpace(pc->mat, &space));
  PetscCall(KSPGetInitialGuessNonzero(ksp, &guess));
  PetscCall(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(ksp), &own, KSPREFINE, KSPSIP, ""));
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp), KSPPREONLY, &once));
  if (e->eisenstat.now) *why = "another solve with the same preconditioner has it";
  else if (pc->failedreason) *why = "the set-up has failed";
  else if (change != MatrixChange::none) *why = "the matrix has changed since it was factored";
  else if (space) *why = "the matrix has a null space";
  else if (ksp->transpose_solve && guess) *why = "a transposed solve has an initial guess";
  else if (once) *why = "there is one application, and no product";
  else if (own) *why = "this KSP makes its residuals itself";
  if (*why || e->settings.eisenstat == PCFGBILU_EISENSTAT_TRUE) PetscFunctionReturn(PETSC_SUCCESS);
  *why = PCFinegrainExcludesEisenstat(*e, e->analysis.options);
  if (!*why) *why = FindDoubt(pc, *e, ksp);
  if (!*why) PetscCall(FindWhetherDILU(pc, e, &dilu));
  if (!dilu) *why = "ILU(0) of this graph is not DILU; -pc_fgbilu_factor dilu makes it so";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainViewEisenstat(const PC_Finegrain &e, PetscViewer viewer)
{
  const char *settings =
    e.settings.eisenstat == PCFGBILU_EISENSTAT_AUTO ? PCFinegrainExcludesEisenstat(e, e.analysis.options) : nullptr;
  const std::string last = settings              ? std::string("never, because ").append(settings)
                           : !e.eisenstat.solved ? "no solve yet"
                           : !e.eisenstat.why
                             ? "in the last solve"
                             : std::string("not in the last solve, because ").append(e.eisenstat.why);

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "Eisenstat's trick: %s, %s\n",
                                   PCFGBILUEisenstatTypes[e.settings.eisenstat],
                                   e.settings.eisenstat == PCFGBILU_EISENSTAT_FALSE ? "never" : last.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCFGBILUSetEisenstat - Chooses the solves in which the sweeps of an application also compute the product with the
   matrix

   Logically Collective

   Input Parameters:
+  pc        - the preconditioner
-  eisenstat - `PCFGBILU_EISENSTAT_AUTO` (default), `PCFGBILU_EISENSTAT_TRUE` or `PCFGBILU_EISENSTAT_FALSE`

   Options Database Key:
.  -pc_fgbilu_eisenstat <auto,true,false> - the solves that use Eisenstat's trick

   Level: intermediate

   Notes:
   DILU keeps the off-diagonal blocks of A = L + D_A + U + C, where C are the ignored blocks, and is M = P_L P_R with
   P_L = D + L and P_R = I + D^-1 U. During a solve the operator of the `KSP` is P_L^-1 A P_R^-1, and its
   preconditioner the identity. A product consists of the two sweeps of an application: on the star of a
   three-dimensional grid an iteration reads 7 blocks per row instead of 14. In exact arithmetic the Krylov space is
   that of M^-1 A. Methods that minimize a norm minimize another one, that of P_L^-1 (b - A x). Iteration counts
   change by a few per cent, or more with restarts of GMRES and with methods for unsymmetric systems.

   The requested norm ends the solve: it is computed at the first two iterations, a few times in between and wherever
   the test would end the solve, and the `KSP` reports it at the end. In between, monitors and the history show the
   other norm, scaled to match at the first iteration. `KSPBuildSolution()` and `KSPBuildResidual()` return those of
   A x = b.

   With auto a solve uses the trick if the factor is DILU in working precision on the host (as
   `PCFGBILU_FACTOR_DILU`, and ILU(0) of a graph without triangles), an application has no corrections, Amat is Pmat,
   the `KSP` is one of the GMRES, BCGS and CG families, GCR, CGS or CR, it has PETSc's own test of a norm with a
   relative tolerance of 1e-3 or less and at least 10 iterations, it is not inside another preconditioner, and all
   monitors are PETSc's. All other solves do without; the view and -info give the reason.

   With true the factor is DILU on any matrix, and any `KSP` on any side uses the trick; those that are not in the
   list above test the other norm. Another factor, lower precision, corrections, -pc_fgbilu_apply_richardson and an
   Amat that is not Pmat are errors. During a solve, `KSPGetRhs()` and `KSPGetSolution()` called inside an operation
   of the matrix return those of the other system.

   With auto and true a solve does without the trick if the matrix has changed since it was factored or has a null
   space, under `KSPPREONLY` and `KSPREFINE`, and if a `KSP` needs a symmetric operator and a pivot is not
   positive definite. `KSP`s that need a symmetric operator get P_L = D S^-H + L S^-H and P_R = S^-1 D + S^-1 U with
   D = S S^H, which stores the upper blocks once more.

   References:
.  * - S. C. Eisenstat, Efficient implementation of a class of preconditioned conjugate gradient methods, SIAM Journal
       on Scientific and Statistical Computing 2 (1981)

.seealso: `PCFGBILUGetEisenstat()`, `PCFGBILU`, `PCEISENSTAT`
@*/
PetscErrorCode PCFGBILUSetEisenstat(PC pc, PCFGBILUEisenstatType eisenstat)
{
  return settings::eisenstat.set(pc, eisenstat);
}

PetscErrorCode PCFGBILUGetEisenstat(PC pc, PCFGBILUEisenstatType *eisenstat)
{
  return settings::eisenstat.get(pc, eisenstat);
}
