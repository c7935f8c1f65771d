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

// Converts one real number. Returns true if it was nonzero and is stored as zero.
template <class To, class From> KOKKOS_FORCEINLINE_FUNCTION bool narrow_one(From from, From scale, To &to)
{
  static_assert(sizeof(To) <= sizeof(float) || std::is_same_v<To, From>);
  const From scaled = scale * from;
  if constexpr (std::is_same_v<To, From>) {
    to = scaled;
    return from != From(0) && scaled == From(0);
  } else {
    const float single = float(scaled);
    const std::int32_t size = detail::bits_as<std::int32_t>(single) & 0x7fffffff; // large for NaN
    to = convert<To>(single);
    return from != From(0) && size <= detail::last_flushed<To>;
  }
}

// to[i] = To(single(scale from[i])) for `count` scalars, complex ones by parts. Returns how many parts were nonzero
// and are stored as zero. `to` may be the memory of `from`: the next scalars to be read are at higher addresses than
// those being written, so that each is read before it is overwritten.
template <class To, class From>
KOKKOS_INLINE_FUNCTION Offset narrow(const From *from, Offset count, PartOf<From> scale, To *to)
{
  if constexpr (Parts<From>::count == 2)
    return narrow(reinterpret_cast<const PartOf<From> *>(from), 2 * count, scale, reinterpret_cast<PartOf<To> *>(to));
  else {
    Offset flushed = 0, vectorized = 0;
#if !defined(FINEGRAIN_DEVICE_COMPILER)
    if constexpr (!std::is_same_v<To, double>) {
      constexpr int width = 32 / sizeof(From);
      VectorType<From, width> factor{};
      VectorType<std::int32_t, width> lost{};
      for (int i = 0; i < width; ++i) factor[i] = scale;
      vectorized = count / width * width;
      for (Offset i = 0; i < vectorized; i += width) {
        const auto before = vector_read<From, width>(from + i);
        const auto scaled = before * factor;
        const auto single = __builtin_convertvector(scaled, VectorType<float, width>);
        const auto size = detail::load_vector<std::int32_t, width>(&single) & 0x7fffffff;
        vector_write<float, width>(to + i, single);
        lost -=
          __builtin_convertvector(before != 0, VectorType<std::int32_t, width>) & (size <= detail::last_flushed<To>);
      }
      for (int i = 0; i < width; ++i) flushed += lost[i];
    }
#endif
    for (Offset i = vectorized; i < count; ++i) {
      To stored;
      flushed += narrow_one(detail::read_number(from + i), scale, stored);
      detail::write_number(to + i, stored);
    }
    return flushed;
  }
}

} // namespace finegrain
