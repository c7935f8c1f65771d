// SPDX-License-Identifier: BSD-2-Clause
// Several vectors that one visit of a block row serves, so that its blocks are read from memory once for all of
// them. On a host a lane serves all vectors. On a device a lane serves one vector, and the lanes share rows and
// vectors.
#pragma once

#include "base/kokkos.hpp"
#include "base/scalar.hpp"

#include <utility>

namespace finegrain
{

inline constexpr int most_vectors = 8; // largest number of vectors in one sweep

// Several vectors in one array. Vector v begins at v * stride.
struct Vectors {
  int count = 1; // at most V
  Offset stride = 0;
};

// All vectors, served by one lane.
template <int V> struct AllVectors {
  static constexpr int most = V;
  int count;

  // Calls f(v) for one vector after the other.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void each(const F &f) const
  {
    if constexpr (V == 1) f(0);
    else
      for (int v = 0; v < count; ++v) f(v);
  }
  // Calls f(k, v) without a loop. What f keeps at index k of an array of `most` entries then stays in registers.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void each_unrolled(const F &f) const
  {
    [&]<int... k>(std::integer_sequence<int, k...>) FINEGRAIN_INLINE
    {
      ((V == 1 || k < count ? f(k, k) : void()), ...);
    }
    (std::make_integer_sequence<int, V>());
  }
  // Calls f(k, k) beyond `count` too, where there are no vectors, because g++ does not see that these values are
  // never read.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void all_unrolled(const F &f) const
  {
    [&]<int... k>(std::integer_sequence<int, k...>) FINEGRAIN_INLINE { (f(k, k), ...); }
    (std::make_integer_sequence<int, V>());
  }
};

struct OneVector {
  static constexpr int most = 1;
  int vector;

  template <class F> KOKKOS_FORCEINLINE_FUNCTION void each(const F &f) const { f(vector); }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void all_unrolled(const F &f) const { f(0, vector); }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void each_unrolled(const F &f) const { f(0, vector); }
};

// Calls f(strip, vectors of this lane) for all rows of a block and all vectors. Strips are narrow enough for the
// sums of all vectors to stay in registers.
template <int V, int Widest = 32, class Lanes, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_strip(const Lanes &lanes, [[maybe_unused]] int count, const F &f)
{
  if constexpr (V == 1) lanes.template strips<Widest>([=](auto s) FINEGRAIN_INLINE { f(s, AllVectors<1>{1}); });
  else if constexpr (Lanes::scalar_by_scalar)
    lanes.outputs(count, [=](auto s, int v) FINEGRAIN_INLINE { f(s, OneVector{v}); });
  else lanes.template strips<4>([=](auto s) FINEGRAIN_INLINE { f(s, AllVectors<V>{count}); });
}

// Calls f(i, v) for each output i of each vector v.
template <int V, class Lanes, class F>
KOKKOS_FORCEINLINE_FUNCTION void each_output(const Lanes &lanes, const Vectors &vectors, const F &f)
{
  for_each_strip<V>(lanes, vectors.count, [=](auto s, auto lane_vectors) FINEGRAIN_INLINE {
    for (int i = s.first; i < s.first + s.width; ++i) lane_vectors.each([&](int v) FINEGRAIN_INLINE { f(i, v); });
  });
}

} // namespace finegrain
