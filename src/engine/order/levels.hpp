// SPDX-License-Identifier: BSD-2-Clause
// An order of elimination cut into groups of rows that do not depend on each other (hyperplanes, level sets, colors).
// In: a graph, perhaps a grid. Out: a Schedule, for plans; also storage orders for one thread.
#pragma once

#include "base/kinds.hpp"
#include "order/graph.hpp"
#include "order/grid.hpp"

namespace finegrain
{

struct Schedule {
  ScheduleKind kind = ScheduleKind::level;
  HostArray<Index> order; // row at each position
  HostArray<Index> group; // first position of each group, and the number of rows at the end

  Index groups() const { return Index(group.extent(0)) - 1; }
  Index rows() const { return group(groups()); }
};

// Rows sorted by their numbers below `groups`, ascending inside a group. Groups without a row are left out, but for
// those of colors. `visit`: rows in an order that they keep inside a group instead; empty: natural.
Schedule sort_rows(ScheduleKind, Index groups, const HostArray<Index> &group_of,
                   const std::vector<Index> &visit = {});

// Hyperplanes where they fit (ScheduleKind::hyperplane), or nothing.
std::optional<Schedule> schedule_hyperplanes(const Grid &, const Graph &);

// The level of each row, zero before: more than those of the rows before it that it is coupled to, in either
// direction. Returns their number.
Index find_levels(const Graph &, const HostArray<Index> &level);

// Level sets of the union of the owned pattern and its transpose, so that one schedule serves all four sweeps.
Schedule schedule_levels(const Graph &);

// Levels inside each piece of consecutive rows [cut(p), cut(p + 1)): rows stay in their piece, and its groups begin
// with first(p).
Schedule schedule_pieces(const Graph &, const HostArray<Index> &cut, HostArray<Index> &first);
// The same for pieces of an order that keeps the direction of every coupling; piece_of: of each row.
Schedule schedule_pieces(const Graph &, const HostArray<Index> &cut, const HostArray<Index> &order,
                         const std::vector<Index> &piece_of, HostArray<Index> &first);

// An order for one thread: natural order with the rows of each window of consecutive rows sorted by their level
// inside the window. Every coupling keeps its direction, neighbors in storage stay neighbors, and rows that follow
// one another are mostly independent, so that a core overlaps their chains of operations. The smallest window whose
// levels have `width` rows on average is taken; empty if none has. Windows do not reach across the ends of `pieces`,
// as `cut` of schedule_pieces(); empty: one piece.
HostArray<Index> order_windows(const Graph &, double width, const HostArray<Index> &pieces = {});

// An order for one thread that respects ranks (colors): coupled rows come in the order of their ranks, and rows stay
// near their neighbors. Rows come in natural order; one that still waits for neighbors of smaller ranks is left,
// and comes right after the last of these, before the order goes on. The graph is a symmetric one (symmetrize(), or
// with a diagonal); coupled rows have different ranks. O(entries), and a heap of the rows that have become free.
HostArray<Index> order_by_neighbors(const Graph &symmetric, const HostArray<Index> &rank);

// Group boundaries of the backward sweep: slots run from the last position to the first.
HostArray<Index> reverse_groups(const HostArray<Index> &group);

// The group of each row below `most_shown`, for pictures. Of an ordering, the schedule's rows are places in it.
inline constexpr Index most_shown = 10000;
HostArray<Index> find_first_groups(const Schedule &, const HostArray<Index> &ordering);

// Rows per group.
struct Widths {
  Index groups = 0, min = 0, max = 0;
  double mean = 0;
};
Widths measure_widths(const Schedule &);

} // namespace finegrain
