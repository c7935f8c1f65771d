// The couplings of a relaxation in the order of their rows, made where a device reads them. In: a graph and a
// coloring of its own rows. Out: what order_couplings() (plan/relaxation_rows.hpp) makes of them.
#pragma once

#include "methods/device_graph.hpp"
#include "methods/flat_kernels.hpp"
#include "plan/options.hpp"
#include "plan/relaxation_rows.hpp"

namespace finegrain
{

namespace detail
{

struct CoupledRows {
  const Index *ptr, *col, *ghost_ptr, *ghost_col; // ghost_ptr null: no ghosts
  const Index *color, *row_of;                    // row_of null: rows are stored as they are
  Index rows, entries;

  KOKKOS_FORCEINLINE_FUNCTION Index row(Offset pos) const { return row_of ? row_of[pos] : Index(pos); }
};

struct CountCouplings {
  CoupledRows g;
  Index *ptr;

  KOKKOS_FUNCTION void operator()(Offset pos, Offset &count, bool final) const
  {
    const Index row = g.row(pos);
    if (final && pos == 0) ptr[0] = 0;
    count += g.ptr[row + 1] - g.ptr[row] - 1;
    if (g.ghost_ptr) count += g.ghost_ptr[row + 1] - g.ghost_ptr[row];
    if (final) ptr[pos + 1] = Index(count);
  }
};

// By color and, where these are the same, as they come; then ghosts.
struct FillCouplings {
  CoupledRows g;
  const Index *ptr;
  Index *mid, *col, *source, *diagonal;

  KOKKOS_FUNCTION void operator()(Offset pos) const
  {
    const Index row = g.row(pos), first = ptr[pos], own = g.color[row];
    Index end = first, smaller = 0;
    for (Index e = g.ptr[row]; e < g.ptr[row + 1]; ++e) {
      const Index c = g.col[e];
      if (c == row) {
        diagonal[pos] = e;
        continue;
      }
      const Index color = g.color[c];
      Index at = end++;
      for (; at > first && g.color[col[at - 1]] > color; --at) {
        col[at] = col[at - 1];
        source[at] = source[at - 1];
      }
      col[at] = c;
      source[at] = e;
      smaller += color < own;
    }
    mid[pos] = first + smaller;
    if (!g.ghost_ptr) return;
    for (Index e = g.ghost_ptr[row]; e < g.ghost_ptr[row + 1]; ++e) {
      col[end] = g.rows + g.ghost_col[e];
      source[end++] = g.entries + e;
    }
  }
};

struct EntriesOfSweep {
  const Index *ptr, *mid;
  bool backward;

  KOKKOS_FUNCTION void operator()(Offset pos, Index &count) const
  {
    count += backward ? ptr[pos + 1] - mid[pos] : mid[pos] - ptr[pos];
  }
};

} // namespace detail

// Couplings that a first sweep from zero reads.
template <class Exec, class Space>
Index count_first_entries(const Exec &exec, const CouplingRows<Space> &r, SweepKind sweep)
{
  return detail::count_flat(exec, r.rows,
                            detail::EntriesOfSweep{r.ptr.data(), r.mid.data(), sweep == SweepKind::backward});
}

// Nothing where the host is to be asked: there are no rows, or ranks have agreed on colors or keys. Rows are not
// long.
template <class Exec> std::optional<CouplingRows<typename Exec::memory_space>> order_couplings_on_device(
  const Exec &exec, const DeviceGraph<Exec> &graph, const OperatorView &view, const Coloring &coloring,
  Exchange exchange, const HostArray<Index> &row_of)
{
  using Space = typename Exec::memory_space;
  if (view.owned.rows == 0 || have_agreed(view, exchange) || !graph.is_of(view.owned)) return std::nullopt;
  const bool ghosts = exchange != Exchange::none && view.coupling.entries() > 0;
  const std::size_t rows = std::size_t(view.owned.rows);
  CouplingRows<Space> r;
  r.rows = view.owned.rows;
  r.owned_entries = view.owned.entries();
  r.ptr = make_array<Index, Space>("finegrain::ptr", rows + 1);
  r.mid = make_array<Index, Space>("finegrain::mid", rows);
  r.diagonal = make_array<Index, Space>("finegrain::diagonal", rows);
  r.row_of = copy_to<Space>(row_of);
  const auto color = copy_to<Space>(coloring.color), ghost_ptr = copy_to<Space>(view.coupling.ptr),
             ghost_col = copy_to<Space>(view.coupling.col);
  const detail::CoupledRows g{graph.ptr().data(),
                              graph.col().data(),
                              ghosts ? ghost_ptr.data() : nullptr,
                              ghost_col.data(),
                              color.data(),
                              r.row_of.extent(0) ? r.row_of.data() : nullptr,
                              r.rows,
                              r.owned_entries};
  const std::size_t entries = std::size_t(detail::scan_flat(exec, r.rows, detail::CountCouplings{g, r.ptr.data()}));
  r.col = make_array<Index, Space>("finegrain::col", entries);
  r.source = make_array<Index, Space>("finegrain::source", entries);
  detail::run_flat(
    exec, r.rows,
    detail::FillCouplings{g, r.ptr.data(), r.mid.data(), r.col.data(), r.source.data(), r.diagonal.data()});
  exec.fence(); // `color` and others are read
  return r;
}

} // namespace finegrain
