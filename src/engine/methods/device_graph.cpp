#include "methods/device_graph.hpp"

#include "base/atomics.hpp"
#include "methods/flat_kernels.hpp"
#include "plan/device_cost.hpp"
#include "plan/lines.hpp"

#include <algorithm>
#include <utility>

namespace finegrain
{

namespace
{

using namespace detail; // flat_kernels.hpp

// Columns ascend.
struct Entries {
  const Index *ptr, *col;

  KOKKOS_FORCEINLINE_FUNCTION bool has(Index row, Index column) const
  {
    return find_column(col, ptr[row], ptr[row + 1], column) >= 0;
  }
};

// The first row without a diagonal entry, or -1 where the graph is not one.
struct CheckRow {
  Entries g;
  Index entries, columns;

  KOKKOS_FUNCTION void operator()(Offset i, Index &least) const
  {
    const RowForm form = check_row(g.ptr, g.col, entries, columns, Index(i));
    const Index found = form.good ? Index(i) : -1;
    if (!(form.good && form.has_diagonal) && found < least) least = found;
  }
};

struct HasTranspose {
  Entries g;

  KOKKOS_FUNCTION void operator()(Offset i, Index &missing) const
  {
    for (Index e = g.ptr[i]; e < g.ptr[i + 1]; ++e) missing += !g.has(g.col[e], Index(i));
  }
};

struct IsStarRow {
  Entries g;
  Box box;
  Index corner; // the box's first row

  KOKKOS_FUNCTION void operator()(Offset p, Index &others) const
  {
    const Box at = box.point(Index(p));
    others += !is_star_row(g.ptr, g.col, corner + Index(p), box, at.i, at.j, at.k);
  }
};

struct HasNoValidColor {
  Entries g;
  const Index *color;
  Index colors;

  KOKKOS_FUNCTION void operator()(Offset i, Index &wrong) const
  {
    wrong += !has_valid_color(g.ptr, g.col, color, colors, Index(i));
  }
};

struct NumberPlanes {
  PlaneWeights weight;
  Box box;
  Index *plane; // of the box's first row

  KOKKOS_FUNCTION void operator()(Offset p) const
  {
    const Box at = box.point(Index(p));
    plane[p] = weight.plane(at.i, at.j, at.k);
  }
};

struct GoesAgainstPlanes {
  Entries g;
  const Index *plane;

  KOKKOS_FUNCTION void operator()(Offset i, Index &wrong) const
  {
    wrong += !keeps_directions(g.ptr, g.col, plane, Index(i));
  }
};

// Rows that wait for no other. The order in `ready` is anybody's; results do not depend on it.
struct CountWaits {
  Entries g;
  Index *waits, *ready, *count;

  KOKKOS_FUNCTION void operator()(Offset i) const
  {
    const Index row = Index(i);
    Index for_rows = 0;
    for (Index e = g.ptr[row]; e < g.ptr[row + 1]; ++e) for_rows += g.col[e] < row;
    waits[row] = for_rows;
    if (for_rows == 0) ready[atomic_fetch_add(count, 1)] = row;
  }
};

template <class Visit> struct VisitFrontier {
  Entries g;
  Visit visit;
  const Index *frontier;
  Index step;
  Index *waits, *ready, *count;

  KOKKOS_FUNCTION void operator()(Offset p) const
  {
    const Index row = frontier[p];
    visit(g, row, step);
    for (Index e = g.ptr[row]; e < g.ptr[row + 1]; ++e)
      if (const Index c = g.col[e]; c > row && atomic_fetch_add(waits + c, -1) == 1)
        ready[atomic_fetch_add(count, 1)] = c;
  }
};

struct SetLevel {
  Index *level;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Entries &, Index row, Index step) const { level[row] = step; }
};

// The smallest color that no neighbor of a smaller number has.
struct SetColor {
  Index *color;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Entries &g, Index row, Index) const
  {
    for (Index first = 0;; first += 64) {
      std::uint64_t taken = 0;
      for (Index e = g.ptr[row]; e < g.ptr[row + 1]; ++e)
        if (g.col[e] < row)
          if (const Index c = color[g.col[e]] - first; 0 <= c && c < 64) taken |= std::uint64_t(1) << c;
      for (Index c = 0; c < 64; ++c)
        if (!(taken >> c & 1)) {
          color[row] = first + c;
          return;
        }
    }
  }
};

// Sorting by counting. Rows are cut into pieces, table[group * pieces + piece] is first the number of a piece's rows
// in a group, then the position of the first of them.
struct PieceOfRows {
  const Index *group_of;
  Index *table;
  Index rows, pieces;

  KOKKOS_FORCEINLINE_FUNCTION Index first(Offset piece) const { return Index(rows * piece / pieces); }
  KOKKOS_FORCEINLINE_FUNCTION Index &at(Index row, Offset piece) const
  {
    return table[Offset(group_of[row]) * pieces + piece];
  }
};
struct CountRows {
  PieceOfRows p;

  KOKKOS_FUNCTION void operator()(Offset piece) const
  {
    for (Index row = p.first(piece); row < p.first(piece + 1); ++row) ++p.at(row, piece);
  }
};
struct PlaceRows {
  PieceOfRows p;
  Index *order;

  KOKKOS_FUNCTION void operator()(Offset piece) const
  {
    for (Index row = p.first(piece); row < p.first(piece + 1); ++row) order[p.at(row, piece)++] = row;
  }
};
struct FirstOfGroup {
  const Index *table;
  Index pieces;
  Index *first;

  KOKKOS_FUNCTION void operator()(Offset group) const { first[group] = table[group * pieces]; }
};

} // namespace

template <class Exec> DeviceGraph<Exec>::DeviceGraph(const Exec &exec, const Graph &g)
    : exec_(exec), graph_(g), ptr_(copy_to<Space>(g.ptr)), col_(copy_to<Space>(g.col))
{
}

template <class Exec> bool DeviceGraph<Exec>::is_of(const Graph &g) const
{
  return g.rows == graph_.rows && g.ptr.data() == graph_.ptr.data() && g.col.data() == graph_.col.data();
}

template <class Exec> Form DeviceGraph<Exec>::check_form(Index columns) const
{
  const Index rows = graph_.rows, entries = Index(col_.extent(0));
  Index least = rows;
  run_flat_reduction(exec_, rows, CheckRow{{ptr_.data(), col_.data()}, entries, columns}, Kokkos::Min<Index>(least));
  if (rows == 0 || least >= rows) return {};
  return {least >= 0, least};
}

template <class Exec> bool DeviceGraph<Exec>::has_long_rows() const
{
  constexpr Index longest = 512;
  return find_longest_row(exec_, ptr_) > longest;
}

template <class Exec> bool DeviceGraph<Exec>::is_symmetric() const
{
  if (!symmetric_) symmetric_ = count_flat(exec_, graph_.rows, HasTranspose{{ptr_.data(), col_.data()}}) == 0;
  return *symmetric_;
}

template <class Exec> bool DeviceGraph<Exec>::is_complete_star(const Grid &grid) const
{
  if (count_points(grid) != graph_.rows) return false;
  Index corner = 0;
  for (const Box &box : grid) {
    if (count_flat(exec_, box.points(), IsStarRow{{ptr_.data(), col_.data()}, box, corner}) > 0) return false;
    corner += Index(box.points());
  }
  return true;
}

template <class Exec> bool DeviceGraph<Exec>::is_valid(const Coloring &c) const
{
  if (Index(c.color.extent(0)) != graph_.rows) return false;
  const auto color = copy_to<Space>(c.color);
  return count_flat(exec_, graph_.rows, HasNoValidColor{{ptr_.data(), col_.data()}, color.data(), c.colors}) == 0;
}

template <class Exec> std::optional<Schedule> DeviceGraph<Exec>::schedule_hyperplanes(const Grid &grid) const
{
  if (count_points(grid) != graph_.rows) return std::nullopt;
  const auto plane = make_array<Index, Space>("finegrain::plane", std::size_t(graph_.rows));
  for (Index s = 0; s <= widest_box_stencil; ++s) {
    const PlaneWeights weight = plane_weights(s);
    Index *first = plane.data();
    for (const Box &box : grid) {
      run_flat(exec_, box.points(), NumberPlanes{weight, box, first});
      first += box.points();
    }
    if (count_flat(exec_, graph_.rows, GoesAgainstPlanes{{ptr_.data(), col_.data()}, plane.data()}) == 0)
      return sort_rows(ScheduleKind::hyperplane, weight.planes(grid), plane);
  }
  return std::nullopt;
}

template <class Exec> std::optional<Schedule> DeviceGraph<Exec>::schedule_levels() const
{
  const auto level = make_array<Index, Space>("finegrain::level", std::size_t(graph_.rows));
  const auto levels = each_frontier(SetLevel{level.data()});
  if (!levels) return std::nullopt;
  return sort_rows(ScheduleKind::level, *levels, level);
}

template <class Exec> std::optional<Coloring> DeviceGraph<Exec>::color_greedy() const
{
  const auto color = make_array<Index, Space>("finegrain::color", std::size_t(graph_.rows));
  if (!each_frontier(SetColor{color.data()})) return std::nullopt;
  Index last = -1;
  run_flat_reduction(exec_, graph_.rows, LargestOf<Index>{color.data()}, Kokkos::Max<Index>(last));
  return Coloring{graph_.rows ? last + 1 : 0, copy_to<Kokkos::HostSpace>(color)};
}

template <class Exec> Schedule DeviceGraph<Exec>::schedule_colors(const Coloring &c) const
{
  return sort_rows(ScheduleKind::color, c.colors, copy_to<Space>(c.color));
}

template <class Exec> template <class Visit> std::optional<Index> DeviceGraph<Exec>::each_frontier(Visit visit) const
{
  const Index rows = graph_.rows;
  const Index most = most_frontiers({}, rows);
  if (!is_symmetric()) return std::nullopt;
  const auto waits = make_array<Index, Space>("finegrain::waits", std::size_t(rows)),
             ready = make_array<Index, Space>("finegrain::ready", std::size_t(rows));
  const Array<Index, Space> count("finegrain::count", 1);
  const Entries g{ptr_.data(), col_.data()};
  const auto counted = [&] {
    const HostArray<Index> on_host("finegrain::count", 1);
    Kokkos::deep_copy(exec_, on_host, count);
    exec_.fence();
    return on_host(0);
  };
  run_flat(exec_, rows, CountWaits{g, waits.data(), ready.data(), count.data()});
  Index first = 0, step = 0;
  for (Index last = counted(); first < last; ++step) {
    if (step >= most) return std::nullopt;
    run_flat(exec_, last - first,
             VisitFrontier<Visit>{g, visit, ready.data() + first, step, waits.data(), ready.data(), count.data()});
    first = std::exchange(last, counted());
  }
  return step;
}

template <class Exec>
Schedule DeviceGraph<Exec>::sort_rows(ScheduleKind kind, Index groups, const Array<Index, Space> &group_of) const
{
  constexpr Offset narrow = 16, per_row = 8; // rows of a group; numbers in the table
  constexpr Offset most_pieces = 8192;
  const Index rows = graph_.rows;
  if (rows < narrow * groups) return finegrain::sort_rows(kind, groups, copy_to<Kokkos::HostSpace>(group_of));
  const Index pieces = Index(std::clamp(per_row * rows / std::max(groups, Index(1)), Offset(1), most_pieces));
  const Offset numbers = Offset(groups) * pieces;
  const Array<Index, Space> table("finegrain::table", std::size_t(numbers));
  const auto order = make_array<Index, Space>("finegrain::order", std::size_t(rows)),
             first = make_array<Index, Space>("finegrain::first", std::size_t(groups));
  const PieceOfRows p{group_of.data(), table.data(), rows, pieces};
  run_flat(exec_, pieces, CountRows{p});
  scan_flat(exec_, numbers, SumBefore<Index>{table.data()});
  run_flat(exec_, groups, FirstOfGroup{table.data(), pieces, first.data()});
  run_flat(exec_, pieces, PlaceRows{p, order.data()});
  exec_.fence();

  const auto on_host = copy_to<Kokkos::HostSpace>(first);
  std::vector<Index> cut(on_host.data(), on_host.data() + groups);
  cut.push_back(rows);
  if (kind != ScheduleKind::color) cut.erase(std::unique(cut.begin(), cut.end()), cut.end()); // groups without rows
  return {kind, copy_to<Kokkos::HostSpace>(order), to_array("finegrain::group", cut)};
}

template class DeviceGraph<HostExec>;
#if defined(KOKKOS_ENABLE_CUDA)
template class DeviceGraph<DeviceExec>;
#endif

} // namespace finegrain
