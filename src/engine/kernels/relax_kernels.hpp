// The table of compiled kernels of relaxations, as kernels.hpp has those of factorizations. methods/relaxation.cpp
// reads it.
#pragma once

#include "base/storage.hpp"
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
  void (*many_relax)(const Run<Exec> &, int n, const RelaxArguments &); // of several vectors
};

// Those that exist for any block size only.
template <class Exec> struct AnySizeRelaxKernels {
  void (*transposed)(const Run<Exec> &, int n, const TransposedRelaxArguments &);
  void (*check)(const Run<Exec> &, int n, const CheckArguments &);
};

// Those compiled for block size N (0: any). Defined in one translation unit per N, which CMake makes.
template <int N, class Exec> RelaxKernels<Exec> relax_kernels_for(const Storage &);
template <class Exec> AnySizeRelaxKernels<Exec> any_size_relax_kernels_for(const Storage &);

// Those for a block size at run time: the fixed one where it was compiled for the storage, else the one for any.
template <class Exec> RelaxKernels<Exec> find_relax_kernels(int n, const Storage &);

} // namespace finegrain
