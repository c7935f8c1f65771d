// SPDX-License-Identifier: BSD-2-Clause
// The model of sweeps that proceed from rank to rank, compared with a simulation of every tile on every rank.
#include "distributed/pipeline_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace finegrain;

namespace
{

// Returns the time at which the last rank finishes its last tile.
double simulate(const PipelineShape &shape, const PipelineCost &cost, const Box &tile)
{
  const Box count = {(shape.points.i + tile.i - 1) / tile.i, (shape.points.j + tile.j - 1) / tile.j,
                     (shape.points.k + tile.k - 1) / tile.k};
  std::vector<Box> order; // the tiles in their order
  for (Index k = 0; k < count.k; ++k)
    for (Index j = 0; j < count.j; ++j)
      for (Index i = 0; i < count.i; ++i) order.push_back({i, j, k});
  std::stable_sort(order.begin(), order.end(),
                   [](const Box &a, const Box &b) { return a.i + a.j + a.k < b.i + b.j + b.k; });
  const auto number = [](const Box &at, const Box &of) { return std::size_t(at.i + of.i * (at.j + of.j * at.k)); };
  const PipelinePrediction p = predict_pipeline(shape, cost, tile);
  const double step = (p.seconds - (shape.ranks.i + shape.ranks.j + shape.ranks.k - 3) * cost.latency) / p.steps;

  std::vector<std::vector<double>> done(std::size_t(shape.ranks.points()), std::vector<double>(order.size()));
  double last = 0;
  for (Index z = 0; z < shape.ranks.k; ++z)
    for (Index y = 0; y < shape.ranks.j; ++y)
      for (Index x = 0; x < shape.ranks.i; ++x) {
        double now = 0;
        const auto wait = [&](const Box &rank, const Box &at) {
          now = std::max(now, done[number(rank, shape.ranks)][number(at, count)] + cost.latency);
        };
        for (const Box &at : order) {
          if (at.i == 0 && x > 0) wait({x - 1, y, z}, {count.i - 1, at.j, at.k});
          if (at.j == 0 && y > 0) wait({x, y - 1, z}, {at.i, count.j - 1, at.k});
          if (at.k == 0 && z > 0) wait({x, y, z - 1}, {at.i, at.j, count.k - 1});
          now += step;
          done[number({x, y, z}, shape.ranks)][number(at, count)] = now;
        }
        last = std::max(last, now);
      }
  return last;
}

constexpr PipelineCost cost = {1e-8, 1e-6, 2e-6};
const Box points = {24, 20, 16};
const std::vector<Box> tiles = {{24, 20, 16}, {24, 20, 1}, {24, 1, 16}, {1, 20, 16},
                                {6, 5, 16},   {6, 20, 4},  {8, 5, 4},   {5, 7, 3}};

TEST(PipelineModel, IsTheSimulationWhereOneAxisIsCut)
{
  for (const Index ranks : {1, 2, 5, 16})
    for (const Box &grid : {Box{ranks, 1, 1}, Box{1, ranks, 1}, Box{1, 1, ranks}})
      for (const Box &tile : tiles) {
        const PipelineShape shape = {points, grid};
        const double simulated = simulate(shape, cost, tile);
        EXPECT_NEAR(predict_pipeline(shape, cost, tile).seconds, simulated, 1e-9 * simulated)
          << ranks << ": " << tile.i << " " << tile.j << " " << tile.k;
      }
}

// If all axes are cut, the last rank needs all of the first rank's box; if two are cut, only a small part of it.
TEST(PipelineModel, ThreeCutAxesHaveHalfTheEfficiencyAtMost)
{
  EXPECT_LE(choose_pipeline({points, {2, 2, 2}}, {1e-8, 0, 0}).efficiency, 0.5);
  EXPECT_GE(choose_pipeline({points, {1, 2, 2}}, {1e-8, 0, 0}).efficiency, 0.9);
}

// The delays of several axes need not add up. The model never underestimates the time, and with the tiles that it
// chooses it overestimates it by less than a tenth.
TEST(PipelineModel, BoundsTheSimulation)
{
  for (const Box &grid : {Box{2, 2, 1}, Box{1, 3, 2}, Box{2, 2, 2}, Box{4, 4, 4}, Box{8, 4, 2}}) {
    const PipelineShape shape = {points, grid};
    for (const Box &tile : tiles)
      EXPECT_GE(predict_pipeline(shape, cost, tile).seconds, simulate(shape, cost, tile) * (1 - 1e-9));
    const PipelinePrediction best = choose_pipeline(shape, cost);
    EXPECT_LE(best.seconds, 1.1 * simulate(shape, cost, best.tile));
  }
}

TEST(PipelineModel, CountsByHand)
{
  // 4 ranks in a row along z, 10 columns of tiles that are as deep as a rank's box.
  const PipelinePrediction p = predict_pipeline({points, {1, 1, 4}}, {1e-8, 0, 0}, {24, 2, 16});
  EXPECT_EQ(p.tiles, 10);
  EXPECT_DOUBLE_EQ(p.steps, 13);
  EXPECT_DOUBLE_EQ(p.seconds, 13 * 24 * 2 * 16 * 1e-8);
  EXPECT_DOUBLE_EQ(p.efficiency, 10. / 13);
  // One rank has no messages.
  const PipelinePrediction alone = predict_pipeline({points, {1, 1, 1}}, cost, {24, 20, 1});
  EXPECT_DOUBLE_EQ(alone.efficiency, 1);
}

TEST(PipelineModel, ChoosesTheBest)
{
  for (const Box &grid : {Box{1, 1, 1}, Box{1, 1, 2}, Box{2, 2, 2}, Box{1, 16, 16}}) {
    const PipelineShape shape = {{64, 48, 32}, grid};
    const PipelinePrediction best = choose_pipeline(shape, cost);
    EXPECT_GE(best.tiles, 1);
    EXPECT_LE(best.tiles, 512);
    for (const Index i : {64, 32, 16, 8})
      for (const Index j : {48, 24, 12, 6})
        for (const Index k : {32, 16, 8}) {
          const PipelinePrediction p = predict_pipeline(shape, cost, {i, j, k});
          EXPECT_TRUE(p.tiles > 512 || best.seconds <= p.seconds * (1 + 1e-12));
        }
  }
  EXPECT_EQ(choose_pipeline({points, {1, 1, 1}}, cost).tiles, 1);
}

} // namespace
