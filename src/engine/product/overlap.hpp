// SPDX-License-Identifier: BSD-2-Clause
// Couplings where kernels can read them, and rows split by whether they have ghosts: those without are done while the
// halo is under way, then the others. Residuals and products use it.
#pragma once

#include "base/matrix_values.hpp"
#include "order/graph.hpp"
#include "halo.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace finegrain
{

// The graph of couplings that residuals read, where the execution space can.
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

// The places of rows without ghosts, then of those with them.
template <class Space> struct SplitRows {
  Array<Index, Space> slots; // empty: no row has ghosts, and all come in order
  HostArray<Index> cut;      // 0, the number of rows without ghosts, the number of rows
};

// Of these places; row_at(place) is the row at each.
template <class Space, class RowAt>
SplitRows<Space> split_places(std::vector<Index> places, const Graph &coupling, const RowAt &row_at)
{
  const auto has_ghosts = [&](Index at) {
    const Index row = row_at(at);
    return coupling.entries() > 0 && coupling.ptr(row + 1) > coupling.ptr(row);
  };
  SplitRows<Space> parts;
  parts.cut = make_array<Index>("finegrain::cut", 3);
  parts.cut(0) = 0;
  parts.cut(1) = Index(
    std::stable_partition(places.begin(), places.end(), [&](Index at) { return !has_ghosts(at); }) - places.begin());
  parts.cut(2) = Index(places.size());
  parts.slots = copy_to<Space>(to_array("finegrain::slots", places));
  return parts;
}

// Of all rows.
template <class Space, class RowAt>
SplitRows<Space> split_rows(Index rows, const Graph &coupling, const RowAt &row_at)
{
  std::vector<Index> places(std::size_t(rows), 0);
  std::iota(places.begin(), places.end(), Index(0));
  SplitRows<Space> parts = split_places<Space>(std::move(places), coupling, row_at);
  if (parts.cut(1) == rows) parts.slots = {};
  return parts;
}

// Where kernels are queued beside a halo: it has to know what is done, unless it follows them.
inline Queue queue_with(Halo *halo, const Queue &wanted) { return halo && !halo->follows(wanted) ? Queue() : wanted; }

// Before the halo takes what kernels of `at` have written.
template <class Exec> void settle(Halo &halo, const QueuedSpace<Exec> &at)
{
  if (!halo.follows(at.queue)) at.wait();
}

// part(which), 0 while the ghosts of x are fetched and 1 after that, by kernels of `at`. halo may be null.
template <class Exec, class Part>
void overlap(Halo *halo, const QueuedSpace<Exec> &at, const Scalar *x, Scalar *ghosts, const Part &part)
{
  const auto told = [&](int which) {
    if (halo) halo->residual(which == 0, true);
    part(which);
    if (halo) halo->residual(which == 0, false);
  };
  if (halo) {
    settle(*halo, at);
    halo->begin(Halo::all, x, ghosts);
  }
  told(0);
  if (halo) halo->end(Halo::all, x, ghosts);
  told(1);
}

} // namespace finegrain
