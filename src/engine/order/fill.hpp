// SPDX-License-Identifier: BSD-2-Clause
// Symbolic factorization (numerics.md 3): the colors of powers of a pattern, and the fill of ILU(p). In: a graph and
// an order. Out: a Selection with its fill, for order/elimination.hpp.
#pragma once

#include "order/graph.hpp"

#include <optional>

namespace finegrain
{

struct Coloring;

// Couplings of the owned square that the factor contains, and the ignored ones.
struct Selection {
  Graph graph, ignored;
  HostArray<Index> entry, ignored_entry; // index of each entry in the owned graph; empty: all of it, in order
};

// Returns the rows within `power` couplings of each row: the pattern of |A|^power without its diagonal, for a
// symmetric graph from symmetrize(). Returns nothing if an Index cannot count the entries. The cost is O(sum over
// the entries of power - 1 of their degrees), and sorting.
std::optional<Graph> find_power(const Graph &symmetric, int power);

// Returns color_greedy(find_power()) without computing that graph.
Coloring color_power(const Graph &symmetric, int power);

// Returns the selection with the fill of ILU(levels) in an elimination order (empty: natural). Fill has entry -1.
// Entries of the graph have level 0. lev(i, j) is the smallest lev(i, k) + lev(k, j) + 1 over the rows k eliminated
// before i and j. Fill of a level above `levels` is dropped. Fill between two rows of equal color (empty: no colors)
// is dropped too, and creates no further fill. *dropped is the number of entries dropped because of their color, in
// rows below `counted` if that is not negative. Returns nothing if an Index cannot count the entries. The cost is
// O(products of a factorization of level - 1).
std::optional<Selection> find_fill(const Selection &, const HostArray<Index> &ordering, int levels,
                                   const HostArray<Index> &color, Offset *dropped, Index counted = -1);

} // namespace finegrain
