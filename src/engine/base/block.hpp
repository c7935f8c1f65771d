// SPDX-License-Identifier: BSD-2-Clause
// Dense n x n blocks, stored by columns, and the lanes that compute one block row together.
//
// A row function is written once. On a host one lane computes the whole row, in strips of several output rows. On a
// device each lane of a vector range computes one output row (sweeps) or one block entry (factorizations). In both
// cases one lane computes an output entry, and it adds the same terms in the same order.
#pragma once

#include "base/simd.hpp"
#include "base/vectors.hpp"

#include <limits>

namespace finegrain
{

inline constexpr int max_block = 32; // largest block size; it determines the size of scratch on hosts

// Block size as a constant (N > 0) or as a run-time value (N == 0).
template <int N> struct BlockSize {
  KOKKOS_FORCEINLINE_FUNCTION constexpr explicit BlockSize(int) {}
  KOKKOS_FORCEINLINE_FUNCTION constexpr operator int() const { return N; }
};
template <> struct BlockSize<0> {
  int value;
  KOKKOS_FORCEINLINE_FUNCTION explicit BlockSize(int n) : value(n) {}
  KOKKOS_FORCEINLINE_FUNCTION operator int() const { return value; }
};

// W consecutive output rows of a block, from row `first` on.
template <int W> struct Strip {
  static constexpr int width = W;
  int first;
};

// The single lane of a host thread. strips() covers the n rows of a block vector, block_strips() the n x n entries
// of a block. Both return when all lanes have finished; each lane can then read the results of the others.
//
// Strips of run-time blocks have at most `Widest` rows. Wide strips read the columns of a large block contiguously.
// Eight rows at a time skip from column to column, which is three times slower for n = 32.
template <int N> struct HostLanes {
  static constexpr bool scalar_by_scalar = false; // ranges() passes several scalars to a lane
  BlockSize<N> n;

  template <int Widest = 32, class F> KOKKOS_FORCEINLINE_FUNCTION void strips(const F &f) const
  {
    if constexpr (N > 0) f(Strip<N>{0});
    else cut_rows<Widest>(n, f);
  }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void block_strips(const F &f) const
  {
    if constexpr (N > 0)
      for (int c = 0; c < N; ++c) f(Strip<N>{0}, c);
    else cut_columns(n, f);
  }
  // Calls f(first, count) for `count` contiguous scalars.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void ranges(int count, const F &f) const { f(0, count); }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void once(const F &f) const { f(); }
  // Returns the largest f(first, count) over `count` scalars, at least 0, to every lane.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION Real largest(int count, const F &f) const { return f(0, count); }
  // Returns when all lanes have reached it.
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const {}

private:
  // Not inlined: each function contains f ten or six times, and a row function calls several of them. Inlined into
  // one function, they took the compiler minutes. f captures by value and is copied, so that its captures stay in
  // registers across its stores.
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
  static constexpr bool scalar_by_scalar = true; // ranges() passes one scalar at a time to a lane
  BlockSize<N> n;
  const Member &member;

  template <int Widest = 32, class F> KOKKOS_FORCEINLINE_FUNCTION void strips(const F &f) const
  {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, int(n)), [&](int r) { f(Strip<1>{r}); });
  }
  // Covers the n rows of each of `vectors` vectors.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void outputs(int vectors, const F &f) const
  {
    const int m = n;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, m * vectors), [&](int t) { f(Strip<1>{t % m}, t / m); });
  }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void block_strips(const F &f) const
  {
    const int m = n;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, m * m), [&](int t) { f(Strip<1>{t % m}, t / m); });
  }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void ranges(int count, const F &f) const
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
  // Synchronizes these lanes only. The lanes of other rows of the warp need not reach it.
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const
  {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, 0), [](int) {});
  }
};

// sums += B x or sums -= B x for the rows of one strip, by columns in ascending order. column(c) is the address of
// these rows in column c of B, and at(c) is entry c of x.
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

} // namespace finegrain
