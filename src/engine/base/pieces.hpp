// Rows shared out among the host's threads, for the analysis of patterns: results do not depend on how many there
// are.
#pragma once

#include "base/kokkos.hpp"
#include "base/scalar.hpp"

#include <algorithm>
#include <limits>

namespace finegrain
{

// Pieces of consecutive rows (or other items), one for each thread; a single one where there are few rows.
class Pieces
{
public:
  explicit Pieces(Index rows) : Pieces(rows, rows) {}
  Pieces(Index items, Index rows, int most = std::numeric_limits<int>::max()) : items_(items)
  {
    if (rows >= few && kokkos_may_run()) count_ = std::max(1, std::min({usable_threads(exec_), int(items), most}));
  }

  int count() const { return count_; }
  Index first(int piece) const { return Index(Offset(items_) * piece / count_); }

  // body(piece, first row, row after the last), on all threads at once. It neither throws nor allocates: threads
  // cannot pass an exception on.
  template <class Body> void for_each(const Body &body) const
  {
    const auto one = [&](std::int32_t piece) { body(int(piece), first(piece), first(piece + 1)); };
    if (count_ == 1) one(0);
    else for_threads(exec_, count_, one, "finegrain::analysis");
  }
  // body(row) for each row.
  template <class Body> void for_rows(const Body &body) const
  {
    for_each([&](int, Index first, Index last) {
      for (Index row = first; row < last; ++row) body(row);
    });
  }

private:
#if defined(FINEGRAIN_OWN_THREADS)
  static constexpr Index few = 32; // tests have small graphs
#else
  static constexpr Index few = 8192; // to start threads costs as much
#endif

  HostExec exec_;
  Index items_;
  int count_ = 1;
};

} // namespace finegrain
