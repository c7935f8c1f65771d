// SPDX-License-Identifier: BSD-2-Clause
// Prints, in Markdown, what the model of fgbilu's exchange pipeline predicts for many ranks
// (distributed/pipeline_model.hpp). Cubes of points on ranks that cut two of their axes.
//   model_pipeline <seconds per row of a sweep> <seconds of latency> <seconds to send a message>
#include "distributed/pipeline_model.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace finegrain;

int main(int argc, char **argv)
{
  if (argc != 4) {
    std::fputs("model_pipeline <seconds a row of a sweep> <seconds of latency> <seconds to send a message>\n",
               stderr);
    return 1;
  }
  const PipelineCost cost = {std::atof(argv[1]), std::atof(argv[3]), std::atof(argv[2])};
  const Box grids[] = {{1, 1, 2}, {1, 2, 4}, {1, 8, 8}, {1, 16, 32}, {1, 64, 64}};
  const auto row = [&](int edge, const char *what, const auto &edge_on) {
    std::printf("| %d^3 %s", edge, what);
    for (const Box &ranks : grids) {
      const Index all = edge_on(ranks);
      const Box points = {all, (all + ranks.j - 1) / ranks.j, (all + ranks.k - 1) / ranks.k};
      const PipelinePrediction p = choose_pipeline({points, ranks}, cost);
      std::printf(" | %.0f %% (%d)", 100 * p.efficiency, int(p.tiles));
    }
    std::printf(" |\n");
  };
  std::printf("| points |");
  for (const Box &ranks : grids) std::printf(" 1 x %d x %d ranks |", int(ranks.j), int(ranks.k));
  std::printf("\n|---|---|---|---|---|---|\n");
  for (const int edge : {16, 32, 64, 128})
    row(edge, "a rank",
        [&](const Box &ranks) { return Index(std::lround(edge * std::cbrt(double(ranks.points())))); });
  for (const int edge : {128, 256, 512}) row(edge, "in all", [&](const Box &) { return Index(edge); });
  return 0;
}
