// SPDX-License-Identifier: BSD-2-Clause
// PCSIP: manual page, its own options and setters, view.
#include "pc/options/settings.hpp"
#include "pc/ranks/shared_rows.hpp"
#include "pc/solve/life_cycle.hpp"
#include "pc/types.hpp"

#include "sip/sip_star.hpp"

using namespace finegrain;
namespace
{

// Stone's approximation lets errors of coupled unknowns grow along the sweeps where alpha is close to 1.
constexpr PetscReal default_alpha = 0.92, default_alpha_of_blocks = 0.5;

struct Sip final : PC_Finegrain {
  PetscInt its = 1; // cycles, in which an application takes all factors
  // Empty: the default; and what the last set-up took.
  std::vector<PetscReal> alpha, taken{default_alpha};
  PetscBool alternate = PETSC_FALSE; // each alpha in several directions
};
constinit const PCFinegrainValue<Sip, PetscInt> its_setting{"its", "Cycles of one application", "PCSIPSetIterations",
                                                            &Sip::its, 1};
constinit const PCFinegrainValue<Sip, PetscBool> alternate_setting{
  "alternate", "Factors in several directions take turns", "PCSIPSetAlternate", &Sip::alternate};

PetscErrorCode ReadAlpha(PC pc, FinegrainOptionItems PetscOptionsObject, const PCFinegrainSetting &s)
{
  constexpr std::size_t most = 64;
  std::vector<PetscReal> alpha = PCFinegrainData<Sip>(pc).alpha; // for -help
  PetscInt n = most;
  PetscBool given;

  PetscFunctionBegin;
  if (alpha.empty()) alpha.push_back(default_alpha);
  alpha.resize(most);
  PetscCall(PetscOptionsRealArray(PCFinegrainKey(pc, s.name).c_str(), s.text, s.setter, alpha.data(), &n, &given));
  if (given) PetscCall(PCSIPSetAlpha(pc, n, alpha.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}
constinit const PCFinegrainList alpha_setting{
  "alpha", "How much of the fill is canceled, one number or several; 0.5 by default for blocks", "PCSIPSetAlpha",
  ReadAlpha, [](const PC_Finegrain &e) {
    const Sip &s = static_cast<const Sip &>(e);
    return s.alpha.empty() ? "0.92, for blocks 0.5" : PCFinegrainShow(s.alpha);
  }};

} // namespace

static PetscErrorCode CheckAlpha(PC pc, PetscInt n, const PetscReal alpha[])
{
  PetscFunctionBegin;
  PetscCheck(n > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%s has no number; give one or more, PCSIPSetAlpha()",
             PCFinegrainOption(pc, alpha_setting.name).c_str());
  for (PetscInt i = 0; i < n; ++i)
    PetscCheck(alpha[i] >= 0 && alpha[i] < 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "%s has %g; each must be 0 or more, and below 1, PCSIPSetAlpha()",
               PCFinegrainOption(pc, alpha_setting.name).c_str(), double(alpha[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSIPSetAlpha - Sets how much of the fill Stone's factors cancel

   Logically Collective

   Input Parameters:
+  pc    - the preconditioner
.  n     - how many numbers, 1 or more: a factor for each (and each direction, `PCSIPSetAlternate()`), which take
turns
-  alpha - the numbers, each 0 or more and below 1; by default one: 0.92 for one unknown per point, 0.5 for more

   Options Database Key:
.  -pc_sip_alpha <0.92,...> - the numbers

   Level: intermediate

   Note:
   0 is ILU(0). For Poisson's equation one number close to 1 is much better, and one too close to it diverges. Where
the couplings of a complex matrix differ in phase, alpha should be 0.5 at most. With coupled unknowns the sweeps may
amplify errors from about 0.85 on; a solve that ends with a wrong solution is refused,
`PCFinegrainSetCheckSolution()`.

.seealso: `PCSIPGetAlpha()`, `PCSIPSetAlternate()`, `PCSIPSetIterations()`, `PCSIP`
@*/
PetscErrorCode PCSIPSetAlpha(PC pc, PetscInt n, const PetscReal alpha[])
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFindSetting(pc, alpha_setting, false, &e));
  PetscValidLogicalCollectiveInt(pc, n, 2);
  if (!e) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FinegrainOnAllRanks(pc, [&] { return CheckAlpha(pc, n, alpha); }));
  for (PetscInt i = 0; i < n; ++i) PetscValidLogicalCollectiveReal(pc, alpha[i], 3);
  PetscCall(PCFinegrainChange(pc, e, static_cast<Sip *>(e)->alpha, std::vector<PetscReal>(alpha, alpha + n)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSIPGetAlpha - Gets what `PCSIPSetAlpha()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameters:
+  n     - how many numbers; where none were set, those of the last set-up, and 0.92 before the first
-  alpha - the numbers, owned by `pc`

   Level: intermediate

.seealso: `PCSIPSetAlpha()`
@*/
PetscErrorCode PCSIPGetAlpha(PC pc, PetscInt *n, const PetscReal *alpha[])
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFindSetting(pc, alpha_setting, true, &e));
  const Sip *s = static_cast<Sip *>(e);
  const std::vector<PetscReal> &now = s->alpha.empty() ? s->taken : s->alpha;
  *n = PetscInt(now.size());
  *alpha = now.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSIPSetAlternate - Says whether factors are made in several directions of elimination

   Logically Collective

   Input Parameters:
+  pc        - the preconditioner
-  alternate - for each alpha a factor in the natural order of the grid, and others with its second, its third and
both these axes reversed; false by default: the natural order alone

   Options Database Key:
.  -pc_sip_alternate <false> - whether

   Level: intermediate

   Notes:
   In two dimensions there are two factors for each alpha, in three there are four. They take turns: those of the
first alpha, then those of the next.

   An axis of one point on all ranks does not count.

.seealso: `PCSIPGetAlternate()`, `PCSIPSetAlpha()`, `PCSIP`
@*/
PetscErrorCode PCSIPSetAlternate(PC pc, PetscBool alternate) { return alternate_setting.set(pc, alternate); }

PetscErrorCode PCSIPGetAlternate(PC pc, PetscBool *alternate) { return alternate_setting.get(pc, alternate); }

/*@
   PCSIPSetIterations - Sets the number of cycles of one application

   Logically Collective

   Input Parameters:
+  pc  - the preconditioner
-  its - cycles, 1 by default; in a cycle each factor has one turn, x += M^-1 (b - A x)

   Options Database Key:
.  -pc_sip_its <1> - the number

   Level: intermediate

   Note:
   An application is a fixed linear operation whatever the number is. `KSPSIP` takes single turns, and no notice of
this.

.seealso: `PCSIPGetIterations()`, `PCFinegrainSetCorrections()`, `PCSIP`, `KSPSIP`
@*/
PetscErrorCode PCSIPSetIterations(PC pc, PetscInt its) { return its_setting.set(pc, its); }

PetscErrorCode PCSIPGetIterations(PC pc, PetscInt *its) { return its_setting.get(pc, its); }

// The factors that take turns: for each alpha one in each direction that differs from the others.
static PetscErrorCode PCOptions_SIP(PC pc, EngineOptions *options)
{
  Sip *e = &PCFinegrainData<Sip>(pc);
  PetscInt axes[3] = {0, 0, 0};

  PetscFunctionBegin;
  if (e->alternate) { // all ranks have the same number of factors
    for (const Box &box : options->grid) {
      axes[0] |= box.i > 1;
      axes[1] |= box.j > 1;
      axes[2] |= box.k > 1;
    }
    PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, axes, 3, MPIU_INT, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  }
  PetscCall(FinegrainOnAllRanks(pc, [&]() -> PetscErrorCode {
    std::vector<unsigned> mirrored(1, 0);
    bool first = true; // reversing all axes exchanges lower and upper parts, which is no direction of its own
    PetscFunctionBegin;
    for (const auto &[there, axis] :
         {std::pair(axes[0], mirror_i), std::pair(axes[1], mirror_j), std::pair(axes[2], mirror_k)}) {
      if (there && !first)
        for (std::size_t m = 0, size = mirrored.size(); m < size; ++m) mirrored.push_back(mirrored[m] | axis);
      first = first && !there;
    }
    e->taken = e->alpha;
    if (e->taken.empty()) e->taken.push_back(e->analysis.op.block == 1 ? default_alpha : default_alpha_of_blocks);
    for (const PetscReal alpha : e->taken)
      for (const unsigned m : mirrored) options->sip_factors.push_back({Real(alpha), m});
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  e->analysis.factors = PetscInt(options->sip_factors.size());
  e->analysis.cycles = e->its;
  options->pipelined = e->settings.global;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCView_SIP(PC pc, PetscViewer viewer)
{
  const Sip *e = &PCFinegrainData<Sip>(pc);

  PetscFunctionBegin;
  if (!e->analysis.analyzed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "factor: Stone's, alpha %s, in %s, %s; cycles of one application: %" PetscInt_FMT "\n",
    PCFinegrainShow(e->taken).c_str(), e->alternate ? "alternate directions" : "natural order",
    e->analysis.options.pipelined ? "of all ranks together" : "per rank", e->analysis.cycles));
  if (e->analysis.options.pipelined) PetscCall(e->ranks.shared->view(viewer));
  PetscInt64 inside = e->analysis.engine->statistics().left_out_inside;
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, &inside, 1, MPIU_INT64, MPI_SUM, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "factors applied in turn: %" PetscInt_FMT
                                   "; ignored blocks around periodic axes and between grids: %" PetscInt64_FMT "\n",
                                   e->analysis.factors, inside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The star of a grid is factored whole, in an order of its own.
static const PCFinegrainRow rows[] = {{&settings::schedule, "auto,hyperplane", false},
                                      {&settings::ordering, "natural", false},
                                      {&settings::coupling, nullptr, false},
                                      {&settings::tile},
                                      {&alpha_setting},
                                      {&alternate_setting},
                                      {&settings::global},
                                      {&its_setting}};

static const char citation[] =
  "@article{Stone1968,\n"
  "  title   = {Iterative solution of implicit approximations of multidimensional partial\n"
  "             differential equations},\n"
  "  author  = {Stone, Herbert L.},\n"
  "  journal = {SIAM Journal on Numerical Analysis},\n"
  "  volume  = {5},\n"
  "  number  = {3},\n"
  "  year    = {1968}\n"
  "}\n"
  "@misc{DufrechouEzzattiUsera,\n"
  "  title   = {Avoiding synchronization to accelerate a {CFD} solver in {GPU}},\n"
  "  author  = {Dufrechou, Ernesto and Ezzatti, Pablo and Usera, Gabriel}\n"
  "}\n";

PCFinegrainType sip_type = {.name = PCSIP,
                            .method = Method::sip,
                            .rows = rows,
                            .options = PCOptions_SIP,
                            .view = PCView_SIP,
                            .create = PCFinegrainConstruct<Sip, sip_type>,
                            .citation = citation,
                            .accuracy_remedy = "try a smaller @_alpha"};

/*MC
   PCSIP - "sip": Stone's strongly implicit procedure on structured grids, per rank or over all of them

   Options Database Keys:
+  -pc_sip_alpha <0.92,...>                         - `PCSIPSetAlpha()`; 0.5 for blocks
.  -pc_sip_alternate <false>                        - `PCSIPSetAlternate()`
.  -pc_sip_global <false>                           - `PCFinegrainSetGlobal()`
.  -pc_sip_its <1>                                  - `PCSIPSetIterations()`
.  -pc_sip_algorithm <auto,sequential,levels,tasks> - `PCFinegrainSetAlgorithm()`
.  -pc_sip_tile <I,J,K>                             - `PCFinegrainSetTile()`
.  -pc_sip_backend <auto,host,device>               - `PCFinegrainSetBackend()`
.  -pc_sip_precision <working,single,half> - `PCFinegrainSetPrecision()`
.  -pc_sip_diag_precision <working,storage>         - `PCFinegrainSetDiagonalPrecision()`
.  -pc_sip_shift_type <none,inblocks>               - `PCFinegrainSetShift()`
.  -pc_sip_shift_amount <sqrt epsilon>              - `PCFinegrainSetShift()`
.  -pc_sip_zero_pivot <100 epsilon>                 - `PCFinegrainSetZeroPivot()`
.  -pc_sip_add_diagonal <false>                     - `PCFinegrainSetAddDiagonal()`
.  -pc_sip_grid <I,J,K[,I,J,K...]>                  - `PCFinegrainSetGrid()`
.  -pc_sip_corrections <k>                          - `PCFinegrainSetCorrections()`
.  -pc_sip_apply_richardson <none,fixed,tolerance>       - `PCFinegrainSetApplyRichardson()`
.  -pc_sip_check_solution <fail,warn,none> - `PCFinegrainSetCheckSolution()`
-  -pc_sip_block_size <n>                           - `PCFinegrainSetBlockSize()`

   Level: beginner

   Notes:
   For matrices of 3-, 5- and 7-point stars: of a `DMDA`, or AIJ, BAIJ and SBAIJ matrices with -pc_sip_grid, with
blocks of 1 to 32 rows. M = L U has the entries of the star alone. Its product has fill beside it; Stone chooses L and
U so that alpha times what a smooth function has there is taken off again at the points of the star:
L U - A = sum over the six fill products m of m (v_fill - alpha v_a - alpha v_b + alpha v_P). For blocks the order of
products is that of the formulas in Ferziger and Peric, U_x = L_P^-1 (A_x - P_x).

   Points with equal i + j + k are independent, and run in parallel. The result does not depend on algorithm or number
of threads, bit by bit.

   Couplings around a periodic axis, between several grids of a rank and between ranks are left out of M and seen by
residuals only; the view counts them. Any other coupling outside the star is an error that names the block row.

   With several numbers alpha, or alternate directions, there is a factor for each, held together, and an application
is a cycle of corrections with all of them: a fixed operator, for any `KSP`. `KSPSIP` is Stone's own method, in which
an iteration takes the next factor.

   A singular pivot, I + alpha (...) among them, sets the failed reason `PC_FACTOR_NUMERIC_ZEROPIVOT`, a value that is
not finite `PC_FACTOR_OTHER`, on all ranks; -info names the block row.

   References:
+  * - H. L. Stone, Iterative solution of implicit approximations of multidimensional partial differential equations,
       SIAM Journal on Numerical Analysis 5 (1968)
.  * - J. H. Ferziger, M. Peric, Computational Methods for Fluid Dynamics
-  * - E. Dufrechou, P. Ezzatti, G. Usera, Avoiding synchronization to accelerate a CFD solver in GPU

.seealso: `PCCreate()`, `PCSetType()`, `PCType`, `PC`, `PCILU`, `PCFGBILU`, `KSPSIP`
M*/
