// Block sparsity structure: row pointers and columns of block rows, and what is done with them (permute, transpose,
// symmetrize). Stage graph; every later stage reads it.
#pragma once

#include "base/scalar.hpp"

#include <vector>

namespace finegrain
{

// Row pointers (rows + 1) and columns, on the host. Columns of a row ascend.
struct Graph {
  Index rows = 0;
  HostArray<Index> ptr, col;

  Index entries() const { return rows ? ptr(rows) : 0; }
};

// The first row of a square graph without a diagonal entry, or -1.
Index find_missing_diagonal(const Graph &);

// Whether every column lies in [0, columns) and every row ascends.
bool is_well_formed(const Graph &, Index columns);

// The square graph with row and column p of the result those numbered order(p) before. Columns of a row stay in the
// order in which they were: for what does not mind.
Graph renumber(const Graph &, const HostArray<Index> &order);
// The same, sorted.
Graph permute(const Graph &, const HostArray<Index> &order);

// inner as numbers of outer: outer(inner(p)).
HostArray<Index> compose(const HostArray<Index> &outer, const HostArray<Index> &inner);

Graph transpose(const Graph &, Index columns);

// The union of a square pattern with its transpose, without diagonal entries. O(entries). *was_symmetric, if wanted:
// whether the two were equal.
Graph symmetrize(const Graph &, bool *was_symmetric = nullptr);

HostArray<Index> to_array(const char *label, const std::vector<Index> &);

// Whether these are the numbers 0 to rows - 1 in some order.
bool is_permutation(const HostArray<Index> &order, Index rows);

} // namespace finegrain
