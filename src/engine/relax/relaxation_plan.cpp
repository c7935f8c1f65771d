// SPDX-License-Identifier: BSD-2-Clause
#include "relax/relaxation_plan.hpp"

#include "order/elimination.hpp"
#include "run/make_plan.hpp"

#include <limits>
#include <optional>

namespace finegrain
{

namespace
{

// Returns the coloring that the options request, or the one that ranks have agreed on.
std::optional<Coloring> choose_colors(const OperatorView &view, const Graph &symmetric, const EngineOptions &options)
{
  if (options.relaxation.exchange == Exchange::color) {
    const Coloring &given = view.agreed.coloring;
    const bool valid = Index(given.color.extent(0)) == view.owned.rows && is_valid(symmetric, given) &&
                       is_valid(view.coupling, given, view.agreed.ghost_color.data());
    return valid ? std::optional(given) : std::nullopt;
  }
  auto coloring = make_coloring(options.coloring, symmetric, options.grid, view.agreed.key);
  if (coloring && options.balanced) balance_colors(symmetric, *coloring);
  return coloring;
}

SetupError color_rows(const OperatorView &view, RelaxationPlan &p, Coloring &coloring, Schedule &colors)
{
  const Graph symmetric = symmetrize(view.owned, &p.was_symmetric);
  ColoringKind &kind = p.options.coloring;
  const bool by_color = p.options.relaxation.exchange == Exchange::color;
  if (by_color) kind = view.agreed.kind;
  else if (kind == ColoringKind::automatic)
    kind = color_red_black(p.options.grid, {}, symmetric) ? ColoringKind::red_black : ColoringKind::greedy;
  const auto found = choose_colors(view, symmetric, p.options);
  if (!found) return {SetupError::color_fit};
  coloring = *found;
  colors = schedule_colors(coloring, view.agreed.key, by_color ? &view.agreed.sent : nullptr);
  return {};
}

} // namespace

SetupError plan_relaxation(const OperatorView &view, const EngineOptions &requested, const Machine &machine,
                           RelaxationPlan &p)
{
  // Owned couplings and couplings to ghosts have one numbering.
  const Offset ghosts = requested.relaxation.exchange == Exchange::none ? 0 : view.coupling.entries();
  if (view.owned.entries() + ghosts > std::numeric_limits<Index>::max()) return {SetupError::entries};
  p.options = requested;
  Schedule colors;
  if (const SetupError error = color_rows(view, p, p.coloring, colors)) return error;
  p.options.grid = {};

  Elimination elimination;
  elimination.selection.graph = view.owned;
  elimination.ordering = colors.order;
  elimination.group = colors.group;
  elimination.color = p.coloring.color;
  elimination.symmetric = p.was_symmetric;
  return make_plan(elimination, view.block, p.options, machine, p.plan);
}

} // namespace finegrain
