// SPDX-License-Identifier: BSD-2-Clause
// Floating point arithmetic. For rounding to nearest the oracle is this processor. In other directions it steps to
// the neighbor if the exact result, which is known in 128 bits, is on that side.
#include "interpreter.hpp"

#include <cfenv>
#include <cmath>

using namespace test;

namespace
{
using Quad = __float128;

// A number that no type holds, as the sum of two that do not overlap.
struct Exact {
  Quad high, low;
};
Exact sum(Quad a, Quad b)
{
  const Quad s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
int sign(const Exact &e)
{
  const Quad x = e.high != 0 ? e.high : e.low;
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}
int sign_of_difference(const Exact &e, Quad x) // sign of e - x
{
  const Exact d = sum(e.high, -x);
  return sign(sum(d.high, d.low + e.low));
}

// Corrects `nearest` for the direction of rounding; `rest` is the sign of the exact result less `nearest`.
template <class T> T directed(T nearest, int rest, char mode)
{
  const T infinity = std::numeric_limits<T>::infinity();
  if (std::isnan(nearest) || rest == 0) return nearest;
  const bool up = mode == 'p' || (mode == 'z' && std::signbit(nearest));
  if (mode == 'n' || (rest > 0) != up) return nearest;
  return std::nextafter(nearest, up ? infinity : -infinity);
}

template <class T> struct Of {
  static constexpr int width = 8 * sizeof(T);
  static std::string name() { return type('f', width); }
  static std::string reg() { return type('b', width); }
  static T value(u64 x) { return as<T>(x); }
  static u64 result(T x)
  {
    if (std::isnan(x)) return width == 32 ? 0x7fffffff : 0x7ff8000000000000;
    return bits_of(x);
  }
};
bool finite(std::initializer_list<double> all)
{
  for (const double x : all)
    if (!std::isfinite(x)) return false;
  return true;
}

template <class T> T added(T a, T b, char mode)
{
  const T r = a + b;
  if (!finite({double(a), double(b)})) return r;
  const Exact e = sum(a, b);
  if (sign(e) == 0) // only equal zeros keep their sign
    return a == 0 && std::signbit(a) == std::signbit(b) ? a : mode == 'm' ? T(-0.) : T(0);
  if (std::isinf(r)) return directed(r, r > 0 ? -1 : 1, mode);
  return directed(r, sign_of_difference(e, r), mode);
}
template <class T> T multiplied(T a, T b, char mode)
{
  const T r = a * b;
  if (!finite({double(a), double(b)})) return r;
  if (std::isinf(r)) return directed(r, r > 0 ? -1 : 1, mode);
  return directed(r, sign_of_difference({Quad(a) * Quad(b), 0}, r), mode);
}
template <class T> T divided(T a, T b, char mode)
{
  const T r = a / b;
  if (!finite({double(a), double(b)}) || b == 0) return r;
  if (std::isinf(r)) return directed(r, r > 0 ? -1 : 1, mode);
  return directed(r, -sign_of_difference({Quad(r) * Quad(b), 0}, a) * (b < 0 ? -1 : 1), mode);
}
template <class T> T root(T a, char mode)
{
  const T r = std::sqrt(a);
  if (!finite({double(a), double(r)})) return r;
  return directed(r, -sign_of_difference({Quad(r) * Quad(r), 0}, a), mode);
}
template <class T> T fused(T a, T b, T c, char mode)
{
  const T r = std::fma(a, b, c);
  if (!finite({double(a), double(b), double(c)})) return r;
  const Quad product = Quad(a) * Quad(b);
  const Exact e = sum(product, c);
  if (sign(e) == 0) {
    const bool negative = std::signbit(a) != std::signbit(b);
    return product == 0 && c == 0 && negative == std::signbit(c) ? c : mode == 'm' ? T(-0.) : T(0);
  }
  if (std::isinf(r)) return directed(r, r > 0 ? -1 : 1, mode);
  return directed(r, sign_of_difference(e, r), mode);
}

template <class T> void all_roundings()
{
  using F = Of<T>;
  const auto two = rows_of({floats(F::width), floats(F::width)});
  for (const char mode : {'n', 'z', 'm', 'p'}) {
    const std::string t = std::string(".r") + mode + "." + F::name(), ab = t + " {0}, {1}, {2};";
    const auto binary = [&](const std::string &op, T (*f)(T, T, char)) {
      expect(
        op + ab, F::reg(), {F::reg(), F::reg()}, two,
        [&](const Row &r) { return F::result(f(F::value(r[0]), F::value(r[1]), mode)); }, F::width == 64);
    };
    binary("add", added<T>);
    binary("sub", [](T a, T b, char m) { return added(a, std::isnan(b) ? b : -b, m); });
    binary("mul", multiplied<T>);
    binary("div", divided<T>);
    for (const std::string op : {"fma", "mad"})
      expect(
        op + t + " {0}, {1}, {2}, {3};", F::reg(), {F::reg(), F::reg(), F::reg()},
        rows_of({floats(F::width), floats(F::width), floats(F::width)}),
        [&](const Row &r) { return F::result(fused(F::value(r[0]), F::value(r[1]), F::value(r[2]), mode)); },
        F::width == 64);
    const auto one = rows_of({floats(F::width)});
    expect(
      "rcp" + t + " {0}, {1};", F::reg(), {F::reg()}, one,
      [&](const Row &r) { return F::result(divided(T(1), F::value(r[0]), mode)); }, F::width == 64);
    expect(
      "sqrt" + t + " {0}, {1};", F::reg(), {F::reg()}, one,
      [&](const Row &r) { return F::result(root(F::value(r[0]), mode)); }, F::width == 64);
  }
}
TEST(Floats, SingleNumbersInAllRoundings) { all_roundings<float>(); }
TEST(Floats, DoublesInAllRoundings) { all_roundings<double>(); }

template <class T> void extremes()
{
  using F = Of<T>;
  const auto rows = rows_of({floats(F::width), floats(F::width)});
  const u64 nan = F::width == 32 ? 0x7fffffff : 0x7fffffffffffffff;
  for (const bool greatest : {false, true})
    for (const bool keeps : {false, true})
      expect(std::string(greatest ? "max" : "min") + (keeps ? ".NaN." : ".") + F::name() + " {0}, {1}, {2};",
             F::reg(), {F::reg(), F::reg()}, rows, [&](const Row &r) {
               const T a = F::value(r[0]), b = F::value(r[1]);
               if (std::isnan(a) || std::isnan(b)) {
                 if (keeps || (std::isnan(a) && std::isnan(b))) return nan;
                 return std::isnan(a) ? r[1] : r[0];
               }
               // -0 is less than +0
               const bool a_less = a < b || (a == b && std::signbit(a) > std::signbit(b));
               return a_less != greatest ? r[0] : r[1];
             });
}
TEST(Floats, ExtremesAndNaN)
{
  extremes<float>();
  extremes<double>();
}

TEST(Floats, Signs)
{
  for (const std::string t : {"f16", "bf16", "f32", "f64"}) {
    const int w = t == "f64" ? 64 : t == "f32" ? 32 : 16;
    const std::string b = type('b', w);
    const u64 top = 1ull << (w - 1);
    expect("abs." + t + " {0}, {1};", b, {b}, rows_of({floats(w)}), [&](const Row &r) { return r[0] % top; });
    expect("neg." + t + " {0}, {1};", b, {b}, rows_of({floats(w)}),
           [&](const Row &r) { return r[0] < top ? r[0] + top : r[0] - top; });
    if (w == 16) continue;
    expect("copysign." + t + " {0}, {1}, {2};", b, {b, b}, rows_of({floats(w), floats(w)}),
           [&](const Row &r) { return r[0] / top * top + r[1] % top; });
    const u64 infinite = w == 32 ? 0x7f800000 : 0x7ff0000000000000,
              normal = w == 32 ? 0x00800000 : 0x0010000000000000;
    const auto test = [&](const std::string &what, const std::function<bool(u64)> &says) {
      expect("testp." + what + "." + t + " {0}, {1};", "pred", {b}, rows_of({floats(w)}),
             [&](const Row &r) { return u64(says(r[0] % top)); });
    };
    test("finite", [&](u64 x) { return x < infinite; });
    test("infinite", [&](u64 x) { return x == infinite; });
    test("number", [&](u64 x) { return x <= infinite; });
    test("notanumber", [&](u64 x) { return x > infinite; });
    test("normal", [&](u64 x) { return (x >= normal && x < infinite) || x == 0; });
    test("subnormal", [&](u64 x) { return x > 0 && x < normal; });
  }
}

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.f, x) : x; }
float saturated(float x) { return !(x > 0) ? 0.f : x > 1 ? 1.f : x; }

TEST(Floats, SubnormalNumbersAreFlushed)
{
  std::vector<u64> small = floats(32);
  for (const u64 x : {0x00400000u, 0x00c00000u, 0x80ffffffu, 0x20000000u, 0x1f800000u}) small.push_back(x);
  const auto one = rows_of({small}), two = rows_of({small, small});
  const auto binary = [&](const std::string &op, float (*f)(float, float)) {
    expect(op + " {0}, {1}, {2};", "b32", {"b32", "b32"}, two, [&](const Row &r) {
      return Of<float>::result(flushed(f(flushed(as<float>(r[0])), flushed(as<float>(r[1])))));
    });
  };
  binary("add.ftz.f32", [](float a, float b) { return a + b; });
  binary("sub.ftz.f32", [](float a, float b) { return a - b; });
  binary("mul.ftz.f32", [](float a, float b) { return a * b; });
  binary("div.rn.ftz.f32", [](float a, float b) { return a / b; });
  binary("div.full.ftz.f32", [](float a, float b) { return a / b; });
  binary("div.approx.ftz.f32", [](float a, float b) { return a / b; });
  const auto lesser = [](float a, float b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : a < b || (a == b && std::signbit(a)) ? a : b;
  };
  binary("min.ftz.f32", lesser);
  binary("max.ftz.f32", [](float a, float b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : a > b || (a == b && !std::signbit(a)) ? a : b;
  });
  for (const std::string op : {"fma.rn.ftz.f32", "mad.rn.ftz.f32"})
    expect(op + " {0}, {1}, {2}, {3};", "b32", {"b32", "b32", "b32"}, rows_of({small, small, small}),
           [](const Row &r) {
             return Of<float>::result(
               flushed(std::fma(flushed(as<float>(r[0])), flushed(as<float>(r[1])), flushed(as<float>(r[2])))));
           });
  const auto unary = [&](const std::string &op, const std::function<float(float)> &f) {
    expect(op + " {0}, {1};", "b32", {"b32"}, one,
           [&](const Row &r) { return Of<float>::result(flushed(f(flushed(as<float>(r[0]))))); });
  };
  unary("rcp.approx.ftz.f32", [](float x) { return 1 / x; });
  unary("sqrt.approx.ftz.f32", [](float x) { return std::sqrt(x); });
  unary("rsqrt.approx.ftz.f32", [](float x) { return 1 / std::sqrt(x); });
  unary("ex2.approx.ftz.f32", [](float x) { return std::exp2(x); });
  unary("lg2.approx.ftz.f32", [](float x) { return std::log2(x); });
  unary("sin.approx.ftz.f32", [](float x) { return std::sin(x); });
  unary("cos.approx.ftz.f32", [](float x) { return std::cos(x); });
  for (const std::string op : {"abs.ftz.f32", "neg.ftz.f32"})
    expect(op + " {0}, {1};", "b32", {"b32"}, one, [&](const Row &r) {
      const u64 x = bits_of(flushed(as<float>(r[0])));
      return op[0] == 'a' ? x & 0x7fffffff : x ^ 0x80000000;
    });
}

TEST(Floats, RaiseNoExceptions)
{
  std::feclearexcept(FE_ALL_EXCEPT);
  run(kernel_of(0, "mov.f64 %d0, 0d0000000000000000; div.rn.f64 %d1, %d0, %d0;"), 1, 1, {});
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
}

TEST(Floats, Saturate)
{
  const auto rows = rows_of({floats(32), floats(32)});
  const auto binary = [&](const std::string &op, float (*f)(float, float)) {
    expect(op + " {0}, {1}, {2};", "b32", {"b32", "b32"}, rows,
           [&](const Row &r) { return bits_of(saturated(f(as<float>(r[0]), as<float>(r[1])))); });
  };
  binary("add.sat.f32", [](float a, float b) { return a + b; });
  binary("sub.sat.f32", [](float a, float b) { return a - b; });
  binary("mul.sat.f32", [](float a, float b) { return a * b; });
  for (const std::string op : {"fma.rn.sat.f32", "mad.rn.sat.f32"})
    expect(
      op + " {0}, {1}, {2}, {3};", "b32", {"b32", "b32", "b32"}, rows_of({floats(32), floats(32), floats(32)}),
      [](const Row &r) { return bits_of(saturated(std::fma(as<float>(r[0]), as<float>(r[1]), as<float>(r[2])))); });
}

// Doubles of which only the upper half counts; compilers begin a division with them.
TEST(Floats, CoarseReciprocals)
{
  const auto half = [](double x) {
    u64 b = bits_of(x) >> 32 << 32;
    if (!(b & 0x7ff0000000000000)) b &= 0x8000000000000000;
    return as<double>(b);
  };
  expect(
    "rcp.approx.ftz.f64 {0}, {1};", "b64", {"b64"}, rows_of({floats(64)}),
    [&](const Row &r) { return bits_of(half(1 / half(as<double>(r[0])))); }, true);
  expect(
    "rsqrt.approx.ftz.f64 {0}, {1};", "b64", {"b64"}, rows_of({floats(64)}),
    [&](const Row &r) { return bits_of(half(1 / std::sqrt(half(as<double>(r[0]))))); }, true);
  expect(
    "rsqrt.approx.f64 {0}, {1};", "b64", {"b64"}, rows_of({floats(64)}),
    [&](const Row &r) { return bits_of(1 / std::sqrt(as<double>(r[0]))); }, true);
}
} // namespace
