// SPDX-License-Identifier: BSD-2-Clause
// Tasks that are tiles, or on devices runs of rows. For any shape, results are bitwise identical to those of one
// thread.
#include "cases.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

class Tiles : public ::testing::TestWithParam<Case>
{
};

// Runs one application of each kind, with outputs initially NaN.
std::vector<std::vector<Scalar>> run_all(Engine &e, const Problem &p, const EngineOptions &options)
{
  EXPECT_FALSE(e.analyze(p.view(), options));
  e.allow_corrections(p.view());
  EXPECT_EQ(e.factor(p.source()).bad_row, -1);
  const std::vector<Scalar> nan(p.b.size(), Scalar(std::numeric_limits<Real>::quiet_NaN()));
  std::vector<std::vector<Scalar>> results{p.apply(e)};
  std::vector<Scalar> x = nan, total = p.b;
  e.apply({.b = p.b.data(), .x = x.data(), .total = total.data()});
  results.push_back(x);
  results.push_back(total);
  x = nan;
  e.apply({.b = p.b.data(), .x = x.data(), .transposed = true});
  results.push_back(x);
  std::vector<Scalar> many_b, many(3 * p.b.size(), nan[0]);
  for (int v = 0; v < 3; ++v)
    for (const Scalar s : p.b) many_b.push_back(s * Scalar(Real(v + 1)));
  e.apply({.b = many_b.data(), .x = many.data(), .vectors = 3, .stride = Offset(p.b.size())});
  results.push_back(many);
  for (const Split split : {Split::left_inverse, Split::right_inverse}) {
    x = nan;
    e.split_form()->apply_split({.split = split, .b = p.b.data(), .x = x.data()});
    results.push_back(x);
  }
  std::vector<Scalar> step = nan;
  x = p.apply(e);
  for (int k = 0; k < 2; ++k) {
    e.correct(
      {.values = {p.source(), {}, true}, .b = p.b.data(), .x = x.data(), .last = x.data(), .step = step.data()});
    results.push_back(step);
  }
  return results;
}

void by_tasks(EngineOptions &options, const Box &shape = {})
{
  options.algorithm = Algorithm::tasks;
  options.tile = shape;
}

TEST_P(Tiles, GiveTheBitsOfOneThread)
{
  // Tiles that do not divide the box, single rows, one tile, and automatic tiles.
  const Box box{9, 7, 6};
  for (const Box &shape : {Box{2, 3, 2}, Box{4, 1, 2}, Box{1, 1, 1}, Box{9, 7, 6}, Box{0, 0, 0}})
    for (const int n : {1, 2, 5, 8, 9, 15, 31}) {
      if ((n == 31 && shape.i != 2) || (n == 15 && shape.i != 1)) continue;
      const Problem p = make_star_problem(GetParam(), box, n);
      EngineOptions options;
      options.grid = {box};
      GetParam().set(options);
      options.algorithm = Algorithm::sequential;
      options.tile = {};
      const auto plain = make_engine(Backend::host, Method::factorization);
      const auto expected = run_all(*plain, p, options);
      by_tasks(options, shape);
      const auto e = make_tested_engine();
      const auto found = run_all(*e, p, options);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_TRUE(same_bits(found[i], expected[i])) << i << ", n = " << n << ", " << shape.i << " x " << shape.j;
      EXPECT_GT(e->statistics().tasks, 0) << "n = " << n << ", " << shape.i << " x " << shape.j;
      if (shape.points() > 0) {
        EXPECT_EQ(e->statistics().tile, shape);
        const auto pieces = [](Index edge, Index of) { return (edge + of - 1) / of; };
        EXPECT_EQ(e->statistics().tasks, pieces(box.i, shape.i) * pieces(box.j, shape.j) * pieces(box.k, shape.k));
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Factors, Tiles, ::testing::ValuesIn(factor_cases), case_name);

// Any stencil whose tiles depend on each other in one direction only, and a graph without a grid.
TEST(Tiles, OfOtherGraphs)
{
  for (const int n : {1, 5}) {
    const Box box{20, 3, 4};
    const Problem with_corners(make_grid_graph(box, Stencil::box), n), random(make_random_graph(300, 3, false, 5), n);
    for (const Problem *p : {&with_corners, &random}) {
      EngineOptions options;
      if (p == &with_corners) options.grid = {box};
      options.algorithm = Algorithm::sequential;
      const auto plain = make_engine(Backend::host, Method::factorization);
      const auto expected = run_all(*plain, *p, options);
      for (const ScheduleKind kind : {ScheduleKind::automatic, ScheduleKind::level}) {
        options.schedule = kind;
        by_tasks(options);
        const auto e = make_tested_engine();
        const auto found = run_all(*e, *p, options);
        for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(same_bits(found[i], expected[i])) << i;
      }
    }
  }
}

// A rank without rows, while others have a grid.
TEST(Tiles, OfNoRowsHaveAnyShape)
{
  const Problem p(make_graph({}), 5);
  EngineOptions options;
  by_tasks(options, {2, 2, 2});
  const auto e = make_tested_engine();
  EXPECT_FALSE(e->analyze(p.view(), options));
  EXPECT_EQ(e->factor(p.source()).bad_row, -1);
}

} // namespace
