// SPDX-License-Identifier: BSD-2-Clause
// Graphs of many kinds for the tests of colorings, and a reference coloring.
#pragma once

#include "problems.hpp"

#include <numeric>

namespace finegrain::test
{

using Keys = HostArray<std::int64_t>;

template <class T> std::vector<T> to_vector(const HostArray<T> &a) { return {a.data(), a.data() + a.extent(0)}; }

// True if every row occurs once, no group is empty, and couplings in either direction are only between different
// groups, with the smaller row in the earlier one.
inline bool follows_couplings(const Schedule &s, const Graph &g)
{
  std::vector<Index> group_of(std::size_t(g.rows), -1);
  if (s.rows() != g.rows || s.group(0) != 0 || s.group(s.groups()) != g.rows) return false;
  for (Index k = 0; k < s.groups(); ++k) {
    if (s.group(k) >= s.group(k + 1)) return false;
    for (Index p = s.group(k); p < s.group(k + 1); ++p) {
      if (group_of[std::size_t(s.order(p))] != -1) return false;
      group_of[std::size_t(s.order(p))] = k;
    }
  }
  for (Index i = 0; i < g.rows; ++i)
    for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e) {
      const Index j = g.col(e), mine = group_of[std::size_t(i)], theirs = group_of[std::size_t(j)];
      if (j < i ? theirs >= mine : j > i && mine >= theirs) return false;
    }
  return true;
}

inline Keys make_keys(const std::vector<std::int64_t> &from)
{
  auto keys = make_array<std::int64_t>("key", from.size());
  std::copy(from.begin(), from.end(), keys.data());
  return keys;
}

inline Graph make_complete(Index rows)
{
  Rows r(std::size_t(rows), std::set<Index>{});
  for (auto &row : r)
    for (Index j = 0; j < rows; ++j) row.insert(j);
  return make_graph(r);
}

// The row `hub`, the first or last one, is coupled to all others.
inline Graph make_hub(Index rows, Index hub)
{
  Rows r(std::size_t(rows), std::set<Index>{});
  for (Index i = 0; i < rows; ++i) r[std::size_t(i)] = {i, hub};
  return make_graph(r);
}

inline Graph make_path(Index rows) { return make_grid_graph({rows, 1, 1}, Stencil::star); }

// Grids, special cases and random graphs, with their diagonals, some of them not symmetric.
inline std::vector<Graph> make_graphs()
{
  std::vector<Graph> graphs{make_graph({}),
                            make_graph({{}}),
                            make_graph({{0}}),
                            make_graph(Rows(5)),
                            make_graph({{1}, {}, {0, 3}, {}}),
                            make_complete(9),
                            make_hub(20, 0),
                            make_hub(20, 19),
                            make_path(30),
                            make_grid_graph({6, 5, 4}, Stencil::star),
                            make_grid_graph({6, 5, 4}, Stencil::star, 2),
                            make_grid_graph({5, 5, 3}, Stencil::box),
                            make_grid_graph({5, 4, 3}, Stencil::star, 1, {true, true, false})};
  for (unsigned seed = 0; seed < 24; ++seed)
    graphs.push_back(make_random_graph(20 + Index(seed * 7), int(seed % 6), seed % 2, seed));
  return graphs;
}

inline std::vector<Graph> make_symmetric_graphs()
{
  std::vector<Graph> graphs;
  for (const Graph &g : make_graphs()) graphs.push_back(symmetrize(g));
  return graphs;
}

// Random distinct 64-bit keys.
inline std::vector<std::int64_t> random_keys(Index rows, unsigned seed)
{
  std::mt19937_64 random(seed);
  std::set<std::int64_t> keys;
  while (Index(keys.size()) < rows) keys.insert(std::int64_t(random()));
  std::vector<std::int64_t> shuffled(keys.begin(), keys.end());
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  return shuffled;
}

inline std::vector<Index> natural_order(Index rows)
{
  std::vector<Index> order(std::size_t(rows), 0);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Greedy coloring, row after row in this order.
inline std::vector<Index> color_plainly(const Graph &g, const std::vector<Index> &order)
{
  std::vector<Index> color(std::size_t(g.rows), -1);
  for (const Index row : order) {
    std::set<Index> taken;
    for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e) taken.insert(color[std::size_t(g.col(e))]);
    Index &c = color[std::size_t(row)] = 0;
    while (taken.count(c)) ++c;
  }
  return color;
}

} // namespace finegrain::test
