// SPDX-License-Identifier: BSD-2-Clause
// Graph of an elimination in its order, for plans. In: an Elimination. For make_plan.cpp and task_chooser.cpp.
#pragma once

#include "order/levels.hpp"
#include "order/elimination.hpp"

namespace finegrain
{

// Graph in elimination order. It is computed at first use: one thread that runs colors does not need it.
class EliminatedGraph
{
public:
  explicit EliminatedGraph(const Elimination &e) : e_(e) {}

  bool drops_after() const { return e_.drops_after; }
  bool ordered() const { return e_.ordering.extent(0) > 0; }
  const HostArray<Index> &ordering() const { return e_.ordering; }
  bool keeps_grid() const { return !ordered() || e_.keeps_grid; }
  Index rows() const { return e_.selection.graph.rows; }
  Index entries() const { return e_.selection.graph.entries(); }
  // Returns the graph of the entries that the sweeps use.
  Graph kept() const
  {
    const Graph &g = e_.selection.graph;
    Graph k{g.rows, make_array<Index>("finegrain::ptr", std::size_t(g.rows) + 1), {}};
    std::vector<Index> col;
    k.ptr(0) = 0;
    for (Index i = 0; i < g.rows; ++i) {
      for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e)
        if (!is_dropped(e_, i, g.col(e))) col.push_back(g.col(e));
      k.ptr(i + 1) = Index(col.size());
    }
    k.col = to_array("finegrain::col", col);
    return ordered() ? permute(k, e_.ordering) : k;
  }
  const Graph &get() const
  {
    if (!ordered()) return e_.selection.graph;
    if (!permuted_) permuted_ = permute(e_.selection.graph, e_.ordering);
    return *permuted_;
  }

  // Returns the level sets of the factored entries, or of those that the sweeps use.
  Schedule levels(bool of_sweeps) const { return schedule_levels(of_sweeps && drops_after() ? kept() : get()); }

private:
  const Elimination &e_;
  mutable std::optional<Graph> permuted_;
};

} // namespace finegrain
