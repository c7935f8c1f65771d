// SPDX-License-Identifier: BSD-2-Clause
// Values of the matrix as row functions read them: dense blocks, or scalar rows with gaps. Callers pass
// MatrixValues; factorizations, relaxations and residuals load blocks from it.
#pragma once

#include "base/block.hpp"
#include "base/prefetch.hpp"

namespace finegrain
{

// Blocks of the matrix by entry of its graph. If `base` is null, blocks are dense, contiguous and stored by columns
// (BAIJ, and AIJ with n = 1). Otherwise the matrix is stored by scalar rows (AIJ): row r of entry e begins at
// values[base[e n + r]]. It contains the columns whose bits are set in mask[e n + r], without gaps.
struct MatrixValues {
  const Scalar *values = nullptr;
  const Offset *base = nullptr;
  const std::uint32_t *mask = nullptr;

  template <class Lanes, int N>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Lanes &lanes, BlockSize<N> n, Index entry, Scalar *block) const
  {
    if (!base) {
      const Scalar *from = values + Offset(entry) * n * n;
      lanes.block_strips([=](auto s, int c) FINEGRAIN_INLINE {
        Accumulator<s.width> copy;
        copy.load(from + c * n + s.first);
        copy.store(block + c * n + s.first);
      });
    } else {
      lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
        for (int r = 0; r < s.width; ++r) block[c * n + s.first + r] = value(Offset(entry) * n + s.first + r, c);
      });
    }
  }

  // Returns the block of an entry: in the matrix itself if it is dense there, else loaded into `space`.
  template <class Lanes, int N>
  KOKKOS_FORCEINLINE_FUNCTION const Scalar *view(const Lanes &lanes, BlockSize<N> n, Index entry, Scalar *space) const
  {
    if (!base) return values + Offset(entry) * n * n;
    load(lanes, n, entry, space);
    return space;
  }

  // Prefetch distance of factorizations, in rows.
  static constexpr Index prefetch_rows = 4;
  // Prefetches the block of an entry on hosts. Does nothing for a negative entry.
  template <int N> KOKKOS_FORCEINLINE_FUNCTION void prefetch_entry(Index entry) const
  {
    if (entry < 0) return;
    if (!base) return prefetch<std::size_t(N) * N * sizeof(Scalar), Caches::second>(values + Offset(entry) * N * N);
    for (int r = 0; r < N; ++r) prefetch<1, Caches::second>(values + base[Offset(entry) * N + r]);
  }

  // sums += A x or sums -= A x for the rows of one strip of an entry's block A.
  template <Sign sign, int W, int N> KOKKOS_FORCEINLINE_FUNCTION void accumulate_product(Strip<W> s, BlockSize<N> n,
                                                                                         Index entry, const Scalar *x,
                                                                                         Accumulator<W> &sums) const
  {
    if (!base) return accumulate<sign>(s, n, values + Offset(entry) * n * n, x, sums);
    const Offset piece = Offset(entry) * n + s.first; // first row of the strip
    const auto add = [&](const auto &scalar_at) FINEGRAIN_INLINE {
      for (int c = 0; c < n; ++c) {
        Scalar column[std::size_t(W)];
        for (int r = 0; r < W; ++r) column[r] = scalar_at(r, c);
        if constexpr (sign == Sign::minus) sums.subtract_product(multiplier(x[c]), column);
        else sums.add_product(multiplier(x[c]), column);
      }
    };
    if constexpr (W > 1 && N > 0) { // strips of a host: most blocks are full
      std::uint32_t all = ~std::uint32_t(0);
      const Scalar *row[std::size_t(W)];
      for (int r = 0; r < W; ++r) {
        all &= mask[piece + r];
        row[r] = values + base[piece + r];
      }
      if (all == ~std::uint32_t(0) >> (32 - N)) return add([&](int r, int c) FINEGRAIN_INLINE { return row[r][c]; });
    }
    add([&](int r, int c) FINEGRAIN_INLINE { return value(piece + r, c); });
  }

  // Returns a function f(at) that gives the scalars of an entry's block by columns.
  KOKKOS_FORCEINLINE_FUNCTION auto scalars(int n, Index entry) const
  {
    return [=, source = *this](int at) FINEGRAIN_INLINE { return source.scalar(n, entry, at); };
  }
  // Returns scalar `at` of an entry's block by columns.
  KOKKOS_FORCEINLINE_FUNCTION Scalar scalar(int n, Index entry, int at) const
  {
    return base ? value(Offset(entry) * n + at % n, at / n) : values[Offset(entry) * n * n + at];
  }

private:
  // Returns the scalar in column c of one row of a block, zero if the matrix does not store it.
  KOKKOS_FORCEINLINE_FUNCTION Scalar value(Offset piece, int c) const
  {
    const std::uint32_t present = mask[piece], bit = std::uint32_t(1) << c;
    return present & bit ? values[base[piece] + count_bits(present & (bit - 1))] : Scalar(0);
  }

  KOKKOS_FORCEINLINE_FUNCTION static int count_bits(std::uint32_t v)
  {
#if defined(FINEGRAIN_ON_DEVICE)
    return on_device::count_bits(v);
#else
    return __builtin_popcount(v);
#endif
  }
};

// Entries of the operator by block row: their columns, and their indices in MatrixValues. A null `entry` means all
// in order.
struct EntryList {
  const Index *ptr = nullptr, *col = nullptr, *entry = nullptr;
};

} // namespace finegrain
