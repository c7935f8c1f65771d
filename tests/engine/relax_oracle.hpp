// SPDX-License-Identifier: BSD-2-Clause
// Plain relaxations, one sequential and one dense, equal up to rounding. Options of tests, and graphs.
#pragma once

#include "oracle.hpp"

#include <cstring>
#include <string>

namespace finegrain::test
{

inline constexpr Real nan_value = std::numeric_limits<Real>::quiet_NaN();
inline constexpr bool low_is_lower = sizeof(Single) < sizeof(Scalar); // false if the working precision is single

struct RelaxCase {
  const char *name;
  Graph graph;
  Grid grid;
};

inline Graph make_islands() // rows without neighbors between other rows
{
  Rows r(23, std::set<Index>{});
  for (Index i = 0; i < 23; ++i) {
    r[std::size_t(i)] = {i};
    if (i % 3 == 0) r[std::size_t(i)].insert({(i + 6) % 23, i / 3});
  }
  return make_graph(r);
}

inline std::vector<RelaxCase> relax_cases()
{
  const Box box{4, 3, 3}, flat{6, 5, 1};
  return {
    {"star", make_grid_graph(box, Stencil::star), {box}},
    {"box", make_grid_graph(box, Stencil::box), {box}},
    {"odd period", make_grid_graph({3, 4, 2}, Stencil::star, 1, {true, true, false}), {{3, 4, 2}}},
    {"flat", make_grid_graph(flat, Stencil::star, 2), {flat}},
    {"not symmetric", make_random_graph(40, 3, false, 1), {}},
    {"symmetric", make_random_graph(40, 2, true, 2), {}},
    {"islands", make_islands(), {}},
    {"one row", make_graph({{0}}), {}},
    {"diagonal", make_graph({{0}, {1}, {2}, {3}, {4}}), {}},
    {"no row", make_graph({}), {}},
  };
}

inline constexpr SweepKind all_sweeps[] = {SweepKind::forward, SweepKind::backward, SweepKind::symmetric};

inline EngineOptions relaxation_options(const Grid &grid = {}, SweepKind sweep = SweepKind::forward, int sweeps = 3,
                                        double omega = 1)
{
  EngineOptions r;
  r.method = Method::relaxation;
  r.algorithm = algorithms().front();
  r.grid = grid;
  r.relaxation.sweep = sweep;
  r.relaxation.sweeps = sweeps;
  r.relaxation.omega = Real(omega);
  return r;
}

// Storage settings: precision and scaling of couplings, precision of inverses, precision of sums.
struct RelaxationStorage {
  const char *name;
  Precision off, diagonal;
  Scaling scaling;
  bool single_sums;

  bool scaled() const { return off == Precision::half; }
  void set(EngineOptions &r) const
  {
    r.precision = off;
    r.diagonal = diagonal;
    r.relaxation.scaling = scaling;
    r.single_sums = single_sums;
  }
};

inline std::vector<RelaxationStorage> all_storage()
{
  constexpr auto working = Precision::working, single = Precision::single, half = Precision::half,
                 bf16 = Precision::bfloat16;
  constexpr auto global = Scaling::global, row = Scaling::row;
  return {{"working", working, working, global, false},
          {"single", single, working, global, false},
          {"DS", single, working, global, true},
          {"all single", single, single, row, true},
          {"half", half, working, global, false},
          {"half by row", half, working, row, false},
          {"DSH", half, working, global, true},
          {"DSH by row", half, working, row, true},
          {"half, single inverses", half, single, row, false},
          {"bfloat16", bf16, working, global, false},
          {"bfloat16, single sums", bf16, working, row, true},
          {"bfloat16, single inverses", bf16, single, global, true}};
}

// The expected coloring of a problem.
inline Coloring colors_of(const Problem &p, const EngineOptions &r)
{
  const Graph symmetric = symmetrize(p.graph);
  Coloring c = make_coloring(r.coloring, symmetric, r.grid).value();
  if (r.balanced) balance_colors(symmetric, c);
  return c;
}

// Calls sweep(backward) for the sweeps of an application.
template <class Sweep> void each_sweep(const Relaxation &r, const Sweep &sweep)
{
  for (int s = 0; s < r.sweeps; ++s) {
    if (r.sweep != SweepKind::backward) sweep(false);
    if (r.sweep != SweepKind::forward) sweep(true);
  }
}

inline Block block_of(const Problem &p, Index e)
{
  const auto nn = std::ptrdiff_t(p.n) * p.n, at = e * nn;
  return Block(p.values.begin() + at, p.values.begin() + at + nn);
}

// A relaxation row by row, color by color, in working precision.
class PlainRelaxation
{
public:
  PlainRelaxation(const Problem &p, const EngineOptions &r) : p_(p), options_(r.relaxation), colors_(colors_of(p, r))
  {
    for (Index i = 0; i < p.graph.rows; ++i)
      for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
        if (p.graph.col(e) == i) inverse_.push_back(inverse(block_of(p, e), std::size_t(p.n)));
  }
  std::vector<Scalar> apply(const std::vector<Scalar> &b) const
  {
    return proceed(b, std::vector<Scalar>(b.size(), Scalar(0)));
  }
  std::vector<Scalar> proceed(const std::vector<Scalar> &b, std::vector<Scalar> x) const
  {
    each_sweep(options_, [&](bool backward) {
      for (Index k = 0; k < colors_.colors; ++k)
        for (Index i = 0; i < p_.graph.rows; ++i)
          if (colors_.color(i) == (backward ? colors_.colors - 1 - k : k)) relax(i, b, x);
    });
    return x;
  }

private:
  void relax(Index i, const std::vector<Scalar> &b, std::vector<Scalar> &x) const
  {
    const std::size_t n = std::size_t(p_.n), at = std::size_t(i) * n;
    for (std::size_t r = 0; r < n; ++r) work_.resize(n), work_[r] = b[at + r];
    for (Index e = p_.graph.ptr(i); e < p_.graph.ptr(i + 1); ++e)
      if (const Index j = p_.graph.col(e); j != i)
        for (std::size_t c = 0; c < n; ++c)
          for (std::size_t r = 0; r < n; ++r)
            work_[r] -= p_.values[(std::size_t(e) * n + c) * n + r] * x[std::size_t(j) * n + c];
    for (std::size_t r = 0; r < n; ++r) {
      Scalar z(0);
      for (std::size_t c = 0; c < n; ++c) z += inverse_[std::size_t(i)][c * n + r] * work_[c];
      x[at + r] += options_.omega * (z - x[at + r]);
    }
  }

  const Problem &p_;
  Relaxation options_;
  Coloring colors_;
  std::vector<Block> inverse_;
  mutable std::vector<Scalar> work_;
};

// The same iteration with dense matrices: x <- x + P^-1 (b - A x). P is D / omega and the couplings to the colors
// that the sweep has visited before. Column k of M^-1 is the result of the sweeps for unit vector k.
class DenseRelaxation
{
public:
  DenseRelaxation(const Problem &p, const EngineOptions &r)
      : size_(p.b.size()), matrix_(size_ * size_, Scalar(0)), inverse_(size_ * size_, Scalar(0))
  {
    const Coloring c = colors_of(p, r);
    const std::size_t n = std::size_t(p.n);
    Block up(size_ * size_, Scalar(0)), down = up;
    for (Index i = 0; i < p.graph.rows; ++i)
      for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
        for (std::size_t k = 0; k < n * n; ++k) {
          const Index j = p.graph.col(e);
          const Scalar a = p.values[std::size_t(e) * n * n + k];
          const std::size_t to = (std::size_t(j) * n + k / n) * size_ + std::size_t(i) * n + k % n;
          matrix_[to] = a;
          if (i == j) up[to] = down[to] = a / r.relaxation.omega;
          else if (c.color(j) < c.color(i)) up[to] = a;
          else down[to] = a;
        }
    const Block p_up = inverse(up, size_), p_down = inverse(down, size_);
    for (std::size_t u = 0; u < size_; ++u) {
      std::vector<Scalar> b(size_, Scalar(0)), x = b;
      b[u] = Scalar(1);
      each_sweep(r.relaxation, [&](bool backward) {
        std::vector<Scalar> residual = b;
        const auto ax = times(matrix_, x);
        for (std::size_t i = 0; i < size_; ++i) residual[i] -= ax[i];
        const auto step = times(backward ? p_down : p_up, residual);
        for (std::size_t i = 0; i < size_; ++i) x[i] += step[i];
      });
      std::copy(x.begin(), x.end(), inverse_.begin() + std::ptrdiff_t(u * size_));
    }
  }
  std::vector<Scalar> apply(const std::vector<Scalar> &b) const { return times(inverse_, b); }
  std::vector<Scalar> apply_transposed(const std::vector<Scalar> &b) const { return times_transposed(inverse_, b); }
  std::vector<Scalar> solve(const std::vector<Scalar> &b) const { return times(inverse(matrix_, size_), b); }

private:
  std::vector<Scalar> times(const Block &m, const std::vector<Scalar> &x) const
  {
    std::vector<Scalar> y(size_, Scalar(0));
    for (std::size_t c = 0; c < size_; ++c)
      for (std::size_t r = 0; r < size_; ++r) y[r] += m[c * size_ + r] * x[c];
    return y;
  }
  std::vector<Scalar> times_transposed(const Block &m, const std::vector<Scalar> &x) const
  {
    std::vector<Scalar> y(size_, Scalar(0));
    for (std::size_t c = 0; c < size_; ++c)
      for (std::size_t r = 0; r < size_; ++r) y[c] += m[c * size_ + r] * x[r];
    return y;
  }

  std::size_t size_;
  Block matrix_, inverse_;
};

// The inner product without conjugation, and the sum of the magnitudes of its terms.
inline Scalar inner(const std::vector<Scalar> &a, const std::vector<Scalar> &b, double *size = nullptr)
{
  Scalar sum(0);
  double terms = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
    terms += double(magnitude(a[i])) * double(magnitude(b[i]));
  }
  if (size) *size = terms;
  return sum;
}

inline std::string describe(const char *name, const EngineOptions &r)
{
  return std::string(name) + ", algorithm " + std::to_string(int(r.algorithm)) + ", sweep " +
         std::to_string(int(r.relaxation.sweep)) + " x " + std::to_string(r.relaxation.sweeps) + ", omega " +
         std::to_string(r.relaxation.omega) + ", coloring " + std::to_string(int(r.coloring));
}

} // namespace finegrain::test
