#include "plan/relaxation_plan.hpp"

#include "plan/elimination.hpp"

#include "graph/coloring.hpp"

#include <optional>

namespace finegrain
{

namespace
{

// The coloring that the options ask for, or the one that ranks have agreed on.
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

} // namespace

SetupError plan_relaxation(const OperatorView &view, const EngineOptions &asked, const Machine &machine,
                           RelaxationPlan &p)
{
  p.options = asked;
  const Graph symmetric = symmetrize(view.owned, &p.was_symmetric);
  const auto &relaxation = p.options.relaxation;
  ColoringKind &kind = p.options.coloring;
  const bool by_color = relaxation.exchange == Exchange::color;
  if (by_color) kind = view.agreed.kind;
  else if (kind == ColoringKind::automatic)
    kind = color_red_black(p.options.grid, {}, symmetric) ? ColoringKind::red_black : ColoringKind::greedy;
  const auto coloring = choose_colors(view, symmetric, p.options);
  if (!coloring) return {SetupError::color_fit};
  const Schedule colors = schedule_colors(*coloring, view.agreed.key, by_color ? &view.agreed.sent : nullptr);
  p.options.grid = {};
  p.colors = coloring->colors;

  Elimination elimination;
  elimination.selection.graph = view.owned;
  elimination.ordering = colors.order;
  elimination.group = colors.group;
  elimination.color = coloring->color;
  elimination.symmetric = p.was_symmetric;
  if (const SetupError error = make_plan(elimination, view.block, p.options, machine, p.plan)) return error;

  p.rows = order_couplings(view, *coloring, relaxation.exchange, p.plan.row_of);
  for (Index pos = 0; pos < view.owned.rows; ++pos)
    p.first_entries += relaxation.sweep == SweepKind::backward ? p.rows.ptr(pos + 1) - p.rows.mid(pos)
                                                               : p.rows.mid(pos) - p.rows.ptr(pos);
  return {};
}

} // namespace finegrain
