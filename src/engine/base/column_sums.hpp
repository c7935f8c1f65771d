// SPDX-License-Identifier: BSD-2-Clause
// Sums of a relaxation: the couplings of a row times the vector.
//
// Each output has one sum per column of the blocks, over the entries of the row in storage order. At the end these
// sums are added, column by column. Each sum waits for one product per entry; a single sum would wait for n. On
// hosts a block is one range of n^2 scalars, which is converted and multiplied in full vectors for any n. Both
// classes below add in that order, and their results are bitwise identical.
#pragma once

#include "base/block.hpp"

namespace finegrain
{

// W rows of the blocks, for any lanes and block sizes. Sums are in T, Scalar or Single. Fixed block sizes keep all
// sums and read an entry once; run-time sizes read it once per column.
template <int N, class T, int W> struct ColumnSums {
  BlockSize<N> n;
  Strip<W> strip;

  // result[i] = sum of block(e) x(e) in row strip.first + i.
  template <class BlockAt, class VectorAt>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index first, Index last, const BlockAt &block, const VectorAt &x,
                                              T *result) const
  {
    for (int i = 0; i < W; ++i) result[i] = T(0);
    if constexpr (N > 0) {
      T sums[std::size_t(N) * W];
      for (int i = 0; i < N * W; ++i) sums[i] = T(0);
      for (Index e = first; e < last; ++e) {
        const auto *a = block(e) + strip.first;
        const auto *xe = x(e);
        for (int c = 0; c < N; ++c) {
          const T xc = convert<T>(xe[c]);
          for (int i = 0; i < W; ++i) sums[c * W + i] = madd(xc, convert<T>(a[c * N + i]), sums[c * W + i]);
        }
      }
      for (int c = 0; c < N; ++c)
        for (int i = 0; i < W; ++i) result[i] += sums[c * W + i];
    } else {
      for (int c = 0; c < n; ++c) {
        T sums[std::size_t(W)];
        for (int i = 0; i < W; ++i) sums[i] = T(0);
        for (Index e = first; e < last; ++e) {
          const auto *a = block(e) + c * n + strip.first;
          const T xc = convert<T>(x(e)[c]);
          for (int i = 0; i < W; ++i) sums[i] = madd(xc, convert<T>(a[i]), sums[i]);
        }
        for (int i = 0; i < W; ++i) result[i] += sums[i];
      }
    }
  }
};

#if !defined(FINEGRAIN_COMPLEX) && !defined(FINEGRAIN_DEVICE_COMPILER)

// Whole blocks on a host. The n^2 scalars of a block are divided into vectors, and scalar k is multiplied by vector
// entry k / n. The last vector extends beyond the block (block_slack), and the scalars there are never used. Exactly
// n entries of the block vector are read.
template <int N, class T> class FlatSums
{
  static constexpr int wide = 32 / int(sizeof(T)), groups = (N * N + wide - 1) / wide, pieces = (N + wide - 1) / wide;
  using Vector = VectorType<T, wide>;

  // Entries of a block vector, in two overlapping vectors of four or, for eight elements, in one vector of eight.
  struct Spread {
    VectorType<T, 4> low, high;
    VectorType<T, 8> both;

    template <class From> explicit Spread(const From *x)
    {
      if constexpr (N == 1) low = VectorType<T, 4>{convert<T>(x[0])};
      else if constexpr (N < 4) {
        const auto a = vector_read<T, 2>(x), b = vector_read<T, 2>(x + N - 2);
        low = __builtin_shufflevector(a, b, 0, 1, 2, 3);
      } else {
#if defined(__AVX512VL__)
        if constexpr (wide == 8) {
          constexpr auto mask = (1u << N) - 1;
          if constexpr (std::is_same_v<From, float>) both = _mm256_maskz_loadu_ps(mask, x);
          else both = _mm512_maskz_cvtpd_ps(0xff, _mm512_maskz_loadu_pd(mask, x));
          return;
        }
#endif
        low = vector_read<T, 4>(x);
        high = vector_read<T, 4>(x + N - 4);
        if constexpr (wide == 8) both = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
      }
    }
    static constexpr int place(int c) // index of entry c in `low` or `both`
    {
      if (N < 4) return N == 3 && c == 2 ? 3 : c;
#if defined(__AVX512VL__)
      return c;
#else
      return c < 4 ? c : 8 - N + c;
#endif
    }
    static constexpr int column(int k) { return k < N * N ? k / N : N - 1; }

    // Returns the multipliers of scalars K, K + 1, ... If they begin in `low` and end in `high`, then `high`
    // contains them all.
    template <int K> Vector factors() const
    {
      return [&]<int... J>(std::integer_sequence<int, J...>) FINEGRAIN_INLINE->Vector
      {
        if constexpr (N < 4) return __builtin_shufflevector(low, low, place(column(K + J))...);
        else if constexpr (wide == 8) return __builtin_shufflevector(both, both, place(column(K + J))...);
        else if constexpr (column(K + wide - 1) < 4) return __builtin_shufflevector(low, low, column(K + J)...);
        else return __builtin_shufflevector(high, high, column(K + J) - (N - 4)...);
      }
      (std::make_integer_sequence<int, wide>());
    }
  };

  Vector sums_[std::size_t(groups) + 1]; // the last one is zero

  // Returns the sums of scalars K, K + 1, ... of a block.
  template <int K> FINEGRAIN_INLINE Vector numbers() const
  {
    if constexpr (K % wide == 0) return sums_[K / wide];
    else return [&]<int... J>(std::integer_sequence<int, J...>) FINEGRAIN_INLINE->Vector
      {
        return __builtin_shufflevector(sums_[K / wide], sums_[K / wide + 1], (K % wide + J)...);
      }
    (std::make_integer_sequence<int, wide>());
  }

public:
  static constexpr int rows = pieces * wide; // length of a result, undefined from N on

  FINEGRAIN_INLINE FlatSums()
  {
    for (Vector &s : sums_) s = Vector{};
  }

  // Adds block x to the sums.
  template <class B, class From> FINEGRAIN_INLINE void add(const B *block, const From *x)
  {
    const Spread spread(x);
    [&]<int... G>(std::integer_sequence<int, G...>) FINEGRAIN_INLINE
    {
      ((sums_[G] = vector_fused<T, wide>(spread.template factors<G * wide>(), vector_read<T, wide>(block + G * wide),
                                         sums_[G])),
       ...);
    }
    (std::make_integer_sequence<int, groups>());
  }

  // result[r] = the sums of row r, added column by column.
  FINEGRAIN_INLINE void add_up(T *result) const
  {
    [&]<int... P>(std::integer_sequence<int, P...>) FINEGRAIN_INLINE
    {
      (store_piece<P>(result, std::make_integer_sequence<int, N>()), ...);
    }
    (std::make_integer_sequence<int, pieces>());
  }

private:
  template <int P, int... C> FINEGRAIN_INLINE void store_piece(T *result, std::integer_sequence<int, C...>) const
  {
    const Vector total = (Vector{} + ... + numbers<P * wide + C * N>());
    std::memcpy(result + P * wide, &total, sizeof(total));
  }
};

#endif

// Calls put(strip, v, sums) for the rows of these lanes and `vectors` vectors. The sums, in T, are those of block(e)
// x(e, v) over first <= e < last.
template <int N, class T, int V, class Lanes, class BlockAt, class VectorAt, class Put>
KOKKOS_FORCEINLINE_FUNCTION void sum_products(const Lanes &lanes, BlockSize<N> n, int vectors, Index first,
                                              Index last, const BlockAt &block, const VectorAt &x, const Put &put)
{
#if !defined(FINEGRAIN_COMPLEX) && !defined(FINEGRAIN_DEVICE_COMPILER)
  if constexpr (N > 0 && std::is_same_v<Lanes, HostLanes<N>>) {
    AllVectors<V>{vectors}.each([&](int v) FINEGRAIN_INLINE {
      FlatSums<N, T> sums;
      for (Index e = first; e < last; ++e) sums.add(block(e), x(e, v));
      T total[std::size_t(sums.rows)];
      sums.add_up(total);
      put(Strip<N>{0}, v, total);
    });
    return;
  }
#endif
  for_each_strip<V>(lanes, vectors, [=](auto s, auto lane_vectors) FINEGRAIN_INLINE {
    lane_vectors.each([&](int v) FINEGRAIN_INLINE {
      T total[std::size_t(s.width)];
      ColumnSums<N, T, s.width>{n, s}(
        first, last, block, [&](Index e) FINEGRAIN_INLINE { return x(e, v); }, total);
      put(s, v, total);
    });
  });
}

} // namespace finegrain
