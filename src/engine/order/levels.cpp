// SPDX-License-Identifier: BSD-2-Clause
#include "order/levels.hpp"

#include "base/pieces.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace finegrain
{

namespace
{

// Finds the levels of the rows at positions [first, last), zero before, from their couplings to each other in either
// direction. Returns the number of levels. is_inside(row) is true if the row is one of them.
template <class RowAt, class IsInside> Index find_levels(const Graph &g, Index first, Index last, const RowAt &row_at,
                                                         const IsInside &is_inside, const HostArray<Index> &level)
{
  const Index *ptr = g.ptr.data(), *col = g.col.data();
  Index *const of = level.data(), levels = 0;
  for (Index p = first; p < last; ++p) {
    // Earlier rows have pushed their level across entries of the transpose. Pull across the entries of row i, then
    // push.
    const Index i = row_at(p);
    Index mine = of[i];
    for (Index e = ptr[i]; e < ptr[i + 1]; ++e)
      if (col[e] < i && is_inside(col[e])) mine = std::max(mine, of[col[e]] + 1);
    of[i] = mine;
    for (Index e = ptr[i]; e < ptr[i + 1]; ++e)
      if (col[e] > i && is_inside(col[e])) of[col[e]] = std::max(of[col[e]], mine + 1);
    levels = std::max(levels, mine + 1);
  }
  return levels;
}

// Finds the levels of rows [first, last).
Index find_levels(const Graph &g, Index first, Index last, const HostArray<Index> &level)
{
  return find_levels(
    g, first, last, [](Index p) { return p; }, [=](Index c) { return first <= c && c < last; }, level);
}

// Returns true if the first pieces have levels of nearly that width. If a homogeneous matrix does not have it there,
// it has it nowhere, and testing all pieces costs as much as the result.
bool may_be_wide(const Graph &g, const std::vector<Index> &cut, double width)
{
  constexpr Index sample = 65536;
  const std::size_t last = std::size_t(std::upper_bound(cut.begin(), cut.end(), sample) - cut.begin()) - 1;
  if (last < 2 || last + 1 == cut.size()) return true;
  HostArray<Index> level("finegrain::level", std::size_t(cut[last]));
  Index levels = 0;
  for (std::size_t p = 0; p < last; ++p) levels += find_levels(g, cut[p], cut[p + 1], level);
  return cut[last] >= 0.95 * width * levels;
}

// Returns all rows as one piece.
HostArray<Index> one_piece(const Graph &g) { return to_array("finegrain::cut", {0, g.rows}); }

} // namespace

Index find_levels(const Graph &g, const HostArray<Index> &level) { return find_levels(g, 0, g.rows, level); }

Schedule sort_rows(ScheduleKind kind, Index groups, const HostArray<Index> &group_of, const std::vector<Index> &visit)
{
  const Index rows = Index(group_of.extent(0));
  Schedule s{kind, make_array<Index>("finegrain::order", std::size_t(rows)), {}};

  std::vector<Index> first(std::size_t(groups) + 1, 0);
  for (Index r = 0; r < rows; ++r) ++first[std::size_t(group_of(r)) + 1];
  std::vector<Index> cut(1, 0);
  for (std::size_t g = 0; g < std::size_t(groups); ++g) {
    if (first[g + 1] > 0 || kind == ScheduleKind::color) cut.push_back(cut.back() + first[g + 1]);
    first[g + 1] += first[g];
  }
  for (Index p = 0; p < rows; ++p) {
    const Index row = visit.empty() ? p : visit[std::size_t(p)];
    s.order(first[std::size_t(group_of(row))]++) = row;
  }
  s.group = to_array("finegrain::group", cut);
  return s;
}

std::optional<Schedule> schedule_hyperplanes(const Grid &grid, const Graph &g)
{
  const auto planes = find_hyperplanes(grid, g);
  if (!planes) return std::nullopt;
  return sort_rows(ScheduleKind::hyperplane, planes->count, planes->plane);
}

namespace
{

// Builds a schedule. row_at() is that of find_levels(), and levels_of(piece, level) finds the levels of a piece.
template <class RowAt, class LevelsOf> Schedule schedule(const Graph &g, const HostArray<Index> &cut,
                                                         const RowAt &row_at, const LevelsOf &levels_of,
                                                         HostArray<Index> &first)
{
  const Index count = Index(cut.extent(0)) - 1;
  const Pieces threads(count, g.rows);
  HostArray<Index> level("finegrain::level", std::size_t(g.rows));
  first = make_array<Index>("finegrain::first", std::size_t(count) + 1);
  first(0) = 0;
  threads.for_rows([&](Index p) { first(p + 1) = levels_of(p, level); });
  for (Index p = 0; p < count; ++p) first(p + 1) += first(p);
  // Every level has rows, and the groups of a piece are contiguous.
  Schedule s{ScheduleKind::level, make_array<Index>("finegrain::order", std::size_t(g.rows)),
             HostArray<Index>("finegrain::group", std::size_t(first(count)) + 1)};
  threads.for_rows([&](Index p) {
    Index *end = s.group.data() + first(p) + 1, before = cut(p);
    for (Index i = cut(p); i < cut(p + 1); ++i) ++end[level(row_at(i))];
    for (Index l = 0; l < first(p + 1) - first(p); ++l) before += std::exchange(end[l], before);
    for (Index i = cut(p); i < cut(p + 1); ++i) s.order(end[level(row_at(i))]++) = row_at(i);
  });
  return s;
}

} // namespace

Schedule schedule_pieces(const Graph &g, const HostArray<Index> &cut, HostArray<Index> &first)
{
  return schedule(
    g, cut, [](Index i) { return i; },
    [&](Index p, const HostArray<Index> &level) { return find_levels(g, cut(p), cut(p + 1), level); }, first);
}

Schedule schedule_pieces(const Graph &g, const HostArray<Index> &cut, const HostArray<Index> &order,
                         const std::vector<Index> &piece_of, HostArray<Index> &first)
{
  const auto row_at = [&](Index i) { return order(i); };
  return schedule(
    g, cut, row_at,
    [&](Index p, const HostArray<Index> &level) {
      return find_levels(
        g, cut(p), cut(p + 1), row_at, [&](Index row) { return piece_of[std::size_t(row)] == p; }, level);
    },
    first);
}

Schedule schedule_levels(const Graph &g)
{
  HostArray<Index> first;
  return schedule_pieces(g, one_piece(g), first);
}

HostArray<Index> order_windows(const Graph &g, double width, const HostArray<Index> &pieces)
{
  constexpr Index smallest = 64, largest = 16384;
  const HostArray<Index> outer = pieces.extent(0) ? pieces : one_piece(g);
  HostArray<Index> first;
  for (Index window = smallest; window <= largest && window < 2 * g.rows; window *= 2) {
    std::vector<Index> cut{0};
    for (std::size_t p = 1; p < outer.extent(0); ++p)
      while (cut.back() < outer(p)) cut.push_back(std::min(cut.back() + window, outer(p)));
    if (!may_be_wide(g, cut, width)) continue;
    const Schedule s = schedule_pieces(g, to_array("finegrain::cut", cut), first);
    if (g.rows >= width * s.groups()) return s.order;
  }
  return {};
}

HostArray<Index> order_by_neighbors(const Graph &g, const HostArray<Index> &rank)
{
  auto order = make_array<Index>("finegrain::order", std::size_t(g.rows));
  std::vector<Index> waits(std::size_t(g.rows), 0); // number of neighbors for which the row waits
  for (Index i = 0; i < g.rows; ++i)
    for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e) waits[std::size_t(i)] += rank(g.col(e)) < rank(i);
  std::priority_queue<Index, std::vector<Index>, std::greater<Index>> ready;
  Index done = 0;
  for (Index front = 0; front < g.rows; ++front) {
    if (waits[std::size_t(front)] == 0) ready.push(front);
    while (!ready.empty()) {
      const Index row = order(done++) = ready.top();
      ready.pop();
      for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e) {
        const Index to = g.col(e);
        if (rank(to) > rank(row) && --waits[std::size_t(to)] == 0 && to < front) ready.push(to);
      }
    }
  }
  return order;
}

HostArray<Index> reverse_groups(const HostArray<Index> &group)
{
  const std::size_t size = group.extent(0);
  auto reversed = make_array<Index>("finegrain::group", size);
  for (std::size_t g = 0; g < size; ++g) reversed(g) = group(size - 1) - group(size - 1 - g);
  return reversed;
}

HostArray<Index> find_first_groups(const Schedule &s, const HostArray<Index> &ordering)
{
  auto groups = make_array<Index>("finegrain::first_groups", std::size_t(std::min(s.rows(), most_shown)));
  for (Index g = 0; g < s.groups(); ++g)
    for (Index at = s.group(g); at < s.group(g + 1); ++at) {
      const Index place = s.order.extent(0) ? s.order(at) : at, row = ordering.extent(0) ? ordering(place) : place;
      if (row < most_shown) groups(row) = g;
    }
  return groups;
}

Widths measure_widths(const Schedule &s)
{
  Widths w;
  w.groups = s.groups();
  if (w.groups == 0) return w;
  w.min = s.rows();
  w.mean = double(s.rows()) / w.groups;
  for (Index g = 0; g < w.groups; ++g) {
    const Index width = s.group(g + 1) - s.group(g);
    w.min = std::min(w.min, width);
    w.max = std::max(w.max, width);
  }
  return w;
}

} // namespace finegrain
