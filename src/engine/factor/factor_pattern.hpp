// SPDX-License-Identifier: BSD-2-Clause
// The pattern of a factor from an elimination and a storage order, and its transpose. Out: a Pattern, for
// factorings (factoring.hpp).
#pragma once

#include "order/fill.hpp"
#include "order/grid.hpp"
#include "factor/products.hpp"

namespace finegrain
{

// ILU(0) of a graph eliminated in an ordering (empty: natural) and stored in the order row_of (empty: natural), which
// keeps the direction of every coupling. With FactorKind::automatic the list of off-diagonal updates decides; with
// dilu it is dropped. `kind` returns what was built. Where there are such updates, and the choice of lists says so,
// none are made.
Pattern<Kokkos::HostSpace> split_pattern(const Selection &, const HostArray<Index> &ordering,
                                         const HostArray<Index> &row_of, Layout y, FactorKind &kind,
                                         const ListChoice &choice = {});

// Rearranges the pattern of a DILU for FactorKind::icc, which reads the upper triangle of the matrix and stores the
// lower part of the factor. lower.source: the entry (k, i) that mirrors each lower block (i, k); where i comes first
// in the matrix, ~(entry (i, k)) instead. upper.source: the lower block that mirrors each upper one.
// to_diagonal.right: the position of each lower block's pivot. False where the pattern is not symmetric. The list of
// mirrors goes on for mirrors_ahead entries, so that a sweep can ask for blocks before it needs them.
inline constexpr Index mirrors_ahead = 20;
bool fold_upper(Pattern<Kokkos::HostSpace> &);

// Entries of both parts by column, for transposed sweeps: those of the upper part by ascending slot = position of
// their column, those of the lower part by descending position; within a slot by ascending row.
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
