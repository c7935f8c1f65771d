// SPDX-License-Identifier: BSD-2-Clause
// Counts the bytes that Kokkos has allocated and not freed, by hooks of Kokkos Tools, which are independent of the
// engine's own statistics.
#pragma once

#include "../backend.hpp"

#include <atomic>
#include <cstring>

namespace finegrain::test
{

class MemoryCounter
{
public:
  MemoryCounter() : blocks_before_(blocks_), all_before_(all_)
  {
    using Handle = Kokkos::Tools::SpaceHandle;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
      [](Handle, const char *name, const void *, std::uint64_t size) { add(name, Offset(size)); });
    Kokkos::Tools::Experimental::set_deallocate_data_callback(
      [](Handle, const char *name, const void *, std::uint64_t size) { add(name, -Offset(size)); });
  }
  // Bytes allocated since this counter was made: of blocks of factors (BlockStorage), and of all arrays of ours. The
  // scratch memory of teams, which Kokkos keeps, is not counted.
  Offset blocks() const { return blocks_ - blocks_before_; }
  Offset all() const { return all_ - all_before_; }

private:
  static void add(const char *name, Offset bytes)
  {
    if (std::strncmp(name, "finegrain::", 11)) return;
    all_ += bytes;
    if (!std::strcmp(name, "finegrain::blocks")) blocks_ += bytes;
  }

  inline static std::atomic<Offset> blocks_ = 0, all_ = 0;
  Offset blocks_before_, all_before_;
};

} // namespace finegrain::test
