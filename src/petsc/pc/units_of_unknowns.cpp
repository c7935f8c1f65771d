// SPDX-License-Identifier: BSD-2-Clause
#include "pc/units_of_unknowns.hpp"

#include "common/matrix_view.hpp"
#include "common/petsc_halo.hpp"
#include "common/runtime.hpp"

#include <petscsf.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

using namespace finegrain;

namespace
{

// Scales whose largest is less than so many times the smallest are no units (tests/growth: random couplings).
constexpr double least_units = 100;
// An entry that is so small a part of the largest of its row, and of its column, is rounding.
constexpr double rounding = 1e-10;

// Logarithms are integers, parts of those to base 2: sums of integers know no order of ranks.
using Numbers = std::vector<std::int64_t>;
constexpr std::int64_t parts_of_two = 1024, lowest = std::numeric_limits<std::int64_t>::min() / 4;

// By a line between powers of two.
std::int64_t find_logarithm(PetscReal size)
{
  int exponent;
  const PetscReal part = std::frexp(size, &exponent);
  return exponent * parts_of_two + std::int64_t(part * 2 * parts_of_two);
}

// The entries of a rank: its rows and their columns, both of the owned ones, and then ghosts. Of SBAIJ entries above
// the diagonal stand for those below, too.
class Entries
{
public:
  ~Entries() { (void)PetscSFDestroy(&sf_); }
  std::size_t owned() const { return std::size_t(n_); }
  std::size_t all() const { return std::size_t(n_ + ghosts_); }

  PetscErrorCode get(Mat mat)
  {
    const PetscInt *global;
    PetscInt block;
    Operator op;
    bool known;

    PetscFunctionBegin;
    PetscCall(OperatorFindType(mat, &op, &known));
    symmetric_ = op.symmetric;
    PetscCall(MatGetLocalSize(mat, &n_, nullptr));
    PetscCall(MatGetOwnershipRange(mat, &first_, nullptr));
    if (op.symmetric && op.parallel) { // it gives its couplings by rows alone
      whole_ = mat;
      PetscCall(FinegrainOnAllRanks(mat, [&] { return find_ghosts(); }));
    } else {
      PetscCall(OperatorGetParts(mat, op, &owned_, &coupling_, &global));
      PetscCall(MatGetBlockSize(mat, &block));
      if (!op.by_blocks) block = 1;
      if (coupling_) PetscCall(MatGetLocalSize(coupling_, nullptr, &ghosts_));
      PetscCall(FinegrainOnAllRanks(mat, [&] {
        for (PetscInt c = 0; c < ghosts_; ++c) ghost_columns_.push_back(global[c / block] * block + c % block);
      }));
    }
    PetscCall(FinegrainMakeForest(PetscObjectComm(reinterpret_cast<PetscObject>(mat)), n_, ghost_columns_, &sf_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // visit(row, column, logarithm of the magnitude) for all entries but zero.
  template <class Visit> PetscErrorCode visit(const Visit &visit) const
  {
    PetscFunctionBegin;
    const auto entry = [&](PetscInt i, PetscInt j, PetscScalar value) {
      const PetscReal size = PetscAbsScalar(value);
      if (!(size > 0) || PetscIsInfOrNanReal(size) || (symmetric_ && j < i))
        return; // SBAIJ's diagonal blocks are full
      const std::int64_t logarithm = find_logarithm(size);
      visit(std::size_t(i), std::size_t(j), logarithm);
      if (symmetric_ && j != i) visit(std::size_t(j), std::size_t(i), logarithm);
    };
    const auto visit_part = [&](Mat part, const auto &place_of) {
      return OperatorVisitRows(
        part, symmetric_,
        [&](PetscInt row, PetscInt count, const PetscInt *col, const PetscScalar *value) -> PetscErrorCode {
          for (PetscInt e = 0; e < count; ++e) entry(row - first_row(part), place_of(col[e]), value[e]);
          return PETSC_SUCCESS;
        });
    };
    if (whole_) PetscCall(visit_part(whole_, [&](PetscInt column) { return find_place(column); }));
    if (owned_) PetscCall(visit_part(owned_, [](PetscInt column) { return column; }));
    if (coupling_) PetscCall(visit_part(coupling_, [&](PetscInt column) { return n_ + column; }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // All ranks' numbers of a row or column come together at its owner, who sends the result.
  PetscErrorCode share(Numbers &numbers, MPI_Op op) const
  {
    PetscFunctionBegin;
    PetscCall(PetscSFReduceBegin(sf_, MPIU_INT64, numbers.data() + n_, numbers.data(), op));
    PetscCall(PetscSFReduceEnd(sf_, MPIU_INT64, numbers.data() + n_, numbers.data(), op));
    PetscCall(PetscSFBcastBegin(sf_, MPIU_INT64, numbers.data(), numbers.data() + n_, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(sf_, MPIU_INT64, numbers.data(), numbers.data() + n_, MPI_REPLACE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  PetscInt first_row(Mat part) const { return part == whole_ ? first_ : 0; }
  // Of a global column.
  PetscInt find_place(PetscInt column) const
  {
    if (column < first_ + n_) return column - first_;
    return n_ +
           PetscInt(std::lower_bound(ghost_columns_.begin(), ghost_columns_.end(), column) - ghost_columns_.begin());
  }
  PetscErrorCode find_ghosts()
  {
    PetscFunctionBegin;
    PetscCall(OperatorVisitRows(
      whole_, true, [&](PetscInt, PetscInt count, const PetscInt *col, const PetscScalar *) -> PetscErrorCode {
        std::copy_if(col, col + count, std::back_inserter(ghost_columns_),
                     [&](PetscInt column) { return column >= first_ + n_; });
        return PETSC_SUCCESS;
      }));
    std::sort(ghost_columns_.begin(), ghost_columns_.end());
    ghost_columns_.erase(std::unique(ghost_columns_.begin(), ghost_columns_.end()), ghost_columns_.end());
    ghosts_ = PetscInt(ghost_columns_.size());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  Mat owned_ = nullptr, coupling_ = nullptr, whole_ = nullptr; // whole_ instead of its parts
  bool symmetric_ = false;
  PetscSF sf_ = nullptr; // from ghosts to their owners
  PetscInt n_ = 0, ghosts_ = 0, first_ = 0;
  std::vector<PetscInt> ghost_columns_; // global; of whole_ ascending
};

// Scales of rows and columns, and what a turn needs. Half-steps for rows and columns by turns have the weights of
// Chebyshev's cyclic iteration (Golub and Varga 1961).
class Scales
{
public:
  Scales(const Entries &entries) : entries_(entries) {}
  PetscErrorCode allocate() // may throw
  {
    PetscFunctionBegin;
    for (Numbers *v : {&rows, &columns, &row_step_, &column_step_, &row_count_, &column_count_, &sum_})
      v->assign(entries_.all(), 0);
    for (Numbers *v : {&row_most_, &column_most_}) v->assign(entries_.all(), lowest); // nothing is rounding
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // Which entries are rounding, beside the largest of their rows and columns as scaled until now; their number.
  PetscErrorCode find_rounding(MPI_Comm comm, PetscInt64 *dropped)
  {
    PetscFunctionBegin;
    fill(row_most_, lowest);
    fill(column_most_, lowest);
    PetscCall(entries_.visit([&](std::size_t i, std::size_t j, std::int64_t entry) {
      const std::int64_t scaled = entry + rows[i] + columns[j];
      row_most_[i] = std::max(row_most_[i], scaled);
      column_most_[j] = std::max(column_most_[j], scaled);
    }));
    PetscCall(entries_.share(row_most_, MPI_MAX));
    PetscCall(entries_.share(column_most_, MPI_MAX));
    *dropped = 0;
    PetscCall(entries_.visit([&](std::size_t i, std::size_t j, std::int64_t entry) {
      *dropped += is_rounding(i, j, entry + rows[i] + columns[j]);
    }));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, dropped, 1, MPIU_INT64, MPI_SUM, comm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode improve(int turns)
  {
    // So that errors with the largest eigenvalue that 1 / (1 + delta) stands for shrink to a fiftieth.
    const double delta = std::pow(std::acosh(50.) / (2 * turns), 2) / 2, radius = 1 / (1 + delta);
    double weight = 1;

    PetscFunctionBegin;
    for (Numbers *v : {&row_step_, &column_step_, &row_count_, &column_count_}) fill(*v, 0);
    for (int half = 0; half < 2 * turns; ++half) {
      const bool of_rows = half % 2 == 0, counts = half < 2; // entries, of which there are as many in each turn
      Numbers &step = of_rows ? row_step_ : column_step_, &count = of_rows ? row_count_ : column_count_;
      fill(sum_, 0);
      PetscCall(entries_.visit([&](std::size_t i, std::size_t j, std::int64_t entry) {
        const std::int64_t scaled = entry + rows[i] + columns[j];
        if (is_rounding(i, j, scaled)) return;
        sum_[of_rows ? i : j] += scaled + row_step_[i] + column_step_[j];
        count[of_rows ? i : j] += counts;
      }));
      PetscCall(entries_.share(sum_, MPI_SUM));
      if (counts) PetscCall(entries_.share(count, MPI_SUM));
      if (half > 0) weight = 1 / (1 - radius * radius * weight / (half == 1 ? 2 : 4));
      for (std::size_t i = 0; i < step.size(); ++i)
        if (count[i] > 0) step[i] -= std::llround(weight * double(sum_[i]) / double(count[i]));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] += row_step_[i];
      columns[i] += column_step_[i];
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  Numbers rows, columns;

private:
  static void fill(Numbers &v, std::int64_t x) { std::fill(v.begin(), v.end(), x); }
  bool is_rounding(std::size_t i, std::size_t j, std::int64_t scaled) const
  {
    static const std::int64_t small = std::int64_t(double(parts_of_two) * std::log2(rounding));
    return scaled < std::min(row_most_[i], column_most_[j]) + small;
  }

  const Entries &entries_;
  Numbers row_step_, column_step_, row_count_, column_count_, row_most_, column_most_, sum_;
};

} // namespace

PetscErrorCode FindUnitsOfUnknowns(Mat mat, int turns, std::vector<PetscReal> *units)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(mat));
  Entries entries;
  Scales scales(entries);
  PetscInt64 dropped = 0, before = 0;
  std::int64_t ends[2] = {lowest, lowest};

  PetscFunctionBegin;
  PetscCall(entries.get(mat));
  PetscCall(FinegrainOnAllRanks(mat, [&]() -> PetscErrorCode {
    units->assign(entries.owned(), 1);
    return scales.allocate();
  }));
  // Nothing is rounding at first, because that depends on units.
  for (int round = 0; round < 3; ++round) {
    if (round > 0) {
      PetscCall(scales.find_rounding(comm, &dropped));
      if (dropped == before) break;
      before = dropped;
    }
    PetscCall(scales.improve(turns));
  }
  for (std::size_t i = 0; i < entries.owned(); ++i) {
    ends[0] = std::max(ends[0], scales.columns[i]);
    ends[1] = std::max(ends[1], -scales.columns[i]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPIU_INT64, MPI_MAX, comm));
  if (double(ends[0] + ends[1]) >= double(parts_of_two) * std::log2(least_units))
    for (std::size_t i = 0; i < entries.owned(); ++i)
      (*units)[i] = std::exp2(PetscReal(scales.columns[i]) / PetscReal(parts_of_two));
  PetscFunctionReturn(PETSC_SUCCESS);
}
