// SPDX-License-Identifier: BSD-2-Clause
// PCPOWERQILU with fewer colors than ILU(p) needs: fill between rows of one color is dropped, as in a plain
// elimination on one rank.
#include "powerqilu.hpp"
#include "ranks.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace finegrain::test;
using namespace finegrain::test::powerqilu;

namespace
{

// Greedy coloring: the smallest free color, in that order of the rows.
std::vector<PetscInt> FindColors(const Couplings &graph, const std::vector<PetscInt> &order)
{
  std::vector<PetscInt> color(graph.size(), -1);
  for (const PetscInt i : order) {
    std::set<PetscInt> taken;
    for (const PetscInt j : graph[std::size_t(i)]) taken.insert(color[std::size_t(j)]);
    PetscInt c = 0;
    while (taken.count(c)) ++c;
    color[std::size_t(i)] = c;
  }
  return color;
}

PetscErrorCode FindRowOrder(Mat A, const std::string &ordering, PetscInt rows, std::vector<PetscInt> *order)
{
  Owned<IS> r, c;
  const PetscInt *index;

  PetscFunctionBegin;
  order->resize(std::size_t(rows));
  std::iota(order->begin(), order->end(), 0);
  if (ordering == MATORDERINGNATURAL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetOrdering(A, ordering.c_str(), &r, &c));
  PetscCall(ISGetIndices(r, &index));
  order->assign(index, index + rows);
  PetscCall(ISRestoreIndices(r, &index));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// ILU(p) of a matrix sorted by color, with the original order inside a color, as a dense matrix.
class Elimination
{
public:
  Elimination(const Couplings &couplings, std::vector<PetscInt> order, const std::vector<PetscInt> &color,
              std::size_t n, PetscInt levels, const std::string &drop)
      : n_(n),
        rows_(couplings.size()),
        order_(std::move(order)),
        level_(rows_ * rows_, none),
        values_(rows_ * n * rows_ * n)
  {
    std::stable_sort(order_.begin(), order_.end(),
                     [&](PetscInt a, PetscInt b) { return color[std::size_t(a)] < color[std::size_t(b)]; });
    const auto same = [&](std::size_t i, std::size_t j) {
      return i != j && color[std::size_t(order_[i])] == color[std::size_t(order_[j])];
    };
    std::vector<PetscInt> place(rows_);
    for (std::size_t i = 0; i < rows_; ++i) place[std::size_t(order_[i])] = PetscInt(i);
    for (std::size_t i = 0; i < rows_; ++i)
      for (const PetscInt j : couplings[std::size_t(order_[i])]) {
        level(i, std::size_t(place[std::size_t(j)])) = 0;
        for (std::size_t r = 0; r < n; ++r)
          for (std::size_t c = 0; c < n; ++c)
            value(i * n + r, std::size_t(place[std::size_t(j)]) * n + c) =
              EntryValue(order_[i] * PetscInt(n) + PetscInt(r), j * PetscInt(n) + PetscInt(c), PetscInt(n), 1,
                         couplings[std::size_t(order_[i])].size());
      }
    find_fill(levels, same, drop == "during");
    factor();
    if (drop != "after") return;
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < rows_; ++j)
        if (same(i, j) && level(i, j) != none) {
          ++dropped;
          --fill;
          for (std::size_t e = 0; e < n * n; ++e) value(i * n + e / n, j * n + e % n) = 0;
        }
  }

  std::vector<PetscScalar> solve(const std::vector<PetscScalar> &b) const
  {
    const std::size_t size = rows_ * n_;
    std::vector<PetscScalar> y(size), x(size);
    for (std::size_t i = 0; i < size; ++i) {
      y[i] = b[std::size_t(order_[i / n_]) * n_ + i % n_];
      for (std::size_t k = 0; k < i; ++k) y[i] -= values_[i * size + k] * y[k];
    }
    for (std::size_t i = size; i-- > 0;) {
      for (std::size_t j = i + 1; j < size; ++j) y[i] -= values_[i * size + j] * y[j];
      y[i] /= values_[i * size + i];
      x[std::size_t(order_[i / n_]) * n_ + i % n_] = y[i];
    }
    return x;
  }

  PetscInt fill = 0, dropped = 0;

private:
  static constexpr PetscInt none = std::numeric_limits<PetscInt>::max();

  PetscInt &level(std::size_t i, std::size_t j) { return level_[i * rows_ + j]; }
  PetscScalar &value(std::size_t i, std::size_t j) { return values_[i * rows_ * n_ + j]; }

  template <class Same> void find_fill(PetscInt levels, Same same, bool drops)
  {
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t k = 0; k < i; ++k)
        for (std::size_t j = k + 1; j < rows_ && !(drops && same(i, k)); ++j)
          if (level(i, k) < levels && level(k, j) < levels) // others create no entry
            level(i, j) = std::min(level(i, j), level(i, k) + level(k, j) + 1);
      for (std::size_t j = 0; j < rows_; ++j) {
        if (level(i, j) == 0 || level(i, j) == none) continue;
        const bool kept = level(i, j) <= levels, ignored = kept && drops && same(i, j);
        dropped += ignored;
        fill += kept && !ignored;
        if (!kept || ignored) level(i, j) = none;
      }
    }
  }
  void factor()
  {
    for (std::size_t i = 0; i < rows_ * n_; ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (level(i / n_, k / n_) != none) {
          value(i, k) /= value(k, k);
          for (std::size_t j = k + 1; j < rows_ * n_; ++j)
            if (level(i / n_, j / n_) != none) value(i, j) -= value(i, k) * value(k, j);
        }
  }

  std::size_t n_, rows_;
  std::vector<PetscInt> order_, level_;
  std::vector<PetscScalar> values_;
};

class PowerqiluDrop : public ::testing::TestWithParam<const char *>
{
};
INSTANTIATE_TEST_SUITE_P(Kinds, PowerqiluDrop, ::testing::Values("during", "after", "none"));

TEST_P(PowerqiluDrop, IsThatOfAPlainElimination)
{
  const std::string drop = GetParam();
  int with_drops = 0;
  for (const PetscInt n : {1, 3, 5})
    for (const Couplings &couplings : {star(6, 5, 1), star(3, 3, 3), scattered(30, 1, true), scattered(30, 2, false)})
      for (PetscInt p = 1; p < 4; ++p)
        for (PetscInt q = 1; q <= p; ++q) {
          SCOPED_TRACE(std::to_string(n) + " " + std::to_string(p) + " " + std::to_string(q));
          const std::string ordering = n == 1 ? MATORDERINGRCM : MATORDERINGNATURAL;
          std::vector<PetscInt> order;
          Owned<Mat> A;
          Owned<PC> pc;
          Owned<Vec> b, x;
          Couplings graph;
          const PetscScalar *values;
          std::vector<PetscScalar> right, expected;
          PetscReal off = 0, most = 0;
          std::string text;
          OK(AssembleMatrix(couplings, n, n == 1 ? MATAIJ : MATBAIJ, 1, &A, PetscInt(couplings.size()),
                            PETSC_COMM_SELF));
          OK(FindPower(couplings, A, n, q, &graph));
          OK(FindRowOrder(A, ordering, PetscInt(couplings.size()), &order));
          const Elimination plain(couplings, order, FindColors(graph, order), std::size_t(n), p, drop);
          OK(MakePC(A, PCPOWERQILU,
                    "-pc_powerqilu_levels " + std::to_string(p) + " -pc_powerqilu_power " + std::to_string(q) +
                      " -pc_powerqilu_drop " + drop + " -pc_powerqilu_ordering " + ordering,
                    &pc));
          OK(MakeVectors(A, &b, &x));
          OK(VecGetArrayRead(b, &values));
          right.assign(values, values + PetscInt(couplings.size()) * n);
          OK(VecRestoreArrayRead(b, &values));
          expected = plain.solve(right);
          OK(Apply(pc, b, x));
          OK(VecGetArrayRead(x, &values));
          for (std::size_t i = 0; i < expected.size(); ++i) {
            const PetscReal d = PetscAbsScalar(values[i] - expected[i]);
            off = d <= off ? off : d; // keeps NaN
            most = std::max(most, PetscAbsScalar(expected[i]));
          }
          OK(VecRestoreArrayRead(x, &values));
          EXPECT_LT(off, tolerance * most);
          OK(ViewText(pc, &text));
          EXPECT_EQ(NumberAfter(text, "fill: "), plain.fill);
          EXPECT_EQ(NumberAfter(text, "dropped between rows of one color: "), plain.dropped);
          if (plain.dropped > 0) {
            ++with_drops;
            ExpectIn(text, {"schedule: color, "});
          }
        }
  EXPECT_EQ(with_drops > 20, drop != "none") << with_drops;
}

// Sweeps of all kinds do not contain the fill that is dropped afterwards, also after every numeric set-up.
TEST_P(PowerqiluDrop, HoldsForTransposesSeveralVectorsAndRefreshes)
{
  for (const char *precision : {"working", "single"})
    for (const char *algorithm : {"sequential", "levels", "tasks"})
      for (const PetscInt n : {1, 5}) {
        const std::string options = std::string("-pc_powerqilu_levels 2 -pc_powerqilu_power 1 -pc_powerqilu_drop ") +
                                    GetParam() + " -pc_powerqilu_precision " + precision;
        SCOPED_TRACE(options + algorithm);
        Owned<Mat> A, other;
        Owned<PC> pc, plain;
        Owned<Vec> b, c, x, y;
        PetscScalar left, right;
        PetscReal p, q, d;
        OK(AssembleMatrix(star(6, 5, 2), n, MATBAIJ, 2, &A));
        OK(AssembleMatrix(star(6, 5, 2), n, MATBAIJ, 1, &other));
        OK(MakePC(A, PCPOWERQILU, options + " -pc_powerqilu_algorithm " + algorithm, &pc));
        OK(PCSetUp(pc));
        OK(MatCopy(other, A, SAME_NONZERO_PATTERN));
        OK(MakePC(other, PCPOWERQILU, options + " -pc_powerqilu_algorithm sequential", &plain));
        OK(ComparePCs(A, pc, plain, &d));
        EXPECT_EQ(d, 0);
        OK(MakeVectors(A, &b, &x));
        OK(VecDuplicate(b, &c));
        OK(VecDuplicate(b, &y));
        OK(VecPointwiseMult(c, b, b));
        OK(Apply(pc, b, x));
        OK(VecSet(y, PETSC_INFINITY));
        OK(PCApplyTranspose(pc, c, y));
        OK(VecTDot(x, c, &left));
        OK(VecTDot(b, y, &right));
        OK(VecNorm(x, NORM_2, &p));
        OK(VecNorm(c, NORM_2, &q));
        EXPECT_LT(PetscAbsScalar(left - right), tolerance / 100 * p * q);
        ranks::ExpectColumnsAlone(pc, y, 11);
      }
}

} // namespace
