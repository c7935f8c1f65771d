// SPDX-License-Identifier: BSD-2-Clause
// Threads of a host: how many, each body once, in order where there are fewer, and after fork().
#include "base/threads.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
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

// A body waits for one with a larger number: they do run side by side.
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
  Counts(4); // OpenMP has its threads now
  const pid_t child = fork();
  if (child == 0) {
    alarm(20); // it must not wait for threads of its parent's
    _exit(usable_threads() == 1 && Counts(4) == std::vector<int>(4, 1) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Counts(4), std::vector<int>(4, 1));
}

} // namespace
