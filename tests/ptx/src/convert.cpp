// SPDX-License-Identifier: BSD-2-Clause
// cvt: from any numeric type to any other. Rounding uses integers, independently of the processor.
#include "numbers.hpp"

namespace sim
{

namespace
{
// A binary floating point type: bits of its fraction and of its exponent.
struct Format {
  int fraction, exponent;
};
Format format_of(Ty t)
{
  return t == F16 ? Format{10, 5} : t == BF16 ? Format{7, 8} : t == F32 ? Format{23, 8} : Format{52, 11};
}
u64 not_a_number(Ty t) { return t == F16 || t == BF16 ? 0x7fff : t == F32 ? 0x7fffffff : 0x7fffffffffffffffull; }

// mantissa * 2^exponent as a number of that type, rounded to nearest (n), to zero (z), down (m) or up (p).
u64 rounded(u64 mantissa, int exponent, bool negative, Format f, char mode)
{
  const u64 sign = u64(negative) << (f.fraction + f.exponent);
  if (mantissa == 0) return sign;
  const int bias = (1 << (f.exponent - 1)) - 1, shift = __builtin_clzll(mantissa);
  mantissa <<= shift; // 1.x * 2^63
  int biased = exponent - shift + 63 + bias;
  int drop = 63 - f.fraction; // bits that do not fit
  if (biased <= 0) drop += 1 - biased, biased = 0;
  drop = std::min(drop, 66);
  const u64 kept = drop >= 64 ? 0 : mantissa >> drop;
  // Rounding depends on the lost bits: none, more than half, or half.
  const bool lost = drop >= 65 || (drop == 64 ? mantissa != 0 : (mantissa & ((1ull << drop) - 1)) != 0);
  bool up = false;
  if (mode == 'p') up = lost && !negative;
  else if (mode == 'm') up = lost && negative;
  else if (mode != 'z' && drop <= 64) {
    const u64 half = 1ull << (drop - 1), rest = drop == 64 ? mantissa : mantissa & ((1ull << drop) - 1);
    up = rest > half || (rest == half && (kept & 1));
  }
  // The hidden bit is added to the exponent, and so is the carry of rounding up.
  u64 r = kept + up + (biased > 0 ? u64(biased - 1) << f.fraction : 0);
  const u64 infinite = ((1ull << f.exponent) - 1) << f.fraction;
  if (r >= infinite)
    r = mode == 'z' || (mode == 'm' && !negative) || (mode == 'p' && negative) ? infinite - 1 : infinite;
  return sign | r;
}

u64 from_integer(const Ins &in, u64 v, int width)
{
  const Ty d = in.ty, s = in.ty2;
  u64 u = widen(v, s, 8);
  const bool negative = is_signed(s) && s64(u) < 0;
  if (is_float(d)) return rounded(negative ? 0 - u : u, 0, negative, format_of(d), in.rnd);
  if (in.sat) {
    const int b = 8 * size_of(d);
    const u64 most = (is_signed(d) ? 1ull << (b - 1) : b == 64 ? 0ull : 1ull << b) - 1;
    if (!negative) u = std::min(u, most);
    else u = is_signed(d) ? u64(std::max(s64(u), s64(~most))) : 0;
  }
  return widen(u, d, width);
}

u64 between_floats(const Ins &in, double x)
{
  const Ty d = in.ty, s = in.ty2;
  if (in.irnd)
    x = in.irnd == 'n'   ? std::nearbyint(x)
        : in.irnd == 'z' ? std::trunc(x)
        : in.irnd == 'm' ? std::floor(x)
                         : std::ceil(x);
  if (in.sat) x = std::isnan(x) ? 0 : std::min(1.0, std::max(0.0, x));
  if (std::isnan(x)) return d == F64 ? word(x) : not_a_number(d);
  if (d == F64) return word(x);
  if (d == F32 && (s != F64 || !in.rnd || in.rnd == 'n')) return word(float(x));
  const u64 w = word(x);
  const bool negative = w >> 63;
  const int biased = int(w >> 52 & 2047);
  u64 mantissa = w & ((1ull << 52) - 1);
  if (biased == 2047) return rounded(1, 1 << 20, negative, format_of(d), 'n'); // infinite
  if (biased > 0) mantissa |= 1ull << 52;
  return rounded(mantissa, std::max(biased, 1) - 1075, negative, format_of(d), in.rnd);
}

u64 to_integer(const Ins &in, double x, int width)
{
  const Ty d = in.ty;
  const int b = 8 * size_of(d);
  if (std::isnan(x)) return widen(in.ty2 == F64 || b == 64 ? 1ull << (b - 1) : 0, d, width);
  const double y = in.irnd == 'n'   ? std::nearbyint(x)
                   : in.irnd == 'm' ? std::floor(x)
                   : in.irnd == 'p' ? std::ceil(x)
                                    : std::trunc(x);
  if (is_signed(d)) {
    const double end = std::ldexp(1.0, b - 1);
    const s64 most = s64((1ull << (b - 1)) - 1);
    return widen(u64(y < -end ? -most - 1 : y >= end ? most : s64(y)), d, width);
  }
  const u64 most = b == 64 ? ~0ull : (1ull << b) - 1;
  return widen(y < 0 ? 0 : y >= std::ldexp(1.0, b) ? most : u64(y), d, width);
}
} // namespace

u64 convert(const Ins &in, u64 v, int width)
{
  if (!is_float(in.ty2)) return from_integer(in, v, width);
  const auto flushed = [&](u64 x) { return in.ftz && !(x & 0x7f800000u) ? x & 0x80000000u : x; };
  const double x = to_double(in.ty2 == F32 ? flushed(v) : v, in.ty2);
  if (!is_float(in.ty)) return to_integer(in, x, width);
  const u64 r = between_floats(in, x);
  return in.ty == F32 ? flushed(r) : r;
}

} // namespace sim
