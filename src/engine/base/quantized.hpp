// Blocks in eight bits (numerics.md 2): row a of a block is integers q_ab, at most 127, and one exponent e_a, for
// numbers q_ab 2^e_a. A block is its n^2 integers as the columns of a matrix lie (of complex numbers both parts),
// then its n exponents. Blocks of other types are n^2 numbers; what reads both kinds goes through this header.
#pragma once

#include "base/scalar.hpp"

#include <cmath>

namespace finegrain
{

template <class B> inline constexpr bool is_quantized = std::is_same_v<B, Quantized>;

// Elements of B that a stored block of n has.
template <class B> KOKKOS_FORCEINLINE_FUNCTION constexpr Offset block_length(int n)
{
  return is_quantized<B> ? (Offset(n) * Parts<Scalar>::count + 1) * n : Offset(n) * n;
}

// 2^e, exactly: exponents are stored as those of floats are, 127 more. The exponent of a row with a number that is
// not finite is not_finite, and its unit an infinity.
inline constexpr int bias = 127, not_finite = 128, least_exponent = -126;
KOKKOS_FORCEINLINE_FUNCTION float unit_of(Quantized exponent)
{
  return detail::bits_as<float>(std::uint32_t(exponent.byte) << 23);
}

// The integers of one number.
template <class T> KOKKOS_FORCEINLINE_FUNCTION T integer_of(const Quantized *q)
{
  using OfPart = PartOf<T>;
  if constexpr (Parts<T>::count == 2)
    return T{OfPart(static_cast<signed char>(q[0].byte)), OfPart(static_cast<signed char>(q[1].byte))};
  else return T(static_cast<signed char>(q->byte));
}

// The smallest e with round(2^-e most) <= 127. most is finite, and at most 65504.
KOKKOS_FORCEINLINE_FUNCTION int find_exponent(Real most)
{
  int exponent = 0;
  const Real fraction = std::frexp(most, &exponent); // 1/2 to 1
  const int e = exponent - 7 + int(fraction * 128 >= Real(127.5));
  return e > least_exponent ? e : least_exponent;
}

// Entry (row, column) of a stored block as T.
template <class T, class B> KOKKOS_FORCEINLINE_FUNCTION T stored_number(const B *block, int n, int row, int column)
{
  return convert<T>(block[column * n + row]);
}
template <class T> KOKKOS_FORCEINLINE_FUNCTION T stored_number(const Quantized *block, int n, int row, int column)
{
  constexpr int parts = Parts<Scalar>::count;
  return integer_of<T>(block + (column * n + row) * parts) * PartOf<T>(unit_of(block[n * n * parts + row]));
}

struct Quantization {
  Offset flushed = 0; // numbers that were not zero and are zero now
  bool finite = true;
};

// Rows first to first + W - 1 of a block, times scale, to a stored block in other memory.
template <int W>
KOKKOS_INLINE_FUNCTION Quantization quantize(const Scalar *block, int n, int first, Real scale, Quantized *to)
{
  constexpr int parts = Parts<Scalar>::count, numbers = W * parts;
  const Real *a = reinterpret_cast<const Real *>(block) + first * parts;
  Quantized *q = to + first * parts, *exponents = to + n * n * parts + first;
  Real most[std::size_t(numbers)], check[std::size_t(numbers)], factor[std::size_t(numbers)];
  int bad[std::size_t(numbers)], lost[std::size_t(numbers)];
  for (int i = 0; i < numbers; ++i) most[i] = check[i] = 0, lost[i] = 0;
  for (int c = 0; c < n; ++c)
    for (int i = 0; i < numbers; ++i) {
      const Real v = scale * a[c * n * parts + i], size = v < 0 ? -v : v;
      most[i] = size > most[i] ? size : most[i];
      check[i] += v - v; // NaN from what is not finite
    }
  Quantization result;
  for (int r = 0; r < W; ++r) {
    Real largest = 0;
    bool finite = true;
    for (int i = r * parts; i < (r + 1) * parts; ++i) {
      largest = most[i] > largest ? most[i] : largest;
      finite = finite && check[i] == 0;
    }
    const int e = finite ? find_exponent(largest) : not_finite;
    exponents[r].byte = static_cast<unsigned char>(e + bias);
    for (int i = r * parts; i < (r + 1) * parts; ++i) {
      factor[i] = finite ? std::ldexp(Real(1), -e) : Real(0);
      bad[i] = !finite;
    }
    result.finite = result.finite && finite;
  }
  for (int c = 0; c < n; ++c) {
    Quantized bytes[std::size_t(numbers)];
    for (int i = 0; i < numbers; ++i) {
      const Real v = a[c * n * parts + i];
      const int integer = bad[i] ? 1 : int(std::rint(factor[i] * (scale * v)));
      lost[i] += v != 0 && integer == 0;
      bytes[i].byte = static_cast<unsigned char>(integer);
    }
    for (int i = 0; i < numbers; ++i) q[c * n * parts + i] = bytes[i];
  }
  for (int i = 0; i < numbers; ++i) result.flushed += lost[i];
  return result;
}

} // namespace finegrain
