#include "graph.hpp"

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

} // namespace finegrain
