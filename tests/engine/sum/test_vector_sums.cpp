// SPDX-License-Identifier: BSD-2-Clause
// Sums over vectors, compared with plain loops, and bitwise with those of the vectors in reverse order.
#include "sum/vector_sums.hpp"

#include "problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

using List = std::vector<Scalar>;

List entries(std::size_t size, unsigned seed)
{
  List x(size);
  for (std::size_t i = 0; i < 2 * size; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const Real value = Real(seed >> 8) / Real(1 << 24) - Real(0.5);
    if (i < size) x[i] = value;
#if defined(FINEGRAIN_COMPLEX)
    else x[i - size] = Scalar(x[i - size].real(), value);
#endif
  }
  return x;
}

struct Sums {
  BinnedSum products[6], plain[4], entries[2], magnitudes, squares;

  Sums(const List &x, const List &y)
  {
    const Offset n = Offset(x.size());
    const Scalar *const left[] = {x.data(), x.data(), y.data()}, *const right[] = {y.data(), x.data(), x.data()};
    add_products(n, 3, left, right, true, products);
    add_products(n, 2, left, right, false, plain);
    add_entries(n, x.data(), entries);
    add_magnitudes(n, x.data(), &magnitudes);
    add_squares(n, x.data(), 0.25, &squares);
  }
  std::vector<double> values() const
  {
    std::vector<double> all;
    for (const BinnedSum &s : products) all.push_back(s.value());
    for (const BinnedSum &s : plain) all.push_back(s.value());
    for (const BinnedSum &s : entries) all.push_back(s.value());
    all.insert(all.end(), {magnitudes.value(), squares.value()});
    return all;
  }
};

// The sum of one plain loop, as it is in Sums.
void expect_near(const BinnedSum *sums, Scalar expected, const char *what)
{
  const auto *part = reinterpret_cast<const Real *>(&expected);
  for (int k = 0; k < parts; ++k)
    EXPECT_NEAR(sums[k].value(), double(part[k]), 2e6 * std::numeric_limits<Real>::epsilon()) << what << k;
}

TEST(VectorSums, AreThoseOfPlainLoopsInAnyOrder)
{
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 2, 7, 511, 512, 513, 1024, 1025, 20000}) {
    SCOPED_TRACE(n);
    List x = entries(n, 1), y = entries(n, 2);
    const Sums sums(x, y);
    Scalar xy(0), yx(0), xx(0), txy(0), sum(0);
    Real size = 0, square = 0;
    for (std::size_t i = 0; i < n; ++i) {
      xy += x[i] * conjugate(y[i]);
      xx += x[i] * conjugate(x[i]);
      yx += y[i] * conjugate(x[i]);
      txy += x[i] * y[i];
      sum += x[i];
      size += std::sqrt(real_part(x[i] * conjugate(x[i])));
      square += real_part(x[i] * conjugate(x[i])) / 16;
    }
    expect_near(sums.products, xy, "xy");
    expect_near(sums.products + parts, xx, "xx");
    expect_near(sums.products + 2 * parts, yx, "yx");
    expect_near(sums.plain, txy, "x^T y");
    expect_near(sums.entries, sum, "sum");
    EXPECT_NEAR(sums.magnitudes.value(), double(size), 2e6 * std::numeric_limits<Real>::epsilon());
    EXPECT_NEAR(sums.squares.value(), double(square), 2e6 * std::numeric_limits<Real>::epsilon());
    std::reverse(x.begin(), x.end());
    std::reverse(y.begin(), y.end());
    EXPECT_EQ(Sums(x, y).values(), sums.values());
  }
}

TEST(VectorSums, UpdatesAreThoseOfPlainLoops)
{
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 513, 20000}) {
    const List x[] = {entries(n, 1), entries(n, 2)};
    const Scalar *const from[] = {x[0].data(), x[1].data()}, a[] = {Scalar(0.3), Scalar(-1.7)};
    for (const Scalar b : {Scalar(0), Scalar(1), Scalar(0.7)}) {
      List y = entries(n, 3), expected = y;
      if (b == Scalar(0)) std::fill(y.begin(), y.end(), Scalar(std::numeric_limits<Real>::quiet_NaN()));
      update(Offset(n), 2, a, from, b, y.data());
      for (std::size_t i = 0; i < n; ++i) {
        Scalar &e = expected[i];
        e = b * e;
        e += a[0] * x[0][i];
        e += a[1] * x[1][i];
      }
      EXPECT_EQ(y, expected);
    }
  }
}

} // namespace
