// SPDX-License-Identifier: BSD-2-Clause
// Couplings of a relaxation's rows, in the order of storage and summation. stored_relaxation.hpp builds them,
// relax.hpp reads them.
#pragma once

#include "base/kinds.hpp"
#include "base/scalar.hpp"

namespace finegrain
{

struct Coloring;
struct OperatorView;

// Rows of a relaxation as kernels read them. Each has neighbors of smaller colors, then from `mid` on those of
// larger colors, and ghosts among them or at the end. Columns from `owned` on are ghosts.
struct RelaxRows {
  const Index *ptr, *mid, *col, *row_of;
  Index owned;
  bool backward;                // sweep indices run from the last position to the first
  const Index *block = nullptr; // index of each entry's block in storage; null: blocks are in this order

  KOKKOS_FORCEINLINE_FUNCTION Index position(Index sweep_index) const
  {
    return backward ? owned - 1 - sweep_index : sweep_index;
  }
  KOKKOS_FORCEINLINE_FUNCTION Index row(Index pos) const { return row_of ? row_of[pos] : pos; }
  KOKKOS_FORCEINLINE_FUNCTION Index block_index(Index e) const { return block ? block[e] : e; }
};

// Terms of a row ascend by (color, key) of their columns. Those of smaller colors come first, because a first sweep
// from zero needs no others. Ghosts are sorted with them if ranks have agreed on colors and keys, else they follow
// in the order of their numbers.
template <class Space> struct CouplingRows {
  Index rows = 0, owned_entries = 0;
  Array<Index, Space> ptr, mid,
    col; // by position: first entry, first one of a larger color; columns from `rows` on are ghosts
  Array<Index, Space> source;   // entry of the owned graph, or owned_entries + entry of the coupling
  Array<Index, Space> diagonal; // entry of the owned graph for each position's diagonal block
  Array<Index, Space> row_of;   // empty: natural order

  Index entries() const { return Index(col.extent(0)); }
  RelaxRows view() const
  {
    return {ptr.data(), mid.data(), col.data(), row_of.extent(0) ? row_of.data() : nullptr, rows, false};
  }
  std::size_t bytes() const
  {
    return (ptr.span() + mid.span() + col.span() + source.span() + diagonal.span() + row_of.span()) * sizeof(Index);
  }
};

// Orders the couplings. Exchange::none ignores those to ghosts.
CouplingRows<Kokkos::HostSpace> order_couplings(const OperatorView &, const Coloring &, Exchange,
                                                const HostArray<Index> &row_of);

// Number of couplings that a first sweep from zero reads.
Index count_first_entries(const CouplingRows<Kokkos::HostSpace> &, SweepKind);

// Entries by column: columns of owned rows by position, then ghosts. Entries of a column ascend by row.
template <class Space> struct TransposedCouplings {
  Array<Index, Space> ptr, position, entry; // position of the row, index of the block

  std::size_t bytes() const { return (ptr.span() + position.span() + entry.span()) * sizeof(Index); }
};
TransposedCouplings<Kokkos::HostSpace> transpose_couplings(const CouplingRows<Kokkos::HostSpace> &, Index ghosts);

template <class Space, class From> CouplingRows<Space> copy_to(const CouplingRows<From> &r)
{
  return {r.rows,
          r.owned_entries,
          copy_to<Space>(r.ptr),
          copy_to<Space>(r.mid),
          copy_to<Space>(r.col),
          copy_to<Space>(r.source),
          copy_to<Space>(r.diagonal),
          copy_to<Space>(r.row_of)};
}

template <class Space> TransposedCouplings<Space> copy_to(const TransposedCouplings<Kokkos::HostSpace> &t)
{
  return {copy_to<Space>(t.ptr), copy_to<Space>(t.position), copy_to<Space>(t.entry)};
}

} // namespace finegrain
