// SPDX-License-Identifier: BSD-2-Clause
// Schedule, storage order and algorithm of an engine. make_plan.hpp makes a Plan, by which methods store factors and
// run sweeps.
#pragma once

#include "base/kinds.hpp"
#include "order/levels.hpp"
#include "run/lines.hpp"
#include "run/tasks.hpp"

namespace finegrain
{

// What runs the plan.
struct Machine {
  bool device = false;
  int threads = 1;         // of a host, that can run at once
  Index rows_per_team = 1; // of a device
};

struct Plan {
  Schedule schedule;             // of sweeps
  HostArray<Index> first_groups; // of sweeps, of each row below most_shown
  Schedule factorization;        // by groups: of slots, where it is not that of the forward sweep; else empty
  Algorithm algorithm = Algorithm::sequential;
  const char *reason = ""; // why this algorithm
  HostArray<Index> row_of; // storage order; empty: natural
  Layout y = Layout::row;
  TaskPlan tasks; // of algorithm tasks
  Box tile;       // tile on a grid

  std::vector<LineBox> lines; // the sweeps go by lines: parts of a sequential sweep, or tasks; empty: by rows
};

} // namespace finegrain
