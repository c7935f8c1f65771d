// One run of a row function over the groups or tasks of a schedule, as methods describe it to kernels. executor.hpp
// does it.
#pragma once

#include "base/kinds.hpp"
#include "run/replay.hpp"
#include "run/task_flags.hpp"

namespace finegrain
{

// Tasks as a kernel sees them.
struct TaskList {
  Index count = 0;
  const Index *slot = nullptr, *wait_ptr = nullptr, *wait = nullptr, *step_ptr = nullptr, *step = nullptr;
};

// A tile of a sweep: its slots, their entries and steps, up to the second of each pair.
struct TileRange {
  Index slot, last_slot, entry, last_entry, step, last_step;
};

// Tiles of a sweep on a device, none of which needs another of its level.
struct TileLevels {
  const Index *first = nullptr; // the first tile of each level, and the end of the last; on the host
  Index count = 0;              // 0: the sweep goes by groups
  const TileRange *range = nullptr;
  const Index *step = nullptr;    // the first slot of each step, and the end of the last
  const Index *columns = nullptr; // of the entries: ~place in the tile, or those of others (neighbors.hpp)
  Index rows = 0, entries = 0;    // of a tile, at most
};

namespace detail
{

// What a worker does: tasks until none is left. The text is the same for one host thread and for a team. The worker
// waits for other tasks when it has to, or for values (Worker::waits_for_tasks).
template <class Worker>
KOKKOS_FORCEINLINE_FUNCTION void work(const TaskList &tasks, const TaskFlags &progress, const Worker &worker)
{
  for (;;) {
    const Index t = Index(worker.draw(progress));
    if (t < 0 || t >= tasks.count) return;
    stress();
    if constexpr (Worker::waits_for_tasks) {
      worker.run(tasks, t, [&]() {
        const Index first = tasks.wait_ptr[t], last = tasks.wait_ptr[t + 1];
        worker.each(first, last, [&](Index w) { progress.await(tasks.wait[w]); });
        if (first < last) progress.acquire();
        worker.barrier();
      });
      worker.barrier();
      worker.once([&]() { progress.publish(t); });
    } else worker.run(tasks, t, [] {});
  }
}

} // namespace detail

// One run over the slots of all groups, group after group. Nothing here is allocated per run.
template <class Exec> struct Run {
  typename Exec::execution_space exec;
  ExecutorKind executor = ExecutorKind::natural; // never automatic
  const Index *group = nullptr;                  // first slot of each group, and the end of the last; on the host
  Index groups = 0;
  const Index *visit = nullptr;    // the slots of each group in the order of visits; null: as they are
  Offset *launches = nullptr;      // counts kernels
  const TaskList *tasks = nullptr; // self, and tile on hosts
  TileLevels tiles = {};           // tile on a device; none: by groups
  TaskFlagMemory<typename Exec::memory_space> *progress = nullptr;
  Replay<Exec> *replay = nullptr; // kernels are not launched but recorded there: groups and tiles of a device
  Index longest = 0;              // entries of the longest row, where teams may copy its blocks (staging.hpp)
  Offset *copying = nullptr;      // counts kernels whose teams do so, launched or recorded
  // launch on a device, where narrow groups share a kernel: the first group of each, and the end of the last, on the
  // host; and `group` where kernels run. None: a kernel a group.
  const Index *cut = nullptr;
  Index kernels = 0;
  const Index *step = nullptr;
};

} // namespace finegrain
