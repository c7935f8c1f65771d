// SPDX-License-Identifier: BSD-2-Clause
// A product, with pencil and paper (by_hand.hpp).
#include "by_hand.hpp"

#include "product/device_copy.hpp"

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Row 1: L (1 2) + B (3 4) + U (5 6) = (1 3) + (8 8) + (6 5) = (15 16); the other rows are in by_hand.hpp.
TEST(ProductByHand, OfTheMatrixAndItsTranspose)
{
  const Problem p = make_problem_by_hand();
  const auto copy = make_device_copy(where == Where::device ? Backend::device : Backend::host);
  copy->set_structure(p.view(), 4);
  copy->load(p.values.data(), nullptr);
  Numbers y(8, Scalar(std::numeric_limits<Real>::quiet_NaN()));
  copy->multiply(Memory::host, nullptr, x_by_hand.data(), y.data());
  EXPECT_EQ(y, b_by_hand);
  // Column 0: D^T (1 2) + L^T (3 4) = (1 3) + (7 4) = (8 7); column 3: U^T (5 6) + B^T (7 8) = (6 5) + (0 30) = (6
  // 35).
  copy->multiply_transposed(Memory::host, nullptr, x_by_hand.data(), y.data());
  EXPECT_EQ(y, numbers({8, 7, 13, 21, 19, 33, 6, 35}));
}

} // namespace
