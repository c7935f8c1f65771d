// The steps of one team, with threads of the test's own: teams of an emulated device have one or two. Not by nvcc,
// which takes these members for a device's.
#if !defined(__CUDACC__)
#include "problems.hpp"
#include "run/steps.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <thread>

using namespace finegrain;

namespace
{

constexpr int threads = 4;

// What Steps asks of a member of a team.
struct Member {
  int rank;
  std::barrier<> *barrier;

  int team_size() const { return threads; }
  int team_rank() const { return rank; }
  void team_barrier() const { barrier->arrive_and_wait(); }
};

struct Watched {
  std::vector<Index> step{0};
  std::vector<Index> first_of; // of each slot: the first slot of its step
  std::vector<std::atomic<int>> begun, done;
  std::atomic<int> waited = 0, wrong_order = 0, wrong_rows = 0, early = 0, ahead = 0;

  explicit Watched(const std::vector<Index> &widths)
  {
    for (const Index w : widths) {
      first_of.insert(first_of.end(), std::size_t(w), step.back());
      step.push_back(step.back() + w);
    }
    begun = std::vector<std::atomic<int>>(first_of.size());
    done = std::vector<std::atomic<int>>(first_of.size());
  }
};

thread_local int rows_begun, rows_done; // of this thread

template <bool early> struct WatchedRow {
  struct Early {
    Index slot = -1;
  };
  BlockSize<1> n;
  Watched *w;

  static constexpr bool loads_early = early;
  template <class Lanes> void begin(Index slot, const Lanes &, Everywhere, Early &held) const
  {
    ++w->begun[std::size_t(slot)];
    w->early += w->waited == 0;
    held.slot = slot;
    ++rows_begun;
  }
  template <class Lanes> void finish(Index slot, const Lanes &lanes, Scalar *scratch, Everywhere e, Early held) const
  {
    w->wrong_rows += held.slot != slot;
    w->ahead += rows_begun - rows_done > 1;
    (*this)(slot, lanes, scratch, e);
  }
  template <class Lanes> void operator()(Index slot, const Lanes &, Scalar *, Everywhere) const
  {
    w->wrong_order += w->waited != threads;
    for (Index s = 0; s < w->first_of[std::size_t(slot)]; ++s) w->wrong_order += w->done[std::size_t(s)] != 1;
    std::this_thread::sleep_for(std::chrono::microseconds(slot % 7 * 30)); // others run ahead, if they may
    ++w->done[std::size_t(slot)];
    ++rows_done;
  }
};

template <bool early, int held> void run_steps(const std::vector<Index> &widths)
{
  SCOPED_TRACE(::testing::Message() << "early " << early << ", held " << held);
  Watched w(widths);
  std::barrier<> barrier(threads);
  std::vector<std::thread> team;
  for (int rank = 0; rank < threads; ++rank)
    team.emplace_back([&w, &barrier, rank] {
      rows_begun = rows_done = 0;
      const Member member{rank, &barrier};
      const WatchedRow<early> row{BlockSize<1>(1), &w};
      detail::Steps<1, WatchedRow<early>, Member>{row, member, nullptr, w.step.data(), Index(w.step.size()) - 1}
        .template run<held>([](Index) { return Everywhere(); },
                            [&] {
                              barrier.arrive_and_wait();
                              ++w.waited;
                              barrier.arrive_and_wait();
                            });
    });
  for (std::thread &t : team) t.join();
  EXPECT_EQ(w.waited, threads);
  EXPECT_EQ(w.wrong_order, 0);
  EXPECT_EQ(w.wrong_rows, 0);
  for (const auto &d : w.done) EXPECT_EQ(d, 1);
  const bool loads = early && held > 0;
  for (const auto &b : w.begun) EXPECT_EQ(b, loads ? 1 : 0);
  if (!widths.empty() && widths[0] > 0) {
    EXPECT_EQ(w.early > 0, loads); // before the wait
  }
  if (w.done.size() > threads) {
    EXPECT_EQ(w.ahead > 0, loads && held == 2); // of the round before
  }
}

void run_all(const std::vector<Index> &widths)
{
  run_steps<false, 0>(widths);
  run_steps<false, 2>(widths);
  run_steps<true, 0>(widths);
  run_steps<true, 1>(widths);
  run_steps<true, 2>(widths);
}

TEST(Steps, WaitForTheStepBefore)
{
  run_all({3, 9, 1, 4, 0, 6, 12, 1});
  run_all({4, 8, 4, 12});
  run_all({1, 1, 1, 1, 1, 1, 1});
  run_all({0, 3});
  run_all({7});
  run_all({});
}

} // namespace
#endif
