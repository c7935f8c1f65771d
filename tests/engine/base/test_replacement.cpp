// SPDX-License-Identifier: BSD-2-Clause
// The replacement of small pivots (Shift::amount). Inverses of regular blocks stay bitwise identical in any units.
// In singular blocks it changes a few entries, relative to the size of their row and column.
#include "oracle.hpp"

#include "base/inversion.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Replaces d by its inverse, as a pivot that was computed from a block.
template <int N> [[gnu::noinline]] Inversion invert_fixed(Block &d, std::size_t n, Shift shift, const Block &from)
{
  std::vector<Scalar> work(5 * n, Scalar(std::numeric_limits<Real>::quiet_NaN())), space(n * n, work[0]);
  const BlockSize<N> size(static_cast<int>(n));
  return invert_pivot_block(HostLanes<N>{size}, size, d.data(), work.data(), space.data(), shift,
                            [&](int i) { return from[std::size_t(i)]; });
}

template <int... N>
Inversion invert_fixed(std::integer_sequence<int, N...>, Block &d, std::size_t n, Shift shift, const Block &from)
{
  Inversion result;
  (void)((n == N + 1 ? (result = invert_fixed<N + 1>(d, n, shift, from), true) : false) || ...);
  return result;
}

// Uses the kernels of this block size, or those of any size.
Inversion invert_pivot(bool fixed, Block &d, std::size_t n, Shift shift, const Block from)
{
  if (fixed) return invert_fixed(std::make_integer_sequence<int, 8>(), d, n, shift, from);
  return invert_fixed<0>(d, n, shift, from);
}

Block random_block(std::size_t n, unsigned seed)
{
  Block d = make_vector(n * n, seed);
  for (std::size_t i = 0; i < n; ++i) d[i * n + i] += Real(n);
  return d;
}

// Units of equations and unknowns: powers of two near 1, 1e6 and 1e12, or their square roots in single precision.
struct Units {
  bool rows, columns;
  Real row(std::size_t i) const { return rows ? power(i) : Real(1); }
  Real column(std::size_t i) const { return columns ? power(i + 1) : Real(1); }
  static Real power(std::size_t i) { return std::ldexp(Real(1), int(i % 3) * (sizeof(Real) == 4 ? 10 : 20)); }
};
constexpr Units all_units[] = {{false, false}, {true, false}, {false, true}, {true, true}};

Block in_units(Block d, std::size_t n, Units u)
{
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t r = 0; r < n; ++r) d[c * n + r] *= u.row(r) * u.column(c);
  return d;
}
// Converts the inverse of a block in units to the inverse of the block without units.
Block without_units(Block x, std::size_t n, Units u)
{
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t r = 0; r < n; ++r) x[c * n + r] *= u.column(r) * u.row(c);
  return x;
}

TEST(Replacement, HandChecked)
{
  const Shift shift{Real(0.125)};
  for (const bool fixed : {false, true}) {
    Block d{Scalar(4), Scalar(0), Scalar(0), Scalar(0)}; // diag(4, 0)
    Inversion result = invert_pivot(fixed, d, 2, shift, d);
    EXPECT_TRUE(result.good && result.shifted);
    EXPECT_EQ(d, (Block{Scalar(Real(0.25)), Scalar(0), Scalar(0), Scalar(2)})); // the replaced pivot is 0.125 * 4

    // [1 1024; 1 1024]: the second pivot becomes 1/8 of 1024.
    d = {Scalar(1), Scalar(1), Scalar(1024), Scalar(1024)};
    result = invert_pivot(fixed, d, 2, shift, d);
    EXPECT_TRUE(result.good && result.shifted);
    EXPECT_EQ(d, (Block{Scalar(9), Scalar(-1 / Real(128)), Scalar(-8), Scalar(1 / Real(128))}));

    Block zero(9, Scalar(0));
    result = invert_pivot(fixed, zero, 3, shift, zero);
    EXPECT_TRUE(result.good && result.shifted);
    EXPECT_EQ(zero[0], Scalar(8));

    // A pivot computed from 4, of which a 16th is left.
    Block one{Scalar(Real(0.25))};
    result = invert_pivot(fixed, one, 1, shift, {Scalar(4)});
    EXPECT_TRUE(result.good && result.shifted);
    EXPECT_EQ(one[0], Scalar(2));
  }
}

// Regular blocks in units, with penalties, and with rows of Dirichlet conditions.
TEST(Replacement, ChangesNoBitOfRegularBlocks)
{
  const Real penalty = sizeof(Real) == 4 ? Real(1e10) : Real(1e20);
  const auto expect_same = [](const Block &a, std::size_t n) {
    for (const bool fixed : {false, true})
      for (const Real amount : {std::sqrt(std::numeric_limits<Real>::epsilon()), Real(1e-3)}) {
        Block with = a, without = a;
        EXPECT_TRUE(invert_pivot(fixed, without, n, {.zero = 0}, a).good);
        const Inversion result = invert_pivot(fixed, with, n, {.amount = amount}, a);
        EXPECT_TRUE(result.good) << n;
        EXPECT_FALSE(result.shifted) << n;
        EXPECT_EQ(with, without) << n;
      }
  };
  for (std::size_t n = 1; n <= 8; ++n)
    for (const Units &u : all_units) {
      const Block a = in_units(random_block(n, unsigned(n)), n, u);
      expect_same(a, n);
      for (std::size_t k = 0; k < n; ++k) {
        Block b = a;
        b[k * n + k] += penalty;
        expect_same(b, n);
        for (std::size_t c = 0; c < n; ++c) b[c * n + k] = Scalar(c == k ? 1e10 * penalty : Real(0));
        expect_same(b, n);
      }
    }
}

// The inverse of a singular block is that of the block with one entry changed by about `amount`, relative to its
// size, in any units. A row is the sum of two others or zero, or a column is zero.
TEST(Replacement, OfASingularBlockChangesOneEntryOfIt)
{
  const Real amount = sizeof(Real) == 4 ? Real(2e-3) : Real(1e-4);
  for (std::size_t n = 2; n <= 8; ++n)
    for (std::size_t k = 0; k < n; ++k)
      for (const int kind : {0, 1, 2})
        for (const Units &u : all_units)
          for (const bool fixed : {false, true}) {
            if (kind > 0 && (u.rows || u.columns)) continue; // zeros have no unit
            SCOPED_TRACE(std::to_string(n) + ", row " + std::to_string(k) + ", kind " + std::to_string(kind) +
                         (u.rows ? ", equations" : "") + (u.columns ? ", unknowns" : ""));
            Block a = random_block(n, unsigned(7 * n + k));
            for (std::size_t i = 0; i < n; ++i) {
              if (kind == 0) a[i * n + k] = a[i * n + (k + 1) % n] + (n > 2 ? a[i * n + (k + 2) % n] : Scalar(0));
              if (kind == 1) a[i * n + k] = Scalar(0);
              if (kind == 2) a[k * n + i] = Scalar(0);
            }
            Block d = in_units(a, n, u);
            const Inversion result = invert_pivot(fixed, d, n, {.amount = amount}, d);
            EXPECT_TRUE(result.good && result.shifted);
            const Block inverted = inverse(without_units(d, n, u), n);
            std::size_t changed = 0;
            for (std::size_t i = 0; i < n * n; ++i) {
              const Real change = magnitude(inverted[i] - a[i]) / Real(n);
              if (change < Real(1e-3) * amount) continue;
              ++changed;
              EXPECT_LT(change, 100 * amount) << i;
            }
            EXPECT_EQ(changed, 1u);
          }
}

// If cancellation leaves only rounding errors of a pivot, the replacement is relative to the original block.
TEST(Replacement, OfAPivotThatCancelledHasTheSizeOfItsBlock)
{
  for (std::size_t n = 1; n <= 8; ++n)
    for (const Units &u : all_units) {
      const Block from = in_units(random_block(n, 5), n, u);
      Block noise = in_units(make_vector(n * n, 6), n, u);
      for (Scalar &v : noise) v *= std::numeric_limits<Real>::epsilon();
      const Inversion result = invert_pivot(false, noise, n, {.amount = Real(1e-3)}, from);
      EXPECT_TRUE(result.good && result.shifted) << n;
      for (const Scalar v : without_units(noise, n, u)) EXPECT_LT(magnitude(v), Real(1e4)) << n;
    }
}

TEST(Replacement, HidesNeitherInfNorNaN)
{
  for (std::size_t n = 1; n <= 8; ++n)
    for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()})
      for (std::size_t i = 0; i < n * n; ++i)
        for (const bool fixed : {false, true}) {
          Block d = random_block(n, 3);
          d[i] = Scalar(bad);
          const Inversion result = invert_pivot(fixed, d, n, {.amount = Real(1e-3)}, d);
          EXPECT_FALSE(result.good || result.finite || result.shifted) << n << ", " << i << ", " << bad;
        }
}

} // namespace
