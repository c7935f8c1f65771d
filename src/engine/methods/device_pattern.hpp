// What the analysis makes by flat kernels where a device reads it, so that the host neither makes nor copies it: both
// parts of each row and the products of DILU, as factor_pattern.hpp makes them on a host, the longest rows, and
// tiles. In: a graph in natural order of elimination, the order of storage, tasks.
#pragma once

#include "methods/device_graph.hpp"
#include "methods/flat_kernels.hpp"
#include "plan/factor_pattern.hpp"
#include "run/sweep_order.hpp"

namespace finegrain
{

namespace detail
{

struct InvertOrder {
  const Index *row_of;
  Index *position;

  KOKKOS_FUNCTION void operator()(Offset p) const { position[row_of[p]] = Index(p); }
};

struct StoredGraph {
  const Index *ptr, *col, *entry; // entry: number of each entry in the operator; null: its own
  const Index *row_of, *position; // null: rows are stored as they are
  Index rows;

  KOKKOS_FORCEINLINE_FUNCTION Index row(Index pos) const { return row_of ? row_of[pos] : pos; }
  KOKKOS_FORCEINLINE_FUNCTION Index pos(Index of_row) const { return position ? position[of_row] : of_row; }
  KOKKOS_FORCEINLINE_FUNCTION Index source(Index e) const { return entry ? entry[e] : e; }
};

// ptr of a part, by slot.
struct CountPart {
  StoredGraph g;
  bool upper;
  Index *ptr;

  KOKKOS_FUNCTION void operator()(Offset slot, Offset &count, bool final) const
  {
    const Index row = g.row(upper ? g.rows - 1 - Index(slot) : Index(slot));
    if (final && slot == 0) ptr[0] = 0;
    for (Index e = g.ptr[row]; e < g.ptr[row + 1]; ++e) count += upper ? g.col[e] > row : g.col[e] < row;
    if (final) ptr[slot + 1] = Index(count);
  }
};

// Arrays of a Pattern.
struct PartsOfRows {
  bool y_by_row;
  const Index *lower_ptr, *upper_ptr;
  Index *lower_col, *lower_source, *upper_col, *upper_source, *diagonal;
};

struct FillRow {
  StoredGraph g;
  PartsOfRows to;

  KOKKOS_FUNCTION void operator()(Offset p) const
  {
    const Index pos = Index(p), row = g.row(pos);
    Index low = to.lower_ptr[pos], up = to.upper_ptr[g.rows - pos], diagonal = -1; // upper ones by descending column
    for (Index e = g.ptr[row]; e < g.ptr[row + 1]; ++e) {
      const Index c = g.col[e];
      if (c < row) {
        to.lower_col[low] = to.y_by_row ? c : g.pos(c);
        to.lower_source[low++] = g.source(e);
      } else if (c > row) {
        to.upper_col[--up] = c;
        to.upper_source[up] = g.source(e);
      } else {
        diagonal = g.source(e);
      }
    }
    to.diagonal[pos] = diagonal;
  }
};

// The products of each row's lower blocks with the upper ones of their columns' rows.
struct ProductsOfRows {
  StoredGraph g;
  PartsOfRows parts;

  // f(lower entry, upper entry, the column that their product falls on)
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void visit(Index pos, const F &f) const
  {
    for (Index e = parts.lower_ptr[pos]; e < parts.lower_ptr[pos + 1]; ++e) {
      const Index c = parts.lower_col[e], slot = g.rows - 1 - (parts.y_by_row ? g.pos(c) : c);
      for (Index u = parts.upper_ptr[slot]; u < parts.upper_ptr[slot + 1]; ++u) f(e, u, parts.upper_col[u]);
    }
  }
};

// Those that fall on the diagonal: ptr of their list.
struct CountProducts {
  ProductsOfRows products;
  Offset *ptr;

  KOKKOS_FUNCTION void operator()(Offset pos, Offset &count, bool final) const
  {
    const Index row = products.g.row(Index(pos));
    if (final && pos == 0) ptr[0] = 0;
    products.visit(Index(pos), [&](Index, Index, Index column) { count += column == row; });
    if (final) ptr[pos + 1] = count;
  }
};

// The list, and how many products fall on entries beside the diagonal.
struct ListProducts {
  ProductsOfRows products;
  const Offset *ptr;
  Index *left, *right;

  KOKKOS_FUNCTION void operator()(Offset pos, Offset &beside) const
  {
    const Index row = products.g.row(Index(pos));
    Offset to = ptr[pos];
    products.visit(Index(pos), [&](Index lower, Index upper, Index column) {
      if (column == row) {
        left[to] = lower;
        right[to++] = upper;
      } else {
        beside += find_column(products.g.col, products.g.ptr[row], products.g.ptr[row + 1], column) >= 0;
      }
    });
  }
};

// Those that fall beside the diagonal.
struct ProductsBeside {
  ProductsOfRows products;

  // f(lower entry, upper entry, the entry that their product falls on, whether that is a lower one)
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void visit(Index pos, const F &f) const
  {
    const StoredGraph &g = products.g;
    const Index row = g.row(pos), first = g.ptr[row], last = g.ptr[row + 1], lower = products.parts.lower_ptr[pos],
                upper = products.parts.upper_ptr[g.rows - 1 - pos]; // whose first is the row's last
    products.visit(pos, [&](Index left, Index right, Index column) {
      const Index e = column == row ? -1 : find_column(g.col, first, last, column);
      if (e >= 0) f(left, right, column < row ? lower + e - first : upper + last - 1 - e, column < row);
    });
  }
};

// How many fall on each entry, one place further than the entry's own.
struct CountBeside {
  ProductsBeside products;
  Offset *to_lower, *to_upper;

  KOKKOS_FUNCTION void operator()(Offset pos) const
  {
    products.visit(
      Index(pos), [&](Index, Index, Index target, bool is_lower) { ++(is_lower ? to_lower : to_upper)[target + 1]; });
  }
};

// Where an entry's list begins is one place further here, too, and moves to its end: the next one's beginning.
struct ListBeside {
  ProductsBeside products;
  Offset *to_lower, *to_upper;
  Index *lower_left, *lower_right, *upper_left, *upper_right;

  KOKKOS_FUNCTION void operator()(Offset pos) const
  {
    products.visit(Index(pos), [&](Index left, Index right, Index target, bool is_lower) {
      const Offset to = (is_lower ? to_lower : to_upper)[target + 1]++;
      (is_lower ? lower_left : upper_left)[to] = left;
      (is_lower ? lower_right : upper_right)[to] = right;
    });
  }
};

// The tile of a task, its columns with ~place instead for rows of the same tile, where place counts from the tile's
// first slot, and the most entries of all.
struct SetTile {
  const Index *slot, *step_ptr, *ptr, *col;
  const Index *position; // of the row that a column is, in a backward sweep's slots; null: columns are slots
  bool backward;
  Index rows;
  TileRange *range;
  Index *columns;

  KOKKOS_FUNCTION void operator()(Offset t, Index &most) const
  {
    const Index first = slot[t], last = slot[t + 1], begin = ptr[first], end = ptr[last];
    range[t] = {first, last, begin, end, step_ptr[t], step_ptr[t + 1]};
    for (Index e = begin; e < end; ++e) {
      const Index c = col[e], pos = position ? position[c] : c, at = backward ? rows - 1 - pos : pos;
      columns[e] = first <= at && at < last ? ~(at - first) : c;
    }
    most = end - begin > most ? end - begin : most;
  }
};

// Groups beside tiles: the slots of rows, and those of the backward sweep.
struct VisitRows {
  const Index *order, *position; // null: of the same numbers
  Index rows;
  Index *forward, *backward;

  KOKKOS_FUNCTION void operator()(Offset i) const
  {
    const Index row = order ? order[i] : Index(i), slot = position ? position[row] : row;
    forward[i] = slot;
    backward[rows - 1 - i] = rows - 1 - slot;
  }
};

template <class Exec, class Space>
Array<Index, Space> invert_order(const Exec &exec, const Array<Index, Space> &row_of)
{
  const auto position = make_array<Index, Space>("finegrain::position", row_of.extent(0));
  run_flat(exec, Offset(row_of.extent(0)), InvertOrder{row_of.data(), position.data()});
  return position;
}

template <class Exec, class Space>
void list_beside(const Exec &exec, const ProductsBeside &products, Pattern<Space> &p)
{
  Updates<Space> &lower = p.to_lower, &upper = p.to_upper;
  lower.ptr = Array<Offset, Space>("finegrain::updates", p.lower.col.extent(0) + 1); // zeros
  upper.ptr = Array<Offset, Space>("finegrain::updates", p.upper.col.extent(0) + 1);
  run_flat(exec, p.rows, CountBeside{products, lower.ptr.data(), upper.ptr.data()});
  for (Updates<Space> *list : {&lower, &upper}) {
    const Offset targets = Offset(list->ptr.extent(0)) - 1;
    const auto pairs = std::size_t(scan_flat(exec, targets, SumBefore<Offset>{list->ptr.data() + 1}));
    list->left = make_array<Index, Space>("finegrain::left", pairs);
    list->right = make_array<Index, Space>("finegrain::right", pairs);
  }
  run_flat(exec, p.rows,
           ListBeside{products, lower.ptr.data(), upper.ptr.data(), lower.left.data(), lower.right.data(),
                      upper.left.data(), upper.right.data()});
}

template <class T, class Space> const T *data_or_null(const Array<T, Space> &a)
{
  return a.extent(0) ? a.data() : nullptr;
}

} // namespace detail

// What split_pattern() makes of a graph of at least one row, with the lists of all products. numbers: of each entry
// in the operator; empty: its own.
template <class Exec>
Pattern<typename Exec::memory_space> split_on_device(const Exec &exec, const DeviceGraph<Exec> &graph,
                                                     const HostArray<Index> &numbers, const HostArray<Index> &row_of,
                                                     Layout y, FactorKind &kind)
{
  using Space = typename Exec::memory_space;
  const Offset rows = Offset(graph.ptr().extent(0)) - 1;
  Pattern<Space> p;
  p.rows = Index(rows);
  p.permuted = row_of.extent(0) > 0;
  p.y = p.permuted ? y : Layout::row;
  p.row_of = copy_to<Space>(row_of);
  const auto ptr = graph.ptr(), col = graph.col(), entry = copy_to<Space>(numbers),
             position = detail::invert_order(exec, p.row_of);
  const detail::StoredGraph g{ptr.data(),
                              col.data(),
                              detail::data_or_null(entry),
                              detail::data_or_null(p.row_of),
                              detail::data_or_null(position),
                              p.rows};
  const auto count = [&](const auto &counter) { return std::size_t(detail::scan_flat(exec, rows, counter)); };
  for (Triangle<Space> *t : {&p.lower, &p.upper}) {
    t->ptr = make_array<Index, Space>("finegrain::ptr", std::size_t(rows) + 1);
    const std::size_t entries = count(detail::CountPart{g, t == &p.upper, t->ptr.data()});
    t->col = make_array<Index, Space>("finegrain::col", entries);
    t->source = make_array<Index, Space>("finegrain::source", entries);
  }
  p.diagonal = make_array<Index, Space>("finegrain::diagonal", std::size_t(rows));
  const detail::PartsOfRows parts{p.y == Layout::row,    p.lower.ptr.data(),    p.upper.ptr.data(),
                                  p.lower.col.data(),    p.lower.source.data(), p.upper.col.data(),
                                  p.upper.source.data(), p.diagonal.data()};
  detail::run_flat(exec, rows, detail::FillRow{g, parts});

  const detail::ProductsOfRows products{g, parts};
  Updates<Space> &list = p.to_diagonal;
  list.ptr = make_array<Offset, Space>("finegrain::updates", std::size_t(rows) + 1);
  const std::size_t pairs = count(detail::CountProducts{products, list.ptr.data()});
  list.left = make_array<Index, Space>("finegrain::left", pairs);
  list.right = make_array<Index, Space>("finegrain::right", pairs);
  Offset beside = 0;
  detail::run_flat_reduction(exec, rows,
                             detail::ListProducts{products, list.ptr.data(), list.left.data(), list.right.data()},
                             Kokkos::Sum<Offset>(beside));
  const bool all = beside > 0 && kind != FactorKind::dilu;
  if (all) detail::list_beside(exec, detail::ProductsBeside{products}, p);
  if (all || kind == FactorKind::automatic) kind = all ? FactorKind::ilu0 : FactorKind::dilu;
  exec.fence(); // memory of this function is read
  return p;
}

// Sweeps by tiles, and by groups beside them; after set_sweep_orders().
template <class Exec, class Space> void set_tiles(const Exec &exec, const Plan &plan, const Pattern<Space> &pattern,
                                                  SweepOrder<Space> &forward, SweepOrder<Space> &backward)
{
  const auto position = detail::invert_order(exec, pattern.row_of);
  const auto set = [&](SweepOrder<Space> &d, const Tasks<Kokkos::HostSpace> &tasks, const Triangle<Space> &part,
                       const HostArray<Index> &level, bool is_backward) {
    const auto slot = copy_to<Space>(tasks.slot), step_ptr = copy_to<Space>(tasks.step_ptr);
    d.tile_range = make_array<TileRange, Space>("finegrain::tiles", std::size_t(tasks.count()));
    d.tile_columns = make_array<Index, Space>("finegrain::tile_columns", part.col.extent(0));
    d.step = copy_to<Space>(tasks.step);
    d.level = level;
    d.tiles = {.first = d.level.data(),
               .count = Index(level.extent(0)) - 1,
               .range = d.tile_range.data(),
               .step = d.step.data(),
               .columns = d.tile_columns.data()};
    for (Index t = 0; t < tasks.count(); ++t)
      d.tiles.rows = std::max(d.tiles.rows, tasks.slot(t + 1) - tasks.slot(t));
    Index most = 0;
    detail::run_flat_reduction(exec, tasks.count(),
                               detail::SetTile{slot.data(), step_ptr.data(), part.ptr.data(), part.col.data(),
                                               is_backward ? detail::data_or_null(position) : nullptr, is_backward,
                                               pattern.rows, d.tile_range.data(), d.tile_columns.data()},
                               Kokkos::Max<Index>(most));
    d.tiles.entries = std::max(most, Index(0));
  };
  const auto order = copy_to<Space>(plan.schedule.order);
  for (SweepOrder<Space> *d : {&forward, &backward})
    d->visit = make_array<Index, Space>("finegrain::visit", std::size_t(pattern.rows));
  detail::run_flat(exec, pattern.rows,
                   detail::VisitRows{detail::data_or_null(order), detail::data_or_null(position), pattern.rows,
                                     forward.visit.data(), backward.visit.data()});
  const HostArray<Index> level = cut_levels(plan.tasks);
  set(forward, plan.tasks.tasks, pattern.lower, level, false);
  set(backward, reverse_tasks(plan.tasks.tasks), pattern.upper, reverse_groups(level), true);
}

} // namespace finegrain
