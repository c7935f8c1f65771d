// SPDX-License-Identifier: BSD-2-Clause
// Couplings in memory that kernels can read, and rows split into those without and with ghosts. Kernels compute the
// former during the exchange of the halo, then the latter. Residuals and products use it.
#pragma once

#include "base/matrix_values.hpp"
#include "order/graph.hpp"
#include "halo.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace finegrain
{

// Graph of the couplings that residuals read, in the memory of the execution space.
template <class Space> struct Couplings {
  Array<Index, Space> ptr, col, entry;

  void set(const Graph &g, const HostArray<Index> &number)
  {
    *this = {};
    if (g.entries() == 0) return;
    ptr = copy_to<Space>(g.ptr);
    col = copy_to<Space>(g.col);
    entry = copy_to<Space>(number);
  }
  EntryList list() const { return {ptr.data(), col.data(), entry.data()}; }
  std::size_t entries() const { return col.extent(0); }
  std::size_t bytes() const { return (ptr.span() + col.span() + entry.span()) * sizeof(Index); }
};

// Order of visits: places of rows without ghosts, then of rows with ghosts. A place is a row, a position or a sweep
// index.
template <class Space> struct SplitRows {
  Array<Index, Space> order; // place of each visit; empty: no row has ghosts, and places ascend
  HostArray<Index> cut;      // 0, the number of rows without ghosts, the number of rows
};

// Splits these places; row_at(place) returns the row at each.
template <class Space, class RowAt>
SplitRows<Space> split_places(std::vector<Index> places, const Graph &coupling, const RowAt &row_at)
{
  const auto has_ghosts = [&](Index at) {
    const Index row = row_at(at);
    return coupling.entries() > 0 && coupling.ptr(row + 1) > coupling.ptr(row);
  };
  SplitRows<Space> split;
  split.cut = make_array<Index>("finegrain::cut", 3);
  split.cut(0) = 0;
  split.cut(1) = Index(
    std::stable_partition(places.begin(), places.end(), [&](Index at) { return !has_ghosts(at); }) - places.begin());
  split.cut(2) = Index(places.size());
  split.order = copy_to<Space>(to_array("finegrain::order", places));
  return split;
}

// Splits all rows.
template <class Space, class RowAt>
SplitRows<Space> split_rows(Index rows, const Graph &coupling, const RowAt &row_at)
{
  std::vector<Index> places(std::size_t(rows), 0);
  std::iota(places.begin(), places.end(), Index(0));
  SplitRows<Space> split = split_places<Space>(std::move(places), coupling, row_at);
  if (split.cut(1) == rows) split.order = {};
  return split;
}

// Returns the queue of kernels that work with a halo: the wanted one, or none if the halo does not follow it and
// needs finished kernels.
inline Queue queue_with(Halo *halo, const Queue &wanted) { return halo && !halo->follows(wanted) ? Queue() : wanted; }

// Waits for kernels of `at`, unless the halo follows their queue. Call before the halo reads their results.
template <class Exec> void settle(Halo &halo, const QueuedSpace<Exec> &at)
{
  if (!halo.follows(at.queue)) at.wait();
}

// Calls compute(0) for rows without ghosts during the exchange of the ghosts of x, and compute(1) for the others
// after it. `at` runs their kernels. halo may be null.
template <class Exec, class Compute>
void overlap(Halo *halo, const QueuedSpace<Exec> &at, const Scalar *x, Scalar *ghosts, const Compute &compute)
{
  const auto compute_logged = [&](int which) {
    if (halo) halo->residual(which == 0, true);
    compute(which);
    if (halo) halo->residual(which == 0, false);
  };
  if (halo) {
    settle(*halo, at);
    halo->begin(Halo::all, x, ghosts);
  }
  compute_logged(0);
  if (halo) halo->end(Halo::all, x, ghosts);
  compute_logged(1);
}

} // namespace finegrain
