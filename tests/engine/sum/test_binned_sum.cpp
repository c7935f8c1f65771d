// SPDX-License-Identifier: BSD-2-Clause
// Sums in bins: by hand, then compared with an exact sum, for any order and any division of the terms.
#include "sum/binned_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace finegrain;

namespace
{

using List = std::vector<double>;

BinnedSum sum_of(const List &terms)
{
  BinnedSum sum;
  alignas(64) double chunk[BinnedSum::most];
  for (std::size_t i = 0; i < terms.size(); i += BinnedSum::most) {
    const std::size_t count = std::min<std::size_t>(BinnedSum::most, terms.size() - i);
    std::copy_n(terms.data() + i, count, chunk);
    sum.add(chunk, int(count));
  }
  return sum;
}
double value_of(const List &terms) { return sum_of(terms).value(); }

// 2^60 + 1 rounds to 2^60, and so does any order of plain additions that does not begin with 2^60 - 2^60.
TEST(BinnedSumByHand, KeepsSmallTerms)
{
  EXPECT_EQ(value_of({0x1p60, 1, -0x1p60}), 1);
  EXPECT_EQ(value_of({1, 0x1p60, -0x1p60}), 1);
  EXPECT_EQ(value_of({0x1p60, 1}), 0x1p60);
  EXPECT_EQ(value_of({}), 0);
  EXPECT_EQ(value_of({0.1, 0.2}), 0.1 + 0.2);
  EXPECT_EQ(value_of(List(1000, 0.1)), 100); // 99.9999999999986 by plain additions
}

// Integers with up to 53 bits, times 2^0 to 2^spread.
List random_terms(std::mt19937_64 &random, std::size_t size, int spread)
{
  List terms(size);
  for (double &t : terms) {
    const auto mantissa = double(std::int64_t(random() >> 11) - (std::int64_t(1) << 52));
    t = std::ldexp(mantissa, spread ? int(random() % unsigned(spread)) : 0);
  }
  return terms;
}

// The oracle: integers of 128 bits.
double exact_sum(const List &terms)
{
  __extension__ __int128 sum = 0;
  for (const double t : terms) sum += static_cast<decltype(sum)>(t);
  return double(sum);
}

TEST(BinnedSum, IsTheExactSumInAnyOrderAndDivision)
{
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 60; ++trial) {
    List terms = random_terms(random, 1 + random() % 5000, trial % 3 * 25);
    if (trial % 2) // cancels, but for some ones
      for (std::size_t i = 0, size = terms.size(); i < size; ++i) {
        terms.push_back(-terms[i]);
        if (i % 3 == 0) terms[i] = terms[i + size] = 1;
      }
    const double expected = value_of(terms);
    EXPECT_EQ(expected, exact_sum(terms)) << trial;
    for (int how = 0; how < 4; ++how) {
      std::shuffle(terms.begin(), terms.end(), random);
      BinnedSum all;
      for (std::size_t first = 0; first < terms.size();) {
        const std::size_t count = std::min<std::size_t>(terms.size() - first, random() % 2000);
        all.merge(sum_of(List(terms.begin() + std::ptrdiff_t(first), terms.begin() + std::ptrdiff_t(first + count))));
        first += count;
      }
      EXPECT_EQ(all.value(), expected) << trial << " " << how;
    }
  }
}

// Bins are powers of 2^40, and the ends of the range are moved: a factor of a power of two must change nothing.
TEST(BinnedSum, HasTheRangeOfDoubles)
{
  std::mt19937_64 random(2);
  const List terms = random_terms(random, 100, 10);
  const double sum = exact_sum(terms);
  for (int power = -1074; power <= 950; ++power) {
    List scaled;
    bool normal = true;
    for (const double t : terms) {
      scaled.push_back(std::ldexp(t, power));
      normal = normal && std::ldexp(scaled.back(), -power) == t;
    }
    ASSERT_TRUE(normal);
    ASSERT_EQ(value_of(scaled), std::ldexp(sum, power)) << power;
  }
  constexpr double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(value_of({most, -most, least}), 0); // least is below 2^-80 of the largest term
  EXPECT_EQ(value_of({least, least, least}), 3 * least);
  EXPECT_EQ(value_of({most, most, -most}), most); // plain additions overflow
  EXPECT_EQ(value_of({most, most}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(value_of({most}), most);
}

TEST(BinnedSum, HasInfinityAndNaNOfIEEE)
{
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(value_of({1, infinity}), infinity);
  EXPECT_EQ(value_of({1, -infinity, 1e300}), -infinity);
  EXPECT_TRUE(std::isnan(value_of({1, -infinity, infinity})));
  EXPECT_TRUE(std::isnan(value_of({1, std::numeric_limits<double>::quiet_NaN(), infinity})));
  BinnedSum a = sum_of({infinity});
  a.merge(sum_of({-infinity}));
  EXPECT_TRUE(std::isnan(a.value()));
}

} // namespace
