// SPDX-License-Identifier: BSD-2-Clause
// Tables of compiled kernels of factors: factorizations and sweeps, by block size and storage.
#pragma once

#include "run/compiled_blocks.hpp"
#include "run/run.hpp"

namespace finegrain
{

// Arguments of the row functions, which are defined with those. They point to blocks without a type.
struct ForwardArguments;
struct BackwardArguments;
struct TransposedArguments;
struct FactorArguments;
struct SearchedFactorArguments;
struct SymmetricFactorArguments;
struct SymmetricBackwardArguments;
struct HalfArguments;
struct HalfTransposedArguments;
struct HalfLowerArguments;

// Kernels of one block size and storage. Kernels for any size need the block size as an argument. The many_ kernels
// sweep over several vectors. Transposed sweeps exist for any block size only: find_factor_kernels(0, ...) returns
// them.
template <class Exec> struct FactorKernels {
  void (*forward)(const Run<Exec> &, int n, const ForwardArguments &);
  void (*corrected_forward)(const Run<Exec> &, int n, const ForwardArguments &); // working storage only, else null
  void (*backward)(const Run<Exec> &, int n, const BackwardArguments &);
  void (*factor)(const Run<Exec> &, int n, const FactorArguments &);
  void (*searched_factor)(const Run<Exec> &, int n, const SearchedFactorArguments &); // hosts only, else null
  void (*symmetric_factor)(const Run<Exec> &, int n, const SymmetricFactorArguments &);
  void (*symmetric_backward)(const Run<Exec> &, int n, const SymmetricBackwardArguments &);
  void (*many_forward)(const Run<Exec> &, int n, const ForwardArguments &);
  void (*many_backward)(const Run<Exec> &, int n, const BackwardArguments &);
  void (*many_symmetric_backward)(const Run<Exec> &, int n, const SymmetricBackwardArguments &);
  void (*transposed)(const Run<Exec> &, int n, const TransposedArguments &);
};
// Kernels of half precision factors: sweeps, and the conversion of lower blocks.
template <class Exec> struct HalfKernels {
  void (*sweep)(const Run<Exec> &, int n, const HalfArguments &);
  void (*lower)(const Run<Exec> &, int n, const HalfLowerArguments &);
  void (*many_sweep)(const Run<Exec> &, int n, const HalfArguments &);
  void (*transposed)(const Run<Exec> &, int n, const HalfTransposedArguments &);
};

template <int N, class Exec> FactorKernels<Exec> factor_kernels_for(const Storage &);
template <int N, class Exec> HalfKernels<Exec> half_kernels_for();
template <class Exec> FactorKernels<Exec> find_factor_kernels(int n, const Storage &s)
{
  return with_block(n, [&]<int N>() { return factor_kernels_for<N, Exec>(s); });
}
template <class Exec> HalfKernels<Exec> find_half_kernels(int n)
{
  return with_block(n, []<int N>() { return half_kernels_for<N, Exec>(); });
}

} // namespace finegrain
