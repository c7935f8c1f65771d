// SPDX-License-Identifier: BSD-2-Clause
#include "order/graph.hpp"

#include "base/pieces.hpp"

#include <algorithm>

namespace finegrain
{

PatternDefects find_pattern_defects(const Graph &g, Index columns)
{
  const Pieces pieces(g.rows);
  std::vector<PatternDefects> found(std::size_t(pieces.count()));
  const Index *ptr = g.ptr.data(), *col = g.col.data(), entries = Index(g.col.extent(0));
  pieces.for_each([&](int piece, Index first, Index last) {
    PatternDefects form;
    for (Index i = first; i < last; ++i) {
      const bool in_range = 0 <= ptr[i] && ptr[i] <= ptr[i + 1] && ptr[i + 1] <= entries;
      bool has_diagonal = false;
      Index before = -1;
      for (Index e = ptr[i]; in_range && e < ptr[i + 1]; ++e) {
        form.good &= col[e] > before;
        has_diagonal |= col[e] == i;
        before = col[e];
      }
      form.good &= in_range && before < columns;
      if (!has_diagonal && form.no_diagonal < 0) form.no_diagonal = i;
    }
    found[std::size_t(piece)] = form;
  });
  PatternDefects all;
  for (const PatternDefects &form : found) {
    all.good = all.good && form.good;
    if (all.no_diagonal < 0) all.no_diagonal = form.no_diagonal;
  }
  return all;
}

bool ascends(const Graph &g, const HostArray<Index> &number, Index step)
{
  return Pieces(g.rows).all_rows([&](Index i) {
    for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e) {
      const Index c = g.col(e), difference = number(i) - number(c);
      if (c != i && (c < i ? difference : -difference) < step) return false;
    }
    return true;
  });
}

namespace
{

// Renumbers a graph. Columns of a row keep their order, or are sorted.
template <bool sorted> Graph renumbered(const Graph &g, const HostArray<Index> &order)
{
  const Pieces pieces(g.rows);
  std::vector<Index> place(std::size_t(g.rows), 0);
  pieces.for_rows([&](Index p) { place[std::size_t(order(p))] = p; });
  Graph q{g.rows, make_array<Index>("finegrain::ptr", std::size_t(g.rows) + 1),
          make_array<Index>("finegrain::col", std::size_t(g.entries()))};
  q.ptr(0) = 0;
  for (Index p = 0; p < g.rows; ++p) q.ptr(p + 1) = q.ptr(p) + g.ptr(order(p) + 1) - g.ptr(order(p));
  pieces.for_rows([&](Index p) {
    const Index *from = g.col.data() + g.ptr(order(p)), *end = g.col.data() + g.ptr(order(p) + 1);
    Index *to = q.col.data() + q.ptr(p), *const begin = to;
    for (; from < end; ++from) *to++ = place[std::size_t(*from)];
    if (sorted) std::sort(begin, to);
  });
  return q;
}

} // namespace

Graph renumber(const Graph &g, const HostArray<Index> &order) { return renumbered<false>(g, order); }

Graph permute(const Graph &g, const HostArray<Index> &order) { return renumbered<true>(g, order); }

Graph transpose(const Graph &g, Index columns)
{
  Graph t{columns, HostArray<Index>("finegrain::ptr", std::size_t(columns) + 1),
          make_array<Index>("finegrain::col", std::size_t(g.entries()))};
  for (Index e = 0; e < g.entries(); ++e) ++t.ptr(g.col(e) + 1);
  for (Index c = 0; c < columns; ++c) t.ptr(c + 1) += t.ptr(c);
  std::vector<Index> next(t.ptr.data(), t.ptr.data() + columns);
  for (Index i = 0; i < g.rows; ++i)
    for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e) t.col(next[std::size_t(g.col(e))]++) = i;
  return t;
}

Graph symmetrize(const Graph &g, bool *was_symmetric)
{
  const Graph t = transpose(g, g.rows);
  std::vector<Index> col;
  col.reserve(std::size_t(g.entries()));
  Graph s{g.rows, make_array<Index>("finegrain::ptr", std::size_t(g.rows) + 1), {}};
  bool symmetric = true;
  s.ptr(0) = 0;
  for (Index i = 0; i < g.rows; ++i) {
    Index a = g.ptr(i), b = t.ptr(i);
    const Index last_a = g.ptr(i + 1), last_b = t.ptr(i + 1);
    while (a < last_a || b < last_b) {
      const bool from_a = b == last_b || (a < last_a && g.col(a) <= t.col(b));
      const bool from_b = a == last_a || (b < last_b && t.col(b) <= g.col(a));
      const Index to = from_a ? g.col(a) : t.col(b);
      symmetric = symmetric && from_a && from_b;
      if (to != i) col.push_back(to);
      a += from_a;
      b += from_b;
    }
    s.ptr(i + 1) = Index(col.size());
  }
  s.col = to_array("finegrain::col", col);
  if (was_symmetric) *was_symmetric = symmetric;
  return s;
}

HostArray<Index> compose(const HostArray<Index> &outer, const HostArray<Index> &inner)
{
  auto composed = make_array<Index>("finegrain::order", inner.extent(0));
  for (std::size_t p = 0; p < inner.extent(0); ++p) composed(p) = outer(std::size_t(inner(p)));
  return composed;
}

HostArray<Index> to_array(const char *label, const std::vector<Index> &from)
{
  auto a = make_array<Index>(label, from.size());
  std::copy(from.begin(), from.end(), a.data());
  return a;
}

bool is_permutation(const HostArray<Index> &order, Index rows)
{
  if (Index(order.extent(0)) != rows) return false;
  std::vector<bool> seen(std::size_t(rows), false);
  for (Index p = 0; p < rows; ++p) {
    if (order(p) < 0 || order(p) >= rows || seen[std::size_t(order(p))]) return false;
    seen[std::size_t(order(p))] = true;
  }
  return true;
}

StoredOrder invert_order(Index rows, const HostArray<Index> &row_of)
{
  StoredOrder o{rows, row_of.extent(0) > 0, {}, row_of};
  if (o.permuted) {
    o.position.resize(std::size_t(rows));
    for (Index p = 0; p < rows; ++p) o.position[std::size_t(row_of(p))] = p;
  }
  return o;
}

} // namespace finegrain
