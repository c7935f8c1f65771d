// SPDX-License-Identifier: BSD-2-Clause
// Bit operations compared with loops over bits; comparisons and selections.
#include "interpreter.hpp"

#include <cmath>

using namespace test;

namespace
{
bool bit(u64 x, int k) { return k < 64 && x >> k & 1; }

TEST(Bits, Logic)
{
  for (const int w : {16, 32, 64}) {
    const std::string t = type('b', w);
    const auto rows = rows_of({integers(w), integers(w)});
    expect("and." + t + " {0}, {1}, {2};", t, {t, t}, rows, [](const Row &r) { return r[0] & r[1]; });
    expect("or." + t + " {0}, {1}, {2};", t, {t, t}, rows, [](const Row &r) { return r[0] | r[1]; });
    expect("xor." + t + " {0}, {1}, {2};", t, {t, t}, rows, [](const Row &r) { return r[0] ^ r[1]; });
    expect("not." + t + " {0}, {1};", t, {t}, rows, [&](const Row &r) { return ~r[0] & ones(w); });
    expect("cnot." + t + " {0}, {1};", t, {t}, rows, [](const Row &r) { return u64(r[0] == 0); });
  }
  const auto rows = rows_of({{0, 1}, {0, 1}});
  expect("and.pred {0}, {1}, {2};", "pred", {"pred", "pred"}, rows, [](const Row &r) { return r[0] & r[1]; });
  expect("or.pred {0}, {1}, {2};", "pred", {"pred", "pred"}, rows, [](const Row &r) { return r[0] | r[1]; });
  expect("xor.pred {0}, {1}, {2};", "pred", {"pred", "pred"}, rows, [](const Row &r) { return r[0] ^ r[1]; });
  expect("not.pred {0}, {1};", "pred", {"pred"}, rows, [](const Row &r) { return 1 - r[0]; });
  for (const u64 table : {0x00, 0x01, 0x80, 0xca, 0x96, 0xe8, 0x5a, 0xff, 0x35})
    expect("lop3.b32 {0}, {1}, {2}, {3}, " + std::to_string(table) + ";", "b32", {"b32", "b32", "b32"},
           rows_of({integers(32), integers(32), integers(32)}), [&](const Row &r) {
             u64 x = 0; // the bits of a, b and c are a number below 8
             for (int k = 0; k < 32; ++k)
               x |= u64(bit(table, bit(r[0], k) * 4 + bit(r[1], k) * 2 + bit(r[2], k))) << k;
             return x;
           });
}

TEST(Bits, ShiftsBeyondTheWidth)
{
  const std::vector<u64> counts{0, 1, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 0xffffffff};
  for (const int w : {16, 32, 64}) {
    const std::string b = type('b', w);
    const auto rows = rows_of({integers(w), counts});
    const auto shift = [&](const std::string &op, bool left, bool is_signed) {
      expect(op + " {0}, {1}, {2};", b, {b, "b32"}, rows, [=](const Row &r) {
        u64 x = 0;
        for (int k = 0; k < w; ++k) {
          const s64 from = left ? k - s64(r[1]) : k + s64(r[1]);
          const bool outside = from < 0 || from >= w;
          x |= u64(outside ? is_signed && bit(r[0], w - 1) : bit(r[0], int(from))) << k;
        }
        return x;
      });
    };
    shift("shl." + b, true, false);
    shift("shr." + b, false, false);
    shift("shr." + type('u', w), false, false);
    shift("shr." + type('s', w), false, true);
  }
  for (const bool left : {false, true})
    for (const bool wraps : {false, true})
      expect(std::string("shf.") + (left ? "l" : "r") + (wraps ? ".wrap" : ".clamp") + ".b32 {0}, {1}, {2}, {3};",
             "b32", {"b32", "b32", "b32"}, rows_of({integers(32), integers(32), counts}), [&](const Row &r) {
               const int n = int(wraps ? r[2] % 32 : std::min<u64>(r[2], 32));
               u64 x = 0; // byte of b:a
               for (int k = 0; k < 32; ++k) {
                 const int from = left ? k + 32 - n : k + n;
                 x |= u64(from < 32 ? bit(r[0], from) : bit(r[1], from - 32)) << k;
               }
               return x;
             });
}

TEST(Bits, Fields)
{
  const std::vector<u64> positions{0, 1, 5, 31, 32, 33, 63, 64, 200, 255, 256 + 3},
    lengths{0, 1, 4, 31, 32, 33, 64, 255, 256};
  for (const int w : {32, 64}) {
    const std::string b = type('b', w);
    for (const char sign : {'u', 's'})
      expect("bfe." + type(sign, w) + " {0}, {1}, {2}, {3};", b, {b, "b32", "b32"},
             rows_of({integers(w), positions, lengths}), [&](const Row &r) {
               const int at = int(r[1] & 255), n = int(r[2] & 255), last = std::min(at + n - 1, w - 1);
               const bool fill = sign == 's' && n > 0 && bit(r[0], last);
               u64 x = 0;
               for (int k = 0; k < w; ++k) x |= u64(k < n && at + k < w ? bit(r[0], at + k) : fill) << k;
               return x;
             });
    expect("bfi." + b + " {0}, {1}, {2}, {3}, {4};", b, {b, b, "b32", "b32"},
           rows_of({integers(w), integers(w), positions, lengths}), [&](const Row &r) {
             const int at = int(r[2] & 255), n = int(r[3] & 255);
             u64 x = 0;
             for (int k = 0; k < w; ++k) x |= u64(k >= at && k < at + n ? bit(r[0], k - at) : bit(r[1], k)) << k;
             return x;
           });
    expect("brev." + b + " {0}, {1};", b, {b}, rows_of({integers(w)}), [&](const Row &r) {
      u64 x = 0;
      for (int k = 0; k < w; ++k) x |= u64(bit(r[0], w - 1 - k)) << k;
      return x;
    });
    expect("popc." + b + " {0}, {1};", "b32", {b}, rows_of({integers(w)}), [&](const Row &r) {
      u64 n = 0;
      for (int k = 0; k < w; ++k) n += bit(r[0], k);
      return n;
    });
    const auto highest = [w](u64 x) { // -1: none
      int k = w - 1;
      while (k >= 0 && !bit(x, k)) --k;
      return k;
    };
    expect("clz." + b + " {0}, {1};", "b32", {b}, rows_of({integers(w)}),
           [&](const Row &r) { return u64(w - 1 - highest(r[0])); });
    for (const char sign : {'u', 's'})
      for (const bool shift : {false, true})
        expect(std::string("bfind") + (shift ? ".shiftamt." : ".") + type(sign, w) + " {0}, {1};", "b32", {b},
               rows_of({integers(w)}), [&](const Row &r) {
                 const int k = highest(sign == 's' && bit(r[0], w - 1) ? ~r[0] & ones(w) : r[0]);
                 return u64(u32(k < 0 || !shift ? k : w - 1 - k));
               });
  }
  expect("prmt.b32 {0}, {1}, {2}, {3};", "b32", {"b32", "b32", "b32"},
         rows_of({integers(32), integers(32), {0x3210, 0x7654, 0x0123, 0x5140, 0xba98, 0xfedc, 0x8f30, 0xffff7777}}),
         [](const Row &r) {
           u8 bytes[8], x[4];
           memcpy(bytes, &r[0], 4);
           memcpy(bytes + 4, &r[1], 4);
           for (int k = 0; k < 4; ++k) {
             const int s = int(r[2] >> (4 * k)) & 15;
             x[k] = s < 8 ? bytes[s] : bytes[s - 8] >= 128 ? 255 : 0;
           }
           u64 y = 0;
           memcpy(&y, x, 4);
           return y;
         });
}

// Result of a comparison of two numbers, of which none, one or both may be NaN.
bool holds(const std::string &c, int order, bool unordered) // order: -1 less, 0 equal, 1 greater
{
  if (c == "num") return !unordered;
  if (c == "nan") return unordered;
  if (unordered) return c.size() == 3; // equ, neu, ltu...
  const std::string two = c.substr(0, 2);
  if (two == "eq") return order == 0;
  if (two == "ne") return order != 0;
  if (two == "lt" || two == "lo") return order < 0;
  if (two == "le" || two == "ls") return order <= 0;
  if (two == "gt" || two == "hi") return order > 0;
  return order >= 0;
}
template <class T> int order_of(T a, T b) { return a < b ? -1 : a > b ? 1 : 0; }

struct Compared {
  std::string type;
  std::vector<std::string> comparisons;
  std::vector<u64> values;
  std::function<bool(const std::string &, u64, u64)> says;
};
template <class T> Compared integer(const std::string &type, std::vector<std::string> comparisons)
{
  return {type, std::move(comparisons), integers(8 * sizeof(T)),
          [](const std::string &c, u64 a, u64 b) { return holds(c, order_of(T(a), T(b)), false); }};
}
template <class T> Compared real(const std::string &type, const std::function<T(u64)> &of)
{
  return {type,
          {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"},
          floats(type == "f64"   ? 64
                 : type == "f32" ? 32
                                 : 16),
          [of](const std::string &c, u64 a, u64 b) {
            return holds(c, order_of(of(a), of(b)), std::isnan(of(a)) || std::isnan(of(b)));
          }};
}
std::vector<Compared> compared_types()
{
  const std::vector<std::string> equal{"eq", "ne"}, all{"eq", "ne", "lt", "le", "gt", "ge"},
    unsigned_too{"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
  const auto half = [](u64 x) { return float(as<_Float16>(x)); };
  const auto brain = [](u64 x) { return as<float>(x << 16); };
  return {integer<u16>("b16", equal),
          integer<u32>("b32", equal),
          integer<u64>("b64", equal),
          integer<u16>("u16", unsigned_too),
          integer<u32>("u32", unsigned_too),
          integer<u64>("u64", unsigned_too),
          integer<s16>("s16", all),
          integer<s32>("s32", all),
          integer<s64>("s64", all),
          real<float>("f16", half),
          real<float>("bf16", brain),
          real<float>("f32", [](u64 x) { return as<float>(x); }),
          real<double>("f64", [](u64 x) { return as<double>(x); })};
}

TEST(Comparisons, OfAllTypes)
{
  for (const Compared &t : compared_types()) {
    const int w = t.type.ends_with("64") ? 64 : t.type.ends_with("32") ? 32 : 16;
    const std::string b = type('b', w);
    const auto rows = rows_of({t.values, t.values});
    for (const std::string &c : t.comparisons) {
      const auto says = [&](const Row &r) { return u64(t.says(c, r[0], r[1])); };
      expect("setp." + c + "." + t.type + " {0}, {1}, {2};", "pred", {b, b}, rows, says);
      if (t.type == "f16" || t.type == "bf16") continue;
      expect("set." + c + ".u32." + t.type + " {0}, {1}, {2};", "b32", {b, b}, rows,
             [&](const Row &r) { return says(r) ? 0xffffffffull : 0; });
      expect("set." + c + ".f32." + t.type + " {0}, {1}, {2};", "b32", {b, b}, rows,
             [&](const Row &r) { return says(r) ? bits_of(1.f) : 0; });
      expect("set." + c + ".s32." + t.type + " {0}, {1}, {2};", "b32", {b, b}, rows,
             [&](const Row &r) { return says(r) ? 0xffffffffull : 0; });
    }
  }
}

TEST(Comparisons, WithAPredicateAndBothResults)
{
  const auto rows = rows_of({integers(32), integers(32), {0, 1}});
  struct {
    const char *name;
    bool (*f)(bool, bool);
  } const operations[] = {{"and", [](bool a, bool b) { return a && b; }},
                          {"or", [](bool a, bool b) { return a || b; }},
                          {"xor", [](bool a, bool b) { return a != b; }}};
  for (const auto &o : operations)
    for (const bool negated : {false, true}) {
      const std::string p = negated ? "!{3}" : "{3}", op = std::string("setp.lt.") + o.name + ".s32";
      const auto first = [&](const Row &r) { return o.f(s32(r[0]) < s32(r[1]), bool(r[2]) != negated); };
      const auto second = [&](const Row &r) { return o.f(!(s32(r[0]) < s32(r[1])), bool(r[2]) != negated); };
      expect(op + " {0}|%p1, {1}, {2}, " + p + ";", "pred", {"b32", "b32", "pred"}, rows, first);
      expect(op + " %p1|{0}, {1}, {2}, " + p + ";", "pred", {"b32", "b32", "pred"}, rows, second);
      expect(std::string("set.lt.") + o.name + ".u32.s32 {0}, {1}, {2}, " + p + ";", "b32", {"b32", "b32", "pred"},
             rows, [&](const Row &r) { return first(r) ? 0xffffffffull : 0; });
    }
  const std::vector<u64> tiny{0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x800000};
  const auto flushed = [](u64 x) { return x & 0x7f800000 ? as<float>(x) : 0.f; };
  for (const std::string op : {"setp.eq.ftz.f32 {0}, {1}, {2};", "setp.lt.ftz.f32 {0}, {1}, {2};"})
    expect(op, "pred", {"b32", "b32"}, rows_of({tiny, tiny}), [&](const Row &r) {
      return u64(op[5] == 'e' ? flushed(r[0]) == flushed(r[1]) : flushed(r[0]) < flushed(r[1]));
    });
  expect("set.gt.ftz.u32.f32 {0}, {1}, {2};", "b32", {"b32", "b32"}, rows_of({tiny, tiny}),
         [&](const Row &r) { return flushed(r[0]) > flushed(r[1]) ? 0xffffffffull : 0; });
}

TEST(Choices, OfAllTypes)
{
  for (const std::string t : {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"}) {
    const int w = std::stoi(t.substr(1));
    const std::string b = type('b', w);
    expect("selp." + t + " {0}, {1}, {2}, {3};", b, {b, b, "pred"}, rows_of({integers(w), integers(w), {0, 1}}),
           [](const Row &r) { return r[2] ? r[0] : r[1]; });
    expect("slct." + t + ".s32 {0}, {1}, {2}, {3};", b, {b, b, "b32"}, rows_of({{1, 2}, {3, 4}, integers(32)}),
           [](const Row &r) { return s32(r[2]) >= 0 ? r[0] : r[1]; });
    for (const bool ftz : {false, true})
      expect("slct." + std::string(ftz ? "ftz." : "") + t + ".f32 {0}, {1}, {2}, {3};", b, {b, b, "b32"},
             rows_of({{1, 2}, {3, 4}, floats(32)}), [&](const Row &r) {
               const float c = ftz && !(r[2] & 0x7f800000) ? 0.f : as<float>(r[2]);
               return c >= 0 ? r[0] : r[1];
             });
  }
}
} // namespace
