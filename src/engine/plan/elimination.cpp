#include "plan/elimination.hpp"

#include "plan/factor_pattern.hpp"

#include "graph/fill.hpp"
#include "plan/sip_star.hpp"

#include <algorithm>

namespace finegrain
{

namespace
{

// Places of the rows of an ordering, as keys that schedule_colors() sorts by; none for the natural order.
HostArray<std::int64_t> find_places(const HostArray<Index> &ordering)
{
  HostArray<std::int64_t> place("finegrain::place", ordering.extent(0));
  for (std::size_t p = 0; p < ordering.extent(0); ++p) place(ordering(p)) = std::int64_t(p);
  return place;
}

// Colors the power of the pattern, row after row of the ordering, and sorts the rows by color.
Refusal choose_colors(const Recipe &recipe, Elimination &e)
{
  bool was_symmetric;
  const bool ordered = recipe.ordering.extent(0) > 0;
  const Graph symmetric = symmetrize(e.selection.graph, &was_symmetric);
  const Graph graph = ordered ? permute(symmetric, recipe.ordering) : symmetric;
  const int q = int(std::min(colored_power(recipe), std::int64_t(graph.rows)));
  std::optional<Coloring> coloring;
  e.coloring = recipe.coloring == ColoringKind::automatic ? ColoringKind::greedy : recipe.coloring;
  if (e.coloring == ColoringKind::greedy && !recipe.balanced) coloring = color_power(graph, q);
  else if (const auto power = find_power(graph, q)) {
    if (e.coloring != ColoringKind::red_black || !ordered) coloring = make_coloring(e.coloring, *power, recipe.grid);
    if (coloring && recipe.balanced) balance_colors(*power, *coloring);
  } else return {Refusal::entries};
  if (!coloring) return {Refusal::color_fit};
  if (ordered) {
    auto color = make_array<Index>("finegrain::color", recipe.ordering.extent(0));
    for (std::size_t p = 0; p < recipe.ordering.extent(0); ++p) color(recipe.ordering(p)) = coloring->color(p);
    coloring->color = color;
  }
  const Schedule colors = schedule_colors(*coloring, find_places(recipe.ordering));
  e.ordering = colors.order;
  e.group = colors.group;
  e.color = coloring->color;
  e.colors = coloring->colors;
  e.symmetrized = !was_symmetric;
  e.symmetric = was_symmetric;
  return {};
}

} // namespace

Refusal choose_elimination(const Graph &owned, const Recipe &recipe, Elimination &e)
{
  if (recipe.factor == FactorKind::sip) {
    e.ordering = order_mirrored(recipe.grid, recipe.stone.mirrored);
    e.keeps_grid = e.ordering.extent(0) > 0;
    return select_star(owned, recipe.grid, e.selection);
  }
  // Whatever the schedule is.
  if (recipe.grid.size() > 1 && recipe.coupling == GridCoupling::corrections &&
      count_points(recipe.grid) != owned.rows)
    return {Refusal::grid_size};
  e.selection = select_for_factor(owned, recipe.grid, recipe.coupling);
  e.ordering = recipe.ordering;
  if (recipe.schedule == ScheduleKind::color)
    if (const Refusal refusal = choose_colors(recipe, e)) return refusal;
  const bool drops = recipe.drop == Drop::during;
  const int levels = std::min(recipe.levels, int(owned.rows)); // no walk is longer
  const auto fill = find_fill(e.selection, e.ordering, levels, drops ? e.color : HostArray<Index>(), &e.dropped);
  if (!fill) return {Refusal::entries};
  e.fill = fill->graph.entries() - e.selection.graph.entries();
  e.selection = *fill;
  if (drops || e.colors == 0) return {};
  Offset inside = 0;
  for (Index i = 0; i < owned.rows; ++i)
    for (Index f = fill->graph.ptr(i); f < fill->graph.ptr(i + 1); ++f)
      inside += fill->graph.col(f) != i && e.color(fill->graph.col(f)) == e.color(i);
  if (inside == 0) return {};
  e.group = {}; // rows of a color depend on each other in the factorization
  e.drops_after = recipe.drop == Drop::after;
  if (e.drops_after) e.dropped = inside;
  return {};
}

} // namespace finegrain
