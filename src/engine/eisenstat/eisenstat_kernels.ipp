// SPDX-License-Identifier: BSD-2-Clause
// Body of a translation unit of Eisenstat's trick, FINEGRAIN_BLOCK being its block size (0 for any).
#include "eisenstat/eisenstat.hpp"
#include "eisenstat/eisenstat_kernels.hpp"
#include "factor/line_sweep.hpp"

namespace finegrain
{

namespace
{

template <int N, class Exec> struct TypedEisenstat {
  static void root(const Run<Exec> &run, int n, const EisenstatRootArguments &a)
  {
    execute<N>(run, EisenstatRootRow<N>{BlockSize<N>(n), a});
  }
  static void factor(const Run<Exec> &run, int n, const EisenstatFactorArguments &a)
  {
    execute<N>(run, EisenstatFactorRow<N>{BlockSize<N>(n), a});
  }
  static void coupling(const Run<Exec> &run, int n, const EisenstatCouplingArguments &a)
  {
    execute<N>(run, EisenstatCouplingRow<N>{BlockSize<N>(n), a});
  }
  static void forward(const Run<Exec> &run, int n, const EisenstatArguments &a)
  {
    if constexpr (has_lines<N, Exec>)
      if (a.lines.count > 0 && a.t) {
        if (a.c) return by_lines<EisenstatTerms<std::true_type>>(run, a);
        return by_lines<EisenstatTerms<std::false_type>>(run, a);
      }
    execute<N>(run, EisenstatRow<N>{BlockSize<N>(n), {a}});
  }
  static void block_product(const Run<Exec> &run, int n, const BlockProductArguments &a)
  {
    execute<N>(run, BlockProductRow<N>{BlockSize<N>(n), a});
  }
};

} // namespace

template <int N, class Exec> EisenstatKernels<Exec> eisenstat_kernels_for()
{
  using T = TypedEisenstat<N, Exec>;
  return {T::root, T::factor, T::coupling, T::forward, T::block_product};
}

template EisenstatKernels<HostExec> eisenstat_kernels_for<FINEGRAIN_BLOCK, HostExec>();
#if defined(FINEGRAIN_HAS_DEVICE)
template EisenstatKernels<DeviceExec> eisenstat_kernels_for<FINEGRAIN_BLOCK, DeviceExec>();
#endif

} // namespace finegrain
