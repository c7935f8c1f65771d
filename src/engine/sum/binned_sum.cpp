// SPDX-License-Identifier: BSD-2-Clause
// Splits terms with vectors of the host. Results do not depend on the width of these vectors, because all sums are
// exact. Contraction must be off, and the file is compiled for the host alone, because nvcc has no vector types.
#include "sum/binned_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace finegrain
{

namespace
{

#if defined(__AVX512F__)
constexpr int width = 8;
#elif defined(__AVX__)
constexpr int width = 4;
#else
constexpr int width = 2;
#endif
typedef double Doubles __attribute__((vector_size(sizeof(double) * width)));
typedef std::int64_t Masks __attribute__((vector_size(sizeof(std::int64_t) * width)));
constexpr int unrolled = 2; // vectors at a time, because an addition takes four cycles

Doubles fill(double value) { return value - Doubles{}; }

Doubles load(const double *from)
{
  Doubles v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}

// Parts of the terms in three bins, as sums of multiples of 2^40b. Each lane sums at most 2^10 multiples below 2^40.
struct Split {
  Doubles sums[3];
  Masks fits;
};

// Splits `padded` terms, a multiple of width * unrolled. The bins begin at `top`. Returns false if a term does not
// fit.
bool split(const double *terms, int padded, int bits, int top, double parts[3])
{
  const double limit = std::ldexp(1.0, bits * (top + 1) - 1);
  Doubles shift[3];
  Split s[unrolled];
  // Adding and subtracting 1.5 * 2^52 units rounds to a multiple of the unit.
  for (int k = 0; k < 3; ++k) shift[k] = fill(std::ldexp(1.5, 52 + bits * (top - k)));
  for (Split &u : s) u = {{Doubles{}, Doubles{}, Doubles{}}, Doubles{} == Doubles{}};
  for (int i = 0; i < padded; i += width * unrolled)
    for (int u = 0; u < unrolled; ++u) {
      Doubles rest = load(terms + i + u * width);
      s[u].fits &= (rest < limit) & (rest > -limit);
      for (int k = 0; k < 3; ++k) {
        const Doubles part = (rest + shift[k]) - shift[k];
        s[u].sums[k] += part;
        rest -= part;
      }
    }
  bool fits = true;
  for (int k = 0; k < 3; ++k) parts[k] = 0;
  for (const Split &u : s)
    for (int lane = 0; lane < width; ++lane) {
      fits = fits && u.fits[lane];
      for (int k = 0; k < 3; ++k) parts[k] += u.sums[k][lane];
    }
  return fits;
}

} // namespace

void BinnedSum::raise(int top)
{
  for (; top_ < top; ++top_) { // bins that leave are below the three that all terms need
    digits_[2] = digits_[1];
    digits_[1] = digits_[0];
    digits_[0] = 0;
  }
}

bool BinnedSum::add_finite(const double *terms, int padded)
{
  // Numbers near the ends of the range are moved by eight bins, so that shifts neither overflow nor underflow. Of
  // terms that are moved downwards only bits below the three bins get lost.
  constexpr int moved = 8, far = 15;
  const int move = top_ >= far ? -moved : top_ <= -far ? moved : 0, top = int(top_) + move;
  alignas(64) double scaled[most];
  double parts[3];
  if (move) {
    const double factor = std::ldexp(1.0, bits * move);
    for (int i = 0; i < padded; ++i) scaled[i] = terms[i] * factor;
    terms = scaled;
  }
  if (!split(terms, padded, bits, top, parts)) return false;
  for (int k = 0; k < 3; ++k) digits_[k] += std::int64_t(std::ldexp(parts[k], -bits * (top - k)));
  return true;
}

void BinnedSum::add(double *terms, int count)
{
  constexpr int step = width * unrolled;
  const int padded = (count + step - 1) / step * step;
  std::fill(terms + count, terms + padded, 0.0);
  if (add_finite(terms, padded)) return;
  double largest = 0;
  for (int i = 0; i < count; ++i) {
    if (std::isnan(terms[i])) flags_ |= nan;
    else if (std::isinf(terms[i])) flags_ |= terms[i] > 0 ? plus_infinity : minus_infinity;
    else largest = std::max(largest, std::abs(terms[i]));
  }
  if (flags_) return; // they decide the value
  int exponent, top = lowest;
  std::frexp(largest, &exponent); // largest < 2^exponent
  while (bits * (top + 1) - 1 < exponent) ++top;
  raise(top);
  add_finite(terms, padded);
}

void BinnedSum::merge(const BinnedSum &other)
{
  BinnedSum o = other;
  raise(int(o.top_));
  o.raise(int(top_));
  flags_ |= o.flags_;
  for (int k = 0; k < 3; ++k) digits_[k] += o.digits_[k];
}

double BinnedSum::value() const
{
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (flags_ == plus_infinity) return infinity;
  if (flags_ == minus_infinity) return -infinity;
  if (flags_) return std::numeric_limits<double>::quiet_NaN();
  // The lowest bin is carried into the two others, so that less than half a unit of them remains. If they have more
  // than 53 bits, that rest only matters for ties.
  constexpr Integer one = Integer(1) << bits;
  const Integer carry = (digits_[2] + one / 2) >> bits, low = digits_[2] - carry * one;
  const Integer high = digits_[0] * one + digits_[1] + carry;
  const int unit = bits * int(top_ - 1);
  return std::ldexp(double(high), unit) + std::ldexp(double(low), unit - bits);
}

} // namespace finegrain
