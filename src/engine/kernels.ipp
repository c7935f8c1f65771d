// Body of a kernel translation unit. FINEGRAIN_BLOCK is its block size, 0 for any.
#include "kernels.hpp"
#include "sweep.hpp"

namespace finegrain
{

namespace
{

template <int N, class Exec, class OffDiagonal, class Diagonal> struct Typed {
  static void forward(const Run<Exec> &run, int n, const ForwardArguments &a)
  {
    execute<N>(run, ForwardRow<N, OffDiagonal, Diagonal>{BlockSize<N>(n), a.ptr, a.col, a.row_of, a.y_by_row,
                                                         static_cast<const OffDiagonal *>(a.lower),
                                                         static_cast<const Diagonal *>(a.diagonal), a.b, a.y});
  }
  static void backward(const Run<Exec> &run, int n, const BackwardArguments &a)
  {
    execute<N>(run, BackwardRow<N, OffDiagonal>{BlockSize<N>(n), a.ptr, a.col, a.row_of, a.y_by_row, a.last_position,
                                                static_cast<const OffDiagonal *>(a.upper), a.y, a.x});
  }
  static void factor(const Run<Exec> &run, int n, const FactorArguments &a)
  {
    execute<N>(run, FactorRow<N, OffDiagonal, Diagonal>{
                      BlockSize<N>(n), a.lower_ptr, a.upper_ptr, a.lower_source, a.diagonal_source, a.upper_source,
                      a.row_of, a.last_position, a.to_diagonal, a.to_lower, a.to_upper, a.source, a.shift,
                      static_cast<OffDiagonal *>(a.lower), static_cast<OffDiagonal *>(a.upper),
                      static_cast<Diagonal *>(a.diagonal), a.trouble});
  }
  static Kernels<Exec> table() { return {forward, backward, factor}; }
};

} // namespace

template <int N, class Exec> Kernels<Exec> kernels_for(Precision off_diagonal, Precision diagonal)
{
  const bool low_off = off_diagonal == Precision::single, low_diagonal = diagonal == Precision::single;
  if (low_off && low_diagonal) return Typed<N, Exec, Single, Single>::table();
  if (low_off) return Typed<N, Exec, Single, Scalar>::table();
  return Typed<N, Exec, Scalar, Scalar>::table(); // find_conflict() rules out a diagonal below the rest
}

template Kernels<HostExec> kernels_for<FINEGRAIN_BLOCK, HostExec>(Precision, Precision);
#if defined(KOKKOS_ENABLE_CUDA)
template Kernels<DeviceExec> kernels_for<FINEGRAIN_BLOCK, DeviceExec>(Precision, Precision);
#endif

} // namespace finegrain
