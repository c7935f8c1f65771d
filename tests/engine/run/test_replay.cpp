// Sweeps that are replayed as a graph, beside the same kernels launched one by one.
#include "oracle.hpp"
#include "kernel_counter.hpp"
#include "run/replay.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

struct Case {
  const char *name;
  void (*set)(EngineOptions &);
};

class ReplayedSweeps : public ::testing::TestWithParam<Case>
{
};

// A device whose applications are the same kernels every time.
TEST_P(ReplayedSweeps, GiveTheBitsOfKernels)
{
  if (where != Where::device) GTEST_SKIP() << "hosts have no graph";
  for (const int n : {1, 3, 5}) {
    Problem p(make_grid_graph({5, 4, 6}, Stencil::star), n);
    if (std::string(GetParam().name) == "icc") symmetrize_values(p);
    EngineOptions options;
    options.executor = ExecutorKind::launch;
    GetParam().set(options);
    const auto e = make_tested_engine();
    ASSERT_FALSE(e->analyze(p.view(), options));
    std::vector<Scalar> first, other;
    Problem q = p;
    for (Scalar &v : q.b) v = v * Scalar(3) - Scalar(Real(0.25));
    for (const int factors : {1, 2}) {
      for (Scalar &v : p.values) v *= Scalar(Real(factors));
      ASSERT_EQ(e->factor(p.source()).bad_row, -1);
      replays_kernels() = false;
      const Offset before = e->statistics().replays;
      first = p.apply(*e);
      other = q.apply(*e);
      EXPECT_EQ(e->statistics().replays, before);
      replays_kernels() = true;
      const Offset launches = e->statistics().launches;
      const KernelCounter kernels;
      for (int k = 0; k < 3; ++k) { // other arrays each time
        EXPECT_EQ(p.apply(*e), first);
        EXPECT_EQ(q.apply(*e), other);
      }
      const Offset replays = e->statistics().replays - before;
      EXPECT_EQ(replays, factors == 1 ? 5 : 6); // all but the first
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
                                           Case{"color",
                                                [](EngineOptions &o) {
                                                  o.schedule = ScheduleKind::color;
                                                  o.levels = 1;
                                                  o.power = 2;
                                                }}),
                         [](const auto &test) { return std::string(test.param.name); });

// Corrections change the vectors between the sweeps, and are kernels.
TEST(ReplayedSweeps, CorrectionsAreKernels)
{
  if (where != Where::device) GTEST_SKIP() << "hosts have no graph";
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
