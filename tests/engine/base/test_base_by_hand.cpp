// SPDX-License-Identifier: BSD-2-Clause
// The inverse of a block of 2, with pencil and paper.
#include "base/inversion.hpp"
#include "by_hand.hpp"

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// | 2 1 |^-1   |  1 -1 |
// | 1 1 |    = | -1  2 |, for the determinant is 1.
TEST(BaseByHand, GaussJordanInvertsABlock)
{
  Numbers block = numbers({2, 1, 1, 1}), scratch(16);
  const HostLanes<2> lanes{BlockSize<2>(2)};
  invert(lanes, BlockSize<2>(2), block.data(), scratch.data());
  const Numbers expected = numbers({1, -1, -1, 2});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(double(magnitude(block[i] - expected[i])), 1e-6);
}

} // namespace
