// Body of a translation unit of kernels, FINEGRAIN_BLOCK being its block size (0 for any): row functions with their
// types, run by the executor. kernels.hpp declares what it fills.
#include "kernels/compact.hpp"
#include "kernels/eisenstat.hpp"
#include "kernels/factor.hpp"
#include "kernels/kernels.hpp"
#include "kernels/line_sweep.hpp"
#include "kernels/residual.hpp"
#include "kernels/sip.hpp"
#include "kernels/sweep.hpp"
#include "kernels/symmetric.hpp"
#include "run/executor.hpp"

namespace finegrain
{

namespace
{

// For blocks of one number on hosts.
template <int N, class Exec> inline constexpr bool has_lines = N == 1 && !works_in_teams<Exec>;

template <class Exec, class Point, class Arguments>
void by_lines(const Run<Exec> &run, const Point &point, const Arguments &a)
{
  execute_tasks(run, LineSweep<Point>{point, a.ptr, a.lines.parts}, a.lines.count);
}

template <int N, class Exec, class OffDiagonal, class Diagonal> struct Typed {
  template <int V, bool Corrected> static void forward(const Run<Exec> &run, int n, const ForwardArguments &a)
  {
    if constexpr (has_lines<N, Exec> && V == 1 && !Corrected)
      if (a.lines.count > 0)
        return by_lines(
          run,
          ForwardPoint<OffDiagonal, Diagonal>{
            {static_cast<const OffDiagonal *>(a.lower)}, static_cast<const Diagonal *>(a.diagonal), a.b, a.y},
          a);
    execute<N>(run, ForwardRow<N, OffDiagonal, Diagonal, V, Corrected>{BlockSize<N>(n), a});
  }
  template <int V> static void backward(const Run<Exec> &run, int n, const BackwardArguments &a)
  {
    if constexpr (has_lines<N, Exec> && V == 1)
      if (a.lines.count > 0) {
        const auto *upper = static_cast<const OffDiagonal *>(a.upper);
        if (a.total) return by_lines(run, BackwardPoint<OffDiagonal, true>{{upper}, a.y, a.x, a.total}, a);
        return by_lines(run, BackwardPoint<OffDiagonal, false>{{upper}, a.y, a.x, nullptr}, a);
      }
    execute<N>(run, BackwardRow<N, OffDiagonal, V>{BlockSize<N>(n), a});
  }
  static void eisenstat_root(const Run<Exec> &run, int n, const EisenstatRootArguments &a)
  {
    execute<N>(run, EisenstatRootRow<N>{BlockSize<N>(n), a});
  }
  static void eisenstat_factor(const Run<Exec> &run, int n, const EisenstatFactorArguments &a)
  {
    execute<N>(run, EisenstatFactorRow<N>{BlockSize<N>(n), a});
  }
  static void eisenstat_coupling(const Run<Exec> &run, int n, const EisenstatCouplingArguments &a)
  {
    execute<N>(run, EisenstatCouplingRow<N>{BlockSize<N>(n), a});
  }
  static void eisenstat(const Run<Exec> &run, int n, const EisenstatArguments &a)
  {
    if constexpr (has_lines<N, Exec>)
      if (a.lines.count > 0 && a.t) {
        const auto run_lines = [&](auto couples) {
          by_lines(run, EisenstatPoint<couples.value>{{a.lower}, a.twice, a.v, a.t, a.c, a.y, a.u}, a);
        };
        return a.c ? run_lines(std::true_type()) : run_lines(std::false_type());
      }
    execute<N>(run, EisenstatRow<N>{BlockSize<N>(n), a});
  }
  static void block_product(const Run<Exec> &run, int n, const BlockProductArguments &a)
  {
    execute<N>(run, BlockProductRow<N>{BlockSize<N>(n), a});
  }
  static void transposed(const Run<Exec> &run, int n, const TransposedArguments &a)
  {
    execute<0>(run, TransposedRow<OffDiagonal, Diagonal>{BlockSize<0>(n), a});
  }
  template <bool Plain, Sign sign> static void multiply(const Run<Exec> &run, int n, const ResidualArguments &a)
  {
    execute<N>(run, ResidualRow<N, Plain, sign>{BlockSize<N>(n), a});
  }
  static void residual(const Run<Exec> &run, int n, const ResidualArguments &a)
  {
    if constexpr (N == 1)
      if (!a.row_of && !a.difference && !a.inside.entry && !a.ghost.entry && !a.owned.base && !a.coupling.base)
        return multiply<true, Sign::minus>(run, n, a);
    multiply<false, Sign::minus>(run, n, a);
  }
  static void transposed_product(const Run<Exec> &run, int n, const TransposedProductArguments &a)
  {
    if constexpr (!works_in_teams<Exec>)
      if (a.by_row.ptr) return execute<N>(run, ScatterRow<N>{BlockSize<N>(n), a});
    execute<N>(run, TransposedProductRow<N>{BlockSize<N>(n), a});
  }
  static void sip(const Run<Exec> &run, int n, const SipArguments &a)
  {
    execute<N>(run, SipRow<N, OffDiagonal, Diagonal>{BlockSize<N>(n), a});
  }
  static void symmetric_factor(const Run<Exec> &run, int n, const SymmetricFactorArguments &a)
  {
    execute<N>(run, SymmetricFactorRow<N, OffDiagonal, Diagonal>{BlockSize<N>(n), a});
  }
  template <int V> static void symmetric_backward(const Run<Exec> &run, int n, const SymmetricBackwardArguments &a)
  {
    execute<N>(run, SymmetricBackwardRow<N, OffDiagonal, Diagonal, V>{BlockSize<N>(n), a});
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
};

template <int N, class Exec, class Stored, class Diagonal, class Sum> struct TypedCompact {
  template <int V> static void sweep(const Run<Exec> &run, int n, const CompactArguments &a)
  {
    if constexpr (has_lines<N, Exec> && V == 1)
      if (a.lines.count > 0) {
        const CompactPoint<Stored, Sum> point(a);
        if (!a.backward)
          return by_lines(
            run, CompactForwardPoint<Stored, Diagonal, Sum>{point, static_cast<const Diagonal *>(a.diagonal), a.b},
            a);
        if (a.total) return by_lines(run, CompactBackwardPoint<Stored, Sum, true>{point, *a.unit, a.x, a.total}, a);
        return by_lines(run, CompactBackwardPoint<Stored, Sum, false>{point, *a.unit, a.x, nullptr}, a);
      }
    execute<N>(run, CompactRow<N, Stored, Diagonal, Sum, V>{BlockSize<N>(n), a});
  }
  static void transposed(const Run<Exec> &run, int n, const CompactTransposedArguments &a)
  {
    execute<0>(run, CompactTransposedRow<Stored, Diagonal>{BlockSize<0>(n), a});
  }
  static void lower(const Run<Exec> &run, int n, const CompactLowerArguments &a)
  {
    execute<N>(run, CompactLowerRow<N>{BlockSize<N>(n), a});
  }
};

// Stone's factor is compiled for scalars and for any block size.
template <class T, int N> constexpr auto sip_kernel() -> decltype(&T::sip)
{
  if constexpr (N == 1) return &T::sip;
  else return nullptr;
}

} // namespace

template <int N, class Exec> Kernels<Exec> kernels_for(const Storage &storage)
{
  return with_storage<Method::factorization, true>(storage, [](auto off, auto diag, auto) -> Kernels<Exec> {
    using OffDiagonal = typename decltype(off)::type;
    using Diagonal = typename decltype(diag)::type;
    using T = Typed<N, Exec, OffDiagonal, Diagonal>;
    using Working = Typed<N, Exec, Scalar, Scalar>;
    constexpr bool w = std::is_same_v<OffDiagonal, Scalar> && std::is_same_v<Diagonal, Scalar>;
    return {T::template forward<1, false>,
            w ? &Working::template forward<1, true> : nullptr,
            T::template backward<1>,
            w ? &Working::eisenstat_root : nullptr,
            w ? &Working::eisenstat_factor : nullptr,
            w ? &Working::eisenstat_coupling : nullptr,
            w ? &Working::eisenstat : nullptr,
            w ? &Working::block_product : nullptr,
            Working::residual,
            Working::template multiply<true, Sign::plus>,
            Working::transposed_product,
            T::factor,
            works_in_teams<Exec> ? nullptr : &T::searched_factor,
            sip_kernel<T, N>(),
            T::symmetric_factor,
            T::template symmetric_backward<1>,
            T::template forward<most_vectors, false>,
            T::template backward<most_vectors>,
            T::template symmetric_backward<most_vectors>};
  });
}

template Kernels<HostExec> kernels_for<FINEGRAIN_BLOCK, HostExec>(const Storage &);
#if defined(FINEGRAIN_HAS_DEVICE)
template Kernels<DeviceExec> kernels_for<FINEGRAIN_BLOCK, DeviceExec>(const Storage &);
#endif

template <int N, class Exec> CompactKernels<Exec> compact_kernels_for(const Storage &storage)
{
  return with_storage<Method::factorization, N == 0, true>(
    storage, [](auto off, auto diagonal, auto sum) -> CompactKernels<Exec> {
      using T = TypedCompact<N, Exec, typename decltype(off)::type, typename decltype(diagonal)::type,
                             typename decltype(sum)::type>;
      return {T::template sweep<1>, T::lower, T::template sweep<most_vectors>};
    });
}

template CompactKernels<HostExec> compact_kernels_for<FINEGRAIN_BLOCK, HostExec>(const Storage &);
#if defined(FINEGRAIN_HAS_DEVICE)
template CompactKernels<DeviceExec> compact_kernels_for<FINEGRAIN_BLOCK, DeviceExec>(const Storage &);
#endif

#if FINEGRAIN_BLOCK == 0
template <class Exec> AnySizeKernels<Exec> any_size_kernels_for(const Storage &storage)
{
  return with_storage<Method::factorization, true>(storage, [](auto off, auto diag, auto) -> AnySizeKernels<Exec> {
    using OffDiagonal = typename decltype(off)::type;
    using Diagonal = typename decltype(diag)::type;
    using T = Typed<0, Exec, OffDiagonal, Diagonal>;
    return {T::transposed, T::sip};
  });
}

template <class Exec> AnySizeCompactKernels<Exec> any_size_compact_kernels_for(const Storage &storage)
{
  return with_storage<Method::factorization, true, true>(
    storage, [](auto off, auto diagonal, auto sum) -> AnySizeCompactKernels<Exec> {
      using T = TypedCompact<0, Exec, typename decltype(off)::type, typename decltype(diagonal)::type,
                             typename decltype(sum)::type>;
      return {T::transposed};
    });
}

template AnySizeKernels<HostExec> any_size_kernels_for<HostExec>(const Storage &);
template AnySizeCompactKernels<HostExec> any_size_compact_kernels_for<HostExec>(const Storage &);
#if defined(FINEGRAIN_HAS_DEVICE)
template AnySizeKernels<DeviceExec> any_size_kernels_for<DeviceExec>(const Storage &);
template AnySizeCompactKernels<DeviceExec> any_size_compact_kernels_for<DeviceExec>(const Storage &);
#endif
#endif

} // namespace finegrain
