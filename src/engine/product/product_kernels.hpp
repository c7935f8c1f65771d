// SPDX-License-Identifier: BSD-2-Clause
// Table of compiled kernels of products with a matrix and of residuals. Matrices are in working precision.
#pragma once

#include "run/compiled_blocks.hpp"
#include "run/run.hpp"

namespace finegrain
{

struct ResidualArguments;
struct TransposedProductArguments;

// Kernels of one block size. Kernels for any size need the block size as an argument.
template <class Exec> struct ProductKernels {
  void (*residual)(const Run<Exec> &, int n, const ResidualArguments &);
  void (*product)(const Run<Exec> &, int n, const ResidualArguments &); // r = b + A x
  void (*transposed_product)(const Run<Exec> &, int n, const TransposedProductArguments &);
};

template <int N, class Exec> ProductKernels<Exec> product_kernels_for();
template <class Exec> ProductKernels<Exec> find_product_kernels(int n)
{
  return with_block(n, []<int N>() { return product_kernels_for<N, Exec>(); });
}

} // namespace finegrain
