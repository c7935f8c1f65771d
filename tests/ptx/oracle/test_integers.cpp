// SPDX-License-Identifier: BSD-2-Clause
// Integer arithmetic compared with that of C++, in 128 bits.
#include "interpreter.hpp"

using namespace test;

namespace
{
using Wide = __int128;

Wide value(u64 bits, bool is_signed, int width)
{
  bits &= ones(width);
  return is_signed && bits >> (width - 1) & 1 ? Wide(bits) - (Wide(1) << width) : Wide(bits);
}

struct Kind {
  bool is_signed;
  int width;
  std::string name() const { return type(is_signed ? 's' : 'u', width); }
  std::string reg() const { return type('b', width); }
  Wide operator()(u64 x) const { return value(x, is_signed, width); }
};
const Kind kinds[] = {{false, 16}, {true, 16}, {false, 32}, {true, 32}, {false, 64}, {true, 64}};

// Tests OPCODE.TYPE with two operands, or three; the result is as wide as they are.
void binary(const std::string &opcode, Kind k, const std::function<Wide(Wide, Wide)> &f, bool divides = false)
{
  std::vector<Row> rows = rows_of({integers(k.width), integers(k.width)});
  if (divides) std::erase_if(rows, [](const Row &r) { return r[1] == 0; });
  expect(opcode + "." + k.name() + " {0}, {1}, {2};", k.reg(), {k.reg(), k.reg()}, rows,
         [&](const Row &r) { return u64(f(k(r[0]), k(r[1]))) & ones(k.width); });
}
void unary(const std::string &opcode, Kind k, const std::function<Wide(Wide)> &f)
{
  expect(opcode + "." + k.name() + " {0}, {1};", k.reg(), {k.reg()}, rows_of({integers(k.width)}),
         [&](const Row &r) { return u64(f(k(r[0]))) & ones(k.width); });
}

TEST(Integers, SumsDifferencesAndQuotients)
{
  for (const Kind k : kinds) {
    binary("add", k, [](Wide a, Wide b) { return a + b; });
    binary("sub", k, [](Wide a, Wide b) { return a - b; });
    binary(
      "div", k, [](Wide a, Wide b) { return a / b; }, true);
    binary(
      "rem", k, [](Wide a, Wide b) { return a % b; }, true);
    binary("min", k, [](Wide a, Wide b) { return a < b ? a : b; });
    binary("max", k, [](Wide a, Wide b) { return a > b ? a : b; });
    if (!k.is_signed) continue;
    unary("abs", k, [](Wide a) { return a < 0 ? -a : a; });
    unary("neg", k, [](Wide a) { return -a; });
  }
}

TEST(Integers, Saturate)
{
  const auto clamped = [](Wide x) { return x > INT32_MAX ? Wide(INT32_MAX) : x < INT32_MIN ? Wide(INT32_MIN) : x; };
  binary("add.sat", {true, 32}, [&](Wide a, Wide b) { return clamped(a + b); });
  binary("sub.sat", {true, 32}, [&](Wide a, Wide b) { return clamped(a - b); });
  expect("mad.hi.sat.s32 {0}, {1}, {2}, {3};", "b32", {"b32", "b32", "b32"},
         rows_of({integers(32), integers(32), integers(32)}), [&](const Row &r) {
           const Wide p = value(r[0], true, 32) * value(r[1], true, 32);
           return u64(clamped((p >> 32) + value(r[2], true, 32))) & ones(32);
         });
}

TEST(Integers, Products)
{
  for (const Kind k : kinds) {
    // The product of two unsigned 64-bit numbers has 128 bits, without a bit for a sign.
    const auto product = [&](const Row &r, int shift) {
      if (k.is_signed) return u64(k(r[0]) * k(r[1]) >> shift);
      return u64((unsigned __int128)(k(r[0])) * (unsigned __int128)(k(r[1])) >> shift);
    };
    const auto two = rows_of({integers(k.width), integers(k.width)});
    const auto three = rows_of({integers(k.width), integers(k.width), integers(k.width)});
    const std::string t = "." + k.name(), ab = " {0}, {1}, {2};", abc = " {0}, {1}, {2}, {3};";
    for (const bool high : {false, true}) {
      const std::string half = high ? ".hi" : ".lo";
      const int shift = high ? k.width : 0;
      expect("mul" + half + t + ab, k.reg(), {k.reg(), k.reg()}, two,
             [&](const Row &r) { return product(r, shift) & ones(k.width); });
      expect("mad" + half + t + abc, k.reg(), {k.reg(), k.reg(), k.reg()}, three,
             [&](const Row &r) { return (product(r, shift) + r[2]) & ones(k.width); });
    }
    if (k.width == 64) continue;
    const std::string wide = type('b', 2 * k.width);
    expect("mul.wide" + t + ab, wide, {k.reg(), k.reg()}, two,
           [&](const Row &r) { return product(r, 0) & ones(2 * k.width); });
    expect("mad.wide" + t + abc, wide, {k.reg(), k.reg(), wide},
           rows_of({integers(k.width), integers(k.width), integers(2 * k.width)}),
           [&](const Row &r) { return (product(r, 0) + r[2]) & ones(2 * k.width); });
  }
}

// Numbers of twice the width, in two steps; a third instruction reads the carry of the second.
TEST(Integers, Carries)
{
  for (const Kind k : {Kind{false, 32}, Kind{true, 32}, Kind{false, 64}, Kind{true, 64}})
    for (const bool adds : {true, false}) {
      const std::string t = "." + k.name(), first = adds ? "add.cc" : "sub.cc", then = adds ? "addc" : "subc",
                        low = "{ .reg .b64 %q; " + first + t + " %q, {1}, {2}; ";
      const auto rows = rows_of({integers(k.width), integers(k.width), integers(k.width), integers(k.width)});
      const auto both = [&](const Row &r, int part) { // 0 low, 1 high, 2 carry out
        using u128 = unsigned __int128;
        const u64 mask = ones(k.width);
        const u128 l = adds ? u128(r[0] & mask) + (r[1] & mask) : u128(r[0] & mask) - (r[1] & mask);
        const u64 carry = u64(l >> k.width) & 1;
        const u128 h = adds ? u128(r[2] & mask) + (r[3] & mask) + carry : u128(r[2] & mask) - (r[3] & mask) - carry;
        return part == 1 ? u64(h) & mask : u64(h >> k.width) & 1;
      };
      const std::vector<std::string> regs(4, k.reg());
      expect(low + then + t + " {0}, {3}, {4}; }", k.reg(), regs, rows, [&](const Row &r) { return both(r, 1); });
      expect(low + then + ".cc" + t + " %q, {3}, {4}; addc" + t + " {0}, 0, 0; }", k.reg(), regs, rows,
             [&](const Row &r) { return both(r, 2); });
    }
}
} // namespace
