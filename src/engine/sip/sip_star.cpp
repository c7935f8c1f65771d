// SPDX-License-Identifier: BSD-2-Clause
#include "sip/sip_star.hpp"

#include <algorithm>

namespace finegrain
{

namespace
{

using Point = std::array<Index, 3>;

// Grid points of the rows, box by box.
class Points
{
public:
  explicit Points(const Grid &grid) : grid_(grid)
  {
    first_.push_back(0);
    for (const Box &box : grid) first_.push_back(first_.back() + Index(box.points()));
  }
  std::size_t box(Index row) const
  {
    return std::size_t(std::upper_bound(first_.begin(), first_.end(), row) - first_.begin()) - 1;
  }
  Point at(std::size_t b, Index row) const
  {
    const Box at = grid_[b].point(row - first_[b]);
    return {at.i, at.j, at.k};
  }
  static Index edge(const Box &box, std::size_t axis) { return axis == 0 ? box.i : axis == 1 ? box.j : box.k; }
  const Box &operator[](std::size_t b) const { return grid_[b]; }

private:
  const Grid &grid_;
  std::vector<Index> first_; // first row of each box, and the end
};

enum class Kind { self, star, wrap, other };

Kind classify(const Points &points, unsigned open_axes, std::size_t b, Index row, Index col)
{
  if (row == col) return Kind::self;
  if (points.box(col) != b) return Kind::wrap; // another box: ignored as well
  const Point p = points.at(b, row), q = points.at(b, col);
  int axes = 0;
  Kind kind = Kind::other;
  for (std::size_t a = 0; a < 3; ++a) {
    const Index distance = std::abs(p[a] - q[a]);
    axes += distance != 0;
    if (distance == 1) kind = Kind::star;
    else if (distance > 1 && distance == Points::edge(points[b], a) - 1 && !(open_axes >> a & 1)) kind = Kind::wrap;
  }
  return axes == 1 ? kind : Kind::other;
}

} // namespace

HostArray<Index> order_reversed(const Grid &grid, unsigned reversed)
{
  if (reversed == 0) return {};
  auto order = make_array<Index>("finegrain::order", std::size_t(count_points(grid)));
  Index place = 0, first = 0;
  for (const Box &box : grid) {
    const auto turn = [&](Index at, Index edge, unsigned axis) { return reversed & axis ? edge - 1 - at : at; };
    for (Index k = 0; k < box.k; ++k)
      for (Index j = 0; j < box.j; ++j)
        for (Index i = 0; i < box.i; ++i)
          order(place++) = first + turn(i, box.i, reversed_i) +
                           box.i * (turn(j, box.j, reversed_j) + box.j * turn(k, box.k, reversed_k));
    first += Index(box.points());
  }
  return order;
}

SetupError eliminate_star(const Graph &owned, const EngineOptions &options, Elimination &e)
{
  e.ordering = order_reversed(options.grid, options.sip_factor.reversed);
  e.keeps_grid = e.ordering.extent(0) > 0;
  return select_star(owned, options.grid, options.open_axes, e.selection);
}

SetupError select_star(const Graph &g, const Grid &grid, unsigned open_axes, Selection &s)
{
  if (grid.empty() && g.rows > 0) return {SetupError::no_grid};
  if (count_points(grid) != g.rows) return {SetupError::grid_size};
  const Points points(grid);
  std::vector<Index> col, entry, left_col, left_entry;
  auto ptr = make_array<Index>("finegrain::ptr", std::size_t(g.rows) + 1),
       left_ptr = make_array<Index>("finegrain::ptr", std::size_t(g.rows) + 1);
  ptr(0) = left_ptr(0) = 0;
  for (Index row = 0; row < g.rows; ++row) {
    const std::size_t b = points.box(row);
    const Box &box = points[b];
    const Point p = points.at(b, row);
    // Columns of the star ascend in this order.
    const Index stride[] = {box.i * box.j, box.i, 1};
    Index e = g.ptr(row);
    const auto add = [&](Index to) {
      while (e < g.ptr(row + 1) && g.col(e) < to) ++e;
      col.push_back(to);
      entry.push_back(e < g.ptr(row + 1) && g.col(e) == to ? e : -1);
    };
    for (std::size_t a = 3; a-- > 0;)
      if (p[a] > 0) add(row - stride[2 - a]);
    add(row);
    for (std::size_t a = 0; a < 3; ++a)
      if (p[a] + 1 < Points::edge(box, a)) add(row + stride[2 - a]);
    ptr(row + 1) = Index(col.size());
    for (Index f = g.ptr(row); f < g.ptr(row + 1); ++f) {
      const Kind kind = classify(points, open_axes, b, row, g.col(f));
      if (kind == Kind::other) return {SetupError::star_fit, row};
      if (kind != Kind::wrap) continue;
      left_col.push_back(g.col(f));
      left_entry.push_back(f);
    }
    left_ptr(row + 1) = Index(left_col.size());
  }
  s.graph = {g.rows, ptr, to_array("finegrain::col", col)};
  s.entry = to_array("finegrain::entry", entry);
  s.ignored = {g.rows, left_ptr, to_array("finegrain::col", left_col)};
  s.ignored_entry = to_array("finegrain::entry", left_entry);
  return {};
}

// direction(row, col) returns the axis along which two rows are neighbors.
template <class Direction>
static Star<Kokkos::HostSpace> find_star_by(const Pattern<Kokkos::HostSpace> &p, const Direction &direction)
{
  const std::size_t size = 3 * std::size_t(p.rows);
  Star<Kokkos::HostSpace> s{make_array<Index>("finegrain::star", size), make_array<Index>("finegrain::star", size),
                            make_array<Index>("finegrain::star", size)};
  std::vector<Index> position(std::size_t(p.rows));
  const auto row_at = [&](Index pos) { return p.permuted ? p.row_of(pos) : pos; };
  for (Index pos = 0; pos < p.rows; ++pos) position[std::size_t(row_at(pos))] = pos;
  for (const auto &a : {s.lower, s.pivot, s.upper}) std::fill_n(a.data(), size, -1);
  for (Index pos = 0; pos < p.rows; ++pos) {
    const Index row = row_at(pos), sweep_index = p.rows - 1 - pos;
    for (Index e = p.lower.ptr(pos); e < p.lower.ptr(pos + 1); ++e) {
      const Index col = p.y == Layout::row ? p.lower.col(e) : row_at(p.lower.col(e));
      const Index at = 3 * pos + direction(row, col);
      s.lower(at) = e;
      s.pivot(at) = position[std::size_t(col)];
    }
    for (Index f = p.upper.ptr(sweep_index); f < p.upper.ptr(sweep_index + 1); ++f)
      s.upper(3 * pos + direction(row, p.upper.col(f))) = f;
  }
  return s;
}

Star<Kokkos::HostSpace> find_star(const Pattern<Kokkos::HostSpace> &p, const Grid &grid)
{
  const Points points(grid);
  return find_star_by(p, [&](Index row, Index col) {
    const std::size_t b = points.box(row);
    const Point x = points.at(b, row), y = points.at(b, col);
    return x[0] != y[0] ? 0 : x[1] != y[1] ? 1 : 2;
  });
}

Star<Kokkos::HostSpace> find_star(const Pattern<Kokkos::HostSpace> &p, const Box &box,
                                  const HostArray<std::int64_t> &number)
{
  const std::int64_t line = box.i, plane = line * box.j;
  return find_star_by(p, [&](Index row, Index col) {
    const std::int64_t x = number(row), y = number(col);
    return x % line != y % line ? 0 : x % plane != y % plane ? 1 : 2;
  });
}

} // namespace finegrain
