// SPDX-License-Identifier: BSD-2-Clause
// A factor as its sweeps read it: the pattern, its blocks, and the kernel arguments for both. The engines of
// factorization.cpp and distributed/shared_factorization.cpp have one.
#pragma once

#include "base/block_storage.hpp"
#include "base/prefetch_distance.hpp"
#include "factor/factor_pattern.hpp"
#include "factor/sweep.hpp"

namespace finegrain
{

template <class Exec> struct StoredFactor : StoredBlocks<typename Exec::memory_space> {
  using Space = typename Exec::memory_space;
  using Blocks = StoredBlocks<Space>;
  using Blocks::lower, Blocks::upper, Blocks::diagonal;

  Pattern<Space> pattern;
  Storage storage;              // precision of its blocks
  bool drops_after = false;     // sweeps read only some of the factored blocks (Drop::after)
  Transposed<Space> transposed; // empty: not computed yet
  bool has_transposed = false;

  // Allocates n x n blocks for the current pattern. lower_only: without upper blocks.
  void allocate(int n, bool lower_only = false)
  {
    lower.allocate(Offset(pattern.lower.col.extent(0)), n, storage.off_diagonal);
    upper.allocate(lower_only ? 0 : Offset(pattern.upper.col.extent(0)), n, storage.off_diagonal);
    diagonal.allocate(pattern.rows, n, storage.diagonal);
    transposed = {};
    has_transposed = false;
  }
  // Returns the memory of a factorization: the factor's own blocks, or temporary ones if their precision is too low.
  Blocks factorization_memory(int n, const Storage &factor_storage) const
  {
    const auto memory = [n](const BlockStorage<Space> &own, Index blocks, Precision stored, Precision computed) {
      if (storage_size(stored) == storage_size(computed)) return own;
      BlockStorage<Space> other;
      other.allocate(blocks, n, computed);
      return other;
    };
    return {memory(lower, Index(pattern.lower.col.extent(0)), storage.off_diagonal, factor_storage.off_diagonal),
            memory(upper, Index(pattern.upper.col.extent(0)), storage.off_diagonal, factor_storage.off_diagonal),
            memory(diagonal, pattern.rows, storage.diagonal, factor_storage.diagonal)};
  }
  const Index *row_of() const { return pattern.row_of.extent(0) ? pattern.row_of.data() : nullptr; }
  Index last_position() const { return pattern.rows - 1; }
  bool y_by_row() const { return pattern.y == Layout::row; }
  void find_transposed() // computed at first use
  {
    if (has_transposed) return;
    transposed = copy_to<Space>(transpose_pattern(copy_to<Kokkos::HostSpace>(pattern)));
    has_transposed = true;
  }
  std::size_t bytes() const { return lower.size() + upper.size() + diagonal.size(); }
  // Number of indices of the pattern that an application reads.
  std::size_t structure() const
  {
    return pattern.lower.ptr.span() + pattern.lower.col.span() + pattern.upper.ptr.span() + pattern.upper.col.span() +
           2 * pattern.row_of.span();
  }

  ForwardArguments forward(const Scalar *b, Scalar *y, const LineList &lines = {}) const
  {
    return {.ptr = pattern.lower.ptr.data(),
            .col = pattern.lower.col.data(),
            .row_of = row_of(),
            .y_by_row = y_by_row(),
            .lower = lower.data(),
            .diagonal = diagonal.data(),
            .b = b,
            .y = y,
            .vectors = {},
            .lines = lines,
            .prefetch_distance = prefetch_distance_of(works_in_teams<Exec>)};
  }
  // y is stored by row, or in the layout of the forward sweep.
  BackwardArguments backward(const Scalar *y, bool by_row, Scalar *x, const LineList &lines = {}) const
  {
    return {.ptr = pattern.upper.ptr.data(),
            .col = pattern.upper.col.data(),
            .row_of = row_of(),
            .y_by_row = by_row || y_by_row(),
            .last_position = last_position(),
            .upper = upper.data(),
            .y = y,
            .x = x,
            .vectors = {},
            .lines = lines,
            .prefetch_distance = prefetch_distance_of(works_in_teams<Exec>)};
  }
  TransposedArguments transposed_sweep(bool backward, const Scalar *in, Scalar *out, const Vectors &vectors) const
  {
    const auto &part = backward ? transposed.lower : transposed.upper;
    return {.ptr = part.ptr.data(),
            .entry = part.entry.data(),
            .col = part.row.data(),
            .row_of = row_of(),
            .backward = backward,
            .last_position = last_position(),
            .blocks = backward ? lower.data() : upper.data(),
            .diagonal = backward ? diagonal.data() : nullptr,
            .in = in,
            .out = out,
            .vectors = vectors};
  }
};

} // namespace finegrain
