// SPDX-License-Identifier: BSD-2-Clause
// Decides from iteration counts when a preconditioner is rebuilt. Without PETSc, so that tests can feed it sequences.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

// A solve with a preconditioner that was built for its matrix is fresh. The extra iterations of a later solve are
// those above the fresh count of the same place in a step: the Newton iterations of a time step have different counts
// with any preconditioner. A step begins where the norm of the right-hand side does not fall; the n-th solve after it
// has place n.
//
// Let E be the extra iterations since the last set-up, and e those that the next solve will have without another one:
// what the last two solves extrapolate to or, if there is none yet, what the first solve of the last cycle had. The
// preconditioner is rebuilt if e >= cost, or E + e / 2 >= cost. If extra iterations grow linearly, this is the fixed
// interval with the least cost.
class LagDecision
{
public:
  // Begins a solve.
  void begin(double norm)
  {
    place_ = norm < norm_ ? std::min(place_ + 1, most_places - 1) : 0; // false for NaN
    norm_ = norm;
  }

  // Ends a solve with its number of iterations. `fresh`: the preconditioner was built for its matrix.
  void end(double iterations, bool fresh)
  {
    if (iterations <= 0) return; // the right-hand side was zero, or the guess good
    double &count = counts_[std::size_t(place_)];
    if (fresh) {
      count = iterations;
      return;
    }
    previous_ = last_;
    last_ = std::max(iterations - expected(), 0.);
    extra_ += last_;
    if (kept_++ == 0) first_ = last_;
    if (count >= 0) count = std::min(count, iterations);
  }

  // True if a set-up, which costs as much as so many iterations, pays before the next solve.
  bool pays(double cost) const
  {
    const double next = kept_ == 0 ? first_ : last_ + std::max(last_ - previous_, 0.);
    return next >= cost || extra_ + next / 2 >= cost;
  }

  // A set-up of that cost has been done. Where each solve had one, so that nothing was learned, the next cycle tries
  // again to keep the preconditioner, as soon as the set-ups have cost several times the extra iterations of a try.
  void rebuilt(double cost)
  {
    spent_ = kept_ == 0 ? spent_ + cost : 0;
    if (spent_ >= tries * first_) first_ = spent_ = 0;
    extra_ = last_ = previous_ = 0;
    kept_ = 0;
  }

  // Extra iterations since the last set-up.
  double extra() const { return extra_; }

private:
  static constexpr int most_places = 32; // later solves of a step share the last one
  static constexpr double tries = 4;     // tries cost at most a quarter of the set-ups

  // Fresh count of this place, or of the nearest place that has one; of two, the later one.
  double expected() const
  {
    for (int distance = 0; distance < most_places; ++distance)
      for (const int place : {place_ + distance, place_ - distance})
        if (place >= 0 && place < most_places && counts_[std::size_t(place)] >= 0) return counts_[std::size_t(place)];
    return 0;
  }

  static constexpr std::array<double, most_places> unknown()
  {
    std::array<double, most_places> all{};
    all.fill(-1);
    return all;
  }

  std::array<double, most_places> counts_ = unknown(); // fresh counts; -1: not known
  double norm_ = 0;
  int place_ = 0, kept_ = 0; // kept_: solves since the last set-up that were not fresh
  double extra_ = 0;         // of them all
  double first_ = 0, last_ = 0,
         previous_ = 0; // of the first one, since the last set-up or before it, and the last two
  double spent_ = 0;    // by successive set-ups without a solve between them that was not fresh
};
