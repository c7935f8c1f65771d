// SPDX-License-Identifier: BSD-2-Clause
// The memory in which a host's threads search for products (ColumnSearch), a part for each of them.
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
  // For blocks of n x n, and nothing where the pattern has lists.
  void prepare(const Pattern<Kokkos::HostSpace> &p, int n)
  {
    *this = {};
    if (!p.searched) return;
    rows_ = n == 1 ? 0 : std::size_t(p.rows); // numbers have a place in the row for every column
    scalars_ = n == 1 ? std::size_t(p.rows) : std::size_t(longest_row(p)) * std::size_t(n * n);
    if (!p.permuted) return;
    auto position = make_array<Index>("finegrain::position", std::size_t(p.rows));
    for (Index pos = 0; pos < p.rows; ++pos) position(p.row_of(pos)) = pos;
    position_ = copy_to<Space>(position);
  }

  // Before a factorization by so many threads; what it has found is in found() after it.
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
    Kokkos::deep_copy(blocks_, Scalar(0)); // what falls beside a row is added to what is there
    target_ = make_array<Index, Space>("finegrain::target", threads * rows_);
    Kokkos::deep_copy(target_, Index(-1)); // columns beside the row
  }

  std::size_t rows_ = 0, scalars_ = 0; // of a thread's part
  Array<Index, Space> position_, target_;
  Array<Scalar, Space> blocks_;
  HostArray<Offset> found_; // by each thread
  std::uint64_t largest_ = 0;
};

} // namespace finegrain
