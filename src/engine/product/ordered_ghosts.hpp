// SPDX-License-Identifier: BSD-2-Clause
// The place of each ghost's term in the sum of a row, so that products and residuals add terms in an order that does
// not depend on the number of ranks.
#pragma once

#include "engine.hpp"
#include "product/overlap.hpp"

#include <algorithm>

namespace finegrain
{

// Couplings to ghosts in the order of keys, and the owned coupling before which each is added. Owned couplings are
// in the order of keys too, so that sums equal those of one rank.
struct OrderedGhosts {
  Graph graph;                     // columns in the order of keys
  HostArray<Index> number, before; // index of each entry in the view, next owned entry

  explicit OrderedGhosts(const OperatorView &view)
      : graph(view.coupling),
        number(make_array<Index>("finegrain::number", std::size_t(view.coupling.entries()))),
        before(make_array<Index>("finegrain::before", number.extent(0)))
  {
    const ColorsAndKeys &agreed = view.agreed;
    graph.col = make_array<Index>("finegrain::col", number.extent(0));
    for (Index row = 0; row < graph.rows; ++row) {
      const Index first = graph.ptr(row), last = graph.ptr(row + 1);
      const auto key = [&](Index e) { return agreed.ghost_key(view.coupling.col(e)); };
      for (Index e = first; e < last; ++e) number(e) = e;
      std::sort(number.data() + first, number.data() + last, [&](Index a, Index b) { return key(a) < key(b); });
      Index next = view.owned.ptr(row);
      for (Index e = first; e < last; ++e) {
        graph.col(e) = view.coupling.col(number(e));
        while (next < view.owned.ptr(row + 1) && agreed.key(view.owned.col(next)) < key(number(e))) ++next;
        before(e) = next;
      }
    }
  }
};

// Sets the couplings to ghosts that kernels add to a row: in the order of keys if the view has them, else as they
// are. Returns ResidualArguments::next_inside, empty without keys.
template <class Space> Array<Index, Space> set_ghosts(const OperatorView &view, Couplings<Space> *ghosts)
{
  if (view.coupling.entries() == 0 || view.agreed.ghost_key.extent(0) == 0) {
    ghosts->set(view.coupling, {});
    return {};
  }
  const OrderedGhosts ordered(view);
  ghosts->set(ordered.graph, ordered.number);
  return copy_to<Space>(ordered.before);
}

} // namespace finegrain
