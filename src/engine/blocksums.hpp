// The sums of a relaxation: the couplings of a row times the vector, in an order of their own.
//
// Every output has a sum for each column of the blocks, over the entries of the row as they are stored, and these are
// added up at the end, column after column. No sum waits for more than one product an entry, where one sum for all
// waits for n, and on hosts a block is one run of n^2 numbers, converted and multiplied as widely as the machine can,
// whatever n is. Both texts below add in that order, bit for bit.
#pragma once

#include "block.hpp"

namespace finegrain
{

// T: in what products are summed, Scalar or Single.
template <class T> KOKKOS_FORCEINLINE_FUNCTION T narrow_to(Scalar x)
{
  if constexpr (std::is_same_v<T, Scalar>) return x;
  else return T(x);
}

// Any lanes and block sizes: W rows of the blocks. Fixed sizes keep all sums and read an entry once; others read it
// once for each column.
template <int N, class T, int W> struct ColumnSums {
  BlockSize<N> n;
  Strip<W>     strip;

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
        const auto   *a  = block(e) + strip.first;
        const Scalar *xe = x(e);
        for (int c = 0; c < N; ++c) {
          const T xc = narrow_to<T>(xe[c]);
          for (int i = 0; i < W; ++i) sums[c * W + i] = madd(xc, T(a[c * N + i]), sums[c * W + i]);
        }
      }
      for (int c = 0; c < N; ++c)
        for (int i = 0; i < W; ++i) result[i] += sums[c * W + i];
    } else {
      for (int c = 0; c < n; ++c) {
        T sums[std::size_t(W)];
        for (int i = 0; i < W; ++i) sums[i] = T(0);
        for (Index e = first; e < last; ++e) {
          const auto *a  = block(e) + c * n + strip.first;
          const T     xc = narrow_to<T>(x(e)[c]);
          for (int i = 0; i < W; ++i) sums[i] = madd(xc, T(a[i]), sums[i]);
        }
        for (int i = 0; i < W; ++i) result[i] += sums[i];
      }
    }
  }
};

#if !defined(FINEGRAIN_COMPLEX) && !defined(__CUDACC__)

// Whole blocks on a host. The n^2 numbers of a block are cut into vectors, and number k is multiplied by entry k / n
// of the vector. Reads of blocks stay inside them, those of the vector inside its n entries.
template <int N, class T> class FlatSums
{
  static constexpr int size = N * N, wide = 32 / int(sizeof(T)), full = size / wide, rest = size % wide;
  static constexpr int half = rest / 4, single = rest % 4; // of 4 numbers, and of one
  static_assert(half <= 1 && single <= 1);                 // squares

  template <int H> using Vector = VectorType<T, H>;

  // The entries of a block vector, in the first lanes or in two pieces that overlap, each of up to 4.
  struct Spread {
    Vector<4>            low, high;
    Vector<8>            both; // T of 4 bytes

    explicit Spread(const Scalar *x)
    {
      if constexpr (N == 1) low = Vector<4>{T(x[0])};
      else if constexpr (N < 4) {
        const auto a = vector_read<T, 2>(x), b = vector_read<T, 2>(x + N - 2);
        low = __builtin_shufflevector(a, b, 0, 1, 2, 3);
      } else {
        low  = vector_read<T, 4>(x);
        high = vector_read<T, 4>(x + N - 4);
      }
      if constexpr (wide == 8 && N >= 4) both = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    // Where entry c is: a lane of low and high, one after the other.
    static constexpr int place(int c) { return N == 3 && c == 2 ? 3 : c < 4 ? c : 4 + c - (N - 4); }

    // The factors of numbers K to K + H - 1. Where they begin in the lower piece and end in the higher one, the higher
    // has them all.
    template <int K, int H> Vector<H> factors() const
    {
      return [&]<int... J>(std::integer_sequence<int, J...>) FINEGRAIN_INLINE -> Vector<H> {
        if constexpr (N < 4) return __builtin_shufflevector(low, low, place((K + J) / N)...);
        else if constexpr (wide == 8) return __builtin_shufflevector(both, both, place((K + J) / N)...);
        else if constexpr ((K + H - 1) / N < 4) return __builtin_shufflevector(low, low, (K + J) / N...);
        else return __builtin_shufflevector(high, high, (K + J) / N - (N - 4)...);
      }
      (std::make_integer_sequence<int, H>());
    }
  };

  Vector<wide> sums_[std::size_t(full > 0 ? full : 1)];
  Vector<4>    half_;
  T            single_;

public:
  FINEGRAIN_INLINE FlatSums()
  {
    for (auto &s : sums_) s = Vector<wide>{};
    half_   = Vector<4>{};
    single_ = 0;
  }

  // Sums += block x.
  template <class B> FINEGRAIN_INLINE void add(const B *block, const Scalar *x)
  {
    const Spread spread(x);
    [&]<int... G>(std::integer_sequence<int, G...>) FINEGRAIN_INLINE {
      ((sums_[G] = vector_fused<T, wide>(spread.template factors<G * wide, wide>(), vector_read<T, wide>(block + G * wide),
                                        sums_[G])),
       ...);
    }
    (std::make_integer_sequence<int, full>());
    if constexpr (half > 0)
      half_ = vector_fused<T, 4>(spread.template factors<full * wide, 4>(), vector_read<T, 4>(block + full * wide), half_);
    if constexpr (single > 0) single_ = fused(T(x[N - 1]), T(Scalar(block[size - 1])), single_);
  }

  // result[r] = the sums of row r, column after column.
  FINEGRAIN_INLINE void add_up(T *result) const
  {
    alignas(64) T all[std::size_t(size)];
    std::memcpy(all, sums_, sizeof(T) * std::size_t(full * wide));
    if constexpr (half > 0) std::memcpy(all + full * wide, &half_, sizeof(half_));
    if constexpr (single > 0) all[size - 1] = single_;
    for (int r = 0; r < N; ++r) result[r] = T(0);
    for (int c = 0; c < N; ++c)
      for (int r = 0; r < N; ++r) result[r] += all[c * N + r];
  }
};

#endif

} // namespace finegrain
