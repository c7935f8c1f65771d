// SPDX-License-Identifier: BSD-2-Clause
// Entries that a factor keeps, with their fill, and the order in which its rows are eliminated, with or without
// colors. In: the graph of the owned square and options. Out: an Elimination, for make_plan.hpp and
// factor_pattern.hpp.
#pragma once

#include "order/fill.hpp"
#include "order/options.hpp"

namespace finegrain
{

struct Elimination {
  Selection selection;
  HostArray<Index> ordering;     // row at each place; empty: natural order
  HostArray<Index> group;        // first place of each color, and the end; empty: sweeps do not go by colors
  bool keeps_grid = false;       // the ordering is the natural one of the grid with reversed axes
  HostArray<Index> color;        // color of each row, if there are colors
  HostArray<std::int64_t> place; // place of each row in the ordering, if entries near the diagonal are dropped
  Index radius = 0;              // largest distance of these entries from the diagonal
  Index colors = 0;
  ColoringKind coloring = ColoringKind::automatic; // coloring that was used
  bool symmetrized = false;                        // the graph was found not to be symmetric
  bool symmetric = false;                          // selection.graph is known to be symmetric
  Index fill = 0;                                  // entries that the sweeps use and the matrix does not have
  Index entries = 0;                               // entries of the matrix
  Offset dropped = 0;                              // unwanted entries, between rows of a color or near the diagonal
  bool drops_after = false;                        // these entries are factored, and the sweeps do not use them
};

// Chooses the elimination of ILU. Errors: SetupError::color_fit, grid_size, entries. (sip/sip_star.hpp has that of
// sip.)
SetupError choose_elimination(const Graph &owned, const EngineOptions &, Elimination &);

// Returns true if an entry of L and U joins two rows that must not be coupled.
inline bool is_unwanted(const Elimination &e, Index row, Index col)
{
  if (row == col) return false;
  if (e.colors > 0) return e.color(row) == e.color(col);
  return e.radius > 0 && std::abs(e.place(row) - e.place(col)) <= e.radius;
}
inline bool is_dropped(const Elimination &e, Index row, Index col)
{
  return e.drops_after && is_unwanted(e, row, col);
}

} // namespace finegrain
