// Growth: how much an application amplifies, found by a probe after set-ups, and the limit above which the set-up
// fails. Set-up calls it; the numbers are for the view.
#include "common/matrix_view.hpp"
#include "pc/settings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

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

// visit(row, column, magnitude) for the entries of a sequential matrix; of SBAIJ those below the diagonal, too.
template <class Visit> PetscErrorCode VisitEntries(Mat A, bool symmetric, const Visit &visit)
{
  PetscFunctionBegin;
  PetscCall(OperatorVisitRows(
    A, symmetric, [&](PetscInt i, PetscInt count, const PetscInt *col, const PetscScalar *value) -> PetscErrorCode {
      for (PetscInt e = 0; e < count; ++e) {
        visit(i, col[e], PetscAbsScalar(value[e]));
        if (symmetric && col[e] != i) visit(col[e], i, PetscAbsScalar(value[e]));
      }
      return PETSC_SUCCESS;
    }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The owned rows of Pmat: those of the columns that are owned, and of others, by ghosts.
struct Parts {
  Mat owned = nullptr, coupling = nullptr;
  bool symmetric = false; // the owned square alone, by its upper triangle
  PetscSF sf = nullptr;   // from ghost columns to their owners

  ~Parts() { (void)PetscSFDestroy(&sf); }
  PetscErrorCode get(Mat mat)
  {
    const PetscInt *global;
    PetscInt n, ghosts = 0, block;
    Operator op;
    bool known;
    std::vector<PetscInt> columns;

    PetscFunctionBegin;
    PetscCall(OperatorFindType(mat, &op, &known));
    PetscCall(OperatorGetParts(mat, op, &owned, &coupling, &global));
    symmetric = op.symmetric;
    PetscCall(MatGetLocalSize(mat, &n, nullptr));
    PetscCall(MatGetBlockSize(mat, &block));
    if (!op.by_blocks) block = 1;
    if (coupling) PetscCall(MatGetLocalSize(coupling, nullptr, &ghosts));
    PetscCall(FinegrainOnAllRanks(mat, [&]() -> PetscErrorCode {
      for (PetscInt c = 0; c < ghosts; ++c) columns.push_back(global[c / block] * block + c % block);
      return PETSC_SUCCESS;
    }));
    PetscCall(FinegrainMakeForest(PetscObjectComm(reinterpret_cast<PetscObject>(mat)), n, columns, &sf));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

// Columns' scales of a two-sided equilibration: rows, then columns are divided by the roots of their largest entries,
// three times (Ruiz 2001). The same on any number of ranks.
PetscErrorCode Equilibrate(PC pc, std::vector<PetscReal> *scales)
{
  Parts parts;
  PetscInt n, ghosts = 0;
  std::vector<PetscReal> rows, largest, ghost_scales, ghost_largest;
  const auto divide = [](std::vector<PetscReal> &by, const std::vector<PetscReal> &sizes) {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] > 0 && !PetscIsInfOrNanReal(sizes[i])) by[i] /= std::sqrt(sizes[i]);
  };
  const auto raise = [](PetscReal &most, PetscReal size) { most = std::max(most, size); };

  PetscFunctionBegin;
  PetscCall(parts.get(pc->pmat));
  PetscCall(MatGetLocalSize(pc->pmat, &n, nullptr));
  if (parts.coupling) PetscCall(MatGetLocalSize(parts.coupling, nullptr, &ghosts));
  PetscCall(FinegrainOnAllRanks(pc, [&]() -> PetscErrorCode {
    scales->assign(std::size_t(n), 1);
    rows = *scales;
    largest = *scales;
    ghost_scales.assign(std::size_t(ghosts), 1);
    ghost_largest = ghost_scales;
    return PETSC_SUCCESS;
  }));
  for (int sweep = 0; sweep < 3; ++sweep) {
    const auto size = [&](PetscInt i, PetscReal scale, PetscReal entry) {
      return entry * rows[std::size_t(i)] * scale;
    };
    PetscCall(PetscSFBcastBegin(parts.sf, MPIU_REAL, scales->data(), ghost_scales.data(), MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(parts.sf, MPIU_REAL, scales->data(), ghost_scales.data(), MPI_REPLACE));
    for (const bool of_rows : {true, false}) {
      std::fill(largest.begin(), largest.end(), PetscReal(0));
      std::fill(ghost_largest.begin(), ghost_largest.end(), PetscReal(0));
      PetscCall(VisitEntries(parts.owned, parts.symmetric, [&](PetscInt i, PetscInt j, PetscReal entry) {
        raise(largest[std::size_t(of_rows ? i : j)], size(i, (*scales)[std::size_t(j)], entry));
      }));
      if (parts.coupling)
        PetscCall(VisitEntries(parts.coupling, false, [&](PetscInt i, PetscInt j, PetscReal entry) {
          raise(of_rows ? largest[std::size_t(i)] : ghost_largest[std::size_t(j)],
                size(i, ghost_scales[std::size_t(j)], entry));
        }));
      if (!of_rows) {
        PetscCall(PetscSFReduceBegin(parts.sf, MPIU_REAL, ghost_largest.data(), largest.data(), MPI_MAX));
        PetscCall(PetscSFReduceEnd(parts.sf, MPIU_REAL, ghost_largest.data(), largest.data(), MPI_MAX));
      }
      divide(of_rows ? rows : *scales, largest);
    }
  }
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
  PetscCall(Equilibrate(pc, &scales));
  PetscCall(FillProbe(v, scales));
  PetscCall(MatMult(pc->pmat, v, scaled_product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineProbe::end(PC pc, PCEngine *e)
{
  const PetscReal limit = PCEngineGrowthLimit(*e);
  PetscReal scaled;

  PetscFunctionBegin;
  if (!v) PetscFunctionReturn(PETSC_SUCCESS);
  e->growth = -1;
  e->next_probe = 1;
  if (pc->failedreason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCEngineApply(pc, product, v));
  PetscCall(FindLargest(v, {}, &e->growth));
  if (e->growth >= quiet || e->growth >= limit) { // or are these the units of unknowns?
    if (!scaled_product) {
      PetscCall(Equilibrate(pc, &scales));
      PetscCall(FillProbe(v, scales));
      PetscCall(MatMult(pc->pmat, v, product));
    }
    PetscCall(PCEngineApply(pc, scaled_product ? scaled_product : product, v));
    PetscCall(FindLargest(v, scales, &scaled));
    e->growth = std::min(e->growth, scaled);
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
random signs. The growth is the largest entry of M^-1 A v, which is close to 1 where M resembles A. From 10 on it is
measured once more with v = C w for random signs w and the scales C of columns of an equilibrated matrix, as the
largest entry of C^-1 M^-1 A C w, and the smaller of the two is taken, so that units of unknowns do not matter. If it
reaches the limit, the set-up fails with `PC_FACTOR_OTHER` on all ranks.

   A `KSP` that tests the true residual (`KSPSetPCSide()` right, `KSPSetNormType()`) needs no limit.

   The cost is a product with the matrix and an application. The first set-up of a pattern pays it, and after a growth
below 10 every sixteenth; below a tenth of the limit every fourth, and above that every one.

.seealso: `PCFinegrainGetGrowthLimit()`, `PCFinegrainGetGrowth()`, `PCGetFailedReason()`
@*/
PetscErrorCode PCFinegrainSetGrowthLimit(PC pc, PetscReal limit) { return settings::growth_limit.set(pc, limit); }

/*@
   PCFinegrainGetGrowthLimit - Gets what `PCFinegrainSetGrowthLimit()` set

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  limit - the limit, -1 for 1e3 or 200

   Level: intermediate

.seealso: `PCFinegrainSetGrowthLimit()`
@*/
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
