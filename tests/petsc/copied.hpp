// SPDX-License-Identifier: BSD-2-Clause
// Counts the bytes that Kokkos copies, for tests on the emulated device.
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace finegrain::test
{

// Bytes that Kokkos copies from one array to another.
class Copied
{
public:
  Copied() : first_(bytes_)
  {
    Kokkos::Tools::Experimental::set_begin_deep_copy_callback(
      [](Kokkos::Tools::SpaceHandle, const char *, const void *, Kokkos::Tools::SpaceHandle, const char *,
         const void *, std::uint64_t size) { bytes_ += size; });
  }
  ~Copied() { Kokkos::Tools::Experimental::set_begin_deep_copy_callback(nullptr); }
  std::uint64_t bytes() const { return bytes_ - first_; }

private:
  inline static std::uint64_t bytes_ = 0;
  std::uint64_t first_;
};

} // namespace finegrain::test
