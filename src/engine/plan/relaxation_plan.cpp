#include "plan/relaxation_plan.hpp"

#include "plan/elimination.hpp"
#include "plan/make_plan.hpp"

#include "graph/passes.hpp"

#include <limits>
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

// The colors of one rank and their rows, where somebody else than the host is asked: of a symmetric graph, row after
// row or red-black.
std::optional<Schedule> color_by_passes(const GraphPasses &passes, const OperatorView &view, RelaxationPlan &p,
                                        Coloring &coloring)
{
  ColoringKind &kind = p.options.coloring;
  const bool may_be_red_black = kind == ColoringKind::automatic || kind == ColoringKind::red_black,
             may_be_greedy = kind == ColoringKind::automatic || kind == ColoringKind::greedy;
  if (!(may_be_greedy || may_be_red_black) || have_agreed(view, p.options.relaxation.exchange) ||
      p.options.balanced || !passes.is_of(view.owned) || !passes.is_symmetric())
    return std::nullopt;
  std::optional<Coloring> found;
  if (may_be_red_black && count_points(p.options.grid) == view.owned.rows)
    if (const Coloring c = number_red_black(p.options.grid); passes.is_valid(c)) {
      found = c;
      kind = ColoringKind::red_black;
    }
  if (may_be_greedy && !found)
    if ((found = passes.color_greedy())) kind = ColoringKind::greedy;
  if (!found) return std::nullopt;
  coloring = *found;
  p.was_symmetric = true;
  return passes.schedule_colors(coloring);
}

// By the host.
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

SetupError plan_relaxation(const OperatorView &view, const EngineOptions &asked, const Machine &machine,
                           RelaxationPlan &p)
{
  // Couplings are numbered together.
  const Offset ghosts = asked.relaxation.exchange == Exchange::none ? 0 : view.coupling.entries();
  if (view.owned.entries() + ghosts > std::numeric_limits<Index>::max()) return {SetupError::entries};
  p.options = asked;
  std::optional<Schedule> colors;
  if (machine.passes) colors = color_by_passes(*machine.passes, view, p, p.coloring);
  if (!colors)
    if (const SetupError error = color_rows(view, p, p.coloring, colors.emplace())) return error;
  p.options.grid = {};

  Elimination elimination;
  elimination.selection.graph = view.owned;
  elimination.ordering = colors->order;
  elimination.group = colors->group;
  elimination.color = p.coloring.color;
  elimination.symmetric = p.was_symmetric;
  return make_plan(elimination, view.block, p.options, machine, p.plan);
}

} // namespace finegrain
