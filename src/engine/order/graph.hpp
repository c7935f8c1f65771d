// SPDX-License-Identifier: BSD-2-Clause
// Block sparsity structure: row pointers and columns of block rows, and their permutation, transposition and
// symmetrization. All of the engine uses it.
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

struct PatternDefects {
  bool good = true;       // every column is in [0, columns) and every row ascends
  Index no_diagonal = -1; // the first row without a diagonal entry
};
PatternDefects find_pattern_defects(const Graph &, Index columns);

// Returns true if the numbers of rows ascend along all couplings, by at least `step` from a row to a later one.
bool ascends(const Graph &, const HostArray<Index> &number, Index step);

// Returns the square graph whose row and column p had number order(p) before. Columns of a row keep their order, for
// uses that need no sorted rows.
Graph renumber(const Graph &, const HostArray<Index> &order);
// The same with sorted columns.
Graph permute(const Graph &, const HostArray<Index> &order);

// Returns the composition of two orders: outer(inner(p)).
HostArray<Index> compose(const HostArray<Index> &outer, const HostArray<Index> &inner);

Graph transpose(const Graph &, Index columns);

// Returns the union of a square pattern with its transpose, without diagonal entries. O(entries). *was_symmetric, if
// requested, is true if the two were equal.
Graph symmetrize(const Graph &, bool *was_symmetric = nullptr);

HostArray<Index> to_array(const char *label, const std::vector<Index> &);

// Returns true if these are the numbers 0 to rows - 1 in some order.
bool is_permutation(const HostArray<Index> &order, Index rows);

// Storage positions of the rows of the owned square.
struct StoredOrder {
  Index rows;
  bool permuted;
  std::vector<Index> position; // position of each row, if permuted
  HostArray<Index> row_of;     // row at each position, if permuted

  Index row(Index pos) const { return permuted ? row_of(pos) : pos; }
  Index pos(Index row) const { return permuted ? position[std::size_t(row)] : row; }
};
StoredOrder invert_order(Index rows, const HostArray<Index> &row_of);

} // namespace finegrain
