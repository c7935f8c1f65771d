// SPDX-License-Identifier: BSD-2-Clause
// PCSIP: manual page, options, setters, view.
#include "pc/options/settings.hpp"
#include "pc/ranks/shared_rows.hpp"
#include "pc/solve/life_cycle.hpp"
#include "pc/types.hpp"

#include "sip/sip_star.hpp"

using namespace finegrain;
namespace
{

// With alpha close to 1, Stone's approximation lets errors of coupled unknowns grow along the sweeps.
constexpr PetscReal default_alpha = 0.92, default_alpha_of_blocks = 0.5;

struct Sip final : PC_Finegrain {
  PetscInt its = 1; // cycles; a cycle applies all factors
  // alpha: as set, empty for the default. used_alpha: as used by the last set-up.
  std::vector<PetscReal> alpha, used_alpha{default_alpha};
  PetscBool alternate = PETSC_FALSE; // factors in several directions for each alpha
};
constinit const PCFinegrainValue<Sip, PetscInt> its_setting{"its", "Cycles of one application", "PCSIPSetIterations",
                                                            &Sip::its, 1};
constinit const PCFinegrainValue<Sip, PetscBool> alternate_setting{
  "alternate", "Factors in several directions take turns", "PCSIPSetAlternate", &Sip::alternate};

PetscErrorCode ReadAlpha(PC pc, FinegrainOptionItems PetscOptionsObject, const PCFinegrainSetting &s)
{
  constexpr std::size_t most = 64;
  std::vector<PetscReal> alpha = PCFinegrainData<Sip>(pc).alpha; // -help prints it
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
.  n     - number of values, 1 or more; there is a factor for each value (and each direction, `PCSIPSetAlternate()`),
           and the factors are applied in turn
-  alpha - the values, each 0 or more and below 1; by default 0.92 for one unknown per point, 0.5 for more

   Options Database Key:
.  -pc_sip_alpha <0.92,...> - the values

   Level: intermediate

   Note:
   With 0 the factor is ILU(0). For Poisson's equation a value close to 1 is much better, but a value too close to 1
   diverges. If off-diagonal entries of a complex matrix differ in phase, alpha should be at most 0.5. With coupled
   unknowns the sweeps may amplify errors for alpha of about 0.85 and more; a solve with a wrong solution is then
   rejected (`PCFinegrainSetCheckSolution()`).

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
+  n     - number of values; if none were set, those of the last set-up, or 0.92 before the first one
-  alpha - the values, owned by `pc`

   Level: intermediate

.seealso: `PCSIPSetAlpha()`
@*/
PetscErrorCode PCSIPGetAlpha(PC pc, PetscInt *n, const PetscReal *alpha[])
{
  PC_Finegrain *e;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFindSetting(pc, alpha_setting, true, &e));
  const Sip *s = static_cast<Sip *>(e);
  const std::vector<PetscReal> &now = s->alpha.empty() ? s->used_alpha : s->alpha;
  *n = PetscInt(now.size());
  *alpha = now.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSIPSetAlternate - Chooses if there are factors in several directions of elimination

   Logically Collective

   Input Parameters:
+  pc        - the preconditioner
-  alternate - true: for each alpha a factor in the natural order of the grid, and factors with the second axis, the
               third, and both reversed; false (default): the natural order only

   Options Database Key:
.  -pc_sip_alternate <false> - true: alternate directions

   Level: intermediate

   Notes:
   For each alpha there are two factors in two dimensions, four in three. They are applied in turn: first those of
   the first alpha, then those of the next.

   An axis that has one point on all ranks does not count.

.seealso: `PCSIPGetAlternate()`, `PCSIPSetAlpha()`, `PCSIP`
@*/
PetscErrorCode PCSIPSetAlternate(PC pc, PetscBool alternate) { return alternate_setting.set(pc, alternate); }

PetscErrorCode PCSIPGetAlternate(PC pc, PetscBool *alternate) { return alternate_setting.get(pc, alternate); }

/*@
   PCSIPSetIterations - Sets the number of cycles of one application

   Logically Collective

   Input Parameters:
+  pc  - the preconditioner
-  its - number of cycles, 1 by default; a cycle applies each factor once, x += M^-1 (b - A x)

   Options Database Key:
.  -pc_sip_its <1> - the number

   Level: intermediate

   Note:
   With any number of cycles an application is a fixed linear operation. `KSPSIP` applies one factor per iteration
   and ignores this number.

.seealso: `PCSIPGetIterations()`, `PCFinegrainSetCorrections()`, `PCSIP`, `KSPSIP`
@*/
PetscErrorCode PCSIPSetIterations(PC pc, PetscInt its) { return its_setting.set(pc, its); }

PetscErrorCode PCSIPGetIterations(PC pc, PetscInt *its) { return its_setting.get(pc, its); }

// Lists the factors that are applied in turn: for each alpha one in each different direction.
static PetscErrorCode PCOptions_SIP(PC pc, EngineOptions *options)
{
  Sip *e = &PCFinegrainData<Sip>(pc);
  PetscInt axes[3] = {0, 0, 0};

  PetscFunctionBegin;
  if (e->alternate) { // so that all ranks have the same number of factors
    for (const Box &box : options->grid) {
      axes[0] |= box.i > 1;
      axes[1] |= box.j > 1;
      axes[2] |= box.k > 1;
    }
    PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, axes, 3, MPIU_INT, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  }
  PetscCall(FinegrainOnAllRanks(pc, [&]() -> PetscErrorCode {
    std::vector<unsigned> reversed(1, 0);
    bool first = true; // reversing all axes only exchanges lower and upper parts
    PetscFunctionBegin;
    for (const auto &[there, axis] :
         {std::pair(axes[0], reversed_i), std::pair(axes[1], reversed_j), std::pair(axes[2], reversed_k)}) {
      if (there && !first)
        for (std::size_t m = 0, size = reversed.size(); m < size; ++m) reversed.push_back(reversed[m] | axis);
      first = first && !there;
    }
    e->used_alpha = e->alpha;
    if (e->used_alpha.empty())
      e->used_alpha.push_back(e->analysis.op.block == 1 ? default_alpha : default_alpha_of_blocks);
    for (const PetscReal alpha : e->used_alpha)
      for (const unsigned m : reversed) options->sip_factors.push_back({Real(alpha), m});
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
    PCFinegrainShow(e->used_alpha).c_str(), e->alternate ? "alternate directions" : "natural order",
    e->analysis.options.pipelined ? "of all ranks together" : "per rank", e->analysis.cycles));
  if (e->analysis.options.pipelined) PetscCall(e->ranks.shared->view(viewer));
  PetscInt64 inside = e->analysis.engine->statistics().ignored_inside;
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, &inside, 1, MPIU_INT64, MPI_SUM, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "factors applied in turn: %" PetscInt_FMT
                                   "; ignored blocks around periodic axes and between grids: %" PetscInt64_FMT "\n",
                                   e->analysis.factors, inside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Stone's factorization needs the whole star of the grid, in natural order.
static const PCFinegrainTypeSetting rows[] = {{&settings::schedule, "auto,hyperplane", false},
                                              {&settings::ordering, "natural", false},
                                              {&settings::grid_coupling, nullptr, false},
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
   PCSIP - "sip": Stone's strongly implicit procedure on structured grids, per rank or over all ranks

   Options Database Keys:
+  -pc_sip_alpha <0.92,...>  - `PCSIPSetAlpha()`; 0.5 for blocks
.  -pc_sip_alternate <false> - `PCSIPSetAlternate()`
.  -pc_sip_global <false>    - `PCFinegrainSetGlobal()`
.  -pc_sip_its <1>           - `PCSIPSetIterations()`
-  -pc_sip_tile <I,J,K>      - `PCFinegrainSetTile()`

   `PCFINEGRAIN` lists the options that all types have.

   Level: beginner

   Notes:
   For matrices of 3-, 5- and 7-point stars: of a `DMDA`, or AIJ, BAIJ and SBAIJ matrices with -pc_sip_grid, with
   blocks of 1 to 32 rows. L and U have entries at the points of the star only, and their product M = L U has further
   entries, the fill. Stone approximates the fill terms by extrapolation from the star, and subtracts alpha times the
   result at the points of the star: L U - A is the sum over the six fill products m of
   m (v_fill - alpha v_a - alpha v_b + alpha v_P). For blocks the order of products is that of the formulas in
   Ferziger and Peric, U_x = L_P^-1 (A_x - P_x).

   Points with equal i + j + k are independent and run in parallel. The result is bitwise identical for all
   algorithms and numbers of threads.

   M ignores couplings around a periodic axis, between several grids of a rank and between ranks (the latter unless
   -pc_sip_global is given); residuals include them, and the view counts them. Any other coupling outside the star is
   an error that names the block row.

   With several values of alpha, or alternate directions, there are several factors, and an application is a cycle of
   corrections with all of them. This is a fixed operator, so any `KSP` can use it. `KSPSIP` is Stone's own method,
   in which an iteration uses the next factor.

   A singular pivot, also one of I + alpha (...), sets the failed reason `PC_FACTOR_NUMERIC_ZEROPIVOT`, and a value
   that is not finite `PC_FACTOR_OTHER`, on all ranks; -info names the block row.

   References:
+  * - H. L. Stone, Iterative solution of implicit approximations of multidimensional partial differential equations,
       SIAM Journal on Numerical Analysis 5 (1968)
.  * - J. H. Ferziger, M. Peric, Computational Methods for Fluid Dynamics
-  * - E. Dufrechou, P. Ezzatti, G. Usera, Avoiding synchronization to accelerate a CFD solver in GPU

.seealso: `PCCreate()`, `PCSetType()`, `PCType`, `PC`, `PCILU`, `PCFGBILU`, `KSPSIP`
M*/
