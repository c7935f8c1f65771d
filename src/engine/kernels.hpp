// The compiled kernels, by block size and storage: the boundary between the engine, which knows these at run time,
// and the row functions, which know them at compile time.
#pragma once

#include "executor.hpp"
#include "factor.hpp"

namespace finegrain
{

struct ForwardArguments {
  const Index  *ptr, *col, *row_of;
  bool          y_by_row;
  const void   *lower, *diagonal;
  const Scalar *b;
  Scalar       *y;
};

struct BackwardArguments {
  const Index  *ptr, *col, *row_of;
  bool          y_by_row;
  Index         last_position;
  const void   *upper;
  const Scalar *y;
  Scalar       *x;
};

struct FactorArguments {
  const Index *lower_ptr, *upper_ptr;
  const Index *lower_source, *diagonal_source, *upper_source;
  const Index *row_of;
  Index        last_position;
  UpdateList   to_diagonal, to_lower, to_upper;
  Source       source;
  Shift        shift;
  void        *lower, *upper, *diagonal;
  Trouble     *trouble;
};

// Kernels of one block size and storage. The block size is passed again for those compiled for any.
template <class Exec> struct Kernels {
  void (*forward)(const Run<Exec> &, int n, const ForwardArguments &);
  void (*backward)(const Run<Exec> &, int n, const BackwardArguments &);
  void (*factor)(const Run<Exec> &, int n, const FactorArguments &);
};

// Those compiled for block size N (0: any). Defined in one translation unit per N, which CMake makes.
template <int N, class Exec> Kernels<Exec> kernels_for(Precision off_diagonal, Precision diagonal);

// Those for a block size at run time: the fixed one where it was compiled, else the one for any.
template <class Exec> Kernels<Exec> find_kernels(int n, Precision off_diagonal, Precision diagonal);

} // namespace finegrain
