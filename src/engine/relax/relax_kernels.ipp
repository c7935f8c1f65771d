// SPDX-License-Identifier: BSD-2-Clause
// Body of a translation unit: relaxation kernels for block size FINEGRAIN_BLOCK (0: any size). relax_kernels.hpp
// declares their table.
#include "relax/couplings.hpp"
#include "relax/relax.hpp"
#include "relax/relax_kernels.hpp"
#include "run/execute.hpp"

namespace finegrain
{

template <int N, class Exec> RelaxKernels<Exec> relax_kernels_for(const Storage &s)
{
  return with_storage<Method::relaxation, N == 0>(s, [](auto off, auto diagonal, auto sum) -> RelaxKernels<Exec> {
    using OffDiagonal = typename decltype(off)::type;
    using Diagonal = typename decltype(diagonal)::type;
    using Sum = typename decltype(sum)::type;
    return {kernel<N, RelaxRow<N, OffDiagonal, Diagonal, Sum, 1>>,
            kernel<N, LargestRow<N>>,
            kernel<N, LoadRow<N, OffDiagonal, Diagonal>>,
            kernel<N, RelaxRow<N, OffDiagonal, Diagonal, Sum, most_vectors>>,
            any_size_kernel<N, TransposedRelaxRow<OffDiagonal, Diagonal>>,
            any_size_kernel<N, CheckRow<OffDiagonal>>};
  });
}

template RelaxKernels<HostExec> relax_kernels_for<FINEGRAIN_BLOCK, HostExec>(const Storage &);
#if defined(FINEGRAIN_HAS_DEVICE)
template RelaxKernels<DeviceExec> relax_kernels_for<FINEGRAIN_BLOCK, DeviceExec>(const Storage &);
#endif

} // namespace finegrain
