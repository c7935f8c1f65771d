// SPDX-License-Identifier: BSD-2-Clause
// The work of a sweep cut into tasks, each of which one worker (a host thread, a team of a device) does without
// interruption, and the tasks that each waits for. task_chooser.cpp makes them, run/execute.hpp runs them.
#pragma once

#include "order/grid.hpp"

namespace finegrain
{

// Tasks are runs of positions, in an order in which no task needs a later one. The steps of a task are rows that do
// not depend on each other; workers of one thread ignore them.
template <class Space> struct Tasks {
  Array<Index, Space> slot;           // first position of each task, and the number of rows
  Array<Index, Space> wait_ptr, wait; // the tasks that each has to wait for
  Array<Index, Space> step_ptr, step; // the steps of each task, and the first position of each step

  Index count() const { return slot.extent(0) ? Index(slot.extent(0)) - 1 : 0; }
  std::size_t bytes() const
  {
    return (slot.span() + wait_ptr.span() + wait.span() + step_ptr.span() + step.span()) * sizeof(Index);
  }
};

// Rows that belong together, numbered such that no chunk depends on a later one.
struct Chunks {
  Index count = 0;
  HostArray<Index> of; // of each row
};

// Tiles of the points of each box, or nothing if the couplings between some tiles go both ways.
std::optional<Chunks> cut_tiles(const Grid &, Box tile, const Graph &);

// Runs of `length` consecutive rows.
Chunks cut_runs(Index rows, Index length);

// Level sets of chunks, and how many there are.
struct ChunkLevels {
  Index count = 0;
  HostArray<Index> of; // of each chunk
};
ChunkLevels find_chunk_levels(const Graph &, const Chunks &);
// How many levels have more than one chunk.
Index count_shared_levels(const ChunkLevels &);
// The number of levels of runs of `length` rows among the first rows.
Index count_run_levels(const Graph &, Index length, Index rows);

// How chunks become tasks. Chunks of one level are put together until a task has `rows` rows, or as long as it has no
// more than these (at_most), but a level is cut into `pieces` tasks at least if it has that many chunks.
struct TaskSize {
  Index rows = 1, pieces = 1;
  bool at_most = false;

  // Into how many tasks a level of so many rows and chunks is cut.
  Index cut(Index level_rows, Index chunks) const;
};

// A cut of all rows into tasks. Inside a task rows are stored by level, windowed (order_windows) by `width` unless it
// is 0; then each level is a step. Below 0 there are no steps, and rows stay as they come. `key`, if given, is of
// each row: what windows are cut from are the rows of a task by key, chunk and number, a key not being less than
// those of the rows it needs.
struct TaskPlan {
  HostArray<Index> order; // row at each position
  Tasks<Kokkos::HostSpace> tasks;
  Index levels = 0, widest = 0; // of tasks: the longest chain, and the most tasks on one level
  std::vector<Index> level;     // of each task
};
TaskPlan plan_tasks(const Graph &, const Chunks &, const ChunkLevels &, TaskSize, double width,
                    const HostArray<Index> &key = {});

// The same tasks for sweeps that run from the last position to the first.
Tasks<Kokkos::HostSpace> reverse_tasks(const Tasks<Kokkos::HostSpace> &);

template <class Space> Tasks<Space> copy_to(const Tasks<Kokkos::HostSpace> &t)
{
  return {copy_to<Space>(t.slot), copy_to<Space>(t.wait_ptr), copy_to<Space>(t.wait), copy_to<Space>(t.step_ptr),
          copy_to<Space>(t.step)};
}

} // namespace finegrain
