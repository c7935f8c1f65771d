// Tasks of the tiles of complete stars, without a look at the graph: tiles of a level are those whose coordinates
// have one sum, and so are the rows of a step. In: grids, a shape. Out: what plan_tasks() makes of the same tiles;
// task_chooser.cpp takes it for devices.
#pragma once

#include "plan/tasks.hpp"

namespace finegrain
{

// The most rows that a tile has, and the most entries of one part.
struct TileSize {
  Offset rows = 0, entries = 0;
};
TileSize find_largest_tile(const Grid &, Box tile);

// With steps, and without waits.
TaskPlan plan_star_tiles(const Grid &, Box tile);

} // namespace finegrain
