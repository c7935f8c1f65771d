// SPDX-License-Identifier: BSD-2-Clause
// Body of a translation unit of relaxation kernels, FINEGRAIN_BLOCK being its block size (0 for any).
// relax_kernels.hpp declares what it fills.
#include "relax/couplings.hpp"
#include "relax/relax.hpp"
#include "relax/relax_kernels.hpp"
#include "run/executor.hpp"

namespace finegrain
{

namespace
{

template <int N, class Exec, class OffDiagonal, class Diagonal, class Sum> struct TypedRelax {
  template <int V> static void relax(const Run<Exec> &run, int n, const RelaxArguments &a)
  {
    execute<N>(run, RelaxRow<N, OffDiagonal, Diagonal, Sum, V>{BlockSize<N>(n), a});
  }
  static void transposed(const Run<Exec> &run, int n, const TransposedRelaxArguments &a)
  {
    execute<0>(run, TransposedRelaxRow<OffDiagonal, Diagonal>{BlockSize<0>(n), a});
  }
  static void check(const Run<Exec> &run, int n, const CheckArguments &a)
  {
    execute<0>(run, CheckRow<OffDiagonal>{BlockSize<0>(n), a});
  }
  static void largest(const Run<Exec> &run, int n, const LargestArguments &a)
  {
    execute<N>(run, LargestRow<N>{BlockSize<N>(n), a});
  }
  static void load(const Run<Exec> &run, int n, const LoadArguments &a)
  {
    execute<N>(run, LoadRow<N, OffDiagonal, Diagonal>{BlockSize<N>(n), a});
  }
};

template <class Off, class Diagonal, class Sum, int N, class Exec> using TypedFor =
  TypedRelax<N, Exec, typename Off::type, typename Diagonal::type, typename Sum::type>;

} // namespace

template <int N, class Exec> RelaxKernels<Exec> relax_kernels_for(const Storage &s)
{
  return with_storage<Method::relaxation, N == 0>(s, [](auto off, auto diagonal, auto sum) -> RelaxKernels<Exec> {
    using T = TypedFor<decltype(off), decltype(diagonal), decltype(sum), N, Exec>;
    return {T::template relax<1>, T::largest, T::load, T::template relax<most_vectors>};
  });
}

template RelaxKernels<HostExec> relax_kernels_for<FINEGRAIN_BLOCK, HostExec>(const Storage &);
#if defined(FINEGRAIN_HAS_DEVICE)
template RelaxKernels<DeviceExec> relax_kernels_for<FINEGRAIN_BLOCK, DeviceExec>(const Storage &);
#endif

#if FINEGRAIN_BLOCK == 0
template <class Exec> AnySizeRelaxKernels<Exec> any_size_relax_kernels_for(const Storage &s)
{
  return with_storage<Method::relaxation, true>(
    s, [](auto off, auto diagonal, auto sum) -> AnySizeRelaxKernels<Exec> {
      using T = TypedFor<decltype(off), decltype(diagonal), decltype(sum), 0, Exec>;
      return {T::transposed, T::check};
    });
}

template AnySizeRelaxKernels<HostExec> any_size_relax_kernels_for<HostExec>(const Storage &);
#if defined(FINEGRAIN_HAS_DEVICE)
template AnySizeRelaxKernels<DeviceExec> any_size_relax_kernels_for<DeviceExec>(const Storage &);
#endif
#endif

} // namespace finegrain
