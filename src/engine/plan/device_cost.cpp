#include "plan/device_cost.hpp"

#include "graph/graph.hpp"
#include "plan/tasks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace finegrain
{

namespace
{

Index divide_up(Index a, Index b) { return (a + b - 1) / b; }

// Tasks of so many rounds and rows each.
void add_tasks(TaskLevels &levels, std::size_t level, Index tasks, Index rounds, Offset rows)
{
  if (level >= levels.size()) levels.resize(level + 1);
  TaskLevel &l = levels[level];
  l.tasks += tasks;
  l.rounds = std::max(l.rounds, rounds);
  l.all_rounds += Offset(tasks) * rounds;
  l.rows += tasks * rows;
}

// Points of a box by i + j + k.
std::vector<Index> plane_widths(const Box &box)
{
  std::vector<Index> width(std::size_t(box.i + box.j + box.k), 0); // first differences: a line adds 1 to I planes
  for (Index k = 0; k < box.k; ++k)
    for (Index j = 0; j < box.j; ++j) {
      ++width[std::size_t(j + k)];
      --width[std::size_t(j + k + box.i)];
    }
  std::partial_sum(width.begin(), width.end(), width.begin());
  return width;
}

// The steps of a tile are its hyperplanes.
Index count_rounds(const Box &tile, Index at_once)
{
  Index rounds = 0;
  for (const Index w : plane_widths(tile)) rounds += divide_up(w, at_once);
  return rounds;
}

} // namespace

double sweep_bytes(double blocks, int block, std::size_t of_number)
{
  const double numbers = blocks / 2 * block * block, vectors = 2. * block, indices = (blocks - 1) / 2 + 2;
  return numbers * double(of_number) + vectors * sizeof(Scalar) + indices * sizeof(Index);
}

std::size_t most_tile_bytes(Offset rows, Offset entries, int block)
{
  const Offset numbers = (rows + entries) * block * (block + 1), indices = 3 * rows + entries + 2;
  constexpr std::size_t begin_anywhere = 256; // seven arrays
  return std::size_t(numbers) * sizeof(Scalar) + std::size_t(indices) * sizeof(Index) + begin_anywhere;
}

HostArray<Index> cut_kernels(const HostArray<Index> &group, Index at_once)
{
  std::vector<Index> cut{0};
  bool chain = false; // the last kernel is one
  for (std::size_t g = 0; g + 1 < group.extent(0); ++g) {
    const bool narrow = group(g + 1) - group(g) <= at_once;
    if (chain && narrow) cut.back() = Index(g + 1);
    else cut.push_back(Index(g + 1));
    chain = narrow;
  }
  return to_array("finegrain::cut", cut);
}

namespace
{

// A kernel begins when the one before it has ended, a gap ago. Its teams run in waves of all that fit at once, each
// as long as a row and what comes after it in the team. Memory passes the kernel's bytes meanwhile, no faster than a
// copy: the longer of the two counts. Without a graph the host must have launched the kernel, which it does while
// those before are running. What the first wave loads before the wait passes beside the gap too.
double kernel_time(const DeviceCost &c, Launch how, double waves, double further, double bytes)
{
  const double wave = c.row + further, stream = bytes / c.copy, late = std::max(waves * wave, stream);
  if (how == Launch::stream) return std::max(c.host, c.gap + late);
  if (how == Launch::graph) return c.graph_gap + late;
  return std::max(c.early_gap + c.early_row + further + (waves - 1) * wave, stream);
}

// How so many kernels of a sweep are launched.
Launch choose_launch(const DeviceCost &c, Index kernels, double bytes)
{
  const bool many = 2 * Offset(kernels) > most_replayed; // of both sweeps
  if (many || !host_is_late(c, kernels, bytes)) return Launch::stream;
  return c.starts_early ? Launch::dependent : Launch::graph;
}

} // namespace

// The further groups of a chain are loaded while those before are computed.
double predict_launch(const DeviceCost &c, const SweepWork &work, const HostArray<Index> &group, Launch how)
{
  const HostArray<Index> cut = cut_kernels(group, work.plain ? work.at_once : 0);
  double seconds = 0;
  for (std::size_t k = 0; k + 1 < cut.extent(0); ++k) {
    const auto first = std::size_t(cut(k)), last = std::size_t(cut(k + 1)) - 1;
    const double rows = group(last + 1) - group(first), further = double(last - first) * c.early_row,
                 waves = std::ceil((group(first + 1) - group(first)) / (c.teams * work.at_once));
    if (rows > 0) seconds += kernel_time(c, how, waves, further, rows * work.bytes); // else no kernel
  }
  return seconds;
}

double predict_launch(const DeviceCost &c, const SweepWork &work, const HostArray<Index> &group)
{
  const Index kernels = Index(cut_kernels(group, work.plain ? work.at_once : 0).extent(0)) - 1;
  if (kernels == 0) return 0;
  const double bytes = double(group(group.extent(0) - 1) - group(0)) * work.bytes;
  return predict_launch(c, work, group, choose_launch(c, kernels, bytes));
}

// The steps of a tile but the first take a tile_step each. All but neighbors' values is loaded before the first.
double predict_tiles(const DeviceCost &c, const SweepWork &work, const Grid &grid, Box tile, Launch how)
{
  const Offset rows = tile.points(), entries = Offset(std::ceil(double(rows) * work.couplings));
  const std::size_t space = most_tile_bytes(rows, entries, work.block);
  if (space > work.scratch) return 0;
  const double of_threads = double(work.at_once) * (work.block + 2) * sizeof(Scalar), of_cuda = 1024,
               at_once = std::floor(c.shared / (double(space) + of_threads + of_cuda)),
               teams = c.processors * std::clamp(at_once, 1., c.tile_teams);
  double seconds = 0;
  for (const TaskLevel &l : tile_levels(grid, tile, work.at_once))
    seconds +=
      kernel_time(c, how, std::ceil(l.tasks / teams), (l.rounds - 1) * c.tile_step, double(l.rows) * work.bytes);
  return seconds;
}

double predict_tiles(const DeviceCost &c, const SweepWork &work, const Grid &grid, Box tile)
{
  const Index kernels = Index(tile_levels(grid, tile, work.at_once).size());
  return predict_tiles(c, work, grid, tile, choose_launch(c, kernels, double(count_points(grid)) * work.bytes));
}

// A level is done when its longest task is: the way of a flag or value, then its rounds one after another. Teams
// cannot do all of its tasks in less than the sum of their times over the teams, nor memory pass its bytes faster
// than a copy. The longest of the three counts, as if a level waited for all of the one before it.
double predict_tasks(const DeviceCost &c, const SweepWork &work, const TaskLevels &levels, const TaskTimes &t)
{
  const auto time = [&](double tasks, double rounds) {
    return tasks * (t.wait + t.first) + (rounds - tasks) * t.next;
  };
  double seconds = 0;
  for (const TaskLevel &l : levels)
    seconds += std::max(
      {time(1, l.rounds), time(l.tasks, double(l.all_rounds)) / t.teams, double(l.rows) * work.bytes / c.copy});
  return seconds;
}

TaskLevels task_levels(const TaskPlan &plan, Index at_once)
{
  const auto &t = plan.tasks;
  TaskLevels levels;
  for (Index i = 0; i < t.count(); ++i) {
    Index rounds = 0;
    for (Index s = t.step_ptr(i); s < t.step_ptr(i + 1); ++s) rounds += divide_up(t.step(s + 1) - t.step(s), at_once);
    add_tasks(levels, std::size_t(plan.level[std::size_t(i)]), 1, rounds, t.slot(i + 1) - t.slot(i));
  }
  return levels;
}

// As plan_tasks() puts chunks of one row together.
TaskLevels self_levels(const HostArray<Index> &group, TaskSize size, Index at_once)
{
  TaskLevels levels;
  Index merged = 0;
  for (std::size_t g = 0; g + 1 < group.extent(0); ++g) {
    const Index rows = group(g + 1) - group(g), pieces = size.cut(rows, rows), rounds = divide_up(rows, at_once);
    if (rows == 0) continue;
    if (pieces > 1) {
      merged = 0;
      const std::size_t level = levels.size();
      for (Index p = 0, first = 0; p < pieces; ++p) {
        const Index last = Index((Offset(rows) * (p + 1) + pieces - 1) / pieces);
        add_tasks(levels, level, 1, divide_up(last - first, at_once), last - first);
        first = last;
      }
    } else if (merged > 0 && merged + rows <= size.rows) {
      merged += rows;
      levels.back().rounds += rounds;
      levels.back().all_rounds += rounds;
      levels.back().rows += rows;
    } else {
      merged = rows;
      add_tasks(levels, levels.size(), 1, rounds, rows);
    }
  }
  return levels;
}

// A tile waits for those beside it, so that tiles whose numbers along the axes have one sum make a level. Only the
// last tile along an axis can be smaller: tiles are of at most eight sizes.
TaskLevels tile_levels(const Grid &grid, Box tile, Index at_once)
{
  TaskLevels levels;
  for (const Box &box : grid)
    for (unsigned last = 0; last < 8; ++last) { // along which axes
      Index first = 0;
      const auto along = [&](unsigned axis, Index whole, Index full) { // tiles, points of each
        const Index count = divide_up(whole, full);
        if (!(last & axis)) return std::pair(std::max(count - 1, Index(0)), full);
        first += count - 1;
        return std::pair(std::min(count, Index(1)), whole - (count - 1) * full);
      };
      const auto [ti, i] = along(1, box.i, tile.i);
      const auto [tj, j] = along(2, box.j, tile.j);
      const auto [tk, k] = along(4, box.k, tile.k);
      if (Offset(ti) * tj * tk == 0) continue;
      const Index rounds = count_rounds({i, j, k}, at_once);
      for (const Index tasks : plane_widths({ti, tj, tk}))
        if (tasks > 0) add_tasks(levels, std::size_t(first++), tasks, rounds, Offset(i) * j * k);
    }
  return levels;
}

// As many rows as a team does at once: more would wait for each other, fewer would leave lanes idle. Groups of more
// rows than all teams do at once (colors) are done in waves anyway. There a task of up to four rounds saves flags,
// and leaves teams little to wait for at the end of a group.
TaskSize size_tasks(const DeviceCost &c, const SweepWork &work, const HostArray<Index> &group)
{
  const double groups = double(group.extent(0)) - 1, rows = groups > 0 ? group(std::size_t(groups)) / groups : 0;
  const double waves = std::floor(rows / (c.task_teams * work.at_once));
  return {Index(std::clamp(waves, 1., 4.)) * work.at_once, 1, true};
}

std::vector<Box> choose_tiles(const DeviceCost &c, const SweepWork &work, const Grid &grid)
{
  Box most{1, 1, 1};
  for (const Box &b : grid) most = {std::max(b.i, most.i), std::max(b.j, most.j), std::max(b.k, most.k)};
  const auto edges = [](Index longest) {
    std::vector<Index> e;
    for (Index edge = 1; edge < longest; edge *= 2) e.push_back(edge);
    e.push_back(longest);
    return e;
  };
  struct Best {
    Box tile{1, 1, 1};
    double seconds = 0;
  } best, line;
  const auto keep = [](Best &b, const Box &tile, double seconds) {
    if (seconds > 0 && (b.seconds == 0 || seconds < b.seconds)) b = {tile, seconds};
  };
  for (const Index k : edges(most.k))
    for (const Index j : edges(most.j))
      for (const Index i : edges(most.i)) {
        const Box tile{i, j, k};
        const double seconds = predict_tiles(c, work, grid, tile);
        keep(best, tile, seconds);
        if (j == 1 && k == 1) keep(line, tile, seconds);
      }
  return {best.tile, line.tile, {1, 1, 1}};
}

} // namespace finegrain
