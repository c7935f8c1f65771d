#include "schedule.hpp"

#include <algorithm>

namespace finegrain
{

namespace
{

// Rows sorted by group, ascending inside a group; groups without a row are left out.
Schedule sort_rows(ScheduleKind kind, Index groups, const HostArray<Index> &group_of)
{
  const Index rows = Index(group_of.extent(0));
  Schedule    s{kind, make_array<Index>("finegrain::order", std::size_t(rows)), {}};

  std::vector<Index> first(std::size_t(groups) + 1, 0);
  for (Index r = 0; r < rows; ++r) ++first[std::size_t(group_of(r)) + 1];
  std::vector<Index> cut(1, 0);
  for (std::size_t g = 0; g < std::size_t(groups); ++g) {
    if (first[g + 1] > 0) cut.push_back(cut.back() + first[g + 1]);
    first[g + 1] += first[g];
  }
  for (Index r = 0; r < rows; ++r) s.order(first[std::size_t(group_of(r))]++) = r;
  s.group = make_array<Index>("finegrain::group", cut.size());
  std::copy(cut.begin(), cut.end(), s.group.data());
  return s;
}

// Levels of the rows [first, last), set to zero before, by their couplings to each other in either direction. Returns
// their number.
Index find_levels(const Graph &g, Index first, Index last, const HostArray<Index> &level)
{
  Index levels = 0;
  for (Index i = first; i < last; ++i) {
    // Rows before i have pushed their level across entries of the transpose; pull across our own, then push.
    for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e)
      if (g.col(e) < i && g.col(e) >= first) level(i) = std::max(level(i), level(g.col(e)) + 1);
    for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e)
      if (g.col(e) > i && g.col(e) < last) level(g.col(e)) = std::max(level(g.col(e)), level(i) + 1);
    levels = std::max(levels, level(i) + 1);
  }
  return levels;
}

} // namespace

std::optional<Schedule> schedule_hyperplanes(const Grid &grid, const Graph &g)
{
  const auto planes = find_hyperplanes(grid, g);
  if (!planes) return std::nullopt;
  return sort_rows(ScheduleKind::hyperplane, planes->count, planes->plane);
}

Schedule schedule_levels(const Graph &g)
{
  HostArray<Index> level("finegrain::level", std::size_t(g.rows));
  const Index      levels = find_levels(g, 0, g.rows, level);
  return sort_rows(ScheduleKind::level, levels, level);
}

HostArray<Index> order_windows(const Graph &g, double width)
{
  constexpr Index smallest = 64, largest = 16384;
  for (Index window = smallest; window <= largest && window < 2 * g.rows; window *= 2) {
    HostArray<Index> level("finegrain::level", std::size_t(g.rows));
    Index            levels = 0; // those of later windows follow those of earlier ones
    for (Index first = 0; first < g.rows; first += window) {
      const Index last  = std::min(first + window, g.rows);
      const Index inner = find_levels(g, first, last, level);
      for (Index i = first; i < last; ++i) level(i) += levels;
      levels += inner;
    }
    if (g.rows >= width * levels) return sort_rows(ScheduleKind::level, levels, level).order;
  }
  return {};
}

Widths measure_widths(const Schedule &s)
{
  Widths w;
  w.groups = s.groups();
  if (w.groups == 0) return w;
  w.min  = s.rows();
  w.mean = double(s.rows()) / w.groups;
  for (Index g = 0; g < w.groups; ++g) {
    const Index width = s.group(g + 1) - s.group(g);
    w.min             = std::min(w.min, width);
    w.max             = std::max(w.max, width);
  }
  return w;
}

} // namespace finegrain
