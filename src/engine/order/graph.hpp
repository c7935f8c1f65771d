// SPDX-License-Identifier: BSD-2-Clause
// Block sparsity structure: row pointers and columns of block rows, and what is done with them (permute, transpose,
// symmetrize). All of the engine reads it.
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

struct Form {
  bool good = true;       // every column lies in [0, columns) and every row ascends
  Index no_diagonal = -1; // the first row without a diagonal entry
};
Form check_form(const Graph &, Index columns);

// Whether numbers of rows ascend along all couplings: by at least `step` from a row to one that follows it.
bool ascends(const Graph &, const HostArray<Index> &number, Index step);

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

// Where the rows of the owned square stand in storage.
struct StoredOrder {
  Index rows;
  bool permuted;
  std::vector<Index> position; // of each row, if permuted
  HostArray<Index> row_of;     // of each position, if permuted

  Index row(Index pos) const { return permuted ? row_of(pos) : pos; }
  Index pos(Index row) const { return permuted ? position[std::size_t(row)] : row; }
};
StoredOrder invert_order(Index rows, const HostArray<Index> &row_of);

} // namespace finegrain
