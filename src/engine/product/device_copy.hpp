// SPDX-License-Identifier: BSD-2-Clause
// The device copy of a matrix of dense blocks, in memory that kernels can read: products, transposed products,
// assembly from coordinates. Mat type BAIJKOKKOS holds one; engines read its values.
#pragma once

#include "engine.hpp"

namespace finegrain
{

// Values that are summed into each block of a device copy, for DeviceCopy::assemble(). Targets are the blocks of the
// owned square, then those of the couplings. Target t is the sum of values list[ptr[t]] to list[ptr[t + 1] - 1], in
// that order. A value has `unit` scalars: one, or those of a block by rows. If unit is 1, each scalar of a block is
// a target, by columns.
struct AssemblyLists {
  int unit = 1;
  HostArray<Offset> ptr, list; // indices from `own` on are received values
  Offset own = 0, received = 0;
};

class DeviceCopy
{
public:
  virtual ~DeviceCopy() = default;

  // Starts with a new structure. `columns` is the number of owned block columns. Values are not defined until they
  // are loaded or assembled. If the view has keys, products add the terms of a row in their order, ghosts included.
  virtual void set_structure(const OperatorView &, Index columns) = 0;
  // Sets the halo that fetches ghosts; null: no rank has ghosts. Call after set_structure().
  virtual void set_halo(Halo *) = 0;
  // Sets the queue of products, like Engine::set_queue().
  virtual bool set_queue(const Queue &) = 0;

  // load() copies all values from arrays on the host, in the order of entries; save() copies them to such arrays.
  // load() may return before it is done; all later operations wait for it.
  virtual void load(const Scalar *owned, const Scalar *coupling) = 0;
  virtual void save(Scalar *owned, Scalar *coupling) const = 0;
  // Returns the blocks, for engines on the same back end. Their layout suits Engine::factor() with
  // Relaxation::in_place.
  virtual Values values() const = 0;
  // give_blocks() gives away the array of the blocks, which lives as long as the returned pointer. Then there are no
  // values until they are loaded or assembled, into a new array or into one that take_blocks() has set. That one may
  // be of this device copy or of another one on the same back end. take_blocks() has no effect if there is an array.
  virtual std::shared_ptr<void> give_blocks() = 0;
  virtual void take_blocks(const std::shared_ptr<void> &) = 0;

  // Allocates the memory that the first product of a kind needs. It may fail before a halo waits for this rank.
  virtual void reserve(Memory, bool transposed) = 0;
  // multiply() computes y = b + A x, multiply_transposed() y = b + A^T x (not conjugated). b may be null, for zero,
  // or y. Memory is the place of the vectors. Both return when y can be read.
  virtual void multiply(Memory, const Scalar *b, const Scalar *x, Scalar *y) = 0;
  virtual void multiply_transposed(Memory, const Scalar *b, const Scalar *x, Scalar *y) = 0;
  // Computes y_i = 1 / (sum over j of |a_ij|) for each scalar row, with magnitude(), and 1 for a row of zeros. Call
  // after reserve().
  virtual void scale_rows(Memory, Scalar *y) = 0;

  // Prepares assembly from coordinates.
  virtual void set_assembly(const AssemblyLists &) = 0;
  // Array for received values, in memory that kernels can read.
  virtual Scalar *received() = 0;
  // Sets all values to the sums of this rank's own and received values, or adds these. `received` is on the host;
  // null: the values are in received().
  virtual void assemble(Memory, const Scalar *own, const Scalar *received, bool add) = 0;

  virtual std::size_t bytes() const = 0; // size of the blocks
  virtual std::size_t index_bytes() const = 0;
  virtual double flops() const = 0; // per product
};

// Call after start_kokkos(). Backend::device needs has_device().
std::unique_ptr<DeviceCopy> make_device_copy(Backend);

} // namespace finegrain
