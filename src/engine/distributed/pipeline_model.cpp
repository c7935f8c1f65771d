// SPDX-License-Identifier: BSD-2-Clause
#include "distributed/pipeline_model.hpp"

#include <algorithm>
#include <numeric>

namespace finegrain
{

namespace
{

constexpr Index most_tiles = 512; // per rank, when the shape is chosen

Index pieces(Index edge, Index tile) { return (edge + tile - 1) / tile; }

using Edges = std::array<Index, 3>;
Edges edges(const Box &b) { return {b.i, b.j, b.k}; }

} // namespace

PipelinePrediction predict_pipeline(const PipelineShape &shape, const PipelineCost &cost, Box tile)
{
  const Edges points = edges(shape.points), ranks = edges(shape.ranks), size = edges(tile);
  Edges count;
  for (std::size_t a = 0; a < 3; ++a) count[a] = pieces(points[a], std::max(size[a], Index(1)));
  PipelinePrediction p{tile, count[0] * count[1] * count[2]};

  // Tiles are sorted by level, as tasks.cpp does.
  std::vector<Index> order(std::size_t(p.tiles)), turn(order.size());
  std::iota(order.begin(), order.end(), Index(0));
  const auto level = [&](Index t) { return t % count[0] + t / count[0] % count[1] + t / count[0] / count[1]; };
  std::stable_sort(order.begin(), order.end(), [&](Index s, Index t) { return level(s) < level(t); });
  for (std::size_t i = 0; i < order.size(); ++i) turn[std::size_t(order[i])] = Index(i);

  // Largest delay from a tile at the end of one rank to the one at the beginning of the next, along each axis.
  double start = 0, messages = 0;
  Index stride = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    if (ranks[a] > 1) {
      Index late = 0;
      for (Index t = 0; t < p.tiles; ++t)
        if (t / stride % count[a] == 0)
          late = std::max(late, turn[std::size_t(t + (count[a] - 1) * stride)] - turn[std::size_t(t)] + 1);
      start += double(late) * (ranks[a] - 1);
      messages += (ranks[a] > 2 ? 2. : 1.) / count[a]; // average per tile: received and sent
    }
    stride *= count[a];
  }
  const double rows = double(size[0]) * size[1] * size[2], tile_seconds = rows * cost.row + messages * cost.send;
  const double hops = double(ranks[0] + ranks[1] + ranks[2] - 3);
  p.steps = p.tiles + start;
  p.seconds = p.steps * tile_seconds + hops * cost.latency;
  p.efficiency = double(shape.points.points()) * cost.row / p.seconds;
  return p;
}

PipelinePrediction choose_pipeline(const PipelineShape &shape, const PipelineCost &cost)
{
  std::array<std::vector<Index>, 3> sizes;
  const Edges points = edges(shape.points);
  for (std::size_t a = 0; a < 3; ++a)
    for (const Index n : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512}) {
      const Index size = pieces(points[a], std::min(n, points[a]));
      if (sizes[a].empty() || sizes[a].back() != size) sizes[a].push_back(size);
    }
  PipelinePrediction best;
  for (const Index i : sizes[0])
    for (const Index j : sizes[1])
      for (const Index k : sizes[2]) {
        if (Offset(pieces(points[0], i)) * pieces(points[1], j) * pieces(points[2], k) > most_tiles) continue;
        const PipelinePrediction p = predict_pipeline(shape, cost, {i, j, k});
        if (best.tiles == 0 || p.seconds < best.seconds) best = p;
      }
  return best;
}

} // namespace finegrain
