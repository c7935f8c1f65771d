// SPDX-License-Identifier: BSD-2-Clause
// Order in which rows that ranks share are eliminated and stored, and the stages between which they are exchanged:
// colors of all ranks, or tiles of this rank. In: an OperatorView with SharedRows, options. Out: a SharedPlan, for
// distributed/shared_factorization.cpp.
#pragma once

#include "order/options.hpp"
#include "run/plan.hpp"

namespace finegrain
{

// Positions of the owned rows of a color or tile. Other ranks need the rows from `first` to `split`.
struct Stage {
  Index first, split, last;
};

struct SharedPlan {
  HostArray<Index> place, row_of; // rows in elimination order, and in storage order
  std::vector<Stage> stages;
  HostArray<Index> stage_of; // stage of each owned row
  Plan plan;                 // algorithm, schedule and tiles; no tasks, because none are drawn
};

SetupError make_shared_plan(const OperatorView &, const EngineOptions &, const Machine &, SharedPlan &);

} // namespace finegrain
