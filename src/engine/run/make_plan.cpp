// SPDX-License-Identifier: BSD-2-Clause
#include "run/make_plan.hpp"

#include "order/eliminated_graph.hpp"
#include "order/selection.hpp"
#include "run/task_chooser.hpp"

namespace finegrain
{

namespace
{

// An operator without rows has a grid without points.
bool has_grid(const Graph &g, const EngineOptions &options) { return !options.grid.empty() || g.rows == 0; }

SetupError choose_schedule(const EliminatedGraph &g, const Elimination &e, const EngineOptions &options, Plan &plan)
{
  const bool wants_planes = options.schedule == ScheduleKind::hyperplane;
  std::optional<Schedule> planes;
  if (e.drops_after) plan.factorization = g.levels(false);
  if (e.group.extent(0)) {
    plan.schedule = {ScheduleKind::color, {}, e.group};
    return {};
  }
  if (options.schedule != ScheduleKind::level && has_grid(e.selection.graph, options) && g.keeps_grid())
    planes = schedule_hyperplanes(options.grid, g.get());
  // Grids that the factor couples need level sets over all of them. If each grid has hyperplanes, that is no error.
  const bool coupled = options.grid.size() > 1 && options.coupling == GridCoupling::coupled;
  if (wants_planes && !planes &&
      !(coupled && find_hyperplanes(options.grid, select_within_grids(e.selection.graph, options.grid).graph)))
    return {SetupError::grid_fit};
  plan.schedule = planes ? *planes : g.levels(true);
  return {};
}

// Returns a storage order for one thread that runs colors. Any order in which a row follows its neighbors of smaller
// colors gives the same result. An order close to the natural one finds its vectors in cache.
HostArray<Index> order_colors(const Elimination &e, int block)
{
  const Graph &graph = e.selection.graph;
  const HostArray<Index> by_neighbors = order_by_neighbors(e.symmetric ? graph : symmetrize(graph), e.color);
  const HostArray<Index> windows = order_windows(renumber(graph, by_neighbors), window_width(block));
  return windows.extent(0) ? compose(by_neighbors, windows) : by_neighbors;
}

} // namespace

SetupError make_plan(const Elimination &e, int block, const EngineOptions &options, const Machine &machine,
                     Plan &plan)
{
  const Graph &graph = e.selection.graph;
  const bool colors = e.group.extent(0) > 0,
             by_hand = colors && options.relaxation.exchange == Exchange::color; // group after group
  const bool by_color = colors && !e.drops_after;                                // factorization by colors too
  const bool ordered = e.ordering.extent(0) > 0, wants_planes = options.schedule == ScheduleKind::hyperplane;
  if (wants_planes && !has_grid(graph, options)) return {SetupError::no_grid};
  if (wants_planes && count_points(options.grid) != graph.rows) return {SetupError::grid_size};
  const EliminatedGraph g(e);
  if (const SetupError error = choose_schedule(g, e, options, plan)) return error;
  plan.first_groups = find_first_groups(plan.schedule, e.ordering);
  if (const SetupError error = choose_tasks(g, block, options, machine, plan)) return error;
  // All kinds of groups and tasks keep the result of the elimination order, so that one thread need not use them.
  HostArray<Index> order;
  switch (plan.algorithm) {
  case Algorithm::sequential:
    order = plan.row_of;
    break;
  case Algorithm::tasks:
    order = plan.tasks.order;
    break;
  default:
    order = plan.schedule.order;
  }
  const bool by_groups = plan.algorithm == Algorithm::levels;
  // A device's factorization goes by groups, also if its sweeps go by tasks (runner.hpp).
  const bool by_flags = machine.device && plan.algorithm == Algorithm::tasks;
  if (by_flags && !e.drops_after) plan.factorization = g.levels(false); // else it has been set
  else if (!by_flags && !by_groups) plan.factorization = {};
  if (plan.factorization.order.extent(0)) { // replaces rows by sweep indices
    const StoredOrder o = invert_order(graph.rows, order);
    const HostArray<Index> &rows = plan.factorization.order;
    for (Index i = 0; i < graph.rows; ++i) rows(i) = o.pos(rows(i));
  }
  if (ordered) order = order.extent(0) ? compose(e.ordering, order) : e.ordering;
  if (by_color && !by_hand && plan.algorithm == Algorithm::sequential) order = order_colors(e, block);
  if (!plan.lines.empty()) {
    order = make_array<Index>("finegrain::order", std::size_t(graph.rows));
    for (const LineBox &box : plan.lines) order_box(box, order.data());
  }
  plan.row_of = order;
  // Groups are far apart in the order of rows, tasks of a host are not.
  const bool by_row = plan.algorithm == Algorithm::sequential || (!machine.device && !by_groups);
  plan.y = by_row ? Layout::row : Layout::position;
  return {};
}

} // namespace finegrain
