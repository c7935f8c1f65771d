// SPDX-License-Identifier: BSD-2-Clause
// A model of sweeps that proceed from rank to rank, tile by tile (-pc_fgbilu_global). It predicts the time of a
// sweep, and finds the tiles with the shortest. In: boxes, the grid of ranks, costs of a row and of a message. Out:
// a shape.
#pragma once

#include "order/grid.hpp"

namespace finegrain
{

// Equal boxes of points on a grid of ranks. Neighboring ranks have neighboring boxes.
struct PipelineShape {
  Box points, ranks; // points of a rank, at most; ranks along each axis
};

// Costs in seconds.
struct PipelineCost {
  double row;     // sweep over a row
  double send;    // sending and receiving a message, while the rank does nothing else
  double latency; // time from the end of a tile to the start of one that waits for it, in addition
};

struct PipelinePrediction {
  Box tile;              // points
  Index tiles = 0;       // per rank
  double steps = 0;      // duration of a sweep over all ranks, in sweeps of one tile
  double seconds = 0;    // duration of one sweep
  double efficiency = 0; // time of a rank's rows without messages, divided by `seconds`
};

// Predicts the time for a tile shape. All ranks visit their tiles in the same order. Each starts as early as it can
// run without a stop: its delay after the previous rank along an axis is such that every tile finds its input.
// Delays of the axes add up.
PipelinePrediction predict_pipeline(const PipelineShape &, const PipelineCost &, Box tile);

// Chooses the fastest shape that cuts each axis into equal pieces, at most 512 in all.
PipelinePrediction choose_pipeline(const PipelineShape &, const PipelineCost &);

} // namespace finegrain
