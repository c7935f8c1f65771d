// SPDX-License-Identifier: BSD-2-Clause
// Plain sequential block ILU(0) and DILU in the textbook form, with unit diagonal in L. It shares nothing with the
// engine but the block layout.
#pragma once

#include "problems.hpp"

#include <map>
#include <utility>

namespace finegrain::test
{

using Block = std::vector<Scalar>; // n x n by columns

inline Block multiply(const Block &a, const Block &b, std::size_t n)
{
  Block c(n * n, Scalar(0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) c[j * n + i] += a[k * n + i] * b[j * n + k];
  return c;
}

// Gaussian elimination on [a | identity].
inline Block inverse(Block a, std::size_t n)
{
  Block x(n * n, Scalar(0));
  for (std::size_t i = 0; i < n; ++i) x[i * n + i] = Scalar(1);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t r = k; r < n; ++r)
      if (magnitude(a[k * n + r]) > magnitude(a[k * n + p])) p = r;
    for (std::size_t c = 0; c < n; ++c) {
      std::swap(a[c * n + k], a[c * n + p]);
      std::swap(x[c * n + k], x[c * n + p]);
    }
    for (std::size_t r = 0; r < n; ++r) {
      if (r == k) continue;
      const Scalar f = a[k * n + r] / a[k * n + k];
      for (std::size_t c = 0; c < n; ++c) {
        a[c * n + r] -= f * a[c * n + k];
        x[c * n + r] -= f * x[c * n + k];
      }
    }
    const Scalar d = a[k * n + k];
    for (std::size_t c = 0; c < n; ++c) {
      a[c * n + k] /= d;
      x[c * n + k] /= d;
    }
  }
  return x;
}

class OracleFactor
{
public:
  OracleFactor(const Problem &p, bool dilu) : n_(std::size_t(p.n)), rows_(p.graph.rows)
  {
    for (Index i = 0; i < rows_; ++i)
      for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e) {
        const auto at = p.values.begin() + std::ptrdiff_t(std::size_t(e) * n_ * n_);
        a_[{i, p.graph.col(e)}] = Block(at, at + std::ptrdiff_t(n_ * n_));
        row_[i].insert(p.graph.col(e));
      }
    for (Index i = 0; i < rows_; ++i)
      for (const Index k : row_[i]) {
        if (k >= i) break;
        Block &l = a_[{i, k}];
        l = multiply(l, inverse(a_[{k, k}], n_), n_);
        for (const Index j : row_[k]) {
          if (j <= k || !row_[i].count(j) || (dilu && j != i)) continue;
          const Block product = multiply(l, a_[{k, j}], n_);
          for (std::size_t q = 0; q < n_ * n_; ++q) a_[{i, j}][q] -= product[q];
        }
      }
    if (dilu) restore_lower(p);
  }

  // Sets entries of both triangular parts to zero; the diagonal blocks stay.
  template <class Which> void clear(const Which &which)
  {
    for (auto &[at, block] : a_)
      if (at.first != at.second && which(at.first, at.second)) std::fill(block.begin(), block.end(), Scalar(0));
  }

  std::vector<Scalar> solve(std::vector<Scalar> x) const
  {
    for (Index i = 0; i < rows_; ++i)
      for (const Index k : row_.at(i))
        if (k < i) subtract(a_.at({i, k}), x, k, i);
    for (Index i = rows_ - 1; i >= 0; --i) {
      for (const Index j : row_.at(i))
        if (j > i) subtract(a_.at({i, j}), x, j, i);
      const Block d = inverse(a_.at({i, i}), n_);
      std::vector<Scalar> z(n_, Scalar(0));
      for (std::size_t c = 0; c < n_; ++c)
        for (std::size_t r = 0; r < n_; ++r) z[r] += d[c * n_ + r] * x[std::size_t(i) * n_ + c];
      std::copy(z.begin(), z.end(), x.begin() + std::ptrdiff_t(std::size_t(i) * n_));
    }
    return x;
  }

private:
  // DILU: L is the lower part of A times the inverse of the final diagonal. This replaces the L computed on the way.
  void restore_lower(const Problem &p)
  {
    for (Index i = 0; i < rows_; ++i)
      for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
        if (const Index k = p.graph.col(e); k < i) {
          const auto at = p.values.begin() + std::ptrdiff_t(std::size_t(e) * n_ * n_);
          a_[{i, k}] = multiply(Block(at, at + std::ptrdiff_t(n_ * n_)), inverse(a_[{k, k}], n_), n_);
        }
  }
  void subtract(const Block &m, std::vector<Scalar> &x, Index from, Index to) const
  {
    for (std::size_t c = 0; c < n_; ++c)
      for (std::size_t r = 0; r < n_; ++r)
        x[std::size_t(to) * n_ + r] -= m[c * n_ + r] * x[std::size_t(from) * n_ + c];
  }

  std::size_t n_;
  Index rows_;
  std::map<std::pair<Index, Index>, Block> a_;
  std::map<Index, std::set<Index>> row_;
};

} // namespace finegrain::test
