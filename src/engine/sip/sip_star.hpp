// SPDX-License-Identifier: BSD-2-Clause
// The star of a structured grid, the pattern of sip's factor (numerics.md 4). In: a graph and a grid. Out: a
// selection, and neighbors by direction, for sip_factoring.hpp and sip.hpp.
#pragma once

#include "factor/pattern.hpp"
#include "order/elimination.hpp"

#include <cstdint>

namespace finegrain
{

// Axes along which the elimination runs in reverse.
enum : unsigned { reversed_i = 1, reversed_j = 2, reversed_k = 4 };

// Row at each place of the elimination: the natural order, backwards along reversed axes. Empty: natural order.
HostArray<Index> order_reversed(const Grid &, unsigned reversed);

// Selects the complete star of the boxes; the entry is -1 if the graph lacks a coupling. Couplings around a periodic
// axis and between boxes are ignored. Axes in `open_axes` (reversed_i, ...) are not periodic. Returns
// SetupError::no_grid, grid_size, or star_fit with the row of any other coupling.
SetupError select_star(const Graph &owned, const Grid &, unsigned open_axes, Selection &);

// Computes the elimination of one of Stone's factors: the star, and the direction of its axes.
SetupError eliminate_star(const Graph &owned, const EngineOptions &, Elimination &);

// Star of a grid in elimination order: neighbors of each point by direction. Directions i, j, k are 0, 1, 2 and
// follow the elimination, which goes backwards along reversed axes. Arrays have three values per position, -1 for no
// neighbor.
struct StarList {
  const Index *lower = nullptr; // lower entry that couples the point to the previous one
  const Index *pivot = nullptr; // position of the previous point
  const Index *upper = nullptr; // upper entry that couples the point to the next one
};

// Arrays of a StarList. Positions and entries are those of the pattern.
template <class Space> struct Star {
  Array<Index, Space> lower, pivot, upper;

  StarList list() const { return {lower.data(), pivot.data(), upper.data()}; }
  std::size_t bytes() const { return (lower.span() + pivot.span() + upper.span()) * sizeof(Index); }
};
Star<Kokkos::HostSpace> find_star(const Pattern<Kokkos::HostSpace> &, const Grid &);
// The same for rows with natural numbers in one box.
Star<Kokkos::HostSpace> find_star(const Pattern<Kokkos::HostSpace> &, const Box &,
                                  const HostArray<std::int64_t> &number);

template <class Space> Star<Space> copy_to(const Star<Kokkos::HostSpace> &s)
{
  return {copy_to<Space>(s.lower), copy_to<Space>(s.pivot), copy_to<Space>(s.upper)};
}

} // namespace finegrain
