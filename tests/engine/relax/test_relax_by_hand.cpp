// SPDX-License-Identifier: BSD-2-Clause
// One sweep of a relaxation, with pencil and paper (by_hand.hpp).
#include "by_hand.hpp"
#include "relax_oracle.hpp"

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// All diagonal blocks are D here. Colors: rows 0 and 2, then rows 1 and 3; b = (1 2, 3 4, 5 6, 7 8), x = 0 before.
// First color:  x0 = D^-1 (1 2) = (-1 2);  x2 = D^-1 (5 6) = (-1 6).
// Second color: x1 = D^-1 ((3 4) - L x0 - U x2) = D^-1 ((3 4) - (-1 1) - (6 -1)) = D^-1 (-2 4) = (-6 4);
//               x3 = D^-1 ((7 8) - L x2)        = D^-1 ((7 8) - (-1 5))          = D^-1 (8 3)  = (5 3).
TEST(RelaxByHand, ASweepVisitsOneColorAfterTheOther)
{
  Problem p = make_problem_by_hand(true);
  p.b = numbers({1, 2, 3, 4, 5, 6, 7, 8});
  for (const Algorithm algorithm : algorithms()) {
    EngineOptions options = relaxation_options({}, SweepKind::forward, 1);
    options.algorithm = algorithm;
    Statistics s;
    EXPECT_EQ(p.solve(options, &s), numbers({-1, 2, -6, 4, -1, 6, 5, 3}));
    EXPECT_EQ(s.colors, 2);
  }
}

} // namespace
