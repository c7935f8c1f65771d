// SPDX-License-Identifier: BSD-2-Clause
#include "distributed/shared_plan.hpp"

#include "order/elimination.hpp"
#include "run/make_plan.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace finegrain
{

namespace
{

template <class Less> HostArray<Index> sort_rows(Index count, const Less &less)
{
  auto rows = make_array<Index>("finegrain::order", std::size_t(count));
  std::iota(rows.data(), rows.data() + count, Index(0));
  std::sort(rows.data(), rows.data() + count, less);
  return rows;
}

// Sorts rows by color and key. With `stored`, sent rows come first in a color and rows of other ranks last, which is
// possible because rows of a color do not depend on each other.
HostArray<Index> order_by_color(const SharedRows &s, Index owned, bool stored)
{
  const auto turn = [&](Index row) { return !stored ? 0 : row >= owned ? 2 : s.sent[std::size_t(row)] ? 0 : 1; };
  return sort_rows(s.selection.graph.rows, [&](Index a, Index b) {
    return std::tuple(s.color(a), turn(a), s.key(a)) < std::tuple(s.color(b), turn(b), s.key(b));
  });
}

// Returns the storage order: rows of other ranks that precede owned ones (*before is their number), the owned rows in
// the order of the tiles, the other ranks' remaining rows. Rows of the second ring, which sip has, precede the owned
// ones if a neighbor in the first ring does, so that every coupling keeps its direction.
HostArray<Index> order_by_tile(const SharedRows &s, const HostArray<Index> &order, Index *before)
{
  const Graph &g = s.selection.graph;
  const Index all = g.rows, owned = Index(order.extent(0));
  std::vector<char> precedes(std::size_t(all), 0), first_ring(std::size_t(all), 0);
  const auto each_coupling = [&](const auto &visit) {
    for (Index row = 0; row < all; ++row)
      for (Index f = g.ptr(row); f < g.ptr(row + 1); ++f) {
        visit(row, g.col(f));
        visit(g.col(f), row);
      }
  };
  each_coupling([&](Index other, Index own) {
    if (other < owned || own >= owned) return;
    first_ring[std::size_t(other)] = 1;
    precedes[std::size_t(other)] = s.key(other) < s.key(own);
  });
  each_coupling([&](Index neighbor, Index other) {
    if (neighbor >= owned && !first_ring[std::size_t(neighbor)] && first_ring[std::size_t(other)])
      precedes[std::size_t(neighbor)] |= precedes[std::size_t(other)];
  });
  auto rows = make_array<Index>("finegrain::order", std::size_t(all));
  Index at = 0;
  const auto add_others = [&](bool wanted) {
    const Index from = at;
    for (Index row = owned; row < all; ++row)
      if (bool(precedes[std::size_t(row)]) == wanted) rows(at++) = row;
    std::sort(rows.data() + from, rows.data() + at, [&](Index a, Index b) { return s.key(a) < s.key(b); });
  };
  add_others(true);
  *before = at;
  for (Index p = 0; p < owned; ++p) rows(at++) = order(p);
  add_others(false);
  return rows;
}

SetupError plan_tiles(const OperatorView &view, EngineOptions options, SharedPlan &p)
{
  const SharedRows &s = view.shared;
  Elimination e;
  Index before;
  e.selection.graph = view.owned;
  options.algorithm = Algorithm::tasks; // for one thread
  if (const SetupError error = make_plan(e, view.block, options, {}, p.plan)) return error;
  p.plan.algorithm = Algorithm::sequential;
  p.plan.reason = "tiles, one after the other";
  p.place = sort_rows(s.selection.graph.rows, [&](Index a, Index b) { return s.key(a) < s.key(b); });
  p.row_of = order_by_tile(s, p.plan.row_of, &before);
  const Tasks<Kokkos::HostSpace> &tasks = p.plan.tasks.tasks;
  for (Index t = 0; t < tasks.count(); ++t) {
    for (Index at = tasks.first(t); at < tasks.first(t + 1); ++at) p.stage_of(p.plan.row_of(at)) = t;
    p.stages.push_back({before + tasks.first(t), before + tasks.first(t + 1), before + tasks.first(t + 1)});
  }
  p.plan.tasks = {};
  return {};
}

void plan_colors(const OperatorView &view, const EngineOptions &options, const Machine &machine, SharedPlan &p)
{
  const SharedRows &s = view.shared;
  const Index owned = view.owned.rows, all = s.selection.graph.rows;
  p.place = order_by_color(s, owned, false);
  p.row_of = order_by_color(s, owned, true);
  auto group = make_array<Index>("finegrain::group", std::size_t(s.colors) + 1); // owned rows only
  group(0) = 0;
  for (Index row = 0; row < owned; ++row) p.stage_of(row) = s.color(row);
  Index at = 0;
  for (Index c = 0; c < s.colors; ++c) {
    const auto pass = [&](const auto &wanted) {
      while (at < all && s.color(p.row_of(at)) == c && wanted(p.row_of(at))) ++at;
      return at;
    };
    Stage stage;
    stage.first = at;
    stage.split = pass([&](Index row) { return row < owned && s.sent[std::size_t(row)]; });
    stage.last = pass([&](Index row) { return row < owned; });
    pass([](Index) { return true; });
    p.stages.push_back(stage);
    group(c + 1) = group(c) + stage.last - stage.first;
  }
  p.plan.schedule = {ScheduleKind::color, {}, group};
  p.plan.first_groups = make_array<Index>("finegrain::first_groups", std::size_t(std::min(owned, most_shown)));
  for (Index row = 0; row < Index(p.plan.first_groups.extent(0)); ++row) p.plan.first_groups(row) = s.color(row);
  p.plan.algorithm = options.algorithm != Algorithm::automatic ? options.algorithm
                     : machine.threads > 1                     ? Algorithm::levels
                                                               : Algorithm::sequential;
  p.plan.reason = options.algorithm == Algorithm::automatic ? "an exchange after each color" : "as given";
}

} // namespace

SetupError make_shared_plan(const OperatorView &view, const EngineOptions &options, const Machine &machine,
                            SharedPlan &p)
{
  p = {};
  p.stage_of = make_array<Index>("finegrain::stage", std::size_t(view.owned.rows));
  if (options.pipelined) return plan_tiles(view, options, p);
  plan_colors(view, options, machine, p);
  return {};
}

} // namespace finegrain
