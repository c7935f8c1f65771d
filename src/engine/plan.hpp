// Schedule, storage order and executor, chosen together.
#pragma once

#include "engine.hpp"

namespace finegrain
{

struct Plan {
  Selection        selection; // what the factor keeps of the owned square
  Schedule         schedule;
  ExecutorKind     executor = ExecutorKind::natural;
  HostArray<Index> row_of; // storage order; empty: natural
  Layout           y = Layout::row;
};

// `threads` is the number that the execution space runs on a host, 0 on a device.
Refusal make_plan(const Graph &owned, int block, const Recipe &, int threads, Plan &);

// Group boundaries of the backward sweep: slots run from the last position to the first.
HostArray<Index> reverse_groups(const HostArray<Index> &group);

// For the shuffle executor: the slots of each group in random order. The seed is fixed, so that a failure repeats.
HostArray<Index> shuffle_slots(const HostArray<Index> &group);

} // namespace finegrain
