// SPDX-License-Identifier: BSD-2-Clause
// A model of sweeps that go from rank to rank, tile by tile (fgbilu's exchange pipeline): how long one takes, and the
// tiles for which it is shortest. In: boxes, the grid of ranks, what a row and a message cost. Out: a shape.
#pragma once

#include "order/grid.hpp"

namespace finegrain
{

// Equal boxes of points on a grid of ranks; a rank's neighbors hold the boxes beside its own.
struct PipelineShape {
  Box points, ranks; // of a rank, largest; along each axis
};

// Seconds.
struct PipelineCost {
  double row;     // to sweep a row
  double send;    // to send and receive a message, while the rank does nothing else
  double latency; // from the end of a tile to the beginning of one that waits for it, beside that
};

struct PipelinePrediction {
  Box tile;              // points
  Index tiles = 0;       // of a rank
  double steps = 0;      // a sweep over all ranks, in sweeps of one tile
  double seconds = 0;    // of one sweep
  double efficiency = 0; // of the ranks: what one would take for its rows without messages, over `seconds`
};

// All ranks go through their tiles in the same order, and each begins as soon as it can go on without a stop: so much
// later than the rank before it along an axis that every tile finds what it needs. Delays of axes add up.
PipelinePrediction predict_pipeline(const PipelineShape &, const PipelineCost &, Box tile);

// The best of shapes that cut each axis into equal pieces, at most 512 in all.
PipelinePrediction choose_pipeline(const PipelineShape &, const PipelineCost &);

} // namespace finegrain
