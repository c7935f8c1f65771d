// SPDX-License-Identifier: BSD-2-Clause
// Numbers on their way into storage: the power of two they are multiplied by, and the conversion of a run of them.
//
// A stored number is To(single(scale o)). Multiplying by a power of two is exact, so that single(scale o) carries
// what o carries, and a scale of 1 changes nothing.
#pragma once

#include "base/scalar.hpp"
#include "base/simd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace finegrain
{

inline constexpr double largest_half = 65504;

// Kernels that read a block in wide pieces may read past its end by up to so many bytes, which are never used.
inline constexpr std::size_t block_slack = 64;

// The largest power of two that keeps scale * largest at most 65504, which rounds to no infinity: it and everything
// below survives the rounding to single and then to half. The scale and its inverse are both normal numbers of T, so
// that either product is exact; numbers below 65504 / 2^1022 (float: 2^126) therefore stay below 65504. 1 for zero
// and for what is not finite. The largest of a complex matrix is over real and imaginary parts; bfloat16, with
// single's range, is stored with a scale of 1.
template <class T> KOKKOS_INLINE_FUNCTION T find_scale(T largest)
{
  if (!(largest > 0) || !std::isfinite(largest)) return 1;
  int exponent = 0;
  const T fraction = std::frexp(largest, &exponent); // 1/2 to 1, subnormal numbers too
  const bool too_large = fraction > T(largest_half / 65536);
  constexpr int limit = 1 - std::numeric_limits<T>::min_exponent;
  return std::ldexp(T(1), std::clamp(16 - exponent - int(too_large), -limit, limit));
}

namespace detail
{

// Of a float, without its sign, what becomes zero in storage: half of the smallest number goes to zero, being even.
template <class To> inline constexpr std::int32_t last_flushed = 0;
template <> inline constexpr std::int32_t last_flushed<Half> = 0x33000000; // 2^-25
template <> inline constexpr std::int32_t last_flushed<BFloat16> = 0x8000;

// The memory may hold another type too, which memcpy() allows; nvcc would move single bytes.
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

// One real number. True: it was not zero and is zero now.
template <class To, class From> KOKKOS_FORCEINLINE_FUNCTION bool narrow_one(From from, From scale, To &to)
{
  static_assert(sizeof(To) <= sizeof(float) || std::is_same_v<To, From>);
  const From scaled = scale * from;
  if constexpr (std::is_same_v<To, From>) {
    to = scaled;
    return from != From(0) && scaled == From(0);
  } else {
    const float single = float(scaled);
    const std::int32_t size = detail::bits_as<std::int32_t>(single) & 0x7fffffff; // NaN is large
    to = convert<To>(single);
    return from != From(0) && size <= detail::last_flushed<To>;
  }
}

// to[i] = To(single(scale from[i])) for count numbers, complex ones by parts; returns how many parts were not zero
// and are zero now. `to` may be the memory of `from`: every number is read before anything is written over it,
// because the next ones to be read lie further up than the next ones to be written.
template <class To, class From>
KOKKOS_INLINE_FUNCTION Offset narrow(const From *from, Offset count, PartOf<From> scale, To *to)
{
  if constexpr (Parts<From>::count == 2)
    return narrow(reinterpret_cast<const PartOf<From> *>(from), 2 * count, scale, reinterpret_cast<PartOf<To> *>(to));
  else {
    Offset flushed = 0, whole = 0;
#if !defined(FINEGRAIN_DEVICE_COMPILER)
    if constexpr (!std::is_same_v<To, double>) {
      constexpr int width = 32 / sizeof(From);
      VectorType<From, width> factor{};
      VectorType<std::int32_t, width> lost{};
      for (int lane = 0; lane < width; ++lane) factor[lane] = scale;
      whole = count / width * width;
      for (Offset i = 0; i < whole; i += width) {
        const auto before = vector_read<From, width>(from + i);
        const auto scaled = before * factor;
        const auto single = __builtin_convertvector(scaled, VectorType<float, width>);
        const auto size = detail::load_vector<std::int32_t, width>(&single) & 0x7fffffff;
        vector_write<float, width>(to + i, single);
        lost -=
          __builtin_convertvector(before != 0, VectorType<std::int32_t, width>) & (size <= detail::last_flushed<To>);
      }
      for (int lane = 0; lane < width; ++lane) flushed += lost[lane];
    }
#endif
    for (Offset i = whole; i < count; ++i) {
      To stored;
      flushed += narrow_one(detail::read_number(from + i), scale, stored);
      detail::write_number(to + i, stored);
    }
    return flushed;
  }
}

} // namespace finegrain
