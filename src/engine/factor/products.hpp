// SPDX-License-Identifier: BSD-2-Clause
// Update lists of a factor: for each target block, the pairs of lower and upper blocks whose products are subtracted
// from it. In: a pattern with its rows split (factor_pattern.cpp). Out: its update lists, or the decision to search
// for products in each factorization.
#pragma once

#include "factor/pattern.hpp"
#include "order/graph.hpp"

#include <vector>

namespace finegrain
{

// Decides between update lists and a search, from the memory that both need.
struct ListChoice {
  Products products = Products::listed;
  double bytes_of_block = 0;
  int block = 1;   // block size n
  int threads = 1; // threads that would search, each with its own work memory
};

// Builds the update lists, or sets in the pattern why there are none (ListChoice). FactorKind::automatic becomes
// dilu if products fall on the diagonal only, else ilu0.
void find_updates(Pattern<Kokkos::HostSpace> &, const StoredOrder &, FactorKind &, const ListChoice &);

// Number of blocks in the longest row, including its diagonal block.
Index longest_row(const Pattern<Kokkos::HostSpace> &);

// Builds the lists that find_updates() postponed.
void list_products(Pattern<Kokkos::HostSpace> &);

} // namespace finegrain
