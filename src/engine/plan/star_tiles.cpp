#include "plan/star_tiles.hpp"

#include "base/pieces.hpp"

#include <algorithm>
#include <numeric>

namespace finegrain
{

namespace
{

// The rows of a tile by step, and inside a step as they come, counted from its first row; where steps begin.
struct Rows {
  std::vector<Index> row, step;

  Rows(const Box &box, const Box &points)
  {
    for (Index sum = 0; sum <= points.i - 1 + points.j - 1 + points.k - 1; ++sum) {
      step.push_back(Index(row.size()));
      for (Index k = 0; k < points.k; ++k)
        for (Index j = 0; j < points.j; ++j)
          if (const Index i = sum - j - k; 0 <= i && i < points.i) row.push_back(i + box.i * (j + box.j * k));
    }
  }
};

} // namespace

TileSize find_largest_tile(const Grid &grid, Box tile)
{
  TileSize most;
  for (const Box &box : grid)
    each_tile(box, tile, [&](const Box &first, const Box &points) {
      // Along each axis all rows have a neighbor, but for those of a face.
      const Offset rows = points.points(), faces[] = {rows / points.i, rows / points.j, rows / points.k};
      const bool begins[] = {first.i == 0, first.j == 0, first.k == 0},
                 ends[] = {first.i + points.i == box.i, first.j + points.j == box.j, first.k + points.k == box.k};
      Offset lower = 3 * rows, upper = 3 * rows;
      for (int axis = 0; axis < 3; ++axis) {
        lower -= begins[axis] ? faces[axis] : 0;
        upper -= ends[axis] ? faces[axis] : 0;
      }
      most = {std::max(most.rows, rows), std::max({most.entries, lower, upper})};
    });
  return most;
}

TaskPlan plan_star_tiles(const Grid &grid, Box tile)
{
  struct Tile {
    Index corner, rows, level; // corner: its first row; rows: which Rows
  };
  std::vector<Tile> tiles;
  std::vector<Rows> rows_of;
  Index corner_of_box = 0, levels = 0;
  for (const Box &box : grid) {
    Index known[2][2][2]; // Rows of tiles that end with the box or not, along each axis
    std::fill_n(&known[0][0][0], 8, -1);
    each_tile(box, tile, [&](const Box &first, const Box &points) {
      Index &rows = known[points.k < tile.k][points.j < tile.j][points.i < tile.i];
      if (rows < 0) {
        rows = Index(rows_of.size());
        rows_of.emplace_back(box, points);
      }
      const Index level = first.i / tile.i + first.j / tile.j + first.k / tile.k;
      tiles.push_back({corner_of_box + first.i + box.i * (first.j + box.j * first.k), rows, level});
      levels = std::max(levels, level + 1);
    });
    corner_of_box += Index(box.points());
  }

  // By level, and as they come.
  std::vector<Index> next(std::size_t(levels) + 1, 0);
  for (const Tile &t : tiles) ++next[std::size_t(t.level) + 1];
  TaskPlan plan;
  plan.levels = levels;
  plan.widest = *std::max_element(next.begin(), next.end());
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Tile> sorted(tiles.size());
  for (const Tile &t : tiles) sorted[std::size_t(next[std::size_t(t.level)]++)] = t;

  const Index count = Index(tiles.size());
  Tasks<Kokkos::HostSpace> &tasks = plan.tasks;
  tasks.slot = make_array<Index>("finegrain::slot", std::size_t(count) + 1);
  tasks.step_ptr = make_array<Index>("finegrain::step", std::size_t(count) + 1);
  tasks.wait_ptr = HostArray<Index>("finegrain::wait", std::size_t(count) + 1); // zeros
  tasks.slot(0) = tasks.step_ptr(0) = 0;
  for (Index t = 0; t < count; ++t) {
    const Tile &of = sorted[std::size_t(t)];
    const Rows &rows = rows_of[std::size_t(of.rows)];
    tasks.slot(t + 1) = tasks.slot(t) + Index(rows.row.size());
    tasks.step_ptr(t + 1) = tasks.step_ptr(t) + Index(rows.step.size());
    plan.level.push_back(of.level);
  }
  plan.order = make_array<Index>("finegrain::order", std::size_t(tasks.slot(count)));
  tasks.step = make_array<Index>("finegrain::step", std::size_t(tasks.step_ptr(count)) + 1);
  tasks.step(tasks.step_ptr(count)) = tasks.slot(count);
  Pieces(count, tasks.slot(count)).for_rows([&](Index t) {
    const Rows &rows = rows_of[std::size_t(sorted[std::size_t(t)].rows)];
    Index *const order = plan.order.data() + tasks.slot(t), *const step = tasks.step.data() + tasks.step_ptr(t);
    for (std::size_t r = 0; r < rows.row.size(); ++r) order[r] = sorted[std::size_t(t)].corner + rows.row[r];
    for (std::size_t s = 0; s < rows.step.size(); ++s) step[s] = tasks.slot(t) + rows.step[s];
  });
  return plan;
}

} // namespace finegrain
