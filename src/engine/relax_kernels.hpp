// The compiled kernels of relaxations, as kernels.hpp has those of factorisations.
#pragma once

#include "executor.hpp"
#include "relax.hpp"

namespace finegrain
{

// Arguments are those of the row functions, blocks without a type.
struct RelaxArguments {
  RelaxRows     rows;
  bool          from_zero;
  const void   *blocks, *diagonal;
  Unscale       unscale;
  Real          omega;
  const Scalar *b;
  Scalar       *x;
  void         *y;
  const void   *ghosts;
  Vectors       vectors;
};

struct TransposedRelaxArguments {
  RelaxRows     rows;
  const Index  *entry;
  const void   *blocks, *diagonal;
  Unscale       unscale;
  Real          omega;
  const Scalar *in, *x;
  Scalar       *out;
  Vectors       vectors;
};

struct LargestArguments {
  const Index   *ptr;
  CouplingSource source;
  Real          *largest;
};

struct LoadArguments {
  const Index   *ptr, *row_of, *diagonal_entry;
  CouplingSource source;
  const Real    *largest;
  Real           scale;
  Shift          shift;
  void          *blocks, *diagonal;
  Real          *unscale;
  Trouble       *trouble;
};

struct CheckArguments {
  RelaxRows   rows;
  const void *blocks;
  Trouble    *trouble;
};

// How a relaxation stores and sums.
struct RelaxStorage {
  Precision off_diagonal = Precision::working, diagonal = Precision::working;
  bool      single_sums = false;
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
template <class Exec> RareRelaxKernels<Exec>    rare_relax_kernels_for(const RelaxStorage &);

// Those for a block size at run time.
template <class Exec> RelaxKernels<Exec> find_relax_kernels(int n, const RelaxStorage &);

} // namespace finegrain
