// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters of iterations inside an application or a solve: corrections and Richardson's iteration.
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
-  k  - further iterations x += M^-1 (b - A x) after x = M^-1 b, 0 by default; A is the preconditioning matrix in
        working precision, with its off-rank blocks

   Options Database Key:
.  -pc_fgbilu_corrections <k> - the number

   Level: intermediate

   Notes:
   Corrections need memory for one block of working precision per row and three vectors.

   If the factorization is DILU in working precision and the matrix has not changed since, the residual is computed
   from the factor: a correction then reads neither the matrix nor the upper blocks for it. The exchange between
   ranks overlaps with rows that need no ghost values.

   In transposed applications, corrections use the residual of the transposed matrix.

.seealso: `PCFinegrainGetCorrections()`, `KSPREFINE`, `PCFGBILU`
@*/
PetscErrorCode PCFinegrainSetCorrections(PC pc, PetscInt k) { return settings::corrections.set(pc, k); }

PetscErrorCode PCFinegrainGetCorrections(PC pc, PetscInt *k) { return settings::corrections.get(pc, k); }

/*@
   PCFinegrainSetApplyRichardson - Chooses if `KSPRICHARDSON` leaves its iterations to the preconditioner

   Logically Collective

   Input Parameters:
+  pc         - the preconditioner
-  richardson - `PC_FINEGRAIN_APPLY_RICHARDSON_NONE` (default), `PC_FINEGRAIN_APPLY_RICHARDSON_FIXED` or
                `PC_FINEGRAIN_APPLY_RICHARDSON_TOLERANCE`

   Options Database Key:
.  -pc_fgbilu_apply_richardson <none,fixed,tolerance> - the choice

   Level: advanced

   Notes:
   Inside the preconditioner an iteration is a correction (`PCFinegrainSetCorrections()`), which reads about half as
   much as a residual and an application. The setting acts if `KSPRICHARDSON` has no monitor, a damping of 1 and the
   same matrix for residual and preconditioner, and if applications have no corrections.

   The KSP does not tell the preconditioner which norm it would test. A fixed number of iterations is for smoothers
   of `PCMG`, tolerances are for solvers with the default, preconditioned norm. Iterates, counts and reasons are
   those of `KSPRICHARDSON`, except that no test follows the last permitted iteration.

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
