// The compiled kernels, by block size and storage: the boundary between the engine, which knows these at run time,
// and the row functions, which know them at compile time.
#pragma once

#include "executor.hpp"
#include "factor.hpp"
#include "line_sweep.hpp"
#include "residual.hpp"
#include "stone.hpp"
#include "sweep.hpp"

namespace finegrain
{

// Parts of a sweep by lines; none: the sweep goes by rows.
struct LineList {
  const LinePart *parts = nullptr;
  Index           count = 0;
};

// Arguments are those of the row functions, blocks without a type.
struct ForwardArguments {
  const Index  *ptr, *col, *row_of;
  bool          y_by_row;
  const void   *lower, *diagonal;
  const Scalar *b;
  Scalar       *y;
  const Scalar *z = nullptr;
  Vectors       vectors;
  LineList      lines;
};

struct BackwardArguments {
  const Index  *ptr, *col, *row_of;
  bool          y_by_row;
  Index         last_position;
  const void   *upper;
  const Scalar *y;
  Scalar       *x;
  Scalar       *total = nullptr;
  Vectors       vectors;
  LineList      lines;
};

struct TransposedArguments {
  const Index  *ptr, *entry, *col, *row_of;
  bool          backward;
  Index         last_position;
  const void   *blocks, *diagonal;
  const Scalar *in;
  Scalar       *out;
  Vectors       vectors;
};

struct ResidualArguments {
  const Index  *slots, *row_of;
  bool          y_by_row;
  EntryList     inside, ghost;
  Source        owned, coupling;
  const Scalar *difference, *b, *x, *ghosts;
  Scalar       *r, *z;
};

struct TransposedProductArguments {
  EntryList     by_row;            // given: scattered by one thread of a host, `in` is in `out` already
  const Index  *ptr, *entry, *row; // gathered
  const Scalar *blocks, *in, *x;
  Scalar       *out;
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
  Scalar      *difference;
  Trouble     *trouble;
};

struct StoneArguments {
  StarList     star;
  const Index *lower_source, *diagonal_source, *upper_source;
  const Index *row_of;
  Real         alpha;
  Source       source;
  Shift        shift;
  void        *lower, *upper, *diagonal;
  Trouble     *trouble;
};

// Kernels of one block size and storage. The block size is passed again for those compiled for any.
template <class Exec> struct Kernels {
  void (*forward)(const Run<Exec> &, int n, const ForwardArguments &);
  void (*corrected_forward)(const Run<Exec> &, int n, const ForwardArguments &); // working storage only, else null
  void (*backward)(const Run<Exec> &, int n, const BackwardArguments &);
  void (*residual)(const Run<Exec> &, int n, const ResidualArguments &);
  void (*product)(const Run<Exec> &, int n, const ResidualArguments &); // r = b + A x, where the residual is plain
  void (*transposed_product)(const Run<Exec> &, int n, const TransposedProductArguments &);
  void (*factor)(const Run<Exec> &, int n, const FactorArguments &);
  void (*stone)(const Run<Exec> &, int n, const StoneArguments &); // block sizes 1 and any only, else null
};

// Kernels that exist for any block size only: several vectors, and transposes.
template <class Exec> struct RareKernels {
  void (*forward)(const Run<Exec> &, int n, const ForwardArguments &);
  void (*backward)(const Run<Exec> &, int n, const BackwardArguments &);
  void (*transposed)(const Run<Exec> &, int n, const TransposedArguments &);
  void (*stone)(const Run<Exec> &, int n, const StoneArguments &);
};

// Those compiled for block size N (0: any). Defined in one translation unit per N, which CMake makes.
template <int N, class Exec> Kernels<Exec> kernels_for(Precision off_diagonal, Precision diagonal);
template <class Exec> RareKernels<Exec>    rare_kernels_for(Precision off_diagonal, Precision diagonal);

// Those for a block size at run time: the fixed one where it was compiled, else the one for any.
template <class Exec> Kernels<Exec> find_kernels(int n, Precision off_diagonal, Precision diagonal);

} // namespace finegrain
