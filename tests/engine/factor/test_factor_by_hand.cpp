// SPDX-License-Identifier: BSD-2-Clause
// The factor of a matrix that is small enough to check with pencil and paper (by_hand.hpp).
#include "by_hand.hpp"

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Elimination of row 1 by row 0: B - L D^-1 U = D. So all pivots are D, and D^-1 = | 1 -1 |, W = D^-1 U = | -1 1 |.
//                                                                                | 0  1 |               |  1 0 |
// Forward:  y0 = D^-1 (7 5)                          = (2 5)
//           y1 = D^-1 ((15 16) - L y0), L y0 = (2 7)  = D^-1 (13 9)  = (4 9)
//           y2 = D^-1 ((23 26) - L y1), L y1 = (4 13) = D^-1 (19 13) = (6 13)
//           y3 = D^-1 ((21 27) - L y2), L y2 = (6 19) = D^-1 (15 8)  = (7 8)
// Backward: x3 = y3 = (7 8);  x2 = y2 - W x3 = (6 13) - (1 7) = (5 6);  x1 = (4 9) - (1 5) = (3 4);
//           x0 = (2 5) - (1 3) = (1 2).
TEST(FactorByHand, ForwardAndBackwardSweepSolveATridiagonalSystem)
{
  const Problem p = make_problem_by_hand();
  for (const FactorKind factor : {FactorKind::dilu, FactorKind::ilu0})
    for (const Algorithm algorithm : algorithms()) {
      EngineOptions options;
      options.factor = factor;
      options.algorithm = algorithm;
      auto e = make_tested_engine();
      ASSERT_FALSE(e->analyze(p.view(), options));
      ASSERT_EQ(e->factor(p.source()).bad_row, -1);
      Numbers y(8, Scalar(std::numeric_limits<Real>::quiet_NaN())), x = y;
      e->split_form()->apply_split({.split = Split::left_inverse, .b = p.b.data(), .x = y.data()});
      EXPECT_EQ(y, numbers({2, 5, 4, 9, 6, 13, 7, 8}));
      e->apply({.b = p.b.data(), .x = x.data()});
      EXPECT_EQ(x, x_by_hand);
    }
}

} // namespace
