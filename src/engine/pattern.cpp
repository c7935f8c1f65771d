#include "pattern.hpp"

#include <algorithm>

namespace finegrain
{

namespace
{

using Host = Kokkos::HostSpace;

// Where the rows of the owned square stand, and how an entry is told lower from upper.
struct Order {
  Index              rows;
  bool               permuted;
  std::vector<Index> position; // of each row, if permuted
  HostArray<Index>   row_of;   // of each position, if permuted

  Index row(Index pos) const { return permuted ? row_of(pos) : pos; }
  Index pos(Index row) const { return permuted ? position[std::size_t(row)] : row; }
};

Order invert_order(Index rows, const HostArray<Index> &row_of)
{
  Order o{rows, row_of.extent(0) > 0, {}, row_of};
  if (o.permuted) {
    o.position.resize(std::size_t(rows));
    for (Index p = 0; p < rows; ++p) o.position[std::size_t(row_of(p))] = p;
  }
  return o;
}

Index source_entry(const Selection &s, Index e) { return s.entry.extent(0) ? s.entry(e) : e; }

// Keeps the entries of each slot's row that `wanted` accepts, by ascending place of their columns in the elimination
// order, or by descending place if `reversed`.
template <class RowOfSlot, class Wanted, class Column>
Triangle<Host> select(const Selection &selection, const std::vector<Index> &place, RowOfSlot row_of_slot,
                      Wanted wanted, Column column, bool reversed)
{
  const Graph       &g = selection.graph;
  Triangle<Host>     t{make_array<Index>("finegrain::ptr", std::size_t(g.rows) + 1), {}, {}};
  std::vector<Index> kept;
  t.ptr(0) = 0;
  for (Index slot = 0; slot < g.rows; ++slot) {
    const Index row = row_of_slot(slot);
    t.ptr(slot + 1) = t.ptr(slot);
    for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e) t.ptr(slot + 1) += wanted(row, g.col(e));
  }
  t.col    = make_array<Index>("finegrain::col", std::size_t(t.ptr(g.rows)));
  t.source = make_array<Index>("finegrain::source", std::size_t(t.ptr(g.rows)));
  for (Index slot = 0, to = 0; slot < g.rows; ++slot) {
    const Index row = row_of_slot(slot);
    kept.clear();
    for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e)
      if (wanted(row, g.col(e))) kept.push_back(e);
    if (!place.empty())
      std::sort(kept.begin(), kept.end(),
                [&](Index e, Index f) { return place[std::size_t(g.col(e))] < place[std::size_t(g.col(f))]; });
    if (reversed) std::reverse(kept.begin(), kept.end());
    for (const Index e : kept) {
      t.col(to)      = column(g.col(e));
      t.source(to++) = source_entry(selection, e);
    }
  }
  return t;
}

// Collects update pairs (lower entry, upper entry) by target. Pairs come in ascending order of the pivot row inside a
// target, because lower entries do.
class UpdateFinder
{
public:
  UpdateFinder(const Pattern<Host> &p, const Order &o) : p_(p), o_(o), target_(std::size_t(o.rows), -1) {}

  // Calls visit(target, left, right) for all products that fall on an entry of the row at this position. Targets are
  // numbered along the row: lower entries, the diagonal, upper entries.
  template <class Visit> void visit_row(Index pos, Visit visit)
  {
    const Index row = o_.row(pos), slot = o_.rows - 1 - pos;
    const Index l0 = p_.lower.ptr(pos), l1 = p_.lower.ptr(pos + 1);
    const Index u0 = p_.upper.ptr(slot), u1 = p_.upper.ptr(slot + 1);
    for (Index e = l0; e < l1; ++e) target_[std::size_t(lower_row(e))] = e - l0;
    target_[std::size_t(row)] = l1 - l0;
    for (Index f = u0; f < u1; ++f) target_[std::size_t(p_.upper.col(f))] = l1 - l0 + 1 + f - u0;
    for (Index e = l0; e < l1; ++e) {
      const Index pivot = o_.rows - 1 - o_.pos(lower_row(e));
      for (Index f = p_.upper.ptr(pivot); f < p_.upper.ptr(pivot + 1); ++f) {
        const Index t = target_[std::size_t(p_.upper.col(f))];
        if (t >= 0) visit(t, e, f);
      }
    }
    for (Index e = l0; e < l1; ++e) target_[std::size_t(lower_row(e))] = -1;
    target_[std::size_t(row)] = -1;
    for (Index f = u0; f < u1; ++f) target_[std::size_t(p_.upper.col(f))] = -1;
  }

private:
  Index lower_row(Index e) const { return p_.y == Layout::row ? p_.lower.col(e) : o_.row(p_.lower.col(e)); }

  const Pattern<Host> &p_;
  const Order         &o_;
  std::vector<Index>   target_;
};

// Counts, then fills, one list.
struct ListBuilder {
  Updates<Host>       list;
  std::vector<Offset> next;

  explicit ListBuilder(Index targets) : next(std::size_t(targets) + 1, 0) {}
  void count(Index t) { ++next[std::size_t(t) + 1]; }
  void allocate()
  {
    for (std::size_t t = 1; t < next.size(); ++t) next[t] += next[t - 1];
    list.ptr = make_array<Offset>("finegrain::updates", next.size());
    std::copy(next.begin(), next.end(), list.ptr.data());
    list.left  = make_array<Index>("finegrain::left", std::size_t(next.back()));
    list.right = make_array<Index>("finegrain::right", std::size_t(next.back()));
  }
  void add(Index t, Index left, Index right)
  {
    const Offset u = next[std::size_t(t)]++;
    list.left(u)   = left;
    list.right(u)  = right;
  }
};

void find_updates(Pattern<Host> &p, const Order &o, FactorKind &kind)
{
  ListBuilder  diagonal(o.rows), lower(Index(p.lower.col.extent(0))), upper(Index(p.upper.col.extent(0)));
  UpdateFinder finder(p, o);
  Offset       off_diagonal = 0;
  // Routes a target of the row at `pos` to its list.
  const auto route = [&](Index pos, Index t, auto to_diagonal, auto to_off_diagonal) {
    const Index lowers = p.lower.ptr(pos + 1) - p.lower.ptr(pos);
    if (t == lowers) to_diagonal(diagonal, pos);
    else if (kind != FactorKind::dilu) {
      if (t < lowers) to_off_diagonal(lower, p.lower.ptr(pos) + t);
      else to_off_diagonal(upper, p.upper.ptr(o.rows - 1 - pos) + t - lowers - 1);
    }
  };
  for (Index pos = 0; pos < o.rows; ++pos)
    finder.visit_row(pos, [&](Index t, Index, Index) {
      const auto count = [&](ListBuilder &b, Index target) { b.count(target); };
      route(pos, t, count, [&](ListBuilder &b, Index target) {
        b.count(target);
        ++off_diagonal;
      });
    });
  if (kind == FactorKind::automatic) kind = off_diagonal ? FactorKind::ilu0 : FactorKind::dilu;
  diagonal.allocate();
  if (off_diagonal) {
    lower.allocate();
    upper.allocate();
  }
  for (Index pos = 0; pos < o.rows; ++pos)
    finder.visit_row(pos, [&](Index t, Index left, Index right) {
      const auto add = [&](ListBuilder &b, Index target) { b.add(target, left, right); };
      route(pos, t, add, add);
    });
  p.to_diagonal = diagonal.list;
  p.to_lower    = lower.list;
  p.to_upper    = upper.list;
}

} // namespace

Selection select_within_grids(const Graph &g, const Grid &grid)
{
  std::vector<Index> box_of;
  for (std::size_t b = 0; b < grid.size(); ++b) box_of.insert(box_of.end(), std::size_t(grid[b].points()), Index(b));
  const auto inside = [&](Index row, Index e) { return box_of[std::size_t(row)] == box_of[std::size_t(g.col(e))]; };
  Index      kept   = 0;
  for (Index row = 0; row < g.rows; ++row)
    for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e) kept += inside(row, e);
  if (kept == g.entries()) return {g, {}, {}, {}};

  const auto part = [&](bool wanted, Index size, HostArray<Index> &entry) {
    Graph p{g.rows, make_array<Index>("finegrain::ptr", std::size_t(g.rows) + 1),
            make_array<Index>("finegrain::col", std::size_t(size))};
    entry    = make_array<Index>("finegrain::entry", std::size_t(size));
    p.ptr(0) = 0;
    for (Index row = 0, to = 0; row < g.rows; ++row) {
      for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e)
        if (inside(row, e) == wanted) {
          p.col(to)   = g.col(e);
          entry(to++) = e;
        }
      p.ptr(row + 1) = to;
    }
    return p;
  };
  Selection s;
  s.graph    = part(true, kept, s.entry);
  s.left_out = part(false, g.entries() - kept, s.left_out_entry);
  return s;
}

Selection select_for_factor(const Graph &g, const Grid &grid, GridCoupling coupling)
{
  if (coupling == GridCoupling::corrections && count_points(grid) == g.rows) return select_within_grids(g, grid);
  return {g, {}, {}, {}};
}

Transposed<Host> transpose_pattern(const Pattern<Host> &p)
{
  const Index rows = p.rows;
  const Order o    = invert_order(rows, p.row_of);

  // Visits rows in ascending number, so that the entries of a slot come in that order.
  const auto part = [&](const Triangle<Host> &t, bool reversed, auto column) {
    Transposed<Host>::Part q{HostArray<Index>("finegrain::ptr", std::size_t(rows) + 1),
                             make_array<Index>("finegrain::entry", t.col.extent(0)),
                             make_array<Index>("finegrain::row", t.col.extent(0))};
    const auto             slot_of = [&](Index e) {
      const Index pos = o.pos(column(t.col(e)));
      return reversed ? rows - 1 - pos : pos;
    };
    for (Index e = 0; e < Index(t.col.extent(0)); ++e) ++q.ptr(slot_of(e) + 1);
    for (Index s = 0; s < rows; ++s) q.ptr(s + 1) += q.ptr(s);
    std::vector<Index> next(q.ptr.data(), q.ptr.data() + rows);
    for (Index row = 0; row < rows; ++row) {
      const Index pos = o.pos(row), slot = reversed ? pos : rows - 1 - pos;
      for (Index e = t.ptr(slot); e < t.ptr(slot + 1); ++e) {
        const Index to = next[std::size_t(slot_of(e))]++;
        q.entry(to)    = e;
        q.row(to)      = row;
      }
    }
    return q;
  };
  return {part(p.upper, false, [](Index col) { return col; }),
          part(p.lower, true, [&](Index col) { return p.y == Layout::row ? col : o.row(col); })};
}

Pattern<Host> split_pattern(const Selection &selection, const HostArray<Index> &ordering,
                            const HostArray<Index> &row_of, Layout y, FactorKind &kind)
{
  const Graph             &g = selection.graph;
  const Order              o = invert_order(g.rows, row_of);
  Pattern<Host>            p;
  const std::vector<Index> place = invert_order(g.rows, ordering).position;
  p.rows                         = g.rows;
  p.permuted                     = o.permuted;
  p.y                            = o.permuted ? y : Layout::row;
  p.row_of                       = row_of;
  p.lower                        = select(
                           selection, place, [&](Index pos) { return o.row(pos); },
                           [&](Index row, Index col) { return o.pos(col) < o.pos(row); },
                           [&](Index col) { return p.y == Layout::row ? col : o.pos(col); }, false);
  p.upper = select(
    selection, place, [&](Index slot) { return o.row(g.rows - 1 - slot); },
    [&](Index row, Index col) { return o.pos(col) > o.pos(row); }, [](Index col) { return col; }, true);
  p.diagonal = make_array<Index>("finegrain::diagonal", std::size_t(g.rows));
  for (Index pos = 0; pos < g.rows; ++pos) {
    const Index  row   = o.row(pos);
    const Index *first = g.col.data() + g.ptr(row), *last = g.col.data() + g.ptr(row + 1);
    p.diagonal(pos) = source_entry(selection, Index(std::lower_bound(first, last, row) - g.col.data()));
  }
  find_updates(p, o, kind);
  return p;
}

} // namespace finegrain
