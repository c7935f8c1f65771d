// SPDX-License-Identifier: BSD-2-Clause
// Counts the kernels that Kokkos launches, by a hook of Kokkos Tools, which is independent of the engine's own
// statistics.
#pragma once

#include "../backend.hpp"

#include <cstdint>
#include <cstring>

namespace finegrain::test
{

class KernelCounter
{
public:
  KernelCounter() : first_(count_)
  {
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(
      [](const char *name, std::uint32_t, std::uint64_t *) { count_ += !std::strcmp(name, "finegrain::rows"); });
  }
  // Row functions and sweeps that were launched since this counter was made.
  Offset count() const { return count_ - first_; }
  // False if kernels run on host threads, which are not Kokkos kernels.
  static bool sees_all() { return where == Where::device; }

private:
  inline static Offset count_ = 0;
  Offset first_;
};

} // namespace finegrain::test
