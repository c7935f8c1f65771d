// Growth: how much an application amplifies, found by a probe after set-ups, and the limit above which the set-up
// fails. Set-up calls it; the numbers are for the view.
#include "common/matrix_view.hpp"
#include "pc/settings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
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

// log2 of a magnitude by a line between powers of two, in parts: integers, whose sums know no order of ranks.
constexpr std::int64_t parts_of_two = 1024;
std::int64_t find_logarithm(PetscReal size)
{
  int exponent;
  const PetscReal part = std::frexp(size, &exponent);
  return exponent * parts_of_two + std::int64_t(part * 2 * parts_of_two);
}

// The owned rows of Pmat; their columns are those that are owned, and then ghosts.
struct Rows {
  Mat owned = nullptr, coupling = nullptr;
  bool symmetric = false; // the owned square alone, by its upper triangle
  PetscSF sf = nullptr;   // from ghost columns to their owners
  PetscInt n = 0, ghosts = 0;

  ~Rows() { (void)PetscSFDestroy(&sf); }
  PetscErrorCode get(Mat mat)
  {
    const PetscInt *global;
    PetscInt block;
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

  // visit(row, column, logarithm of the magnitude) for all entries but zero; of SBAIJ those below the diagonal, too.
  template <class Visit> PetscErrorCode visit_part(Mat part, PetscInt first_column, const Visit &visit) const
  {
    PetscFunctionBegin;
    if (!part) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(OperatorVisitRows(
      part, symmetric,
      [&](PetscInt i, PetscInt count, const PetscInt *col, const PetscScalar *value) -> PetscErrorCode {
        for (PetscInt e = 0; e < count; ++e) {
          const PetscReal size = PetscAbsScalar(value[e]);
          if (!(size > 0) || PetscIsInfOrNanReal(size)) continue;
          const std::int64_t logarithm = find_logarithm(size);
          const PetscInt j = first_column + col[e];
          visit(std::size_t(i), std::size_t(j), logarithm);
          if (symmetric && j != i) visit(std::size_t(j), std::size_t(i), logarithm);
        }
        return PETSC_SUCCESS;
      }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  template <class Visit> PetscErrorCode visit(const Visit &visit) const
  {
    PetscFunctionBegin;
    PetscCall(visit_part(owned, 0, visit));
    PetscCall(visit_part(coupling, n, visit));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // Numbers of columns: from owners to ghosts, or of all ghosts to their owners.
  PetscErrorCode send(std::vector<std::int64_t> &of_columns) const
  {
    PetscFunctionBegin;
    PetscCall(PetscSFBcastBegin(sf, MPIU_INT64, of_columns.data(), of_columns.data() + n, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(sf, MPIU_INT64, of_columns.data(), of_columns.data() + n, MPI_REPLACE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode collect(std::vector<std::int64_t> &of_columns, MPI_Op op) const
  {
    PetscFunctionBegin;
    PetscCall(PetscSFReduceBegin(sf, MPIU_INT64, of_columns.data() + n, of_columns.data(), op));
    PetscCall(PetscSFReduceEnd(sf, MPIU_INT64, of_columns.data() + n, of_columns.data(), op));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

// Scales whose largest is less than so many times the smallest are no units (tests/growth: random couplings).
constexpr double least_units = 100;
// An entry that is so small a part of the largest of its row, and of its column, is rounding.
constexpr double rounding = 1e-8;

// Scales of columns by which, with others of rows, the logarithms of all entries are nearest to 0 in the mean of
// squares (Curtis and Reid 1972), for e->scales; found by half-steps for rows and columns by turns, with the weights
// of Chebyshev (Golub and Varga 1961). Rows or columns in other units have other scales, and nothing else changes.
// All are 1 where they differ by little. The same on any number of ranks.
PetscErrorCode Equilibrate(PC pc, PCEngine *e)
{
  constexpr int turns = 8;
  constexpr double radius = 0.97; // of the iteration without weights
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min() / 4;
  const std::int64_t small = std::int64_t(parts_of_two * std::log2(rounding));
  double weight = 1;
  Rows matrix;
  std::vector<std::int64_t> rows, columns, row_most, column_most, sum, count;
  std::int64_t ends[2] = {lowest, lowest};

  PetscFunctionBegin;
  PetscCall(matrix.get(pc->pmat));
  const std::size_t n = std::size_t(matrix.n), all = n + std::size_t(matrix.ghosts);
  PetscCall(FinegrainOnAllRanks(pc, [&]() -> PetscErrorCode {
    e->scales.assign(n, 1);
    rows.assign(n, 0);
    row_most.assign(n, lowest);
    for (auto *of_columns : {&columns, &sum, &count}) of_columns->assign(all, 0);
    column_most.assign(all, lowest);
    return PETSC_SUCCESS;
  }));
  PetscCall(matrix.visit([&](std::size_t i, std::size_t j, std::int64_t entry) {
    row_most[i] = std::max(row_most[i], entry);
    column_most[j] = std::max(column_most[j], entry);
  }));
  PetscCall(matrix.collect(column_most, MPI_MAX));
  PetscCall(matrix.send(column_most));
  for (int half = 0; half < 2 * turns; ++half) {
    const bool of_rows = half % 2 == 0;
    std::fill(sum.begin(), sum.end(), 0);
    std::fill(count.begin(), count.end(), 0);
    if (of_rows) PetscCall(matrix.send(columns));
    PetscCall(matrix.visit([&](std::size_t i, std::size_t j, std::int64_t entry) {
      if (entry < std::min(row_most[i], column_most[j]) + small) return;
      sum[of_rows ? i : j] += entry + rows[i] + columns[j];
      ++count[of_rows ? i : j];
    }));
    if (!of_rows) {
      PetscCall(matrix.collect(sum, MPI_SUM));
      PetscCall(matrix.collect(count, MPI_SUM));
    }
    if (half > 0) weight = 1 / (1 - radius * radius * weight / (half == 1 ? 2 : 4));
    for (std::size_t i = 0; i < n; ++i)
      if (count[i] > 0) (of_rows ? rows : columns)[i] -= std::llround(weight * double(sum[i]) / double(count[i]));
  }
  for (std::size_t i = 0; i < n; ++i) {
    ends[0] = std::max(ends[0], columns[i]);
    ends[1] = std::max(ends[1], -columns[i]);
  }
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPIU_INT64, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  if (double(ends[0] + ends[1]) >= double(parts_of_two) * std::log2(least_units))
    for (std::size_t i = 0; i < n; ++i) e->scales[i] = std::exp2(PetscReal(columns[i]) / PetscReal(parts_of_two));
  e->has_scales = true;
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
  PetscCall(Equilibrate(pc, e));
  PetscCall(FillProbe(v, e->scales));
  PetscCall(MatMult(pc->pmat, v, scaled_product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineProbe::measure_scaled(PC pc, PCEngine *e)
{
  PetscReal scaled;

  PetscFunctionBegin;
  if (!scaled_product) {
    PetscCall(FillProbe(v, e->scales));
    PetscCall(MatMult(pc->pmat, v, product));
  }
  PetscCall(PCEngineApply(pc, scaled_product ? scaled_product : product, v));
  PetscCall(FindLargest(v, e->scales, &scaled));
  e->growth = std::min(e->growth, scaled);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineProbe::end(PC pc, PCEngine *e)
{
  const PetscReal limit = PCEngineGrowthLimit(*e);
  const bool kept = e->has_scales && !scaled_product;

  PetscFunctionBegin;
  if (!v) PetscFunctionReturn(PETSC_SUCCESS);
  e->growth = -1;
  e->next_probe = 1;
  if (pc->failedreason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCEngineApply(pc, product, v));
  PetscCall(FindLargest(v, {}, &e->growth));
  if (e->growth >= quiet || e->growth >= limit) { // or are these the units of unknowns?
    if (!kept && !scaled_product) PetscCall(Equilibrate(pc, e));
    PetscCall(measure_scaled(pc, e));
    if (e->growth >= limit && kept) { // or other units than before?
      PetscCall(Equilibrate(pc, e));
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
random signs. The growth is the largest entry of M^-1 A v, which is close to 1 where M resembles A. From 10 on it is
measured once more with v = C w for random signs w and units C of unknowns, as the largest entry of C^-1 M^-1 A C w,
and the smaller of the two is taken. C are the scales of columns that, with others of rows, bring all entries as near
to 1 as can be, in the least squares of logarithms (Curtis and Reid 1972). If the growth reaches the limit, the set-up
fails with `PC_FACTOR_OTHER` on all ranks.

   A `KSP` that tests the true residual (`KSPSetPCSide()` right, `KSPSetNormType()`) needs no limit.

   The cost is a product with the matrix and an application. The first set-up of a pattern pays it, and after a growth
below 10 every sixteenth; below a tenth of the limit every fourth, and above that every one. A second measurement
costs as much again. Its scales are found once for a pattern, by 17 passes over the matrix, and again before a set-up
fails.

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
