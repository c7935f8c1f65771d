// SPDX-License-Identifier: BSD-2-Clause
// Body of a translation unit: kernels of products and residuals for block size FINEGRAIN_BLOCK (0: any size).
#include "product/product_kernels.hpp"
#include "product/residual.hpp"
#include "run/execute.hpp"

namespace finegrain
{

namespace
{

template <int N, class Exec> struct TypedProduct {
  template <bool Plain, Sign sign> static void multiply(const Run<Exec> &run, int n, const ResidualArguments &a)
  {
    execute<N>(run, ResidualRow<N, Plain, sign>{BlockSize<N>(n), a});
  }
  static void residual(const Run<Exec> &run, int n, const ResidualArguments &a)
  {
    if constexpr (N > 0)
      if (!a.row_of && !a.difference && !a.inside.entry && !a.ghost.entry && !a.owned.base && !a.coupling.base)
        return multiply<true, Sign::minus>(run, n, a);
    multiply<false, Sign::minus>(run, n, a);
  }
  // Only rows with ghosts have next_inside, so that the others need no test.
  static void product(const Run<Exec> &run, int n, const ResidualArguments &a)
  {
    if (a.next_inside) multiply<false, Sign::plus>(run, n, a);
    else multiply<true, Sign::plus>(run, n, a);
  }
  static void transposed_product(const Run<Exec> &run, int n, const TransposedProductArguments &a)
  {
    if constexpr (!works_in_teams<Exec>)
      if (a.by_row.ptr) return execute<N>(run, ScatterRow<N>{BlockSize<N>(n), a});
    execute<N>(run, TransposedProductRow<N>{BlockSize<N>(n), a});
  }
};

} // namespace

template <int N, class Exec> ProductKernels<Exec> product_kernels_for()
{
  using T = TypedProduct<N, Exec>;
  return {T::residual, T::product, T::transposed_product};
}

template ProductKernels<HostExec> product_kernels_for<FINEGRAIN_BLOCK, HostExec>();
#if defined(FINEGRAIN_HAS_DEVICE)
template ProductKernels<DeviceExec> product_kernels_for<FINEGRAIN_BLOCK, DeviceExec>();
#endif

} // namespace finegrain
