// Sweeps that are replayed as a graph, beside the same kernels launched one by one.
#include "cases.hpp"
#include "oracle.hpp"
#include "kernel_counter.hpp"
#include "run/replay.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Another scale in 16 bits. Of all blocks it would not do: couplings are stored times an inverse.
void shrink_couplings(Problem &p)
{
  const std::size_t nn = std::size_t(p.n) * std::size_t(p.n);
  for (Index row = 0; row < p.graph.rows; ++row)
    for (Index e = p.graph.ptr(row); e < p.graph.ptr(row + 1); ++e)
      if (p.graph.col(e) != row)
        for (std::size_t i = std::size_t(e) * nn; i < std::size_t(e + 1) * nn; ++i)
          p.values[i] *= Scalar(Real(0.125));
}

class ReplayedSweeps : public ::testing::TestWithParam<Case>
{
};

// A device whose applications are the same kernels every time.
TEST_P(ReplayedSweeps, GiveTheBitsOfKernels)
{
  if (where != Where::device) GTEST_SKIP() << "hosts have no graph";
  const Restored wanted(replays_kernels(), true);
  for (const int n : {1, 3, 5}) {
    Problem p = make_star_problem(GetParam(), {12, 9, 10}, n);
    EngineOptions options;
    options.executor = ExecutorKind::launch;
    GetParam().set(options);
    const bool anew = options.precision == Precision::half; // recorded again, with another scale
    const auto e = make_tested_engine(options.method);
    ASSERT_FALSE(e->analyze(p.view(), options));
    std::vector<Scalar> first, other;
    Problem q = p;
    for (Scalar &v : q.b) v = v * Scalar(3) - Scalar(Real(0.25));
    for (const int factors : {1, 2}) {
      if (factors == 2) shrink_couplings(p);
      ASSERT_EQ(e->factor(p.source()).bad_row, -1);
      const Offset before = e->statistics().replays;
      {
        const Restored setting(replays_kernels(), false);
        first = p.apply(*e);
        other = q.apply(*e);
      }
      EXPECT_EQ(e->statistics().replays, before);
      const Offset launches = e->statistics().launches;
      const KernelCounter kernels;
      for (int k = 0; k < 3; ++k) { // other arrays each time
        EXPECT_EQ(p.apply(*e), first);
        EXPECT_EQ(q.apply(*e), other);
      }
      const Offset replays = e->statistics().replays - before;
      EXPECT_EQ(replays, factors == 1 || anew ? 5 : 6); // all but the first
      EXPECT_EQ(e->statistics().launches - launches, 6 * e->statistics().apply_launches);
      EXPECT_EQ(kernels.count(), (6 - replays) * e->statistics().apply_launches);
    }
    ASSERT_FALSE(e->analyze(p.view(), options)); // begins anew
    ASSERT_EQ(e->factor(p.source()).bad_row, -1);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(p.apply(*e), first);
  }
}

INSTANTIATE_TEST_SUITE_P(Factors, ReplayedSweeps,
                         ::testing::Values(Case{"dilu", [](EngineOptions &) {}},
                                           Case{"ilu0", [](EngineOptions &o) { o.factor = FactorKind::ilu0; }},
                                           Case{"icc", [](EngineOptions &o) { o.factor = FactorKind::icc; }},
                                           Case{"single", [](EngineOptions &o) { o.precision = Precision::single; }},
                                           Case{"half",
                                                [](EngineOptions &o) {
                                                  o.precision = Precision::half;
                                                  o.single_sums = true;
                                                }},
                                           Case{"mcpi", [](EngineOptions &o) { o.method = Method::relaxation; }},
                                           Case{"mcpi_half",
                                                [](EngineOptions &o) {
                                                  o.method = Method::relaxation;
                                                  o.precision = Precision::half;
                                                  o.single_sums = true;
                                                  o.relaxation.sweeps = 3;
                                                  o.relaxation.sweep = SweepKind::symmetric;
                                                }},
                                           Case{"mcpi_omega",
                                                [](EngineOptions &o) {
                                                  o.method = Method::relaxation;
                                                  o.relaxation.sweeps = 2;
                                                  o.relaxation.omega = Real(0.75);
                                                }},
                                           Case{"color",
                                                [](EngineOptions &o) {
                                                  o.schedule = ScheduleKind::color;
                                                  o.levels = 1;
                                                  o.power = 2;
                                                }}),
                         case_name);

// Sweeps from x as it is have a graph of their own.
TEST(ReplayedSweeps, RelaxationsFromX)
{
  if (where != Where::device) GTEST_SKIP() << "hosts have no graph";
  const Restored wanted(replays_kernels(), true);
  const Problem p(make_grid_graph({5, 4, 6}, Stencil::star), 3);
  for (const bool single_sums : {false, true}) {
    EngineOptions options;
    options.executor = ExecutorKind::launch;
    options.method = Method::relaxation;
    options.precision = Precision::half;
    options.single_sums = single_sums;
    const auto e = make_tested_engine(options.method);
    ASSERT_FALSE(e->analyze(p.view(), options));
    ASSERT_EQ(e->factor(p.source()).bad_row, -1);
    std::vector<Scalar> result[2];
    for (const bool replays : {false, true}) {
      const Restored setting(replays_kernels(), replays);
      const Offset before = e->statistics().replays;
      for (int k = 0; k < 3; ++k) {
        auto x = p.apply(*e);
        for (int more = 0; more < 2; ++more) e->apply({.b = p.b.data(), .x = x.data(), .from_x = true});
        if (k > 0) {
          EXPECT_EQ(x, result[replays]);
        }
        result[replays] = x;
      }
      EXPECT_EQ(e->statistics().replays - before, replays ? 7 : 0); // of 3 and 6, all but the first of each
    }
    EXPECT_EQ(result[0], result[1]);
  }
}

TEST(ReplayedSweeps, AreNotTheDefault)
{
  const Problem p(make_grid_graph({5, 4, 6}, Stencil::star), 3);
  EngineOptions options;
  options.executor = ExecutorKind::launch;
  const auto e = make_tested_engine();
  ASSERT_FALSE(e->analyze(p.view(), options));
  ASSERT_EQ(e->factor(p.source()).bad_row, -1);
  for (int k = 0; k < 3; ++k) p.apply(*e);
  EXPECT_EQ(e->statistics().replays, 0);
}

// Corrections change the vectors between the sweeps, and are kernels.
TEST(ReplayedSweeps, CorrectionsAreKernels)
{
  if (where != Where::device) GTEST_SKIP() << "hosts have no graph";
  const Restored wanted(replays_kernels(), true);
  const Problem p(make_grid_graph({5, 4, 6}, Stencil::star), 3);
  EngineOptions options;
  options.executor = ExecutorKind::launch;
  const auto e = make_tested_engine();
  ASSERT_FALSE(e->analyze(p.view(), options));
  ASSERT_EQ(e->factor(p.source()).bad_row, -1);
  const auto x = p.apply(*e);
  EXPECT_EQ(p.apply(*e), x);
  EXPECT_EQ(e->statistics().replays, 1);
  e->allow_corrections(p.view());
  EXPECT_EQ(p.apply(*e), x);
  EXPECT_EQ(e->statistics().replays, 1);
}

} // namespace
