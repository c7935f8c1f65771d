// SPDX-License-Identifier: BSD-2-Clause
// Elimination orders divided into groups of rows that do not depend on each other (hyperplanes, level sets, colors).
// In: a graph, possibly a grid. Out: a Schedule for plans, or a storage order for one thread.
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

// Sorts rows by their group number, which is below `groups`, and ascending inside a group. Groups without rows are
// removed, except those of colors. `visit` is another order of rows inside groups; empty: natural.
Schedule sort_rows(ScheduleKind, Index groups, const HostArray<Index> &group_of,
                   const std::vector<Index> &visit = {});

// Returns hyperplanes if they fit (ScheduleKind::hyperplane), or nothing.
std::optional<Schedule> schedule_hyperplanes(const Grid &, const Graph &);

// Finds the level of each row, zero before. It is above those of all earlier rows to which the row is coupled, in
// either direction. Returns the number of levels.
Index find_levels(const Graph &, const HostArray<Index> &level);

// Returns the level sets of the union of the owned pattern and its transpose, so that one schedule serves all four
// sweeps.
Schedule schedule_levels(const Graph &);

// Returns the levels inside each piece of consecutive rows [cut(p), cut(p + 1)). Rows stay in their piece, and its
// groups begin with first(p).
Schedule schedule_pieces(const Graph &, const HostArray<Index> &cut, HostArray<Index> &first);
// The same for pieces of an order that keeps the direction of every coupling; piece_of is the piece of each row.
Schedule schedule_pieces(const Graph &, const HostArray<Index> &cut, const HostArray<Index> &order,
                         const std::vector<Index> &piece_of, HostArray<Index> &first);

// Returns a storage order for one thread: the natural order, in which the rows of each window of consecutive rows
// are sorted by their level inside the window. Every coupling keeps its direction, and neighbors in storage stay
// neighbors. Consecutive rows are mostly independent, so that a core overlaps their chains of operations. The
// smallest window is used whose levels have `width` rows on average; the result is empty if there is none. Windows
// do not cross the ends of `pieces`, which are like `cut` of schedule_pieces(); empty: one piece.
HostArray<Index> order_windows(const Graph &, double width, const HostArray<Index> &pieces = {});

// Returns a storage order for one thread that respects ranks (colors): coupled rows are in the order of their ranks,
// and rows stay near their neighbors. Rows are visited in natural order. A row that still waits for neighbors of
// smaller rank is skipped, and follows directly after the last of them. The graph is symmetric (symmetrize(), or
// with a diagonal), and coupled rows have different ranks. The cost is O(entries), and a heap of the rows that have
// become free.
HostArray<Index> order_by_neighbors(const Graph &symmetric, const HostArray<Index> &rank);

// Returns the group boundaries of the backward sweep, whose sweep indices run from the last position to the first.
HostArray<Index> reverse_groups(const HostArray<Index> &group);

// Groups of the rows below `most_shown`, for pictures. With an ordering, rows of the schedule are places in it.
inline constexpr Index most_shown = 10000;
HostArray<Index> find_first_groups(const Schedule &, const HostArray<Index> &ordering);

// Sizes of groups, in rows.
struct Widths {
  Index groups = 0, min = 0, max = 0;
  double mean = 0;
};
Widths measure_widths(const Schedule &);

} // namespace finegrain
