// Blocks of a matrix become blocks in eight bits in the same memory (PIPSR; numerics.md 2), as rounding_in_place.cpp
// does with numbers one by one. Here what is moved is a block, because its exponents need all of it: F results fit
// into the memory of one block, and the blocks are cut into F streams of m, with fewer than F left over.
//
// 1. Gather: slot g reads block g of every stream and writes F results to the memory of the last stream's, which it
// has
//    read before.
// 2. Spread: slot g reads these results and writes each to its place, in the memory of other streams.
// 3. Finish: the blocks that are left over, one after the other, upwards.
#pragma once

#include "base/atomics.hpp"
#include "base/block.hpp"
#include "base/quantized.hpp"
#include "kernels/sweep.hpp"

namespace finegrain
{

struct QuantizeArguments {
  Scalar *blocks;
  Offset first, count; // to finish: blocks first to count - 1
  Offset m;            // blocks of a stream
  int streams;         // F
  Real scale;
  Trouble *trouble;
};

// F for blocks of n.
inline int quantized_streams(int n)
{
  return int(std::size_t(n) * std::size_t(n) * sizeof(Scalar) / bytes_of_block(Precision::int8, n));
}

enum class QuantizeStep { gather, spread, finish };

template <QuantizeStep step> struct QuantizeRow {
  BlockSize<0> n;
  QuantizeArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n)
  {
    return step == QuantizeStep::spread ? 0 : n * n;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n * n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *scratch) const
  {
    const int last = arg.streams - 1;
    const Offset length = block_length<Quantized>(n);
    Quantized *gathered = reinterpret_cast<Quantized *>(block(last * arg.m + slot));
    if constexpr (step == QuantizeStep::gather) {
      narrow(lanes, last * arg.m + slot, gathered, scratch);
      for (int k = 0; k < last; ++k) narrow(lanes, k * arg.m + slot, gathered + (k + 1) * length, scratch);
    } else if constexpr (step == QuantizeStep::spread) {
      for (int k = 0; k <= last; ++k) {
        const Quantized *from = gathered + (k < last ? k + 1 : 0) * length;
        Quantized *to = result(k * arg.m + slot);
        lanes.runs(int(length), [=](int at, int bytes) FINEGRAIN_INLINE {
          for (int i = at; i < at + bytes; ++i) to[i] = from[i];
        });
      }
    } else {
      for (Offset i = arg.first; i < arg.count; ++i) narrow(lanes, i, result(i), scratch);
    }
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION Scalar *block(Offset i) const { return arg.blocks + i * n * n; }
  KOKKOS_FORCEINLINE_FUNCTION Quantized *result(Offset i) const
  {
    return reinterpret_cast<Quantized *>(arg.blocks) + i * block_length<Quantized>(n);
  }
  // Block i to `to`, which may be its own memory.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void narrow(const Lanes &lanes, Offset i, Quantized *to, Scalar *copy) const
  {
    const Scalar *from = block(i);
    lanes.runs(n * n, [=](int at, int count) FINEGRAIN_INLINE {
      for (int k = at; k < at + count; ++k) copy[k] = from[k];
    });
    lanes.strips([=, this](auto s) FINEGRAIN_INLINE {
      const Quantization q = quantize<s.width>(copy, n, s.first, arg.scale, to);
      if (q.flushed > 0) atomic_add(&arg.trouble->flushed, q.flushed);
    });
  }
};

} // namespace finegrain
