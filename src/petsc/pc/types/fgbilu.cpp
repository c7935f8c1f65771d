// SPDX-License-Identifier: BSD-2-Clause
// PCFGBILU: manual page, options, view.
#include "pc/options/settings.hpp"
#include "pc/ranks/shared_rows.hpp"
#include "pc/solve/eisenstat_choice.hpp"
#include "pc/solve/life_cycle.hpp"
#include "pc/types.hpp"

using namespace finegrain;

const char *const PCFGBILUFactorTypes[] = {"auto", "dilu", "ilu0", "PCFGBILUFactorType", "PCFGBILU_FACTOR_", nullptr};
namespace
{

struct FgBilu final : PC_Finegrain {
  FgBilu() { settings.eisenstat = PCFGBILU_EISENSTAT_AUTO; }

  PCFGBILUFactorType factor = PCFGBILU_FACTOR_AUTO;
};
constinit const PCFinegrainValue<FgBilu, PCFGBILUFactorType> factor_setting{
  "factor", "Which blocks the factorization modifies", "PCFGBILUSetFactor", &FgBilu::factor, PCFGBILUFactorTypes};

} // namespace

static_assert(int(FactorKind::ilu0) == PCFGBILU_FACTOR_ILU0);

/*@
   PCFGBILUSetFactor - Chooses the blocks that the factorization modifies

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

static PetscErrorCode PCOptions_FGBILU(PC pc, EngineOptions *options)
{
  const FgBilu &e = PCFinegrainData<FgBilu>(pc);

  PetscFunctionBegin;
  options->factor = FinegrainEnum<FactorKind>(e.factor);
  if (e.settings.eisenstat == PCFGBILU_EISENSTAT_TRUE && e.factor == PCFGBILU_FACTOR_AUTO)
    options->factor = FactorKind::dilu;
  options->pipelined = e.settings.global;
  if (options->pipelined) options->method = Method::shared;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCView_FGBILU(PC pc, PetscViewer viewer)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);

  PetscFunctionBegin;
  if (!e->analysis.analyzed) PetscFunctionReturn(PETSC_SUCCESS);
  const Statistics s = e->analysis.engine->statistics();
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "factor: block %s%s, in %s order, %s\n", s.factor == FactorKind::dilu ? "DILU" : "ILU(0)",
    s.factor == FactorKind::dilu && e->analysis.options.factor == FactorKind::automatic ? ", here equal to ILU(0)"
                                                                                        : "",
    e->settings.ordering.c_str(), e->analysis.options.pipelined ? "of all ranks together" : "per rank"));
  if (e->analysis.options.pipelined) PetscCall(e->ranks.shared->view(viewer));
  PetscCall(PCFinegrainViewEisenstat(*e, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const PCFinegrainTypeSetting rows[] = {{&settings::schedule, "auto,hyperplane,level"},
                                              {&settings::ordering},
                                              {&settings::tile},
                                              {&settings::grid_coupling},
                                              {&factor_setting},
                                              {&settings::eisenstat, "auto,true,false"},
                                              {&settings::global}};

static const char citation[] = "@article{LuoEdwardsLuoMueller2015,\n"
                               "  title   = {A fine-grained block {ILU} scheme on regular structures for {GPGPU}s},\n"
                               "  author  = {Luo, Lixiang and Edwards, Jack R. and Luo, Hong and Mueller, Frank},\n"
                               "  journal = {Computers \\& Fluids},\n"
                               "  volume  = {119},\n"
                               "  year    = {2015}\n"
                               "}\n";

PCFinegrainType fgbilu_type = {.name = PCFGBILU,
                               .method = Method::factorization,
                               .rows = rows,
                               .options = PCOptions_FGBILU,
                               .view = PCView_FGBILU,
                               .create = PCFinegrainConstruct<FgBilu, fgbilu_type>,
                               .citation = citation,
                               .accuracy_remedy = "try @_ordering rcm, fewer @_corrections, or @type mcpi"};

/*MC
   PCFGBILU - "fgbilu": block ILU(0) on wavefronts, per rank or over all ranks

   Options Database Keys:
+  -pc_fgbilu_factor <auto,dilu,ilu0>              - `PCFGBILUSetFactor()`
.  -pc_fgbilu_eisenstat <auto,true,false>          - `PCFGBILUSetEisenstat()`
.  -pc_fgbilu_global <false>                       - `PCFinegrainSetGlobal()`
.  -pc_fgbilu_schedule <auto,hyperplane,level>     - `PCFinegrainSetSchedule()`
.  -pc_fgbilu_tile <I,J,K>                         - `PCFinegrainSetTile()`
.  -pc_fgbilu_grid_coupling <coupled,block_jacobi> - `PCFinegrainSetGridCoupling()`
-  -pc_fgbilu_ordering <natural,tiles,rcm,...>     - `PCFinegrainSetOrdering()`

   `PCFINEGRAIN` lists the options that all types have.

   Level: beginner

   Notes:
   For AIJ, BAIJ and SBAIJ matrices, sequential or parallel, with blocks of 1 to 32 rows. Each rank factors the
   square that it owns as M = (D + L) D^-1 (D + U), and applies y_i = d_i^-1 (b_i - sum l_ik y_k), x_i = y_i - sum
   w_ij x_j with w_ij = d_i^-1 u_ij. The inverses d_i^-1 are explicit, computed by Gauss-Jordan elimination with
   pivoting inside the block. On full blocks the result equals that of `PCBJACOBI` with `PCILU` in natural ordering,
   to rounding. An AIJ matrix with a block size is factored by blocks, which differs from the scalar ILU(0) of
   `PCILU` if entries are missing inside blocks.

   With -pc_fgbilu_global all ranks factor the whole grid of a `DMDA`, with the result of one rank.

   Rows run in groups: hyperplanes of a structured grid (from the `DMDA` of the `KSP` or of the matrix, or
   -pc_fgbilu_grid), else level sets. The result is bitwise identical for all schedules, algorithms and numbers of
   threads.

   A new matrix with the nonzero pattern of the last one is factored without repeating the analysis.

   A singular diagonal block sets the failed reason `PC_FACTOR_NUMERIC_ZEROPIVOT`, and a value that is not finite
   `PC_FACTOR_OTHER`, on all ranks; -info names the block row.

   References:
.  * - L. Luo, J. R. Edwards, H. Luo, F. Mueller, A fine-grained block ILU scheme on regular structures for GPGPUs,
       Computers & Fluids 119 (2015)

.seealso: `PCCreate()`, `PCSetType()`, `PCType`, `PC`, `PCILU`, `PCBJACOBI`, `KSPREFINE`
M*/
