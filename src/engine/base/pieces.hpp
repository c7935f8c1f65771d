// SPDX-License-Identifier: BSD-2-Clause
// Distributes rows over the host's threads, for the analysis of patterns. Results do not depend on the number of
// threads.
#pragma once

#include "base/scalar.hpp"
#include "base/threads.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <vector>

namespace finegrain
{

// Pieces of consecutive rows (or other items), one for each thread. Few rows form a single piece.
class Pieces
{
public:
  explicit Pieces(Index rows) : Pieces(rows, rows) {}
  Pieces(Index items, Index rows, int most = std::numeric_limits<int>::max()) : items_(items)
  {
    if (rows >= few) count_ = std::max(1, std::min({usable_threads(), int(items), most}));
  }

  int count() const { return count_; }
  Index first(int piece) const { return Index(Offset(items_) * piece / count_); }
  int piece_of(Index item) const
  {
    if (count_ == 1) return 0;
    const int piece = int(Offset(item) * count_ / items_); // rounded down, so that it may be one too small
    return piece + (first(piece + 1) <= item);
  }

  // Calls body(piece, first row, row after the last) on all threads at once. Exceptions of body (no memory) are
  // rethrown here, because threads cannot pass them on.
  template <class Body> void for_each(const Body &body) const
  {
    if (count_ == 1) return body(0, first(0), first(1));
    std::vector<std::exception_ptr> thrown(std::size_t(count_), nullptr);
    const auto one = [&](std::int32_t piece) {
      try {
        body(int(piece), first(piece), first(piece + 1));
      } catch (...) {
        thrown[std::size_t(piece)] = std::current_exception();
      }
    };
    for_threads(count_, one);
    for (const std::exception_ptr &e : thrown)
      if (e) std::rethrow_exception(e);
  }
  // Calls body(row) for each row.
  template <class Body> void for_rows(const Body &body) const
  {
    for_each([&](int, Index first, Index last) {
      for (Index row = first; row < last; ++row) body(row);
    });
  }

  // Returns true if holds(row) is true for all rows. A piece stops at the first row for which it is false.
  template <class Holds> bool all_rows(const Holds &holds) const
  {
    std::vector<char> good(std::size_t(count_), 1);
    for_each([&](int piece, Index first, Index last) {
      for (Index row = first; row < last; ++row)
        if (!holds(row)) {
          good[std::size_t(piece)] = 0;
          return;
        }
    });
    return std::count(good.begin(), good.end(), 0) == 0;
  }

private:
#if defined(FINEGRAIN_EMULATE_DEVICE) || defined(FINEGRAIN_STRESS)
  static constexpr Index few = 32; // test builds, whose graphs are small
#else
  static constexpr Index few = 8192; // waking threads costs as much
#endif

  Index items_;
  int count_ = 1;
};

} // namespace finegrain
