// SPDX-License-Identifier: BSD-2-Clause
// Column scaling: powers of two that bring the entries of blocks to similar sizes.
#include "base/units.hpp"

#include <gtest/gtest.h>

#include <random>

using namespace finegrain;

namespace
{

double spread(const std::vector<double> &table, const std::vector<Real> &unit)
{
  const std::size_t n = unit.size();
  double least = 1e300, most = 0;
  for (std::size_t b = 0; b < n; ++b)
    for (std::size_t a = 0; a < n; ++a) {
      const double v = table[b * n + a] * double(unit[b]) / double(unit[a]);
      if (v <= 0) continue;
      least = std::min(least, v);
      most = std::max(most, v);
    }
  return most / least;
}

TEST(Units, UndoWhatUnknownsWereMultipliedBy)
{
  std::mt19937 random(3);
  for (int n = 1; n <= 9; ++n) {
    std::vector<double> table(std::size_t(n * n));
    for (int b = 0; b < n; ++b)
      for (int a = 0; a < n; ++a)
        table[std::size_t(b * n + a)] =
          (0.5 + double(random() % 1000) / 1000) * std::ldexp(1., (a * 7 % 4) * 5 - (b * 7 % 4) * 5);
    const std::vector<Real> unit = choose_units(table, n);
    EXPECT_LE(spread(table, unit), 16) << n;
    for (const Real s : unit) EXPECT_EQ(std::exp2(std::round(std::log2(s))), s);
  }
}

TEST(Units, OneWayCouplingsComeToTheDiagonal)
{
  // Unknown 1 depends on unknown 0, but not vice versa.
  const std::vector<double> table{1, 1e9, 0, 1};
  const std::vector<Real> unit = choose_units(table, 2);
  EXPECT_LE(spread(table, unit), 4);
}

TEST(Units, NothingToDo)
{
  const std::vector<Real> ones{1, 1};
  EXPECT_EQ(choose_units({1, 1, 1, 1}, 2), ones);
  EXPECT_EQ(choose_units({0, 0, 0, 0}, 2), ones);
  EXPECT_EQ(choose_units({1, 1e300, std::numeric_limits<double>::infinity(), 1}, 2), ones);
  EXPECT_EQ(choose_units({std::nan(""), 5, 7, 1}, 2), ones);
  EXPECT_EQ(choose_units({}, 0), std::vector<Real>());
}

} // namespace
