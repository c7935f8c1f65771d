// SPDX-License-Identifier: BSD-2-Clause
// Vectors of a host, and the sums of a row function that they contain. The loops over blocks in block.hpp use them.
#pragma once

#include "base/scalar.hpp"

// Vector types of GCC and Clang on hosts, which are read from and written to storage of any type. Results are
// bitwise identical to convert() of each element. Compilers vectorize 16-bit conversions in few loops only, so that
// x86 uses intrinsics.
#if !defined(FINEGRAIN_DEVICE_COMPILER)

namespace finegrain
{

template <class T, int H> struct VectorOf {
  typedef T type __attribute__((vector_size(sizeof(T) * H)));
};
template <class T, int H> using VectorType = typename VectorOf<T, H>::type;

namespace detail
{

template <class T, int H> inline VectorType<T, H> load_vector(const void *from)
{
  VectorType<T, H> raw;
  std::memcpy(&raw, from, sizeof(raw));
  return raw;
}

inline std::int32_t load_word(const void *from)
{
  std::int32_t word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

#if defined(FINEGRAIN_F16C)
// Reads four scalars, or two followed by two zeros, as floats in a register. Nothing is read beyond them.
template <int H, class T> inline __m128 read_register(const T *from)
{
  __m128i raw;
  if constexpr (sizeof(T) * H == 4) raw = _mm_cvtsi32_si128(load_word(from));
  else if constexpr (sizeof(T) * H == 8) raw = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(from));
  else raw = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
  if constexpr (std::is_same_v<T, Half>) return _mm_cvtph_ps(raw);
  else if constexpr (std::is_same_v<T, BFloat16>)
    return _mm_castsi128_ps(_mm_slli_epi32(_mm_cvtepu16_epi32(raw), 16));
  else return _mm_castsi128_ps(raw);
}
#endif

// Reads H 16-bit scalars as floats.
template <int H> inline VectorType<float, H> read_singles(const Half *from)
{
#if defined(FINEGRAIN_F16C)
  if constexpr (H == 8) return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(from)));
  if constexpr (H == 4) return read_register<4>(from);
#endif
  VectorType<float, H> r;
  for (int i = 0; i < H; ++i) r[i] = to_single(from[i]);
  return r;
}
template <int H> inline VectorType<float, H> read_singles(const BFloat16 *from)
{
#if defined(FINEGRAIN_F16C)
  if constexpr (H == 8) {
    const __m256i low = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(from)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(low, 16));
  }
  if constexpr (H == 4) return read_register<4>(from);
#endif
  const auto raw = load_vector<std::uint16_t, H>(from);
  const auto wide = __builtin_convertvector(raw, VectorType<std::uint32_t, H>) << 16;
  return load_vector<float, H>(&wide);
}

template <class T> inline constexpr bool is_short = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// Reads H floats or 16-bit scalars as doubles.
template <int H, class T> inline VectorType<double, H> read_doubles(const T *from)
{
#if defined(FINEGRAIN_F16C)
  if constexpr (H == 4) return _mm256_cvtps_pd(read_register<4>(from));
  if constexpr (H == 2) return _mm_cvtps_pd(read_register<2>(from));
#endif
  if constexpr (is_short<T>) return __builtin_convertvector(read_singles<H>(from), VectorType<double, H>);
  else return __builtin_convertvector((load_vector<T, H>(from)), VectorType<double, H>);
}

template <int H> inline void write_singles(Half *to, const VectorType<float, H> &v)
{
#if defined(FINEGRAIN_F16C)
  if constexpr (H == 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
  else if constexpr (H == 4)
    _mm_storel_epi64(reinterpret_cast<__m128i *>(to), _mm_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
  else
#endif
  {
    Half halves[std::size_t(H)];
    for (int i = 0; i < H; ++i) halves[i] = to_half(v[i]);
    std::memcpy(to, halves, sizeof(halves));
  }
}
template <int H> inline void write_singles(BFloat16 *to, const VectorType<float, H> &v)
{
  const auto bits = load_vector<std::uint32_t, H>(&v);
  const auto even = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16, quiet = (bits >> 16) | 0x40u;
  const auto all = (bits & 0x7fffffffu) > 0x7f800000u ? quiet : even;
  const auto raw = __builtin_convertvector(all, VectorType<std::uint16_t, H>);
  std::memcpy(to, &raw, sizeof(raw));
}

} // namespace detail

// Reads H scalars of any storage type as doubles or floats. double to float rounds.
template <class Element, int H, class T> inline VectorType<Element, H> vector_read(const T *from)
{
  if constexpr (std::is_same_v<T, Element>) return detail::load_vector<T, H>(from);
  else if constexpr (std::is_same_v<Element, double>) return detail::read_doubles<H>(from);
  else if constexpr (detail::is_short<T>) return detail::read_singles<H>(from);
  else { // eight doubles: a vector that no function returns
    VectorType<T, H> raw;
    std::memcpy(&raw, from, sizeof(raw));
    return __builtin_convertvector(raw, VectorType<Element, H>);
  }
}

// Writes H doubles or floats to storage of any type. 16-bit types are converted through single.
template <class Element, int H, class T> inline void vector_write(T *to, const VectorType<Element, H> &v)
{
  if constexpr (std::is_same_v<T, Element>) std::memcpy(to, &v, sizeof(v));
  else if constexpr (detail::is_short<T> && std::is_same_v<Element, float>) detail::write_singles<H>(to, v);
  else if constexpr (detail::is_short<T>)
    detail::write_singles<H>(to, __builtin_convertvector(v, VectorType<float, H>));
  else {
    const auto raw = __builtin_convertvector(v, VectorType<T, H>);
    std::memcpy(to, &raw, sizeof(raw));
  }
}

// a b + c for each element, by fused().
template <class T, int H>
inline VectorType<T, H> vector_fused(VectorType<T, H> a, VectorType<T, H> b, VectorType<T, H> c)
{
  VectorType<T, H> r;
  for (int i = 0; i < H; ++i) r[i] = fused(a[i], b[i], c[i]);
  return r;
}
#if defined(__AVX2__) && defined(__FMA__)
template <> inline VectorType<double, 4> vector_fused<double, 4>(VectorType<double, 4> a, VectorType<double, 4> b,
                                                                 VectorType<double, 4> c)
{
  return _mm256_fmadd_pd(a, b, c);
}
template <> inline VectorType<float, 8> vector_fused<float, 8>(VectorType<float, 8> a, VectorType<float, 8> b,
                                                               VectorType<float, 8> c)
{
  return _mm256_fmadd_ps(a, b, c);
}
template <> inline VectorType<float, 4> vector_fused<float, 4>(VectorType<float, 4> a, VectorType<float, 4> b,
                                                               VectorType<float, 4> c)
{
  return _mm_fmadd_ps(a, b, c);
}
#endif

} // namespace finegrain

#endif

namespace finegrain
{

// W sums that one lane keeps for a row. The loops of block.hpp use them.
//
// On hosts with real scalars the sums are in vectors of four and two, because compilers keep an array of sums scalar
// across a loop of unknown length. Vectors are those of GCC and Clang. Every element uses madd(), so that results
// are bitwise identical to scalar code.

#if defined(FINEGRAIN_COMPLEX) || defined(FINEGRAIN_DEVICE_COMPILER)

template <int H> struct Pack {
  static_assert(H == 1);
};
template <int W> inline constexpr int pack_width = 1;
// Common factor of many products.
using Multiplier = Scalar;
KOKKOS_FORCEINLINE_FUNCTION Scalar first_of(Multiplier x) { return x; }
KOKKOS_FORCEINLINE_FUNCTION Multiplier multiplier(Scalar x) { return x; }

#else

// Common factor of many products, broadcast to a vector once for all packs.
using Multiplier = VectorType<Real, 4>;
inline Real first_of(Multiplier x) { return x[0]; }
inline Multiplier multiplier(Real x) { return Multiplier{x, x, x, x}; }

// a b + c and c - a b for each element, by madd(). Compilers generate the vector instruction in some loops only, so
// that x86 uses intrinsics.
template <class T, int H>
inline VectorType<T, H> vector_madd(VectorType<T, 4> a, VectorType<T, H> b, VectorType<T, H> c)
{
  VectorType<T, H> r;
  for (int i = 0; i < H; ++i) r[i] = madd(a[0], b[i], c[i]);
  return r;
}
template <class T, int H>
inline VectorType<T, H> vector_nmadd(VectorType<T, 4> a, VectorType<T, H> b, VectorType<T, H> c)
{
  VectorType<T, H> r;
  for (int i = 0; i < H; ++i) r[i] = madd(-a[0], b[i], c[i]);
  return r;
}
#if defined(__AVX2__) && defined(__FMA__) && !defined(FINEGRAIN_REAL_SINGLE)
using Four = VectorType<double, 4>;
using Two = VectorType<double, 2>;
template <> inline Four vector_madd<double, 4>(Four a, Four b, Four c) { return _mm256_fmadd_pd(a, b, c); }
template <> inline Four vector_nmadd<double, 4>(Four a, Four b, Four c) { return _mm256_fnmadd_pd(a, b, c); }
template <> inline Two vector_madd<double, 2>(Four a, Two b, Two c)
{
  return _mm_fmadd_pd(_mm256_castpd256_pd128(a), b, c);
}
template <> inline Two vector_nmadd<double, 2>(Four a, Two b, Two c)
{
  return _mm_fnmadd_pd(_mm256_castpd256_pd128(a), b, c);
}
#endif

template <int H> struct Pack {
  VectorType<Real, H> v;

  template <class T> void load(const T *from) { v = vector_read<Real, H>(from); }
  template <class T> void store(T *to) const { vector_write<Real, H>(to, v); }
  void zero() { v = VectorType<Real, H>{}; }
  void scale(const Real *factors) { v *= vector_read<Real, H>(factors); }
  template <class B> void add_product(Multiplier x, const B *b)
  {
    v = vector_madd<Real, H>(x, vector_read<Real, H>(b), v);
  }
  template <class B> void subtract_product(Multiplier x, const B *b)
  {
    v = vector_nmadd<Real, H>(x, vector_read<Real, H>(b), v);
  }
  void add_product(Multiplier x, const Pack &b) { v = vector_madd<Real, H>(x, b.v, v); }
  void subtract(const Pack &b) { v -= b.v; }
};
template <int W> inline constexpr int pack_width = W >= 4 ? 4 : W >= 2 ? 2 : 1;

#endif

template <> struct Pack<1> {
  Scalar v;

  template <class T> KOKKOS_FORCEINLINE_FUNCTION void load(const T *from) { v = convert<Scalar>(*from); }
  template <class T> KOKKOS_FORCEINLINE_FUNCTION void store(T *to) const { *to = convert<T>(v); }
  KOKKOS_FORCEINLINE_FUNCTION void zero() { v = Scalar(0); }
  KOKKOS_FORCEINLINE_FUNCTION void scale(const Scalar *factors) { v = product(v, *factors); }
  template <class B> KOKKOS_FORCEINLINE_FUNCTION void add_product(Multiplier x, const B *b)
  {
    v = madd(first_of(x), convert<Scalar>(*b), v);
  }
  template <class B> KOKKOS_FORCEINLINE_FUNCTION void subtract_product(Multiplier x, const B *b)
  {
    v = madd(-first_of(x), convert<Scalar>(*b), v);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_product(Multiplier x, const Pack &b) { v = madd(first_of(x), b.v, v); }
  KOKKOS_FORCEINLINE_FUNCTION void subtract(const Pack &b) { v -= b.v; }
};

template <int W> class Accumulator
{
  static constexpr int head = pack_width<W>;
  Pack<head> first_;
  Accumulator<W - head> rest_;

public:
  template <class T> KOKKOS_FORCEINLINE_FUNCTION void load(const T *from)
  {
    first_.load(from);
    rest_.load(from + head);
  }
  template <class T> KOKKOS_FORCEINLINE_FUNCTION void store(T *to) const
  {
    first_.store(to);
    rest_.store(to + head);
  }
  KOKKOS_FORCEINLINE_FUNCTION void zero()
  {
    first_.zero();
    rest_.zero();
  }
  // Multiplies each sum by its factor.
  KOKKOS_FORCEINLINE_FUNCTION void scale(const Scalar *factors)
  {
    first_.scale(factors);
    rest_.scale(factors + head);
  }
  // Each sum += x b.
  template <class B> KOKKOS_FORCEINLINE_FUNCTION void add_product(Multiplier x, const B *b)
  {
    first_.add_product(x, b);
    rest_.add_product(x, b + head);
  }
  // Each sum -= x b.
  template <class B> KOKKOS_FORCEINLINE_FUNCTION void subtract_product(Multiplier x, const B *b)
  {
    first_.subtract_product(x, b);
    rest_.subtract_product(x, b + head);
  }
  // The same with b in an accumulator, and without x.
  KOKKOS_FORCEINLINE_FUNCTION void add_product(Multiplier x, const Accumulator &b)
  {
    first_.add_product(x, b.first_);
    rest_.add_product(x, b.rest_);
  }
  KOKKOS_FORCEINLINE_FUNCTION void subtract(const Accumulator &b)
  {
    first_.subtract(b.first_);
    rest_.subtract(b.rest_);
  }
  // Returns sum I.
  template <int I> KOKKOS_FORCEINLINE_FUNCTION Scalar element() const
  {
    if constexpr (I >= head) return rest_.template element<I - head>();
    else if constexpr (head == 1) return first_.v;
    else return first_.v[I];
  }
  template <int I> KOKKOS_FORCEINLINE_FUNCTION void set_element(Scalar x)
  {
    if constexpr (I >= head) rest_.template set_element<I - head>(x);
    else if constexpr (head == 1) first_.v = x;
    else first_.v[I] = x;
  }
};

template <> class Accumulator<0>
{
public:
  template <class T> KOKKOS_FORCEINLINE_FUNCTION void load(const T *) {}
  template <class T> KOKKOS_FORCEINLINE_FUNCTION void store(T *) const {}
  KOKKOS_FORCEINLINE_FUNCTION void zero() {}
  KOKKOS_FORCEINLINE_FUNCTION void scale(const Scalar *) {}
  template <class B> KOKKOS_FORCEINLINE_FUNCTION void add_product(Multiplier, const B *) {}
  template <class B> KOKKOS_FORCEINLINE_FUNCTION void subtract_product(Multiplier, const B *) {}
  KOKKOS_FORCEINLINE_FUNCTION void add_product(Multiplier, const Accumulator &) {}
  KOKKOS_FORCEINLINE_FUNCTION void subtract(const Accumulator &) {}
};

} // namespace finegrain
