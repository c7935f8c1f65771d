// SPDX-License-Identifier: BSD-2-Clause
// The hook by which an engine fetches ghosts, because it has no MPI: begin, end, add. src/petsc/common/petsc_halo.hpp
// implements it with PetscSF.
#pragma once

#include "base/scalar.hpp"

#include <stdexcept>
#include <vector>

namespace finegrain
{

// What src/petsc does for the engine while it computes residuals, multiplies and relaxes.
class Halo
{
public:
  static constexpr Index all = -1;

  virtual ~Halo() = default;
  // Fetches the ghost block rows of x, all of them or those of one color. Rows of x that are fetched somewhere, and
  // these ghosts, stay as they are between the two calls.
  virtual void begin(Index color, const Scalar *x, Scalar *ghosts) = 0;
  virtual void end(Index color, const Scalar *x, Scalar *ghosts) = 0;
  // Adds what every rank has for its ghosts to their owners' rows.
  virtual void add(Index color, const Scalar *ghosts, Scalar *x) = 0;
  // Says that rows without ghosts (interior) or with them are about to be done, or have been.
  virtual void residual(bool interior, bool starts) = 0;
  // Whether it takes arrays where an engine of a device has them; otherwise they lie on the host.
  virtual bool takes_device_arrays() const { return false; }
  // Whether the exchange that begins next comes in order with kernels of this queue, as if it were one of them. If
  // not, kernels that write what it takes have to be done before, and what it brings is there when end() or add()
  // returns.
  virtual bool follows(const Queue &) { return false; }
};

// Where the rows and blocks of a factor lie that ranks share, so that they can be fetched: the stage of each owned
// row, which is its color or its tile; of each row, the number of its inverted diagonal block; of each entry of
// SharedRows::selection, its number in the lower or in the upper part.
struct SharedStorage {
  Index stages = 0;
  HostArray<Index> stage, diagonal;
  HostArray<Index> entry; // -1: on the diagonal
  std::vector<char> is_upper;
  std::size_t diagonal_bytes = 0, block_bytes = 0; // of a block
};

// What is going on while rows of such a factor travel.
enum class Travel { factor, forward, backward };

// Owned rows come first in each array, rows of others behind them.
struct SharedArrays {
  Scalar *x = nullptr, *others = nullptr; // of sweeps
  void *diagonal = nullptr, *upper = nullptr;
};

// What src/petsc does for such a factorization. All calls are made by all ranks that have the stage, in its order.
class SharedHalo
{
public:
  virtual ~SharedHalo() = default;
  // Before the first stage.
  virtual void start(Travel, const SharedArrays &) {}
  // Before rows of a stage are computed.
  virtual void await(Travel, Index /*stage*/, const SharedArrays &) {}
  // Its rows that others need are done; they stay as they are from here on.
  virtual void begin(Travel, Index stage, const SharedArrays &) = 0;
  // All of its rows are done.
  virtual void end(Travel, Index stage, const SharedArrays &) = 0;
  // Lower blocks of all rows, for transposed sweeps.
  virtual void fetch_lower(void *lower) = 0;
  // Inverted diagonal blocks of all rows, for the symmetric form of Eisenstat's trick.
  virtual void fetch_diagonal(void *) { throw std::logic_error("this exchange has no diagonal blocks"); }
};

} // namespace finegrain
