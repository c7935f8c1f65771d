// SPDX-License-Identifier: BSD-2-Clause
// Relaxations compared with plain ones, dense ones, and an emulation that is bitwise identical.
#include "relax_emulated.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

constexpr ColoringKind all_colorings[] = {
  ColoringKind::automatic, ColoringKind::greedy,    ColoringKind::largest_first, ColoringKind::smallest_last,
  ColoringKind::hash,      ColoringKind::red_black, ColoringKind::level};

// Sweeps of all kinds, with varying numbers of sweeps and relaxation factors.
template <class Try> void each_relaxation(const Grid &grid, const Try &attempt)
{
  for (const SweepKind sweep : all_sweeps)
    for (const double omega : {1., 0.7, 1.4})
      for (const int sweeps : {1, 3}) attempt(relaxation_options(grid, sweep, sweeps, omega));
}

class Relaxed : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(Relaxation, Relaxed, ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 13));

TEST_P(Relaxed, EqualsThePlainOne)
{
  for (const RelaxCase &c : relax_cases()) {
    const Problem p(c.graph, GetParam());
    for (const ColoringKind coloring : all_colorings)
      for (const bool balanced : {false, true}) {
        EngineOptions r = relaxation_options(c.grid);
        r.coloring = coloring;
        r.balanced = balanced;
        if (!make_coloring(coloring, symmetrize(c.graph), c.grid) || find_conflict(r)) continue;
        const auto x = p.solve(r);
        ASSERT_EQ(x.size(), p.b.size()) << describe(c.name, r);
        if (x.empty()) continue;
        EXPECT_LT(difference(x, PlainRelaxation(p, r).apply(p.b)), tolerance) << describe(c.name, r) << balanced;
      }
    each_relaxation(c.grid, [&](const EngineOptions &r) {
      if (p.b.empty()) return;
      EXPECT_LT(difference(p.solve(r), PlainRelaxation(p, r).apply(p.b)), tolerance) << describe(c.name, r);
    });
  }
}

// The emulation defines what is stored, and the order of all sums. Every algorithm and every run is bitwise
// identical to it, for any storage order.
TEST_P(Relaxed, GivesTheBitsOfItsDefinitionOnEveryAlgorithm)
{
  int turn = 0;
  for (const RelaxCase &c : relax_cases())
    for (const RelaxationStorage &s : all_storage()) {
      const Problem p(c.graph, GetParam());
      EngineOptions r = relaxation_options(c.grid, all_sweeps[turn % 3], 1 + turn % 2, turn % 4 ? 1 : 1.3);
      ++turn;
      s.set(r);
      const auto expected = EmulatedRelaxation(p, r).apply(p.b);
      for (const Algorithm algorithm : algorithms()) {
        r.algorithm = algorithm;
        auto e = make_tested_engine(r.method);
        ASSERT_FALSE(e->analyze(p.view(), r));
        const FactorReport report = e->factor(p.source());
        EXPECT_EQ(report.bad_row, -1);
        EXPECT_EQ(report.bad_coupling, -1);
        for (int run = 0; run < 2; ++run)
          EXPECT_TRUE(same_bits(p.apply(*e), expected)) << describe(c.name, r) << ", " << s.name;
      }
    }
}

TEST(Relaxation, GivesTheBitsOfItsDefinitionWhereRowsAreMany)
{
  const Box box{14, 9, 6};
  const RelaxCase cases[] = {{"star", make_grid_graph(box, Stencil::star), {box}},
                             {"box", make_grid_graph(box, Stencil::box), {}},
                             {"not symmetric", make_random_graph(700, 3, false, 6), {}}};
  for (const RelaxCase &c : cases)
    for (const int n : {1, 4, 5})
      for (const SweepKind sweep : all_sweeps)
        for (const std::size_t storage : {0u, 6u}) {
          const Problem p(c.graph, n);
          EngineOptions r = relaxation_options(c.grid, sweep, 2, 1.2);
          all_storage()[storage].set(r);
          const auto expected = EmulatedRelaxation(p, r).apply(p.b);
          for (const Algorithm algorithm : algorithms()) {
            r.algorithm = algorithm;
            for (int run = 0; run < 2; ++run)
              EXPECT_TRUE(same_bits(p.solve(r), expected)) << describe(c.name, r) << n;
          }
        }
}

TEST(Relaxation, EqualsTheDenseIteration)
{
  for (const RelaxCase &c : relax_cases())
    for (const int n : {1, 3}) {
      const Problem p(c.graph, n);
      if (p.b.empty()) continue;
      each_relaxation(c.grid, [&](const EngineOptions &r) {
        EXPECT_LT(difference(p.solve(r), DenseRelaxation(p, r).apply(p.b)), tolerance) << describe(c.name, r);
      });
    }
}

TEST(Relaxation, OfOneColorIsTheInverseOfTheDiagonal)
{
  Problem p(make_graph({{0}, {1}, {2}}), 2);
  for (Index e = 0; e < 3; ++e) { // 2, 4, 8 on a diagonal
    std::fill_n(p.values.begin() + 4 * e, 4, Scalar(0));
    p.values[std::size_t(4 * e)] = p.values[std::size_t(4 * e + 3)] = Real(2 << e);
  }
  Statistics s;
  const auto x = p.solve(relaxation_options(), &s);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(x[i], p.b[i] / Real(2 << i / 2));
  EXPECT_EQ(s.widths.groups, 1);
  // Two sweeps with omega = 1/2 give 1/2 z + 1/2 (1/2 z).
  const auto half = p.solve(relaxation_options({}, SweepKind::forward, 2, 0.5));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(half[i], Real(0.75) * x[i]);
}

TEST(Relaxation, HandChecked)
{
  // 4 points in a line with 2 on the diagonal, -1 next to it, and b = 1. Their colors are 0 1 0 1.
  Problem p(make_grid_graph({4, 1, 1}, Stencil::star), 1);
  for (Index i = 0; i < 4; ++i)
    for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
      p.values[std::size_t(e)] = Real(p.graph.col(e) == i ? 2 : -1);
  std::fill(p.b.begin(), p.b.end(), Scalar(1));
  const auto solve = [&](SweepKind kind, int sweeps, double omega) {
    return p.solve(relaxation_options({{4, 1, 1}}, kind, sweeps, omega));
  };
  using V = std::vector<Scalar>;
  EXPECT_EQ(solve(SweepKind::forward, 1, 1), (V{0.5, 1, 0.5, 0.75}));
  EXPECT_EQ(solve(SweepKind::backward, 1, 1), (V{0.75, 0.5, 1, 0.5}));
  EXPECT_EQ(solve(SweepKind::forward, 2, 1), (V{1, 1.6875, 1.375, 1.1875}));
  EXPECT_EQ(solve(SweepKind::symmetric, 1, 1), (V{1, 1, 1.375, 0.75}));
  EXPECT_EQ(solve(SweepKind::forward, 1, 0.5), (V{0.25, 0.375, 0.25, 0.3125}));
  EXPECT_EQ(solve(SweepKind::forward, 2, 0.5), (V{0.46875, 0.69140625, 0.546875, 0.54296875}));
}

TEST(Relaxation, ProceedsWhereAnApplicationEnded)
{
  for (const RelaxCase &c : relax_cases())
    for (const int n : {1, 4, 5})
      for (const SweepKind sweep : all_sweeps)
        for (const RelaxationStorage &s : all_storage()) {
          const Problem p(c.graph, n);
          EngineOptions twice = relaxation_options(c.grid, sweep, 2, n == 4 ? 0.8 : 1), once = twice;
          s.set(twice);
          s.set(once);
          once.relaxation.sweeps = 1;
          once.algorithm = algorithms()[std::size_t(n) % algorithms().size()];
          const auto expected = p.solve(twice);
          auto e = make_tested_engine(once.method);
          ASSERT_FALSE(e->analyze(p.view(), once));
          e->factor(p.source());
          auto x = p.apply(*e);
          e->apply({.b = p.b.data(), .x = x.data(), .from_x = true});
          EXPECT_TRUE(same_bits(x, expected)) << describe(c.name, once) << ", " << s.name;
        }
}

TEST(Relaxation, ProceedsFromAnyGuessAndStaysAtTheSolution)
{
  for (const RelaxCase &c : relax_cases())
    for (const int n : {1, 3, 5})
      for (const SweepKind sweep : all_sweeps)
        for (const double omega : {1., 1.3}) {
          const Problem p(c.graph, n);
          if (p.b.empty()) continue;
          const EngineOptions r = relaxation_options(c.grid, sweep, 2, omega);
          for (const Algorithm algorithm : algorithms()) {
            EngineOptions other = r;
            other.algorithm = algorithm;
            auto e = make_tested_engine(r.method);
            ASSERT_FALSE(e->analyze(p.view(), other));
            e->factor(p.source());
            const auto guess = make_vector(p.b.size(), 99);
            auto x = guess;
            e->apply({.b = p.b.data(), .x = x.data(), .from_x = true});
            EXPECT_LT(difference(x, PlainRelaxation(p, r).proceed(p.b, guess)), tolerance) << describe(c.name, r);
            EXPECT_TRUE(same_bits(x, EmulatedRelaxation(p, r).proceed(p.b, guess))) << describe(c.name, r);
            if (algorithm != algorithms().front()) continue;
            const auto solution = DenseRelaxation(p, r).solve(p.b);
            x = solution;
            e->apply({.b = p.b.data(), .x = x.data(), .from_x = true});
            EXPECT_LT(difference(x, solution), tolerance) << describe(c.name, r);
          }
        }
}

TEST(Relaxation, OfBothDirectionsIsSymmetricForASymmetricMatrix)
{
  for (const RelaxCase &c : relax_cases())
    for (const int n : {1, 3, 5}) {
      Problem p(symmetrize(c.graph).entries() + c.graph.rows == c.graph.entries() ? c.graph
                                                                                  : make_random_graph(30, 3, true, 1),
                n);
      if (p.b.empty()) continue;
      symmetrize_values(p);
      for (const RelaxationStorage &s : all_storage()) {
        if (s.single_sums || s.scaling == Scaling::row || s.diagonal == Precision::single) continue;
        for (const double omega : {1., 0.7, 1.4}) {
          EngineOptions r = relaxation_options({}, SweepKind::symmetric, 2, omega);
          s.set(r);
          auto e = make_tested_engine(r.method);
          ASSERT_FALSE(e->analyze(p.view(), r));
          e->factor(p.source());
          const auto d = make_vector(p.b.size(), 5);
          std::vector<Scalar> x = p.apply(*e), y(x.size());
          e->apply(d.data(), y.data());
          double size;
          const Scalar left = inner(x, d, &size), right = inner(p.b, y);
          EXPECT_LT(double(magnitude(left - right)), tolerance * size) << describe(c.name, r) << ", " << s.name;
        }
      }
    }
}

TEST(Relaxation, RefreshEqualsANewFactor)
{
  const Graph g = make_random_graph(50, 3, true, 5);
  const Problem first(g, 4, 1), third(make_grid_graph({3, 3, 3}, Stencil::star), 2);
  Problem second(g, 4, 2);
  for (Scalar &v : second.values) v *= Real(1000); // another scale
  for (const Algorithm algorithm : algorithms())
    for (const RelaxationStorage &s : all_storage()) {
      EngineOptions r = relaxation_options();
      s.set(r);
      r.algorithm = algorithm;
      auto e = make_tested_engine(r.method);
      ASSERT_FALSE(e->analyze(first.view(), r));
      e->factor(first.source());
      e->factor(second.source());
      EXPECT_TRUE(same_bits(second.apply(*e), second.solve(r))) << s.name;
      std::vector<Scalar> x(second.b.size());
      e->apply({.b = second.b.data(), .x = x.data(), .vectors = 1, .stride = Offset(x.size()), .transposed = true});
      ASSERT_FALSE(e->analyze(third.view(), r)); // another size
      e->factor(third.source());
      EXPECT_TRUE(same_bits(third.apply(*e), third.solve(r))) << s.name;
      x.resize(third.b.size());
      auto y = x;
      e->apply({.b = third.b.data(), .x = x.data(), .vectors = 1, .stride = Offset(x.size()), .transposed = true});
      auto other = make_tested_engine(r.method);
      ASSERT_FALSE(other->analyze(third.view(), r));
      other->factor(third.source());
      other->apply(
        {.b = third.b.data(), .x = y.data(), .vectors = 1, .stride = Offset(x.size()), .transposed = true});
      EXPECT_TRUE(same_bits(x, y)) << s.name;
    }
}

} // namespace
