// SPDX-License-Identifier: BSD-2-Clause
// Table of compiled kernels of relaxations.
#pragma once

#include "run/compiled_blocks.hpp"
#include "run/run.hpp"

namespace finegrain
{

struct RelaxArguments;
struct TransposedRelaxArguments;
struct LargestArguments;
struct LoadArguments;
struct CheckArguments;

template <class Exec> struct RelaxKernels {
  void (*relax)(const Run<Exec> &, int n, const RelaxArguments &);
  void (*largest)(const Run<Exec> &, int n, const LargestArguments &);
  void (*load)(const Run<Exec> &, int n, const LoadArguments &);
  void (*many_relax)(const Run<Exec> &, int n, const RelaxArguments &);           // several vectors
  void (*transposed)(const Run<Exec> &, int n, const TransposedRelaxArguments &); // any block size only,
  void (*check)(const Run<Exec> &, int n, const CheckArguments &);                // see find_relax_kernels(0, ...)
};

template <int N, class Exec> RelaxKernels<Exec> relax_kernels_for(const Storage &);
template <class Exec> RelaxKernels<Exec> find_relax_kernels(int n, const Storage &s)
{
  return with_block<Method::relaxation>(n, s, [&]<int N>() { return relax_kernels_for<N, Exec>(s); });
}

} // namespace finegrain
