// SPDX-License-Identifier: BSD-2-Clause
// Body of a translation unit: kernels of Eisenstat's trick for block size FINEGRAIN_BLOCK (0: any size).
#include "eisenstat/eisenstat.hpp"
#include "eisenstat/eisenstat_kernels.hpp"
#include "factor/line_sweep.hpp"

namespace finegrain
{

namespace
{

template <int N, class Exec> void forward(const Run<Exec> &run, int n, const EisenstatArguments &a)
{
  if constexpr (has_lines<N, Exec>)
    if (a.lines.count > 0 && a.t) {
      if (a.c) return by_lines<EisenstatTerms<std::true_type>>(run, a);
      return by_lines<EisenstatTerms<std::false_type>>(run, a);
    }
  execute<N>(run, EisenstatRow<N>{BlockSize<N>(n), {a}});
}

} // namespace

template <int N, class Exec> EisenstatKernels<Exec> eisenstat_kernels_for()
{
  return {kernel<N, EisenstatRootRow<N>>, kernel<N, EisenstatFactorRow<N>>, kernel<N, EisenstatCouplingRow<N>>,
          forward<N>, kernel<N, BlockProductRow<N>>};
}

template EisenstatKernels<HostExec> eisenstat_kernels_for<FINEGRAIN_BLOCK, HostExec>();
#if defined(FINEGRAIN_HAS_DEVICE)
template EisenstatKernels<DeviceExec> eisenstat_kernels_for<FINEGRAIN_BLOCK, DeviceExec>();
#endif

} // namespace finegrain
