// SPDX-License-Identifier: BSD-2-Clause
// Decides from iteration counts when a preconditioner is rebuilt. Without PETSc, so that tests can feed it sequences.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

// A solve with a preconditioner that was built for its matrix is fresh. The extra iterations of a later solve are
// those above the count of the same place in a step: the Newton iterations of a time step have different counts with
// any preconditioner. A step begins where the norm of the right-hand side does not fall; the n-th solve after it has
// place n.
//
// The preconditioner is rebuilt if the extra iterations that the next solve would have without it exceed the average
// cost of a solve since the last set-up: of the set-up and all extra iterations, over the number of solves. That is
// where this average is least.
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
    Place &p = places_[std::size_t(place_)];
    if (!fresh) add(std::max(iterations - (p.count < 0 ? expected() : p.count), 0.));
    // Two low counts one after the other lower the count, for a single one may be that of an easy system.
    if (fresh) p.fresh = p.count = iterations;
    else if (p.count < 0) p.count = iterations;
    else p.count = std::min(p.count, std::max(iterations, p.last));
    p.last = iterations;
  }

  // Ends a solve that failed with a preconditioner that was not fresh.
  void fail(double iterations) { add(std::max(iterations, 1.)); }

  // True if a set-up, which costs as much as so many iterations, pays before the next solve.
  bool pays(double cost) const { return next() > (cost + extra_) / (kept_ + 1); }

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
  struct Place {
    double fresh = -1; // iterations of a fresh solve; -1: not known
    double count = -1; // the same, or those of the first solve, which later solves are compared with
    double last = 0;   // iterations of the last solve
  };
  static constexpr int most_places = 32; // later solves of a step share the last one
  static constexpr double tries = 4;     // tries cost at most a quarter of the set-ups

  void add(double extra)
  {
    previous_ = last_;
    last_ = extra;
    extra_ += extra;
    if (kept_++ == 0) first_ = extra;
  }

  // Extra iterations that the next solve is expected to have: those of the first one of the last cycle, if there is
  // none yet; else what a line through the last two says, but no more than a line from zero with their sum.
  double next() const
  {
    if (kept_ == 0) return first_;
    return std::min(last_ + std::max(last_ - previous_, 0.), 2 * extra_ / kept_);
  }

  // Fresh count of the nearest place that has one; of two, the later one. The first solve at a place is compared with
  // it.
  double expected() const
  {
    for (int distance = 1; distance < most_places; ++distance)
      for (const int place : {place_ + distance, place_ - distance})
        if (place >= 0 && place < most_places && places_[std::size_t(place)].fresh >= 0)
          return places_[std::size_t(place)].fresh;
    return 0;
  }

  std::array<Place, most_places> places_;
  double norm_ = 0;
  int place_ = 0, kept_ = 0;                   // kept_: solves since the last set-up that were not fresh
  double extra_ = 0;                           // of them all
  double first_ = 0, last_ = 0, previous_ = 0; // of the first one, in this cycle or the last, and the last two
  double spent_ = 0;                           // by successive set-ups with fresh solves only
};
