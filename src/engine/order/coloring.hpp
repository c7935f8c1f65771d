// SPDX-License-Identifier: BSD-2-Clause
// Colorings of block rows: coupled rows have different colors, so that rows of one color can be computed at once.
// Graphs called `symmetric` are results of symmetrize() (graph.hpp): symmetric patterns without diagonal entries.
#pragma once

#include "order/graph.hpp"
#include "order/grid.hpp"
#include "base/kinds.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace finegrain
{

struct Schedule;

// Colors of rows. If rows are distributed, the caller reduces `colors` to the maximum over all ranks, and a rank
// need not have rows of every color.
struct Coloring {
  Index colors = 0;
  HostArray<Index> color; // color of each row, from 0
};

// Greedy colorings: row after row gets the smallest color that no neighbor has yet. color_greedy() uses the natural
// order, color_largest_first() descending degrees with ties by row. color_smallest_last() reverses an order that
// removes a row of smallest remaining degree each time; it needs at most one color more than the graph's degeneracy.
// All are O(entries) and depend on the graph alone.
Coloring color_greedy(const Graph &symmetric);
Coloring color_largest_first(const Graph &symmetric);
Coloring color_smallest_last(const Graph &symmetric);

// Jones and Plassmann's coloring: a row gets the smallest color that no neighbor of higher priority has. Priorities
// are a hash of a key of each row (its global number, for example) and all different. The colors are those of a
// greedy coloring by descending priority. They depend on couplings and keys alone, not on threads, the distribution
// of rows over ranks or their local numbers.
//
// On several ranks `coupling` has the same rows, the ghosts as columns, and both directions of every coupling.
// ghost_key is the key of each ghost. Each rank calls advance() and sends color() to the ranks where its rows are
// ghosts, until advance() has returned true on all ranks. On one rank both are empty, and one call suffices.
class HashColoring
{
public:
  HashColoring(const Graph &symmetric, const Graph &coupling, const HostArray<std::int64_t> &key,
               const HostArray<std::int64_t> &ghost_key);

  // Colors all rows that the known colors of ghosts allow; -1: not known. Known colors do not change. Returns true
  // if every own row has its color.
  bool advance(const Index *ghost_color);

  const HostArray<Index> &color() const { return color_; } // -1: none yet
  Coloring coloring() const;                               // `colors` counts the colors of own rows

private:
  Graph graph_, coupling_, ghosts_; // ghosts_: rows coupled to each ghost
  std::vector<std::uint64_t> priority_, ghost_priority_;
  std::vector<Index> waits_; // uncolored neighbors of higher priority, including ghosts
  std::vector<Index> ready_; // rows that wait for no neighbor
  std::vector<char> ghost_known_;
  HostArray<Index> color_;
  Index uncolored_; // rows without a color
};

// HashColoring on one rank. Without keys it uses row numbers.
Coloring color_hash(const Graph &symmetric, const HostArray<std::int64_t> &key = {});

// Colors points by the parity of i + j + k, counted from first[b] in box b (global indices of its first point;
// empty: from 0, 0, 0). Returns nothing if two coupled rows have the same parity or the grid has another number of
// points. There are always two colors, even if one or both have no row, so that all ranks agree. The caller checks
// couplings to ghosts (is_valid() below), and that every rank has a coloring.
std::optional<Coloring> color_red_black(const Grid &, const std::vector<Box> &first, const Graph &);

// Level sets (levels.hpp) as colors. Sorted by color, neighbors keep their natural order.
Coloring color_levels(const Graph &symmetric);

// Returns a coloring on one rank. automatic is red_black if it fits, else greedy. Returns nothing if red_black is
// requested and does not fit. Keys are used by hash.
std::optional<Coloring> make_coloring(ColoringKind, const Graph &symmetric, const Grid & = {},
                                      const HostArray<std::int64_t> &key = {});

// Balances the sizes of classes: rows of classes larger than average move to the smallest class that has none of
// their neighbors. The number of colors does not change, and no class becomes empty. It works on one rank, and
// depends on the graph and the coloring alone.
void balance_colors(const Graph &symmetric, Coloring &);

// Returns true if every row has a color in [0, colors) and every coupling of the graph, symmetric or not, joins
// different colors. A color without rows is valid, because other ranks may have some.
bool is_valid(const Graph &, const Coloring &);
// The same for couplings to ghosts, whose colors must all be known.
bool is_valid(const Graph &coupling, const Coloring &, const Index *ghost_color);

// Returns the schedule whose groups are colors. Rows of a group ascend by key (empty: row numbers). With flags for
// boundary rows each color is two groups, boundary rows first, also if there are no rows. Groups without rows are
// kept, so that all ranks have the same groups.
Schedule schedule_colors(const Coloring &, const HostArray<std::int64_t> &key = {},
                         const std::vector<char> *boundary = nullptr);

} // namespace finegrain
