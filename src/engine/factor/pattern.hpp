// SPDX-License-Identifier: BSD-2-Clause
// Structure of a factor in the order in which its rows are visited: lower and upper triangle, update lists.
// factor_pattern.hpp builds it.
#pragma once

#include "base/kinds.hpp"
#include "base/scalar.hpp"

namespace finegrain
{

// Rows of a triangle. A sweep index is a row's index in storage and in the order of visits. Sweep indices of the
// lower triangle are positions; those of the upper one run from the last position to the first, so that both sweeps
// stream upwards.
template <class Space> struct Triangle {
  Array<Index, Space> ptr, col; // by sweep index
  Array<Index, Space> source;   // entry of the owned graph for each block
};

// Update lists. From target t, the products of lower block left(u) and scaled upper block right(u) are subtracted
// for ptr(t) <= u < ptr(t + 1). Empty arrays: no target has updates.
template <class Space> struct Updates {
  Array<Offset, Space> ptr;
  Array<Index, Space> left, right;
};

template <class Space> struct Pattern {
  Index rows = 0;
  bool permuted = false;
  Layout y = Layout::row;       // storage order of the vector between the sweeps
  Array<Index, Space> row_of;   // row at each position; empty unless permuted
  Array<Index, Space> diagonal; // entry of the owned graph for each position's diagonal block
  Triangle<Space> lower, upper;
  Updates<Space> to_diagonal, to_lower, to_upper;
  bool searched = false;       // there are no lists: products are searched for by columns
  bool lists_deferred = false; // list_products() builds them for the second factorization

  std::size_t bytes() const;
  // Number of products in lists.
  std::size_t listed() const
  {
    return to_diagonal.left.extent(0) + to_lower.left.extent(0) + to_upper.left.extent(0);
  }
};

template <class Space, class From> Pattern<Space> copy_to(const Pattern<From> &p)
{
  Pattern<Space> q;
  const auto triangle = [](const Triangle<From> &t) {
    return Triangle<Space>{copy_to<Space>(t.ptr), copy_to<Space>(t.col), copy_to<Space>(t.source)};
  };
  const auto updates = [](const Updates<From> &u) {
    return Updates<Space>{copy_to<Space>(u.ptr), copy_to<Space>(u.left), copy_to<Space>(u.right)};
  };
  q.rows = p.rows;
  q.permuted = p.permuted;
  q.y = p.y;
  q.row_of = copy_to<Space>(p.row_of);
  q.diagonal = copy_to<Space>(p.diagonal);
  q.lower = triangle(p.lower);
  q.upper = triangle(p.upper);
  q.to_diagonal = updates(p.to_diagonal);
  q.to_lower = updates(p.to_lower);
  q.to_upper = updates(p.to_upper);
  q.searched = p.searched;
  q.lists_deferred = p.lists_deferred;
  return q;
}

template <class Space> std::size_t Pattern<Space>::bytes() const
{
  const auto size = [](const auto &...a) { return (std::size_t(0) + ... + (a.span() * sizeof(*a.data()))); };
  std::size_t sum = size(row_of, diagonal);
  for (const Triangle<Space> *t : {&lower, &upper}) sum += size(t->ptr, t->col, t->source);
  for (const Updates<Space> *u : {&to_diagonal, &to_lower, &to_upper}) sum += size(u->ptr, u->left, u->right);
  return sum;
}

} // namespace finegrain
