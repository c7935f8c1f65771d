#include "graph/graph.hpp"

#include <algorithm>

namespace finegrain
{

Index find_missing_diagonal(const Graph &g)
{
  for (Index i = 0; i < g.rows; ++i)
    if (!std::binary_search(g.col.data() + g.ptr(i), g.col.data() + g.ptr(i + 1), i)) return i;
  return -1;
}

bool is_well_formed(const Graph &g, Index columns)
{
  for (Index i = 0; i < g.rows; ++i) {
    if (g.ptr(i + 1) < g.ptr(i)) return false;
    for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e) {
      if (g.col(e) < 0 || g.col(e) >= columns) return false;
      if (e > g.ptr(i) && g.col(e) <= g.col(e - 1)) return false;
    }
  }
  return true;
}

Graph renumber(const Graph &g, const HostArray<Index> &order)
{
  std::vector<Index> place(std::size_t(g.rows), 0);
  for (Index p = 0; p < g.rows; ++p) place[std::size_t(order(p))] = p;
  Graph q{g.rows, make_array<Index>("finegrain::ptr", std::size_t(g.rows) + 1),
          make_array<Index>("finegrain::col", std::size_t(g.entries()))};
  q.ptr(0) = 0;
  for (Index p = 0; p < g.rows; ++p) {
    const Index row = order(p);
    q.ptr(p + 1) = q.ptr(p) + g.ptr(row + 1) - g.ptr(row);
    for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e)
      q.col(q.ptr(p) + e - g.ptr(row)) = place[std::size_t(g.col(e))];
  }
  return q;
}

Graph permute(const Graph &g, const HostArray<Index> &order)
{
  Graph q = renumber(g, order);
  for (Index p = 0; p < g.rows; ++p) std::sort(q.col.data() + q.ptr(p), q.col.data() + q.ptr(p + 1));
  return q;
}

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

} // namespace finegrain
