// SPDX-License-Identifier: BSD-2-Clause
// Conflicts, choices and statistics of relaxations.
#include "relax_emulated.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

const Problem &some_problem()
{
  static const Problem p(make_grid_graph({4, 3, 2}, Stencil::star), 2);
  return p;
}

SetupError refuse(const Problem &p, const EngineOptions &r)
{
  return make_tested_engine(r.method)->analyze(p.view(), r);
}

// Expects an error that names both settings that exclude each other.
void expect_conflict(const EngineOptions &r, const std::vector<std::string> &words)
{
  const SetupError error = refuse(some_problem(), r);
  ASSERT_EQ(error.reason, SetupError::conflict) << words[0];
  for (const std::string &word : words)
    EXPECT_NE(std::string(error.text).find(word), std::string::npos) << error.text << ": " << word;
  if (where == Where::host) {
    EXPECT_EQ(std::string(find_conflict(r)), error.text);
  }
}

TEST(RelaxedChoices, ThatExcludeEachOtherAreNamed)
{
  EngineOptions r = relaxation_options();
  EXPECT_FALSE(refuse(some_problem(), r));
  r.single_sums = true;
  expect_conflict(r, {"@_sum_precision single", "@_precision single"});
  r = relaxation_options();
  r.diagonal = Precision::single;
  expect_conflict(r, {"diagonal blocks", "@_diag_precision"});
  for (const Precision diagonal : {Precision::half, Precision::bfloat16})
    for (const Precision off : {Precision::working, Precision::single, Precision::half, Precision::bfloat16}) {
      r = relaxation_options();
      r.diagonal = diagonal;
      r.precision = off;
      expect_conflict(r, {"diagonal blocks"});
    }
  r = relaxation_options();
  r.relaxation.exchange = Exchange::color;
  r.algorithm = Algorithm::tasks;
  expect_conflict(r, {"@_exchange color", "@_algorithm"});
  if (where == Where::device) {
    r = relaxation_options();
    r.algorithm = Algorithm::sequential;
    expect_conflict(r, {"algorithm", "host"});
  }
}

TEST(RelaxedChoices, ColorsThatDoNotFitAreRefused)
{
  const auto reason = [](const Graph &g, const Grid &grid) {
    EngineOptions r = relaxation_options(grid);
    r.coloring = ColoringKind::red_black;
    return refuse(Problem(g, 2), r).reason;
  };
  const Box box{4, 3, 2};
  EXPECT_EQ(reason(make_grid_graph(box, Stencil::star), {box}), SetupError::none);
  EXPECT_EQ(reason(make_grid_graph(box, Stencil::star), {}), SetupError::color_fit);
  EXPECT_EQ(reason(make_grid_graph(box, Stencil::star), {{4, 3, 1}}), SetupError::color_fit);
  EXPECT_EQ(reason(make_grid_graph(box, Stencil::box), {box}), SetupError::color_fit);
  EXPECT_EQ(reason(make_grid_graph({3, 4, 2}, Stencil::star, 1, {true, false, false}), {{3, 4, 2}}),
            SetupError::color_fit);
  // One coupling in one direction is enough.
  EXPECT_EQ(reason(make_graph({{0}, {1}, {0, 2}, {3}}), {{4, 1, 1}}), SetupError::color_fit);
  EXPECT_EQ(reason(make_graph({{0}, {0, 1}, {2}, {3}}), {{4, 1, 1}}), SetupError::none);
}

TEST(RelaxedChoices, WhatIsNoOperatorIsRefused)
{
  const EngineOptions r = relaxation_options();
  EXPECT_EQ(refuse(Problem(make_graph({{0, 1}, {0, 1}, {1}, {3}}), 2), r).reason, SetupError::missing_diagonal);
  EXPECT_EQ(refuse(Problem(make_graph({{0, 1}, {0, 1}, {1}, {3}}), 2), r).row, 2);
  EXPECT_EQ(refuse(Problem(make_graph({{0}}), 33), r).reason, SetupError::block_size);
  EXPECT_FALSE(refuse(Problem(make_graph({{0}}), 32), r));
  OperatorView v = some_problem().view();
  v.owned.rows = 23;
  EXPECT_EQ(make_tested_engine(r.method)->analyze(v, r).reason, SetupError::malformed);
}

TEST(RelaxedChoices, LargestBlocks)
{
  for (const RelaxationStorage &s : all_storage())
    for (const Algorithm algorithm : algorithms()) {
      const Problem p(make_grid_graph({3, 2, 1}, Stencil::box), 32);
      EngineOptions r = relaxation_options({}, SweepKind::symmetric, 2, 1.1);
      s.set(r);
      r.algorithm = algorithm;
      EXPECT_TRUE(same_bits(p.solve(r), EmulatedRelaxation(p, r).apply(p.b))) << s.name;
    }
}

TEST(RelaxedChoices, AutomaticColorsAreRedAndBlackWhereTheyFit)
{
  const auto statistics = [](const Graph &g, const Grid &grid) {
    Statistics s;
    Problem(g, 2).solve(relaxation_options(grid), &s);
    return s;
  };
  const Box box{5, 4, 3};
  Statistics s = statistics(make_grid_graph(box, Stencil::star), {box});
  EXPECT_EQ(s.coloring, ColoringKind::red_black);
  EXPECT_EQ(s.schedule, ScheduleKind::color);
  EXPECT_EQ(s.widths.groups, 2);
  EXPECT_FALSE(s.symmetrized);
  s = statistics(make_grid_graph(box, Stencil::box), {box});
  EXPECT_EQ(s.coloring, ColoringKind::greedy);
  EXPECT_EQ(s.widths.groups, 8);
  s = statistics(make_graph({{0, 1}, {1}, {2}}), {});
  EXPECT_EQ(s.coloring, ColoringKind::greedy);
  EXPECT_TRUE(s.symmetrized);
  EXPECT_EQ(s.widths.groups, 2);
}

TEST(RelaxedChoices, CountsBytesFlopsAndLaunches)
{
  const Problem p(make_grid_graph({3, 2, 2}, Stencil::star), 2);
  const int couplings = 2 * (2 * 2 * 2 + 3 * 1 * 2 + 3 * 2 * 1), rows = 12;
  for (const SweepKind kind : all_sweeps) {
    const int sweeps = kind == SweepKind::symmetric ? 6 : 3;
    const double full = 4 * (couplings + rows), first = 4 * (couplings / 2 + rows); // scalars that a sweep reads
    EngineOptions r = relaxation_options({{3, 2, 2}}, kind);
    Statistics s;
    r.algorithm = Algorithm::levels;
    p.solve(r, &s);
    EXPECT_EQ(s.rows, rows);
    EXPECT_EQ(s.lower, couplings);
    EXPECT_EQ(s.factor_bytes, std::size_t(full) * sizeof(Scalar));
    EXPECT_EQ(s.apply_flops, 2 * ((sweeps - 1) * full + first));
    EXPECT_EQ(s.bytes_read, ((sweeps - 1) * full + first) * sizeof(Scalar));
    EXPECT_EQ(s.apply_launches, 2 * sweeps);
    EXPECT_EQ(s.launches, 2 * sweeps + 1); // and one that loads the values
    r.algorithm = Algorithm::tasks;
    p.solve(r, &s);
    EXPECT_EQ(s.apply_launches, sweeps);
    EXPECT_EQ(s.launches, sweeps + 1);
    EXPECT_GT(s.tasks, 0);
    r.precision = Precision::half;
    p.solve(r, &s);
    EXPECT_EQ(s.launches, sweeps + 2); // and one that finds the largest coupling
    r.algorithm = algorithms().front();
    if (r.algorithm != Algorithm::sequential) continue;
    p.solve(r, &s);
    EXPECT_EQ(s.launches, 0);
  }
}

TEST(RelaxedChoices, FindsTheLargestCoupling)
{
  Problem p(make_grid_graph({4, 3, 2}, Stencil::star), 2);
  const auto find = [&](const EngineOptions &r) {
    auto e = make_tested_engine(r.method);
    EXPECT_FALSE(e->analyze(p.view(), r));
    const Real largest = e->find_largest({p.source(), {}});
    // The maximum over all ranks determines the scale, not the maximum of this rank.
    e->factor({p.source(), {}}, Real(3e6));
    const bool scaled = r.precision == Precision::half;
    EXPECT_EQ(e->statistics().scale,
              scaled && r.relaxation.scaling == Scaling::global ? Real(1) / 64 : e->statistics().scale);
    return largest;
  };
  Real most = 0;
  for (Index i = 0; i < p.graph.rows; ++i)
    for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
      for (const Scalar v : block_of(p, e))
        if (p.graph.col(e) != i)
#if defined(FINEGRAIN_COMPLEX)
          most = std::max({most, std::abs(v.real()), std::abs(v.imag())});
#else
          most = std::max(most, std::abs(v));
#endif
  for (const RelaxationStorage &s : all_storage()) {
    EngineOptions r = relaxation_options();
    s.set(r);
    const bool one_scale = s.scaled() && s.scaling == Scaling::global;
    EXPECT_EQ(find(r), one_scale ? most : -1) << s.name;
    const Problem none(make_graph({}), 2); // a rank without rows takes part in the same reductions
    auto e = make_tested_engine(r.method);
    ASSERT_FALSE(e->analyze(none.view(), r));
    EXPECT_EQ(e->find_largest({none.source(), {}}), one_scale ? 0 : -1) << s.name;
  }
}

TEST(RelaxedChoices, DeviceGivesTheBitsOfTheHost)
{
  if (where != Where::device) GTEST_SKIP() << "with --backend=device only";
  for (const RelaxCase &c : relax_cases())
    for (const int n : {1, 4, 5, 9}) {
      const Problem p(c.graph, n);
      for (const RelaxationStorage &s : all_storage()) {
        EngineOptions r = relaxation_options(c.grid, SweepKind::symmetric, 2, 1.2);
        s.set(r);
        const auto x = p.solve(r);
        const auto host = make_engine(Backend::host, r.method);
        r.algorithm = Algorithm::sequential;
        ASSERT_FALSE(host->analyze(p.view(), r));
        ASSERT_EQ(host->factor(p.source()).bad_row, -1);
        EXPECT_TRUE(same_bits(x, p.apply(*host))) << c.name << ", " << s.name;
      }
    }
}

} // namespace
