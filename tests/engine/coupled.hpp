// SPDX-License-Identifier: BSD-2-Clause
// A problem with ghosts and an exchange that an oracle can reproduce, for residuals and products.
#pragma once

#include "oracle.hpp"

#include <string>

namespace finegrain::test
{

// r = b - A x.
inline std::vector<Scalar> plain_residual(const Graph &g, std::size_t n, const std::vector<Scalar> &values,
                                          const std::vector<Scalar> &x, std::vector<Scalar> r)
{
  for (Index i = 0; i < g.rows; ++i)
    for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e)
      for (std::size_t c = 0; c < n; ++c)
        for (std::size_t q = 0; q < n; ++q)
          r[std::size_t(i) * n + q] -= values[(std::size_t(e) * n + c) * n + q] * x[std::size_t(g.col(e)) * n + c];
  return r;
}

// A problem with ghosts. Ghost g is half of owned row g, as if another rank had a copy, so that an oracle can
// reproduce the exchange. Ghosts are NaN until end().
struct Coupled : Problem, Halo {
  Graph coupling;
  std::vector<Scalar> outside;
  std::vector<std::string> events;

  Coupled(Graph g, int block, const Rows &to_ghosts) : Problem(g, block), coupling(make_graph(to_ghosts))
  {
    outside = make_vector(std::size_t(coupling.entries() * block * block), 3);
  }
  Index ghosts() const { return graph.rows; }

  void begin(Index, const Scalar *, Scalar *to) override
  {
    events.push_back("begin");
    std::fill_n(to, b.size(), Scalar(std::numeric_limits<Real>::quiet_NaN()));
  }
  void end(Index, const Scalar *x, Scalar *to) override
  {
    events.push_back("end");
    for (std::size_t i = 0; i < b.size(); ++i) to[i] = Real(0.5) * x[i];
  }
  void add(Index, const Scalar *, Scalar *) override {}
  void residual(bool interior, bool starts) override
  {
    if (starts) events.push_back(interior ? "interior" : "boundary");
  }

  OperatorView view() const
  {
    OperatorView v = Problem::view();
    v.coupling = coupling;
    v.ghosts = ghosts();
    return v;
  }
  Values values_now(bool factored) { return {source(), {outside.data(), nullptr, nullptr}, factored}; }
  std::vector<Scalar> oracle(const OracleFactor &factor, int corrections) const
  {
    const std::size_t size = std::size_t(n);
    std::vector<Scalar> x = factor.solve(b);
    for (int k = 0; k < corrections; ++k) {
      std::vector<Scalar> ghost = x;
      for (Scalar &s : ghost) s *= Real(0.5);
      const auto r = plain_residual(coupling, size, outside, ghost, plain_residual(graph, size, values, x, b));
      const auto step = factor.solve(r);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += step[i];
    }
    return x;
  }
  std::vector<Scalar> corrected(Engine &e, int corrections, bool factored)
  {
    e.set_halo(this);
    std::vector<Scalar> x = apply(e), step(x.size(), Scalar(std::numeric_limits<Real>::quiet_NaN()));
    for (int k = 0; k < corrections; ++k)
      e.correct({.values = values_now(factored),
                 .b = b.data(),
                 .x = x.data(),
                 .last = k ? step.data() : x.data(),
                 .step = step.data(),
                 .total = x.data()});
    return x;
  }
};

inline Rows few_ghosts(Index rows)
{
  Rows r(std::size_t(rows), std::set<Index>{});
  for (Index i = 0; i < rows; i += 3) r[std::size_t(i)] = {i / 2, rows - 1};
  return r;
}

} // namespace finegrain::test
