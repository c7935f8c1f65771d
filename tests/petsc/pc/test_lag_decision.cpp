// SPDX-License-Identifier: BSD-2-Clause
// The rule of PCLAG, fed with sequences of iteration counts whose best answer is known.
#include "pc/nested/lag_decision.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace
{

// By hand: iterations rise by 2 per system, 20, 22, 24, 26, so that those above 20 are 2, 6, 12 in all, and the next
// solve would add 8.
TEST(LagDecision, ByHand)
{
  LagDecision d;
  const double extra[] = {0, 2, 6, 12};
  for (int age = 0; age < 4; ++age) {
    d.begin(1);
    d.end(20 + 2 * age, age == 0);
    EXPECT_EQ(d.extra(), extra[age]);
  }
  EXPECT_TRUE(d.pays(19.9)); // (19.9 + 12) / 4 < 8
  EXPECT_FALSE(d.pays(20));
  d.rebuilt(16);
  EXPECT_EQ(d.extra(), 0);
  d.begin(1);
  d.end(30, true); // the systems have become harder
  d.begin(1);
  d.end(31, false);
  EXPECT_EQ(d.extra(), 1);
  d.begin(NAN);
  d.end(0, false); // the right-hand side was zero
  EXPECT_EQ(d.extra(), 1);
  for (const double its : {25., 27.}) { // easier ones: 27 is the most that a new preconditioner would need
    d.begin(1);
    d.end(its, false);
  }
  EXPECT_EQ(d.extra(), 1);
  d.begin(1);
  d.end(28, false);
  EXPECT_EQ(d.extra(), 2);
  d.fail(10);
  EXPECT_EQ(d.extra(), 12);
}

struct Run {
  double cost; // all iterations, and set-ups at their cost
  int setups;
};

// Solves systems with iterations(k, age), rebuilding when `rebuild(age)` says so, or by the rule if it is null.
Run Simulate(int systems, double cost, const std::function<double(int, int)> &iterations,
             const std::function<double(int)> &norm, int interval)
{
  LagDecision d;
  Run run{0, 0};
  int age = 0;
  for (int k = 0; k < systems; ++k, ++age) {
    if (k == 0 || (interval > 0 ? age >= interval : d.pays(cost))) {
      age = 0;
      run.cost += cost;
      ++run.setups;
      d.rebuilt(cost);
    }
    const double its = iterations(k, age);
    d.begin(norm(k));
    d.end(its, age == 0);
    run.cost += its;
  }
  return run;
}

double BestFixed(int systems, double cost, const std::function<double(int, int)> &iterations,
                 const std::function<double(int)> &norm)
{
  double best = INFINITY;
  for (int interval = 1; interval <= systems; ++interval)
    best = std::min(best, Simulate(systems, cost, iterations, norm, interval).cost);
  return best;
}

TEST(LagDecision, ComesCloseToTheBestFixedInterval)
{
  const auto same = [](int) { return 1.; };
  for (const double growth : {0., 0.02, 0.1, 0.5, 2., 10., 50.})
    for (const double cost : {4., 15., 100.}) {
      SCOPED_TRACE(std::to_string(growth) + " " + std::to_string(cost));
      const auto linear = [&](int, int age) { return 20 + growth * age; };
      const auto harder = [&](int k, int age) { return 20 + 0.05 * k + growth * age; };
      const auto square = [&](int, int age) { return 20 + growth * age * age; };
      for (const auto &its : {std::function<double(int, int)>(linear), std::function<double(int, int)>(harder)})
        EXPECT_LT(Simulate(200, cost, its, same, 0).cost, 1.1 * BestFixed(200, cost, its, same));
      EXPECT_LT(Simulate(200, cost, square, same, 0).cost, 1.2 * BestFixed(200, cost, square, same));
    }
}

// Time steps of four Newton iterations, whose systems need 8, 12, 25 and 40 iterations with any preconditioner.
TEST(LagDecision, ComparesTheSamePlacesOfSteps)
{
  const double easy_to_hard[] = {8, 12, 25, 40};
  const auto falling = [](int k) { return std::pow(10., -(k % 4)); };
  const auto steady = [&](int k, int) { return easy_to_hard[k % 4]; };
  EXPECT_LE(Simulate(400, 15, steady, falling, 0).setups, 5);
  const auto aging = [&](int k, int age) { return easy_to_hard[k % 4] + 0.5 * age; };
  EXPECT_LT(Simulate(400, 15, aging, falling, 0).cost, 1.1 * BestFixed(400, 15, aging, falling));
}

// One step whose right-hand sides fall from solve to solve, as in Newton's method for a steady flow: each solve is
// the first at its place, and growth must not hide.
TEST(LagDecision, SeesGrowthInASingleStep)
{
  const auto its = [](int, int age) { return 20 + 2. * age; };
  const auto norm = [](int k) { return std::pow(10., -0.2 * k); };
  EXPECT_LT(Simulate(25, 15, its, norm, 0).cost, 1.1 * BestFixed(25, 15, its, norm));
}

// Sequences in which a set-up saves nothing, or little.
TEST(LagDecision, LearnsWhatASetUpDoesNotSave)
{
  const auto same = [](int) { return 1.; };
  const auto in_steps = [](const std::vector<double> &counts, double cost) {
    const int n = int(counts.size());
    const auto its = [&](int k, int) { return counts[std::size_t(k % n)]; };
    const auto norm = [&](int k) { return std::pow(10., -(k % n)); };
    EXPECT_LT(Simulate(400, cost, its, norm, 0).cost, 1.1 * BestFixed(400, cost, its, norm))
      << counts[0] << " " << cost;
  };
  in_steps({10, 18}, 15);
  in_steps({18, 21}, 4);
  in_steps({10, 14, 18}, 15);
  in_steps({5, 30}, 15);
  const auto interrupted = [](int k, int) { return k % 7 == 6 ? 1. : 30.; };
  EXPECT_LT(Simulate(400, 100, interrupted, same, 0).cost, 1.1 * BestFixed(400, 100, interrupted, same));
  const auto once = [](int, int age) { return age ? 40. : 10.; }; // only the first solve is faster
  EXPECT_LT(Simulate(400, 100, once, same, 0).cost, 1.1 * BestFixed(400, 100, once, same));
}

} // namespace
