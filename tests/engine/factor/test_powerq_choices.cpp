// SPDX-License-Identifier: BSD-2-Clause
// Multicolored ILU(p,q): dropping, corrections, pivots, statistics and errors.
#include "powerq.hpp"
#include "storages.hpp"

using namespace finegrain;
using namespace finegrain::test;

namespace
{

double residual(const Problem &p, const std::vector<Scalar> &x, std::vector<Scalar> &r)
{
  r = p.b;
  const std::size_t n = std::size_t(p.n);
  for (Index i = 0; i < p.graph.rows; ++i)
    for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
      for (std::size_t k = 0; k < n * n; ++k)
        r[std::size_t(i) * n + k % n] -=
          p.values[std::size_t(e) * n * n + k] * x[std::size_t(p.graph.col(e)) * n + k / n];
  double size = 0;
  for (const Scalar &v : r) size = std::max(size, double(magnitude(v)));
  return size;
}

// Sweeps of any groups or tasks do not contain the entries that are dropped after the factorization.
TEST(PowerQDrop, AfterGivesTheSameBitsOnEveryAlgorithm)
{
  for (const int n : {1, 3})
    for (const Storage &storage : {Storage(), Storage{Precision::single, Precision::working}, half_factor})
      for (const bool symmetric : {true, false})
        for (const Products products : {Products::automatic, Products::listed, Products::searched}) {
          if (where == Where::device && products == Products::searched) continue;
          const Problem problem(make_random_graph(60, 2, symmetric, 12), n);
          EngineOptions r = with(color_options(2, 1, Drop::after), storage);
          r.products = products;
          std::vector<Scalar> expected[2];
          for (const Algorithm algorithm : algorithms()) {
            r.algorithm = algorithm;
            auto e = make_factored(problem, r);
            EXPECT_EQ(e->factor(problem.source()).bad_row, -1); // the second factorization may use lists
            EXPECT_GT(e->statistics().dropped, 0);
            for (const bool transposed : {false, true}) {
              std::vector<Scalar> x(2 * problem.b.size(), Scalar(nan_value)), b = problem.b;
              b.insert(b.end(), problem.b.begin(), problem.b.end());
              Application a;
              a.b = b.data();
              a.x = x.data();
              a.transposed = transposed;
              a.vectors = 2;
              a.stride = Offset(problem.b.size());
              e->apply(a);
              auto &first = expected[transposed];
              if (first.empty()) first = x;
              EXPECT_TRUE(same_bits(x, first)) << n << int(storage.off_diagonal) << int(algorithm) << transposed;
              EXPECT_TRUE(is_finite(magnitude(x.back())));
            }
            const auto x = problem.apply(*e);
            EXPECT_TRUE(same_bits(x, {expected[0].begin(), expected[0].begin() + std::ptrdiff_t(x.size())}));
          }
        }
}

// Entries within a radius of the diagonal, in the order of elimination, are dropped after the factorization, which
// leaves fewer level sets.
TEST(PowerQDrop, RadiusOfLevelSchedules)
{
  Index fewer = 0;
  for (const Graph &graph : {make_grid_graph({5, 4, 3}, Stencil::star), make_random_graph(60, 2, true, 12),
                             make_random_graph(60, 2, false, 13)})
    for (const int n : {1, 3})
      for (const bool ordered : {false, true})
        for (int p = 0; p <= 2; ++p)
          for (const Index radius : {1, 3, 200}) {
            const Problem problem(graph, n);
            EngineOptions r = options_for(ScheduleKind::level, p, 0);
            if (ordered) r.ordering = to_order(random_order(graph.rows, 8));
            Statistics all;
            problem.solve(r, &all);
            r.drop_band = radius;
            const PlainIlu plain(problem, r);
            std::vector<Scalar> first;
            for (const Algorithm algorithm : algorithms()) {
              r.algorithm = algorithm;
              auto e = make_factored(problem, r);
              e->allow_corrections(problem.view());
              EXPECT_EQ(e->factor(problem.source()).bad_row, -1);
              const auto x = problem.apply(*e);
              if (first.empty()) first = x;
              EXPECT_LT(difference(x, plain.solve(problem.b)), tolerance) << p << " " << radius << int(algorithm);
              EXPECT_TRUE(same_bits(x, first)) << int(algorithm);
              const Statistics s = e->statistics();
              EXPECT_EQ(s.dropped, plain.dropped);
              EXPECT_EQ(s.fill, plain.fill);
              EXPECT_EQ(Offset(s.lower) + s.upper + s.rows, plain.entries);
              EXPECT_EQ(s.operator_blocks, graph.entries());
              EXPECT_EQ(s.short_residual, s.dropped == 0 && s.factor == FactorKind::dilu);
              EXPECT_LE(s.widths.groups, all.widths.groups);
              fewer += s.widths.groups < all.widths.groups;
              if (radius == 200) {
                EXPECT_EQ(s.widths.groups, 1); // only diagonal blocks are left
              }
            }
          }
  EXPECT_GT(fewer, 0);
}

// The first corrections equal the oracle's with short and long residuals, and many corrections converge.
TEST(PowerQCorrections, EqualTheOracleAndConverge)
{
  for (const int n : {1, 4})
    for (const Algorithm algorithm : algorithms())
      for (const bool factored : {true, false})
        for (const auto &[p, q, drop] : {std::tuple(0, 1, Drop::during),
                                         {2, 0, Drop::during},
                                         {2, 1, Drop::during},
                                         {3, 2, Drop::during},
                                         {2, 1, Drop::after},
                                         {1, 1, Drop::none}}) {
          const Problem problem(make_grid_graph({5, 4, 3}, Stencil::star), n);
          EngineOptions r = color_options(p, q, drop);
          r.algorithm = algorithm;
          auto e = make_tested_engine();
          ASSERT_FALSE(e->analyze(problem.view(), r));
          e->allow_corrections(problem.view());
          ASSERT_EQ(e->factor(problem.source()).bad_row, -1);
          // The star has no triangle, and its two colors create no fill, so that this factor is DILU.
          EXPECT_EQ(e->statistics().short_residual, e->statistics().fill == 0 && drop != Drop::after);
          const Values values{problem.source(), {}, factored};
          const PlainIlu plain(problem, r);
          std::vector<Scalar> x = problem.apply(*e), step(x.size(), Scalar(nan_value)), expected = x, rest;
          double size = 0;
          for (int k = 0; k < 40; ++k) {
            e->correct({.values = values,
                        .b = problem.b.data(),
                        .x = x.data(),
                        .last = k ? step.data() : x.data(),
                        .step = step.data(),
                        .total = x.data()});
            if (k > 2) continue;
            residual(problem, expected, rest);
            const auto more = plain.solve(rest);
            for (std::size_t i = 0; i < more.size(); ++i) expected[i] += more[i];
            EXPECT_LT(difference(x, expected), tolerance) << p << ", " << q << ", " << int(drop) << ", " << k;
          }
          size = residual(problem, x, rest);
          EXPECT_LT(size, tolerance) << p << ", " << q << ", " << int(drop);
        }
}

// Rows 41, 63 and 97 are zero. In the second graph they have couplings, which are zero too. There, values that are
// not finite spread in the order of elimination, and may reach rows with smaller numbers.
TEST(PowerQPivots, BadRowsAreReportedAndShiftedAndForgotten)
{
  const std::set<Index> bad{41, 63, 97};
  const Graph whole = make_grid_graph({6, 5, 4}, Stencil::star);
  Rows rows(std::size_t(whole.rows), std::set<Index>{});
  for (Index i = 0; i < whole.rows; ++i)
    for (Index e = whole.ptr(i); e < whole.ptr(i + 1); ++e)
      if (const Index j = whole.col(e); i == j || !(bad.count(i) || bad.count(j))) rows[std::size_t(i)].insert(j);
  for (const Graph &graph : {make_graph(rows), whole})
    for (const int n : {1, 3})
      for (EngineOptions r : {color_options(1, 0), color_options(2, 1), color_options(2, 1, Drop::after),
                              options_for(ScheduleKind::level, 2, 0)}) {
        const Problem good(graph, n);
        Problem p = good;
        const auto nn = std::size_t(n * n);
        for (Index i = 0; i < graph.rows; ++i)
          for (Index e = graph.ptr(i); e < graph.ptr(i + 1); ++e)
            if (bad.count(i) || bad.count(graph.col(e)))
              std::fill_n(p.values.begin() + std::ptrdiff_t(std::size_t(e) * nn), nn, Scalar(0));
        Index reported = -1;
        for (const Algorithm algorithm : algorithms()) {
          r.algorithm = algorithm;
          auto e = make_tested_engine();
          ASSERT_FALSE(e->analyze(p.view(), r));
          const Index row = e->factor(p.source()).bad_row;
          if (r.schedule == ScheduleKind::level || graph.entries() < whole.entries()) {
            EXPECT_EQ(row, 41);
          }
          EXPECT_GE(row, 0);
          EXPECT_LE(row, 41);
          if (algorithm == algorithms().front()) reported = row;
          EXPECT_EQ(row, reported);
          EXPECT_EQ(e->factor(good.source()).bad_row, -1);
          EXPECT_TRUE(same_bits(good.apply(*e), good.solve(r)));
          EngineOptions shift = r;
          shift.shift.amount = Real(1e-3);
          ASSERT_FALSE(e->analyze(p.view(), shift));
          const FactorReport shifted = e->factor(p.source());
          EXPECT_EQ(shifted.bad_row, -1);
          EXPECT_EQ(shifted.shifted, 3);
          for (const Scalar &v : p.apply(*e)) EXPECT_TRUE(is_finite(magnitude(v)));
        }
      }
}

TEST(PowerQStatistics, LaunchesAndGroups)
{
  const Problem p(make_grid_graph({6, 6, 1}, Stencil::box), 2);
  Statistics s;
  for (int q = 1; q <= 3; ++q) {
    EngineOptions r = color_options(2, q);
    r.algorithm = Algorithm::levels;
    p.solve(r, &s);
    EXPECT_EQ(s.colors, (q + 1) * (q + 1));
    EXPECT_EQ(s.widths.groups, s.colors);
    EXPECT_EQ(s.apply_launches, 2 * s.colors);
    EXPECT_EQ(s.launches, 3 * s.colors); // one factorization, one application
    EXPECT_EQ(s.schedule, ScheduleKind::color);
    EXPECT_EQ(s.factor, FactorKind::ilu0);
    EXPECT_EQ(s.factor_bytes, std::size_t(p.graph.entries() + s.fill) * 4 * sizeof(Scalar));
    r.drop = Drop::after; // fill within a color is factored by levels, and is not in the sweeps
    p.solve(r, &s);
    EXPECT_EQ(s.schedule, ScheduleKind::color);
    EXPECT_EQ(s.widths.groups, s.colors);
    EXPECT_EQ(s.apply_launches, 2 * s.colors);
    EXPECT_EQ(s.launches > 3 * s.colors, q < 3);
    EXPECT_EQ(s.dropped > 0, q < 3);
    EXPECT_EQ(s.factor_bytes, std::size_t(p.graph.entries() + s.fill) * 4 * sizeof(Scalar));
    EXPECT_EQ(Offset(s.lower) + s.upper + s.rows, p.graph.entries() + s.fill);
    r.algorithm = Algorithm::tasks;
    p.solve(r, &s);
    EXPECT_EQ(s.apply_launches, 2);
  }
}

TEST(PowerQRefusals, ConflictsNameThemselves)
{
  const Box box{5, 4, 2};
  const Problem p(make_grid_graph(box, Stencil::star), 2);
  const auto expect_conflict = [&](EngineOptions r, const char *word) {
    if (where == Where::device) r.backend = Backend::device;
    const char *text = find_conflict(r);
    ASSERT_NE(text, nullptr) << word;
    EXPECT_NE(std::string(text).find(word), std::string::npos) << text;
    const SetupError error = make_tested_engine()->analyze(p.view(), r);
    EXPECT_EQ(error.reason, SetupError::conflict);
    EXPECT_EQ(std::string(error.text), text);
  };
  expect_conflict(options_for(ScheduleKind::hyperplane, 1, 0), "hyperplane");
  EngineOptions tiled = color_options(1, 0);
  tiled.algorithm = Algorithm::tasks;
  tiled.grid = {box};
  EXPECT_EQ(find_conflict(tiled), nullptr); // the tasks are ranges of rows
  tiled.tile = {2, 2, 2};
  expect_conflict(tiled, "tile");
}

TEST(PowerQRefusals, RedBlackNeedsAGridThatHasIt)
{
  const Box box{5, 4, 2};
  const Problem p(make_grid_graph(box, Stencil::star), 1), wide(make_grid_graph(box, Stencil::box), 1);
  EngineOptions r = color_options(1, 1);
  r.coloring = ColoringKind::red_black;
  r.grid = {box};
  const auto why = [](const Problem &problem, const EngineOptions &options) {
    return make_tested_engine()->analyze(problem.view(), options).reason;
  };
  EXPECT_EQ(why(p, r), SetupError::none);
  EXPECT_EQ(why(wide, r), SetupError::color_fit);
  r.power = 0; // the default power, which is two
  EXPECT_EQ(why(p, r), SetupError::color_fit);
  r.levels = 0; // the default power is then one
  EXPECT_EQ(why(p, r), SetupError::none);
  r.ordering = to_order(natural_order(p.graph.rows));
  EXPECT_EQ(why(p, r), SetupError::color_fit);
  r.ordering = {};
  r.grid = {{4, 5, 2}};
  EXPECT_EQ(why(p, r), SetupError::color_fit);
  r.grid = {};
  EXPECT_EQ(why(p, r), SetupError::color_fit);
}

} // namespace
