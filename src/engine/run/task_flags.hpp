// SPDX-License-Identifier: BSD-2-Clause
// Progress of the tasks of a running kernel: a ticket that hands out tasks, and a flag for each task.
//
// Nothing is reset between kernels. The ticket and the number of the run only grow, and a kernel gets their values
// at its start. Kernels of one engine follow one another, so that the flags belong to one run at a time.
//
// Memory order: everything that a worker stores before it publishes a task can be read by any worker that has
// awaited the task. The ticket of a host is an acquire and a release, which orders the workers after the earlier
// stores of the host. A kernel of a device is ordered after them anyway. On a device each poll acquires, which
// empties the first-level cache of the multiprocessor. It is still faster than a fence after relaxed polls
// (docs/tuning.md, GPU).
#pragma once

#include "base/scalar.hpp"
#include "base/waiting.hpp"

#if defined(FINEGRAIN_STRESS)
#include <chrono>
#include <random>
#include <sched.h>
#include <thread>
#endif

namespace finegrain
{

// Delays a worker at random between its steps, in builds that look for races.
KOKKOS_FORCEINLINE_FUNCTION void stress()
{
#if defined(FINEGRAIN_STRESS)
  thread_local std::minstd_rand random(unsigned(std::chrono::steady_clock::now().time_since_epoch().count()));
  const auto dice = random() % 64;
  if (dice == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 100));
  else if (dice < 8) sched_yield();
#endif
}

struct TaskFlags {
  unsigned *ticket, *done; // flag of task t: done[t stride]
  int stride;
  unsigned base, run; // ticket at the start of this run, and number of the run

  // Returns the next task, or a number that is no task.
  KOKKOS_FORCEINLINE_FUNCTION unsigned draw() const
  {
#if defined(FINEGRAIN_ON_DEVICE)
    return Kokkos::atomic_fetch_add(ticket, 1u) - base;
#else
    return __atomic_fetch_add(ticket, 1u, __ATOMIC_ACQ_REL) - base;
#endif
  }

  KOKKOS_FORCEINLINE_FUNCTION void publish(Index task) const
  {
    stress();
    unsigned &flag = done[Offset(task) * stride];
#if defined(FINEGRAIN_ON_DEVICE)
    on_device::publish(flag, run);
#else
    publish_word(&flag, run);
#endif
  }

  // Returns when the task has been published. Its worker has drawn it before the caller drew its own, hence it is
  // running.
  KOKKOS_FORCEINLINE_FUNCTION void await(Index task) const
  {
    unsigned &flag = done[Offset(task) * stride];
#if defined(FINEGRAIN_ON_DEVICE)
    while (on_device::poll(flag) != run) on_device::rest();
#else
    await_value(&flag, run);
#endif
  }
};

// Memory of TaskFlags, as large as the largest run so far.
template <class Space> class TaskFlagMemory
{
public:
  void reserve(Index tasks)
  {
    const std::size_t needed = tasks ? (std::size_t(tasks) + 1) * std::size_t(stride) : 0;
    if (words_.extent(0) >= needed) return;
    words_ = Array<unsigned, Space>("finegrain::progress", needed);
    base_ = kernel_ = 0;
  }
  // Returns the flags of the next kernel. Call advance() after its launch: a kernel whose launch throws has drawn no
  // tickets.
  TaskFlags next() const
  {
    return {words_.data(), words_.data() + stride, stride, base_, (kernel_ + 1) & ~sleeper_bit};
  }
  // Counts a kernel with this many tasks and workers, each of which draws until it gets no task.
  void advance(Index tasks, Index workers)
  {
    base_ += unsigned(tasks) + unsigned(workers);
    kernel_ = (kernel_ + 1) & ~sleeper_bit;
  }
  std::size_t bytes() const { return words_.span() * sizeof(unsigned); }

private:
  // Flags of different threads are on different cache lines. On a device a warp reads several at once.
  static constexpr int stride = std::is_same_v<Space, Kokkos::HostSpace> ? 16 : 1;
  Array<unsigned, Space> words_;
  unsigned base_ = 0, kernel_ = 0;
};

} // namespace finegrain
