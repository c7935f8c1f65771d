// SPDX-License-Identifier: BSD-2-Clause
// Stone's factor computed by the formulas of numerics.md 4, point after point, and the difference of its product
// from the matrix.
#pragma once

#include "oracle.hpp"
#include "sip/sip_star.hpp"

#include <array>

namespace finegrain::test
{

class PlainSip
{
public:
  // The points of the box in elimination order, from 0; b, w, s come before a point, t, e, n after it.
  PlainSip(const Problem &p, Box box, Real alpha, unsigned reversed = 0)
      : n_(std::size_t(p.n)), box_(box), alpha_(alpha), row_(find_rows(box, reversed)), points_(row_.size())
  {
    std::map<std::pair<Index, Index>, Block> a;
    for (Index i = 0; i < p.graph.rows; ++i)
      for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e) {
        const auto at = p.values.begin() + std::ptrdiff_t(std::size_t(e) * n_ * n_);
        a[{i, p.graph.col(e)}] = Block(at, at + std::ptrdiff_t(n_ * n_));
      }
    const auto entry = [&](Index from, Index to) {
      const auto found = to < 0 ? a.end() : a.find({row_[std::size_t(from)], row_[std::size_t(to)]});
      return found == a.end() ? zero() : found->second;
    };
    for (Index q = 0; q < Index(points_.size()); ++q) {
      Point &x = points_[std::size_t(q)];
      const Index b = before(q, 2), s = before(q, 1), w = before(q, 0);
      x.lb = quotient(entry(q, b), at(b).un, at(b).ue);
      x.lw = quotient(entry(q, w), at(w).un, at(w).ut);
      x.ls = quotient(entry(q, s), at(s).ue, at(s).ut);
      const Block p1 = scaled(add(times(x.lb, at(b).un), times(x.lw, at(w).un)));
      const Block p2 = scaled(add(times(x.lb, at(b).ue), times(x.ls, at(s).ue)));
      const Block p3 = scaled(add(times(x.lw, at(w).ut), times(x.ls, at(s).ut)));
      x.lp = add(add(add(entry(q, q), p1), p2), p3);
      for (const Block &m : {times(x.lb, at(b).ut), times(x.lw, at(w).ue), times(x.ls, at(s).un)})
        x.lp = add(x.lp, m, -1);
      const Block d = inverse(x.lp, n_);
      x.un = times(d, add(entry(q, after(q, 1)), p1, -1));
      x.ue = times(d, add(entry(q, after(q, 0)), p2, -1));
      x.ut = times(d, add(entry(q, after(q, 2)), p3, -1));
    }
  }

  std::vector<Scalar> solve(const std::vector<Scalar> &rhs) const
  {
    std::vector<Scalar> x(rhs.size());
    for (Index q = 0; q < Index(points_.size()); ++q) {
      const Point &p = points_[std::size_t(q)];
      std::vector<Scalar> r(vector(rhs, q));
      subtract(r, p.ls, x, before(q, 1));
      subtract(r, p.lw, x, before(q, 0));
      subtract(r, p.lb, x, before(q, 2));
      put(x, q, apply(inverse(p.lp, n_), r));
    }
    for (Index q = Index(points_.size()) - 1; q >= 0; --q) {
      const Point &p = points_[std::size_t(q)];
      std::vector<Scalar> r(vector(x, q));
      subtract(r, p.un, x, after(q, 1));
      subtract(r, p.ue, x, after(q, 0));
      subtract(r, p.ut, x, after(q, 2));
      put(x, q, r);
    }
    return x;
  }

  // (L U - A) v. Each fill product m of a point contributes m (v at the fill - alpha v at its two neighbors of the
  // star + alpha v at the point).
  std::vector<Scalar> fill_products(const std::vector<Scalar> &v) const
  {
    std::vector<Scalar> y(v.size(), Scalar(0));
    for (Index q = 0; q < Index(points_.size()); ++q) {
      const Point &p = points_[std::size_t(q)];
      const auto term = [&](const Block &l, int a, const Block Point::*u, int c) {
        const Index from = before(q, a), to = after(q, c);
        if (from < 0 || to < 0) return;
        const Block m = times(l, points_[std::size_t(from)].*u);
        std::vector<Scalar> sum(n_, Scalar(0));
        const auto take = [&](Real factor, Index at) {
          const auto x = vector(v, at);
          for (std::size_t r = 0; r < n_; ++r) sum[r] += factor * x[r];
        };
        take(1, after(from, c));
        take(-alpha_, from);
        take(-alpha_, to);
        take(alpha_, q);
        const auto add_to = apply(m, sum);
        std::vector<Scalar> now = vector(y, q);
        for (std::size_t r = 0; r < n_; ++r) now[r] += add_to[r];
        put(y, q, now);
      };
      term(p.lb, 2, &Point::un, 1);
      term(p.lb, 2, &Point::ue, 0);
      term(p.lw, 0, &Point::un, 1);
      term(p.lw, 0, &Point::ut, 2);
      term(p.ls, 1, &Point::ue, 0);
      term(p.ls, 1, &Point::ut, 2);
    }
    return y;
  }

private:
  struct Point {
    Block lb, lw, ls, lp, un, ue, ut;
  };

  static std::vector<Index> find_rows(Box box, unsigned reversed)
  {
    std::vector<Index> rows;
    for (Index k = 0; k < box.k; ++k)
      for (Index j = 0; j < box.j; ++j)
        for (Index i = 0; i < box.i; ++i)
          rows.push_back((reversed & reversed_i ? box.i - 1 - i : i) +
                         box.i * ((reversed & reversed_j ? box.j - 1 - j : j) +
                                  box.j * (reversed & reversed_k ? box.k - 1 - k : k)));
    return rows;
  }
  Index neighbor(Index q, int axis, Index step) const
  {
    std::array<Index, 3> at{q % box_.i, q / box_.i % box_.j, q / (box_.i * box_.j)};
    const std::array<Index, 3> edge{box_.i, box_.j, box_.k};
    Index &x = at[std::size_t(axis)];
    x += step;
    return x < 0 || x >= edge[std::size_t(axis)] ? -1 : at[0] + box_.i * (at[1] + box_.j * at[2]);
  }
  Index before(Index q, int axis) const { return neighbor(q, axis, -1); }
  Index after(Index q, int axis) const { return neighbor(q, axis, 1); }

  Block zero() const { return Block(n_ * n_, Scalar(0)); }
  // -1 beyond the box.
  const Point at(Index q) const
  {
    return q < 0 ? Point{zero(), zero(), zero(), zero(), zero(), zero(), zero()} : points_[std::size_t(q)];
  }
  Block add(Block a, const Block &b, Real factor = 1) const
  {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] += factor * b[k];
    return a;
  }
  Block scaled(Block a) const
  {
    for (Scalar &v : a) v *= alpha_;
    return a;
  }
  Block times(const Block &a, const Block &b) const { return multiply(a, b, n_); }
  Block quotient(const Block &a, const Block &u, const Block &v) const
  {
    Block m = scaled(add(u, v));
    for (std::size_t r = 0; r < n_; ++r) m[r * n_ + r] += Real(1);
    return times(a, inverse(m, n_));
  }
  std::vector<Scalar> apply(const Block &a, const std::vector<Scalar> &x) const
  {
    std::vector<Scalar> y(n_, Scalar(0));
    for (std::size_t c = 0; c < n_; ++c)
      for (std::size_t r = 0; r < n_; ++r) y[r] += a[c * n_ + r] * x[c];
    return y;
  }
  // Block q of a vector that is numbered by rows of the matrix.
  std::vector<Scalar> vector(const std::vector<Scalar> &v, Index q) const
  {
    const auto at = v.begin() + std::ptrdiff_t(std::size_t(row_[std::size_t(q)]) * n_);
    return std::vector<Scalar>(at, at + std::ptrdiff_t(n_));
  }
  void put(std::vector<Scalar> &v, Index q, const std::vector<Scalar> &x) const
  {
    std::copy(x.begin(), x.end(), v.begin() + std::ptrdiff_t(std::size_t(row_[std::size_t(q)]) * n_));
  }
  void subtract(std::vector<Scalar> &r, const Block &m, const std::vector<Scalar> &x, Index q) const
  {
    if (q < 0) return;
    const auto y = apply(m, vector(x, q));
    for (std::size_t k = 0; k < n_; ++k) r[k] -= y[k];
  }

  std::size_t n_;
  Box box_;
  Real alpha_;
  std::vector<Index> row_; // of each point
  std::vector<Point> points_;
};

} // namespace finegrain::test
