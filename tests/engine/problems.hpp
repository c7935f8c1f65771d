// SPDX-License-Identifier: BSD-2-Clause
// Graphs and matrices for the engine's tests.
#pragma once

#include "kernel_counter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <vector>

namespace finegrain::test
{

// Changes a process-wide setting until the end of a scope.
class Restored
{
  bool &setting_;
  bool before_;

public:
  Restored(bool &setting, bool value) : setting_(setting), before_(setting) { setting = value; }
  ~Restored() { setting_ = before_; }
  Restored(const Restored &) = delete;
  Restored &operator=(const Restored &) = delete;
};

using Rows = std::vector<std::set<Index>>;

inline Graph make_graph(const Rows &rows)
{
  Graph g{Index(rows.size()), make_array<Index>("ptr", rows.size() + 1), {}};
  std::vector<Index> cols;
  g.ptr(0) = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cols.insert(cols.end(), rows[i].begin(), rows[i].end());
    g.ptr(i + 1) = Index(cols.size());
  }
  g.col = make_array<Index>("col", cols.size());
  std::copy(cols.begin(), cols.end(), g.col.data());
  return g;
}

enum class Stencil { star, box };

// Couples each point of a box with all points within `width` along the axes (star) or in the maximum norm (box),
// with periodic wrapping.
inline Graph make_grid_graph(Box box, Stencil stencil, int width = 1, std::array<bool, 3> periodic = {})
{
  const std::array<Index, 3> size{box.i, box.j, box.k};
  Rows rows(std::size_t(box.points()));
  for (Index row = 0; row < Index(rows.size()); ++row) {
    const std::array<Index, 3> at{row % box.i, row / box.i % box.j, row / (box.i * box.j)};
    for (int dk = -width; dk <= width; ++dk)
      for (int dj = -width; dj <= width; ++dj)
        for (int di = -width; di <= width; ++di) {
          const std::array<int, 3> d{di, dj, dk};
          if (stencil == Stencil::star && (di != 0) + (dj != 0) + (dk != 0) > 1) continue;
          std::array<Index, 3> to{};
          bool inside = true;
          for (std::size_t a = 0; a < 3; ++a) {
            to[a] = at[a] + d[a];
            if (periodic[a]) to[a] = (to[a] + width * size[a]) % size[a];
            inside = inside && to[a] >= 0 && to[a] < size[a];
          }
          if (inside) rows[std::size_t(row)].insert(to[0] + box.i * (to[1] + box.j * to[2]));
        }
  }
  return make_graph(rows);
}

// Star or box stencils of several boxes that are not coupled with each other.
inline Graph make_stars(const Grid &grid, Stencil stencil = Stencil::star, int width = 1)
{
  Rows rows;
  for (const Box &box : grid) {
    const Index first = Index(rows.size());
    const Graph star = make_grid_graph(box, stencil, width);
    for (Index i = 0; i < star.rows; ++i) {
      rows.emplace_back();
      for (Index e = star.ptr(i); e < star.ptr(i + 1); ++e) rows.back().insert(first + star.col(e));
    }
  }
  return make_graph(rows);
}

// A diagonal and about `degree` other entries per row. The pattern is symmetric only if `symmetric`.
inline Graph make_random_graph(Index rows, int degree, bool symmetric, unsigned seed)
{
  std::mt19937 random(seed);
  Rows r(std::size_t(rows), std::set<Index>{});
  for (Index i = 0; i < rows; ++i) {
    r[std::size_t(i)].insert(i);
    for (int k = 0; k < degree; ++k) {
      const Index j = Index(random() % std::uint32_t(rows));
      r[std::size_t(i)].insert(j);
      if (symmetric) r[std::size_t(j)].insert(i);
    }
  }
  return make_graph(r);
}

inline Scalar random_scalar(std::mt19937 &random)
{
  std::uniform_real_distribution<double> uniform(-1, 1);
#if defined(FINEGRAIN_COMPLEX)
  const Real re = Real(uniform(random));
  return Scalar(re, Real(uniform(random)));
#else
  return Scalar(uniform(random));
#endif
}

// Dense blocks by columns, entry after entry. Diagonal blocks dominate, so that every factorization is
// well-conditioned.
inline std::vector<Scalar> make_values(const Graph &g, int n, unsigned seed)
{
  std::mt19937 random(seed);
  const std::size_t nn = std::size_t(n) * std::size_t(n);
  std::vector<Scalar> a(std::size_t(g.entries()) * nn);
  for (Scalar &v : a) v = random_scalar(random);
  for (Index i = 0; i < g.rows; ++i)
    for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e)
      if (g.col(e) == i)
        for (std::size_t r = 0; r < std::size_t(n); ++r)
          a[std::size_t(e) * nn + r * std::size_t(n) + r] += Real(1.5 * n * (g.ptr(i + 1) - g.ptr(i)));
  return a;
}

inline std::vector<Scalar> make_vector(std::size_t size, unsigned seed)
{
  std::mt19937 random(seed);
  std::vector<Scalar> v(size);
  for (Scalar &s : v) s = random_scalar(random);
  return v;
}

inline bool same_bits(const std::vector<Scalar> &a, const std::vector<Scalar> &b)
{
  return a.size() == b.size() && (a.empty() || !std::memcmp(a.data(), b.data(), a.size() * sizeof(Scalar)));
}

// Largest difference, relative to the largest entry of b.
inline double difference(const std::vector<Scalar> &a, const std::vector<Scalar> &b)
{
  double most = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = double(magnitude(a[i] - b[i]));
    if (!(d <= most)) most = d; // a NaN counts as large
    size = std::max(size, double(magnitude(b[i])));
  }
  return most / size;
}

inline constexpr double tolerance = 2000. * (sizeof(Real) == 4 ? 6e-8 : 1.1e-16);

// Analyzes, factors and applies; the output is filled with NaN first. The engine and Kokkos both count launches.
struct Problem {
  Graph graph;
  int n;
  std::vector<Scalar> values, b;

  Problem(Graph g, int block, unsigned seed = 7)
      : graph(g),
        n(block),
        values(make_values(g, block, seed)),
        b(make_vector(std::size_t(g.rows) * std::size_t(block), seed))
  {
  }
  OperatorView view() const
  {
    OperatorView v;
    v.block = n;
    v.owned = graph;
    return v;
  }
  MatrixValues source() const { return {values.data(), nullptr, nullptr}; }

  std::vector<Scalar> apply(Engine &e, int factor = 0) const
  {
    std::vector<Scalar> x(b.size(), Scalar(std::numeric_limits<Real>::quiet_NaN()));
    e.apply({.b = b.data(), .x = x.data(), .factor = factor});
    return x;
  }
  std::vector<Scalar> solve(const EngineOptions &options, Statistics *statistics = nullptr) const
  {
    auto e = make_tested_engine(options.method);
    if (e->analyze(view(), options)) return {};
    const KernelCounter kernels; // after the analysis, which may use several threads for colorings
    if (e->factor(source()).bad_row != -1) return {};
    auto x = apply(*e);
    if (KernelCounter::sees_all()) {
      EXPECT_EQ(e->statistics().launches, kernels.count());
    }
    if (statistics) *statistics = e->statistics();
    return x;
  }
};

// Makes the matrix of a symmetric graph symmetric or Hermitian: entries below the diagonal become those above it, or
// their conjugates.
inline void symmetrize_values(Problem &p, bool hermitian = false)
{
  const std::size_t n = std::size_t(p.n);
  const auto entry = [&](Index i, Index j) {
    const Index *first = p.graph.col.data() + p.graph.ptr(i), *last = p.graph.col.data() + p.graph.ptr(i + 1);
    return std::size_t(std::find(first, last, j) - p.graph.col.data());
  };
  for (Index i = 0; i < p.graph.rows; ++i)
    for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < n; ++c)
          if (const Index j = p.graph.col(e); j < i || (j == i && c <= r)) {
            const Scalar above = p.values[(entry(j, i) * n + r) * n + c];
            Scalar &below = p.values[(std::size_t(e) * n + c) * n + r];
            if (!hermitian) below = above;
            else below = j == i && c == r ? Scalar(real_part(above)) : conjugate(above);
          }
}

// Expects bitwise identical solutions from every algorithm and schedule.
inline void expect_same_bits(const Problem &p, EngineOptions r, const std::string &name)
{
  const auto x = p.solve(r);
  for (const Algorithm e : algorithms())
    for (const ScheduleKind s : {ScheduleKind::automatic, ScheduleKind::level}) {
      r.algorithm = e;
      r.schedule = s;
      EXPECT_TRUE(same_bits(p.solve(r), x)) << name << ", algorithm " << int(e) << ", schedule " << int(s);
    }
}

} // namespace finegrain::test
