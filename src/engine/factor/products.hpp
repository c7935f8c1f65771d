// SPDX-License-Identifier: BSD-2-Clause
// Lists of products of a factor: which lower and upper blocks meet in which entry. In: a pattern whose rows are split
// (factor_pattern.cpp). Out: its update lists, or that products are searched for instead.
#pragma once

#include "factor/pattern.hpp"
#include "order/graph.hpp"

#include <vector>

namespace finegrain
{

// Whether lists of products are made, and what of: blocks of so many bytes.
struct ListChoice {
  Products products = Products::listed;
  double bytes_of_block = 0;
  int block = 1;   // n
  int threads = 1; // that would search, each in memory of its own
};

// Makes the lists, or says in the pattern why there are none (ListChoice). FactorKind::automatic becomes dilu where
// products fall on the diagonal only, ilu0 elsewhere.
void find_updates(Pattern<Kokkos::HostSpace> &, const StoredOrder &, FactorKind &, const ListChoice &);

// The blocks of the longest row, its diagonal among them.
Index longest_row(const Pattern<Kokkos::HostSpace> &);

// Makes the lists that wait.
void list_products(Pattern<Kokkos::HostSpace> &);

} // namespace finegrain
