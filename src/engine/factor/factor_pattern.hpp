// SPDX-License-Identifier: BSD-2-Clause
// Pattern of a factor and its transpose, from an elimination and a storage order. Out: a Pattern, for factorings
// (factoring.hpp).
#pragma once

#include "order/fill.hpp"
#include "order/grid.hpp"
#include "factor/products.hpp"

namespace finegrain
{

// Pattern of the ILU(0) of a graph that is eliminated in `ordering` and stored in the order row_of (empty: natural
// order). The storage order keeps the direction of every coupling. FactorKind::automatic becomes dilu if there are
// no off-diagonal updates, else ilu0; dilu drops such updates. `kind` returns the result. Off-diagonal updates are
// listed unless the ListChoice prefers a search.
Pattern<Kokkos::HostSpace> split_pattern(const Selection &, const HostArray<Index> &ordering,
                                         const HostArray<Index> &row_of, Layout y, FactorKind &kind,
                                         const ListChoice &choice = {});

// Rearranges the pattern of a DILU for FactorKind::icc, which reads the upper triangle of the matrix and stores the
// lower blocks of the factor. Returns false if the pattern is not symmetric. The new contents are
// - lower.source: for lower block (i, k) the entry (k, i), or ~(entry (i, k)) if i precedes k in the matrix;
// - upper.source: for each upper block its transposed lower block, and symmetric_prefetch_entries more entries for
// prefetching;
// - to_diagonal.right: for each lower block the position of its pivot.
inline constexpr Index symmetric_prefetch_entries = 20;
bool fold_upper(Pattern<Kokkos::HostSpace> &);

// Entries of both triangles by column, for transposed sweeps. Sweep indices of the upper triangle are the positions
// of its columns, those of the lower triangle run from the last position to the first. Entries of a sweep index
// ascend by row.
template <class Space> struct Transposed {
  struct Part {
    Array<Index, Space> ptr, entry, row;
  };
  Part upper, lower;

  std::size_t bytes() const
  {
    std::size_t sum = 0;
    for (const Part *p : {&upper, &lower}) sum += (p->ptr.span() + p->entry.span() + p->row.span()) * sizeof(Index);
    return sum;
  }
};
Transposed<Kokkos::HostSpace> transpose_pattern(const Pattern<Kokkos::HostSpace> &);

template <class Space> Transposed<Space> copy_to(const Transposed<Kokkos::HostSpace> &t)
{
  const auto part = [](const auto &p) {
    return typename Transposed<Space>::Part{copy_to<Space>(p.ptr), copy_to<Space>(p.entry), copy_to<Space>(p.row)};
  };
  return {part(t.upper), part(t.lower)};
}

} // namespace finegrain
