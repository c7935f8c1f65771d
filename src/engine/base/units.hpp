// SPDX-License-Identifier: BSD-2-Clause
// Scaling of the unknowns of a block by powers of two, for storage of blocks in low precision (numerics.md 1).
#pragma once

#include "base/scalar.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace finegrain
{

// Returns powers of two s that balance the n x n values largest_ab s_b / s_a (column-major; a row, b column). The
// largest off-diagonal value of each row becomes that of its column; if one of them is zero, the other becomes that
// of the diagonal. All are 1 if a value is not finite.
inline std::vector<Real> choose_units(std::vector<double> largest, int n)
{
  const auto at = [&](int a, int b) -> double & { return largest[std::size_t(b * n + a)]; };
  std::vector<int> exponent(std::size_t(n), 0);
  std::vector<Real> unit(std::size_t(n), Real(1));
  double diagonal = 0;
  for (const double v : largest)
    if (!std::isfinite(v)) return unit;
  for (int a = 0; a < n; ++a) diagonal = std::max(diagonal, at(a, a));
  constexpr int limit = std::numeric_limits<Real>::max_exponent / 4, rounds = 20;
  bool changes = true;
  for (int round = 0; round < rounds && changes; ++round) {
    changes = false;
    for (int a = 0; a < n; ++a) {
      double row = 0, column = 0;
      for (int b = 0; b < n; ++b) {
        if (b == a) continue;
        row = std::max(row, at(a, b));
        column = std::max(column, at(b, a));
      }
      if ((row <= 0 && column <= 0) || ((row <= 0 || column <= 0) && diagonal <= 0)) continue;
      const double apart = row <= 0      ? 2 * (std::log2(diagonal) - std::log2(column))
                           : column <= 0 ? 2 * (std::log2(row) - std::log2(diagonal))
                                         : std::log2(row) - std::log2(column);
      const int old = exponent[std::size_t(a)], now = std::clamp(old + int(std::lround(apart / 2)), -limit, limit);
      if (now == old) continue;
      changes = true;
      exponent[std::size_t(a)] = now;
      for (int b = 0; b < n; ++b)
        if (b != a) {
          at(a, b) = std::ldexp(at(a, b), old - now);
          at(b, a) = std::ldexp(at(b, a), now - old);
        }
    }
  }
  for (std::size_t a = 0; a < unit.size(); ++a) unit[a] = std::ldexp(Real(1), exponent[a]);
  return unit;
}

} // namespace finegrain
