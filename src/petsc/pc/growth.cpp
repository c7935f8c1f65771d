// SPDX-License-Identifier: BSD-2-Clause
// Growth: how much an application amplifies, found by a probe after set-ups, and the limit above which the set-up
// fails. Set-up calls it; the numbers are for the view.
#include "pc/settings.hpp"
#include "pc/units_of_unknowns.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace finegrain;

namespace finegrain::settings
{
constinit const PCEngineValue<PCEngine, PetscReal> growth_limit{
  "growth_limit",
  "Growth of a probe from which set-up fails, 0 for no probe; -1: 1e3, or 200 with sums in single precision",
  "PCFinegrainSetGrowthLimit", &PCEngine::growth_limit, -1};
} // namespace finegrain::settings

namespace
{

// Below this growth what an application amplifies is of no concern (tests/growth has the measurements).
constexpr PetscReal quiet = 10;

// How well units of unknowns are looked for, at first and before a set-up fails. No units make this of a good matrix.
constexpr int few_turns = 8, many_turns = 32;
constexpr PetscReal hopeless = 1e9;

// Set-ups of a pattern until the next probe.
int wait_after(PetscReal growth, PetscReal limit)
{
  if (growth < quiet && growth < limit / 5) return 16;
  return growth < limit / 10 ? 4 : 1;
}

// The signs of 64 global rows, which depend on nothing else: bits of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t find_signs(std::uint64_t word)
{
  word = (word + 1) * 0x9e3779b97f4a7c15U;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31);
}

// v = the signs, times a scale for each row if there are scales.
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
  for (std::size_t i = 0; i < scales.size(); ++i) values[i] *= scales[i];
  PetscCall(VecRestoreArrayWrite(v, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The largest magnitude, of entries over their scales; Inf where one is not finite.
PetscErrorCode FindLargest(Vec x, const std::vector<PetscReal> &scales, PetscReal *largest)
{
  const PetscScalar *values;
  PetscInt n;

  PetscFunctionBegin;
  *largest = 0;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &values));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal size = PetscAbsScalar(values[i]) / (scales.empty() ? 1 : scales[std::size_t(i)]);
    *largest = PetscIsInfOrNanReal(size) ? PETSC_INFINITY : std::max(*largest, size);
  }
  PetscCall(VecRestoreArrayRead(x, &values));
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, largest, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(x))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscReal PCEngineGrowthLimit(const PCEngine &e)
{
  if (e.growth_limit >= 0) return e.growth_limit;
  const bool single_sums = sizeof(PetscReal) == 4 || e.accumulate == PC_FINEGRAIN_ACCUMULATE_SINGLE;
  return single_sums ? PetscReal(200) : PetscReal(1e3);
}

PetscErrorCode PCEngineProbe::begin(PC pc, PCEngine *e)
{
  PetscFunctionBegin;
  if (PCEngineGrowthLimit(*e) == 0) {
    e->growth = -1;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (--e->next_probe > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(pc->pmat, &v, &product));
  PetscCall(FillProbe(v, {}));
  PetscCall(MatMult(pc->pmat, v, product));
  if (!PCEngineReducesInPlace(*e)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(product, &scaled_product)); // there will be no matrix to multiply with
  PetscCall(FindUnitsOfUnknowns(pc->pmat, few_turns, &e->units.emplace()));
  PetscCall(FillProbe(v, *e->units));
  PetscCall(MatMult(pc->pmat, v, scaled_product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineProbe::measure_scaled(PC pc, PCEngine *e)
{
  PetscReal scaled;

  PetscFunctionBegin;
  if (!scaled_product) {
    PetscCall(FillProbe(v, *e->units));
    PetscCall(MatMult(pc->pmat, v, product));
  }
  PetscCall(PCEngineApply(pc, scaled_product ? scaled_product : product, v));
  PetscCall(FindLargest(v, *e->units, &scaled));
  e->growth = std::min(e->growth, scaled);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineProbe::end(PC pc, PCEngine *e)
{
  const PetscReal limit = PCEngineGrowthLimit(*e);

  PetscFunctionBegin;
  if (!v) PetscFunctionReturn(PETSC_SUCCESS);
  e->growth = -1;
  e->next_probe = 1;
  if (pc->failedreason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCEngineApply(pc, product, v));
  PetscCall(FindLargest(v, {}, &e->growth));
  if (e->growth >= limit) { // or are these the units of unknowns?
    if (!e->units) PetscCall(FindUnitsOfUnknowns(pc->pmat, few_turns, &e->units.emplace()));
    PetscCall(measure_scaled(pc, e));
    if (e->growth >= limit && e->growth < hopeless * limit &&
        !scaled_product) { // other units than before, or by regions?
      PetscCall(FindUnitsOfUnknowns(pc->pmat, many_turns, &e->units.emplace()));
      PetscCall(measure_scaled(pc, e));
    }
  }
  e->next_probe = wait_after(e->growth, limit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PCEngineProbe::~PCEngineProbe()
{
  PetscCallVoid(VecDestroy(&v));
  PetscCallVoid(VecDestroy(&product));
  PetscCallVoid(VecDestroy(&scaled_product));
}

/*@
   PCFinegrainSetGrowthLimit - Sets the growth from which a set-up fails

   Logically Collective

   Input Parameters:
+  pc    - the preconditioner
-  limit - 0: growth is not looked for; -1 (default): 1e3, or 200 where sums are in single precision

   Options Database Key:
.  -pc_fgbilu_growth_limit <-1> - the limit

   Level: intermediate

   Notes:
   Sweeps of a factor can amplify errors, and those of a relaxation diverge, where a matrix is far from diagonally
dominant. The preconditioned residual then falls by orders of magnitude while the true one does not, and a `KSP` that
tests the preconditioned norm stops too early. Therefore set-ups apply the preconditioner to A v for a vector v of
random signs. The growth is the largest entry of M^-1 A v, which is close to 1 where M resembles A. Where it reaches
the limit it is measured once more with v = C w for random signs w and units C of unknowns, as the largest entry of
C^-1 M^-1 A C w, and the smaller of the two is taken. C are the scales of columns that, with others of rows, bring all
entries as near to 1 as can be, in the least squares of logarithms (Curtis and Reid 1972). If the growth reaches the
limit, the set-up fails with `PC_FACTOR_OTHER` on all ranks.

   A `KSP` that tests the true residual (`KSPSetPCSide()` right, `KSPSetNormType()`) needs no limit.

   The cost is a product with the matrix and an application. The first set-up of a pattern pays it, and after a growth
below 10 every sixteenth; below a tenth of the limit every fourth, and above that every one. A second measurement
costs as much again. Its scales are found once for a pattern, by 18 passes over the matrix, and more thoroughly before
a set-up fails.

.seealso: `PCFinegrainGetGrowthLimit()`, `PCFinegrainGetGrowth()`, `PCGetFailedReason()`
@*/
PetscErrorCode PCFinegrainSetGrowthLimit(PC pc, PetscReal limit) { return settings::growth_limit.set(pc, limit); }

PetscErrorCode PCFinegrainGetGrowthLimit(PC pc, PetscReal *limit) { return settings::growth_limit.get(pc, limit); }

/*@
   PCFinegrainGetGrowth - Gets the growth that the last probe found

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
