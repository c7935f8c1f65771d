// SPDX-License-Identifier: BSD-2-Clause
// PCFGBILU: manual page, its own option.
#include "pc/settings.hpp"
#include "pc/shared_rows.hpp"
#include "pc/types.hpp"

using namespace finegrain;

const char *const PCFGBILUFactorTypes[] = {"auto", "dilu", "ilu0", "PCFGBILUFactorType", "PCFGBILU_FACTOR_", nullptr};
const char *const PCFGBILUExchangeTypes[] = {"none", "pipeline", "PCFGBILUExchangeType", "PCFGBILU_EXCHANGE_",
                                             nullptr};
namespace
{

struct FgBilu final : PCEngine {
  FgBilu() { eisenstat = PCFGBILU_EISENSTAT_AUTO; }

  PCFGBILUFactorType factor = PCFGBILU_FACTOR_AUTO;
  PCFGBILUExchangeType exchange = PCFGBILU_EXCHANGE_NONE;
};
constinit const PCEngineValue<FgBilu, PCFGBILUFactorType> factor_setting{
  "factor", "Which blocks the factorization modifies", "PCFGBILUSetFactor", &FgBilu::factor, PCFGBILUFactorTypes};
constinit const PCEngineValue<FgBilu, PCFGBILUExchangeType> exchange_setting{
  "exchange", "Whether ranks factor the whole grid together", "PCFGBILUSetExchange", &FgBilu::exchange,
  PCFGBILUExchangeTypes};

} // namespace

static_assert(int(FactorKind::ilu0) == PCFGBILU_FACTOR_ILU0);

/*@
   PCFGBILUSetFactor - Chooses which blocks the factorization modifies

   Logically Collective

   Input Parameters:
+  pc     - the preconditioner
-  factor - `PCFGBILU_FACTOR_AUTO` (default), `PCFGBILU_FACTOR_DILU` or `PCFGBILU_FACTOR_ILU0`

   Options Database Key:
.  -pc_fgbilu_factor <auto,dilu,ilu0> - the factorization

   Level: intermediate

.seealso: `PCFGBILUGetFactor()`, `PCFGBILU`
@*/
PetscErrorCode PCFGBILUSetFactor(PC pc, PCFGBILUFactorType factor) { return factor_setting.set(pc, factor); }

PetscErrorCode PCFGBILUGetFactor(PC pc, PCFGBILUFactorType *factor) { return factor_setting.get(pc, factor); }

/*@
   PCFGBILUSetExchange - Says whether each rank factors its own block rows, or all ranks the whole grid

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  exchange - `PCFGBILU_EXCHANGE_NONE` (default) or `PCFGBILU_EXCHANGE_PIPELINE`

   Options Database Key:
.  -pc_fgbilu_exchange <none,pipeline> - the exchange

   Level: intermediate

   Notes:
   With pipeline the matrix of a `DMDA` is factored and swept in the order of the whole grid. Each rank cuts its box
into tiles; when a tile is done its faces go to the next ranks, which can begin theirs. The preconditioner is that of
one rank, bit by bit, on any process grid, and iterations do not grow with ranks. Ranks at the far end of the grid
begin late and end late: the efficiency is that of the pipeline, which `PCView()` predicts.

   It takes a star of width 1 without periodic axes, with any number of unknowns a point; any other coupling is an
error. The shape of tiles is -pc_fgbilu_tile, or chosen by a model from the time of a message, which is measured. It
takes working or single precision, corrections, transposes, and runs on the host, on one thread a rank.

   References:
.  * - K. R. Koch, R. S. Baker, R. E. Alcouffe, Solution of the first-order form of the 3-D discrete ordinates
equation on a massively parallel processor, Transactions of the American Nuclear Society 65 (1992)

.seealso: `PCFGBILUGetExchange()`, `PCPOWERQILUSetExchange()`, `PCFinegrainSetTile()`, `PCFGBILU`
@*/
PetscErrorCode PCFGBILUSetExchange(PC pc, PCFGBILUExchangeType exchange)
{
  return exchange_setting.set(pc, exchange);
}

PetscErrorCode PCFGBILUGetExchange(PC pc, PCFGBILUExchangeType *exchange)
{
  return exchange_setting.get(pc, exchange);
}

static PetscErrorCode PCOptions_FGBILU(PC pc, EngineOptions *options)
{
  const FgBilu &e = PCEngineData<FgBilu>(pc);

  PetscFunctionBegin;
  options->factor = FinegrainEnum<FactorKind>(e.factor);
  if (e.eisenstat == PCFGBILU_EISENSTAT_TRUE && e.factor == PCFGBILU_FACTOR_AUTO) options->factor = FactorKind::dilu;
  options->pipelined = e.exchange == PCFGBILU_EXCHANGE_PIPELINE;
  if (options->pipelined) options->method = Method::shared;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCView_FGBILU(PC pc, PetscViewer viewer)
{
  PCEngine *e = static_cast<PCEngine *>(pc->data);

  PetscFunctionBegin;
  if (!e->analyzed) PetscFunctionReturn(PETSC_SUCCESS);
  const Statistics s = e->engine->statistics();
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "factor: block %s%s, in %s order, %s\n", s.factor == FactorKind::dilu ? "DILU" : "ILU(0)",
    s.factor == FactorKind::dilu && e->options.factor == FactorKind::automatic ? ", here equal to ILU(0)" : "",
    e->ordering.c_str(), e->options.pipelined ? "of all ranks together" : "per rank"));
  if (e->options.pipelined) PetscCall(e->shared->view(viewer));
  PetscCall(PCEngineViewEisenstat(*e, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const PCEngineRow rows[] = {{&settings::accumulate},
                                   {&settings::schedule, "auto,hyperplane,level"},
                                   {&settings::ordering},
                                   {&settings::tile},
                                   {&settings::coupling},
                                   {&factor_setting},
                                   {&settings::eisenstat, "auto,true,false"},
                                   {&exchange_setting}};

static const char citation[] = "@article{LuoEdwardsLuoMueller2015,\n"
                               "  title   = {A fine-grained block {ILU} scheme on regular structures for {GPGPU}s},\n"
                               "  author  = {Luo, Lixiang and Edwards, Jack R. and Luo, Hong and Mueller, Frank},\n"
                               "  journal = {Computers \\& Fluids},\n"
                               "  volume  = {119},\n"
                               "  year    = {2015}\n"
                               "}\n";

PCEngineType fgbilu_type = {.name = PCFGBILU,
                            .method = Method::factorization,
                            .rows = rows,
                            .options = PCOptions_FGBILU,
                            .view = PCView_FGBILU,
                            .create = PCEngineConstruct<FgBilu, fgbilu_type>,
                            .citation = citation,
                            .accuracy_remedy = "try @_ordering rcm, fewer @_corrections, or @type mcpi"};

/*MC
   PCFGBILU - "fgbilu": block ILU(0) on wavefronts, per rank or over all of them

   Options Database Keys:
+  -pc_fgbilu_factor <auto,dilu,ilu0>             - `PCFGBILUSetFactor()`
.  -pc_fgbilu_eisenstat <auto,true,false>         - `PCFGBILUSetEisenstat()`
.  -pc_fgbilu_exchange <none,pipeline>            - `PCFGBILUSetExchange()`
.  -pc_fgbilu_schedule <auto,hyperplane,level>    - `PCFinegrainSetSchedule()`
.  -pc_fgbilu_executor <auto,natural,launch,self,tile,tune> - `PCFinegrainSetExecutor()`
.  -pc_fgbilu_tile <I,J,K>                        - `PCFinegrainSetTile()`
.  -pc_fgbilu_backend <auto,host,device>          - `PCFinegrainSetBackend()`
.  -pc_fgbilu_precision <working,single,half> - `PCFinegrainSetPrecision()`
.  -pc_fgbilu_accumulate <working,single> - `PCFinegrainSetAccumulate()`
.  -pc_fgbilu_diag_precision <working,storage>    - `PCFinegrainSetDiagonalPrecision()`
.  -pc_fgbilu_shift_type <none,inblocks>          - `PCFinegrainSetShift()`
.  -pc_fgbilu_shift_amount <sqrt epsilon>         - `PCFinegrainSetShift()`
.  -pc_fgbilu_zero_pivot <100 epsilon>            - `PCFinegrainSetZeroPivot()`
.  -pc_fgbilu_add_diagonal <false>                - `PCFinegrainSetAddDiagonal()`
.  -pc_fgbilu_grid <I,J,K[,I,J,K...]>             - `PCFinegrainSetGrid()`
.  -pc_fgbilu_grid_coupling <factor,corrections>  - `PCFinegrainSetGridCoupling()`
.  -pc_fgbilu_ordering <natural,rcm,...>          - `PCFinegrainSetOrdering()`
.  -pc_fgbilu_corrections <k>                     - `PCFinegrainSetCorrections()`
.  -pc_fgbilu_richardson <none,steps,tolerances>  - `PCFinegrainSetRichardson()`
.  -pc_fgbilu_check_solution <fail,warn,none> - `PCFinegrainSetCheckSolution()`
-  -pc_fgbilu_block_size <n>                      - `PCFinegrainSetBlockSize()`

   Level: beginner

   Notes:
   For AIJ, BAIJ and SBAIJ matrices, sequential or parallel, with blocks of 1 to 32 rows. The square that a rank owns
is factored as M = (D + L) D^-1 (D + U), and applied as y_i = d_i^-1 (b_i - sum l_ik y_k), x_i = y_i - sum w_ij x_j
with w_ij = d_i^-1 u_ij and d_i^-1 held as explicit inverses made by Gauss-Jordan with pivoting inside the block. On
full blocks that is `PCBJACOBI` with `PCILU`, natural ordering, to rounding. An AIJ matrix with a block size is
factored by blocks, which is not the scalar ILU(0) of `PCILU` where entries are missing inside blocks.

   With -pc_fgbilu_exchange pipeline the whole grid of a `DMDA` is factored by all ranks, with the result of one.

   Rows run in groups: hyperplanes of a structured grid (from the `DMDA` of the `KSP` or of the matrix, or
-pc_fgbilu_grid), else level sets. The result does not depend on schedule, executor or number of threads, bit by bit.

   A new matrix with the nonzero pattern of the last is factored without repeating the analysis.

   A singular diagonal block sets the failed reason `PC_FACTOR_NUMERIC_ZEROPIVOT`, a value that is not finite
`PC_FACTOR_OTHER`, on all ranks; -info names the block row.

   References:
.  * - L. Luo, J. R. Edwards, H. Luo, F. Mueller, A fine-grained block ILU scheme on regular structures for GPGPUs,
       Computers & Fluids 119 (2015)

.seealso: `PCCreate()`, `PCSetType()`, `PCType`, `PC`, `PCILU`, `PCBJACOBI`, `KSPREFINE`
M*/
