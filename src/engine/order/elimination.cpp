// SPDX-License-Identifier: BSD-2-Clause
#include "order/elimination.hpp"

#include "order/fill.hpp"
#include "order/selection.hpp"

#include <algorithm>

namespace finegrain
{

namespace
{

// Returns the place of each row in an ordering (empty: natural), as keys by which schedule_colors() sorts.
HostArray<std::int64_t> find_places(const HostArray<Index> &ordering, std::size_t rows)
{
  HostArray<std::int64_t> place("finegrain::place", rows);
  for (std::size_t p = 0; p < rows; ++p) place(ordering.extent(0) ? std::size_t(ordering(p)) : p) = std::int64_t(p);
  return place;
}

// Counts of unwanted entries of L and U, and of fill among them.
struct Unwanted {
  Index all = 0, fill = 0;
};
Unwanted count_unwanted(const Elimination &e)
{
  const Selection &s = e.selection;
  Unwanted count;
  for (Index i = 0; i < s.graph.rows; ++i)
    for (Index f = s.graph.ptr(i); f < s.graph.ptr(i + 1); ++f) {
      const bool unwanted = is_unwanted(e, i, s.graph.col(f));
      count.all += unwanted;
      count.fill += unwanted && s.entry.extent(0) && s.entry(f) < 0;
    }
  return count;
}

// Colors the power of the pattern, in the given ordering, and sorts the rows by color.
SetupError choose_colors(const EngineOptions &options, Elimination &e)
{
  bool was_symmetric;
  const bool ordered = options.ordering.extent(0) > 0;
  const Graph symmetric = symmetrize(e.selection.graph, &was_symmetric);
  const Graph graph = ordered ? permute(symmetric, options.ordering) : symmetric;
  const int q = int(std::min(colored_power(options), std::int64_t(graph.rows)));
  std::optional<Coloring> coloring;
  e.coloring = options.coloring == ColoringKind::automatic ? ColoringKind::greedy : options.coloring;
  if (e.coloring == ColoringKind::greedy && !options.balanced) coloring = color_power(graph, q);
  else if (const auto power = find_power(graph, q)) {
    if (e.coloring != ColoringKind::red_black || !ordered) coloring = make_coloring(e.coloring, *power, options.grid);
    if (coloring && options.balanced) balance_colors(*power, *coloring);
  } else return {SetupError::entries};
  if (!coloring) return {SetupError::color_fit};
  if (ordered) {
    auto color = make_array<Index>("finegrain::color", options.ordering.extent(0));
    for (std::size_t p = 0; p < options.ordering.extent(0); ++p) color(options.ordering(p)) = coloring->color(p);
    coloring->color = color;
  }
  const Schedule colors = schedule_colors(*coloring, find_places(options.ordering, options.ordering.extent(0)));
  e.ordering = colors.order;
  e.group = colors.group;
  e.color = coloring->color;
  e.colors = coloring->colors;
  e.symmetrized = !was_symmetric;
  e.symmetric = was_symmetric;
  return {};
}

} // namespace

SetupError choose_elimination(const Graph &owned, const EngineOptions &options, Elimination &e)
{
  // This error does not depend on the schedule.
  if (options.grid.size() > 1 && options.coupling == GridCoupling::block_jacobi &&
      count_points(options.grid) != owned.rows)
    return {SetupError::grid_size};
  e.selection = select_for_factor(owned, options.grid, options.coupling);
  e.ordering = options.ordering;
  if (options.schedule == ScheduleKind::color)
    if (const SetupError error = choose_colors(options, e)) return error;
  const bool drops = options.drop == Drop::during;
  const int levels = std::min(options.levels, int(owned.rows)); // no path is longer
  const auto fill = find_fill(e.selection, e.ordering, levels, drops ? e.color : HostArray<Index>(), &e.dropped);
  if (!fill) return {SetupError::entries};
  e.entries = e.selection.graph.entries();
  e.fill = fill->graph.entries() - e.entries;
  e.selection = *fill;
  if (e.colors == 0 && options.drop_band > 0) {
    e.radius = options.drop_band;
    e.place = find_places(e.ordering, std::size_t(owned.rows));
  }
  if (e.colors > 0 ? drops : e.radius == 0) return {};
  const Unwanted unwanted = count_unwanted(e);
  if (unwanted.all == 0) return {};
  // Rows joined by these entries depend on each other in the factorization, and in sweeps unless the entries are
  // dropped.
  e.drops_after = e.radius > 0 || options.drop == Drop::after;
  if (e.drops_after) {
    e.dropped = unwanted.all;
    e.fill -= unwanted.fill;
  } else e.group = {};
  return {};
}

} // namespace finegrain
