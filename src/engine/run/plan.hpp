// SPDX-License-Identifier: BSD-2-Clause
// Schedule, storage order and algorithm of an engine. make_plan.hpp creates a Plan, from which methods store factors
// and run sweeps.
#pragma once

#include "base/kinds.hpp"
#include "order/levels.hpp"
#include "run/lines.hpp"
#include "run/tasks.hpp"

namespace finegrain
{

// Machine that executes the plan.
struct Machine {
  bool device = false;
  int threads = 1;         // threads of a host, available at once
  Index rows_per_team = 1; // rows that a device's team computes at once
};

struct Plan {
  Schedule schedule;             // groups of the sweeps
  HostArray<Index> first_groups; // group of each row below most_shown in sweeps
  Schedule factorization; // groups of sweep indices, if they differ from those of the forward sweep; else empty
  Algorithm algorithm = Algorithm::sequential;
  const char *reason = ""; // reason for the algorithm
  HostArray<Index> row_of; // storage order; empty: natural order
  Layout y = Layout::row;
  TaskPlan tasks; // for algorithm tasks
  Box tile;       // tile of a grid

  std::vector<LineBox> lines; // boxes of sweeps by lines, in sequence or one per task; empty: sweeps by rows
};

} // namespace finegrain
