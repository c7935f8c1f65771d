// The structure of a factor in the order in which its rows are visited: lower and upper part, update lists,
// transposes. In: an elimination and a storage order. Out: a Pattern, for methods/factorization.cpp.
#pragma once

#include "base/kinds.hpp"
#include "graph/fill.hpp"
#include "graph/grid.hpp"

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
};

// What a factor keeps where grids are coupled by corrections only: couplings within each grid.
Selection select_within_grids(const Graph &, const Grid &);
Selection select_for_factor(const Graph &, const Grid &, GridCoupling);

// Whether lists of products are made, and what of: blocks of so many bytes.
struct ListChoice {
  Products products = Products::listed;
  double bytes_of_block = 0;
  bool numbers = false; // blocks of 1: one search costs less than lists, many cost more
};

// ILU(0) of a graph eliminated in an ordering (empty: natural) and stored in the order row_of (empty: natural), which
// keeps the direction of every coupling. With FactorKind::automatic the list of off-diagonal updates decides; with
// dilu it is dropped. `kind` returns what was built. Where there are such updates, and the choice of lists says so,
// none are made.
Pattern<Kokkos::HostSpace> split_pattern(const Selection &, const HostArray<Index> &ordering,
                                         const HostArray<Index> &row_of, Layout y, FactorKind &kind,
                                         const ListChoice &choice = {});

// Makes the lists that wait.
void list_products(Pattern<Kokkos::HostSpace> &);

// Rearranges the pattern of a DILU for FactorKind::icc, which reads the upper triangle of the matrix and stores the
// lower part of the factor. lower.source: the entry (k, i) that mirrors each lower block (i, k); where i comes first
// in the matrix, ~(entry (i, k)) instead. upper.source: the lower block that mirrors each upper one.
// to_diagonal.right: the position of each lower block's pivot. False where the pattern is not symmetric. The list of
// mirrors goes on for mirrors_ahead entries, so that a sweep can ask for blocks before it needs them.
inline constexpr Index mirrors_ahead = 12;
bool fold_upper(Pattern<Kokkos::HostSpace> &);

// Entries of both parts by column, for transposed sweeps: those of the upper part by ascending slot = position of
// their column, those of the lower part by descending position; within a slot by ascending row.
template <class Space> struct Transposed {
  struct Part {
    Array<Index, Space> ptr, entry, row;
  };
  Part upper, lower;

  std::size_t bytes() const
  {
    std::size_t sum = 0;
    for (const Part *p : {&upper, &lower}) sum += (p->ptr.span() + p->entry.span() + p->row.span()) * sizeof(Index);
    return sum;
  }
};
Transposed<Kokkos::HostSpace> transpose_pattern(const Pattern<Kokkos::HostSpace> &);

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

template <class Space> Transposed<Space> copy_to(const Transposed<Kokkos::HostSpace> &t)
{
  const auto part = [](const auto &p) {
    return typename Transposed<Space>::Part{copy_to<Space>(p.ptr), copy_to<Space>(p.entry), copy_to<Space>(p.row)};
  };
  return {part(t.upper), part(t.lower)};
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
