// SPDX-License-Identifier: BSD-2-Clause
// PCPOWERQILU: manual page, options, setters, view.
#include "pc/options/settings.hpp"
#include "pc/solve/view_coloring.hpp"
#include "pc/ranks/shared_rows.hpp"
#include "pc/solve/life_cycle.hpp"
#include "pc/types.hpp"

#include <string>

using namespace finegrain;

const char *const PCPOWERQILUDropTypes[] = {"during", "after", "none", "PCPOWERQILUDropType", "PCPOWERQILU_DROP_",
                                            nullptr};
namespace
{

struct PowerqIlu final : PC_Finegrain {
  PetscInt levels = 0, power = 0; // p and q; q = 0 stands for p + 1
  PCPOWERQILUDropType drop = PCPOWERQILU_DROP_DURING;
  PetscInt drop_band = 0;
};
constinit const PCFinegrainValue<PowerqIlu, PetscInt> levels_setting{
  "levels", "Levels of fill, p", "PCPOWERQILUSetLevels", &PowerqIlu::levels, PetscInt(0)};
constinit const PCFinegrainValue<PowerqIlu, PetscInt> power_setting{
  "power", "Power of the pattern that is colored, q (0: p + 1)", "PCPOWERQILUSetPower", &PowerqIlu::power,
  PetscInt(0)};
constinit const PCFinegrainValue<PowerqIlu, PCPOWERQILUDropType> drop_setting{
  "drop", "Fill between rows of one color", "PCPOWERQILUSetDrop", &PowerqIlu::drop, PCPOWERQILUDropTypes};
constinit const PCFinegrainValue<PowerqIlu, PetscInt> drop_band_setting{
  "drop_band", "Entries no further from the diagonal are dropped (schedule level)", "PCPOWERQILUSetDropBand",
  &PowerqIlu::drop_band, PetscInt(0)};

} // namespace

static_assert(int(Drop::none) == PCPOWERQILU_DROP_NONE);

/*@
   PCPOWERQILUSetLevels - Sets the levels of fill

   Logically Collective

   Input Parameters:
+  pc     - the preconditioner
-  levels - p of ILU(p), 0 (default) or more

   Options Database Key:
.  -pc_powerqilu_levels <0> - p

   Level: intermediate

   Note:
   Entries of the matrix have level 0. Fill has the smallest level lev(i,k) + lev(k,j) + 1 over the rows k that are
   eliminated before i and j. Fill of a level above p is dropped.

.seealso: `PCPOWERQILUGetLevels()`, `PCPOWERQILUSetPower()`, `PCFactorSetLevels()`, `PCPOWERQILU`
@*/
PetscErrorCode PCPOWERQILUSetLevels(PC pc, PetscInt levels) { return levels_setting.set(pc, levels); }

PetscErrorCode PCPOWERQILUGetLevels(PC pc, PetscInt *levels) { return levels_setting.get(pc, levels); }

/*@
   PCPOWERQILUSetPower - Sets the power of the pattern that is colored

   Logically Collective

   Input Parameters:
+  pc    - the preconditioner
-  power - q of |A|^q, 1 or more; 0 (default) for p + 1

   Options Database Key:
.  -pc_powerqilu_power <p + 1> - q

   Level: intermediate

   Note:
   With q > p ILU(p) does not couple block rows of one color. A smaller q needs fewer colors; `PCPOWERQILUSetDrop()`
   chooses what happens to fill between rows of one color.

.seealso: `PCPOWERQILUGetPower()`, `PCPOWERQILUSetLevels()`, `PCFinegrainSetColoring()`, `PCPOWERQILU`
@*/
PetscErrorCode PCPOWERQILUSetPower(PC pc, PetscInt power) { return power_setting.set(pc, power); }

PetscErrorCode PCPOWERQILUGetPower(PC pc, PetscInt *power) { return power_setting.get(pc, power); }

/*@
   PCPOWERQILUSetDrop - Chooses what happens to fill between block rows of one color

   Logically Collective

   Input Parameters:
+  pc   - the preconditioner
-  drop - `PCPOWERQILU_DROP_DURING` (default), `PCPOWERQILU_DROP_AFTER` or `PCPOWERQILU_DROP_NONE`

   Options Database Key:
.  -pc_powerqilu_drop <during,after,none> - when fill is dropped

   Level: intermediate

   Note:
   There is no such fill with q > p. Heuveline, Lukarski and Weiss drop it after the factorization
   (`PCPOWERQILU_DROP_AFTER`), which then runs by level sets and needs separate memory for the whole factor. The
   sweeps use the remaining blocks: with algorithm levels they run by colors, with tasks they wait for the same rows
   as the factorization. With `PCPOWERQILU_DROP_NONE` factorization and sweeps run by level sets if there is such
   fill.

.seealso: `PCPOWERQILUGetDrop()`, `PCPOWERQILUSetPower()`, `PCPOWERQILU`
@*/
PetscErrorCode PCPOWERQILUSetDrop(PC pc, PCPOWERQILUDropType drop) { return drop_setting.set(pc, drop); }

PetscErrorCode PCPOWERQILUGetDrop(PC pc, PCPOWERQILUDropType *drop) { return drop_setting.get(pc, drop); }

/*@
   PCPOWERQILUSetDropBand - Sets the band around the diagonal in which entries are dropped, with level schedules

   Logically Collective

   Input Parameters:
+  pc   - the preconditioner
-  band - 0 (default): none; else entries l_ij of L and u_ij of U, i != j, are dropped after the factorization if the
          rows i and j are at most this many places apart in the order of elimination

   Options Database Key:
.  -pc_powerqilu_drop_band <0> - the half bandwidth, in block rows

   Level: advanced

   Notes:
   Heuveline, Lukarski and Weiss (section 3.12) use it to get fewer level sets, and find that the preconditioner
   becomes worse; with p = 0 a narrow band can pay off. It needs -pc_powerqilu_schedule level.

   The factorization runs by its own level sets and needs separate memory for the whole factor. With algorithm levels
   the sweeps run by the fewer level sets; with tasks they wait for the same rows as the factorization.

.seealso: `PCPOWERQILUGetDropBand()`, `PCPOWERQILUSetDrop()`, `PCPOWERQILU`
@*/
PetscErrorCode PCPOWERQILUSetDropBand(PC pc, PetscInt band) { return drop_band_setting.set(pc, band); }

PetscErrorCode PCPOWERQILUGetDropBand(PC pc, PetscInt *band) { return drop_band_setting.get(pc, band); }

static PetscErrorCode PCOptions_POWERQILU(PC pc, EngineOptions *options)
{
  const PowerqIlu &e = PCFinegrainData<PowerqIlu>(pc);

  PetscFunctionBegin;
  options->levels = int(e.levels);
  options->power = int(e.power);
  options->drop = FinegrainEnum<Drop>(e.drop);
  options->drop_band = Index(e.drop_band);
  if (e.settings.global) options->method = Method::shared;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCView_POWERQILU(PC pc, PetscViewer viewer)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);
  PetscFunctionBegin;
  if (!e->analysis.analyzed) PetscFunctionReturn(PETSC_SUCCESS);
  const EngineOptions &r = e->analysis.options;
  const bool colored = r.schedule != ScheduleKind::level;
  if (colored)
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "factor: block ILU(%d,%" PetscInt64_FMT "), drop %s, %s\n", r.levels,
                             PetscInt64(colored_power(r)), PCPOWERQILUDropTypes[int(r.drop)],
                             FinegrainSharesRows(e->analysis.options) ? "of all ranks together" : "per rank"));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "factor: block ILU(%d) in %s order, per rank\n", r.levels,
                                     e->settings.ordering.c_str()));
  if (colored) PetscCall(PCFinegrainViewColoring(pc, *e, viewer));
  const Statistics s = e->analysis.engine->statistics();
  PetscInt64 counts[] = {
    PetscInt64(s.lower) + s.upper + s.rows, s.fill, s.dropped, s.searched, s.lists_deferred, s.operator_blocks};
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, counts, 6, MPIU_INT64, MPI_SUM, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  const PetscInt64 inside = counts[5]; // blocks of the matrix in the owned squares
  const std::string dropped =
    r.drop_band > 0 ? "within " + std::to_string(r.drop_band) + " of the diagonal" : "between rows of one color";
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "fill: %" PetscInt64_FMT " blocks, nnz(L+U) / nnz(A) = %.4f; dropped %s: %" PetscInt64_FMT " blocks\n",
    counts[1], inside ? double(counts[0]) / double(inside) : 1., dropped.c_str(), counts[2]));
  if (colored) {
    PetscInt64 colors = s.rows ? s.colors : 0;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &colors, 1, MPIU_INT64, MPI_MAX,
                               PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
    PetscCall(PetscViewerASCIIPrintf(viewer, "parts of L and U between colors: B^2 - B = %" PetscInt64_FMT "\n",
                                     colors * colors - colors));
  }
  if (counts[3])
    PetscCall(PetscViewerASCIIPrintf(viewer, "products of a factorization: found by columns %s\n",
                                     counts[3] > counts[4] ? "each time, without lists"
                                                           : "once; the next set-up lists them"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const PCFinegrainTypeSetting rows[] = {{&settings::schedule, "auto,color,level"},
                                              {&settings::ordering},
                                              {&settings::grid_coupling, nullptr, false},
                                              {&settings::tile, nullptr, false},
                                              {&settings::coloring},
                                              {&settings::coloring_balance},
                                              {&levels_setting},
                                              {&power_setting},
                                              {&drop_setting},
                                              {&drop_band_setting},
                                              {&settings::global}};

static const char citation[] =
  "@techreport{HeuvelineLukarskiWeiss2011,\n"
  "  title       = {Enhanced parallel {ILU(p)}-based preconditioners for multi-core {CPU}s and {GPU}s -- the\n"
  "                 power(q)-pattern method},\n"
  "  author      = {Heuveline, Vincent and Lukarski, Dimitar and Weiss, Jan-Philipp},\n"
  "  institution = {Engineering Mathematics and Computing Lab, Karlsruhe Institute of Technology},\n"
  "  number      = {2011-08},\n"
  "  year        = {2011}\n"
  "}\n";

PCFinegrainType powerqilu_type = {.name = PCPOWERQILU,
                                  .method = Method::factorization,
                                  .rows = rows,
                                  .options = PCOptions_POWERQILU,
                                  .view = PCView_POWERQILU,
                                  .create = PCFinegrainConstruct<PowerqIlu, powerqilu_type>,
                                  .citation = citation,
                                  .accuracy_remedy = "try a smaller @_levels, another @_ordering, or @type mcpi"};

/*MC
   PCPOWERQILU - "powerqilu": block ILU(p) of a matrix reordered by the colors of |A|^q, per rank or over all ranks

   Options Database Keys:
+  -pc_powerqilu_levels <0>                                     - `PCPOWERQILUSetLevels()`
.  -pc_powerqilu_global <false>                                 - `PCFinegrainSetGlobal()`
.  -pc_powerqilu_power <levels + 1>                             - `PCPOWERQILUSetPower()`
.  -pc_powerqilu_drop <during,after,none>                       - `PCPOWERQILUSetDrop()`
.  -pc_powerqilu_drop_band <0>                                  - `PCPOWERQILUSetDropBand()`
.  -pc_powerqilu_schedule <auto,color,level>                    - `PCFinegrainSetSchedule()`
.  -pc_powerqilu_coloring <auto,greedy,lf,sl,jp,redblack,level> - `PCFinegrainSetColoring()`
.  -pc_powerqilu_coloring_balance <false>                       - `PCFinegrainSetColoringBalance()`
-  -pc_powerqilu_ordering <natural,tiles,rcm,...>               - `PCFinegrainSetOrdering()`

   `PCFINEGRAIN` lists the options that all types have.

   Level: beginner

   Notes:
   For AIJ, BAIJ and SBAIJ matrices, sequential or parallel, with blocks of 1 to 32 rows. The pattern of |A|^q, of A
   and its transpose together, is colored, by default greedily in the order of rows. Rows are sorted by color, and
   the matrix is factored in that order by ILU(p). With q = p + 1 rows of one color are not coupled in L and U, and
   each color is one parallel step of the factorization and of the sweeps. With a smaller q there are fewer colors,
   and fill between rows of one color is dropped.

   -pc_powerqilu_schedule level is ILU(p) without colors, in the order of rows or in -pc_powerqilu_ordering, and runs
   by level sets. With colors an ordering is the order in which rows are colored.

   Each rank factors its own block rows, as with `PCBJACOBI`. With -pc_powerqilu_global all ranks factor the whole
   matrix, with the result of one rank. Multicolor Gauss-Seidel is `PCMCPI`.

   A singular diagonal block sets the failed reason `PC_FACTOR_NUMERIC_ZEROPIVOT`, and a value that is not finite
   `PC_FACTOR_OTHER`, on all ranks; -info names the block row.

   The result is bitwise identical for all algorithms and numbers of threads.

   References:
.  * - V. Heuveline, D. Lukarski, J.-P. Weiss, Enhanced parallel ILU(p)-based preconditioners for multi-core CPUs and
       GPUs - the power(q)-pattern method, EMCL preprint 2011-08

.seealso: `PCCreate()`, `PCSetType()`, `PCType`, `PC`, `PCILU`, `PCFGBILU`, `PCMCPI`, `PCFactorSetLevels()`
M*/
