// SPDX-License-Identifier: BSD-2-Clause
// Memory of the blocks of a factor, a relaxation, or one part of them, in a storage type known at run time.
#pragma once

#include "base/kokkos.hpp"
#include "base/rounding.hpp"
#include "base/scalar.hpp"
#include "base/prefetch_distance.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace finegrain
{

// Gives the pages behind an array of a host back to the system, before it is freed: malloc may be told to keep them,
// as SuperLU_DIST tells it wherever it is loaded, with most PETScs. What was there is lost.
inline void give_back_pages([[maybe_unused]] void *data, [[maybe_unused]] std::size_t bytes)
{
#if defined(__linux__)
  constexpr std::uintptr_t page = std::uintptr_t(1) << 16; // a multiple of what machines have
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  if (begin < end) madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
#endif
}

// Blocks of one part of a factor.
template <class Space> struct BlockStorage {
  Array<unsigned char, Space> bytes;

  static constexpr std::size_t slack = block_slack;
  void allocate(Offset blocks, int n, Precision p)
  {
    size_ = std::size_t(blocks) * bytes_of_block(p, n);
    bytes = Array<unsigned char, Space>();
    bytes = make_array<unsigned char, Space>("finegrain::blocks", size_ + slack);
    Kokkos::deep_copy(Kokkos::subview(bytes, std::make_pair(size_, size_ + slack)), 0);
  }
  // Nobody else shares it.
  void give_back()
  {
    if constexpr (std::is_same_v<Space, Kokkos::HostSpace>) give_back_pages(bytes.data(), size_);
    *this = {};
  }
  void *data() const { return bytes.data(); }
  std::size_t size() const { return size_; }
  // Asked for as the machine likes it, after they have been written.
  template <class Exec> void measure() const
  {
    if constexpr (!works_in_teams<Exec>) measure_prefetch_distance(bytes.data(), size_);
  }

private:
  std::size_t size_ = 0;
};

// The blocks of a factor, which copies share.
template <class Space> struct StoredBlocks {
  BlockStorage<Space> lower, upper, diagonal;
};

} // namespace finegrain
