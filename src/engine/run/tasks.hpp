// SPDX-License-Identifier: BSD-2-Clause
// Tasks of a sweep, and the tasks for which each of them waits. One worker (a host thread, a team of a device)
// executes a task without interruption. task_chooser.cpp creates tasks, run/execute.hpp runs them.
#pragma once

#include "order/grid.hpp"

namespace finegrain
{

// Tasks are ranges of sweep indices, in an order in which no task needs a later one. A level set of a
// task is a range of its rows that do not depend on each other; host workers ignore these sets.
template <class Space> struct Tasks {
  Array<Index, Space> first;              // first sweep index of each task, and the number of rows
  Array<Index, Space> wait_ptr, wait;     // the tasks for which each task waits
  Array<Index, Space> set_ptr, set_first; // level sets of each task, and the first sweep index of each

  Index count() const { return first.extent(0) ? Index(first.extent(0)) - 1 : 0; }
  std::size_t bytes() const
  {
    return (first.span() + wait_ptr.span() + wait.span() + set_ptr.span() + set_first.span()) * sizeof(Index);
  }
};

// Groups of rows that stay together, numbered such that no chunk depends on a later one.
struct Chunks {
  Index count = 0;
  HostArray<Index> of; // chunk of each row
};

// Cuts the points of each box into tiles. Returns nothing if the couplings between some tiles go both ways.
std::optional<Chunks> cut_tiles(const Grid &, Box tile, const Graph &);

// Cuts ranges of `length` consecutive rows.
Chunks cut_ranges(Index rows, Index length);

// Level sets of chunks, and their number.
struct ChunkLevels {
  Index count = 0;
  HostArray<Index> of; // level of each chunk
};
ChunkLevels find_chunk_levels(const Graph &, const Chunks &);
// Returns the number of levels with more than one chunk.
Index count_shared_levels(const ChunkLevels &);
// Returns the number of levels of ranges of `length` rows among the first `rows` rows.
Index count_range_levels(const Graph &, Index length, Index rows);

// Size of tasks. Chunks of one level are combined until a task has `rows` rows, or while it has no more (at_most). A
// level with at least `pieces` chunks is cut into at least `pieces` tasks.
struct TaskSize {
  Index rows = 1, pieces = 1;
  bool at_most = false;

  // Returns the number of tasks of a level with this many rows and chunks.
  Index cut(Index level_rows, Index chunks) const;
};

// All rows cut into tasks. The rows of a task are stored by level, in windows (order_windows()) of `width`. If
// `width` is 0 the level sets of tasks are found; below 0 rows keep their order. `key`, if given, has a
// key of each row that is not less than those of the rows it needs. The rows of a task are then ordered by key,
// chunk and number before windows are cut.
struct TaskPlan {
  HostArray<Index> order; // row at each position
  Tasks<Kokkos::HostSpace> tasks;
  Index levels = 0, widest = 0; // longest chain of tasks, and the most tasks of a level
  std::vector<Index> level;     // level of each task
};
TaskPlan plan_tasks(const Graph &, const Chunks &, const ChunkLevels &, TaskSize, double width,
                    const HostArray<Index> &key = {});

// Returns the same tasks for sweeps from the last position to the first.
Tasks<Kokkos::HostSpace> reverse_tasks(const Tasks<Kokkos::HostSpace> &);

template <class Space> Tasks<Space> copy_to(const Tasks<Kokkos::HostSpace> &t)
{
  return {copy_to<Space>(t.first), copy_to<Space>(t.wait_ptr), copy_to<Space>(t.wait), copy_to<Space>(t.set_ptr),
          copy_to<Space>(t.set_first)};
}

} // namespace finegrain
