// SPDX-License-Identifier: BSD-2-Clause
// Corrections, several grids, orderings, several vectors and transposes, compared with plain oracles.
#include "order/selection.hpp"
#include "coupled.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

class Corrections : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(Engine, Corrections, ::testing::Values(1, 3, 4, 5, 9));

TEST_P(Corrections, EqualTheOracleShortAndLong)
{
  for (const FactorKind kind : {FactorKind::dilu, FactorKind::ilu0})
    for (const Precision precision : {Precision::working, Precision::single}) {
      Coupled p(make_grid_graph({4, 3, 3}, Stencil::box), GetParam(), few_ghosts(36));
      const bool low = precision == Precision::single && sizeof(Single) < sizeof(Scalar);
      const auto expected = p.oracle(OracleFactor(p, kind == FactorKind::dilu), 3);
      std::vector<Scalar> first;
      for (const Algorithm algorithm : algorithms())
        for (const bool factored : {true, false}) {
          EngineOptions r;
          r.factor = kind;
          r.precision = precision;
          r.algorithm = algorithm;
          auto e = make_tested_engine();
          ASSERT_FALSE(e->analyze(p.view(), r));
          e->allow_corrections(p.view());
          ASSERT_EQ(e->factor(p.source()).bad_row, -1);
          EXPECT_EQ(e->statistics().short_residual, kind == FactorKind::dilu && precision == Precision::working);
          const auto x = p.corrected(*e, 3, factored);
          EXPECT_LT(difference(x, expected), low ? 1e-4 : tolerance) << int(kind) << " " << factored;
          if (algorithm == algorithms().front() && factored) first = x;
          if (factored) {
            EXPECT_TRUE(same_bits(x, first)) << "algorithm " << int(algorithm);
          }
        }
    }
}

TEST(Correction, InteriorRowsRunWhileTheHaloIsUnderWay)
{
  Coupled p(make_grid_graph({4, 3, 3}, Stencil::star), 2, few_ghosts(36));
  EngineOptions r;
  auto e = make_tested_engine();
  ASSERT_FALSE(e->analyze(p.view(), r));
  e->allow_corrections(p.view());
  e->factor(p.source());
  p.corrected(*e, 1, true);
  EXPECT_EQ(p.events, (std::vector<std::string>{"begin", "interior", "end", "boundary"}));
}

TEST(Correction, ShortResidualReadsNoUpperBlockAndLongOneTheMatrix)
{
  Coupled p(make_grid_graph({5, 4, 3}, Stencil::star), 2, Rows(60, std::set<Index>{}));
  EngineOptions r;
  auto e = make_tested_engine();
  ASSERT_FALSE(e->analyze(p.view(), r));
  e->factor(p.source());
  e->allow_corrections(p.view());
  EXPECT_FALSE(e->statistics().short_residual); // not before the next factorization
  e->factor(p.source());
  EXPECT_TRUE(e->statistics().short_residual);
  const Statistics s = e->statistics();
  EXPECT_EQ(s.residual_bytes, 60 * 4 * sizeof(Scalar)); // one block per row
  EXPECT_EQ(s.long_residual_bytes, std::size_t(p.graph.entries()) * 4 * sizeof(Scalar));
  // The values are overwritten with NaN: the short residual must not read them, the long one must.
  const auto expected = p.oracle(OracleFactor(p, true), 2);
  const auto kept = p.values;
  const double before = s.bytes_read;
  std::fill(p.values.begin(), p.values.end(), Scalar(std::numeric_limits<Real>::quiet_NaN()));
  EXPECT_LT(difference(p.corrected(*e, 2, true), expected), tolerance);
  EXPECT_EQ(e->statistics().bytes_read - before, double(3 * s.factor_bytes + 2 * s.residual_bytes));
  EXPECT_FALSE(difference(p.corrected(*e, 2, false), expected) < 1);
  p.values = kept;
  EXPECT_LT(difference(p.corrected(*e, 2, false), expected), tolerance);
}

TEST(Correction, ReplacedPivotsTakeTheLongResidual)
{
  Coupled p(make_grid_graph({4, 3, 2}, Stencil::star), 1, Rows(24, std::set<Index>{}));
  for (Index e = p.graph.ptr(0); e < p.graph.ptr(1); ++e)
    if (p.graph.col(e) == 0) p.values[std::size_t(e)] = Scalar(0);
  EngineOptions r;
  r.shift.amount = Real(0.01);
  auto e = make_tested_engine();
  ASSERT_FALSE(e->analyze(p.view(), r));
  e->allow_corrections(p.view());
  EXPECT_EQ(e->factor(p.source()).shifted, 1);
  EXPECT_FALSE(e->statistics().short_residual);
  p.values = make_values(p.graph, 1, 7);
  EXPECT_EQ(e->factor(p.source()).shifted, 0);
  EXPECT_TRUE(e->statistics().short_residual);
}

// Two boxes side by side, whose points are coupled across a face.
Graph two_boxes(const Grid &grid)
{
  const Graph first = make_grid_graph(grid[0], Stencil::star), second = make_grid_graph(grid[1], Stencil::star);
  Rows rows(std::size_t(first.rows + second.rows), std::set<Index>{});
  const auto add = [&](const Graph &g, Index offset) {
    for (Index i = 0; i < g.rows; ++i)
      for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e) rows[std::size_t(offset + i)].insert(offset + g.col(e));
  };
  add(first, 0);
  add(second, first.rows);
  for (Index j = 0; j < std::min(grid[0].j, grid[1].j); ++j) { // last i of the first box, first i of the second
    const Index a = grid[0].i * (j + 1) - 1, b = first.rows + grid[1].i * j;
    rows[std::size_t(a)].insert(b);
    rows[std::size_t(b)].insert(a);
  }
  return make_graph(rows);
}

TEST(Grids, CoupledByCorrectionsAreFactoredApartAndSweptTogether)
{
  const Grid grid{{4, 3, 2}, {3, 5, 3}};
  const Graph all = two_boxes(grid), within = select_within_grids(all, grid).graph;
  for (const Algorithm algorithm : algorithms()) {
    Coupled p(all, 3, Rows(std::size_t(all.rows), std::set<Index>{}));
    EngineOptions r;
    r.grid = grid;
    r.schedule = ScheduleKind::hyperplane;
    r.coupling = GridCoupling::block_jacobi;
    r.algorithm = algorithm;
    auto e = make_tested_engine();
    ASSERT_FALSE(e->analyze(p.view(), r));
    e->allow_corrections(p.view());
    e->factor(p.source());
    EXPECT_EQ(e->statistics().widths.groups, 9); // those of the larger box
    EXPECT_EQ(e->statistics().ignored, all.entries() - within.entries());
    // The oracle's factor is that of the matrix without the couplings between the boxes.
    Problem apart(within, 3);
    const auto s = select_within_grids(all, grid);
    const auto nn = std::ptrdiff_t(9);
    for (std::size_t k = 0; k < s.entry.extent(0); ++k)
      std::copy_n(p.values.begin() + s.entry(k) * nn, nn, apart.values.begin() + std::ptrdiff_t(k) * nn);
    const OracleFactor factor(apart, true);
    EXPECT_LT(difference(p.apply(*e), factor.solve(p.b)), tolerance);
    for (const bool factored : {true, false})
      EXPECT_LT(difference(p.corrected(*e, 2, factored), p.oracle(factor, 2)), tolerance);
  }
}

TEST(Grids, CoupledInTheFactorAreOneFactorOverLevels)
{
  const Grid grid{{4, 3, 2}, {3, 5, 3}};
  const Problem p(two_boxes(grid), 2);
  EngineOptions r;
  Statistics s;
  r.grid = grid;
  r.schedule = ScheduleKind::hyperplane;
  EXPECT_LT(difference(p.solve(r, &s), OracleFactor(p, false).solve(p.b)), tolerance);
  EXPECT_EQ(s.schedule, ScheduleKind::level);
  // A grid that does not match the number of points is still refused.
  auto e = make_tested_engine();
  r.grid = {{8, 3, 1}, {3, 5, 3}};
  EXPECT_EQ(e->analyze(p.view(), r).reason, SetupError::grid_fit);
}

TEST(Ordering, EqualsTheOracleOnThePermutedMatrix)
{
  for (const Algorithm algorithm : algorithms()) {
    const Problem p(make_random_graph(60, 6, true, 5), 3); // with many triangles
    HostArray<Index> order("order", 60);
    std::vector<Index> place(60);
    for (Index i = 0; i < 60; ++i) order(i) = i * 7 % 60; // 7 and 60 have no common factor
    for (Index i = 0; i < 60; ++i) place[std::size_t(order(i))] = i;
    Rows rows(60, std::set<Index>{});
    for (Index i = 0; i < 60; ++i)
      for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
        rows[std::size_t(place[std::size_t(i)])].insert(place[std::size_t(p.graph.col(e))]);
    Problem q(make_graph(rows), 3);
    for (Index i = 0; i < 60; ++i) {
      const Index to = place[std::size_t(i)];
      std::copy_n(p.b.begin() + i * 3, 3, q.b.begin() + to * 3);
      for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
        for (Index f = q.graph.ptr(to); f < q.graph.ptr(to + 1); ++f)
          if (q.graph.col(f) == place[std::size_t(p.graph.col(e))])
            std::copy_n(p.values.begin() + e * 9, 9, q.values.begin() + f * 9);
    }
    const auto permuted = OracleFactor(q, false).solve(q.b);
    std::vector<Scalar> expected(p.b.size());
    for (Index i = 0; i < 60; ++i)
      std::copy_n(permuted.begin() + place[std::size_t(i)] * 3, 3, expected.begin() + i * 3);
    EngineOptions r;
    r.algorithm = algorithm;
    r.ordering = order;
    r.factor = FactorKind::ilu0;
    EXPECT_LT(difference(p.solve(r), expected), tolerance);
  }
}

TEST(Ordering, ThatIsNoneIsRefused)
{
  const Problem p(make_random_graph(5, 2, false, 5), 1);
  EngineOptions r;
  r.ordering = HostArray<Index>("order", 5);
  EXPECT_EQ(make_tested_engine()->analyze(p.view(), r).reason, SetupError::bad_ordering);
  for (Index i = 0; i < 5; ++i) r.ordering(i) = i;
  r.schedule = ScheduleKind::hyperplane;
  r.grid = {{5, 1, 1}};
  EXPECT_EQ(make_tested_engine()->analyze(p.view(), r).reason, SetupError::conflict);
}

class Vectors : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(Engine, Vectors, ::testing::Values(1, 2, 5, 8, 17));

// Eleven columns with `extra` scalars between them, initially NaN.
struct Columns {
  static constexpr int count = 11;
  Offset stride;
  std::vector<Scalar> b, x;

  explicit Columns(const Problem &p, Offset extra = 3)
      : stride(Offset(p.b.size()) + extra),
        b(make_vector(std::size_t(stride * count), 9)),
        x(b.size(), Scalar(std::numeric_limits<Real>::quiet_NaN()))
  {
  }
  std::vector<Scalar> column(const std::vector<Scalar> &from, int c, std::size_t size) const
  {
    return {from.begin() + c * stride, from.begin() + c * stride + std::ptrdiff_t(size)};
  }
};

TEST_P(Vectors, SeveralGiveTheBitsOfOneAndReadTheFactorOncePerEight)
{
  for (const Algorithm algorithm : algorithms())
    for (const Precision precision : {Precision::working, Precision::single}) {
      const Problem p(make_grid_graph({5, 4, 3}, Stencil::box), GetParam());
      Columns c(p);
      EngineOptions r;
      r.algorithm = algorithm;
      r.precision = precision;
      auto e = make_tested_engine();
      ASSERT_FALSE(e->analyze(p.view(), r));
      e->factor(p.source());
      e->apply({.b = c.b.data(), .x = c.x.data(), .vectors = c.count, .stride = c.stride});
      EXPECT_EQ(e->statistics().bytes_read, 2 * double(e->statistics().factor_bytes));
      for (int k = 0; k < c.count; ++k) {
        const auto b = c.column(c.b, k, p.b.size());
        std::vector<Scalar> x(b.size());
        e->apply(b.data(), x.data());
        EXPECT_TRUE(same_bits(c.column(c.x, k, b.size()), x)) << k;
      }
    }
}

TEST_P(Vectors, TransposedApplicationIsTheTransposeOfTheApplication)
{
  for (const Algorithm algorithm : algorithms())
    for (const FactorKind factor : {FactorKind::dilu, FactorKind::ilu0}) {
      const Problem p(make_random_graph(30, 3, false, 4), GetParam());
      const std::size_t size = p.b.size();
      Columns c(p);
      EngineOptions r;
      std::vector<Scalar> unit(size, Scalar(0)), column(size);
      r.algorithm = algorithm;
      r.factor = factor;
      auto e = make_tested_engine();
      ASSERT_FALSE(e->analyze(p.view(), r));
      e->factor(p.source());
      e->apply({.b = c.b.data(), .x = c.x.data(), .vectors = c.count, .stride = c.stride, .transposed = true});
      for (const int k : {0, 7, 8, 10}) {
        const auto b = c.column(c.b, k, size);
        std::vector<Scalar> expected(size, Scalar(0));
        for (std::size_t j = 0; j < size; ++j) { // entry j of M^-T b is column j of M^-1 times b
          unit[j] = Scalar(1);
          e->apply(unit.data(), column.data());
          unit[j] = Scalar(0);
          for (std::size_t i = 0; i < size; ++i) expected[j] += column[i] * b[i];
        }
        EXPECT_LT(difference(c.column(c.x, k, size), expected), tolerance) << k;
      }
    }
}

} // namespace
