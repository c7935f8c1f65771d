// SPDX-License-Identifier: BSD-2-Clause
// Symbolic factorization (numerics.md 3): the colors of powers of a pattern, and the fill of ILU(p). In: a graph and
// an order. Out: a Selection with its fill, for order/elimination.hpp.
#pragma once

#include "order/graph.hpp"

#include <optional>

namespace finegrain
{

struct Coloring;

// A part of the owned square, and its other couplings.
struct Selection {
  Graph graph, left_out;
  HostArray<Index> entry, left_out_entry; // number in the owned graph of each entry; empty: all of it, in order
};

// The rows within `power` couplings of each row: the pattern of |A|^power without its diagonal, for a symmetric graph
// as symmetrize() makes it. Nothing where there are more entries than an Index counts. O(sum over the entries of
// power - 1 of their degrees), and sorting.
std::optional<Graph> find_power(const Graph &symmetric, int power);

// color_greedy(find_power()) without that graph.
Coloring color_power(const Graph &symmetric, int power);

// The selection with the fill of ILU(levels) in an elimination order (empty: natural), entry -1 where there is none
// in the operator. Levels of entries of the graph are 0, lev(i, j) is the least lev(i, k) + lev(k, j) + 1 over the
// rows k eliminated before i and j, and fill of a level above `levels` is left out, as is fill between two rows of
// equal color (empty: no two are), from which nothing follows then. *dropped: the entries left out because of their
// color, of rows below `counted` if that is not negative. Nothing where there are more entries than an Index counts.
// O(products of a factorization of level - 1).
std::optional<Selection> find_fill(const Selection &, const HostArray<Index> &ordering, int levels,
                                   const HostArray<Index> &color, Offset *dropped, Index counted = -1);

} // namespace finegrain
