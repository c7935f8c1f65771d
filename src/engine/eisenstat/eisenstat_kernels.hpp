// SPDX-License-Identifier: BSD-2-Clause
// Table of compiled kernels of Eisenstat's trick, for factors in working precision. The backward sweep is that of
// the factor.
#pragma once

#include "run/compiled_blocks.hpp"
#include "run/run.hpp"

namespace finegrain
{

struct EisenstatRootArguments;
struct EisenstatFactorArguments;
struct EisenstatCouplingArguments;
struct EisenstatArguments;
struct BlockProductArguments;

template <class Exec> struct EisenstatKernels {
  void (*root)(const Run<Exec> &, int n, const EisenstatRootArguments &);
  void (*factor)(const Run<Exec> &, int n, const EisenstatFactorArguments &);
  void (*coupling)(const Run<Exec> &, int n, const EisenstatCouplingArguments &);
  void (*forward)(const Run<Exec> &, int n, const EisenstatArguments &);
  void (*block_product)(const Run<Exec> &, int n, const BlockProductArguments &);
};

template <int N, class Exec> EisenstatKernels<Exec> eisenstat_kernels_for();
template <class Exec> EisenstatKernels<Exec> find_eisenstat_kernels(int n)
{
  return with_block(n, []<int N>() { return eisenstat_kernels_for<N, Exec>(); });
}

} // namespace finegrain
