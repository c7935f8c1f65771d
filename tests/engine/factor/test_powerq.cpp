// SPDX-License-Identifier: BSD-2-Clause
// Multicolored ILU(p,q) through the facade, compared with a plain oracle, and algorithms compared with each other.
#include "powerq.hpp"

using namespace finegrain;
using namespace finegrain::test;

namespace
{

std::vector<RelaxCase> cases()
{
  const Box box{3, 3, 3}, flat{6, 4, 1};
  return {
    {"star", make_grid_graph(box, Stencil::star), {box}},
    {"flat box", make_grid_graph(flat, Stencil::box), {flat}},
    {"odd period", make_grid_graph({3, 4, 2}, Stencil::star, 1, {true, true, false}), {{3, 4, 2}}},
    {"not symmetric", make_random_graph(26, 2, false, 1), {}},
    {"symmetric", make_random_graph(26, 1, true, 2), {}},
    {"dense", make_complete(6), {}},
    {"one row", make_graph({{0}}), {}},
    {"diagonal", make_graph({{0}, {1}, {2}}), {}},
    {"no row", make_graph({}), {}},
  };
}

EngineOptions level_options(int levels) { return options_for(ScheduleKind::level, levels, 0); }

// p from 0 to 3, q from 1 to p + 2 and the default, and level schedules of the same p. From q = p + 1 nothing is
// dropped, so that the kind of dropping does not matter.
std::vector<EngineOptions> options()
{
  std::vector<EngineOptions> all;
  for (int p = 0; p <= 3; ++p) {
    all.push_back(level_options(p));
    for (int q = 0; q <= p + 2; ++q)
      for (const Drop drop : drops)
        if (drop == Drop::during || (q > 0 && q <= p + 1)) all.push_back(color_options(p, q, drop));
  }
  return all;
}

std::string describe(const char *name, const Problem &p, const EngineOptions &r)
{
  return std::string(name) + ", n = " + std::to_string(p.n) + ", (" + std::to_string(r.levels) + ", " +
         std::to_string(r.power) + "), schedule " + std::to_string(int(r.schedule)) + ", drop " +
         std::to_string(int(r.drop)) + ", coloring " + std::to_string(int(r.coloring)) + ", algorithm " +
         std::to_string(int(r.algorithm));
}

void expect_plain(const char *name, const Problem &p, const EngineOptions &r)
{
  SCOPED_TRACE(describe(name, p, r));
  Statistics s;
  const PlainIlu plain(p, r);
  const auto x = p.solve(r, &s);
  ASSERT_EQ(x.size(), p.b.size());
  if (!x.empty()) {
    EXPECT_LT(difference(x, plain.solve(p.b)), tolerance);
  }
  const bool colors = r.schedule == ScheduleKind::color;
  EXPECT_EQ(s.fill, plain.fill);
  EXPECT_EQ(s.dropped, plain.dropped);
  EXPECT_EQ(s.colors, plain.colors.colors);
  EXPECT_EQ(s.lower + s.upper + s.rows, plain.entries);
  const bool by_color = colors && (plain.inside == 0 || r.drop == Drop::after); // schedule of the sweeps
  EXPECT_EQ(s.schedule, by_color ? ScheduleKind::color : ScheduleKind::level);
  if (by_color) {
    EXPECT_EQ(s.widths.groups, plain.colors.colors);
  }
}

class PowerQ : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(Engine, PowerQ, ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 13));

TEST_P(PowerQ, EqualsTheOracle)
{
  const auto all = options();
  for (std::size_t c = 0; c < cases().size(); ++c)
    for (std::size_t k = 0; k < all.size(); ++k) {
      const int n = GetParam();
      if (n > 2 && (k + c) % (n > 8 ? 7 : 4) != 0) continue; // the oracle needs n^3; each choice meets some graph
      const Problem p(cases()[c].graph, n);
      EngineOptions r = all[k];
      r.grid = cases()[c].grid;
      expect_plain(cases()[c].name, p, r);
    }
}

TEST_P(PowerQ, AlgorithmsAndRepeatsGiveTheSameBits)
{
  const Problem grid(make_grid_graph({5, 4, 3}, Stencil::star), GetParam());
  const Problem random(make_random_graph(60, 2, true, 3), GetParam());
  for (const Problem *p : {&grid, &random})
    for (const Precision precision : {Precision::working, Precision::single})
      for (EngineOptions r : {color_options(0, 1), color_options(1, 0), color_options(2, 1),
                              color_options(2, 1, Drop::after), color_options(1, 1, Drop::none), level_options(2)}) {
        r.precision = precision;
        r.diagonal = r.levels == 2 ? precision : Precision::working;
        const auto x = p->solve(r);
        ASSERT_FALSE(x.empty());
        for (const Algorithm algorithm : algorithms()) {
          r.algorithm = algorithm;
          auto e = make_factored(*p, r);
          EXPECT_TRUE(same_bits(p->apply(*e), x)) << describe("", *p, r);
          EXPECT_TRUE(same_bits(p->apply(*e), x)) << describe("again", *p, r);
          e->factor(p->source());
          EXPECT_TRUE(same_bits(p->apply(*e), x)) << describe("factored again", *p, r);
        }
      }
}

TEST_P(PowerQ, SingleStorageIsCloseAndSmaller)
{
  for (const Drop drop : drops) {
    const Problem p(make_grid_graph({5, 4, 3}, Stencil::star), GetParam());
    EngineOptions r = color_options(2, 2, drop);
    Statistics working, low;
    const auto x = p.solve(r, &working), oracle = PlainIlu(p, r).solve(p.b);
    EXPECT_LT(difference(x, oracle), tolerance);
    r.precision = Precision::single;
    r.diagonal = Precision::single;
    const auto y = p.solve(r, &low);
    EXPECT_LT(difference(y, oracle), sizeof(Real) == 4 ? tolerance : 1e-6);
    if (!low_is_lower) continue;
    EXPECT_FALSE(same_bits(x, y));
    EXPECT_EQ(low.factor_bytes * 2, working.factor_bytes);
  }
}

TEST_P(PowerQ, SeveralVectorsAndTransposes)
{
  const int count = 11; // more than one sweep applies
  for (const Algorithm algorithm : algorithms())
    for (EngineOptions r :
         {color_options(1, 0), color_options(2, 1), color_options(3, 2, Drop::after), level_options(2)}) {
      const Problem p(make_random_graph(24, 2, false, 4), GetParam());
      const auto size = std::ptrdiff_t(p.b.size()), stride = size + 3;
      r.algorithm = algorithm;
      auto e = make_factored(p, r);
      const PlainIlu transposed(p, r, true);
      const auto b = make_vector(std::size_t(stride * count), 9);
      std::vector<Scalar> x(b.size(), Scalar(nan_value)), z = x;
      e->apply({.b = b.data(), .x = x.data(), .vectors = count, .stride = stride});
      e->apply({.b = b.data(), .x = z.data(), .vectors = count, .stride = stride, .transposed = true});
      for (std::ptrdiff_t k = 0; k < count; ++k) {
        const auto column = [&](const std::vector<Scalar> &v) {
          return std::vector<Scalar>(v.begin() + k * stride, v.begin() + k * stride + size);
        };
        std::vector<Scalar> one(p.b.size(), Scalar(nan_value));
        e->apply(column(b).data(), one.data());
        EXPECT_TRUE(same_bits(column(x), one)) << describe("", p, r) << ", " << k;
        if (k % 5 == 0) {
          EXPECT_LT(difference(column(z), transposed.solve(column(b))), tolerance) << describe("", p, r) << ", " << k;
        }
      }
    }
}

TEST_P(PowerQ, NewValuesGiveTheBitsOfANewEngine)
{
  const Graph g = make_random_graph(40, 2, true, 5);
  const Problem first(g, GetParam(), 1), second(g, GetParam(), 2), other(make_path(12), 2);
  for (const Algorithm algorithm : algorithms())
    for (EngineOptions r :
         {color_options(2, 0), color_options(2, 1), color_options(2, 1, Drop::after), level_options(3)}) {
      r.algorithm = algorithm;
      auto e = make_factored(first, r);
      EXPECT_TRUE(same_bits(first.apply(*e), first.solve(r)));
      EXPECT_EQ(e->factor(second.source()).bad_row, -1);
      EXPECT_TRUE(same_bits(second.apply(*e), second.solve(r))) << describe("", second, r);
      EXPECT_LT(difference(second.apply(*e), PlainIlu(second, r).solve(second.b)), tolerance);
      ASSERT_FALSE(e->analyze(other.view(), r)); // another graph and block size, no dropped entries
      e->factor(other.source());
      EXPECT_TRUE(same_bits(other.apply(*e), other.solve(r)));
    }
}

// Products found by search are those of the lists, in the same order, with any number of threads.
TEST(PowerQ, SearchedProductsGiveTheBitsOfLists)
{
  for (const auto &c : cases())
    for (const int n : {1, 2, 5})
      for (EngineOptions r : options())
        for (const auto &[algorithm, precision] :
             {std::pair(Algorithm::sequential, Precision::working),
              std::pair(Algorithm::sequential, Precision::single), std::pair(Algorithm::levels, Precision::working),
              std::pair(Algorithm::tasks, Precision::working)}) {
          if (where == Where::device && (algorithm == Algorithm::levels || algorithm == Algorithm::tasks)) continue;
          const Problem p(c.graph, n, 1);
          r.algorithm = algorithm;
          r.backend = Backend::host;
          r.precision = precision;
          r.grid = c.grid;
          if (r.drop == Drop::after && precision != Precision::working) continue;
          Statistics listed, searched;
          r.products = Products::listed;
          const auto x = p.solve(r, &listed);
          r.products = Products::searched;
          const auto y = p.solve(r, &searched);
          SCOPED_TRACE(describe(c.name, p, r));
          EXPECT_EQ(x, y);
          EXPECT_GE(searched.updates, listed.updates); // of scalars: also those outside the factor
          EXPECT_TRUE(n == 1 || listed.updates == searched.updates);
          EXPECT_FALSE(listed.searched);
          EXPECT_EQ(searched.searched, searched.factor == FactorKind::ilu0);
        }
}

// On hosts, small blocks get lists at the second factorization, larger blocks never.
TEST(PowerQ, ListsWaitForASecondFactorization)
{
  if (where == Where::device) GTEST_SKIP() << "devices have lists";
  int waited = 0, round_of_sizes = 0;
  for (const auto &c : cases())
    for (EngineOptions r : options()) {
      const int n = 1 + round_of_sizes++ % 5;
      Problem p(c.graph, n, 1);
      r.algorithm = waited % 2 ? Algorithm::levels : Algorithm::sequential;
      r.grid = c.grid;
      r.products = Products::listed;
      Statistics listed;
      const auto x = p.solve(r, &listed);
      r.products = Products::automatic;
      auto e = make_tested_engine();
      ASSERT_FALSE(e->analyze(p.view(), r));
      for (int round = 0; round < 3; ++round) {
        SCOPED_TRACE(describe(c.name, p, r));
        ASSERT_EQ(e->factor(p.source()).bad_row, -1);
        EXPECT_EQ(p.apply(*e), x);
        const Statistics s = e->statistics();
        if (round == 0) waited += s.lists_deferred;
        EXPECT_TRUE(round == 0 || !s.lists_deferred);
        EXPECT_TRUE(n <= 3 || s.factor != FactorKind::ilu0 || (s.searched && !s.lists_deferred));
        if (s.searched) continue;
        EXPECT_EQ(s.updates, listed.updates);
        EXPECT_EQ(s.index_bytes, listed.index_bytes);
      }
      const std::vector<Scalar> values = p.values; // a failed factorization keeps the lists
      std::fill(p.values.begin(), p.values.end(), Scalar(0));
      EXPECT_EQ(e->factor(p.source()).bad_row == -1, p.graph.rows == 0 || r.shift.amount > 0); // which replaces zeros
      p.values = values;
      ASSERT_EQ(e->factor(p.source()).bad_row, -1);
      EXPECT_EQ(p.apply(*e), x);
    }
  EXPECT_GT(waited, 5);
}

} // namespace
