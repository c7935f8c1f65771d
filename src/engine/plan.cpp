#include "plan.hpp"

#include <algorithm>
#include <random>

namespace finegrain
{

namespace
{

// Two lines of a grid side by side hide the latency of a row; small blocks need four. More cost more in cache than
// they hide (docs/performance.md).
double window_width(int block) { return block <= 2 ? 3 : 1.9; }

HostArray<Index> compose(const HostArray<Index> &outer, const HostArray<Index> &inner)
{
  auto composed = make_array<Index>("finegrain::order", inner.extent(0));
  for (std::size_t p = 0; p < inner.extent(0); ++p) composed(p) = outer(std::size_t(inner(p)));
  return composed;
}

// No rows are the rows of no grids.
bool has_grid(const Graph &g, const Recipe &recipe) { return !recipe.grid.empty() || g.rows == 0; }

Refusal choose_schedule(const Graph &g, const Graph &owned, const Recipe &recipe, Plan &plan)
{
  const bool wants_planes = recipe.schedule == ScheduleKind::hyperplane, ordered = recipe.ordering.extent(0) > 0;
  std::optional<Schedule> planes;
  if (recipe.schedule != ScheduleKind::level && has_grid(g, recipe) && !ordered)
    planes = schedule_hyperplanes(recipe.grid, plan.selection.graph);
  // Grids that the factor couples need level sets over all of them, which is no reason to refuse grids that fit.
  const bool coupled = recipe.grid.size() > 1 && recipe.coupling == GridCoupling::factor;
  if (wants_planes && !planes &&
      !(coupled && find_hyperplanes(recipe.grid, select_within_grids(owned, recipe.grid).graph)))
    return {Refusal::grid_fit};
  plan.schedule = planes ? *planes : schedule_levels(g);
  return {};
}

} // namespace

Refusal make_plan(const Graph &owned, int block, const Recipe &recipe, int threads, Plan &plan)
{
  const bool ordered = recipe.ordering.extent(0) > 0, wants_planes = recipe.schedule == ScheduleKind::hyperplane;
  if (wants_planes && !has_grid(owned, recipe)) return {Refusal::no_grid};
  const bool cuts =
    recipe.grid.size() > 1 && recipe.coupling == GridCoupling::corrections; // whatever the schedule is
  if ((wants_planes || cuts) && count_points(recipe.grid) != owned.rows) return {Refusal::grid_size};
  plan.selection = select_for_factor(owned, recipe.grid, recipe.coupling);
  // The factor's graph as it is eliminated.
  const Graph g = ordered ? permute(plan.selection.graph, recipe.ordering) : plan.selection.graph;
  if (const Refusal refusal = choose_schedule(g, owned, recipe, plan)) return refusal;
  plan.executor = recipe.executor;
  if (plan.executor == ExecutorKind::automatic)
    plan.executor = threads == 1 ? ExecutorKind::natural : ExecutorKind::launch;
  // Both kinds of schedule keep the elimination order's result, so that one thread need not run their groups.
  if (plan.executor == ExecutorKind::natural) {
    plan.row_of = order_windows(g, window_width(block));
    if (ordered) plan.row_of = plan.row_of.extent(0) ? compose(recipe.ordering, plan.row_of) : recipe.ordering;
  } else {
    if (ordered) plan.schedule.order = compose(recipe.ordering, plan.schedule.order);
    plan.row_of = plan.schedule.order;
    plan.y      = Layout::position;
  }
  return {};
}

HostArray<Index> reverse_groups(const HostArray<Index> &group)
{
  const std::size_t size     = group.extent(0);
  auto              reversed = make_array<Index>("finegrain::group", size);
  for (std::size_t g = 0; g < size; ++g) reversed(g) = group(size - 1) - group(size - 1 - g);
  return reversed;
}

HostArray<Index> shuffle_slots(const HostArray<Index> &group)
{
  const std::size_t last  = group.extent(0) - 1;
  auto              visit = make_array<Index>("finegrain::visit", std::size_t(group(last)));
  std::mt19937      random(20150101);
  for (Index i = 0; i < group(last); ++i) visit(i) = i;
  for (std::size_t g = 0; g < last; ++g) std::shuffle(visit.data() + group(g), visit.data() + group(g + 1), random);
  return visit;
}

} // namespace finegrain
