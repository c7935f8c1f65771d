// Narrow groups that share a kernel of a device, and rows that load early, one after another in a team: the bits are
// those of one thread, and as many kernels run as the cut has.
#include "cases.hpp"
#include "kernel_counter.hpp"
#include "run/replay.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

class Chains : public ::testing::TestWithParam<Case>
{
};

std::vector<Scalar> apply_with(Engine &e, const Problem &p, const EngineOptions &options)
{
  EXPECT_FALSE(e.analyze(p.view(), options));
  EXPECT_EQ(e.factor(p.source()).bad_row, -1);
  return p.apply(e);
}

TEST_P(Chains, GiveTheBitsOfOneThread)
{
  // Chains at both ends, chains only, a line.
  for (const Box &box : {Box{9, 8, 10}, Box{3, 2, 3}, Box{50, 1, 1}})
    for (const int n : {1, 2, 5, 8, 9}) {
      const Problem p = make_star_problem(GetParam(), box, n);
      EngineOptions options;
      GetParam().set(options);
      options.executor = ExecutorKind::natural;
      const auto plain = make_engine(Backend::host, Method::factorization);
      const auto expected = apply_with(*plain, p, options);
      for (const ExecutorKind executor : {ExecutorKind::launch, ExecutorKind::self, ExecutorKind::tile}) {
        options.executor = executor;
        const auto e = make_tested_engine();
        EXPECT_EQ(apply_with(*e, p, options), expected) << box.i << " n = " << n;
        EXPECT_EQ(p.apply(*e), expected);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Factors, Chains, ::testing::ValuesIn(factor_cases), case_name);

TEST(Chains, AreCountedAsKernels)
{
  if (where != Where::device) GTEST_SKIP() << "hosts have a kernel a group";
  const Problem p(make_grid_graph({9, 8, 10}, Stencil::star), 5);
  EngineOptions options;
  options.executor = ExecutorKind::launch;
  const auto e = make_tested_engine();
  apply_with(*e, p, options);
  // Hyperplanes of 1, 3, 6, 10, 15 rows and more; a team does 16 at once.
  const Offset kernels = 25 - 2 * 4;
  EXPECT_EQ(e->statistics().widths.groups, 25);
  EXPECT_EQ(e->statistics().apply_launches, 2 * kernels);
  const Offset launches = e->statistics().launches;
  const KernelCounter counter;
  const Restored setting(replays_kernels(), false);
  p.apply(*e);
  EXPECT_EQ(counter.count(), 2 * kernels);
  EXPECT_EQ(e->statistics().launches - launches, 2 * kernels);
}

} // namespace
