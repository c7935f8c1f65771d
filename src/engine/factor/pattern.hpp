// SPDX-License-Identifier: BSD-2-Clause
// The structure of a factor in the order in which its rows are visited: lower and upper part, update lists.
// factor_pattern.hpp makes it.
#pragma once

#include "base/kinds.hpp"
#include "base/scalar.hpp"

namespace finegrain
{

// Rows of a triangular part. A slot is a row's place in storage and in the order of visits: the lower part has
// slot = position, the upper part runs from the last position to the first, so that both sweeps stream upwards.
template <class Space> struct Triangle {
  Array<Index, Space> ptr, col; // by slot
  Array<Index, Space> source;   // entry of the owned graph each block is loaded from
};

// Update lists: target t is diminished by the products lower block left(u) times scaled upper block right(u) for
// ptr(t) <= u < ptr(t + 1). Empty arrays: no target has any.
template <class Space> struct Updates {
  Array<Offset, Space> ptr;
  Array<Index, Space> left, right;
};

template <class Space> struct Pattern {
  Index rows = 0;
  bool permuted = false;
  Layout y = Layout::row;       // how the vector between the sweeps is stored
  Array<Index, Space> row_of;   // row at each position; empty unless permuted
  Array<Index, Space> diagonal; // entry of the owned graph that holds each position's diagonal block
  Triangle<Space> lower, upper;
  Updates<Space> to_diagonal, to_lower, to_upper;
  bool searched = false;   // there are no lists: products are found by columns
  bool lists_wait = false; // for a second factorization, list_products()

  std::size_t bytes() const;
  // Products in lists.
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
  q.lists_wait = p.lists_wait;
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
