// The sums of a relaxation whose couplings are in eight bits: the products of a block's integers with the vector are
// summed, column after column, then multiplied by the unit of their row and added to the sum of the blocks before.
// Both texts below add in that order, bit for bit. A unit costs one multiplication a row of a block so, not one an
// entry.
#pragma once

#include "base/block.hpp"
#include "base/quantized.hpp"

namespace finegrain
{

// Any lanes and block sizes, sums in T, Scalar or Single: W rows of the blocks.
template <int N, class T, int W> struct QuantizedSums {
  BlockSize<N> n;
  Strip<W> strip;

  // result[i] = sum of block(e) x(e) in row strip.first + i.
  template <class BlockAt, class VectorAt>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index first, Index last, const BlockAt &block, const VectorAt &x,
                                              T *result) const
  {
    constexpr int parts = Parts<Scalar>::count;
    for (int i = 0; i < W; ++i) result[i] = T(0);
    for (Index e = first; e < last; ++e) {
      const Quantized *q = block(e);
      const auto *xe = x(e);
      T products[std::size_t(W)];
      for (int i = 0; i < W; ++i) products[i] = T(0);
      for (int c = 0; c < n; ++c) {
        const T xc = convert<T>(xe[c]);
        for (int i = 0; i < W; ++i)
          products[i] = madd(xc, integer_of<T>(q + (c * n + strip.first + i) * parts), products[i]);
      }
      for (int i = 0; i < W; ++i)
        result[i] = add_times(PartOf<T>(unit_of(q[n * n * parts + strip.first + i])), products[i], result[i]);
    }
  }

private:
  // unit a + sum
  KOKKOS_FORCEINLINE_FUNCTION static T add_times(PartOf<T> unit, T a, T sum)
  {
    if constexpr (Parts<T>::count == 1) return fused(unit, a, sum);
    else return T(fused(unit, a.real(), sum.real()), fused(unit, a.imag(), sum.imag()));
  }
};

#if !defined(FINEGRAIN_COMPLEX) && !defined(__CUDACC__)

// H bytes as numbers: integers with a sign, or exponents as units.
template <class T, int H> inline VectorType<T, H> read_integers(const Quantized *from)
{
#if defined(__AVX2__)
  if constexpr (H == 8 && std::is_same_v<T, float>) {
    const __m256i all = _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(from)));
    return _mm256_cvtepi32_ps(all);
  } else if constexpr (H == 4) {
    const __m128i all = _mm_cvtepi8_epi32(_mm_cvtsi32_si128(detail::load_word(from)));
    if constexpr (std::is_same_v<T, double>) return _mm256_cvtepi32_pd(all);
    else return _mm_cvtepi32_ps(all);
  }
#endif
  VectorType<T, H> r;
  for (int i = 0; i < H; ++i) r[i] = T(static_cast<signed char>(from[i].byte));
  return r;
}
template <class T, int H> inline VectorType<T, H> read_units(const Quantized *from)
{
#if defined(__AVX2__)
  if constexpr (H == 8 && std::is_same_v<T, float>) {
    const __m256i all = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(from)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(all, 23));
  } else if constexpr (H == 4) {
    const __m128i all = _mm_slli_epi32(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(detail::load_word(from))), 23);
    if constexpr (std::is_same_v<T, double>) return _mm256_cvtps_pd(_mm_castsi128_ps(all));
    else return _mm_castsi128_ps(all);
  }
#endif
  VectorType<T, H> r;
  for (int i = 0; i < H; ++i) r[i] = T(unit_of(from[i]));
  return r;
}

// Whole blocks on a host: `wide` rows at a time. Columns are read in whole vectors, beyond the block too
// (block_slack); what is found there is never used.
template <int N, class T> class QuantizedRows
{
  static constexpr int wide = N <= 4 || sizeof(T) == 8 ? 4 : 8, pieces = (N + wide - 1) / wide;
  using Lanes = VectorType<T, wide>;

  Lanes sums_[std::size_t(pieces)] = {};

  FINEGRAIN_INLINE static Lanes spread(T x)
  {
    return [x]<int... I>(std::integer_sequence<int, I...>) FINEGRAIN_INLINE->Lanes
    {
      return Lanes{(static_cast<void>(I), x)...};
    }
    (std::make_integer_sequence<int, wide>());
  }

public:
  static constexpr int rows = pieces * wide; // of a result, those beyond N undefined

  // Sums += block x.
  template <class From> FINEGRAIN_INLINE void add(const Quantized *block, const From *x)
  {
    for (int p = 0; p < pieces; ++p) {
      Lanes products{};
      for (int c = 0; c < N; ++c)
        products =
          vector_fused<T, wide>(spread(convert<T>(x[c])), read_integers<T, wide>(block + c * N + p * wide), products);
      sums_[p] = vector_fused<T, wide>(read_units<T, wide>(block + N * N + p * wide), products, sums_[p]);
    }
  }
  FINEGRAIN_INLINE void add_up(T *result) const { std::memcpy(result, sums_, sizeof(sums_)); }
};

#endif

// How sum_products() sums what is stored in eight bits.
struct ByBlocks {
  template <int N, class T, int W> using Part = QuantizedSums<N, T, W>;
#if !defined(FINEGRAIN_COMPLEX) && !defined(__CUDACC__)
  template <int N, class T> using Whole = QuantizedRows<N, T>;
#endif
};

} // namespace finegrain
