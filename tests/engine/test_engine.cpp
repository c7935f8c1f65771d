// SPDX-License-Identifier: BSD-2-Clause
// The facade compared with a plain sequential oracle, and algorithms compared with each other.
#include "oracle.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

struct Case {
  const char *name;
  Graph graph;
  Grid grid;
};

std::vector<Case> cases()
{
  const Box box{4, 3, 3}, flat{6, 5, 1}, line{9, 1, 1};
  return {
    {"star", make_grid_graph(box, Stencil::star), {box}},
    {"wide star", make_grid_graph(box, Stencil::star, 2), {box}},
    {"box", make_grid_graph(box, Stencil::box), {box}},
    {"periodic", make_grid_graph(box, Stencil::star, 1, {true, true, false}), {box}},
    {"flat", make_grid_graph(flat, Stencil::box), {flat}},
    {"line", make_grid_graph(line, Stencil::star), {line}},
    {"random", make_random_graph(40, 4, false, 1), {}},
    {"symmetric", make_random_graph(40, 3, true, 2), {}},
    {"one row", make_graph({{0}}), {}},
    {"diagonal", make_graph({{0}, {1}, {2}}), {}},
    {"no row", make_graph({}), {}},
  };
}

EngineOptions options_for(const Case &c, FactorKind factor, Algorithm algorithm)
{
  EngineOptions r;
  r.factor = factor;
  r.algorithm = algorithm;
  r.grid = c.grid;
  return r;
}

class BlockSizes : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(Engine, BlockSizes, ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 32));

TEST_P(BlockSizes, EqualsTheOracle)
{
  for (const Case &c : cases())
    for (const FactorKind factor : {FactorKind::dilu, FactorKind::ilu0}) {
      const Problem p(c.graph, GetParam());
      const auto x = p.solve(options_for(c, factor, algorithms().front()));
      ASSERT_EQ(x.size(), p.b.size()) << c.name;
      if (x.empty()) continue;
      EXPECT_LT(difference(x, OracleFactor(p, factor == FactorKind::dilu).solve(p.b)), tolerance) << c.name;
    }
}

TEST_P(BlockSizes, AlgorithmsSchedulesAndStorageOrdersGiveTheSameBits)
{
  for (const Case &c : cases())
    for (const FactorKind factor : {FactorKind::dilu, FactorKind::ilu0})
      for (const Precision precision : {Precision::working, Precision::single})
        for (const Precision diagonal : {Precision::working, precision}) {
          const Problem p(c.graph, GetParam());
          EngineOptions r = options_for(c, factor, algorithms().front());
          r.precision = precision;
          r.diagonal = diagonal;
          expect_same_bits(p, r, c.name);
        }
}

TEST_P(BlockSizes, SingleStorageIsCloseAndHalfTheSize)
{
  const Problem p(make_grid_graph({5, 4, 3}, Stencil::box), GetParam());
  EngineOptions r;
  Statistics working, low, lowest;
  const auto x = p.solve(r, &working);
  r.precision = Precision::single;
  const auto y = p.solve(r, &low);
  r.diagonal = Precision::single;
  const auto z = p.solve(r, &lowest);
  EXPECT_LT(difference(y, x), 1e-4);
  EXPECT_LT(difference(z, x), 1e-4);
  if (sizeof(Single) == sizeof(Scalar)) return;
  EXPECT_FALSE(same_bits(y, x));
  EXPECT_FALSE(same_bits(z, y));
  EXPECT_EQ(lowest.factor_bytes * 2, working.factor_bytes);
  EXPECT_EQ(working.factor_bytes - low.factor_bytes,
            std::size_t(low.lower + low.upper) * std::size_t(p.n * p.n) * (sizeof(Scalar) - sizeof(Single)));
}

TEST(Engine, WindowedStorageGivesTheSameBits)
{
  for (const int n : {1, 4, 9})
    for (const Stencil stencil : {Stencil::star, Stencil::box}) {
      const Box box{20, 12, 4};
      const Problem p(make_grid_graph(box, stencil), n);
      ASSERT_GT(order_windows(p.graph, 1.9).extent(0), 0u);
      EngineOptions r;
      const auto x = p.solve(r);
      EXPECT_LT(difference(x, OracleFactor(p, false).solve(p.b)), tolerance);
      for (const Algorithm e : algorithms()) {
        r.algorithm = e;
        r.grid = {box};
        EXPECT_TRUE(same_bits(p.solve(r), x));
      }
    }
}

TEST(Engine, HandCheckedPivots)
{
  // A 7-point star on 3 x 2 x 2 points, A = 6 - neighbors. Solving for the last unit vector gives 1 / d at the last
  // point.
  Problem p(make_grid_graph({3, 2, 2}, Stencil::star), 1);
  for (Index i = 0; i < p.graph.rows; ++i)
    for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
      p.values[std::size_t(e)] = Real(p.graph.col(e) == i ? 6 : -1);
  std::fill(p.b.begin(), p.b.end(), Scalar(0));
  p.b[11] = Scalar(1);
  // d of the points, by their coordinates.
  const double d000 = 6, d100 = 6 - 1 / d000, d200 = 6 - 1 / d100;
  const double d010 = 6 - 1 / d000, d110 = 6 - 1 / d010 - 1 / d100, d210 = 6 - 1 / d110 - 1 / d200;
  const double d001 = d010, d101 = d110, d201 = d210;
  const double d011 = 6 - 1 / d001 - 1 / d010, d111 = 6 - 1 / d011 - 1 / d101 - 1 / d110;
  const double d211 = 6 - 1 / d111 - 1 / d201 - 1 / d210;
  const auto x = p.solve({});
  EXPECT_LT(double(magnitude(x[11] - Scalar(Real(1 / d211)))), tolerance);
  // The lower neighbor along i has x = -w x_11 = x_11 / d111.
  EXPECT_LT(double(magnitude(x[10] - Scalar(Real(1 / d211 / d111)))), tolerance);
}

TEST(Engine, AutomaticFactorAsksForTriangles)
{
  const auto kind = [](const Graph &g) {
    Statistics s;
    Problem(g, 2).solve({}, &s);
    return s.factor;
  };
  EXPECT_EQ(kind(make_grid_graph({5, 4, 3}, Stencil::star)), FactorKind::dilu);
  EXPECT_EQ(kind(make_grid_graph({5, 4, 3}, Stencil::star, 2)), FactorKind::ilu0);
  EXPECT_EQ(kind(make_grid_graph({5, 4, 3}, Stencil::box)), FactorKind::ilu0);
  EXPECT_EQ(kind(make_grid_graph({3, 4, 1}, Stencil::star, 1, {true, false, false})), FactorKind::ilu0);
  EXPECT_EQ(kind(make_grid_graph({4, 4, 1}, Stencil::star, 1, {true, false, false})), FactorKind::dilu);
  // DILU and ILU(0) agree on the star, and differ on the box stencil.
  const Problem star(make_grid_graph({5, 4, 3}, Stencil::star), 3), box(make_grid_graph({5, 4, 3}, Stencil::box), 3);
  EngineOptions dilu, ilu0;
  dilu.factor = FactorKind::dilu;
  ilu0.factor = FactorKind::ilu0;
  EXPECT_TRUE(same_bits(star.solve(dilu), star.solve(ilu0)));
  EXPECT_GT(difference(box.solve(dilu), box.solve(ilu0)), 1e-6);
}

TEST(Engine, RefreshEqualsANewFactor)
{
  const Graph g = make_random_graph(50, 3, true, 5);
  const Problem first(g, 4, 1), second(g, 4, 2);
  for (const Algorithm algorithm : algorithms()) {
    EngineOptions r;
    r.algorithm = algorithm;
    auto e = make_tested_engine();
    ASSERT_FALSE(e->analyze(first.view(), r));
    EXPECT_EQ(e->factor(first.source()).bad_row, -1);
    EXPECT_EQ(e->factor(second.source()).bad_row, -1);
    EXPECT_TRUE(same_bits(second.apply(*e), second.solve(r)));
    ASSERT_FALSE(e->analyze(Problem(make_grid_graph({3, 3, 3}, Stencil::star), 2).view(), r)); // another size
    const Problem third(make_grid_graph({3, 3, 3}, Stencil::star), 2);
    e->factor(third.source());
    EXPECT_TRUE(same_bits(third.apply(*e), third.solve(r)));
  }
}

TEST(Engine, ReportsTheSmallestBadRowAndRecovers)
{
  for (const Algorithm algorithm : algorithms())
    for (const int n : {1, 3}) {
      Problem p(make_grid_graph({6, 5, 4}, Stencil::star), n);
      const Problem good = p;
      const auto nn = std::size_t(n * n);
      for (const Index row : {97, 41, 63}) // all couplings of the row vanish together with its diagonal block
        for (Index i = 0; i < p.graph.rows; ++i)
          for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
            if (i == row || p.graph.col(e) == row)
              std::fill_n(p.values.begin() + std::ptrdiff_t(std::size_t(e) * nn), nn, Scalar(0));
      EngineOptions r;
      r.algorithm = algorithm;
      auto e = make_tested_engine();
      ASSERT_FALSE(e->analyze(p.view(), r));
      EXPECT_EQ(e->factor(p.source()).bad_row, 41);
      EXPECT_EQ(e->factor(good.source()).bad_row, -1);
      EXPECT_TRUE(same_bits(good.apply(*e), good.solve(r)));
      r.shift.amount = Real(1e-3);
      ASSERT_FALSE(e->analyze(p.view(), r));
      const FactorReport shifted = e->factor(p.source());
      EXPECT_EQ(shifted.bad_row, -1);
      EXPECT_EQ(shifted.shifted, 3);
    }
}

// The terms of a scalar pivot cancel up to rounding errors, in every factor and storage.
TEST(Engine, PivotsOfRoundingErrorsAreBad)
{
  const Box box{2, 2, 1};
  Problem p(make_grid_graph(box, Stencil::star), 1);
  const auto set_last = [&](Real last) {
    const Real diagonal[] = {1, 10, 5, last};
    for (Index i = 0; i < 4; ++i)
      for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e) {
        const Index j = p.graph.col(e);
        p.values[std::size_t(e)] = Scalar(i == j ? diagonal[i] : Real(i && j ? 1 : 0));
      }
  };
  for (const FactorKind factor : {FactorKind::dilu, FactorKind::ilu0, FactorKind::icc, FactorKind::sip})
    for (const Precision precision : {Precision::working, Precision::single})
      for (const Algorithm algorithm : algorithms()) {
        EngineOptions r;
        r.factor = factor;
        r.algorithm = algorithm;
        r.precision = precision;
        r.grid = {box};
        auto e = make_tested_engine();
        ASSERT_FALSE(e->analyze(p.view(), r));
        set_last(Real(0.3)); // after subtraction of 1/10 and 1/5
        EXPECT_EQ(e->factor(p.source()).bad_row, 3) << int(factor);
        set_last(Real(0.3001));
        EXPECT_EQ(e->factor(p.source()).bad_row, -1) << int(factor);
        r.shift.amount = Real(1e-4); // relative to 0.3001
        ASSERT_FALSE(e->analyze(p.view(), r));
        EXPECT_EQ(e->factor(p.source()).shifted, 0) << int(factor);
        set_last(Real(0.3));
        const FactorReport shifted = e->factor(p.source());
        EXPECT_EQ(shifted.bad_row, -1);
        EXPECT_EQ(shifted.shifted, 1);
        set_last(std::numeric_limits<Real>::infinity());
        EXPECT_EQ(e->factor(p.source()).bad_row, 3);
      }
}

// A line of blocks with off-diagonal blocks B = -A, A on the diagonal at the ends, and 2 A inside. The last pivot is
// zero up to rounding errors, in any units and by every algorithm.
TEST(Engine, BlockPivotsOfRoundingErrorsAreBad)
{
  const Box line{1, 1, 9};
  for (const int n : {2, 4, 5})
    for (const bool regular : {false, true}) {
      Problem p(make_grid_graph(line, Stencil::star), n);
      const std::size_t size = std::size_t(n) * std::size_t(n);
      std::vector<Scalar> a = make_vector(size, 3);
      for (std::size_t i = 0; i < std::size_t(n); ++i) a[i * std::size_t(n) + i] += Scalar(3);
      for (Index i = 0; i < 9; ++i)
        for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e) {
          const Index j = p.graph.col(e);
          const Real weight = i != j ? Real(-1) : i == 0 || i == 8 ? Real(1) : Real(2);
          for (std::size_t k = 0; k < size; ++k) {
            const std::size_t r = k % std::size_t(n), c = k / std::size_t(n);
            const Real unit = std::ldexp(Real(1), int(r) * 6 - int(c) * 5);
            p.values[std::size_t(e) * size + k] =
              a[k] * weight * unit * (regular && i == 8 && j == 8 ? Real(1.01) : 1);
          }
        }
      for (const FactorKind factor : {FactorKind::dilu, FactorKind::ilu0, FactorKind::sip})
        for (const Algorithm algorithm : algorithms()) {
          EngineOptions r;
          r.factor = factor;
          r.algorithm = algorithm;
          r.grid = {line};
          auto e = make_tested_engine();
          ASSERT_FALSE(e->analyze(p.view(), r));
          EXPECT_EQ(e->factor(p.source()).bad_row, regular ? -1 : 8) << int(factor) << ", blocks of " << n;
          r.shift.zero = 0;
          ASSERT_FALSE(e->analyze(p.view(), r));
          EXPECT_EQ(e->factor(p.source()).bad_row, -1) << int(factor);
        }
    }
}

TEST(Engine, RefusesWhatItCannotDo)
{
  const auto refuse = [](const Problem &p, const EngineOptions &r, auto change) {
    OperatorView v = p.view();
    change(v);
    return make_tested_engine()->analyze(v, r);
  };
  const auto as_is = [](OperatorView &) {};
  const Problem p(make_grid_graph({8, 6, 5}, Stencil::star), 2);
  EngineOptions r;
  EXPECT_EQ(refuse(p, r, as_is).reason, SetupError::none);
  EXPECT_EQ(refuse(p, r, [](OperatorView &v) { v.block = 33; }).reason, SetupError::block_size);
  EXPECT_EQ(refuse(p, r, [](OperatorView &v) { v.owned.rows = 239; }).reason, SetupError::malformed);
  const SetupError missing = refuse(Problem(make_graph({{0, 1}, {0, 1}, {1}, {3}}), 2), r, as_is);
  EXPECT_EQ(missing.reason, SetupError::missing_diagonal);
  EXPECT_EQ(missing.row, 2);
  r.schedule = ScheduleKind::hyperplane;
  EXPECT_EQ(refuse(p, r, as_is).reason, SetupError::no_grid);
  r.grid = {{8, 6, 4}};
  EXPECT_EQ(refuse(p, r, as_is).reason, SetupError::grid_size);
  r.grid = {{6, 8, 5}};
  EXPECT_EQ(refuse(p, r, as_is).reason, SetupError::grid_fit);
  r.schedule = ScheduleKind::automatic; // the grid is only a hint: level sets instead
  EXPECT_EQ(refuse(p, r, as_is).reason, SetupError::none);
  r.diagonal = Precision::single;
  EXPECT_EQ(refuse(p, r, as_is).reason, SetupError::conflict);
}

TEST(Engine, CountsBytesFlopsAndLaunches)
{
  const Problem p(make_grid_graph({3, 2, 2}, Stencil::star), 2);
  EngineOptions r;
  r.algorithm = Algorithm::levels;
  r.grid = {{3, 2, 2}};
  Statistics s;
  p.solve(r, &s);
  const int couplings = 2 * 2 * 2 + 3 * 1 * 2 + 3 * 2 * 1; // along i, j, k
  EXPECT_EQ(s.lower, couplings);
  EXPECT_EQ(s.upper, couplings);
  EXPECT_EQ(s.updates, couplings);
  EXPECT_EQ(s.factor_bytes, std::size_t(2 * couplings + 12) * 4 * sizeof(Scalar));
  EXPECT_EQ(s.work_bytes, 24 * sizeof(Scalar));
  EXPECT_EQ(s.apply_flops, 2 * 4 * (2 * couplings + 12));
  EXPECT_EQ(s.apply_launches, 2 * 5); // five hyperplanes
  EXPECT_EQ(s.launches, 3 * 5);       // one factorization, one application
  r.algorithm = Algorithm::tasks;
  p.solve(r, &s);
  EXPECT_EQ(s.apply_launches, 2);
  EXPECT_EQ(s.launches, (where == Where::device ? 5 : 1) + 2); // a device factors by levels
  r.algorithm = algorithms().front();
  if (r.algorithm != Algorithm::sequential) return;
  p.solve(r, &s);
  EXPECT_EQ(s.launches, 0);
  EXPECT_EQ(s.work_bytes, 0u);
}

} // namespace
