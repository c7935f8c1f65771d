// Dense n x n blocks, stored by columns, and the lanes that work on one block row together.
//
// A row function is written once. On a host one lane owns the whole row and works on strips of several output rows;
// on a device each lane of a vector range owns one output row (sweeps) or one block entry (factorizations). Either
// way one lane owns an output entry, and its sum runs over the same terms in the same order.
#pragma once

#include "base/simd.hpp"
#include "base/vectors.hpp"

#include <limits>

namespace finegrain
{

inline constexpr int max_block = 32; // largest block size; scratch on hosts is sized by it

// The block size as a constant (N > 0) or as a run-time value (N == 0).
template <int N> struct BlockSize {
  KOKKOS_FORCEINLINE_FUNCTION constexpr explicit BlockSize(int) {}
  KOKKOS_FORCEINLINE_FUNCTION constexpr operator int() const { return N; }
};
template <> struct BlockSize<0> {
  int value;
  KOKKOS_FORCEINLINE_FUNCTION explicit BlockSize(int n) : value(n) {}
  KOKKOS_FORCEINLINE_FUNCTION operator int() const { return value; }
};

// W consecutive output rows of a block, from row first.
template <int W> struct Strip {
  static constexpr int width = W;
  int first;
};

// One lane. strips() covers the n rows of a block vector, tiles() the n x n entries of a block; both return when all
// lanes have finished, and what one lane wrote the others can then read.
//
// Strips of run-time blocks are at most Widest rows: wide ones stream through the columns of a large block as they
// lie in memory, where eight rows at a time skip from column to column, three times slower for n = 32.
template <int N> struct HostLanes {
  static constexpr bool one_number = false; // runs() gives each lane more
  BlockSize<N> n;

  template <int Widest = 32, class F> KOKKOS_FORCEINLINE_FUNCTION void strips(const F &f) const
  {
    if constexpr (N > 0) f(Strip<N>{0});
    else cut_rows<Widest>(n, f);
  }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void tiles(const F &f) const
  {
    if constexpr (N > 0)
      for (int c = 0; c < N; ++c) f(Strip<N>{0}, c);
    else cut_columns(n, f);
  }
  // f(first, count) over `count` numbers that lie together.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void runs(int count, const F &f) const { f(0, count); }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void once(const F &f) const { f(); }
  // The largest of f(first, count) over `count` numbers, at least 0; every lane gets it.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION Real largest(int count, const F &f) const { return f(0, count); }
  // Returns when all lanes have come here.
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const {}

private:
  // Out of line: each holds f ten or six times, and a row function calls several. In one function they took the
  // compiler minutes. f, which captures by value, is copied, so that what it needs stays in registers across its
  // stores.
  template <int Widest, class F> [[gnu::noinline]] KOKKOS_FUNCTION static void cut_rows(int n, const F &f)
  {
    const F g = f;
    int r = 0;
    cut<Widest>(n, r, g);
  }
  template <class F> [[gnu::noinline]] KOKKOS_FUNCTION static void cut_columns(int n, const F &f)
  {
    const F g = f;
    for (int c = 0; c < n; ++c) {
      int r = 0;
      cut<16>(n, r, [&](auto s) FINEGRAIN_INLINE { g(s, c); });
    }
  }
  template <int W, class F> KOKKOS_FORCEINLINE_FUNCTION static void cut(int n, int &r, const F &f)
  {
    for (; r + W <= n; r += W) f(Strip<W>{r});
    if constexpr (W > 4) cut<W - 4>(n, r, f);
    else if constexpr (W > 1) cut<W / 2>(n, r, f);
  }
};

// The vector lanes of one thread of a Kokkos team.
template <int N, class Member> struct TeamLanes {
  static constexpr bool one_number = true; // runs() gives each lane no more at a time
  BlockSize<N> n;
  const Member &member;

  template <int Widest = 32, class F> KOKKOS_FORCEINLINE_FUNCTION void strips(const F &f) const
  {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, int(n)), [&](int r) { f(Strip<1>{r}); });
  }
  // The n rows of each of some vectors.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void outputs(int vectors, const F &f) const
  {
    const int m = n;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, m * vectors), [&](int t) { f(Strip<1>{t % m}, t / m); });
  }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void tiles(const F &f) const
  {
    const int m = n;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, m * m), [&](int t) { f(Strip<1>{t % m}, t / m); });
  }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void runs(int count, const F &f) const
  {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, count), [&](int i) { f(i, 1); });
  }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void once(const F &f) const
  {
    Kokkos::single(Kokkos::PerThread(member), f);
  }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION Real largest(int count, const F &f) const
  {
    Real most = 0;
    Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(member, count),
      [&](int i, Real &m) {
        const Real v = f(i, 1);
        m = v > m ? v : m;
      },
      Kokkos::Max<Real>(most));
    return most > 0 ? most : 0;
  }
  // Of these lanes only: those of the other rows of a warp need not come here.
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const
  {
#if defined(__CUDA_ARCH__)
    const unsigned lanes = blockDim.x, first = threadIdx.y % (32 / lanes) * lanes;
    __syncwarp(lanes == 32 ? 0xffffffffu : ((1u << lanes) - 1) << first);
#endif
  }
};

// sums -+= B x for the rows of one strip; columns in ascending order. column(c) is where these rows of B's column c
// lie, at(c) is x's entry c.
enum class Sign { minus, plus };
template <Sign sign, int W, int N, class Columns, class At>
requires std::is_invocable_v<Columns, int> && std::is_invocable_v<At, int> KOKKOS_FORCEINLINE_FUNCTION void
accumulate(Strip<W>, BlockSize<N> n, const Columns &column, const At &at, Accumulator<W> &sums)
{
  for (int c = 0; c < n; ++c) {
    if constexpr (sign == Sign::minus) sums.subtract_product(multiplier(at(c)), column(c));
    else sums.add_product(multiplier(at(c)), column(c));
  }
}
template <Sign sign, int W, int N, class B, class At>
requires std::is_invocable_v<At, int> KOKKOS_FORCEINLINE_FUNCTION void accumulate(Strip<W> s, BlockSize<N> n,
                                                                                  const B *block, const At &at,
                                                                                  Accumulator<W> &sums)
{
  accumulate<sign>(
    s, n, [=](int c) FINEGRAIN_INLINE { return block + c * n + s.first; }, at, sums);
}
template <Sign sign, int W, int N, class B, class X>
KOKKOS_FORCEINLINE_FUNCTION void accumulate(Strip<W> s, BlockSize<N> n, const B &block, const X *x,
                                            Accumulator<W> &sums)
{
  accumulate<sign>(
    s, n, block, [x](int c) FINEGRAIN_INLINE { return Scalar(x[c]); }, sums);
}

// put(strip, v, sums in T of block(e) x(e, v) over first <= e < last) for the rows of these lanes and so many
// vectors. How: ByColumns or ByBlocks, with sums of some rows, and of whole blocks on hosts.
template <class How, int N, class T, int V, class Lanes, class BlockAt, class VectorAt, class Put>
KOKKOS_FORCEINLINE_FUNCTION void sum_products(const Lanes &lanes, BlockSize<N> n, int vectors, Index first,
                                              Index last, const BlockAt &block, const VectorAt &x, const Put &put)
{
#if !defined(FINEGRAIN_COMPLEX) && !defined(__CUDACC__)
  if constexpr (N > 0 && std::is_same_v<Lanes, HostLanes<N>>) {
    AllVectors<V>{vectors}.each([&](int v) FINEGRAIN_INLINE {
      typename How::template Whole<N, T> sums;
      for (Index e = first; e < last; ++e) sums.add(block(e), x(e, v));
      T total[std::size_t(sums.rows)];
      sums.add_up(total);
      put(Strip<N>{0}, v, total);
    });
    return;
  }
#endif
  share_vectors<V>(lanes, vectors, [=](auto s, auto some) FINEGRAIN_INLINE {
    some.each([&](int v) FINEGRAIN_INLINE {
      T total[std::size_t(s.width)];
      typename How::template Part<N, T, s.width>{n, s}(
        first, last, block, [&](Index e) FINEGRAIN_INLINE { return x(e, v); }, total);
      put(s, v, total);
    });
  });
}

struct Inversion {
  bool good = true; // no pivot was zero or non-finite
  bool shifted = false;
};

KOKKOS_FORCEINLINE_FUNCTION void exchange(Scalar &a, Scalar &b)
{
  const Scalar t = a;
  a = b;
  b = t;
}

// The smallest pivot that is not replaced. Beside Inf nothing is: its block is bad.
template <int N> KOKKOS_FORCEINLINE_FUNCTION Real least_pivot(BlockSize<N> n, const Scalar *d, Shift shift)
{
  Real largest = 0;
  if (shift.amount <= 0) return 0;
  for (int i = 0; i < n * n; ++i) largest = magnitude(d[i]) > largest ? magnitude(d[i]) : largest;
  if (!is_finite(largest)) return 0;
  return shift.amount * (largest > 0 ? largest : Real(1));
}

// Rounding errors of a sum, relative to the magnitudes of its terms, products of numbers that are stored as Stored.
template <class Stored>
inline constexpr Real rounding_of_terms = 10 * Real(std::numeric_limits<PartOf<Stored>>::epsilon());

// A pivot of blocks of 1 is a sum; `sizes` are the magnitudes of its terms. Where they cancel to rounding errors it
// becomes zero, which inversion reports or replaces: as a pivot, the errors would hide the rows before it from every
// residual. Larger blocks pivot inside and have no such test.
template <class Stored, class Lanes, int N>
KOKKOS_FORCEINLINE_FUNCTION void clear_cancelled(const Lanes &lanes, BlockSize<N> n, Scalar *d, Real sizes)
{
  if (n == 1)
    lanes.tiles([=](auto, int) FINEGRAIN_INLINE {
      if (is_finite(sizes) && magnitude(*d) <= rounding_of_terms<Stored> * sizes) *d = Scalar(0);
    });
}

// The magnitude of a product of blocks of 1, added to those before.
template <class L, class W> KOKKOS_FORCEINLINE_FUNCTION Real add_size(L l, W w, Real sizes)
{
  return madd(magnitude(convert<Scalar>(l)), magnitude(convert<Scalar>(w)), sizes);
}

// The inverse of a pivot of magnitude `best`, replaced or not.
KOKKOS_FORCEINLINE_FUNCTION Scalar invert_pivot(Scalar pivot, Real best, Real least, Inversion &result)
{
  if (least > 0 && best <= least) {
    pivot = least;
    result.shifted = true;
  } else if (best == Real(0) || !is_finite(best)) {
    result.good = false;
  }
  return reciprocal(pivot);
}

#if !defined(__CUDACC__)
// The same steps as invert() below, bit for bit, for one host lane: the columns stay in vector registers, and the
// rows are numbered at compile time. Rows are swapped through memory, which is rare where diagonals dominate.
template <int N> inline Inversion invert_in_registers(Scalar *d, Shift shift)
{
  Inversion result;
  Accumulator<N> column[std::size_t(N)];
  int swap[std::size_t(N)];
  bool swapped = false;
  const Real least = least_pivot(BlockSize<N>(N), d, shift);
  const auto load = [&]() FINEGRAIN_INLINE {
    for (int c = 0; c < N; ++c) column[c].load(d + c * N);
  };
  const auto store = [&]() FINEGRAIN_INLINE {
    for (int c = 0; c < N; ++c) column[c].store(d + c * N);
  };
  const auto step = [&]<int K>() FINEGRAIN_INLINE {
    int p = K;
    Real best = magnitude(column[K].template lane<K>());
    [&]<int... R>(std::integer_sequence<int, R...>) FINEGRAIN_INLINE
    {
      [[maybe_unused]] const auto compare = [&](int r, Real m) FINEGRAIN_INLINE {
        p = m > best ? r : p;
        best = m > best ? m : best;
      };
      (compare(K + 1 + R, magnitude(column[K].template lane<K + 1 + R>())), ...);
    }
    (std::make_integer_sequence<int, N - 1 - K>());
    swap[K] = p;
    if (p != K) {
      swapped = true;
      store();
      for (int c = 0; c < N; ++c) exchange(d[c * N + K], d[c * N + p]);
      load();
    }
    const Scalar inverse = invert_pivot(column[K].template lane<K>(), best, least, result);
    Accumulator<N> factor;
    factor.zero();
    factor.subtract(column[K]);
    factor.template set_lane<K>(Scalar(1));
    for (int c = 0; c < N; ++c) {
      const Scalar row = c == K ? inverse : product(column[c].template lane<K>(), inverse);
      if (c == K) column[c].zero();
      else column[c].template set_lane<K>(Scalar(0));
      column[c].add_product(multiplier(row), factor);
    }
  };
  load();
  [&]<int... K>(std::integer_sequence<int, K...>) FINEGRAIN_INLINE { (step.template operator()<K>(), ...); }
  (std::make_integer_sequence<int, N>());

  Accumulator<N> check; // 0 times what is not finite is not 0
  check.zero();
  for (int c = 0; c < N; ++c) check.add_product(multiplier(Scalar(0)), column[c]);
  Real sum = 0;
  [&]<int... R>(std::integer_sequence<int, R...>) FINEGRAIN_INLINE
  {
    ((sum += magnitude(check.template lane<R>())), ...);
  }
  (std::make_integer_sequence<int, N>());
  if (!is_finite(sum)) result.good = false;
  store();
  for (int k = N - 1; k >= 0 && swapped; --k)
    if (swap[k] != k)
      for (int i = 0; i < N; ++i) exchange(d[k * N + i], d[swap[k] * N + i]);
  return result;
}
#endif

// d <- d^-1 in place, Gauss-Jordan with row pivoting inside the block (numerics.md 1; Luo et al., Algorithm 5).
// work holds 3 n scalars, shared by the lanes as d is. Each step is one rank-one update of all entries: with the
// pivot row and column taken as zero and the factor of the pivot row as 1, no entry is a special case.
template <class Lanes, int N>
KOKKOS_FORCEINLINE_FUNCTION Inversion invert(const Lanes &lanes, BlockSize<N> n, Scalar *d, Scalar *work, Shift shift)
{
#if !defined(__CUDACC__)
  if constexpr (N > 0 && std::is_same_v<Lanes, HostLanes<N>>) return invert_in_registers<N>(d, shift);
#endif
  Inversion result;
  Scalar *factor = work, *row = work + n, *keep = row + n;
  int swap[std::size_t(N > 0 ? N : max_block)];
  const Real least = least_pivot(n, d, shift);
  for (int k = 0; k < n; ++k) {
    int p = k;
    Real best = magnitude(d[k * n + k]);
    for (int r = k + 1; r < n; ++r) {
      const Real m = magnitude(d[k * n + r]);
      if (m > best) {
        best = m;
        p = r;
      }
    }
    swap[k] = p;
    const Scalar inverse = invert_pivot(d[k * n + p], best, least, result);
    if (p != k) {
      lanes.barrier(); // all have searched the column that changes now
      lanes.strips([=](auto s) FINEGRAIN_INLINE {
        for (int i = 0; i < s.width; ++i) exchange(d[(s.first + i) * n + k], d[(s.first + i) * n + p]);
      });
    }
    lanes.strips([=](auto s) FINEGRAIN_INLINE {
      for (int i = s.first; i < s.first + s.width; ++i) {
        row[i] = i == k ? inverse : product(d[i * n + k], inverse);
        factor[i] = i == k ? Scalar(1) : -d[k * n + i];
        keep[i] = i == k ? Scalar(0) : Scalar(1);
      }
    });
    lanes.tiles([=](auto s, int c) FINEGRAIN_INLINE {
      Scalar *dc = d + c * n + s.first;
      Accumulator<s.width> sums;
      if (c == k) sums.zero();
      else {
        sums.load(dc);
        sums.scale(keep + s.first);
      }
      sums.add_product(multiplier(row[c]), factor + s.first);
      sums.store(dc);
    });
  }
  for (int k = n - 1; k >= 0; --k) {
    const int p = swap[k];
    if (p == k) continue;
    lanes.strips([=](auto s) FINEGRAIN_INLINE {
      for (int i = s.first; i < s.first + s.width; ++i) exchange(d[k * n + i], d[p * n + i]);
    });
  }
  Real sum = 0;
  for (int i = 0; i < n * n; ++i) sum += magnitude(d[i]);
  if (!is_finite(sum)) result.good = false;
  return result;
}

} // namespace finegrain
