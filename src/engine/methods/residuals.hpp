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

// What corrections need beside the factor; empty until they are allowed.
template <class Space> struct Residuals {
  bool kept = false, keeps_difference = false, difference_known = false;
  Couplings<Space> owned, left_out, ghost;
  SplitRows<Space> slots, rows;                    // positions, and rows in the matrix's order
  Array<Scalar, Space> difference, rhs, ghosts, y; // y: of the sweep before

  std::size_t index_bytes() const
  {
    const bool shared = slots.slots.data() == rows.slots.data(); // positions are rows
    return owned.bytes() + left_out.bytes() + ghost.bytes() +
           (slots.slots.span() + !shared * rows.slots.span()) * sizeof(Index);
  }
  std::size_t work_bytes() const { return (rhs.span() + ghosts.span() + y.span()) * sizeof(Scalar); }
};

} // namespace finegrain
