// Body of a kernel translation unit. FINEGRAIN_BLOCK is its block size, 0 for any.
#include "kernels.hpp"

namespace finegrain
{

namespace
{

template <int N, class Exec, class OffDiagonal, class Diagonal> struct Typed {
  static constexpr bool has_lines = N == 1 && !works_in_teams<Exec>;

  template <class Point, class Arguments>
  static void by_lines(const Run<Exec> &run, const Point &point, const Arguments &a)
  {
    execute_tasks(run, LineSweep<Point>{point, a.ptr, a.lines.parts}, a.lines.count);
  }
  template <int V, bool Corrected> static void forward(const Run<Exec> &run, int n, const ForwardArguments &a)
  {
    if constexpr (has_lines && V == 1 && !Corrected)
      if (a.lines.count > 0)
        return by_lines(run,
                        ForwardPoint<OffDiagonal, Diagonal>{static_cast<const OffDiagonal *>(a.lower),
                                                            static_cast<const Diagonal *>(a.diagonal), a.b, a.y},
                        a);
    execute<N>(run, ForwardRow<N, OffDiagonal, Diagonal, V, Corrected>{
                      BlockSize<N>(n), a.ptr, a.col, a.row_of, a.y_by_row, static_cast<const OffDiagonal *>(a.lower),
                      static_cast<const Diagonal *>(a.diagonal), a.b, a.y, a.z, a.vectors});
  }
  template <int V> static void backward(const Run<Exec> &run, int n, const BackwardArguments &a)
  {
    if constexpr (has_lines && V == 1)
      if (a.lines.count > 0) {
        const auto *upper = static_cast<const OffDiagonal *>(a.upper);
        if (a.total) return by_lines(run, BackwardPoint<OffDiagonal, true>{upper, a.y, a.x, a.total}, a);
        return by_lines(run, BackwardPoint<OffDiagonal, false>{upper, a.y, a.x, nullptr}, a);
      }
    execute<N>(run, BackwardRow<N, OffDiagonal, V>{BlockSize<N>(n), a.ptr, a.col, a.row_of, a.y_by_row,
                                                   a.last_position, static_cast<const OffDiagonal *>(a.upper), a.y,
                                                   a.x, a.total, a.vectors});
  }
  static void transposed(const Run<Exec> &run, int n, const TransposedArguments &a)
  {
    execute<0>(run, TransposedRow<OffDiagonal, Diagonal>{BlockSize<0>(n), a.ptr, a.entry, a.col, a.row_of, a.backward,
                                                         a.last_position, static_cast<const OffDiagonal *>(a.blocks),
                                                         static_cast<const Diagonal *>(a.diagonal), a.in, a.out,
                                                         a.vectors});
  }
  template <bool Plain, Sign sign> static void multiply(const Run<Exec> &run, int n, const ResidualArguments &a)
  {
    execute<N>(run, ResidualRow<N, Plain, sign>{BlockSize<N>(n), a.slots, a.row_of, a.y_by_row, a.inside, a.ghost,
                                                a.owned, a.coupling, a.difference, a.b, a.x, a.ghosts, a.r, a.z});
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
      if (a.by_row.ptr) return execute<N>(run, ScatterRow<N>{BlockSize<N>(n), a.by_row, a.blocks, a.x, a.out});
    execute<N>(run, TransposedProductRow<N>{BlockSize<N>(n), a.ptr, a.entry, a.row, a.blocks, a.in, a.x, a.out});
  }
  static void stone(const Run<Exec> &run, int n, const StoneArguments &a)
  {
    execute<N>(run, StoneRow<N, OffDiagonal, Diagonal>{
                      BlockSize<N>(n), a.star, a.lower_source, a.diagonal_source, a.upper_source, a.row_of, a.alpha,
                      a.source, a.shift, static_cast<OffDiagonal *>(a.lower), static_cast<OffDiagonal *>(a.upper),
                      static_cast<Diagonal *>(a.diagonal), a.trouble});
  }
  static void factor(const Run<Exec> &run, int n, const FactorArguments &a)
  {
    execute<N>(run, FactorRow<N, OffDiagonal, Diagonal>{
                      BlockSize<N>(n), a.lower_ptr, a.upper_ptr, a.lower_source, a.diagonal_source, a.upper_source,
                      a.row_of, a.last_position, a.to_diagonal, a.to_lower, a.to_upper, a.source, a.shift,
                      static_cast<OffDiagonal *>(a.lower), static_cast<OffDiagonal *>(a.upper),
                      static_cast<Diagonal *>(a.diagonal), a.difference, a.trouble});
  }
};

// Stone's factor is compiled for scalars and for any block size.
template <class T, int N> constexpr auto stone_kernel() -> decltype(&T::stone)
{
  if constexpr (N == 1) return &T::stone;
  else return nullptr;
}

// make(tag, tag) for the storage types of these precisions.
template <class Make> auto with_storage(Precision off_diagonal, Precision diagonal, const Make &make)
{
  const bool low_off = off_diagonal == Precision::single, low_diagonal = diagonal == Precision::single;
  if (low_off && low_diagonal) return make(std::type_identity<Single>(), std::type_identity<Single>());
  if (low_off) return make(std::type_identity<Single>(), std::type_identity<Scalar>());
  return make(std::type_identity<Scalar>(),
              std::type_identity<Scalar>()); // find_conflict() rules out a diagonal below the rest, and sixteen bits
}

} // namespace

template <int N, class Exec> Kernels<Exec> kernels_for(Precision off_diagonal, Precision diagonal)
{
  return with_storage(off_diagonal, diagonal, [](auto off, auto diag) -> Kernels<Exec> {
    using OffDiagonal = typename decltype(off)::type;
    using Diagonal    = typename decltype(diag)::type;
    using T           = Typed<N, Exec, OffDiagonal, Diagonal>;
    using Working     = Typed<N, Exec, Scalar, Scalar>;
    constexpr bool w  = std::is_same_v<OffDiagonal, Scalar> && std::is_same_v<Diagonal, Scalar>;
    return {T::template forward<1, false>,
            w ? &Working::template forward<1, true> : nullptr,
            T::template backward<1>,
            Working::residual,
            Working::template multiply<true, Sign::plus>,
            Working::transposed_product,
            T::factor,
            stone_kernel<T, N>()};
  });
}

template Kernels<HostExec> kernels_for<FINEGRAIN_BLOCK, HostExec>(Precision, Precision);
#if defined(FINEGRAIN_HAS_DEVICE)
template Kernels<DeviceExec> kernels_for<FINEGRAIN_BLOCK, DeviceExec>(Precision, Precision);
#endif

#if FINEGRAIN_BLOCK == 0
template <class Exec> RareKernels<Exec> rare_kernels_for(Precision off_diagonal, Precision diagonal)
{
  return with_storage(off_diagonal, diagonal, [](auto off, auto diag) -> RareKernels<Exec> {
    using OffDiagonal = typename decltype(off)::type;
    using Diagonal    = typename decltype(diag)::type;
    using T           = Typed<0, Exec, OffDiagonal, Diagonal>;
    return {T::template forward<most_vectors, false>, T::template backward<most_vectors>, T::transposed, T::stone};
  });
}

template RareKernels<HostExec> rare_kernels_for<HostExec>(Precision, Precision);
#if defined(FINEGRAIN_HAS_DEVICE)
template RareKernels<DeviceExec> rare_kernels_for<DeviceExec>(Precision, Precision);
#endif
#endif

} // namespace finegrain
