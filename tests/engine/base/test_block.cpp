// Dense block kernels: inverses, pivots, and the same text run by several lanes.
#include "oracle.hpp"

#include "kernels/matrix_values.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

template <int N> [[gnu::noinline]] Inversion invert_block(Block &d, std::size_t n, Shift shift = {})
{
  std::vector<Scalar> work(3 * n, Scalar(std::numeric_limits<Real>::quiet_NaN()));
  const BlockSize<N> size(static_cast<int>(n));
  return invert(HostLanes<N>{size}, size, d.data(), work.data(), shift);
}

Block random_block(std::size_t n, unsigned seed)
{
  Block d = make_vector(n * n, seed);
  for (std::size_t i = 0; i < n; ++i)
    d[((i * 7 + 3) % n) * n + i] += Real(3); // large entries off the diagonal: pivoting
  return d;
}

template <int N> void check_inverse(std::size_t n)
{
  const Block a = random_block(n, unsigned(n));
  Block d = a;
  EXPECT_TRUE(invert_block<N>(d, n).good);
  EXPECT_LT(difference(d, inverse(a, n)), tolerance) << "n = " << n;
}

TEST(Invert, HandChecked)
{
  Block d{Scalar(0), Scalar(2), Scalar(4), Scalar(6)}; // [0 4; 2 6]: the first pivot is zero
  EXPECT_TRUE(invert_block<2>(d, 2).good);
  const Real expected[] = {Real(-0.75), Real(0.25), Real(0.5), Real(0)}; // [-3/4 1/2; 1/4 0]
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(magnitude(d[i] - Scalar(expected[i])), tolerance);
}

TEST(Invert, EqualsElimination)
{
  check_inverse<1>(1);
  check_inverse<2>(2);
  check_inverse<5>(5);
  check_inverse<8>(8);
  for (std::size_t n = 1; n <= 32; ++n) check_inverse<0>(n);
}

TEST(Invert, FixedAndRunTimeSizesGiveTheSameBits)
{
  Block a = random_block(5, 1), b = a;
  invert_block<5>(a, 5);
  invert_block<0>(b, 5);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], b[i]);
}

TEST(Invert, ReportsSingularAndNonFiniteBlocks)
{
  for (std::size_t n = 1; n <= 9; ++n) {
    Block zero(n * n, Scalar(0));
    EXPECT_FALSE(invert_block<0>(zero, n).good);
    Block row = random_block(n, 3); // a zero row
    for (std::size_t c = 0; c < n; ++c) row[c * n + n / 2] = Scalar(0);
    EXPECT_FALSE(invert_block<0>(row, n).good);
    for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()})
      for (std::size_t i = 0; i < n * n; ++i) {
        Block d = random_block(n, 3);
        d[i] = Scalar(bad);
        EXPECT_FALSE(invert_block<0>(d, n).good) << "n = " << n << ", entry " << i << " is " << bad;
      }
  }
}

TEST(Invert, ShiftReplacesSmallPivotsOnly)
{
  Block d{Scalar(4), Scalar(0), Scalar(0), Scalar(0)}; // diag(4, 0)
  const Shift shift{Real(0.125)};
  Inversion result = invert_block<2>(d, 2, shift);
  EXPECT_TRUE(result.good);
  EXPECT_TRUE(result.shifted);
  EXPECT_EQ(d[0], Scalar(Real(0.25)));
  EXPECT_EQ(d[3], Scalar(2)); // 1 / (0.125 * 4)

  const Block a = random_block(4, 9);
  Block with = a, without = a;
  result = invert_block<4>(with, 4, Shift{Real(1e-6)});
  invert_block<4>(without, 4);
  EXPECT_FALSE(result.shifted);
  EXPECT_EQ(with, without);

  Block zero(9, Scalar(0));
  result = invert_block<3>(zero, 3, shift);
  EXPECT_TRUE(result.good);
  EXPECT_EQ(zero[0], Scalar(8));
}

TEST(MatrixValues, LoadsBlocksWithHolesFromScalarRows)
{
  // One 3 x 3 block, rows {1 . 2}, {. . .}, {. 3 4}.
  const std::vector<Scalar> values{Scalar(1), Scalar(2), Scalar(3), Scalar(4)};
  const Offset base[] = {0, 2, 2};
  const std::uint32_t mask[] = {0b101, 0b000, 0b110};
  const MatrixValues source{values.data(), base, mask};
  Block block(9, Scalar(std::numeric_limits<Real>::quiet_NaN()));
  source.load(HostLanes<3>{BlockSize<3>(3)}, BlockSize<3>(3), 0, block.data());
  const Real expected[] = {1, 0, 0, 0, 0, 3, 2, 0, 4};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(block[i], Scalar(expected[i])) << i;
}

} // namespace
