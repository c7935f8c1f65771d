// The plan of a relaxation: colors, the order of rows and of their couplings, tasks. In: an operator view and
// options. Out: a RelaxationPlan, for methods/relaxation.cpp.
#pragma once

#include "plan/relaxation_rows.hpp"
#include "plan/options.hpp"
#include "plan/plan.hpp"

namespace finegrain
{

struct RelaxationPlan {
  EngineOptions options; // as it was asked for, with the kind of coloring that was taken
  int colors = 0;
  bool was_symmetric = false;
  Plan plan;
  CouplingRows<Kokkos::HostSpace> rows;
  Index first_entries = 0; // couplings that a first sweep from zero reads
};

// SetupError::color_fit where the coloring that was asked for does not fit, or ranks have agreed on one that does
// not.
SetupError plan_relaxation(const OperatorView &, const EngineOptions &, const Machine &, RelaxationPlan &);

} // namespace finegrain
