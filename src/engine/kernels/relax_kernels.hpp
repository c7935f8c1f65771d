// The table of compiled kernels of relaxations, as kernels.hpp has those of factorizations. methods/relaxation.cpp
// reads it.
#pragma once

#include "run/run.hpp"

namespace finegrain
{

struct RelaxArguments;
struct TransposedRelaxArguments;
struct LargestArguments;
struct LoadArguments;
struct CheckArguments;

// How a relaxation stores and sums.
struct RelaxStorage {
  Precision off_diagonal = Precision::working, diagonal = Precision::working;
  bool single_sums = false;
};

template <class Exec> struct RelaxKernels {
  void (*relax)(const Run<Exec> &, int n, const RelaxArguments &);
  void (*largest)(const Run<Exec> &, int n, const LargestArguments &);
  void (*load)(const Run<Exec> &, int n, const LoadArguments &);
};

// Those that exist for any block size only.
template <class Exec> struct RareRelaxKernels {
  void (*relax)(const Run<Exec> &, int n, const RelaxArguments &); // several vectors
  void (*transposed)(const Run<Exec> &, int n, const TransposedRelaxArguments &);
  void (*check)(const Run<Exec> &, int n, const CheckArguments &);
};

// Block sizes are compiled for inverses in working precision and couplings in working, single and half; the rest goes
// with any (N == 0).
inline bool is_rare(const RelaxStorage &s)
{
  return s.diagonal != Precision::working || s.off_diagonal == Precision::bfloat16;
}

// Those compiled for block size N (0: any). Defined in one translation unit per N, which CMake makes.
template <int N, class Exec> RelaxKernels<Exec> relax_kernels_for(const RelaxStorage &);
template <class Exec> RareRelaxKernels<Exec> rare_relax_kernels_for(const RelaxStorage &);

// Those for a block size at run time.
template <class Exec> RelaxKernels<Exec> find_relax_kernels(int n, const RelaxStorage &);

} // namespace finegrain
