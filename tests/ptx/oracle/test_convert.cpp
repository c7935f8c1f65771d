// SPDX-License-Identifier: BSD-2-Clause
// cvt of every pair of types, in all roundings, compared with tables of all values of the smaller types and C++'s
// own conversions.
#include "interpreter.hpp"

#include <algorithm>
#include <cmath>

using namespace test;

namespace
{
using Wide = __int128;
using Long = long double; // holds all values that are converted

std::string reg_of(const std::string &t) { return type('b', std::max(16, width_of(t))); }

Long half_value(u64 x)
{
  const int e = int(x >> 10 & 31);
  const Long f = Long(x & 1023);
  const Long v = e == 31 ? (x & 1023 ? NAN : INFINITY) : e == 0 ? std::ldexp(f, -24) : std::ldexp(f + 1024, e - 25);
  return x >> 15 ? -v : v;
}
Long value_of(const std::string &t, u64 x)
{
  if (t == "f64") return as<double>(x);
  if (t == "f32") return as<float>(x);
  if (t == "bf16") return as<float>(x << 16);
  return half_value(x);
}

// All values of a 16-bit type, from the smallest to infinity.
const std::vector<std::pair<Long, u64>> &table_of(const std::string &t)
{
  static std::map<std::string, std::vector<std::pair<Long, u64>>> tables;
  auto &table = tables[t];
  if (table.empty())
    for (u64 x = 0; !std::isnan(value_of(t, x)); ++x) table.emplace_back(value_of(t, x), x);
  return table;
}

// The bits of x in a type, rounded by comparison with its neighbors.
u64 rounded(const std::string &t, Long x, char mode)
{
  const u64 top = 1ull << (width_of(t) - 1), sign = std::signbit(x) ? top : 0;
  if (std::isnan(x)) return t == "f64" ? 0x7ff8000000000000 : t == "f32" ? 0x7fffffff : 0x7fff;
  const Long a = std::fabs(x);
  if (std::isinf(x))
    return sign | (t == "f64" ? 0x7ff0000000000000 : t == "f32" ? 0x7f800000 : t == "f16" ? 0x7c00 : 0x7f80);
  const bool up = (mode == 'p' && !sign) || (mode == 'm' && sign); // away from zero
  const auto neighbour = [&](auto nearest) {
    if (mode == 'n' || Long(nearest) == a) return bits_of(nearest);
    if (Long(nearest) < a && up) nearest = std::nextafter(nearest, decltype(nearest)(INFINITY));
    if (Long(nearest) > a && !up) nearest = std::nextafter(nearest, decltype(nearest)(0));
    return bits_of(nearest);
  };
  if (t == "f64") return sign | neighbour(double(a));
  if (t == "f32") return sign | neighbour(float(a));
  const auto &table = table_of(t);
  auto above = std::lower_bound(table.begin(), table.end(), std::make_pair(a, u64(0)));
  if (above->first == a) return sign | above->second;
  const auto below = above - 1;
  if (mode != 'n') return sign | (up ? above : below)->second;
  // Infinity begins where the next value would be.
  const Long next = std::isinf(above->first) ? below->first + (below->first - (below - 1)->first) : above->first;
  const Long middle = (below->first + next) / 2;
  return sign | (a > middle || (a == middle && above->second % 2 == 0) ? above : below)->second;
}

// An integer of type t, extended to the width of a register.
u64 stored(const std::string &t, Wide x)
{
  const int w = width_of(t);
  u64 b = u64(x) & ones(w);
  if (t[0] == 's' && b >> (w - 1) & 1) b |= ~ones(w);
  return b & ones(std::max(16, w));
}
Wide integer_of(const std::string &t, u64 x)
{
  const int w = width_of(t);
  const u64 b = x & ones(w);
  return t[0] == 's' && b >> (w - 1) & 1 ? Wide(b) - (Wide(1) << w) : Wide(b);
}
Wide least(const std::string &t) { return t[0] == 's' ? -(Wide(1) << (width_of(t) - 1)) : 0; }
Wide most(const std::string &t) { return (Wide(1) << (width_of(t) - (t[0] == 's'))) - 1; }

const std::string integer_types[] = {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"};
const std::string float_types[] = {"f16", "bf16", "f32", "f64"};

// Values that are ties, or nearly so, for 16-bit and 24-bit results.
std::vector<u64> values(const std::string &t)
{
  std::vector<u64> v = t[0] == 'u' || t[0] == 's' ? integers(std::max(16, width_of(t))) : floats(width_of(t));
  const bool is_integer = t[0] == 'u' || t[0] == 's';
  for (const double x : {2049., 2050., 2051., 257., 258., 259., 16777217., 16777219., 65519., 65520., 65535.})
    if (is_integer) v.push_back(u64(x) & ones(std::max(16, width_of(t))));
    else if (width_of(t) > 16) v.push_back(t == "f32" ? bits_of(float(x)) : bits_of(x));
  if (t == "f64") // values that would be rounded twice through single precision
    for (const double x :
         {1.00048828125 + 1e-12, 1.00390625 + 1e-12, 1.00390625, 1.01171875 - 1e-12, 5.9604644775390625e-8 / 2})
      v.push_back(bits_of(x));
  return v;
}
void check(const std::string &text, const std::string &to, const std::string &from,
           const std::function<u64(const Row &)> &oracle)
{
  expect("cvt" + text + "." + to + "." + from + " {0}, {1};", reg_of(to), {reg_of(from)}, rows_of({values(from)}),
         oracle, to == "f64");
}

TEST(Conversions, IntegersToIntegers)
{
  for (const std::string &to : integer_types)
    for (const std::string &from : integer_types) {
      check("", to, from, [&](const Row &r) { return stored(to, integer_of(from, r[0])); });
      check(".sat", to, from,
            [&](const Row &r) { return stored(to, std::clamp(integer_of(from, r[0]), least(to), most(to))); });
    }
}

TEST(Conversions, IntegersToFloats)
{
  for (const std::string &to : float_types)
    for (const std::string &from : integer_types)
      for (const char mode : {'n', 'z', 'm', 'p'})
        check(std::string(".r") + mode, to, from,
              [&](const Row &r) { return rounded(to, Long(integer_of(from, r[0])), mode); });
}

Long whole(Long x, char mode)
{
  return mode == 'n' ? std::nearbyint(x) : mode == 'z' ? std::trunc(x) : mode == 'm' ? std::floor(x) : std::ceil(x);
}

TEST(Conversions, FloatsToIntegers)
{
  for (const std::string &to : integer_types)
    for (const std::string &from : float_types)
      for (const char mode : {'n', 'z', 'm', 'p'}) {
        check(std::string(".r") + mode + "i", to, from, [&](const Row &r) {
          const Long x = value_of(from, r[0]);
          const int w = width_of(to);
          if (std::isnan(x)) return from == "f64" || w == 64 ? stored(to, Wide(1) << (w - 1)) : 0;
          const Long y = whole(x, mode);
          return stored(to, y <= Long(least(to)) ? least(to) : y >= Long(most(to)) ? most(to) : Wide(y));
        });
      }
  check(".rpi.ftz", "s32", "f32", [](const Row &r) {
    const Long x = (r[0] & 0x7f800000) == 0 ? 0 : as<float>(r[0]), y = std::ceil(x);
    return stored("s32", std::isnan(x) ? 0 : y <= INT32_MIN ? INT32_MIN : y >= INT32_MAX ? INT32_MAX : Wide(y));
  });
}

TEST(Conversions, FloatsToFloats)
{
  for (const std::string &to : float_types)
    for (const std::string &from : float_types) {
      const bool exact = (to == "f64" && from != "f64") || (to == "f32" && width_of(from) == 16);
      if (exact) check("", to, from, [&](const Row &r) { return rounded(to, value_of(from, r[0]), 'n'); });
      else if (to != from)
        for (const char mode : {'n', 'z', 'm', 'p'})
          check(std::string(".r") + mode, to, from,
                [&](const Row &r) { return rounded(to, value_of(from, r[0]), mode); });
      else
        for (const char mode : {'n', 'z', 'm', 'p'})
          check(std::string(".r") + mode + "i", to, from,
                [&](const Row &r) { return rounded(to, whole(value_of(from, r[0]), mode), 'n'); });
      const std::string rounding = exact || to == from ? "" : ".rn";
      check(rounding + ".sat", to, from, [&](const Row &r) {
        const Long x = value_of(from, r[0]);
        return rounded(to, !(x > 0) ? 0 : x > 1 ? 1 : x, 'n');
      });
    }
  check(".rn.ftz", "f32", "f64", [](const Row &r) {
    const u64 x = rounded("f32", as<double>(r[0]), 'n');
    return x & 0x7f800000 ? x : x & 0x80000000;
  });
  check(".ftz", "f64", "f32",
        [](const Row &r) { return rounded("f64", as<float>(r[0] & 0x7f800000 ? r[0] : r[0] & 0x80000000), 'n'); });
}
} // namespace
