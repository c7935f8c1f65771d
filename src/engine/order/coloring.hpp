// SPDX-License-Identifier: BSD-2-Clause
// Colorings of block rows: coupled rows get different colors, so that rows of one color can be done at once.
// Graphs called `symmetric` are what symmetrize() returns (graph.hpp): symmetric patterns without diagonal entries.
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

// Where rows are distributed, `colors` is for the caller to reduce (the largest of all ranks), and a rank need not
// have rows of every color.
struct Coloring {
  Index colors = 0;
  HostArray<Index> color; // of each row, from 0
};

// The smallest color that no neighbor has yet, row after row: in natural order; by descending degree, ties by row;
// in the reverse of an order that removes a row of smallest remaining degree each time (smallest last: at most one
// color more than the graph's degeneracy). All O(entries), and functions of the graph alone.
Coloring color_greedy(const Graph &symmetric);
Coloring color_largest_first(const Graph &symmetric);
Coloring color_smallest_last(const Graph &symmetric);

// Jones and Plassmann's coloring: a row gets the smallest color that no neighbor of higher priority has, and
// priorities are a hash of a key for each row (its global number, say), all different. The colors are those of a
// greedy coloring by descending priority and depend on couplings and keys alone: not on threads, the distribution of
// rows over ranks or their local numbers.
//
// On several ranks: `coupling` has the same rows and the ghosts as columns, both directions of every coupling, and
// ghost_key is the key of each ghost. Each rank calls advance() and sends color() to where the rows are ghosts, again
// and again, until advance() has returned true on all of them. One rank: both empty, and one call.
class HashColoring
{
public:
  HashColoring(const Graph &symmetric, const Graph &coupling, const HostArray<std::int64_t> &key,
               const HostArray<std::int64_t> &ghost_key);

  // Colors all rows that the ghosts' colors known so far allow; -1: not known. Colors once known stay. Returns
  // whether every own row has its color.
  bool advance(const Index *ghost_color);

  const HostArray<Index> &color() const { return color_; } // -1: none yet
  Coloring coloring() const;                               // `colors` counts those of own rows

private:
  Graph graph_, coupling_, ghosts_; // ghosts_: rows next to each ghost
  std::vector<std::uint64_t> priority_, ghost_priority_;
  std::vector<Index> waits_; // uncolored neighbors of higher priority, ghosts among them
  std::vector<Index> ready_; // rows that wait for none
  std::vector<char> ghost_known_;
  HostArray<Index> color_;
  Index largest_degree_, left_; // left_: rows without a color
};

// The same on one rank. Without keys: row numbers.
Coloring color_hash(const Graph &symmetric, const HostArray<std::int64_t> &key = {});

// The parity of i + j + k, counted from first[b] in box b (global indices of its first point; empty: from 0, 0, 0).
// Nothing where two coupled rows have the same parity or the grid has another number of points. There are always two
// colors, even where one or both have no row, so that all ranks agree; couplings to ghosts are for the caller to
// check (is_valid() below), and whether every rank has a coloring.
std::optional<Coloring> color_red_black(const Grid &, const std::vector<Box> &first, const Graph &);

// Level sets (levels.hpp): rows by color come as in the natural order, neighbors by ascending number.
Coloring color_levels(const Graph &symmetric);

// A coloring on one rank; automatic: red_black where it fits, else greedy. Nothing where red_black is asked for and
// does not fit. Keys are for hash.
std::optional<Coloring> make_coloring(ColoringKind, const Graph &symmetric, const Grid & = {},
                                      const HostArray<std::int64_t> &key = {});

// Evens out the sizes of classes: rows of those larger than average move to the smallest class that none of their
// neighbors is in. The number of colors stays, and no class becomes empty. On one rank; depends on the graph and
// the coloring alone.
void balance_colors(const Graph &symmetric, Coloring &);

// Whether every row has a color in [0, colors) and every coupling of any graph, symmetric or not, joins different
// ones. A color without rows is valid: other ranks may have them.
bool is_valid(const Graph &, const Coloring &);
// The same of couplings to ghosts, all of whose colors have to be known.
bool is_valid(const Graph &coupling, const Coloring &, const Index *ghost_color);

// Groups are colors, and their rows ascend by key (empty: row numbers). With flags for rows at the boundary, even if
// there are no rows, each color is two groups, boundary rows first. Groups without rows are kept: all ranks go
// through the same groups.
Schedule schedule_colors(const Coloring &, const HostArray<std::int64_t> &key = {},
                         const std::vector<char> *boundary = nullptr);

} // namespace finegrain
