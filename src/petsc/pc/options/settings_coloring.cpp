// SPDX-License-Identifier: BSD-2-Clause
// Setters and getters of colors, for the types that have them.
#include "pc/options/settings.hpp"

using namespace finegrain;

const char *const PCFinegrainColoringTypes[] = {
  "auto", "greedy", "lf", "sl", "jp", "redblack", "level", "PCFinegrainColoringType", "PC_FINEGRAIN_COLORING_",
  nullptr};

namespace finegrain::settings
{
constinit const Common<PCFinegrainColoringType> coloring{"coloring", "How block rows are colored",
                                                         "PCFinegrainSetColoring", &FinegrainSettings::coloring,
                                                         PCFinegrainColoringTypes};
constinit const Common<PetscBool> coloring_balance{"coloring_balance", "Evens out the sizes of the colors",
                                                   "PCFinegrainSetColoringBalance",
                                                   &FinegrainSettings::coloring_balance};
} // namespace finegrain::settings

static_assert(int(ColoringKind::level) == PC_FINEGRAIN_COLORING_LEVEL);
static_assert(int(ColoringKind::hash) == PC_FINEGRAIN_COLORING_JP);

/*@
   PCFinegrainSetColoring - Chooses how the block rows are colored

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  coloring - `PC_FINEGRAIN_COLORING_AUTO` (default) or another `PCFinegrainColoringType`

   Options Database Key:
.  -pc_mcpi_coloring, -pc_powerqilu_coloring <auto,greedy,lf,sl,jp,redblack,level> - the coloring

   Level: intermediate

   Note:
   Rows of one color do not depend on each other. A pattern that is not symmetric is colored together with its
   transpose, which `PCView()` reports. `PCPOWERQILU` colors a power of the pattern; redblack fits the first power
   only.

   With level a color is a level set: rows whose neighbors with smaller numbers are in earlier sets. There are many
   level sets, and a sweep goes in the order of rows, as that of `PCSOR`.

.seealso: `PCFinegrainGetColoring()`, `PCMCPI`, `PCPOWERQILU`
@*/
PetscErrorCode PCFinegrainSetColoring(PC pc, PCFinegrainColoringType coloring)
{
  return settings::coloring.set(pc, coloring);
}

PetscErrorCode PCFinegrainGetColoring(PC pc, PCFinegrainColoringType *coloring)
{
  return settings::coloring.get(pc, coloring);
}

/*@
   PCFinegrainSetColoringBalance - Chooses if colors get about equal numbers of block rows

   Logically Collective

   Input Parameters:
+  pc      - the preconditioner
-  balance - `PETSC_FALSE` by default

   Options Database Key:
.  -pc_mcpi_coloring_balance, -pc_powerqilu_coloring_balance <false> - true: balance the colors

   Level: advanced

   Note:
   The number of colors does not change.

.seealso: `PCFinegrainGetColoringBalance()`, `PCMCPI`, `PCPOWERQILU`
@*/
PetscErrorCode PCFinegrainSetColoringBalance(PC pc, PetscBool balance)
{
  return settings::coloring_balance.set(pc, balance);
}

PetscErrorCode PCFinegrainGetColoringBalance(PC pc, PetscBool *balance)
{
  return settings::coloring_balance.get(pc, balance);
}
