// SPDX-License-Identifier: BSD-2-Clause
// A matrix of dense blocks where kernels can read it: products, transposed products, assembly from coordinates. Mat
// type BAIJKOKKOS holds one; engines read its values.
#pragma once

#include "engine.hpp"

namespace finegrain
{

// Which values make up each number of a mirror, for DeviceCopy::assemble(). Targets are the blocks of the owned
// square, then those of the couplings; target t is the sum of values list[ptr[t]] to list[ptr[t + 1] - 1], in that
// order. A value is `unit` scalars: one, or a block by rows. Scalars of a block are targets of their own if unit is
// 1, by columns.
struct AssemblyLists {
  int unit = 1;
  HostArray<Offset> ptr, list; // numbers from `own` on are received ones
  Offset own = 0, received = 0;
};

class DeviceCopy
{
public:
  virtual ~DeviceCopy() = default;

  // Begins anew; `columns` are the block columns owned. Values are not defined until they are loaded or assembled.
  virtual void set_structure(const OperatorView &, Index columns) = 0;
  // Who fetches ghosts; null: there are none on any rank. After set_structure().
  virtual void set_halo(Halo *) = 0;
  // As Engine::set_queue(), for products.
  virtual bool set_queue(const Queue &) = 0;

  // All values from arrays on the host, in the order of entries, or to them. load() may return before it is done;
  // everything later waits for it.
  virtual void load(const Scalar *owned, const Scalar *coupling) = 0;
  virtual void save(Scalar *owned, Scalar *coupling) const = 0;
  // The blocks, for engines on the same back end. They lie as Engine::factor() wants them for Relaxation::in_place.
  virtual Values values() const = 0;
  // Gives the array with the blocks away; it lives as long as what is returned. There are no values from then on
  // until they are loaded or assembled, into a new array, or into one that was given back before by this mirror or
  // another on the same back end. What is given back is not needed, and lost, where the mirror has an array.
  virtual std::shared_ptr<void> give_blocks() = 0;
  virtual void take_blocks(const std::shared_ptr<void> &) = 0;

  // Makes what the first product of a kind needs: it may fail before a halo waits for this rank.
  virtual void reserve(Memory, bool transposed) = 0;
  // y = b + A x and y = b + A^T x (not conjugated); b may be null, for zero, or y. Vectors lie where place says.
  // Return when y can be read.
  virtual void multiply(Memory, const Scalar *b, const Scalar *x, Scalar *y) = 0;
  virtual void multiply_transposed(Memory, const Scalar *b, const Scalar *x, Scalar *y) = 0;
  // y_i = sum over j of |a_ij| for each scalar row, as magnitude() has it. After reserve().
  virtual void sum_rows(Memory, Scalar *y) = 0;

  // Prepares assembly from coordinates.
  virtual void set_assembly(const AssemblyLists &) = 0;
  // Room for the received values where kernels can read it.
  virtual Scalar *received() = 0;
  // All values become the sums of this rank's own values and received ones, or these are added to them. `received`
  // lies on the host; null: they are in received().
  virtual void assemble(Memory, const Scalar *own, const Scalar *received, bool add) = 0;

  virtual std::size_t bytes() const = 0; // of blocks
  virtual std::size_t index_bytes() const = 0;
  virtual double flops() const = 0; // of a product
};

// After start_kokkos(). Backend::device needs has_device().
std::unique_ptr<DeviceCopy> make_device_copy(Backend);

} // namespace finegrain
