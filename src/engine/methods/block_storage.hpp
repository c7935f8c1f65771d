// Memory of the blocks of a factor, a relaxation, or one part of them, in a storage type known at run time.
#pragma once

#include "base/kokkos.hpp"
#include "base/rounding.hpp"
#include "base/scalar.hpp"
#include "run/look_ahead.hpp"

namespace finegrain
{

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
  void *data() const { return bytes.data(); }
  std::size_t size() const { return size_; }
  // Asked for as the machine likes it, after they have been written.
  template <class Exec> void measure() const
  {
    if constexpr (!works_in_teams<Exec>) measure_look_ahead(bytes.data(), size_);
  }

private:
  std::size_t size_ = 0;
};

} // namespace finegrain
