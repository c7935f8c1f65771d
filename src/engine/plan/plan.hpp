// Schedule, storage order and executor, chosen together. In: an elimination, options, what the machine has. Out: a
// Plan, by which methods store factors and run sweeps.
#pragma once

#include "base/kinds.hpp"
#include "graph/levels.hpp"
#include "plan/device_cost.hpp"
#include "plan/lines.hpp"
#include "plan/tasks.hpp"

namespace finegrain
{

struct Elimination;
struct EngineOptions;
struct SetupError;

// What runs the plan.
struct Machine {
  bool device = false;
  int threads = 1;         // of a host, that can run at once
  std::size_t scratch = 0; // bytes a team of a device has for a tile
  Index at_once = 1;       // rows of a sweep that a team of a device does at the same time
  DeviceCost cost = {};
  bool plain = true; // whether sweeps of a device are plain (sweep.hpp), and not those of colors
};

struct Plan {
  Schedule schedule;      // of sweeps
  Schedule factorization; // by groups: of slots, where it is not that of the forward sweep; else empty
  Schedule slots;         // by tiles of a device: groups of slots, for what does not go by tiles; else empty
  ExecutorKind executor = ExecutorKind::natural;
  const char *reason = ""; // why this executor
  HostArray<Index> row_of; // storage order; empty: natural
  Layout y = Layout::row;
  TaskPlan tasks; // self and tile; empty where a device has no tiles that fit, and tile goes by groups
  Box tile;       // tile on a grid

  std::vector<LinePart> lines; // the sweeps go by lines: parts of natural, tasks of tile; empty: they go by rows
};

SetupError make_plan(const Elimination &, int block, const EngineOptions &, const Machine &, Plan &);

// For the shuffle executor: the slots of each group in random order. The seed is fixed, so that a failure repeats.
HostArray<Index> shuffle_slots(const HostArray<Index> &group);

} // namespace finegrain
