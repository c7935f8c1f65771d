// SPDX-License-Identifier: BSD-2-Clause
// Half precision factors are close to those in working precision, also for badly scaled unknowns, and bitwise
// identical for all algorithms.
#include "memory_counter.hpp"
#include "oracle.hpp"
#include "storages.hpp"

#include "base/rounding.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

using Numbers = std::vector<Scalar>;

constexpr double rounding = 1. / 2048; // relative rounding error of the stored values

struct Case {
  const char *name;
  Graph graph;
  EngineOptions options;
};

std::vector<Case> cases()
{
  const Box box{4, 3, 3};
  const Graph star = make_grid_graph(box, Stencil::star), any = make_random_graph(40, 4, true, 1);
  std::vector<Case> all{{"star", star, {}}, {"ilu0", any, {}}, {"colors", any, {}},           {"levels", any, {}},
                        {"sip", star, {}},  {"dilu", any, {}}, {"no row", make_graph({}), {}}};
  for (const int k : {0, 4}) all[std::size_t(k)].options.grid = {box};
  all[1].options.factor = FactorKind::ilu0;
  for (const int k : {2, 3}) {
    all[std::size_t(k)].options.factor = FactorKind::ilu0;
    all[std::size_t(k)].options.levels = k - 1;
  }
  all[2].options.schedule = ScheduleKind::color;
  all[4].options.factor = FactorKind::sip;
  all[4].options.sip_factor.alpha = Real(0.5);
  all[5].options.factor = FactorKind::dilu;
  return all;
}

EngineOptions in_half(const EngineOptions &r, Algorithm algorithm = algorithms().front())
{
  EngineOptions stored = with(r, half_factor);
  stored.algorithm = algorithm;
  return stored;
}

class HalfFactor : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(Engine, HalfFactor, ::testing::Values(1, 2, 3, 4, 5, 6, 8, 9, 17));

// The largest difference, relative to the largest entry of b, with each unknown divided by its unit.
double differ(Numbers a, Numbers b, const std::vector<Real> &unit)
{
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] /= unit[i % unit.size()];
    b[i] /= unit[i % unit.size()];
  }
  return difference(a, b);
}

TEST_P(HalfFactor, IsNearWorkingPrecisionWithTheSameBitsOnEveryAlgorithm)
{
  const std::size_t n = std::size_t(GetParam());
  for (const Case &c : cases())
    for (const bool strange : {false, true}) {
      Problem p(c.graph, GetParam());
      std::vector<Real> unit(n, Real(1));
      if (strange) { // unknowns in other units, which half precision needs column scaling for
        for (std::size_t a = 0; a < n; ++a) unit[a] = std::ldexp(Real(1), int(a * 13 % 5) * 9 - 18);
        for (std::size_t i = 0; i < p.values.size(); ++i) p.values[i] *= unit[i % n] / unit[i / n % n];
        for (std::size_t i = 0; i < p.b.size(); ++i) p.b[i] *= unit[i % n];
      }
      EngineOptions working = c.options;
      working.algorithm = algorithms().front();
      const Numbers exact = p.solve(working);
      SCOPED_TRACE(std::string(c.name) + (strange ? ", strange units" : ""));
      Numbers first;
      for (const Algorithm algorithm : algorithms()) {
        Statistics s;
        const Numbers x = p.solve(in_half(c.options, algorithm), &s);
        ASSERT_EQ(x.size(), exact.size());
        if (algorithm == algorithms().front()) first = x;
        EXPECT_TRUE(same_bits(x, first)) << int(algorithm);
        EXPECT_EQ(s.precision, Precision::half);
      }
      if (first.empty()) continue;
      EXPECT_LT(differ(first, exact, unit), 4 * rounding);
      EXPECT_GT(differ(first, exact, unit), rounding / 1e4); // something was rounded
    }
}

// Several vectors, corrections, transposes and parts.
TEST_P(HalfFactor, ServesAllApplications)
{
  for (const Case &c : cases()) {
    SCOPED_TRACE(c.name);
    const Problem p(c.graph, GetParam());
    if (p.b.empty()) continue;
    auto e = make_tested_engine();
    ASSERT_FALSE(e->analyze(p.view(), in_half(c.options)));
    ASSERT_EQ(e->factor(p.source()).bad_row, -1);
    const std::size_t size = p.b.size(), several = 11;
    const Numbers x = p.apply(*e);
    Numbers many, result(several * size, Scalar(std::numeric_limits<Real>::quiet_NaN())), total = p.b, y = result;
    for (std::size_t v = 0; v < several; ++v)
      for (const Scalar s : p.b) many.push_back(Real(v + 1) * s);
    e->apply({.b = many.data(), .x = result.data(), .vectors = int(several), .stride = Offset(size)});
    EXPECT_TRUE(same_bits(Numbers(result.begin(), result.begin() + Offset(size)), x));
    EXPECT_LT(
      difference(Numbers(result.end() - Offset(size), result.end()), Numbers(many.end() - Offset(size), many.end())),
      100.);
    y.resize(size);
    e->apply({.b = p.b.data(), .x = y.data(), .total = total.data()});
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(total[i], p.b[i] + x[i]);

    const double small = 1e-5; // because sums are in single precision
    const Numbers z = make_vector(size, 5);
    e->apply({.b = z.data(), .x = y.data(), .transposed = true});
    Scalar one(0), other(0);
    for (std::size_t i = 0; i < size; ++i) {
      one += x[i] * z[i];
      other += p.b[i] * y[i];
    }
    EXPECT_LT(double(magnitude(one - other)), small * double(size));
    e->apply(
      {.b = many.data(), .x = result.data(), .vectors = int(several), .stride = Offset(size), .transposed = true});
    Numbers alone(size);
    e->apply({.b = many.data(), .x = alone.data(), .transposed = true});
    EXPECT_TRUE(same_bits(Numbers(result.begin(), result.begin() + Offset(size)), alone));

    if (c.options.factor == FactorKind::sip) continue;
    e->split_form()->apply_split({.split = Split::left_inverse, .b = p.b.data(), .x = y.data()});
    e->split_form()->apply_split({.split = Split::right_inverse, .b = y.data(), .x = alone.data()});
    EXPECT_LT(difference(alone, x), small);
  }
}

// Corrections read the matrix, so that they converge to its solution.
TEST_P(HalfFactor, CorrectionsConverge)
{
  const Problem p(make_grid_graph({4, 3, 3}, Stencil::star), GetParam());
  {
    auto e = make_tested_engine();
    ASSERT_FALSE(e->analyze(p.view(), in_half({})));
    e->allow_corrections(p.view());
    ASSERT_EQ(e->factor(p.source()).bad_row, -1);
    EXPECT_FALSE(e->statistics().short_residual);
    Numbers x = p.apply(*e), step(x.size());
    for (int i = 0; i < 40; ++i)
      e->correct({.values = {.owned = p.source(), .coupling = {}},
                  .b = p.b.data(),
                  .x = x.data(),
                  .last = nullptr,
                  .step = step.data(),
                  .total = x.data()});
    double size = 0, moved = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      size = std::max(size, double(magnitude(x[i])));
      moved = std::max(moved, double(magnitude(step[i])));
    }
    EXPECT_LT(moved, 100 * tolerance * size);
  }
}

// Reports after new values: flushed entries, and entries that are not finite.
TEST(HalfReports, FlushedAndBadEntries)
{
  const Case c = cases().front();
  Problem p(c.graph, 3);
  auto e = make_tested_engine(), fresh = make_tested_engine();
  for (Engine *engine : {e.get(), fresh.get()}) ASSERT_FALSE(engine->analyze(p.view(), in_half(c.options)));
  EXPECT_EQ(e->factor(p.source()).flushed, 0);
  const Index entry = p.graph.ptr(5) + (p.graph.col(p.graph.ptr(5)) == 5); // an off-diagonal block
  p.values[std::size_t(entry) * 9 + 4] *= Real(1e-12);
  EXPECT_EQ(e->factor(p.source()).flushed, 0); // the product with the inverse has other terms in each row
  for (std::size_t k = 0; k < 9; ++k) p.values[std::size_t(entry) * 9 + k] *= Real(1e-12);
  EXPECT_GT(e->factor(p.source()).flushed, 0);
  EXPECT_GT(fresh->factor(p.source()).flushed, 0);
  EXPECT_TRUE(same_bits(p.apply(*e), p.apply(*fresh)));
  const Numbers good = p.apply(*e);
  const Scalar old = p.values[std::size_t(entry) * 9];
  p.values[std::size_t(entry) * 9] = Scalar(std::numeric_limits<Real>::infinity());
  const FactorReport bad = e->factor(p.source());
  EXPECT_TRUE(bad.bad_row >= 0 || bad.bad_coupling >= 0);
  p.values[std::size_t(entry) * 9] = old;
  EXPECT_EQ(e->factor(p.source()).bad_row, -1);
  EXPECT_TRUE(same_bits(p.apply(*e), good));
}

// After each factorization, memory holds the blocks that the statistics count: the copy in working precision has
// been freed.
TEST(HalfMemory, IsWhatTheStatisticsSay)
{
  std::vector<Case> all = cases();
  all.push_back({"ball", make_grid_graph({8, 8, 8}, Stencil::star), {}});
  all.push_back({"icc", all.back().graph, {}});
  all.back().options.factor = FactorKind::icc;
  all.push_back({"dropped", make_random_graph(40, 4, true, 1), {}});
  EngineOptions &dropped = all.back().options;
  dropped.factor = FactorKind::ilu0;
  dropped.schedule = ScheduleKind::color;
  dropped.levels = dropped.power = 1;
  dropped.drop = Drop::after; // factored with all fill, in working precision
  for (const Case &c : all) {
    const Problem p(c.graph, 5);
    Offset working = 0;
    for (const Storage &storage : {Storage(), Storage{Precision::single, Precision::working}, half_factor}) {
      const bool half = storage == half_factor;
      if (!is_distinct(storage) || (c.options.factor == FactorKind::icc && half)) continue;
      SCOPED_TRACE(std::string(c.name) + ", precision " + std::to_string(int(storage.off_diagonal)));
      const MemoryCounter memory;
      {
        auto e = make_tested_engine();
        EngineOptions r = with(c.options, storage);
        r.algorithm = algorithms().front();
        ASSERT_FALSE(e->analyze(p.view(), r));
        Offset held = 0;
        for (int turn = 0; turn < 4; ++turn) {
          ASSERT_EQ(e->factor(p.source()).bad_row, -1);
          p.apply(*e);
          const Statistics s = e->statistics();
          if (half || c.options.drop != Drop::after) {
            EXPECT_GE(memory.blocks(), Offset(s.factor_bytes));
            EXPECT_LE(memory.blocks(), Offset(s.factor_bytes + 3 * (block_slack + 8))); // slack of three arrays
          }
          if (turn == 1) held = memory.all(); // all memory of the first use is allocated
          else if (turn > 1) {
            EXPECT_EQ(memory.all(), held);
          }
          if (storage == Storage()) working = memory.blocks();
        }
        if (half && c.options.drop != Drop::after && p.graph.rows > 500) {
          EXPECT_LE(double(memory.blocks()), 0.35 * double(working));
        }
      }
      EXPECT_EQ(memory.all(), 0);
    }
  }
}

TEST(HalfOptions, WhatCannotBeIsAConflict)
{
  const Problem p(make_grid_graph({4, 3, 3}, Stencil::star), 2);
  const auto refused = [&](const EngineOptions &r) {
    return make_tested_engine()->analyze(p.view(), r).reason == SetupError::conflict;
  };
  EngineOptions r = in_half({});
  EXPECT_FALSE(refused(r));
  for (const Storage &other :
       {Storage{Precision::half, Precision::working}, Storage{Precision::half, Precision::single},
        Storage{Precision::half, Precision::working, true}, Storage{Precision::single, Precision::single, true}})
    EXPECT_TRUE(refused(with({}, other)));
  r.factor = FactorKind::icc;
  EXPECT_TRUE(refused(r));
  r.factor = FactorKind::automatic;
  r.eisenstat = true;
  EXPECT_TRUE(refused(r));
  r.eisenstat = false;
  r.precision = Precision::working;
  r.single_sums = true;
  EXPECT_TRUE(refused(r));
}

} // namespace
