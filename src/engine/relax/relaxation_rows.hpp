// SPDX-License-Identifier: BSD-2-Clause
// The couplings of a relaxation's rows, in the order in which they are stored and summed. stored_relaxation.hpp
// asks for them, relax.hpp reads them.
#pragma once

#include "base/kinds.hpp"
#include "base/scalar.hpp"

namespace finegrain
{

struct Coloring;
struct OperatorView;

// The rows of a relaxation in the order in which they are stored: neighbors of smaller colors, those of larger ones
// from `mid` on, or ghosts at the end. Columns beyond `owned` are ghosts.
struct RelaxRows {
  const Index *ptr, *mid, *col, *row_of;
  Index owned;
  bool backward;                // slots run from the last position to the first
  const Index *block = nullptr; // number of each entry's block in storage; null: they are stored in this order

  KOKKOS_FORCEINLINE_FUNCTION Index position(Index slot) const { return backward ? owned - 1 - slot : slot; }
  KOKKOS_FORCEINLINE_FUNCTION Index row(Index pos) const { return row_of ? row_of[pos] : pos; }
  KOKKOS_FORCEINLINE_FUNCTION Index number(Index e) const { return block ? block[e] : e; }
};

// Terms of a row ascend by (color, key) of their columns, so that those of smaller colors, all that a first sweep
// from zero needs, come first. Ghosts are among them where ranks have agreed on colors and keys, else behind them,
// in the order of their numbers.
template <class Space> struct CouplingRows {
  Index rows = 0, owned_entries = 0;
  Array<Index, Space> ptr, mid,
    col;                        // by position: entries, the first of a larger color; columns from `rows` on: ghosts
  Array<Index, Space> source;   // entry of the owned graph, or owned_entries + entry of the coupling
  Array<Index, Space> diagonal; // entry of the owned graph that holds each position's diagonal block
  Array<Index, Space> row_of;   // empty: natural

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

// Exchange::none leaves ghosts out.
CouplingRows<Kokkos::HostSpace> order_couplings(const OperatorView &, const Coloring &, Exchange,
                                                const HostArray<Index> &row_of);

// Couplings that a first sweep from zero reads.
Index count_first_entries(const CouplingRows<Kokkos::HostSpace> &, SweepKind);

// Entries by column: those of the position of each owned row, then those of each ghost; by ascending row.
template <class Space> struct TransposedCouplings {
  Array<Index, Space> ptr, position, entry; // position of the row, number of the block

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
