// SPDX-License-Identifier: BSD-2-Clause
// Memory of the blocks of a factor, of a relaxation, or of one part of them. The storage type is known at run time.
#pragma once

#include "base/kokkos.hpp"
#include "base/rounding.hpp"
#include "base/scalar.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace finegrain
{

// Returns the pages of a host array to the system before the array is freed, because malloc may be configured to
// keep them. SuperLU_DIST, which most builds of PETSc load, configures it so. The contents are lost.
inline void free_pages([[maybe_unused]] void *data, [[maybe_unused]] std::size_t bytes)
{
#if defined(__linux__)
  constexpr std::uintptr_t page = std::uintptr_t(1) << 16; // a multiple of the page sizes of all machines
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  if (begin < end) madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
#endif
}

// Blocks of one part of a factor: lower, upper or diagonal.
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
  // Frees the memory, which no copy of this object may share.
  void free_memory()
  {
    if constexpr (std::is_same_v<Space, Kokkos::HostSpace>) free_pages(bytes.data(), size_);
    *this = {};
  }
  void *data() const { return bytes.data(); }
  std::size_t size() const { return size_; }

private:
  std::size_t size_ = 0;
};

// Blocks of a factor. Copies of this object share them.
template <class Space> struct StoredBlocks {
  BlockStorage<Space> lower, upper, diagonal;
};

} // namespace finegrain
