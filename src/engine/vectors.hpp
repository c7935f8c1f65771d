// Vectors of GCC and Clang on hosts, and how they are read from and written to storage of any type: the same bits as
// convert() one by one. Compilers find the conversions of sixteen bits in few loops, so that x86 gets them by name.
#pragma once

#include "half.hpp"

#if !defined(__CUDACC__)

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

#if defined(FINEGRAIN_F16C)
// Four numbers, or two and two zeros, as floats in a register: nothing is read beyond them.
template <int H, class T> inline __m128 read_register(const T *from)
{
  __m128i raw;
  if constexpr (sizeof(T) * H == 4) {
    std::int32_t pair;
    std::memcpy(&pair, from, sizeof(pair));
    raw = _mm_cvtsi32_si128(pair);
  } else if constexpr (sizeof(T) * H == 8) raw = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(from));
  else raw = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
  if constexpr (std::is_same_v<T, Half>) return _mm_cvtph_ps(raw);
  else if constexpr (std::is_same_v<T, BFloat16>)
    return _mm_castsi128_ps(_mm_slli_epi32(_mm_cvtepu16_epi32(raw), 16));
  else return _mm_castsi128_ps(raw);
}
#endif

// H stored numbers of sixteen bits as floats.
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
  const auto raw  = load_vector<std::uint16_t, H>(from);
  const auto wide = __builtin_convertvector(raw, VectorType<std::uint32_t, H>) << 16;
  return load_vector<float, H>(&wide);
}

template <class T> inline constexpr bool is_short = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// H floats, or stored numbers of sixteen bits, as doubles.
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

// H numbers of any storage type as doubles or floats; double to float rounds.
template <class Lane, int H, class T> inline VectorType<Lane, H> vector_read(const T *from)
{
  if constexpr (std::is_same_v<T, Lane>) return detail::load_vector<T, H>(from);
  else if constexpr (std::is_same_v<Lane, double>) return detail::read_doubles<H>(from);
  else if constexpr (detail::is_short<T>) return detail::read_singles<H>(from);
  else { // eight doubles: a vector that no function returns
    VectorType<T, H> raw;
    std::memcpy(&raw, from, sizeof(raw));
    return __builtin_convertvector(raw, VectorType<Lane, H>);
  }
}

// The other way: H doubles or floats to storage of any type, sixteen bits through single.
template <class Lane, int H, class T> inline void vector_write(T *to, const VectorType<Lane, H> &v)
{
  if constexpr (std::is_same_v<T, Lane>) std::memcpy(to, &v, sizeof(v));
  else if constexpr (detail::is_short<T> && std::is_same_v<Lane, float>) detail::write_singles<H>(to, v);
  else if constexpr (detail::is_short<T>)
    detail::write_singles<H>(to, __builtin_convertvector(v, VectorType<float, H>));
  else {
    const auto raw = __builtin_convertvector(v, VectorType<T, H>);
    std::memcpy(to, &raw, sizeof(raw));
  }
}

} // namespace finegrain

#endif
