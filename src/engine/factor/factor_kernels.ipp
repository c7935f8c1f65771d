// SPDX-License-Identifier: BSD-2-Clause
// Body of a translation unit of factors, FINEGRAIN_BLOCK being its block size (0 for any): row functions with their
// types, run by the executor.
#include "factor/compact.hpp"
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
  static void factor(const Run<Exec> &run, int n, const FactorArguments &a)
  {
    execute<N>(run, FactorRow<N, OffDiagonal, Diagonal>{{BlockSize<N>(n), a}});
  }
  static void searched_factor(const Run<Exec> &run, int n, const SearchedFactorArguments &a)
  {
    if constexpr (!works_in_teams<Exec>)
      execute<N>(run, SearchedFactorRow<N, OffDiagonal, Diagonal>{{BlockSize<N>(n), a.factor}, a.search});
  }
  static void symmetric_factor(const Run<Exec> &run, int n, const SymmetricFactorArguments &a)
  {
    execute<N>(run, SymmetricFactorRow<N, OffDiagonal, Diagonal>{BlockSize<N>(n), a});
  }
  template <int V> static void symmetric_backward(const Run<Exec> &run, int n, const SymmetricBackwardArguments &a)
  {
    execute<N>(run, SymmetricBackwardRow<N, OffDiagonal, Diagonal, V>{BlockSize<N>(n), a});
  }
};

template <int N, class Exec, class Stored, class Diagonal, class Sums> struct TypedCompact {
  template <int V> static void sweep(const Run<Exec> &run, int n, const CompactArguments &a)
  {
    if constexpr (has_lines<N, Exec> && V == 1)
      if (a.lines.count > 0) {
        if (!a.backward) return by_lines<CompactLineTerms<Stored, Diagonal, Sums, false>>(run, a);
        if (a.total) return by_lines<CompactLineTerms<Stored, Diagonal, Sums, true, true>>(run, a);
        return by_lines<CompactLineTerms<Stored, Diagonal, Sums, true>>(run, a);
      }
    execute<N>(run, CompactRow<N, Stored, Diagonal, Sums, V>{BlockSize<N>(n), {a}});
  }
  static void lower(const Run<Exec> &run, int n, const CompactLowerArguments &a)
  {
    execute<N>(run, CompactLowerRow<N>{BlockSize<N>(n), a});
  }
};

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
            T::factor,
            works_in_teams<Exec> ? nullptr : &T::searched_factor,
            T::symmetric_factor,
            T::template symmetric_backward<1>,
            T::template forward<most_vectors, false>,
            T::template backward<most_vectors>,
            T::template symmetric_backward<most_vectors>};
  });
}

template <int N, class Exec> CompactKernels<Exec> compact_kernels_for(const Storage &storage)
{
  return with_storage<Method::factorization, N == 0, true>(
    storage, [](auto off, auto diagonal, auto sum) -> CompactKernels<Exec> {
      using T = TypedCompact<N, Exec, typename decltype(off)::type, typename decltype(diagonal)::type,
                             typename decltype(sum)::type>;
      return {T::template sweep<1>, T::lower, T::template sweep<most_vectors>};
    });
}

template FactorKernels<HostExec> factor_kernels_for<FINEGRAIN_BLOCK, HostExec>(const Storage &);
template CompactKernels<HostExec> compact_kernels_for<FINEGRAIN_BLOCK, HostExec>(const Storage &);
#if defined(FINEGRAIN_HAS_DEVICE)
template FactorKernels<DeviceExec> factor_kernels_for<FINEGRAIN_BLOCK, DeviceExec>(const Storage &);
template CompactKernels<DeviceExec> compact_kernels_for<FINEGRAIN_BLOCK, DeviceExec>(const Storage &);
#endif

#if FINEGRAIN_BLOCK == 0
template <class Exec> TransposedKernel<Exec> find_transposed_kernel(const Storage &storage)
{
  return with_storage<Method::factorization, true>(storage, [](auto off, auto diag, auto) -> TransposedKernel<Exec> {
    return [](const Run<Exec> &run, int n, const TransposedArguments &a) {
      execute<0>(run, TransposedRow<typename decltype(off)::type, typename decltype(diag)::type>{BlockSize<0>(n), a});
    };
  });
}

template <class Exec> CompactTransposedKernel<Exec> find_compact_transposed_kernel(const Storage &storage)
{
  return with_storage<Method::factorization, true, true>(
    storage, [](auto off, auto diag, auto) -> CompactTransposedKernel<Exec> {
      return [](const Run<Exec> &run, int n, const CompactTransposedArguments &a) {
        using Row = CompactTransposedRow<typename decltype(off)::type, typename decltype(diag)::type>;
        execute<0>(run, Row{BlockSize<0>(n), a});
      };
    });
}

template TransposedKernel<HostExec> find_transposed_kernel<HostExec>(const Storage &);
template CompactTransposedKernel<HostExec> find_compact_transposed_kernel<HostExec>(const Storage &);
#if defined(FINEGRAIN_HAS_DEVICE)
template TransposedKernel<DeviceExec> find_transposed_kernel<DeviceExec>(const Storage &);
template CompactTransposedKernel<DeviceExec> find_compact_transposed_kernel<DeviceExec>(const Storage &);
#endif
#endif

} // namespace finegrain
