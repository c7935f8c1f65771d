// What an engine keeps for residuals: couplings where kernels can read them, and work vectors. runner.hpp and
// mirror.cpp hold it.
#pragma once

#include "methods/overlap.hpp"
#include "kernels/matrix_values.hpp"

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

// Couplings to ghosts in the order of keys, and before which of the owned ones, which are in that order, each is
// added: sums are then those of one rank.
struct OrderedGhosts {
  Graph graph;                     // columns by key
  HostArray<Index> number, before; // of each entry: its number in the view, the next entry of the owned couplings

  explicit OrderedGhosts(const OperatorView &view)
      : graph(view.coupling),
        number(make_array<Index>("finegrain::number", std::size_t(view.coupling.entries()))),
        before(make_array<Index>("finegrain::before", number.extent(0)))
  {
    const GlobalColoring &global = view.agreed;
    graph.col = make_array<Index>("finegrain::col", number.extent(0));
    for (Index row = 0; row < graph.rows; ++row) {
      const Index first = graph.ptr(row), last = graph.ptr(row + 1);
      const auto key = [&](Index e) { return global.ghost_key(view.coupling.col(e)); };
      for (Index e = first; e < last; ++e) number(e) = e;
      std::sort(number.data() + first, number.data() + last, [&](Index a, Index b) { return key(a) < key(b); });
      Index next = view.owned.ptr(row);
      for (Index e = first; e < last; ++e) {
        graph.col(e) = view.coupling.col(number(e));
        while (next < view.owned.ptr(row + 1) && global.key(view.owned.col(next)) < key(number(e))) ++next;
        before(e) = next;
      }
    }
  }
};

// What corrections need beside the factor; empty until they are allowed.
template <class Space> struct Residuals {
  bool kept = false, keeps_difference = false, difference_known = false;
  Couplings<Space> owned, left_out, ghost;
  Array<Index, Space> next_owned;                  // for ghosts that are added between owned rows; empty: after them
  SplitRows<Space> slots, rows;                    // positions, and rows in the matrix's order
  Array<Scalar, Space> difference, rhs, ghosts, y; // y: of the sweep before

  std::size_t index_bytes() const
  {
    const bool shared = slots.slots.data() == rows.slots.data(); // positions are rows
    return owned.bytes() + left_out.bytes() + ghost.bytes() + next_owned.span() * sizeof(Index) +
           (slots.slots.span() + !shared * rows.slots.span()) * sizeof(Index);
  }
  std::size_t work_bytes() const { return (rhs.span() + ghosts.span() + y.span()) * sizeof(Scalar); }
};

} // namespace finegrain
