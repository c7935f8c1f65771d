// What a row of a sweep loads before its neighbors' values are there: its blocks, its right-hand side and where the
// values will be. Of devices, whose rows take as long as their loads one after another. Such a row function has
// begin(), which loads it, and finish(), which does the rest (run/steps.hpp).
//
// In registers of the lanes, hence of the first entries only, whatever a row has; the others are loaded as usual.
#pragma once

#include "base/scalar.hpp"

#include <algorithm>

namespace finegrain
{

// A row of three blocks of 5 x 5 and its pivot take 160 bytes of a lane, 40 of the 96 registers that launch bounds
// leave it.
inline constexpr int early_bytes = 192;
// Not of shorter numbers: what they are converted to takes more, and spills.
template <int N, class B> inline constexpr bool early_fits = N > 0 && sizeof(B) == sizeof(Scalar) &&
                                                             2 * N *int(sizeof(Scalar)) <= early_bytes;
template <int N> inline constexpr int early_entries = std::clamp(early_bytes / (N * int(sizeof(Scalar))) - 1, 1, 4);

// The lane's row of a block, or of a block of fewer columns. A lane of an emulated device has all rows.
template <int N, class B, int Columns = N> class EarlyRow
{
#if defined(__CUDA_ARCH__)
  B numbers_[1][std::size_t(Columns)];
#else
  B numbers_[std::size_t(N)][std::size_t(Columns)] = {}; // g++ does not see that only what was loaded is used
#endif

public:
  template <class Strip> KOKKOS_FORCEINLINE_FUNCTION void load(const Strip &s, const B *block)
  {
    for (int c = 0; c < Columns; ++c) numbers_[at(s)][c] = block[c * N + s.first];
  }
  template <class Strip> KOKKOS_FORCEINLINE_FUNCTION auto columns(const Strip &s) const
  {
    const B *row = numbers_[at(s)];
    return [row](int c) FINEGRAIN_INLINE { return row + c; };
  }

private:
  template <class Strip> KOKKOS_FORCEINLINE_FUNCTION static constexpr int at([[maybe_unused]] const Strip &s)
  {
    static_assert(Strip::width == 1);
#if defined(__CUDA_ARCH__)
    return 0;
#else
    return s.first;
#endif
  }
};

// f(k) for the first `most` of these entries.
template <int most, class F> KOKKOS_FORCEINLINE_FUNCTION void each_entry(Index first, Index last, const F &f)
{
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int k = 0; k < most; ++k)
    if (first + k < last) f(k);
}

// The first blocks of a row, and where their neighbors' values will be.
template <int N, class B> class EarlyEntries
{
  static constexpr int most = early_entries<N>;
  EarlyRow<N, B> blocks_[std::size_t(most)];
#if defined(__CUDA_ARCH__)
  const Scalar *from_[std::size_t(most)];
#else
  const Scalar *from_[std::size_t(most)] = {};
#endif

public:
  // find(e): where the values of entry e will be.
  template <class Lanes, class Find> KOKKOS_FORCEINLINE_FUNCTION void load(const Lanes &lanes, const B *blocks,
                                                                           Index first, Index last, const Find &find)
  {
    each_entry<most>(first, last, [&](int k) FINEGRAIN_INLINE { from_[k] = find(first + k); });
    lanes.strips([&](auto s) FINEGRAIN_INLINE {
      each_entry<most>(first, last,
                       [&](int k) FINEGRAIN_INLINE { blocks_[k].load(s, blocks + Offset(first + k) * (N * N)); });
    });
  }
  // f(columns of the block for this lane, x of the neighbor) for these entries; returns the first of the others.
  template <class Strip, class Neighbors, class F>
  KOKKOS_FORCEINLINE_FUNCTION Index visit(const Strip &s, Index first, Index last, const Neighbors &neighbors,
                                          const F &f) const
  {
    using Seen = decltype(neighbors.template look<N>(nullptr));
#if defined(__CUDA_ARCH__)
    Seen seen[std::size_t(most)];
#else
    Seen seen[std::size_t(most)] = {};
#endif
    each_entry<most>(first, last, [&](int k) FINEGRAIN_INLINE { seen[k] = neighbors.template look<N>(from_[k]); });
    neighbors.await_all(seen, [&](const auto &look_again) FINEGRAIN_INLINE {
      each_entry<most>(first, last, [&](int k) FINEGRAIN_INLINE { look_again(k, from_[k]); });
    });
    each_entry<most>(first, last,
                     [&](int k) FINEGRAIN_INLINE { f(blocks_[k].columns(s), neighbors.read(seen[k], from_[k])); });
    return first + most;
  }
};

// The same of a row whose blocks lie in scratch memory, and are read there.
template <int N, class B> class EarlyPlaces
{
  static constexpr int most = 3; // those of the star
#if defined(__CUDA_ARCH__)
  const B *blocks_;
  const Scalar *from_[std::size_t(most)];
#else
  const B *blocks_ = nullptr;
  const Scalar *from_[std::size_t(most)] = {};
#endif

public:
  template <class Lanes, class Find>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Lanes &, const B *blocks, Index first, Index last, const Find &find)
  {
    each_entry<most>(first, last, [&](int k) FINEGRAIN_INLINE { from_[k] = find(first + k); });
    blocks_ = blocks + Offset(first) * (N * N);
  }
  template <class Strip, class Neighbors, class F>
  KOKKOS_FORCEINLINE_FUNCTION Index visit(const Strip &s, Index first, Index last, const Neighbors &,
                                          const F &f) const
  {
    each_entry<most>(first, last, [&](int k) FINEGRAIN_INLINE {
      const B *row = blocks_ + k * N * N + s.first;
      f([row](int c) FINEGRAIN_INLINE { return row + c * N; }, from_[k]);
    });
    return first + most;
  }
};

} // namespace finegrain
