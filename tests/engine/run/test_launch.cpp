// SPDX-License-Identifier: BSD-2-Clause
// A kernel that could not be launched leaves no state behind.
#include "run/execute.hpp"
#include "problems.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Counts the visits of each sweep index. The copy number `copies` throws, as Kokkos does if it cannot launch a
// kernel.
struct CountingRow {
  BlockSize<0> n;
  Index *visited;
  int *copies;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int) { return 1; }

  CountingRow(Index *v, int *c) : n(1), visited(v), copies(c) {}
  CountingRow(const CountingRow &o) : n(o.n), visited(o.visited), copies(o.copies)
  {
    if (*copies > 0 && --*copies == 0) throw std::runtime_error("no such launch");
  }
  template <class Lanes> KOKKOS_FUNCTION void operator()(Index sweep_index, const Lanes &, Scalar *) const
  {
    ++visited[sweep_index];
  }
};

template <class Exec> void run_after_a_failure()
{
  constexpr Index rows = 6;
  const auto sweep_index = to_array("sweep_index", {0, 2, 4, 6});
  const auto wait_ptr = to_array("wait", {0, 0, 1, 2}), wait = to_array("wait", {0, 1});
  const auto set_ptr = to_array("set", {0, 1, 2, 3});
  const auto group = to_array("group", {0, rows});
  const TaskList tasks{3, sweep_index.data(), wait_ptr.data(), wait.data(), set_ptr.data(), sweep_index.data()};
  TaskFlagMemory<typename Exec::memory_space> progress;
  Offset launches = 0;
  progress.reserve(tasks.count);
  const Run<Exec> run{{}, Algorithm::tasks, group.data(), 1, nullptr, &launches, &tasks, &progress};
  for (int round = 0; round < 3; ++round) {
    Index visited[rows] = {};
    int copies = 0;
    const CountingRow row(visited, &copies);
    copies = 2; // the second copy is Kokkos' own
    EXPECT_THROW(execute<0>(run, row), std::runtime_error);
    Kokkos::Impl::SharedAllocationRecord<void, void>::tracking_enable(); // Kokkos leaves it switched off
    for (const Index v : visited) EXPECT_EQ(v, 0);
    copies = 0;
    execute<0>(run, row);
    for (const Index v : visited) EXPECT_EQ(v, 1);
  }
  EXPECT_EQ(launches, 3);
}

TEST(Launch, FailuresLeaveTicketsAsTheyWere)
{
#if defined(FINEGRAIN_EMULATE_DEVICE)
  run_after_a_failure<DeviceExec>();
#else
  GTEST_SKIP() << "Kokkos launches nothing on a host";
#endif
}

} // namespace
