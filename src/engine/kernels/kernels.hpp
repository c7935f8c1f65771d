// The table of compiled kernels of factorizations, by block size and storage: methods know these at run time, row
// functions at compile time. kernels.ipp fills it, one translation unit a block size.
#pragma once

#include "base/storage.hpp"
#include "run/run.hpp"

namespace finegrain
{

// Those of the row functions, beside which they are defined; blocks have no type in them.
struct ForwardArguments;
struct BackwardArguments;
struct EisenstatRootArguments;
struct EisenstatFactorArguments;
struct EisenstatCouplingArguments;
struct EisenstatArguments;
struct BlockProductArguments;
struct CompactArguments;
struct CompactTransposedArguments;
struct CompactLowerArguments;
struct TransposedArguments;
struct ResidualArguments;
struct TransposedProductArguments;
struct FactorArguments;
struct SearchedFactorArguments;
struct SipArguments;
struct SymmetricFactorArguments;
struct SymmetricBackwardArguments;

// Kernels of one block size and storage. The block size is passed again for those compiled for any.
template <class Exec> struct Kernels {
  void (*forward)(const Run<Exec> &, int n, const ForwardArguments &);
  void (*corrected_forward)(const Run<Exec> &, int n, const ForwardArguments &); // working storage only, else null
  void (*backward)(const Run<Exec> &, int n, const BackwardArguments &);
  void (*eisenstat_root)(const Run<Exec> &, int n, const EisenstatRootArguments &);     // these are those of
  void (*eisenstat_factor)(const Run<Exec> &, int n, const EisenstatFactorArguments &); // working storage, else null
  void (*eisenstat_coupling)(const Run<Exec> &, int n, const EisenstatCouplingArguments &);
  void (*eisenstat)(const Run<Exec> &, int n, const EisenstatArguments &);
  void (*block_product)(const Run<Exec> &, int n, const BlockProductArguments &);
  void (*residual)(const Run<Exec> &, int n, const ResidualArguments &);
  void (*product)(const Run<Exec> &, int n, const ResidualArguments &); // r = b + A x, where the residual is plain
  void (*transposed_product)(const Run<Exec> &, int n, const TransposedProductArguments &);
  void (*factor)(const Run<Exec> &, int n, const FactorArguments &);
  void (*searched_factor)(const Run<Exec> &, int n, const SearchedFactorArguments &); // hosts only, else null
  void (*sip)(const Run<Exec> &, int n, const SipArguments &); // block sizes 1 and any only, else null
  void (*symmetric_factor)(const Run<Exec> &, int n, const SymmetricFactorArguments &);
  void (*symmetric_backward)(const Run<Exec> &, int n, const SymmetricBackwardArguments &);
  void (*many_forward)(const Run<Exec> &, int n, const ForwardArguments &); // these are of several vectors
  void (*many_backward)(const Run<Exec> &, int n, const BackwardArguments &);
  void (*many_symmetric_backward)(const Run<Exec> &, int n, const SymmetricBackwardArguments &);
};

// Kernels that exist for any block size only.
template <class Exec> struct AnySizeKernels {
  void (*transposed)(const Run<Exec> &, int n, const TransposedArguments &);
  void (*sip)(const Run<Exec> &, int n, const SipArguments &);
};

// Of compact factors: sweeps, and what makes their lower blocks.
template <class Exec> struct CompactKernels {
  void (*sweep)(const Run<Exec> &, int n, const CompactArguments &);
  void (*lower)(const Run<Exec> &, int n, const CompactLowerArguments &);
  void (*many_sweep)(const Run<Exec> &, int n, const CompactArguments &); // of several vectors
};
template <class Exec> struct AnySizeCompactKernels {
  void (*transposed)(const Run<Exec> &, int n, const CompactTransposedArguments &);
};

// Those compiled for block size N (0: any). Defined in one translation unit per N, which CMake makes.
template <int N, class Exec> Kernels<Exec> kernels_for(const Storage &);
template <class Exec> AnySizeKernels<Exec> any_size_kernels_for(const Storage &);
template <int N, class Exec> CompactKernels<Exec> compact_kernels_for(const Storage &);
template <class Exec> AnySizeCompactKernels<Exec> any_size_compact_kernels_for(const Storage &);

// Those for a block size at run time: the fixed one where it was compiled, else the one for any.
template <class Exec> Kernels<Exec> find_kernels(int n, const Storage &);
template <class Exec> CompactKernels<Exec> find_compact_kernels(int n, const Storage &);

} // namespace finegrain
