// A model of sweeps on a device: the least time that one can take, by executor, and what `auto` takes there. In:
// constants, what a row and a team are, groups or tasks. Out: seconds, shapes of tiles, rows of tasks.
//
// Nothing of a device has been measured. The kit (docs/gpu.md) shall replace the constants; whatever depends on them
// follows.
#pragma once

#include "base/kinds.hpp"
#include "graph/grid.hpp"

namespace finegrain
{

struct TaskPlan;
struct TaskSize;

// Kernels of an application that a device replays as a graph, at most. Each refers to the one before.
inline constexpr Offset most_replayed = 4096;

// Seconds and bytes, of an H200. "Audit": an order of magnitude from an audit of the sources (November 2026) that ran
// nothing. "Guess": less than that.
struct DeviceCost {
  // Of what is built.
  double copy = 4.3e12; // bytes a second, read and written, of long copies. Audit; at its peak the memory has 4.8e12
  double row = 1.2e-6; // from the first load of a row to its result's store. Guess; audit: 3.4e-6 when kernels had no
                       // launch bounds, and loads waited for each other
  double gap = 1.0e-6; // from the end of a kernel to the next one's beginning. Audit: 4.4e-6 together with a row
  double graph_gap = 0.9e-6; // the same in a CUDA graph. Guess; audit: 2.1e-6 together with a row
  double host = 4e-6;        // that the host takes to launch a kernel without a graph. Audit: 3 to 5e-6
  double flag = 0.8e-6;      // from the end of a task to the beginning of one that waits for its flag. Audit
  double teams = 660;        // of 128 lanes at once: 5 on each of 132 multiprocessors, by the launch bounds
  double task_teams = 528;   // the same of self, where rows load early: 4
  double worth = 1.5; // how many times faster than launch must be what needs flags, to be taken. A choice: flags
                      // have never run, and the model is hardly better than this
  double early_gap = 0.4e-6;  // the gap by programmatic dependent launch. Guess; audit: 1.2 to 1.5e-6 with the next
  double early_row = 0.9e-6;  // from the wait to the store, if all but neighbors' values is loaded before. Guess
  bool starts_early = false;  // whether kernels of a graph begin by dependent launch
  double value = 0.6e-6;      // from storing a value to a poll elsewhere that has it. Guess: two ways to the L2 cache
  double value_rest = 0.4e-6; // from neighbors' values to a row's. Guess: early_row without its loads
  bool waits_for_values = false; // whether tasks of self wait for values, which are their own flags
  double tile_step = 0.2e-6; // a further step of a tile, which finds all in shared memory. Guess: at n = 5 a chain of
                             // 20 multiply-adds, five loads from there and a barrier, some 300 cycles
  double tile_teams = 8;     // tiles of a multiprocessor at once, by registers
  double shared = 228 * 1024; // bytes of shared memory of a multiprocessor. The vendor's
  double processors = 132;    // multiprocessors. The vendor's
  // Of the analysis: level sets and greedy colors, found by a kernel for each set.
  double frontier = 2e-5;    // a kernel of a few rows, and their number back on the host. Guess: host, row, a copy
  double host_row = 4e-8;    // that a thread of the host takes for a row. Measured: level sets of 10 million
                             // rows in 0.4 s (docs/gpu.md, The analysis)
  double few_frontiers = 64; // that are not worth the question
};

// Level sets of so many rows for which a device is not asked longer than the host would take.
inline Index most_frontiers(const DeviceCost &cost, Index rows)
{
  return Index(cost.few_frontiers + rows * cost.host_row / cost.frontier);
}

// Of one sweep.
struct SweepWork {
  double bytes = 0;  // that a row moves
  Index at_once = 1; // rows that a team does at the same time
  bool plain = true; // whether narrow groups of launch share a kernel, and there are tiles
  int block = 1;
  double couplings = 0;    // off-diagonal blocks of a row, of one sweep
  std::size_t scratch = 0; // bytes that a team has for a tile
};

// Bytes that a row of a sweep moves: half of its off-diagonal blocks and half of its diagonal one (one of the two
// sweeps reads it), a vector read and one written, columns, where they begin, and the row's number. `blocks`: of a
// row of the factor, the diagonal one among them. Neighbors' values are taken to be in cache.
double sweep_bytes(double blocks, int block, std::size_t of_number);

// Scratch memory that a tile of a plain sweep takes at most: off-diagonal blocks of one sweep (entries) with
// neighbors' values, diagonal ones with rows' own, columns, where they begin, rows' numbers, steps.
std::size_t most_tile_bytes(Offset rows, Offset entries, int block);

// How a group's kernel follows the one before it.
enum class Launch {
  stream,   // the host launches each: more than most_replayed of them, or as fast as they run
  graph,    // a CUDA graph
  dependent // a graph with programmatic dependent launch, a row's blocks being loaded before the wait
};

// Whether the host takes longer to launch these kernels than memory to pass their bytes. Only then is a graph worth
// it: its kernels find their vectors in memory, and nvcc keeps fewer of their loads under way (docs/gpu.md).
inline bool host_is_late(const DeviceCost &c, double kernels, double bytes)
{
  return kernels * c.host > bytes / c.copy;
}

// The first group of each kernel of launch, and the number of groups: consecutive groups that a team does in a round
// each are one kernel of one team.
HostArray<Index> cut_kernels(const HostArray<Index> &group, Index at_once);

// launch: a kernel for each of these cuts. predict_launch() without a way takes the one that is built.
double predict_launch(const DeviceCost &, const SweepWork &, const HostArray<Index> &group, Launch);
double predict_launch(const DeviceCost &, const SweepWork &, const HostArray<Index> &group);

// Tasks of one level. A round is what a team does at once: at_once rows of a step, or fewer.
struct TaskLevel {
  Index tasks = 0, rounds = 0; // rounds: of the longest task
  Offset all_rounds = 0, rows = 0;
};
using TaskLevels = std::vector<TaskLevel>;

TaskLevels task_levels(const TaskPlan &, Index at_once);
// The same without a cut: of self's tasks of single rows, and of the tiles of grids without corners in their stencil.
TaskLevels self_levels(const HostArray<Index> &group, TaskSize, Index at_once);
TaskLevels tile_levels(const Grid &, Box tile, Index at_once);

// self: tasks that wait for each other. Seconds of the wait, of the first round and of each other.
struct TaskTimes {
  double wait, first, next, teams;
};
double predict_tasks(const DeviceCost &, const SweepWork &, const TaskLevels &, const TaskTimes &);
// As it is built: the first round is loaded before the wait, for flags of tasks or for values, where large blocks
// take registers that a fourth team would need.
inline TaskTimes times_of_flags(const DeviceCost &c) { return {c.flag, c.early_row, c.row, c.task_teams}; }
inline TaskTimes times_of_values(const DeviceCost &c, int block)
{
  return {c.value, c.value_rest, c.row, block > 5 ? c.task_teams * 3 / 4 : c.task_teams};
}
inline TaskTimes times_of_self(const DeviceCost &c, int block)
{
  return c.waits_for_values ? times_of_values(c, block) : times_of_flags(c);
}

// tile: a kernel for each level of tiles. 0: they do not fit. Without a way the one that is built.
double predict_tiles(const DeviceCost &, const SweepWork &, const Grid &, Box tile, Launch);
double predict_tiles(const DeviceCost &, const SweepWork &, const Grid &, Box tile);

// How self cuts groups.
TaskSize size_tasks(const DeviceCost &, const SweepWork &, const HostArray<Index> &group);

// Shapes that fit, whose edges are powers of two or the grid's: the best of all, the best of lines and a point, one
// of which fits any stencil.
std::vector<Box> choose_tiles(const DeviceCost &, const SweepWork &, const Grid &);

} // namespace finegrain
