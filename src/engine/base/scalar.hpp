// SPDX-License-Identifier: BSD-2-Clause
// Scalars, their storage types, and the one multiply-add that all row arithmetic uses. Every file of the engine
// includes it.
#pragma once

#include "base/kokkos.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>

#if defined(__AVX2__) && defined(__F16C__) && !defined(FINEGRAIN_DEVICE_COMPILER)
#define FINEGRAIN_F16C
#include <immintrin.h>
#endif

namespace finegrain
{

// Half precision and bfloat16 as storage types: 16 bits, with conversions from and to single. No arithmetic uses
// them.
//
// The engine has its own types, because Kokkos::half_t is a float of four bytes on hosts. Every conversion rounds to
// nearest, ties to even. Overflow gives an infinity, and NaN stays NaN. Wider types are converted through single,
// half(single(x)), on every path. The results of a copy, a reduction in place and a device are therefore bitwise
// identical.

struct Half {
  std::uint16_t bits;
};

// Upper half of a float: the range of single, eight bits of mantissa.
struct BFloat16 {
  std::uint16_t bits;
};

// A complex number in storage. Kokkos::complex requires an arithmetic type.
template <class T> struct StoredComplex {
  using value_type = T;
  T re, im;

  KOKKOS_FORCEINLINE_FUNCTION T real() const { return re; }
  KOKKOS_FORCEINLINE_FUNCTION T imag() const { return im; }
};

namespace detail
{

template <class To, class From> KOKKOS_FORCEINLINE_FUNCTION To bits_as(const From &from)
{
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

// Software conversions for targets without an instruction. They are bitwise identical to F16C, also for NaN. They
// have no branches, so that loops over them are vectorized.
KOKKOS_FORCEINLINE_FUNCTION float widen_half(std::uint16_t half)
{
  const std::uint32_t sign = std::uint32_t(half & 0x8000u) << 16, magnitude = std::uint32_t(half & 0x7fffu) << 13;
  const std::uint32_t quiet = magnitude > 0x0f800000u ? 0x00400000u : 0u;
  const std::uint32_t normal = magnitude + (magnitude >= 0x0f800000u ? 0x70000000u : 0x38000000u);
  // m 2^-24 = (2^-14 + m 2^-24) - 2^-14, exactly.
  const float small = bits_as<float>(magnitude + 0x38800000u) - bits_as<float>(0x38800000u);
  return bits_as<float>((magnitude < 0x00800000u ? bits_as<std::uint32_t>(small) : normal | quiet) | sign);
}

KOKKOS_FORCEINLINE_FUNCTION std::uint16_t narrow_half(float single)
{
  const std::uint32_t bits = bits_as<std::uint32_t>(single), sign = bits & 0x80000000u, magnitude = bits ^ sign;
  // Below 2^-14 the addition of 1/2 rounds to multiples of 2^-24, the smallest half.
  const std::uint32_t small =
    bits_as<std::uint32_t>(bits_as<float>(magnitude) + bits_as<float>(0x3f000000u)) - 0x3f000000u;
  // Adds half of the last place, minus one if the place before it is even. The carry may reach infinity.
  const std::uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const std::uint32_t finite = magnitude < 0x38800000u ? small : normal;
  const std::uint32_t large =
    magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x3ffu) : 0x7c00u; // a quiet NaN
  return std::uint16_t((magnitude >= 0x47800000u ? large : finite) | (sign >> 16));
}

} // namespace detail

KOKKOS_FORCEINLINE_FUNCTION float to_single(Half a)
{
#if defined(FINEGRAIN_DEVICE_HALF)
  return on_device::widen_half(a.bits);
#elif defined(FINEGRAIN_F16C)
  return _cvtsh_ss(a.bits);
#else
  return detail::widen_half(a.bits);
#endif
}

KOKKOS_FORCEINLINE_FUNCTION float to_single(BFloat16 a)
{
  return detail::bits_as<float>(std::uint32_t(a.bits) << 16);
}

KOKKOS_FORCEINLINE_FUNCTION Half to_half(float a)
{
#if defined(FINEGRAIN_DEVICE_HALF)
  return Half{on_device::narrow_half(a)};
#elif defined(FINEGRAIN_F16C)
  return Half{std::uint16_t(_mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set_ss(a), _MM_FROUND_TO_NEAREST_INT)))};
#else
  return Half{detail::narrow_half(a)};
#endif
}

KOKKOS_FORCEINLINE_FUNCTION BFloat16 to_bfloat16(float a)
{
  const std::uint32_t bits = detail::bits_as<std::uint32_t>(a);
  const std::uint32_t even = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16, quiet = (bits >> 16) | 0x40u;
  return BFloat16{std::uint16_t((bits & 0x7fffffffu) > 0x7f800000u ? quiet : even)};
}

// Real type of a stored or computed scalar, and its number of parts, 2 for complex types.
template <class T, class = void> struct Parts {
  using type = T;
  static constexpr int count = 1;
};
template <class T> struct Parts<T, std::void_t<typename T::value_type>> {
  using type = typename T::value_type;
  static constexpr int count = 2;
};
template <class T> using PartOf = typename Parts<T>::type;

// Converts between any two of double, float, Half and BFloat16, or their complex types.
template <class To, class From> KOKKOS_FORCEINLINE_FUNCTION To convert(const From &a)
{
  if constexpr (std::is_same_v<To, From>) return a;
  else if constexpr (Parts<From>::count == 2) return To{convert<PartOf<To>>(a.real()), convert<PartOf<To>>(a.imag())};
  else if constexpr (std::is_same_v<To, Half>) return to_half(convert<float>(a));
  else if constexpr (std::is_same_v<To, BFloat16>) return to_bfloat16(convert<float>(a));
  else if constexpr (std::is_arithmetic_v<From>) return static_cast<To>(a);
  else return static_cast<To>(to_single(a));
}

// Keeps rounded values that were stored `there` before they are read again. g++ 12 drops the rounding of double ->
// float -> double if it sees both and vectorizes them (tests/engine/factor/test_symmetric.cpp, blocks of 4;
// tests/packs).
KOKKOS_FORCEINLINE_FUNCTION void keep_rounding([[maybe_unused]] const void *there)
{
#if !defined(FINEGRAIN_ON_DEVICE)
  asm volatile("" ::"r"(there) : "memory");
#endif
}

using Index = std::int32_t;  // block rows, block columns, blocks
using Offset = std::int64_t; // scalars, update pairs

#if defined(FINEGRAIN_REAL_SINGLE)
using Real = float;
#else
using Real = double;
#endif
#if defined(FINEGRAIN_COMPLEX)
using Scalar = Kokkos::complex<Real>;
using Single = Kokkos::complex<float>;
using HalfScalar = StoredComplex<Half>;
using BFloat16Scalar = StoredComplex<BFloat16>;
#else
using Scalar = Real;
using Single = float;
using HalfScalar = Half;
using BFloat16Scalar = BFloat16;
#endif

// Storage precision of blocks. No arithmetic is below single precision.
enum class Precision { working, single, half, bfloat16 };

template <Precision P> using StorageOf =
  std::tuple_element_t<std::size_t(P), std::tuple<Scalar, Single, HalfScalar, BFloat16Scalar>>;

// Returns the bytes of a scalar.
inline std::size_t storage_size(Precision p)
{
  constexpr std::size_t sizes[] = {sizeof(Scalar), sizeof(Single), sizeof(HalfScalar), sizeof(BFloat16Scalar)};
  return sizes[std::size_t(p)];
}
inline std::size_t bytes_of_block(Precision p, int n) { return std::size_t(n) * std::size_t(n) * storage_size(p); }

// a b + c, rounded once if the target has fma. All kernels use this function, and their translation units are
// compiled without contraction. The results of all algorithms and schedules are therefore bitwise identical.
template <class T> KOKKOS_FORCEINLINE_FUNCTION T fused(T a, T b, T c)
{
#if defined(FINEGRAIN_ON_DEVICE)
  return Kokkos::fma(a, b, c);
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  if constexpr (std::is_same_v<T, float>) return __builtin_fmaf(a, b, c);
  else return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

template <class T> KOKKOS_FORCEINLINE_FUNCTION T madd(T a, T b, T c)
{
  if constexpr (std::is_floating_point_v<T>) return fused(a, b, c);
  else
    return T(fused(a.real(), b.real(), fused(-a.imag(), b.imag(), c.real())),
             fused(a.real(), b.imag(), fused(a.imag(), b.real(), c.imag())));
}

// a b. Complex products also use madd(): with operators their rounding would depend on how the compiler vectorizes
// the loop around them.
KOKKOS_FORCEINLINE_FUNCTION Scalar product(Scalar a, Scalar b)
{
  if constexpr (std::is_floating_point_v<Scalar>) return a * b;
  else return madd(a, b, Scalar(0));
}

// magnitude() is |re| + |im|, by which pivots are compared, as in BLAS. largest_part() is max(|re|, |im|), without
// the sign of a NaN.
#if defined(FINEGRAIN_COMPLEX)
KOKKOS_FORCEINLINE_FUNCTION Real real_part(Scalar a) { return a.real(); }
KOKKOS_FORCEINLINE_FUNCTION Scalar conjugate(Scalar a) { return Scalar(a.real(), -a.imag()); }
KOKKOS_FORCEINLINE_FUNCTION Real magnitude(Scalar a)
{
  return (a.real() < 0 ? -a.real() : a.real()) + (a.imag() < 0 ? -a.imag() : a.imag());
}
KOKKOS_FORCEINLINE_FUNCTION Real largest_part(Scalar a)
{
  const Real re = std::fabs(a.real()), im = std::fabs(a.imag());
  return re != re || re > im ? re : im;
}
KOKKOS_FORCEINLINE_FUNCTION Scalar reciprocal(Scalar a)
{
  const Real re = a.real() < 0 ? -a.real() : a.real(), im = a.imag() < 0 ? -a.imag() : a.imag();
  const Real scale = re > im ? re : im, r = a.real() / scale, i = a.imag() / scale, size = fused(r, r, i * i);
  return Scalar(r / size / scale, -i / size / scale);
}
#else
KOKKOS_FORCEINLINE_FUNCTION Real real_part(Scalar a) { return a; }
KOKKOS_FORCEINLINE_FUNCTION Scalar conjugate(Scalar a) { return a; }
KOKKOS_FORCEINLINE_FUNCTION Real magnitude(Scalar a) { return a < 0 ? -a : a; }
KOKKOS_FORCEINLINE_FUNCTION Real largest_part(Scalar a) { return std::fabs(a); }
KOKKOS_FORCEINLINE_FUNCTION Scalar reciprocal(Scalar a) { return 1 / a; }
#endif

// Returns false for NaN and both infinities.
KOKKOS_FORCEINLINE_FUNCTION bool is_finite(Real a) { return a - a == Real(0); }

// Treatment of pivots. amount > 0: small pivots are replaced by `amount` times the scale of their row and column
// (inversion.hpp; PETSc's MAT_SHIFT_INBLOCKS). zero > 0: a pivot that is at most `zero` relative to the values from
// which it was computed is treated as zero. definite: pivots of FactorKind::icc that are not positive definite are
// bad.
struct Shift {
  Real amount = 0;
  Real zero = 100 * std::numeric_limits<Real>::epsilon();
  bool definite = false;
};

} // namespace finegrain
