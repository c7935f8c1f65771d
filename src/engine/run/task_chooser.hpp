// SPDX-License-Identifier: BSD-2-Clause
// Algorithm of a plan, and its tasks. In: the graph of an elimination, a plan with its schedule. Out: the plan's
// algorithm, tasks, tiles and lines, and the storage order of one thread. For make_plan.cpp.
#pragma once

#include "order/options.hpp"

namespace finegrain
{

class EliminatedGraph;
struct Machine;
struct Plan;

// Returns the width of order_windows(), the least mean number of rows per level of a window. Windows are powers of
// two: 1.9 is two adjacent lines of a grid, 3 is four. Two are best for blocks of 3 and more, four for scalars
// (docs/tuning.md).
inline double window_width(int block) { return block <= 2 ? 3 : 1.9; }

// Errors: SetupError::grid_size, no_grid, tile_fit.
SetupError choose_tasks(const EliminatedGraph &, int block, const EngineOptions &, const Machine &, Plan &);

} // namespace finegrain
