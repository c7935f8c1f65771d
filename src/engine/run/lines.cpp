// SPDX-License-Identifier: BSD-2-Clause
#include "run/lines.hpp"

#include "base/pieces.hpp"

namespace finegrain
{

bool is_complete_star(const Graph &g, const Grid &grid)
{
  if (count_points(grid) != g.rows) return false;
  Index corner = 0;                                   // first row of the box
  const auto is_star = [&](const Box &box, Index k) { // one plane
    Index row = corner + box.i * box.j * k;
    for (Index j = 0; j < box.j; ++j)
      for (Index i = 0; i < box.i; ++i, ++row)
        if (!is_star_row(g.ptr.data(), g.col.data(), row, box, i, j, k)) return false;
    return true;
  };
  for (const Box &box : grid) {
    if (!Pieces(box.k, Index(box.points())).all_rows([&](Index k) { return is_star(box, k); })) return false;
    corner += Index(box.points());
  }
  return true;
}

std::vector<LineBox> cut_boxes(const Grid &grid, Box tile, const HostArray<Index> &ordering)
{
  std::vector<LineBox> parts;
  const auto row_at = [&](Index place) { return ordering.extent(0) ? ordering(place) : place; };
  Index sweep_index = 0, corner = 0; // first place of the box
  for (const Box &box : grid) {
    const auto along = [&](Index edge, Index places) {
      return edge > 1 ? row_at(corner + places) - row_at(corner) : 0;
    };
    each_tile(box, tile, [&](const Box &first, const Box &points) {
      const auto [i, j, k] = first;
      LineBox p;
      p.size = points;
      p.first = row_at(corner + i + box.i * (j + box.j * k));
      p.sweep_index = sweep_index;
      p.stride = {along(box.i, 1), along(box.j, box.i), along(box.k, box.i * box.j)};
      p.before = {i > 0, j > 0, k > 0};
      p.after = {i + points.i < box.i, j + points.j < box.j, k + points.k < box.k};
      sweep_index += Index(points.points());
      parts.push_back(p);
    });
    corner += Index(box.points());
  }
  return parts;
}

LineBox reverse_box(const LineBox &p, Index rows)
{
  LineBox r = p;
  r.first = p.first + (p.size.i - 1) * p.stride[0] + (p.size.j - 1) * p.stride[1] + (p.size.k - 1) * p.stride[2];
  r.sweep_index = rows - p.sweep_index - Index(p.size.points());
  r.stride = {-p.stride[0], -p.stride[1], -p.stride[2]};
  r.before = p.after;
  r.after = p.before;
  // Bundles are the same in both directions. The bundle that may be smaller is the last in one and the first in the
  // other.
  const Index rest = p.size.j % bundle_lines;
  r.head = rest ? rest : bundle_lines;
  return r;
}

void order_box(const LineBox &p, Index *row_at)
{
  Index sweep_index = p.sweep_index;
  for (Index k = 0; k < p.size.k; ++k)
    p.bundles([&](Index j, Index lines) {
      for (Index s = 0; s < p.size.i + lines - 1; ++s)
        for (Index l = 0; l < lines; ++l)
          if (s >= l && s - l < p.size.i)
            row_at[sweep_index++] = p.first + (s - l) * p.stride[0] + (j + l) * p.stride[1] + k * p.stride[2];
    });
}

} // namespace finegrain
