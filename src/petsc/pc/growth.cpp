// Growth: how much an application amplifies, found by a probe at each set-up, and the limit above which the set-up
// fails. Set-up calls it; the numbers are for the view.
#include "pc/settings.hpp"

#include <algorithm>
#include <cstdint>

using namespace finegrain;

namespace finegrain::settings
{
constinit const PCEngineValue<PCEngine, PetscReal> growth_limit{
  "growth_limit", "Growth of a probe from which set-up fails, 0 for no probe", "PCFinegrainSetGrowthLimit",
  &PCEngine::growth_limit, PetscInt(0)};
} // namespace finegrain::settings

namespace
{

// The signs of 64 global rows, which depend on nothing else: bits of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t find_signs(std::uint64_t word)
{
  word = (word + 1) * 0x9e3779b97f4a7c15U;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31);
}

// v = the signs, times a scale for each unknown of a block.
PetscErrorCode FillProbe(Vec v, const std::vector<PetscReal> &scales)
{
  PetscScalar *values;
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(v, &first, &last));
  PetscCall(VecGetArrayWrite(v, &values));
  for (PetscInt i = first; i < last;) { // the rows of a word at once, which vectors do
    const std::uint64_t signs = find_signs(std::uint64_t(i) / 64);
    const PetscInt begin = i % 64, end = std::min<PetscInt>(64, begin + last - i);
    for (PetscInt bit = begin; bit < end; ++bit)
      values[i - first + bit - begin] = PetscScalar(PetscReal(signs >> bit & 1) * 2 - 1);
    i += end - begin;
  }
  const PetscInt unknowns = PetscInt(scales.size());
  for (PetscInt i = 0; i < last - first && (unknowns > 1 || scales[0] != 1); ++i)
    values[i] *= scales[std::size_t(i % unknowns)];
  PetscCall(VecRestoreArrayWrite(v, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The largest magnitude of each unknown of a block over all ranks; Inf where one is not finite.
PetscErrorCode FindLargest(Vec x, PetscInt unknowns, std::vector<PetscReal> *largest)
{
  const PetscScalar *values;
  PetscInt n;

  PetscFunctionBegin;
  largest->assign(std::size_t(unknowns), 0);
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &values));
  for (std::size_t i = 0; i < std::size_t(n); ++i) {
    const PetscReal size = PetscAbsScalar(values[i]);
    PetscReal &most = (*largest)[i % largest->size()];
    most = PetscIsInfOrNanReal(size) ? PETSC_INFINITY : std::max(most, size);
  }
  PetscCall(VecRestoreArrayRead(x, &values));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest->data(), PetscMPIInt(largest->size()), MPIU_REAL, MPIU_MAX,
                             PetscObjectComm(reinterpret_cast<PetscObject>(x))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCEngineProbe::begin(PC pc, const PCEngine &e)
{
  PetscFunctionBegin;
  if (e.growth_limit == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(pc->pmat, &v, &product));
  PetscCall(FillProbe(v, {1}));
  PetscCall(MatMult(pc->pmat, v, product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineProbe::end(PC pc, PCEngine *e)
{
  std::vector<PetscReal> first, second;
  PetscReal sum;

  PetscFunctionBegin;
  e->growth = -1;
  if (!v || pc->failedreason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCEngineApply(pc, product, v));
  PetscCall(VecNorm(v, NORM_INFINITY, &e->growth));
  PetscCall(VecNorm(v, NORM_1, &sum));
  if (PetscIsInfOrNanReal(sum)) e->growth = PETSC_INFINITY; // the largest over ranks may leave out NaN
  if (e->growth < e->growth_limit || e->growth == PETSC_INFINITY) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindLargest(v, e->op.block, &first));
  // Unknowns in other units look like growth. The scales of the result are theirs.
  for (PetscReal &scale : first) scale = std::max(scale, PetscReal(1));
  if (PCEngineReducesInPlace(*e)) { // there is no matrix to multiply with, and the least is beyond doubt
    e->growth = *std::min_element(first.begin(), first.end());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FillProbe(v, first));
  PetscCall(MatMult(pc->pmat, v, product));
  PetscCall(PCEngineApply(pc, product, v));
  PetscCall(FindLargest(v, e->op.block, &second));
  e->growth = 0;
  for (std::size_t j = 0; j < first.size(); ++j) e->growth = std::max(e->growth, second[j] / first[j]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PCEngineProbe::~PCEngineProbe()
{
  PetscCallVoid(VecDestroy(&v));
  PetscCallVoid(VecDestroy(&product));
}

/*@
   PCFinegrainSetGrowthLimit - Sets the growth from which a set-up fails

   Logically Collective

   Input Parameters:
+  pc    - the preconditioner
-  limit - 1e4 by default, 1e3 where PETSc computes in single precision; 0: growth is not looked for

   Options Database Key:
.  -pc_fgbilu_growth_limit <1e4> - the limit

   Level: intermediate

   Notes:
   Sweeps of a factor can amplify errors, and those of a relaxation diverge, where a matrix is far from diagonally
dominant. The preconditioned residual then falls by orders of magnitude while the true one does not, and a `KSP` that
tests the preconditioned norm stops too early. Therefore each set-up applies the preconditioner to A v for a vector v
of random signs. The growth is the largest entry of M^-1 A v, which is close to 1 where M resembles A. If it reaches
the limit, v is scaled by what came out, unknown by unknown, and the growth is measured once more, so that units
of unknowns do not matter. If it is still there, the set-up fails with `PC_FACTOR_OTHER` on all ranks.

   The cost is a product with the matrix and an application for each set-up.

.seealso: `PCFinegrainGetGrowthLimit()`, `PCFinegrainGetGrowth()`, `PCGetFailedReason()`
@*/
PetscErrorCode PCFinegrainSetGrowthLimit(PC pc, PetscReal limit) { return settings::growth_limit.set(pc, limit); }

/*@
   PCFinegrainGetGrowthLimit - Gets what `PCFinegrainSetGrowthLimit()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  limit - the limit

   Level: intermediate

.seealso: `PCFinegrainSetGrowthLimit()`
@*/
PetscErrorCode PCFinegrainGetGrowthLimit(PC pc, PetscReal *limit) { return settings::growth_limit.get(pc, limit); }

/*@
   PCFinegrainGetGrowth - Gets the growth that the last set-up found

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  growth - the largest entry of M^-1 A v, for v of random signs; -1 if nobody looked for it

   Level: intermediate

.seealso: `PCFinegrainSetGrowthLimit()`
@*/
PetscErrorCode PCFinegrainGetGrowth(PC pc, PetscReal *growth)
{
  PCEngine *e;

  PetscFunctionBegin;
  PetscCall(PCEngineGet(pc, &e));
  *growth = e->growth;
  PetscFunctionReturn(PETSC_SUCCESS);
}
