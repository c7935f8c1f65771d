// SPDX-License-Identifier: BSD-2-Clause
// Hook by which an engine fetches ghosts, because it has no MPI. src/petsc/common/petsc_halo.hpp implements it with
// PetscSF.
#pragma once

#include "base/scalar.hpp"

#include <stdexcept>
#include <vector>

namespace finegrain
{

// Exchange of ghosts for an engine that computes residuals, multiplies and relaxes. src/petsc implements it.
class Halo
{
public:
  static constexpr Index all = -1;

  virtual ~Halo() = default;
  // begin() and end() fetch the ghost block rows of x, all of them or those of one color. Rows of x that any rank
  // fetches, and these ghosts, do not change between the two calls.
  virtual void begin(Index color, const Scalar *x, Scalar *ghosts) = 0;
  virtual void end(Index color, const Scalar *x, Scalar *ghosts) = 0;
  // Adds the values that each rank has for its ghosts to the rows of their owners.
  virtual void add(Index color, const Scalar *ghosts, Scalar *x) = 0;
  // Reports that the computation of rows without ghosts (interior) or with ghosts starts or ends.
  virtual void residual(bool interior, bool starts) = 0;
  // Returns true if it accepts arrays in the memory of a device engine; otherwise arrays are on the host.
  virtual bool takes_device_arrays() const { return false; }
  // Returns true if the next exchange runs in order with kernels of this queue, as if it were one of them. Otherwise
  // kernels that write its input must have finished before, and its output is ready when end() or add() returns.
  virtual bool follows(const Queue &) { return false; }
};

// Storage of a factor that ranks share, so that rows and blocks can be fetched. stage: of each owned row, its color
// or its tile. diagonal: of each row, the index of its inverted diagonal block. entry: of each entry of
// SharedRows::selection, its index in the lower or in the upper part.
struct SharedStorage {
  Index stages = 0;
  HostArray<Index> stage, diagonal;
  HostArray<Index> entry; // -1: on the diagonal
  std::vector<char> is_upper;
  std::size_t diagonal_bytes = 0, block_bytes = 0; // bytes of a block
};

// Phase in which rows of such a factor are exchanged.
enum class Travel { factor, forward, backward };

// Arrays to exchange. Owned rows are first in each array, rows of other ranks follow.
struct SharedArrays {
  Scalar *x = nullptr, *others = nullptr; // vectors of sweeps
  void *diagonal = nullptr, *upper = nullptr;
};

// Exchange for a global factorization. src/petsc implements it. All ranks that have a stage make the calls, in the
// order of stages.
class SharedHalo
{
public:
  virtual ~SharedHalo() = default;
  // Called before the first stage.
  virtual void start(Travel, const SharedArrays &) {}
  // Called before rows of a stage are computed.
  virtual void await(Travel, Index /*stage*/, const SharedArrays &) {}
  // Called when the rows of a stage that other ranks need are done. They do not change any more.
  virtual void begin(Travel, Index stage, const SharedArrays &) = 0;
  // Called when all rows of a stage are done.
  virtual void end(Travel, Index stage, const SharedArrays &) = 0;
  // Fetches the lower blocks of all rows, for transposed sweeps.
  virtual void fetch_lower(void *lower) = 0;
  // Fetches the inverted diagonal blocks of all rows, for the symmetric form of Eisenstat's trick.
  virtual void fetch_diagonal(void *) { throw std::logic_error("this exchange has no diagonal blocks"); }
};

} // namespace finegrain
