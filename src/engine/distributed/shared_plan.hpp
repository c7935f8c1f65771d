// SPDX-License-Identifier: BSD-2-Clause
// In which order rows that ranks share are eliminated and stored, and the stages between which they travel: colors of
// all ranks, or tiles of this one. In: an OperatorView with SharedRows, options. Out: a SharedPlan, for
// distributed/shared_factorization.cpp.
#pragma once

#include "order/options.hpp"
#include "run/plan.hpp"

namespace finegrain
{

// Positions of the owned rows of a color or tile; up to `split` those that others need.
struct Stage {
  Index first, split, last;
};

struct SharedPlan {
  HostArray<Index> place, row_of; // rows in the order of elimination, and as they are stored
  std::vector<Stage> stages;
  HostArray<Index> stage_of; // of each owned row
  Plan plan;                 // algorithm, schedule and tiles; tasks are none, for nobody draws them
};

SetupError make_shared_plan(const OperatorView &, const EngineOptions &, const Machine &, SharedPlan &);

} // namespace finegrain
