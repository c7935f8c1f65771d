// SPDX-License-Identifier: BSD-2-Clause
// The star of a structured grid on which sip's factor is made (numerics.md 4). In: a graph and a grid. Out: a
// selection and neighbors by direction, for sip_factoring.hpp and sip.hpp.
#pragma once

#include "factor/pattern.hpp"
#include "order/elimination.hpp"

#include <cstdint>

namespace finegrain
{

// Axes along which the elimination runs backwards.
enum : unsigned { mirror_i = 1, mirror_j = 2, mirror_k = 4 };

// Row at each place of the elimination: the natural order of the mirrored boxes. Empty: natural.
HostArray<Index> order_mirrored(const Grid &, unsigned mirrored);

// The complete star of the boxes, entry -1 where the graph has no such coupling. Left out: couplings around a
// periodic axis, and between boxes. Axes in `open_axes` (mirror_i, ...) are not periodic. SetupError::no_grid,
// grid_size; star_fit with the row of a coupling of another kind.
SetupError select_star(const Graph &owned, const Grid &, unsigned open_axes, Selection &);

// The elimination of one of Stone's factors: the star, and the order of its axes.
SetupError eliminate_star(const Graph &owned, const EngineOptions &, Elimination &);

// The star of a grid in elimination order. Neighbors of a point by direction: i, j, k are 0, 1, 2, and a direction
// of the elimination, which mirrored axes reverse. Three numbers for each position, -1 where there is none.
struct StarList {
  const Index *lower = nullptr; // entry of the lower part that couples the point to the one before it
  const Index *pivot = nullptr; // that one's position
  const Index *upper = nullptr; // entry of the upper part that couples the point to the next
};

// StarList in memory. Positions and entries are those of the pattern.
template <class Space> struct Star {
  Array<Index, Space> lower, pivot, upper;

  StarList list() const { return {lower.data(), pivot.data(), upper.data()}; }
  std::size_t bytes() const { return (lower.span() + pivot.span() + upper.span()) * sizeof(Index); }
};
Star<Kokkos::HostSpace> find_star(const Pattern<Kokkos::HostSpace> &, const Grid &);
// The same of rows that have natural numbers in one box.
Star<Kokkos::HostSpace> find_star(const Pattern<Kokkos::HostSpace> &, const Box &,
                                  const HostArray<std::int64_t> &number);

template <class Space> Star<Space> copy_to(const Star<Kokkos::HostSpace> &s)
{
  return {copy_to<Space>(s.lower), copy_to<Space>(s.pivot), copy_to<Space>(s.upper)};
}

} // namespace finegrain
