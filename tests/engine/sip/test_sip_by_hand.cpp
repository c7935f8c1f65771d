// SPDX-License-Identifier: BSD-2-Clause
// Stone's factor where his approximation has nothing to do: a line of points has no fill, so that the factor is exact
// for every alpha (by_hand.hpp).
#include "by_hand.hpp"

using namespace finegrain;
using namespace finegrain::test;

namespace
{

TEST(SipByHand, ALineOfPointsIsSolvedExactly)
{
  const Problem p = make_problem_by_hand();
  for (const double alpha : {0., 0.5, 0.9})
    for (const Algorithm algorithm : algorithms()) {
      EngineOptions options;
      options.factor = FactorKind::sip;
      options.sip_factor.alpha = Real(alpha);
      options.grid = {{4, 1, 1}};
      options.algorithm = algorithm;
      EXPECT_EQ(p.solve(options), x_by_hand) << alpha;
    }
}

} // namespace
