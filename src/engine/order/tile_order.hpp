// SPDX-License-Identifier: BSD-2-Clause
// Order of elimination by colored tiles of a structured grid. In: grids, the shape of a tile, a graph. Out: an
// ordering for EngineOptions.
#pragma once

#include "order/graph.hpp"
#include "order/grid.hpp"

namespace finegrain
{

// Returns the row at each place of the order. Every grid is cut into tiles, and the graph of tiles is colored
// greedily in their natural order. All tiles of a color precede those of the next color, and rows of a tile are in
// natural order. Tiles of a color are not coupled, so that a color adds at most the level sets of one tile, however
// large the grid is. A star has two colors, a box stencil in d dimensions 2^d. The grids have as many points as the
// graph has rows. O(entries).
HostArray<Index> order_tiles(const Grid &, const Box &tile, const Graph &);

} // namespace finegrain
