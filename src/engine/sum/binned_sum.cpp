// SPDX-License-Identifier: BSD-2-Clause
// Splits terms with vectors of the host. Results do not depend on the width of these vectors, because all sums are
// exact. Contraction must be off, and the file is compiled for the host alone, because nvcc has no vector types.
#include "sum/binned_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace finegrain
{

namespace
{

#if defined(__AVX512F__)
constexpr int width = 8;
#elif defined(__AVX2__)
constexpr int width = 4;
#else
constexpr int width = 2;
#endif
typedef double Doubles __attribute__((vector_size(sizeof(double) * width)));
typedef std::uint64_t Bits __attribute__((vector_size(sizeof(double) * width)));
typedef std::int16_t Words __attribute__((vector_size(sizeof(double) * width)));
constexpr int per_iteration = 2 * width; // terms of an iteration: accumulators of more are spilled without AVX

// 2^exponent, of a normal double.
double power_of_two(int exponent) { return std::bit_cast<double>(std::uint64_t(1023 + exponent) << 52); }

Doubles fill(double value) { return value - Doubles{}; }

Doubles load(const double *from)
{
  Doubles v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

// Sums `padded` terms, a multiple of `per_iteration`, of which term(i) loads a vector, in three bins from `top`
// downwards. Returns false if a term does not fit. Adding 1.5 * 2^52 units rounds a term to a multiple of the unit,
// which the bits of the result count: integer sums of these bits are exact.
template <class Term>
bool split(const Term &term, int padded, const void *next, int bits, int top, std::int64_t parts[3])
{
  Doubles shift[3];
  Bits sums[3] = {};
  Words largest = {}; // of four words of a double the highest has the exponent
  const Bits magnitude = (Bits{} - 1) >> 1;
  for (int k = 0; k < 3; ++k) shift[k] = fill(1.5 * power_of_two(52 + bits * (top - k)));
  for (int i = 0; i < padded; i += per_iteration) {
    for (int byte = 0; byte < int(sizeof(double)) * per_iteration; byte += 64)
      __builtin_prefetch(static_cast<const char *>(next) + sizeof(double) * std::size_t(i) + byte);
    for (int u = 0; u < per_iteration; u += width) {
      Doubles rest = term(i + u);
      const Words words = Words(Bits(rest) & magnitude);
      largest = largest > words ? largest : words;
      for (int k = 0; k < 3; ++k) {
        const Doubles shifted = rest + shift[k];
        sums[k] += Bits(shifted);
        if (k < 2) rest -= shifted - shift[k];
      }
    }
  }
  std::uint64_t highest = 0;
  for (int element = 0; element < width; ++element)
    highest = std::max<std::uint64_t>(highest, Bits(largest)[element] >> 48);
  for (int k = 0; k < 3; ++k) {
    std::uint64_t sum = 0;
    for (int element = 0; element < width; ++element) sum += sums[k][element];
    parts[k] = std::int64_t(sum - std::uint64_t(padded) * bits_of(shift[k][0]));
  }
  return highest < bits_of(power_of_two(bits * (top + 1) - 1)) >> 48;
}

constexpr int first_extreme = 15; // bins from here on are near the ends of the range

} // namespace

void BinnedSum::move_bins_up(int top)
{
  for (; top_ < top; ++top_) { // bins that leave are below the three that all terms need
    digits_[2] = digits_[1];
    digits_[1] = digits_[0];
    digits_[0] = 0;
  }
}

void BinnedSum::add_parts(const std::int64_t parts[3])
{
  for (int k = 0; k < 3; ++k) digits_[k] += parts[k];
}

bool BinnedSum::add_finite(const double *terms, int padded, const void *next)
{
  // Numbers near the ends of the range are moved by eight bins, so that shifts neither overflow nor underflow. Of
  // terms that are moved downwards only bits below the three bins get lost.
  constexpr int moved = 8;
  const int move = top_ >= first_extreme ? -moved : top_ <= -first_extreme ? moved : 0, top = int(top_) + move;
  alignas(64) double scaled[most];
  std::int64_t parts[3];
  if (move) {
    const double factor = power_of_two(bits * move);
    for (int i = 0; i < padded; ++i) scaled[i] = terms[i] * factor;
    terms = scaled;
  }
  if (!split([=](int i) { return load(terms + i); }, padded, next ? next : terms, bits, top, parts)) return false;
  add_parts(parts);
  return true;
}

void BinnedSum::add(double *terms, int count, const void *next)
{
  const int padded = (count + per_iteration - 1) / per_iteration * per_iteration;
  std::fill(terms + count, terms + padded, 0.0);
  if (add_finite(terms, padded, next)) return;
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
  move_bins_up(top);
  add_finite(terms, padded, nullptr);
}

void BinnedSum::add_products(const double *x, const double *y, int count, const void *next)
{
  const int top = int(top_);
  int done = count / per_iteration * per_iteration;
  std::int64_t parts[3];
  if (done && std::abs(top) < first_extreme &&
      split([=](int i) { return load(x + i) * load(y + i); }, done, next ? next : y, bits, top, parts))
    add_parts(parts);
  else done = 0;
  if (done == count) return;
  alignas(64) double terms[most];
  for (int i = done; i < count; ++i) terms[i - done] = x[i] * y[i];
  add(terms, count - done, next);
}

void BinnedSum::merge(const BinnedSum &other)
{
  BinnedSum o = other;
  move_bins_up(int(o.top_));
  o.move_bins_up(int(top_));
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
