// SPDX-License-Identifier: BSD-2-Clause
// The algorithm of a plan, and how it cuts the work into tasks. In: the graph of an elimination, a plan with its
// schedule. Out: the plan's algorithm, tasks, tiles and lines, and the storage order of one thread. For
// make_plan.cpp.
#pragma once

#include "order/options.hpp"

namespace finegrain
{

class EliminatedGraph;
struct Machine;
struct Plan;

// Two lines of a grid side by side hide the latency of a row; small blocks need four. More cost more in cache than
// they hide (docs/performance.md).
inline double window_width(int block) { return block <= 2 ? 3 : 1.9; }

// SetupError::grid_size, no_grid, tile_fit.
SetupError choose_tasks(const EliminatedGraph &, int block, const EngineOptions &, const Machine &, Plan &);

} // namespace finegrain
