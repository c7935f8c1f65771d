// PCSIP: manual page, its own options and setters, view, constructor.
#include "pc/settings.hpp"
#include "pc/types.hpp"
#include "plan/sip_star.hpp"

using namespace finegrain;

static PetscErrorCode CheckAlpha(PetscInt n, const PetscReal alpha[])
{
  PetscFunctionBegin;
  PetscCheck(n > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-pc_sip_alpha has no number; give one or more");
  for (PetscInt i = 0; i < n; ++i)
    PetscCheck(alpha[i] >= 0 && alpha[i] < 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "-pc_sip_alpha has %g; each must be 0 or more, and below 1", double(alpha[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSIPSetAlpha - Sets how much of the fill Stone's factors cancel

   Logically Collective

   Input Parameters:
+  pc    - the preconditioner
.  n     - how many numbers, 1 or more: a factor for each (and each direction, `PCSIPSetAlternate()`), which take
turns
-  alpha - the numbers, each 0 or more and below 1; 0.92 alone by default

   Options Database Key:
.  -pc_sip_alpha <0.92,...> - the numbers

   Level: intermediate

   Note:
   0 is ILU(0). For Poisson's equation one number close to 1 is much better, and one too close to it diverges.

.seealso: `PCSIPGetAlpha()`, `PCSIPSetAlternate()`, `PCSIPSetIterations()`, `PCSIP`
@*/
PetscErrorCode PCSIPSetAlpha(PC pc, PetscInt n, const PetscReal alpha[])
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, &e));
  PetscValidLogicalCollectiveInt(pc, n, 2);
  if (!e || !PCEngineMatches(*e, PCSIP, 0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FinegrainErrorOnAnyRank(reinterpret_cast<PetscObject>(pc), CheckAlpha(n, alpha)));
  for (PetscInt i = 0; i < n; ++i) PetscValidLogicalCollectiveReal(pc, alpha[i], 3);
  PetscCall(PCEngineChange(pc, e, e->alpha, std::vector<PetscReal>(alpha, alpha + n)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSIPGetAlpha - Gets what `PCSIPSetAlpha()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameters:
+  n     - how many numbers
-  alpha - the numbers, owned by `pc`

   Level: intermediate

.seealso: `PCSIPSetAlpha()`
@*/
PetscErrorCode PCSIPGetAlpha(PC pc, PetscInt *n, const PetscReal *alpha[])
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  PetscCall(PCEngineCheckType(pc, *e, PCSIP, 0));
  *n = PetscInt(e->alpha.size());
  *alpha = e->alpha.data();
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
PetscErrorCode PCSIPSetAlternate(PC pc, PetscBool alternate)
{
  PetscFunctionBegin;
  PetscCall(PCEngineSet(
    pc, alternate, [](PCEngine & e) -> auto & { return e.alternate; }, PCSIP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSIPGetAlternate - Gets what `PCSIPSetAlternate()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  alternate - whether there are several directions

   Level: intermediate

.seealso: `PCSIPSetAlternate()`
@*/
PetscErrorCode PCSIPGetAlternate(PC pc, PetscBool *alternate)
{
  PetscFunctionBegin;
  PetscCall(PCEngineGetSetting(
    pc, alternate, [](PCEngine & e) -> auto & { return e.alternate; }, PCSIP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
PetscErrorCode PCSIPSetIterations(PC pc, PetscInt its)
{
  PetscFunctionBegin;
  PetscCheck(its > 0, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_sip_its is %" PetscInt_FMT "; it must be 1 or more", its);
  PetscCall(PCEngineSet(
    pc, its, [](PCEngine & e) -> auto & { return e.cycles; }, PCSIP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSIPGetIterations - Gets what `PCSIPSetIterations()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  its - the number of cycles

   Level: intermediate

.seealso: `PCSIPSetIterations()`
@*/
PetscErrorCode PCSIPGetIterations(PC pc, PetscInt *its)
{
  PetscFunctionBegin;
  PetscCall(PCEngineGetSetting(
    pc, its, [](PCEngine & e) -> auto & { return e.cycles; }, PCSIP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSetFromOptions_SIP(PC pc, FinegrainOptionItems PetscOptionsObject)
{
  const PCEngineOptions options(pc, PetscOptionsObject);
  PCEngine *e = static_cast<PCEngine *>(pc->data);
  PetscReal alpha[64];
  PetscInt n = std::min(PetscInt(e->alpha.size()), PetscInt(64));
  PetscBool given;

  PetscFunctionBegin;
  std::copy_n(e->alpha.begin(), n, alpha); // for -help
  n = 64;
  PetscCall(PetscOptionsRealArray("-pc_sip_alpha", "How much of the fill is cancelled, one number or several",
                                  "PCSIPSetAlpha", alpha, &n, &given));
  if (given) PetscCall(PCSIPSetAlpha(pc, n, alpha));
  PetscCall(options.value("alternate", "Factors in several directions take turns", "PCSIPSetAlternate",
                          PCSIPGetAlternate, PCSIPSetAlternate));
  PetscCall(
    options.value("its", "Cycles of one application", "PCSIPSetIterations", PCSIPGetIterations, PCSIPSetIterations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The factors that take turns: for each alpha one in each direction that differs from the others.
static PetscErrorCode PCPrepare_SIP(PC pc, Recipe *recipe)
{
  PCEngine *e = static_cast<PCEngine *>(pc->data);
  PetscInt axes[3] = {0, 0, 0};

  PetscFunctionBegin;
  std::vector<unsigned> mirrored(1, 0);
  if (e->alternate) { // all ranks have the same number of factors
    for (const Box &box : recipe->grid) {
      axes[0] |= box.i > 1;
      axes[1] |= box.j > 1;
      axes[2] |= box.k > 1;
    }
    PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, axes, 3, MPIU_INT, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
    bool first = true; // reversing all axes exchanges lower and upper parts, which is no direction of its own
    for (const auto &[there, axis] :
         {std::pair(axes[0], mirror_i), std::pair(axes[1], mirror_j), std::pair(axes[2], mirror_k)}) {
      if (there && !first)
        for (std::size_t m = 0, size = mirrored.size(); m < size; ++m) mirrored.push_back(mirrored[m] | axis);
      first = first && !there;
    }
  }
  recipe->family.clear();
  for (const PetscReal alpha : e->alpha)
    for (const unsigned m : mirrored) recipe->family.push_back({Real(alpha), m});
  e->members = PetscInt(recipe->family.size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCView_SIP(PC pc, PetscViewer viewer)
{
  PCEngine *e = static_cast<PCEngine *>(pc->data);
  std::string alphas;

  PetscFunctionBegin;
  for (const PetscReal alpha : e->alpha) {
    char text[32];
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s%g", alphas.empty() ? "" : ",", double(alpha)));
    alphas += text;
  }
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "factor: Stone's, alpha %s, in %s, per rank; cycles of one application: %" PetscInt_FMT "\n",
    alphas.c_str(), e->alternate ? "alternate directions" : "natural order", e->cycles));
  if (!e->analyzed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscInt64 inside = e->engine->statistics().left_out_inside;
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, &inside, 1, MPIU_INT64, MPI_SUM, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "factors that take turns: %" PetscInt_FMT
                                   "; couplings around periodic axes and between grids, left out: %" PetscInt64_FMT
                                   " blocks\n",
                                   e->members, inside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PCEngineType sip = {PCSIP,
                           Method::sip,
                           PCENGINE_HYPERPLANES,
                           PCSetFromOptions_SIP,
                           PCView_SIP,
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
                           "}\n",
                           PETSC_FALSE,
                           PCPrepare_SIP};
PCEngineType *const PCEngineType_SIP = &sip;

/*MC
   PCSIP - "sip": Stone's strongly implicit procedure on structured grids, per rank

   Options Database Keys:
+  -pc_sip_alpha <0.92,...>                         - `PCSIPSetAlpha()`
.  -pc_sip_alternate <false>                        - `PCSIPSetAlternate()`
.  -pc_sip_its <1>                                  - `PCSIPSetIterations()`
.  -pc_sip_executor <auto,natural,launch,self,tile> - `PCFinegrainSetExecutor()`
.  -pc_sip_tile <I,J,K>                             - `PCFinegrainSetTile()`
.  -pc_sip_backend <auto,host,device>               - `PCFinegrainSetBackend()`
.  -pc_sip_precision <working,single>               - `PCFinegrainSetPrecision()`
.  -pc_sip_diag_precision <working,storage>         - `PCFinegrainSetDiagonalPrecision()`
.  -pc_sip_shift_type <none,inblocks>               - `PCFinegrainSetShift()`
.  -pc_sip_shift_amount <100 epsilon>               - `PCFinegrainSetShift()`
.  -pc_sip_grid <I,J,K[,I,J,K...]>                  - `PCFinegrainSetGrid()`
.  -pc_sip_corrections <k>                          - `PCFinegrainSetCorrections()`
.  -pc_sip_richardson <none,steps,tolerances>       - `PCFinegrainSetRichardson()`
-  -pc_sip_block_size <n>                           - `PCFinegrainSetBlockSize()`

   Level: beginner

   Notes:
   For matrices of 3-, 5- and 7-point stars: of a `DMDA`, or AIJ, BAIJ and SBAIJ matrices with -pc_sip_grid, with
blocks of 1 to 32 rows. M = L U has the entries of the star alone. Its product has fill beside it; Stone chooses L and
U so that alpha times what a smooth function has there is taken off again at the points of the star:
L U - A = sum over the six fill products m of m (v_fill - alpha v_a - alpha v_b + alpha v_P). For blocks the order of
products is that of the formulas in Ferziger and Peric, U_x = L_P^-1 (A_x - P_x).

   Points with equal i + j + k are independent, and run in parallel. The result does not depend on executor or number
of threads, bit by bit.

   Couplings around a periodic axis, between several grids of a rank and between ranks are left out of M and seen by
residuals only; the view counts them. Any other coupling outside the star is an error that names the block row.

   With several numbers alpha, or alternate directions, there is a factor for each, held together, and an application
is a cycle of corrections with all of them: a fixed operator, for any `KSP`. `KSPSIP` is Stone's own method, in which
an iteration takes the next factor.

   A singular or non-finite pivot, I + alpha (...) among them, sets the failed reason `PC_FACTOR_NUMERIC_ZEROPIVOT` on
all ranks; -info names the block row.

   References:
+  * - H. L. Stone, Iterative solution of implicit approximations of multidimensional partial differential equations,
       SIAM Journal on Numerical Analysis 5 (1968)
.  * - J. H. Ferziger, M. Peric, Computational Methods for Fluid Dynamics
-  * - E. Dufrechou, P. Ezzatti, G. Usera, Avoiding synchronization to accelerate a CFD solver in GPU

.seealso: `PCCreate()`, `PCSetType()`, `PCType`, `PC`, `PCILU`, `PCFGBILU`, `KSPSIP`
M*/
PetscErrorCode PCCreate_SIP(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCEngineCreate(pc, PCEngineType_SIP));
  static_cast<PCEngine *>(pc->data)->alpha = {PetscReal(0.92)};
  PetscFunctionReturn(PETSC_SUCCESS);
}
