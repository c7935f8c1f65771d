// Where the values of the operator lie.
#pragma once

#include "block.hpp"

namespace finegrain
{

// Blocks of the matrix by entry of its graph. Without `base` they are dense and stored by columns one after the other
// (BAIJ, and AIJ with n = 1). With it the matrix is stored by scalar rows (AIJ): row r of entry e begins at
// values[base[e n + r]], and holds the columns whose bits are set in mask[e n + r], without gaps.
struct Source {
  const Scalar        *values = nullptr;
  const Offset        *base   = nullptr;
  const std::uint32_t *mask   = nullptr;

  template <class Lanes, int N>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Lanes &lanes, BlockSize<N> n, Index entry, Scalar *block) const
  {
    if (!base) {
      const Scalar *from = values + Offset(entry) * n * n;
      lanes.tiles([&](auto s, int c) {
        Accumulator<s.width> copy;
        copy.load(from + c * n + s.first);
        copy.store(block + c * n + s.first);
      });
    } else {
      lanes.tiles([&](auto s, int c) {
        for (int r = 0; r < s.width; ++r) {
          const Offset        i       = Offset(entry) * n + s.first + r;
          const std::uint32_t present = mask[i], bit = std::uint32_t(1) << c;
          block[c * n + s.first + r] = present & bit ? values[base[i] + count_bits(present & (bit - 1))] : Scalar(0);
        }
      });
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static int count_bits(std::uint32_t v)
  {
#if defined(__CUDA_ARCH__)
    return __popc(v);
#else
    return __builtin_popcount(v);
#endif
  }
};

} // namespace finegrain
