// SPDX-License-Identifier: BSD-2-Clause
// Operations and bytes of block ILU(0) compared with tables 2 and 4 of Luo et al. (2015);
// docs/performance/operations.csv has the same numbers.
#include "coupled.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// The paper counts multiplications and divisions of an inner point: 8 n^3 of a factorization (3 products of three
// blocks and 2 n^3 of an inversion), 8 n^2 of a solve, 7 n^2 of a residual. Here a product of a factorization reads
// w = d^-1 u, and each block is multiplied once: 7 n^3 with n^3 for an inversion, 7 n^2, and n^2.
TEST(PaperCounts, OperationsOfTable2)
{
  const Index side = 5, points = side * side * side, n = 6;
  Coupled p(make_grid_graph({side, side, side}, Stencil::star), n, Rows(std::size_t(points), std::set<Index>{}));
  auto e = make_tested_engine();
  ASSERT_FALSE(e->analyze(p.view(), EngineOptions{}));
  e->allow_corrections(p.view());
  e->factor(p.source());
  const Statistics s = e->statistics();
  ASSERT_TRUE(s.short_residual);
  const double nn = n * n, missing = 3 * side * side; // lower, and as many upper neighbors, of points on the faces
  EXPECT_EQ(s.factor_flops / 2 + 2 * missing * nn * n, 7 * nn * n * points);
  EXPECT_EQ(s.apply_flops / 2 + 2 * missing * nn, 7 * nn * points);
  EXPECT_EQ(s.residual_flops, 2 * nn * points + n * (4 * points - missing));
  EXPECT_EQ(double(s.factor_bytes) + 2 * missing * nn * sizeof(Scalar), 7 * nn * points * sizeof(Scalar));
  EXPECT_EQ(double(s.residual_bytes), nn * points * sizeof(Scalar));
}

} // namespace
