// SPDX-License-Identifier: BSD-2-Clause
// Conversion of scalars for storage: the power of two that scales them, and the conversion of a contiguous range.
//
// A stored scalar is To(single(scale o)). Multiplication by a power of two is exact, so that single(scale o) has the
// digits of single(o). A scale of 1 changes nothing.
#pragma once

#include "base/scalar.hpp"
#include "base/simd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace finegrain
{

inline constexpr double largest_half = 65504;

// Kernels that read a block in vectors may read up to this many bytes past its end. They never use them.
inline constexpr std::size_t block_slack = 64;

// Returns the largest power of two with scale * largest <= 65504. The product, and everything smaller, then does not
// overflow when it is rounded to single and to half. The scale and its inverse are normal numbers of T, so that both
// products are exact; values below 65504 / 2^1022 (float: 2^126) therefore stay below 65504. Returns 1 if `largest`
// is zero or not finite. For a complex matrix `largest` includes real and imaginary parts. bfloat16 has the range of
// single and is stored with a scale of 1.
template <class T> KOKKOS_INLINE_FUNCTION T find_scale(T largest)
{
  if (!(largest > 0) || !std::isfinite(largest)) return 1;
  int exponent = 0;
  const T fraction = std::frexp(largest, &exponent); // in [1/2, 1), also for subnormal numbers
  const bool too_large = fraction > T(largest_half / 65536);
  constexpr int limit = 1 - std::numeric_limits<T>::min_exponent;
  return std::ldexp(T(1), std::clamp(16 - exponent - int(too_large), -limit, limit));
}

namespace detail
{

// Bits of the largest positive float that becomes zero in storage. Half of the smallest stored number is rounded to
// zero, which is even.
template <class To> inline constexpr std::int32_t last_flushed = 0;
template <> inline constexpr std::int32_t last_flushed<Half> = 0x33000000; // 2^-25
template <> inline constexpr std::int32_t last_flushed<BFloat16> = 0x8000;
// Bits of the smallest positive float that becomes infinite in storage. The middle between the largest stored number
// and the next power of two is rounded up.
template <class To> inline constexpr std::int32_t first_infinite = 0x7f800000;
template <> inline constexpr std::int32_t first_infinite<Half> = 0x477ff000; // 65520
template <> inline constexpr std::int32_t first_infinite<BFloat16> = 0x7f7f8000;
inline constexpr std::int32_t infinity = 0x7f800000;

// memcpy() is used on hosts, because the memory may also contain another type. nvcc would compile it to moves of
// single bytes.
template <class T> KOKKOS_FORCEINLINE_FUNCTION T read_number(const T *from)
{
#if defined(FINEGRAIN_ON_DEVICE)
  return *from;
#else
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
#endif
}
template <class T> KOKKOS_FORCEINLINE_FUNCTION void write_number(T *to, const T &value)
{
#if defined(FINEGRAIN_ON_DEVICE)
  *to = value;
#else
  std::memcpy(to, &value, sizeof(value));
#endif
}

} // namespace detail

// A conversion returns what it found.
struct Narrowed {
  Offset flushed = 0;       // parts that were nonzero and are stored as zero
  std::int32_t largest = 0; // bits of the largest magnitude in single precision; not for storage as double
  bool finite = true;       // as stored

  KOKKOS_FORCEINLINE_FUNCTION void add(const Narrowed &more)
  {
    flushed += more.flushed;
    largest = more.largest > largest ? more.largest : largest;
    finite = finite && more.finite;
  }
};

// Returns whether a maximum that was rounded to single precision, in bits, has the scale of the exact maximum.
// Rounding is monotone. Scales change at 65504 2^k, and a maximum above such a number may be rounded to it.
inline bool decides_scale(std::int32_t largest)
{
  constexpr std::int32_t exponent = 0x7f800000, fraction_of_limit = 0x7fe000;
  const std::int32_t e = largest & exponent;
  return e > 0 && e < exponent && (largest & ~exponent) != fraction_of_limit;
}

// Converts one real number. `limited`: one that is too large for To counts as not finite but is stored as a large
// number, because hardware that converts it would raise an overflow.
template <class To, class From, bool limited = false>
KOKKOS_FORCEINLINE_FUNCTION Narrowed narrow_one(From from, From scale, To &to)
{
  static_assert(sizeof(To) <= sizeof(float) || std::is_same_v<To, From>);
  const From scaled = scale * from;
  if constexpr (std::is_same_v<To, double>) {
    to = scaled;
    return {from != From(0) && scaled == From(0), 0, scaled * 0 == 0};
  } else {
    const float single = float(scaled);
    const std::int32_t bits = detail::bits_as<std::int32_t>(single), size = bits & 0x7fffffff; // large for NaN
    const bool fits = !limited || size < detail::first_infinite<To> || size >= detail::infinity;
    to = convert<To>(detail::bits_as<float>(fits ? bits : (bits - size) | (detail::first_infinite<To> - 1)));
    return {from != From(0) && size <= detail::last_flushed<To>, size, size < detail::first_infinite<To>};
  }
}

// to[i] = To(single(scale from[i])) for ranges of scalars, one after the other, complex ones by parts. `to` may be
// the memory of `from`: the next scalars to be read are at higher addresses than those being written, so that each is
// read before it is overwritten.
template <class To, class From, bool limited = false> class Narrower
{
public:
  KOKKOS_FORCEINLINE_FUNCTION void convert(const From *from, Offset count, PartOf<From> scale, To *to)
  {
    convert_parts(reinterpret_cast<const Part *>(from), Parts<From>::count * count, scale,
                  reinterpret_cast<StoredPart *>(to));
  }
  // Returns what all conversions found.
  KOKKOS_FORCEINLINE_FUNCTION Narrowed found() const
  {
    Narrowed all = single_;
#if !defined(FINEGRAIN_DEVICE_COMPILER)
    for (int i = 0; i < width; ++i)
      all.add({lost_[i], largest_[i], largest_[i] < detail::first_infinite<StoredPart> && check_[i] == 0});
#endif
    return all;
  }

private:
  using Part = PartOf<From>;
  using StoredPart = PartOf<To>;

  KOKKOS_FORCEINLINE_FUNCTION void convert_parts(const Part *from, Offset count, Part scale, StoredPart *to)
  {
    Offset i = 0;
#if !defined(FINEGRAIN_DEVICE_COMPILER)
    for (const Offset vectorized = count / width * width; i < vectorized; i += width)
      convert_vector(vector_read<Part, width>(from + i), scale, to + i);
#endif
    for (; i < count; ++i) {
      StoredPart stored;
      single_.add(narrow_one<StoredPart, Part, limited>(detail::read_number(from + i), scale, stored));
      detail::write_number(to + i, stored);
    }
  }

  Narrowed single_;
#if !defined(FINEGRAIN_DEVICE_COMPILER)
  static constexpr int width = 32 / sizeof(Part);
  using Vector = VectorType<Part, width>;
  using Counts = VectorType<std::int32_t, width>;
  Counts lost_{}, largest_{};
  Vector check_{}; // storage as double: not zero if a scalar is not finite

  KOKKOS_FORCEINLINE_FUNCTION void convert_vector(Vector before, Part scale, StoredPart *to)
  {
    const Vector scaled = before * scale;
    if constexpr (std::is_same_v<StoredPart, double>) {
      vector_write<double, width>(to, scaled);
      lost_ -= __builtin_convertvector((before != 0) & (scaled == 0), Counts);
      check_ += scaled * 0;
    } else {
      const auto single = __builtin_convertvector(scaled, VectorType<float, width>);
      const Counts bits = detail::load_vector<std::int32_t, width>(&single), size = bits & 0x7fffffff;
      const Counts fits = (size < detail::first_infinite<StoredPart>) | (size >= detail::infinity);
      const Counts kept = fits ? bits : (bits - size) | (detail::first_infinite<StoredPart> - 1);
      vector_write<float, width>(to, limited ? detail::load_vector<float, width>(&kept) : single);
      lost_ -= __builtin_convertvector(before != 0, Counts) & (size <= detail::last_flushed<StoredPart>);
      largest_ = size > largest_ ? size : largest_;
    }
  }
#endif
};

// Converts one range.
template <class To, class From>
KOKKOS_INLINE_FUNCTION Narrowed narrow(const From *from, Offset count, PartOf<From> scale, To *to)
{
  Narrower<To, From> narrower;
  narrower.convert(from, count, scale, to);
  return narrower.found();
}

} // namespace finegrain
