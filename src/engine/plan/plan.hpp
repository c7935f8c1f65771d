// Schedule, storage order and executor of an engine. make_plan.hpp makes a Plan, by which methods store factors and
// run sweeps.
#pragma once

#include "base/kinds.hpp"
#include "graph/levels.hpp"
#include "plan/device_cost.hpp"
#include "plan/lines.hpp"
#include "plan/tasks.hpp"

namespace finegrain
{

class GraphPasses;

// What runs the plan.
struct Machine {
  bool device = false;
  int threads = 1;         // of a host, that can run at once
  std::size_t scratch = 0; // bytes a team of a device has for a tile
  Index at_once = 1;       // rows of a sweep that a team of a device does at the same time
  DeviceCost cost = {};
  bool plain = true;                   // whether sweeps of a device are plain (sweep.hpp), and not those of colors
  const GraphPasses *passes = nullptr; // of a device that has a graph
};

struct Plan {
  Schedule schedule;      // of sweeps
  Schedule factorization; // by groups: of slots, where it is not that of the forward sweep; else empty
  bool by_tiles = false;  // of a device, and by the groups of the schedule what does not go by tiles: the order of
                          // the schedule then has rows of the operator, whatever the ordering
  ExecutorKind executor = ExecutorKind::natural;
  const char *reason = ""; // why this executor
  HostArray<Index> row_of; // storage order; empty: natural
  Layout y = Layout::row;
  TaskPlan tasks; // self and tile; empty where a device has no tiles that fit, and tile goes by groups
  Box tile;       // tile on a grid

  std::vector<LinePart> lines; // the sweeps go by lines: parts of natural, tasks of tile; empty: they go by rows
};

} // namespace finegrain
