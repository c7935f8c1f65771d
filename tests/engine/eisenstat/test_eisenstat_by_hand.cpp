// SPDX-License-Identifier: BSD-2-Clause
// Eisenstat's product where it can be known without computing (by_hand.hpp).
#include "by_hand.hpp"

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Block DILU of a tridiagonal matrix is exact: A = P_L P_R. So P_L^-1 A P_R^-1 v = v for every v.
TEST(EisenstatByHand, TheProductOfAnExactFactorIsTheIdentity)
{
  const Problem p = make_problem_by_hand();
  EngineOptions options;
  options.factor = FactorKind::dilu;
  options.eisenstat = true;
  auto e = make_tested_engine();
  ASSERT_FALSE(e->analyze(p.view(), options));
  e->split_form()->allow_products(p.view());
  ASSERT_EQ(e->factor(p.source()).bad_row, -1);
  const Values values{.owned = p.source(), .coupling = {}};
  ASSERT_TRUE(e->split_form()->prepare(values, false));
  const Numbers v = numbers({3, 1, 4, 1, 5, 9, 2, 6});
  Numbers u(8, Scalar(std::numeric_limits<Real>::quiet_NaN()));
  e->split_form()->multiply({.values = values, .v = v.data(), .u = u.data()});
  EXPECT_EQ(u, v);
}

} // namespace
