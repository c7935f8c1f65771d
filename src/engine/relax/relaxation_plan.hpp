// SPDX-License-Identifier: BSD-2-Clause
// Plan of a relaxation: colors, the order of rows, tasks. In: an operator view and options. Out: a RelaxationPlan,
// for stored_relaxation.hpp.
#pragma once

#include "order/coloring.hpp"
#include "order/options.hpp"
#include "run/plan.hpp"

namespace finegrain
{

struct RelaxationPlan {
  EngineOptions options; // as given, with the chosen kind of coloring
  Coloring coloring;
  bool was_symmetric = false;
  Plan plan;
};

// Returns SetupError::entries if the couplings, including those to ghosts, exceed the range of Index. Returns
// color_fit if the requested coloring, or the one that ranks have agreed on, is not valid.
SetupError plan_relaxation(const OperatorView &, const EngineOptions &, const Machine &, RelaxationPlan &);

} // namespace finegrain
