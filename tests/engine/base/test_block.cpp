// SPDX-License-Identifier: BSD-2-Clause
// Dense block kernels: inverses, pivots, and the same code run by several lanes.
#include "oracle.hpp"

#include "base/inversion.hpp"
#include "base/matrix_values.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

template <int N> [[gnu::noinline]] Inversion invert_block(Block &d, std::size_t n)
{
  std::vector<Scalar> work(3 * n, Scalar(std::numeric_limits<Real>::quiet_NaN()));
  const BlockSize<N> size(static_cast<int>(n));
  return invert(HostLanes<N>{size}, size, d.data(), work.data());
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
    std::feclearexcept(FE_ALL_EXCEPT);
    const Inversion of_zero = invert_block<0>(zero, n);
    EXPECT_FALSE(of_zero.good);
    EXPECT_TRUE(of_zero.finite);
    EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW), 0); // no trap under PetscSetFPTrap()
    Block row = random_block(n, 3);                                           // a zero row
    for (std::size_t c = 0; c < n; ++c) row[c * n + n / 2] = Scalar(0);
    const Inversion of_row = invert_block<0>(row, n);
    EXPECT_FALSE(of_row.good);
    EXPECT_TRUE(of_row.finite);
    for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()})
      for (std::size_t i = 0; i < n * n; ++i) {
        Block d = random_block(n, 3);
        d[i] = Scalar(bad);
        const Inversion result = invert_block<0>(d, n);
        EXPECT_FALSE(result.good) << "n = " << n << ", entry " << i << " is " << bad;
        EXPECT_FALSE(result.finite) << "n = " << n << ", entry " << i << " is " << bad;
      }
  }
}

// The same for a pivot d that was computed from the block `from`.
template <int N> [[gnu::noinline]] Inversion invert_pivot(Block d, std::size_t n, Shift shift, const Block &from)
{
  std::vector<Scalar> work(5 * n, Scalar(std::numeric_limits<Real>::quiet_NaN())), space(n * n, work[0]);
  const BlockSize<N> size(static_cast<int>(n));
  return invert_pivot_block(HostLanes<N>{size}, size, d.data(), work.data(), space.data(), shift,
                            [&](int i) { return from[std::size_t(i)]; });
}

// Row k is the sum of two others up to rounding errors, or differs by much more.
Block dependent_block(std::size_t n, std::size_t k, Real apart)
{
  Block d = random_block(n, unsigned(11 * n + k));
  for (std::size_t c = 0; c < n; ++c)
    d[c * n + k] = n == 2 ? Scalar(Real(1) / 3) * d[c * n + 1 - k] : d[c * n + (k + 1) % n] + d[c * n + (k + 2) % n];
  d[k * n + k] = product(d[k * n + k], Scalar(1 + apart));
  return d;
}

// Scales equations and unknowns by powers of two.
Block in_units(Block d, std::size_t n)
{
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t r = 0; r < n; ++r) d[c * n + r] *= std::ldexp(Real(1), int(r * 5 % 7 + c * 3 % 11) * 2 - 15);
  return d;
}

TEST(InvertPivot, OfRoundingErrorsIsSingularInAnyUnits)
{
  constexpr Real eps = std::numeric_limits<Real>::epsilon();
  for (std::size_t n = 2; n <= 32; ++n)
    for (const std::size_t k : {std::size_t(0), n / 2, n - 1})
      for (const bool units : {false, true})
        for (const Real apart : {Real(0), eps, Real(0.01)}) {
          const Block from = dependent_block(n, k, apart), d = units ? in_units(from, n) : from;
          const bool regular = apart == Real(0.01);
          EXPECT_EQ(invert_pivot<0>(d, n, {}, d).good, regular) << n << ", row " << k << ", " << units;
          EXPECT_EQ(n != 2 || invert_pivot<2>(d, 2, {}, d).good, n != 2 || regular);
          EXPECT_EQ(n != 5 || invert_pivot<5>(d, 5, {}, d).good, n != 5 || regular);
          EXPECT_FALSE(invert_pivot<0>(d, n, {.zero = Real(0.9)}, d).good);
          EXPECT_TRUE(invert_pivot<0>(d, n, {.amount = Real(1e-3), .zero = 100 * eps}, d).good);
        }
}

TEST(InvertPivot, ThatCancelledIsSingular)
{
  const std::size_t n = 3;
  const Block from = random_block(n, 5);
  Block noise = make_vector(n * n, 6), small = noise;
  for (Scalar &v : noise) v *= std::numeric_limits<Real>::epsilon();
  for (Scalar &v : small) v *= Real(0.01);
  EXPECT_FALSE(invert_pivot<3>(noise, n, {}, from).good);
  EXPECT_TRUE(invert_pivot<3>(small, n, {}, from).good);
  EXPECT_TRUE(invert_pivot<3>(noise, n, {.zero = 0}, from).good);
  EXPECT_TRUE(invert_pivot<3>(noise, n, {}, Block(n * n, Scalar(0))).good); // the matrix has no such block
  EXPECT_TRUE(invert_pivot<1>({noise[0]}, 1, {}, {from[0]}).good);          // found by clear_cancelled()
  // The amount of a shift is relative to the block of the matrix, not to the cancelled pivot.
  const Inversion shifted = invert_pivot<3>(noise, n, {.amount = Real(1e-3)}, from);
  EXPECT_TRUE(shifted.good && shifted.shifted);
}

#if !defined(FINEGRAIN_COMPLEX)
template <int N> [[gnu::noinline]] Inversion check(Block d, std::size_t n, const Block &from)
{
  Inversion result;
  const BlockSize<N> size(static_cast<int>(n));
  check_definite(
    HostLanes<N>{size}, size, d.data(), Shift(), [&](int k) { return from[std::size_t(k) * n + std::size_t(k)]; },
    result);
  EXPECT_EQ(result.indefinite, !result.good);
  return result;
}

// B^T B is definite for a regular B, semidefinite if B lacks a row, and indefinite with a negative diagonal entry.
TEST(CheckDefinite, FindsBlocksThatAreNot)
{
  for (std::size_t n = 1; n <= 32; ++n) {
    Block b = make_vector(n * n, unsigned(n)); // well conditioned, so that rounding errors stay small
    for (std::size_t i = 0; i < n; ++i) b[i * n + i] += Real(n);
    Block square(n * n, Scalar(0)), without = b;
    const auto multiply_transposed = [n](const Block &x) {
      Block product(n * n, Scalar(0));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          for (std::size_t k = 0; k < n; ++k) product[j * n + i] += x[i * n + k] * x[j * n + k];
      return product;
    };
    square = multiply_transposed(b);
    EXPECT_TRUE(check<0>(square, n, square).good) << n;
    EXPECT_TRUE(n != 4 || check<4>(square, n, square).good);
    for (std::size_t c = 0; c < n; ++c)
      without[c * n + n - 1] = Scalar(0); // one row less: semidefinite up to rounding errors
    const Block semidefinite = multiply_transposed(without);
    EXPECT_FALSE(check<0>(semidefinite, n, semidefinite).good) << n;
    EXPECT_FALSE(n == 4 && check<4>(semidefinite, n, semidefinite).good);
    Block indefinite = square;
    indefinite[n * n - 1] = -indefinite[n * n - 1];
    EXPECT_FALSE(check<0>(indefinite, n, square).good) << n;
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t r = 0; r < c; ++r) square[c * n + r] = Scalar(std::numeric_limits<Real>::quiet_NaN());
    EXPECT_TRUE(check<0>(square, n, square).good) << n; // only the lower triangle is read
  }
}
#endif

TEST(MatrixValues, LoadsBlocksWithHolesFromScalarRows)
{
  // One 3 x 3 block with the rows {1 . 2}, {. . .}, {. 3 4}.
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
