// SPDX-License-Identifier: BSD-2-Clause
// Block inverses by several lanes that do not run in lockstep, as on a device.
#include "problems.hpp"

#include "base/inversion.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <chrono>
#include <thread>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Lanes that are threads. The first runs ahead: the others begin every step late.
struct LateLanes {
  BlockSize<0> n;
  int rank, count;
  std::barrier<> *all;

  template <int Widest = 32, class F> void strips(const F &f) const
  {
    for (int r = rank; r < n; r += count) f(Strip<1>{r});
    barrier();
  }
  template <class F> void block_strips(const F &f) const
  {
    const int m = n;
    for (int t = rank; t < m * m; t += count) f(Strip<1>{t % m}, t / m);
    barrier();
  }
  void barrier() const
  {
    all->arrive_and_wait();
    if (rank > 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
};

// Inverts d by several lanes; replaces small pivots if amount > 0.
std::vector<Scalar> invert_by(int lanes, int n, std::vector<Scalar> d, Real amount = 0)
{
  const std::vector<Scalar> from = d;
  std::vector<Scalar> work(5 * std::size_t(n));
  std::barrier<> all(lanes);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < lanes; ++rank)
    threads.emplace_back([&, rank] {
      const LateLanes own{BlockSize<0>(n), rank, lanes, &all};
      if (amount > 0)
        invert_with_replacement(own, own.n, d.data(), work.data(), amount,
                                [&](int i) { return from[std::size_t(i)]; });
      else invert(own, own.n, d.data(), work.data());
      all.arrive_and_drop(); // lanes that disagree about a pivot then do not deadlock
    });
  for (std::thread &t : threads) t.join();
  return d;
}

TEST(Lanes, SearchForAPivotBeforeRowsAreSwapped)
{
  std::mt19937 random(3);
  for (const int n : {2, 3, 5, 8}) {
    std::vector<Scalar> d(std::size_t(n * n));
    for (Scalar &v : d) v = random_scalar(random);
    for (int r = 0; r < n; ++r) d[std::size_t(r * n + (r + 1) % n)] += Scalar(Real(4)); // pivots are off the diagonal
    const auto expected = invert_by(1, n, d);
    for (const int lanes : {2, 3}) EXPECT_EQ(difference(invert_by(lanes, n, d), expected), 0) << n << ", " << lanes;
    for (int c = 0; c < n; ++c) d[std::size_t(c * n + 1)] = d[std::size_t(c * n)] * Scalar(Real(1e4)); // dependent
    const auto replaced = invert_by(1, n, d, Real(1e-3));
    for (const int lanes : {2, 3})
      EXPECT_EQ(difference(invert_by(lanes, n, d, Real(1e-3)), replaced), 0) << n << ", " << lanes;
  }
}

} // namespace
