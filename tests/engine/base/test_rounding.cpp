// SPDX-License-Identifier: BSD-2-Clause
// 16-bit storage types: conversions compared with arithmetic and with each other, vector reads and writes compared
// with scalar ones, scales, and values that are flushed to zero.
#include "oracle.hpp"

#include "base/simd.hpp"
#include "base/rounding.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

using Bits = std::uint16_t;

// Decodes a half by its definition.
double value_of_half(unsigned bits)
{
  const int exponent = int(bits >> 10) & 31, mantissa = int(bits & 1023);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24));
}

// Floats next to every half and every midpoint of two halves, and random ones.
std::vector<float> telling_floats()
{
  std::vector<float> all;
  const auto add = [&](double x) {
    const float f = float(x);
    for (const float y : {f, std::nextafter(f, -INFINITY), std::nextafter(f, INFINITY)}) all.push_back(y);
  };
  for (unsigned h = 0; h < 0x7c00; ++h) {
    add(value_of_half(h));
    add((value_of_half(h) + (h == 0x7bff ? 65536 : value_of_half(h + 1))) / 2);
  }
  std::mt19937 random(5);
  for (int i = 0; i < 200000; ++i) all.push_back(std::bit_cast<float>(std::uint32_t(random())));
  for (const std::uint32_t bits : {0x7f800000u, 0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0x7fa00000u, 0x00000001u,
                                   0x007fffffu, 0x7f7fffffu, 0x7f7f8000u, 0x7f7f7fffu})
    all.push_back(std::bit_cast<float>(bits));
  const std::size_t half = all.size();
  for (std::size_t i = 0; i < half; ++i) all.push_back(-all[i]);
  return all;
}

// Finds the nearest 16-bit value by search; ties to even.
template <class T> Bits nearest(float x)
{
  const double limit = std::is_same_v<T, Half> ? 65536 : std::ldexp(1., 128); // rounds to infinity
  const Bits top = std::is_same_v<T, Half> ? 0x7c00 : 0x7f80;
  const auto value = [&](Bits b) { return b == top ? limit : double(to_single(T{b})); };
  const double a = std::fabs(double(x));
  Bits below = 0;
  for (Bits step = 0x4000; step > 0; step = Bits(step / 2))
    if (below + step <= top && value(Bits(below + step)) <= a) below = Bits(below + step);
  if (below < top) {
    const double down = a - value(below), up = value(Bits(below + 1)) - a;
    if (up < down || (up == down && below % 2 == 1)) ++below;
  }
  return Bits(below | (std::signbit(x) ? 0x8000 : 0));
}

TEST(Half, EveryOneIsItsValue)
{
  for (unsigned h = 0; h < 65536; ++h) {
    const float single = to_single(Half{Bits(h)});
    const double expected = value_of_half(h);
    EXPECT_TRUE(std::isnan(expected) ? std::isnan(single) : double(single) == expected) << h;
    EXPECT_EQ(std::signbit(single), (h & 0x8000) != 0);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(single), std::bit_cast<std::uint32_t>(detail::widen_half(Bits(h)))) << h;
    EXPECT_EQ(to_half(single).bits, std::isnan(expected) ? h | 0x200 : h); // a NaN becomes quiet
    EXPECT_EQ(to_half(single).bits, detail::narrow_half(single));
  }
}

TEST(Half, RoundsToNearestEven)
{
  for (const float x : telling_floats()) {
    const Bits bits = to_half(x).bits;
    ASSERT_EQ(bits, detail::narrow_half(x)) << std::bit_cast<std::uint32_t>(x);
    ASSERT_TRUE(std::isnan(x) ? std::isnan(to_single(Half{bits})) : bits == nearest<Half>(x)) << x;
  }
  EXPECT_EQ(to_half(65519.996f).bits, 0x7bff);
  EXPECT_EQ(to_half(65520.f).bits, 0x7c00);
  EXPECT_EQ(convert<Half>(65519.999999).bits, 0x7c00); // rounded to single first, which gives 65520
  EXPECT_EQ(to_half(std::ldexp(1.f, -25)).bits, 0);
  EXPECT_EQ(to_half(std::nextafter(std::ldexp(1.f, -25), 1.f)).bits, 1);
}

TEST(BFloat16, RoundsToNearestEven)
{
  for (const float x : telling_floats()) {
    const Bits bits = to_bfloat16(x).bits;
    ASSERT_TRUE(std::isnan(x) ? std::isnan(to_single(BFloat16{bits})) : bits == nearest<BFloat16>(x)) << x;
  }
  for (unsigned b = 0; b < 65536; ++b) {
    const float x = to_single(BFloat16{Bits(b)});
    EXPECT_TRUE(std::isnan(x) || to_bfloat16(x).bits == b) << b;
  }
}

TEST(Storage, ConvertsComplexNumbersByParts)
{
  const Kokkos::complex<double> z(1.0000001, -65600);
  const StoredComplex<Half> h = convert<StoredComplex<Half>>(z);
  const Kokkos::complex<float> single = convert<Kokkos::complex<float>>(h);
  EXPECT_EQ(h.re.bits, 0x3c00);
  EXPECT_EQ(h.im.bits, 0xfc00);
  EXPECT_EQ(single.real(), 1.f);
  EXPECT_EQ(single.imag(), -INFINITY);
  EXPECT_EQ(convert<Scalar>(convert<HalfScalar>(Scalar(2))), Scalar(2));
  EXPECT_EQ(storage_size(Precision::half), sizeof(Scalar) / sizeof(Real) * 2);
  EXPECT_EQ(storage_size(Precision::bfloat16), sizeof(BFloat16Scalar));
}

TEST(Storage, DiagonalsAreNeverBelowSingle)
{
  for (const Precision p : {Precision::half, Precision::bfloat16}) {
    EngineOptions r;
    r.method = Method::relaxation;
    r.precision = p;
    EXPECT_EQ(find_conflict(r), nullptr);
    r.diagonal = p;
    ASSERT_NE(find_conflict(r), nullptr);
    EXPECT_NE(std::strstr(find_conflict(r), "bfloat16 store couplings"), nullptr);
  }
}

template <class T> bool same_bits(const T &a, const T &b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }

#if !defined(__CUDACC__)

// Stored values of all kinds.
template <class T> std::vector<T> stored_numbers()
{
  const std::vector<float> floats = telling_floats();
  std::vector<T> all;
  for (std::size_t i = 0; i < floats.size(); i += 37) all.push_back(convert<T>(floats[i]));
  return all;
}

// True if a and b are bitwise identical, or both NaN: compilers omit conversions to another type and back, which
// would make a signalling NaN quiet.
template <class T> bool same_number(const T &a, const T &b)
{
  return same_bits(a, b) || (std::isnan(convert<float>(a)) && std::isnan(convert<float>(b)));
}

template <class Element, int H, class T> void check_vectors()
{
  const std::vector<T> from = stored_numbers<T>();
  for (std::size_t first = 0; first + std::size_t(H) <= from.size(); ++first) {
    // The values end at the end of an allocation, so that AddressSanitizer detects a read beyond them.
    const std::vector<T> exact(from.begin() + long(first), from.begin() + long(first) + H);
    VectorType<Element, H> v = vector_read<Element, H>(exact.data());
    std::vector<T> back(static_cast<std::size_t>(H), T{});
    vector_write<Element, H>(back.data(), v);
    for (int i = 0; i < H; ++i) {
      const Element found = v[i], one = convert<Element>(exact[std::size_t(i)]);
      ASSERT_TRUE(same_number(found, one)) << found << " is not " << one;
      ASSERT_TRUE(same_number(back[std::size_t(i)], convert<T>(found))) << found;
    }
  }
}

TEST(Storage, VectorsAreReadAndWrittenAsOneByOne)
{
  const auto check = []<class T>(T) {
    check_vectors<double, 2, T>();
    check_vectors<double, 4, T>();
    check_vectors<float, 2, T>();
    check_vectors<float, 4, T>();
    check_vectors<float, 8, T>();
  };
  check(Half());
  check(BFloat16());
  check(float());
  check(double());
}

#endif

template <int W, class T> void check_accumulator()
{
  const std::vector<Scalar> numbers = make_vector(200, 3);
  std::vector<T> stored;
  for (const Scalar a : numbers) stored.push_back(convert<T>(a));
  for (std::size_t first = 0; first + std::size_t(W) <= stored.size(); ++first) {
    Accumulator<W> sums;
    sums.load(stored.data() + first);
    std::vector<Scalar> read(static_cast<std::size_t>(W), Scalar(0));
    std::vector<T> back(static_cast<std::size_t>(W), T{});
    sums.store(read.data());
    sums.store(back.data());
    for (std::size_t i = 0; i < std::size_t(W); ++i) {
      ASSERT_EQ(read[i], convert<Scalar>(stored[first + i]));
      ASSERT_TRUE(same_bits(back[i], stored[first + i]));
    }
    sums.add_product(multiplier(Scalar(3)), stored.data() + first);
    sums.store(read.data());
    for (std::size_t i = 0; i < std::size_t(W); ++i)
      ASSERT_EQ(read[i], madd(Scalar(3), convert<Scalar>(stored[first + i]), convert<Scalar>(stored[first + i])));
  }
}

TEST(Storage, AccumulatorsReadSixteenBits)
{
  [&]<int... W>(std::integer_sequence<int, W...>)
  {
    (check_accumulator<W + 1, HalfScalar>(), ...);
    (check_accumulator<W + 1, BFloat16Scalar>(), ...);
  }
  (std::make_integer_sequence<int, 9>());
}

template <class T> void check_scale()
{
  using Limits = std::numeric_limits<T>;
  const int limit = 1 - Limits::min_exponent;
  std::vector<T> all{Limits::denorm_min(), 3 * Limits::denorm_min(), Limits::min(), Limits::max(), 1, 65504, 65536};
  for (int e = Limits::min_exponent - 20; e < Limits::max_exponent; ++e)
    for (const double m : {1., 1.5, 1.99, 1.9990234375, 1.9990235, 1.9995, 1.99951171875, 1.9999}) // 65504 to 65520
      all.push_back(std::ldexp(T(m), e));
  for (const T largest : all) {
    if (!(largest > 0) || !std::isfinite(largest)) continue;
    const T scale = find_scale(largest);
    int exponent;
    ASSERT_EQ(std::frexp(scale, &exponent), T(0.5));
    ASSERT_TRUE(std::isnormal(scale) && std::isnormal(1 / scale) && scale * (1 / scale) == 1) << largest;
    ASSERT_LE(scale * largest, T(65504)) << largest;
    ASSERT_TRUE(std::abs(exponent - 1) == limit || 2 * scale * largest > T(65504)) << largest;
    ASSERT_TRUE(largest < Limits::min() || scale * largest / scale == largest) << largest;
    for (const T next : {largest, std::nextafter(largest, T(0))})
      ASSERT_LE(convert<Half>(scale * next).bits, 0x7bff) << "an infinity of " << next;
  }
  for (const T none : {T(0), Limits::infinity(), Limits::quiet_NaN()}) EXPECT_EQ(find_scale(none), T(1));
  EXPECT_EQ(find_scale(T(1)), T(32768));
  EXPECT_EQ(find_scale(T(65504)), T(1));
  EXPECT_EQ(find_scale(std::nextafter(T(65504), T(65536))), T(0.5));
}

TEST(Storage, ScalesArePowersOfTwoThatReachNoInfinity)
{
  check_scale<double>();
  check_scale<float>();
}

// Reals of all kinds: ties, values that round to zero, infinities, zeros of both signs.
template <class From> std::vector<From> telling_numbers()
{
  std::vector<From> all{From(0), From(-0.)};
  for (const float f : telling_floats())
    if (all.size() < 400000) all.push_back(From(f));
  if constexpr (std::is_same_v<From, double>) // values that would round twice
    for (std::size_t i = 0; i < 100000; ++i) all.push_back(all[3 * i] * (1 + 1e-9 * double(i % 7)));
  return all;
}

template <class To, class From> void check_narrow(From scale)
{
  const std::vector<From> from = telling_numbers<From>();
  std::size_t first = 0;
  for (std::size_t count = 0; first + count <= from.size(); count = count < 70 ? count + 1 : 4099) {
    const std::vector<From> exact(from.begin() + long(first), from.begin() + long(first + count));
    std::vector<To> to(count + 1, convert<To>(7.f)), expected = to;
    Offset flushed = 0;
    std::int32_t largest = 0;
    bool finite = true;
    for (std::size_t i = 0; i < count; ++i) {
      expected[i] = convert<To>(float(scale * exact[i]));
      largest = std::max(largest, detail::bits_as<std::int32_t>(std::abs(float(scale * exact[i]))));
      finite = finite && std::isfinite(convert<float>(expected[i]));
      flushed += exact[i] != From(0) && convert<float>(expected[i]) == 0;
    }
    const Narrowed found = narrow(exact.data(), Offset(count), scale, to.data());
    ASSERT_EQ(found.flushed, flushed) << count;
    ASSERT_EQ(found.finite, finite) << count;
    if (!std::is_same_v<To, double>) {
      ASSERT_EQ(found.largest, largest) << count;
    }
    ASSERT_EQ(std::memcmp(to.data(), expected.data(), to.size() * sizeof(To)), 0) << count << " from " << first;
    first += count > 0 ? count : 1;
  }
}

TEST(Storage, RunsAreNarrowedAsOneByOne)
{
  for (const int e : {0, 15, -20, 100}) {
    check_narrow<Half, float>(std::ldexp(1.f, e));
    check_narrow<BFloat16, float>(std::ldexp(1.f, e));
    check_narrow<float, float>(std::ldexp(1.f, e));
    check_narrow<Half, double>(std::ldexp(1., e));
    check_narrow<BFloat16, double>(std::ldexp(1., e));
    check_narrow<float, double>(std::ldexp(1., e));
  }
}

TEST(Storage, BlocksOfScalarsAreNarrowedSymmetrically)
{
  std::vector<Scalar> block = make_vector(25, 4);
  for (std::size_t c = 0; c < 5; ++c)
    for (std::size_t r = 0; r < c; ++r) block[c * 5 + r] = block[r * 5 + c];
  const Real scale = find_scale(Real(2));
  std::vector<HalfScalar> half(25);
  EXPECT_EQ(narrow(block.data(), 25, scale, half.data()).flushed, 0);
  for (std::size_t c = 0; c < 5; ++c)
    for (std::size_t r = 0; r < 5; ++r) {
      EXPECT_TRUE(same_bits(half[c * 5 + r], half[r * 5 + c]));
      EXPECT_LE(magnitude(convert<Scalar>(half[c * 5 + r]) / scale - block[c * 5 + r]),
                Real(1. / 2048) * magnitude(block[c * 5 + r]));
    }
  block.assign(25, Scalar(0));
  EXPECT_EQ(narrow(block.data(), 25, scale, half.data()).flushed, 0) << "zeros are not flushed";
  block[24] = Scalar(Real(1e-20));
  EXPECT_EQ(narrow(block.data(), 25, scale, half.data()).flushed, 1);
}

} // namespace
