// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters of what an application or a solve does besides sweeps: corrections, Richardson's iteration,
// Eisenstat's trick.
#include "pc/options/settings.hpp"

using namespace finegrain;

const char *const PCFinegrainApplyRichardsonTypes[] = {
  "none", "fixed", "tolerance", "PCFinegrainApplyRichardsonType", "PC_FINEGRAIN_APPLY_RICHARDSON_", nullptr};

namespace finegrain::settings
{
constinit const Common<PetscInt> corrections{"corrections",
                                             "Correction iterations inside one application",
                                             "PCFinegrainSetCorrections",
                                             &FinegrainSettings::corrections,
                                             0,
                                             std::numeric_limits<int>::max()};
constinit const Common<PCFinegrainApplyRichardsonType> apply_richardson{
  "apply_richardson",
  "Iterations of KSPRICHARDSON that the preconditioner makes itself",
  "PCFinegrainSetApplyRichardson",
  &FinegrainSettings::apply_richardson,
  PCFinegrainApplyRichardsonTypes,
  PCFinegrainEffect::application};
} // namespace finegrain::settings

/*@
   PCFinegrainSetCorrections - Sets the number of correction iterations inside one application

   Logically Collective

   Input Parameters:
+  pc - the preconditioner
-  k  - further steps x += M^-1 (b - A x) after x = M^-1 b, 0 by default; A is the matrix the preconditioner is made
from, in working precision, with its couplings between ranks

   Options Database Key:
.  -pc_fgbilu_corrections <k> - the number

   Level: intermediate

   Notes:
   One block of working precision a row and three vectors are kept for them.

   Where the factorization is DILU in working precision and the matrix has not changed since, a correction reads
   neither the matrix nor the upper blocks for its residual. The exchange between ranks overlaps with rows that need
   none.

   Applied to the transpose, corrections take the residual of the transposed matrix.

.seealso: `PCFinegrainGetCorrections()`, `KSPREFINE`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetCorrections(PC pc, PetscInt k) { return settings::corrections.set(pc, k); }

PetscErrorCode PCFinegrainGetCorrections(PC pc, PetscInt *k) { return settings::corrections.get(pc, k); }

/*@
   PCFinegrainSetApplyRichardson - Says whether `KSPRICHARDSON` leaves its iterations to the preconditioner

   Logically Collective

   Input Parameters:
+  pc         - the preconditioner
-  richardson - `PC_FINEGRAIN_APPLY_RICHARDSON_NONE` (default), `PC_FINEGRAIN_APPLY_RICHARDSON_FIXED` or
`PC_FINEGRAIN_APPLY_RICHARDSON_TOLERANCE`

   Options Database Key:
.  -pc_fgbilu_apply_richardson <none,fixed,tolerance> - the choice

   Level: advanced

   Notes:
   Inside, an iteration is a correction (`PCFinegrainSetCorrections()`), which reads about half of what a residual and
an application read. It acts where `KSPRICHARDSON` has no monitor, a damping of 1 and one matrix for residual and
preconditioner, and an application has no corrections of its own.

   The KSP does not say what it would test. Steps are what a smoother of `PCMG` does, tolerances what a solver with
the default, preconditioned norm does; then iterates, counts and reasons are those of `KSPRICHARDSON` itself, except
that no test follows the last allowed step.

.seealso: `PCFinegrainGetApplyRichardson()`, `PCApplyRichardson()`, `KSPRICHARDSON`, `KSPREFINE`
@*/
PetscErrorCode PCFinegrainSetApplyRichardson(PC pc, PCFinegrainApplyRichardsonType richardson)
{
  return settings::apply_richardson.set(pc, richardson);
}

PetscErrorCode PCFinegrainGetApplyRichardson(PC pc, PCFinegrainApplyRichardsonType *richardson)
{
  return settings::apply_richardson.get(pc, richardson);
}
