// SPDX-License-Identifier: BSD-2-Clause
#include "run/task_chooser.hpp"

#include "order/eliminated_graph.hpp"
#include "run/plan.hpp"

#include <algorithm>

namespace finegrain
{

namespace
{

// Largest number of groups for which auto chooses levels on a device.
constexpr Index few_groups = 32;

// Chooses the algorithm and cuts its tasks.
class TaskChooser
{
public:
  TaskChooser(const EliminatedGraph &g, int block, const EngineOptions &options, const Machine &machine, Plan &plan)
      : g_(g), block_(block), options_(options), machine_(machine), plan_(plan)
  {
  }

  SetupError choose()
  {
    const bool shaped = options_.algorithm == Algorithm::automatic && options_.tile.points() > 0;
    plan_.algorithm = shaped ? Algorithm::tasks : options_.algorithm;
    plan_.reason = shaped ? "a tile shape is given" : "as given";
    if (plan_.algorithm == Algorithm::tasks) return cut_and_plan();
    return plan_.algorithm == Algorithm::automatic ? choose_automatic() : SetupError();
  }

  // Plans one thread without tasks: sweeps by lines over whole boxes if they fit, else a storage order.
  void plan_one_thread()
  {
    if (fits_lines()) plan_.lines = cut_boxes(options_.grid, bounds(), g_.ordering());
    const bool by_color = plan_.schedule.kind == ScheduleKind::color && !g_.drops_after();
    if (by_color || !plan_.lines.empty()) return;
    const std::optional<Cut> lines = cut_lines(1);
    plan_.row_of = lines
                     ? plan_tasks(g_.get(), lines->chunks, lines->levels, {g_.rows(), 1}, window_width(block_)).order
                     : order_windows(g_.get(), window_width(block_));
  }

private:
  struct Cut {
    Chunks chunks;
    ChunkLevels levels;
  };
  Cut level(const Chunks &chunks) const { return {chunks, find_chunk_levels(g_.get(), chunks)}; }
  static double least_width(int threads) { return 3. * threads; }
  static bool is_wide(const Cut &c, int threads) // enough chunks per level
  {
    return double(c.chunks.count) >= least_width(threads) * c.levels.count;
  }

  SetupError choose_automatic()
  {
    plan_.algorithm = Algorithm::sequential;
    plan_.reason = "one thread";
    if (!machine_.device && machine_.threads == 1) return {};
    if (options_.relaxation.exchange == Exchange::color) {
      plan_.algorithm = Algorithm::levels;
      plan_.reason = "an exchange after each color";
      return {};
    }
    if (machine_.device) return choose_on_device();
    // Few rows do not justify a kernel, which costs some microseconds.
    plan_.reason = "few rows";
    if (bytes_per_row() * g_.rows() < 3e6) return {};
    // Threads that start a color together read contiguous memory; tasks of colors are scattered
    // (docs/topics/threads.md).
    plan_.reason = "wide colors";
    plan_.algorithm = Algorithm::levels;
    const bool by_groups = plan_.schedule.kind == ScheduleKind::color || g_.drops_after();
    if (by_groups && bytes_per_row() * g_.rows() >= 3e5 * plan_.schedule.groups()) return {};
    plan_.algorithm = Algorithm::tasks;
    plan_.reason = has_grid() ? "a grid" : "no grid";
    const std::optional<Chunks> tiles = has_grid() ? find_tiles() : std::nullopt;
    const Cut cut = tiles ? level(*tiles) : cut_ranges_of_machine();
    // Levels with one piece are merged into one task, except tiles.
    const char *reason = why_sequential(cut.chunks.count, tiles ? cut.levels.count : count_shared_levels(cut.levels));
    if (!reason) {
      set_tasks(cut, bool(tiles));
      reason = why_sequential(plan_.tasks.tasks.count(), plan_.tasks.levels);
    }
    if (!reason) return {};
    plan_.algorithm = Algorithm::sequential;
    plan_.reason = reason;
    plan_.tasks = {};
    plan_.tile = {};
    plan_.lines = {};
    return {};
  }

  // Returns the reason to stay on one thread, or null: with this many levels, synchronization would cost more than
  // it saves. The constants are orders of magnitude: 1.5 microseconds per level
  // (docs/topics/threads.md), and 16 GB/s for blocks that one thread reads.
  const char *why_sequential(Index pieces, Index levels) const
  {
    if (double(pieces) < 1.4 * levels) return "hardly any independent rows";
    const double seconds = bytes_per_row() * g_.rows() / 16e9;
    return seconds / machine_.threads + 1.5e-6 * levels < seconds ? nullptr : "levels too short to share";
  }

  // On an H200 levels were mostly faster with 2 to 30 colors, and tasks with 46 hyperplanes and more
  // (docs/gpu_times.md).
  SetupError choose_on_device()
  {
    const Index groups = plan_.schedule.groups();
    plan_.algorithm = Algorithm::levels;
    plan_.reason = "few groups or colors";
    if (groups <= few_groups || plan_.schedule.kind == ScheduleKind::color) return {};
    plan_.algorithm = Algorithm::tasks;
    plan_.reason = "many groups";
    set_tasks(cut_ranges_of_machine(), false);
    return {};
  }

  bool has_grid() const
  {
    return options_.schedule != ScheduleKind::level && g_.rows() > 0 && count_points(options_.grid) == g_.rows() &&
           g_.keeps_grid();
  }
  // Returns true for complete stars on grids.
  bool has_star() const { return has_grid() && is_complete_star(g_.get(), options_.grid); }
  // Returns true if sweeps may go by lines.
  bool fits_lines() const
  {
    return block_ == 1 && !machine_.device && options_.method == Method::factorization && has_star();
  }
  // Returns the bytes of the factor that one sweep reads for a row.
  double bytes_per_row() const
  {
    const double blocks = g_.rows() ? double(g_.entries()) / g_.rows() : 1;
    return blocks / 2 * block_ * block_ * double(storage_size(options_.precision));
  }
  double width() const { return machine_.device ? 0 : window_width(block_); } // 0: level sets

  // Returns the keys by which the rows of a tile on a host are ordered: the level of their line. Lines of a level
  // are independent, so that a core overlaps two of them better than a line and the next (docs/tuning.md).
  HostArray<Index> line_levels() const
  {
    const std::optional<Cut> lines = cut_lines(1);
    if (!lines) return {};
    auto of = make_array<Index>("finegrain::level", std::size_t(g_.rows()));
    for (Index i = 0; i < g_.rows(); ++i) of(i) = lines->levels.of(lines->chunks.of(i));
    return of;
  }

  // Returns the longest edges of the grids.
  Box bounds() const
  {
    Box b{1, 1, 1};
    for (const Box &box : options_.grid) b = {std::max(b.i, box.i), std::max(b.j, box.j), std::max(b.k, box.k)};
    return b;
  }

  // Cuts tiles on a grid, else ranges of consecutive rows. On a device tiles only have a shape that is given: none
  // has been measured. Without rows any shape fits.
  SetupError cut_and_plan()
  {
    const bool shaped = options_.tile.points() > 0 && g_.rows() > 0;
    const bool misfit = !options_.grid.empty() && count_points(options_.grid) != g_.rows();
    if (shaped && !has_grid()) return {misfit ? SetupError::grid_size : SetupError::no_grid};
    const std::optional<Chunks> tiles = has_grid() && (shaped || !machine_.device) ? find_tiles() : std::nullopt;
    if (shaped && !tiles) return {SetupError::tile_fit};
    set_tasks(tiles ? level(*tiles) : cut_ranges_of_machine(), bool(tiles));
    return {};
  }
  // Returns tiles of the given shape, or of the best shape that fits.
  std::optional<Chunks> find_tiles()
  {
    const std::vector<Box> wanted = options_.tile.points() > 0 ? std::vector<Box>{options_.tile} : tile_shapes();
    for (const Box &shape : wanted)
      if (auto chunks = cut_tiles(options_.grid, shape, g_.get())) {
        plan_.tile = shape;
        return chunks;
      }
    return std::nullopt;
  }
  void set_tasks(const Cut &cut, bool tiles)
  {
    const bool lines = tiles && fits_lines();
    const TaskSize size = tiles ? TaskSize() : task_size();
    plan_.tasks = plan_tasks(g_.get(), cut.chunks, cut.levels, size, lines ? -1 : width(),
                             tiles && !lines ? line_levels() : HostArray<Index>());
    plan_.lines = lines ? find_task_lines(cut.chunks) : std::vector<LineBox>();
  }
  // Returns the lines of each task, which is a tile.
  std::vector<LineBox> find_task_lines(const Chunks &chunks) const
  {
    const auto tiles = cut_boxes(options_.grid, plan_.tile, g_.ordering());
    const auto &tasks = plan_.tasks;
    std::vector<LineBox> lines;
    for (Index t = 0; t < tasks.tasks.count(); ++t) {
      const Index sweep_index = tasks.tasks.first(t);
      lines.push_back(tiles[std::size_t(chunks.of(tasks.order(sweep_index)))]);
      lines.back().sweep_index = sweep_index;
    }
    return lines;
  }

  // Returns tile shapes, best first. The last one fits any grid.
  std::vector<Box> tile_shapes() const
  {
    const Box b = bounds();
    // Lines along i are not cut, because they are contiguous. The other directions have twice as many pieces as
    // threads. Tiles are thin in the last direction, so that the second tile can begin soon.
    const Index pieces = 2 * Index(machine_.threads);
    const auto cut = [&](Index edge) { return std::max(Index(1), (edge + pieces - 1) / pieces); };
    if (b.k > 1) return {{b.i, cut(b.j), std::min(cut(b.k), Index(4))}, {b.i, cut(b.j), 1}, {b.i, 1, 1}};
    return {{cut(b.i), std::min(b.j, Index(8)), 1}, {cut(b.i), 1, 1}};
  }

  // Cuts ranges of consecutive rows, shorter and shorter, until a level has enough of them. Ranges have no wider
  // levels than rows, so that no length is tried if level sets are narrow.
  Cut cut_long_ranges(Index longest) const
  {
    const bool may_be_wide = plan_.schedule.kind != ScheduleKind::level ||
                             g_.rows() >= least_width(machine_.threads) * plan_.schedule.groups();
    for (Index length = may_be_wide ? longest : 1; length > 1; length /= 2)
      if (ranges_may_be_wide(length))
        if (Cut c = level(cut_ranges(g_.rows(), length)); is_wide(c, machine_.threads)) return c;
    return level(cut_ranges(g_.rows(), 1));
  }
  // Returns true if levels of ranges may be wide enough. It extrapolates from an eighth of the rows: all later parts
  // add as many levels as the second half of it. Testing all rows costs as much as the cut. Where levels end
  // (blocks, domains), the second half adds none.
  bool ranges_may_be_wide(Index length) const
  {
    const double rows = g_.rows(), least = least_width(machine_.threads);
    const Index sample = Index(std::min(rows, std::max({65536., rows / 8, 4 * least * length})));
    const double half = count_range_levels(g_.get(), length, sample / 2),
                 levels = count_range_levels(g_.get(), length, sample),
                 all = levels + (levels - half) * (rows - sample) / (sample / 2 + 1);
    return rows / length + 1 >= 0.9 * least * all;
  }

  Cut cut_ranges_of_machine() const
  {
    return machine_.device ? level(cut_ranges(g_.rows(), 1)) : cut_long_ranges(128);
  }
  // Returns the size of tasks. On a host a level has two tasks for each thread, and no task is larger than a core's
  // cache.
  TaskSize task_size() const
  {
    if (machine_.device) return {machine_.rows_per_team, 1, true};
    return {Index(std::max(1., 1e6 / bytes_per_row())), machine_.threads == 1 ? 1 : 2 * Index(machine_.threads)};
  }

  // Cuts lines of a grid, or shorter pieces of them, so that a level has enough for this many threads.
  std::optional<Cut> cut_lines(int threads) const
  {
    if (!has_grid()) return std::nullopt;
    for (Index length = bounds().i; length > 1; length = (length + 1) / 2) {
      const auto chunks = cut_tiles(options_.grid, {length, 1, 1}, g_.get());
      if (!chunks) continue;
      if (Cut c = level(*chunks); is_wide(c, threads)) return c;
    }
    return std::nullopt;
  }

  const EliminatedGraph &g_;
  const int block_;
  const EngineOptions &options_;
  const Machine &machine_;
  Plan &plan_;
};

} // namespace

SetupError choose_tasks(const EliminatedGraph &g, int block, const EngineOptions &options, const Machine &machine,
                        Plan &plan)
{
  TaskChooser chooser(g, block, options, machine, plan);
  if (const SetupError error = chooser.choose()) return error;
  if (plan.algorithm == Algorithm::sequential) chooser.plan_one_thread();
  return {};
}

} // namespace finegrain
