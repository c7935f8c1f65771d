// SPDX-License-Identifier: BSD-2-Clause
// The table of compiled kernels of products with a matrix and of residuals. Matrices are in working precision.
#pragma once

#include "run/compiled_blocks.hpp"
#include "run/run.hpp"

namespace finegrain
{

struct ResidualArguments;
struct TransposedProductArguments;

// Those of one block size, which is passed again for those compiled for any.
template <class Exec> struct ProductKernels {
  void (*residual)(const Run<Exec> &, int n, const ResidualArguments &);
  void (*product)(const Run<Exec> &, int n, const ResidualArguments &); // r = b + A x, where the residual is plain
  void (*transposed_product)(const Run<Exec> &, int n, const TransposedProductArguments &);
};

template <int N, class Exec> ProductKernels<Exec> product_kernels_for();
template <class Exec> ProductKernels<Exec> find_product_kernels(int n)
{
  return with_block(n, []<int N>() { return product_kernels_for<N, Exec>(); });
}

} // namespace finegrain
