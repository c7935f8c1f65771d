// SPDX-License-Identifier: BSD-2-Clause
// Hyperplanes, level sets and colors of a grid of 2 x 2 points, numbered 0 1 / 2 3.
#include "graphs.hpp"

#include "order/coloring.hpp"
#include "order/levels.hpp"

using namespace finegrain;
using namespace finegrain::test;

namespace
{

TEST(OrderByHand, ASquareHasThreeHyperplanesAndTwoColors)
{
  const Box box{2, 2, 1};
  const Graph star = make_grid_graph(box, Stencil::star);
  // Points 1 and 2 need point 0, and point 3 needs both: {0}, {1, 2}, {3}.
  const auto planes = schedule_hyperplanes({box}, star);
  ASSERT_TRUE(planes);
  const Schedule levels = schedule_levels(star);
  for (const Schedule *s : {&*planes, &levels}) {
    ASSERT_EQ(s->groups(), 3);
    for (const auto &[group, first] : {std::pair(0, 0), std::pair(1, 1), std::pair(2, 3), std::pair(3, 4)})
      EXPECT_EQ(s->group(group), first);
  }
  // No neighbors: 0 and 3, 1 and 2.
  const Coloring c = color_greedy(star);
  EXPECT_EQ(c.colors, 2);
  EXPECT_EQ(c.color(0), c.color(3));
  EXPECT_EQ(c.color(1), c.color(2));
  EXPECT_NE(c.color(0), c.color(1));
}

} // namespace
