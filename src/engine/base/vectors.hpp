// SPDX-License-Identifier: BSD-2-Clause
// Several vectors that one visit of a block row serves, so that its blocks are read from memory once for all of them,
// and which of them a lane serves: all on a host, one on a device, whose lanes share rows and vectors.
#pragma once

#include "base/kokkos.hpp"
#include "base/scalar.hpp"

#include <utility>

namespace finegrain
{

inline constexpr int most_vectors = 8; // served by one sweep

// Vector v of an array begins at v stride.
struct Vectors {
  int count = 1; // at most V
  Offset stride = 0;
};

// All of them.
template <int V> struct AllVectors {
  static constexpr int most = V;
  int count;

  // f(v), one after the other.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void each(const F &f) const
  {
    if constexpr (V == 1) f(0);
    else
      for (int v = 0; v < count; ++v) f(v);
  }
  // f(k, v): what it keeps of each in an array of `most`, at k, stays in registers, for there is no loop.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void each_in_order(const F &f) const
  {
    [&]<int... k>(std::integer_sequence<int, k...>) FINEGRAIN_INLINE
    {
      ((V == 1 || k < count ? f(k, k) : void()), ...);
    }
    (std::make_integer_sequence<int, V>());
  }
  // The same beyond `count` too, of what is no vector: g++ does not see that nobody reads it.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void at_all(const F &f) const
  {
    [&]<int... k>(std::integer_sequence<int, k...>) FINEGRAIN_INLINE { (f(k, k), ...); }
    (std::make_integer_sequence<int, V>());
  }
};

struct OneVector {
  static constexpr int most = 1;
  int number;

  template <class F> KOKKOS_FORCEINLINE_FUNCTION void each(const F &f) const { f(number); }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void at_all(const F &f) const { f(0, number); }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void each_in_order(const F &f) const { f(0, number); }
};

// f(strip, vectors that this lane serves) for all rows of a block and all vectors. Sums of all vectors of a strip are
// to stay in registers.
template <int V, int Widest = 32, class Lanes, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_strip(const Lanes &lanes, [[maybe_unused]] int count, const F &f)
{
  if constexpr (V == 1) lanes.template strips<Widest>([=](auto s) FINEGRAIN_INLINE { f(s, AllVectors<1>{1}); });
  else if constexpr (Lanes::one_number)
    lanes.outputs(count, [=](auto s, int v) FINEGRAIN_INLINE { f(s, OneVector{v}); });
  else lanes.template strips<4>([=](auto s) FINEGRAIN_INLINE { f(s, AllVectors<V>{count}); });
}

// f(i, v) for output i of vector v.
template <int V, class Lanes, class F>
KOKKOS_FORCEINLINE_FUNCTION void each_output(const Lanes &lanes, const Vectors &vectors, const F &f)
{
  for_each_strip<V>(lanes, vectors.count, [=](auto s, auto some) FINEGRAIN_INLINE {
    for (int i = s.first; i < s.first + s.width; ++i) some.each([&](int v) FINEGRAIN_INLINE { f(i, v); });
  });
}

} // namespace finegrain
