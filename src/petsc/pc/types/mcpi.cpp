// SPDX-License-Identifier: BSD-2-Clause
// PCMCPI: manual page, options, setters, view.
#include "pc/options/settings.hpp"
#include "pc/solve/view_coloring.hpp"
#include "pc/solve/life_cycle.hpp"
#include "pc/solve/view.hpp"
#include "pc/types.hpp"

using namespace finegrain;

const char *const PCMCPISweepTypes[] = {"forward",         "backward",      "symmetric",
                                        "PCMCPISweepType", "PCMCPI_SWEEP_", nullptr};
const char *const PCMCPIExchangeTypes[] = {"none", "sweep", "color", "PCMCPIExchangeType", "PCMCPI_EXCHANGE_",
                                           nullptr};
const char *const PCMCPIScalingTypes[] = {"global", "row", "PCMCPIScalingType", "PCMCPI_SCALING_", nullptr};
const char *const PCMCPISumPrecisionTypes[] = {"working", "single", "PCMCPISumPrecisionType", "PCMCPI_SUM_PRECISION_",
                                               nullptr};

namespace
{

struct Mcpi final : PC_Finegrain {
  PetscInt its = 15; // number of sweeps; a symmetric sweep, forward and backward, counts once
  PetscReal omega = 1;
  PCMCPISweepType sweep = PCMCPI_SWEEP_FORWARD;
  PCMCPIExchangeType exchange = PCMCPI_EXCHANGE_SWEEP;
  PCMCPIScalingType scaling = PCMCPI_SCALING_GLOBAL;
  PCMCPISumPrecisionType sum_precision = PCMCPI_SUM_PRECISION_WORKING;
  PetscBool in_place = PETSC_FALSE;
};
constinit const PCFinegrainValue<Mcpi, PetscInt> its_setting{"its", "Sweeps of one application",
                                                             "PCMCPISetIterations", &Mcpi::its, 1};
constinit const PCFinegrainValue<Mcpi, PetscReal> omega_setting{
  "omega", "Relaxation factor", "PCMCPISetOmega", &Mcpi::omega, 0, 2};
constinit const PCFinegrainValue<Mcpi, PCMCPISweepType> sweep_setting{
  "sweep", "Order of the colors", "PCMCPISetSweep", &Mcpi::sweep, PCMCPISweepTypes};
constinit const PCFinegrainValue<Mcpi, PCMCPIExchangeType> exchange_setting{
  "exchange", "When values of other ranks are fetched", "PCMCPISetExchange", &Mcpi::exchange, PCMCPIExchangeTypes};
constinit const PCFinegrainValue<Mcpi, PCMCPIScalingType> scaling_setting{
  "scaling", "Scaling of half precision", "PCMCPISetScaling", &Mcpi::scaling, PCMCPIScalingTypes};
constinit const PCFinegrainValue<Mcpi, PCMCPISumPrecisionType> sum_precision_setting{
  "sum_precision", "Precision of sums", "PCMCPISetSumPrecision", &Mcpi::sum_precision, PCMCPISumPrecisionTypes};
constinit const PCFinegrainValue<Mcpi, PetscBool> in_place_setting{
  "in_place", "Store off-diagonal blocks in the memory of Pmat's device copy", "PCMCPISetInPlace", &Mcpi::in_place};

} // namespace

static_assert(int(SweepKind::symmetric) == PCMCPI_SWEEP_SYMMETRIC);
static_assert(int(Exchange::color) == PCMCPI_EXCHANGE_COLOR);
static_assert(int(Scaling::row) == PCMCPI_SCALING_ROW);

/*@
   PCMCPISetIterations - Sets the number of sweeps of one application

   Logically Collective

   Input Parameters:
+  pc  - the preconditioner
-  its - number of sweeps, 15 by default; a symmetric sweep, forward and backward, counts once

   Options Database Key:
.  -pc_mcpi_its <15> - the number

   Level: intermediate

.seealso: `PCMCPIGetIterations()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetIterations(PC pc, PetscInt its) { return its_setting.set(pc, its); }

PetscErrorCode PCMCPIGetIterations(PC pc, PetscInt *its) { return its_setting.get(pc, its); }

/*@
   PCMCPISetSweep - Chooses the order in which a sweep visits the colors

   Logically Collective

   Input Parameters:
+  pc    - the preconditioner
-  sweep - `PCMCPI_SWEEP_FORWARD` (default), `PCMCPI_SWEEP_BACKWARD` or `PCMCPI_SWEEP_SYMMETRIC`

   Options Database Key:
.  -pc_mcpi_sweep <forward,backward,symmetric> - the order

   Level: intermediate

   Note:
   If the matrix is symmetric, the symmetric sweep is a symmetric preconditioner, as `KSPCG` needs, on one rank or
   with `-pc_mcpi_exchange none` or `color`.

.seealso: `PCMCPIGetSweep()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetSweep(PC pc, PCMCPISweepType sweep) { return sweep_setting.set(pc, sweep); }

PetscErrorCode PCMCPIGetSweep(PC pc, PCMCPISweepType *sweep) { return sweep_setting.get(pc, sweep); }

/*@
   PCMCPISetOmega - Sets the relaxation factor

   Logically Collective

   Input Parameters:
+  pc    - the preconditioner
-  omega - more than 0 and less than 2; 1 by default

   Options Database Key:
.  -pc_mcpi_omega <1> - the factor

   Level: intermediate

.seealso: `PCMCPIGetOmega()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetOmega(PC pc, PetscReal omega) { return omega_setting.set(pc, omega); }

PetscErrorCode PCMCPIGetOmega(PC pc, PetscReal *omega) { return omega_setting.get(pc, omega); }

/*@
   PCMCPISetExchange - Chooses when ghost values are fetched from other ranks

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  exchange - `PCMCPI_EXCHANGE_NONE`, `PCMCPI_EXCHANGE_SWEEP` (default) or `PCMCPI_EXCHANGE_COLOR`

   Options Database Key:
.  -pc_mcpi_exchange <none,sweep,color> - the exchange

   Level: intermediate

   Note:
   With `PCMCPI_EXCHANGE_COLOR` the ranks agree on the colors (jp, or redblack on a `DMDA`). The result is bitwise
   identical to that of one rank for the same global numbering, and on a `DMDA` for any distribution. The exchange of
   a color overlaps with the rows of the color that no other rank needs. It needs the algorithms sequential or
   levels.

.seealso: `PCMCPIGetExchange()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetExchange(PC pc, PCMCPIExchangeType exchange) { return exchange_setting.set(pc, exchange); }

PetscErrorCode PCMCPIGetExchange(PC pc, PCMCPIExchangeType *exchange) { return exchange_setting.get(pc, exchange); }

/*@
   PCMCPISetScaling - Chooses how off-diagonal blocks are scaled to fit half precision

   Logically Collective

   Input Parameters:
+  pc      - the preconditioner
-  scaling - `PCMCPI_SCALING_GLOBAL` (default) or `PCMCPI_SCALING_ROW`

   Options Database Key:
.  -pc_mcpi_scaling <global,row> - the scaling

   Level: advanced

   Note:
   Scales are powers of two, so that scaling is exact. Rows of very different size need one scale each. `PCView()`
   counts the entries that became zero.

.seealso: `PCMCPIGetScaling()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetScaling(PC pc, PCMCPIScalingType scaling) { return scaling_setting.set(pc, scaling); }

PetscErrorCode PCMCPIGetScaling(PC pc, PCMCPIScalingType *scaling) { return scaling_setting.get(pc, scaling); }

/*@
   PCMCPISetSumPrecision - Chooses the precision in which products of off-diagonal blocks are summed

   Logically Collective

   Input Parameters:
+  pc        - the preconditioner
-  precision - `PCMCPI_SUM_PRECISION_WORKING` (default) or `PCMCPI_SUM_PRECISION_SINGLE`

   Options Database Key:
.  -pc_mcpi_sum_precision <working,single> - the precision

   Level: intermediate

   Note:
   With sums in single precision an application is linear to about seven digits only. In `KSPGMRES` with double
   precision the recurrence then differs from the true residual. Use `KSPFGMRES`, `KSPGCR` or `KSPREFINE`. Single
   precision needs blocks in single precision or lower (`PCFinegrainSetPrecision()`).

.seealso: `PCMCPIGetSumPrecision()`, `PCFinegrainSetPrecision()`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetSumPrecision(PC pc, PCMCPISumPrecisionType precision)
{
  return sum_precision_setting.set(pc, precision);
}

PetscErrorCode PCMCPIGetSumPrecision(PC pc, PCMCPISumPrecisionType *precision)
{
  return sum_precision_setting.get(pc, precision);
}

/*@
   PCMCPISetInPlace - Stores off-diagonal blocks of lower precision in the memory of Pmat's device copy

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  in_place - `PETSC_FALSE` (default): in memory of the preconditioner

   Options Database Key:
.  -pc_mcpi_in_place <false> - true: in the memory of the device copy

   Level: advanced

   Notes:
   Set-up converts the blocks of Pmat's device copy in their own memory (PIPSR of Walden et al.) and thus never holds
   two arrays of blocks. Pmat must be of type `MATBAIJKOKKOS`. Results are bitwise identical. Values of Pmat on the
   host do not change. The preconditioner keeps the memory until the next set-up; a product with Pmat in between, or
   anything else that needs the device copy, makes a new one.

   Pmat must not be Amat, because products with Amat need its device copy in each iteration: give `KSPSetOperators()`
   two matrices. The precision must be lower than working, the scaling global, and corrections, which would read
   Pmat, must be 0.

.seealso: `PCMCPIGetInPlace()`, `PCFinegrainSetPrecision()`, `MATBAIJKOKKOS`, `PCMCPI`
@*/
PetscErrorCode PCMCPISetInPlace(PC pc, PetscBool in_place) { return in_place_setting.set(pc, in_place); }

PetscErrorCode PCMCPIGetInPlace(PC pc, PetscBool *in_place) { return in_place_setting.get(pc, in_place); }

// Returns the name that the paper gives to this precision, or an empty string.
static const char *FindName(const PC_Finegrain &e)
{
  const bool single = e.analysis.options.single_sums &&
                      e.settings.diag_precision == PC_FINEGRAIN_DIAGONAL_PRECISION_WORKING &&
                      sizeof(Real) == sizeof(double);
  if (single && e.settings.precision == PC_FINEGRAIN_PRECISION_SINGLE) return " (DS)";
  if (single && e.settings.precision == PC_FINEGRAIN_PRECISION_HALF) return " (DSH)";
  return "";
}

static PetscErrorCode PCView_MCPI(PC pc, PetscViewer viewer)
{
  const Mcpi *e = &PCFinegrainData<Mcpi>(pc);

  PetscFunctionBegin;
  if (!e->analysis.analyzed) PetscFunctionReturn(PETSC_SUCCESS);
  const Relaxation &r = e->analysis.options.relaxation;
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "relaxation: %d %s sweeps, omega %g, exchange %s, sums in %s precision%s\n", r.sweeps,
    PCMCPISweepTypes[int(r.sweep)], double(r.omega), PCMCPIExchangeTypes[int(r.exchange)],
    PCMCPISumPrecisionTypes[e->analysis.options.single_sums], FindName(*e)));
  if (r.in_place)
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "in place: off-diagonal blocks are in the memory of Pmat's device copy\n"));
  PetscCall(PCFinegrainViewColoring(pc, *e, viewer));
  const Statistics s = e->analysis.engine->statistics();
  if (s.precision == Precision::working) PetscFunctionReturn(PETSC_SUCCESS);
  char scale[64] = "";
  const bool scaled = s.precision == Precision::half;
  if (scaled && r.scaling == Scaling::global)
    PetscCall(PetscSNPrintf(scale, sizeof(scale), ", scaled by %g", double(s.scale)));
  if (scaled && r.scaling == Scaling::row) PetscCall(PetscSNPrintf(scale, sizeof(scale), ", scaled by block row"));
  PetscCall(PCFinegrainViewFlushed(pc, e->analysis.report, viewer, scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A relaxation has colors as schedule, visits them in the order in which they were found, and uses the couplings of
// all grids.
static const PCFinegrainTypeSetting rows[] = {{&settings::precision},
                                              {&settings::schedule, "auto,color", false},
                                              {&settings::ordering, "natural", false},
                                              {&settings::grid_coupling, "coupled", false},
                                              {&settings::tile, nullptr, false},
                                              {&settings::coloring},
                                              {&settings::coloring_balance},
                                              {&its_setting},
                                              {&omega_setting},
                                              {&sweep_setting},
                                              {&exchange_setting},
                                              {&scaling_setting},
                                              {&sum_precision_setting},
                                              {&in_place_setting}};

static PetscErrorCode PCOptions_MCPI(PC pc, EngineOptions *options)
{
  const Mcpi &e = PCFinegrainData<Mcpi>(pc);

  PetscFunctionBegin;
  options->relaxation = {.sweeps = int(e.its),
                         .sweep = FinegrainEnum<SweepKind>(e.sweep),
                         .omega = Real(e.omega),
                         .scaling = FinegrainEnum<Scaling>(e.scaling),
                         .exchange = FinegrainEnum<Exchange>(e.exchange),
                         .in_place = bool(e.in_place)};
  options->single_sums = e.sum_precision == PCMCPI_SUM_PRECISION_SINGLE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char citation[] =
  "@inproceedings{WaldenNielsenDiskinZubair2019,\n"
  "  title     = {A mixed precision multicolor point-implicit solver for unstructured grids on {GPU}s},\n"
  "  author    = {Walden, Aaron and Nielsen, Eric and Diskin, Boris and Zubair, Mohammad},\n"
  "  booktitle = {9th IEEE/ACM Workshop on Irregular Applications: Architectures and Algorithms ({IA3})},\n"
  "  year      = {2019}\n"
  "}\n";

PCFinegrainType mcpi_type = {
  .name = PCMCPI,
  .method = Method::relaxation,
  .rows = rows,
  .options = PCOptions_MCPI,
  .view = PCView_MCPI,
  .create = PCFinegrainConstruct<Mcpi, mcpi_type>,
  .citation = citation,
  .pivot_remedy = "a zero diagonal block needs a field split (@type fieldsplit) or a factorization (@type fgbilu); "
                  "for a small pivot try @_shift_type inblocks with @_shift_amount 1e-8 to 1e-3",
  .accuracy_remedy = "its sweeps diverge: a saddle point needs a field split (@type fieldsplit) or a factorization "
                     "(@type fgbilu), other matrices a smaller @_omega or fewer @_its",
  .ranks_remedy = "use @_exchange color"};

/*MC
   PCMCPI - "mcpi": multicolor point-implicit relaxation (block Gauss-Seidel)

   Options Database Keys:
+  -pc_mcpi_its <15>                                       - `PCMCPISetIterations()`
.  -pc_mcpi_sweep <forward,backward,symmetric>             - `PCMCPISetSweep()`
.  -pc_mcpi_omega <1>                                      - `PCMCPISetOmega()`
.  -pc_mcpi_coloring <auto,greedy,lf,sl,jp,redblack,level> - `PCFinegrainSetColoring()`
.  -pc_mcpi_coloring_balance <false>                       - `PCFinegrainSetColoringBalance()`
.  -pc_mcpi_exchange <none,sweep,color>                    - `PCMCPISetExchange()`
.  -pc_mcpi_precision <working,single,half,bfloat16>       - `PCFinegrainSetPrecision()`
.  -pc_mcpi_scaling <global,row>                           - `PCMCPISetScaling()`
.  -pc_mcpi_sum_precision <working,single>                 - `PCMCPISetSumPrecision()`
-  -pc_mcpi_in_place <false>                               - `PCMCPISetInPlace()`

   `PCFINEGRAIN` lists the options that all types have.

   Level: beginner

   Notes:
   For AIJ, BAIJ and SBAIJ matrices, sequential or parallel, with blocks of 1 to 32 rows. Let A = D + O with the
   diagonal blocks D. A sweep visits the colors in order and updates all block rows of a color in parallel, x_c =
   D_c^-1 (b_c - O_c x), from x = 0. In working precision the sweeps equal those of `PCSOR` with -pc_sor_its on the
   matrix permuted by colors, to rounding.

   D^-1 is stored in working precision by default; O, most of what a sweep reads, may be stored in single, half or
   bfloat16. Walden et al. use two settings: DS is -pc_mcpi_precision single -pc_mcpi_sum_precision single, DSH the
   same with -pc_mcpi_precision half. Low precision limits what very many sweeps reach, to about 1e-3 of the
   right-hand side for half, but not what a few sweeps do in a Krylov method. `KSPREFINE` restarts the sweeps and
   reaches the accuracy of working precision.

   A singular diagonal block sets the failed reason `PC_FACTOR_NUMERIC_ZEROPIVOT`, and a block that is not finite
   after rounding to its storage precision sets `PC_FACTOR_OTHER`, on all ranks; -info names the block row.

   The result is bitwise identical for all algorithms and numbers of threads, and with -pc_mcpi_exchange color for
   all numbers of ranks.

   References:
.  * - A. Walden, E. Nielsen, B. Diskin, M. Zubair, A mixed precision multicolor point-implicit solver for
       unstructured grids on GPUs, IA3 2019

.seealso: `PCCreate()`, `PCSetType()`, `PCType`, `PC`, `PCSOR`, `PCPBJACOBI`, `PCFGBILU`, `KSPREFINE`
M*/
