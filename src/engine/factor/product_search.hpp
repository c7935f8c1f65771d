// SPDX-License-Identifier: BSD-2-Clause
// Work memory in which host threads search for products (ColumnSearch), with one share per thread.
#pragma once

#include "factor/factor.hpp"
#include "factor/products.hpp"

#include <algorithm>
#include <numeric>

namespace finegrain
{

template <class Space> class ProductSearch
{
public:
  // Prepares a search for n x n blocks. Does nothing if the pattern has lists.
  void prepare(const Pattern<Kokkos::HostSpace> &p, int n)
  {
    *this = {};
    if (!p.searched) return;
    rows_ = n == 1 ? 0 : std::size_t(p.rows); // scalar rows are spread over all columns and need no targets
    scalars_ = n == 1 ? std::size_t(p.rows) : std::size_t(longest_row(p)) * std::size_t(n * n);
    if (!p.permuted) return;
    auto position = make_array<Index>("finegrain::position", std::size_t(p.rows));
    for (Index pos = 0; pos < p.rows; ++pos) position(p.row_of(pos)) = pos;
    position_ = copy_to<Space>(position);
  }

  // Prepares a factorization by this many threads. Afterwards found() returns the number of its products.
  ColumnSearch begin(const Pattern<Space> &p, const Index *row_of, int threads)
  {
    reserve(std::size_t(std::max(1, threads)));
    Kokkos::deep_copy(found_, Offset(0));
    largest_ = 0;
    return {.lower_col = p.lower.col.data(),
            .upper_row = p.upper.col.data(),
            .lower_by_position = p.y == Layout::position,
            .row_of = row_of,
            .position = position_.extent(0) ? position_.data() : nullptr,
            .last_position = p.rows - 1,
            .target = target_.data(),
            .blocks = blocks_.data(),
            .products = found_.data(),
            .largest = &largest_,
            .rows = Offset(rows_),
            .scalars = Offset(scalars_)};
  }
  Offset found() const { return std::accumulate(found_.data(), found_.data() + found_.extent(0), Offset(0)); }

  std::size_t bytes() const
  {
    return blocks_.span() * sizeof(Scalar) + (target_.span() + position_.span()) * sizeof(Index) +
           found_.span() * sizeof(Offset);
  }

private:
  void reserve(std::size_t threads)
  {
    const std::size_t counters = threads * std::size_t(ColumnSearch::counter_stride);
    if (found_.extent(0) >= counters) return;
    found_ = HostArray<Offset>("finegrain::products", counters);
    blocks_ = make_array<Scalar, Space>("finegrain::row", threads * scalars_);
    // Products outside of a scalar row's pattern are added to entries that nothing reads, but that must have a
    // value.
    Kokkos::deep_copy(blocks_, Scalar(0));
    target_ = make_array<Index, Space>("finegrain::target", threads * rows_);
    Kokkos::deep_copy(target_, Index(-1)); // no column is in the row
  }

  std::size_t rows_ = 0, scalars_ = 0; // size of a thread's share
  Array<Index, Space> position_, target_;
  Array<Scalar, Space> blocks_;
  HostArray<Offset> found_; // counters, by thread
  std::uint64_t largest_ = 0;
};

} // namespace finegrain
