// SPDX-License-Identifier: BSD-2-Clause
// Body of a translation unit: kernels of factors for block size FINEGRAIN_BLOCK (0: any size). They combine row
// functions, their types and the algorithm.
#include "factor/half.hpp"
#include "factor/factor.hpp"
#include "factor/factor_kernels.hpp"
#include "factor/line_sweep.hpp"
#include "factor/symmetric.hpp"

namespace finegrain
{

namespace
{

template <int N, class Exec, class OffDiagonal, class Diagonal> struct TypedFactor {
  template <int V, bool Corrected> static void forward(const Run<Exec> &run, int n, const ForwardArguments &a)
  {
    if constexpr (has_lines<N, Exec> && V == 1 && !Corrected)
      if (a.lines.count > 0) return by_lines<ForwardTerms<OffDiagonal, Diagonal>>(run, a);
    execute<N>(run, ForwardRow<N, OffDiagonal, Diagonal, V, Corrected>{BlockSize<N>(n), {a}});
  }
  template <int V> static void backward(const Run<Exec> &run, int n, const BackwardArguments &a)
  {
    if constexpr (has_lines<N, Exec> && V == 1)
      if (a.lines.count > 0) {
        if (a.total) return by_lines<BackwardTerms<OffDiagonal, std::true_type>>(run, a);
        return by_lines<BackwardTerms<OffDiagonal, std::false_type>>(run, a);
      }
    execute<N>(run, BackwardRow<N, OffDiagonal, V>{BlockSize<N>(n), {a}});
  }
  static void searched_factor(const Run<Exec> &run, int n, const SearchedFactorArguments &a)
  {
    if constexpr (!works_in_teams<Exec>)
      execute<N>(run, SearchedFactorRow<N, OffDiagonal, Diagonal>{{BlockSize<N>(n), a.factor}, a.search});
  }
};

template <int N, class Exec, int V> void half_sweep(const Run<Exec> &run, int n, const HalfArguments &a)
{
  if constexpr (has_lines<N, Exec> && V == 1)
    if (a.lines.count > 0) {
      if (!a.backward) return by_lines<HalfLineTerms<false>>(run, a);
      if (a.total) return by_lines<HalfLineTerms<true, true>>(run, a);
      return by_lines<HalfLineTerms<true>>(run, a);
    }
  execute<N>(run, HalfRow<N, V>{BlockSize<N>(n), {a}});
}

} // namespace

template <int N, class Exec> FactorKernels<Exec> factor_kernels_for(const Storage &storage)
{
  return with_storage<Method::factorization, true>(storage, [](auto off, auto diag, auto) -> FactorKernels<Exec> {
    using OffDiagonal = typename decltype(off)::type;
    using Diagonal = typename decltype(diag)::type;
    using T = TypedFactor<N, Exec, OffDiagonal, Diagonal>;
    using Working = TypedFactor<N, Exec, Scalar, Scalar>;
    constexpr bool corrects = std::is_same_v<OffDiagonal, Scalar> && std::is_same_v<Diagonal, Scalar>;
    return {T::template forward<1, false>,
            corrects ? &Working::template forward<1, true> : nullptr,
            T::template backward<1>,
            kernel<N, FactorRow<N, OffDiagonal, Diagonal>>,
            works_in_teams<Exec> ? nullptr : &T::searched_factor,
            kernel<N, SymmetricFactorRow<N, OffDiagonal, Diagonal>>,
            kernel<N, SymmetricBackwardRow<N, OffDiagonal, Diagonal, 1>>,
            T::template forward<most_vectors, false>,
            T::template backward<most_vectors>,
            kernel<N, SymmetricBackwardRow<N, OffDiagonal, Diagonal, most_vectors>>,
            any_size_kernel<N, TransposedRow<OffDiagonal, Diagonal>>};
  });
}

template <int N, class Exec> HalfKernels<Exec> half_kernels_for()
{
  return {half_sweep<N, Exec, 1>, kernel<N, HalfLowerRow<N>>, half_sweep<N, Exec, most_vectors>,
          any_size_kernel<N, HalfTransposedRow>};
}

template FactorKernels<HostExec> factor_kernels_for<FINEGRAIN_BLOCK, HostExec>(const Storage &);
template HalfKernels<HostExec> half_kernels_for<FINEGRAIN_BLOCK, HostExec>();
#if defined(FINEGRAIN_HAS_DEVICE)
template FactorKernels<DeviceExec> factor_kernels_for<FINEGRAIN_BLOCK, DeviceExec>(const Storage &);
template HalfKernels<DeviceExec> half_kernels_for<FINEGRAIN_BLOCK, DeviceExec>();
#endif

} // namespace finegrain
