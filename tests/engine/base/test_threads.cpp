// SPDX-License-Identifier: BSD-2-Clause
// Threads of a host: their number, each body once, in order if there are fewer threads, and after fork(). Their
// waits finish even if other threads use the cores.
#include "base/threads.hpp"
#include "base/waiting.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using namespace finegrain;

namespace
{

std::vector<int> Counts(std::int32_t threads)
{
  std::vector<int> visits(std::size_t(threads), 0);
  for_threads(threads, [&](std::int32_t i) { ++visits[std::size_t(i)]; });
  return visits;
}

TEST(Threads, EachBodyRunsOnce)
{
  for (const std::int32_t threads : {0, 1, 2, 3, 17})
    EXPECT_EQ(Counts(threads), std::vector<int>(std::size_t(threads), 1));
}

// Each body waits for the other one, so that the test only finishes if they run concurrently.
TEST(Threads, WorkAtTheSameTime)
{
  if (usable_threads() < 2) GTEST_SKIP() << find_host_threads().reason;
  std::atomic<int> arrived{0};
  for_threads(2, [&](std::int32_t) {
    ++arrived;
    while (arrived < 2) {
    }
  });
  EXPECT_EQ(arrived, 2);
}

// Each body waits for the previous one, in many short runs, while other threads keep all cores busy.
TEST(Threads, EndWhereThereAreMoreThanCores)
{
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const std::int32_t threads = std::int32_t(2 * cores + 1);
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (unsigned i = 0; i < cores; ++i)
    busy.emplace_back([&] {
      while (!stop) pause_processor();
    });
  std::vector<unsigned> words(std::size_t(threads), 0);
  for (unsigned run = 1; run <= 200; ++run)
    for_threads(threads, [&](std::int32_t i) {
      if (i > 0) await_value(&words[std::size_t(i) - 1], run);
      publish_word(&words[std::size_t(i)], run);
    });
  stop = true;
  for (std::thread &t : busy) t.join();
  EXPECT_EQ(words, std::vector<unsigned>(std::size_t(threads), 200));
}

// A caller that finds the threads in use runs its bodies itself.
TEST(Threads, ServeSeveralCallers)
{
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 3; ++c)
    callers.emplace_back([&] {
      for (int run = 0; run < 300; ++run) wrong += Counts(3) != std::vector<int>(3, 1);
    });
  for (std::thread &t : callers) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, SleepUntilTheyAreWoken)
{
  unsigned value = 0, change = 7;
  std::thread waits([&] { await_value(&value, 3); }), sees([&] { change = await_change(&change, 7) + 100; });
  for (const unsigned next : {1u, 2u, 3u}) { // longer than any thread spins
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
    publish_word(&value, next);
  }
  publish_word(&change, 8);
  waits.join();
  sees.join();
  EXPECT_EQ(value, 3u);
  EXPECT_EQ(change, 108u);
}

TEST(Threads, AreAsManyAsAskedForAndNoMoreThanCores)
{
  const HostThreads before = find_host_threads();
  set_host_threads(1);
  EXPECT_EQ(usable_threads(), 1);
  EXPECT_STREQ(find_host_threads().reason, "-finegrain_threads");
  set_host_threads(1 << 16);
  const HostThreads all = find_host_threads();
  EXPECT_LE(all.count, sysconf(_SC_NPROCESSORS_CONF));
  EXPECT_STREQ(all.reason, "as many as cores");
  set_host_threads(0);
  EXPECT_EQ(usable_threads(), before.count);
  if (!std::getenv("OMP_NUM_THREADS")) {
    EXPECT_EQ(before.count, 1);
  }
}

TEST(Threads, AreOneAfterFork)
{
  Counts(4); // starts the threads
  const pid_t child = fork();
  if (child == 0) {
    alarm(20); // the child must not wait for its parent's threads
    _exit(usable_threads() == 1 && Counts(4) == std::vector<int>(4, 1) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Counts(4), std::vector<int>(4, 1));
}

} // namespace
