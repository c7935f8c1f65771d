// SPDX-License-Identifier: BSD-2-Clause
// Plain multicolored ILU(p,q): each step dense, sequential and according to its definition (numerics.md 3).
#pragma once

#include "graphs.hpp"
#include "relax_oracle.hpp"

namespace finegrain::test
{

using Dense = std::vector<std::vector<int>>;

inline Dense make_dense(Index rows, int value)
{
  return Dense(std::size_t(rows), std::vector<int>(std::size_t(rows), value));
}

inline HostArray<Index> to_order(const std::vector<Index> &v) { return to_array("order", v); }

inline std::vector<Index> invert(const std::vector<Index> &order)
{
  std::vector<Index> place(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) place[std::size_t(order[p])] = Index(p);
  return place;
}

inline std::vector<Index> random_order(Index rows, unsigned seed)
{
  std::mt19937 random(seed);
  std::vector<Index> order = natural_order(rows);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

// Boolean powers of the symmetrized pattern with its diagonal. The result has no diagonal.
inline Graph plain_power(const Graph &g, int power)
{
  const std::size_t n = std::size_t(g.rows);
  Dense a = make_dense(g.rows, 0);
  for (std::size_t i = 0; i < n; ++i) {
    a[i][i] = 1;
    for (Index e = g.ptr(Index(i)); e < g.ptr(Index(i) + 1); ++e) a[i][std::size_t(g.col(e))] = 1;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) a[i][j] |= a[j][i];
  Dense product = a;
  for (int factor = 1; factor < power; ++factor) {
    const Dense left = std::exchange(product, make_dense(g.rows, 0));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        if (left[i][k])
          for (std::size_t j = 0; j < n; ++j) product[i][j] |= a[k][j];
  }
  Rows rows(n, std::set<Index>{});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (product[i][j] && i != j) rows[i].insert(Index(j));
  return make_graph(rows);
}

// Levels of fill of all entries, computed by the IKJ loop in an elimination order.
struct PlainFill {
  static constexpr int none = 1 << 20;
  Dense level;
  Offset dropped = 0;

  // Entries between rows of one color are dropped. An empty `color` drops none.
  PlainFill(const Graph &g, const std::vector<Index> &order, int levels, const std::vector<Index> &color)
      : level(make_dense(g.rows, none))
  {
    for (Index i = 0; i < g.rows; ++i) {
      level[std::size_t(i)][std::size_t(i)] = 0;
      for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e) level[std::size_t(i)][std::size_t(g.col(e))] = 0;
    }
    std::set<std::pair<std::size_t, std::size_t>> ignored;
    for (std::size_t a = 0; a < order.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        for (std::size_t c = b + 1; c < order.size(); ++c) {
          const auto i = std::size_t(order[a]), k = std::size_t(order[b]), j = std::size_t(order[c]);
          const int found = level[i][k] + level[k][j] + 1;
          if (found > levels || found >= level[i][j]) continue;
          if (!color.empty() && color[i] == color[j]) ignored.insert({i, j});
          else level[i][j] = found;
        }
    dropped = Offset(ignored.size());
  }
  bool has(Index i, Index j) const { return level[std::size_t(i)][std::size_t(j)] != none; }
};

// Colors of the rows, and the order of elimination: that of the options if there are no colors.
struct PlainColors {
  std::vector<Index> order, color;
  Index colors = 0;

  PlainColors(const Graph &g, const EngineOptions &r) : order(natural_order(g.rows))
  {
    if (r.ordering.extent(0)) order = to_vector(r.ordering);
    if (r.schedule != ScheduleKind::color) return;
    const Graph power = plain_power(g, r.power ? r.power : r.levels + 1);
    const auto place = invert(order);
    Rows rows(order.size(), std::set<Index>{}); // the same graph, numbered in the order of elimination
    for (Index i = 0; i < g.rows; ++i)
      for (Index e = power.ptr(i); e < power.ptr(i + 1); ++e)
        rows[std::size_t(place[std::size_t(i)])].insert(place[std::size_t(power.col(e))]);
    const auto kind = r.coloring == ColoringKind::automatic ? ColoringKind::greedy : r.coloring;
    const Graph numbered = make_graph(rows);
    std::vector<Index> of_place = color_plainly(numbered, natural_order(g.rows));
    for (const Index c : of_place) colors = std::max(colors, c + 1);
    if (kind != ColoringKind::greedy || r.balanced) { // these colorings have their own tests
      Coloring c = make_coloring(kind, numbered, r.grid).value();
      if (r.balanced) balance_colors(numbered, c);
      of_place = to_vector(c.color);
      colors = c.colors;
    }
    for (std::size_t i = 0; i < order.size(); ++i) color.push_back(of_place[std::size_t(place[i])]);
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return color[std::size_t(a)] < color[std::size_t(b)]; });
  }
  bool same(Index i, Index j) const { return color[std::size_t(i)] == color[std::size_t(j)]; }
};

// The factor is the plain ILU(0) of the matrix that contains the fill as zeros, with its rows in elimination order.
// The factor of the transposed matrix is the transposed factor.
class PlainIlu
{
public:
  PlainColors colors;
  Index fill = 0, entries = 0, inside = 0; // inside: fill between rows of one color, if it is factored
  Index near = 0, near_fill = 0;           // entries within the dropped radius, and those of them that are fill
  Offset dropped = 0;

  PlainIlu(const Problem &p, const EngineOptions &r, bool transposed = false)
      : colors(p.graph, r), n_(std::size_t(p.n)), factor_(expand(p, r, transposed), r.factor == FactorKind::dilu)
  {
    if (r.drop == Drop::after && colors.colors > 0) {
      factor_.clear([&](Index a, Index b) { return colors.same(row(a), row(b)); });
      dropped = inside;
      fill -= inside;
      entries -= inside;
    }
    if (r.drop_band > 0 && colors.colors == 0) {
      factor_.clear([&](Index a, Index b) { return is_near(a, b, r); });
      dropped = near;
      fill -= near_fill;
      entries -= near;
    }
  }
  std::vector<Scalar> solve(const std::vector<Scalar> &b) const
  {
    std::vector<Scalar> placed(b.size()), x(b.size());
    copy_blocks(b, placed, [&](std::size_t p) { return std::pair(std::size_t(row(Index(p))), p); });
    copy_blocks(factor_.solve(placed), x, [&](std::size_t p) { return std::pair(p, std::size_t(row(Index(p)))); });
    return x;
  }

private:
  Index row(Index place) const { return colors.order[std::size_t(place)]; }
  static bool has_entry(const Graph &g, Index i, Index j)
  {
    return std::binary_search(g.col.data() + g.ptr(i), g.col.data() + g.ptr(i + 1), j);
  }
  static bool is_near(Index a, Index b, const EngineOptions &r) { return a != b && std::abs(a - b) <= r.drop_band; }

  Problem expand(const Problem &p, const EngineOptions &r, bool transposed)
  {
    const bool by_color = r.drop == Drop::during && colors.colors > 0;
    const PlainFill f(p.graph, colors.order, r.levels, by_color ? colors.color : std::vector<Index>());
    dropped = f.dropped;
    Rows rows(colors.order.size(), std::set<Index>{});
    for (Index a = 0; a < p.graph.rows; ++a)
      for (Index b = 0; b < p.graph.rows; ++b)
        if (f.has(row(a), row(b))) {
          rows[std::size_t(transposed ? b : a)].insert(transposed ? a : b);
          ++entries;
          inside += a != b && colors.colors > 0 && colors.same(row(a), row(b));
          near += is_near(a, b, r);
          near_fill += is_near(a, b, r) && !has_entry(p.graph, row(a), row(b));
        }
    fill = entries - p.graph.entries();
    Problem q(make_graph(rows), p.n);
    const auto place = invert(colors.order);
    const auto &g = p.graph;
    std::fill(q.values.begin(), q.values.end(), Scalar(0));
    for (Index i = 0; i < g.rows; ++i)
      for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e) {
        const Index a = place[std::size_t(i)], b = place[std::size_t(g.col(e))], to = transposed ? b : a;
        const Index *first = q.graph.col.data() + q.graph.ptr(to), *last = q.graph.col.data() + q.graph.ptr(to + 1);
        const auto at = std::size_t(std::find(first, last, transposed ? a : b) - q.graph.col.data());
        for (std::size_t c = 0; c < n_; ++c)
          for (std::size_t s = 0; s < n_; ++s)
            q.values[(at * n_ + (transposed ? s : c)) * n_ + (transposed ? c : s)] =
              p.values[(std::size_t(e) * n_ + c) * n_ + s];
      }
    return q;
  }
  // Copies blocks between two vectors; from_to(place) returns the source and target block.
  template <class FromTo>
  void copy_blocks(const std::vector<Scalar> &from, std::vector<Scalar> &to, const FromTo &from_to) const
  {
    for (std::size_t p = 0; p < colors.order.size(); ++p) {
      const auto [a, b] = from_to(p);
      std::copy_n(from.begin() + std::ptrdiff_t(a * n_), n_, to.begin() + std::ptrdiff_t(b * n_));
    }
  }

  std::size_t n_;
  OracleFactor factor_;
};

} // namespace finegrain::test
