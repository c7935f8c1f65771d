// SPDX-License-Identifier: BSD-2-Clause
// The plan of a relaxation: colors, the order of rows, tasks. In: an operator view and options. Out: a
// RelaxationPlan, for stored_relaxation.hpp.
#pragma once

#include "order/coloring.hpp"
#include "order/options.hpp"
#include "run/plan.hpp"

namespace finegrain
{

struct RelaxationPlan {
  EngineOptions options; // as it was asked for, with the kind of coloring that was taken
  Coloring coloring;
  bool was_symmetric = false;
  Plan plan;
};

// SetupError::entries where couplings, those to ghosts among them, are more than an Index counts, color_fit where the
// coloring that was asked for does not fit, or ranks have agreed on one that does not.
SetupError plan_relaxation(const OperatorView &, const EngineOptions &, const Machine &, RelaxationPlan &);

} // namespace finegrain
