// SPDX-License-Identifier: BSD-2-Clause
// Which entries a factor keeps, with their fill, and in which order its rows are eliminated, cut by colors or not.
// In: the graph of the owned square and options. Out: an Elimination, for make_plan.hpp and factor_pattern.hpp.
#pragma once

#include "order/fill.hpp"
#include "order/options.hpp"

namespace finegrain
{

struct Elimination {
  Selection selection;
  HostArray<Index> ordering; // row at each place; empty: natural
  HostArray<Index> group;  // where each color begins in the ordering, and the end; empty: sweeps do not go by colors
  bool keeps_grid = false; // the ordering is the natural one of the grid with axes reversed
  HostArray<Index> color;  // of each row, where there are colors
  HostArray<std::int64_t> place; // of each row in the ordering, where its entries near the diagonal are dropped
  Index radius = 0;              // which are no further from it
  Index colors = 0;
  ColoringKind coloring = ColoringKind::automatic; // what automatic came to
  bool symmetrized = false;                        // the graph was not symmetric where that was looked at
  bool symmetric = false;                          // selection.graph is known to be
  Index fill = 0;                                  // entries that sweeps have and the matrix does not
  Index entries = 0;                               // of the matrix
  Offset dropped = 0;                              // entries between rows of a color, or near the diagonal
  bool drops_after = false;                        // they are factored, and sweeps do not have them
};

// Of ILU. SetupError::color_fit, grid_size, entries. (sip/sip_star.hpp has that of sip.)
SetupError choose_elimination(const Graph &owned, const EngineOptions &, Elimination &);

// Whether an entry of L and U joins two rows that are not to be coupled.
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
