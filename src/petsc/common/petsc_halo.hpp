// SPDX-License-Identifier: BSD-2-Clause
// Implements the engine's halo with PetscSF: fetches ghosts, adds contributions of other ranks to owned rows, and
// logs both.
//
// PetscSF packs and unpacks on the stream that was current at the first exchange of a kind, and keeps using it. If
// that has always been PETSc's default stream, exchanges are ordered with kernels on that stream.
#pragma once

#include "common/matrix_view.hpp"

#include <petscsf.h>

namespace finegrain
{

// Named copy of PetscSFNode, because nvcc 13.0 aborts at vectors of an unnamed struct.
struct Root : PetscSFNode {
};

class PetscHalo final : public Halo
{
public:
  // Collective, and to be called first. `owner` is for log events; its vectors have `rows` block rows on this rank.
  PetscErrorCode create(PetscObject owner, const Operator &op, const OperatorView &view, PetscInt rows);
  PetscErrorCode destroy();

  void begin(Index color, const Scalar *x, Scalar *ghosts) override;
  void end(Index color, const Scalar *x, Scalar *ghosts) override;
  void add(Index color, const Scalar *ghosts, Scalar *x) override;
  void residual(bool interior, bool starts) override;

  bool takes_device_arrays() const override { return on_device_; }
  bool follows(const Queue &queue) override;

  // Returns the first error since the last call. The halo stores errors, because the engine does not pass them on.
  PetscErrorCode take_error();

private:
  void check(PetscErrorCode code)
  {
    if (!error_) error_ = code;
  }

  void record_stream();
  PetscSF forest(Index color) const { return color == all ? sf_ : by_color_[std::size_t(color)]; }

  PetscObject owner_ = nullptr;
  PetscMemType memory_ = PETSC_MEMTYPE_HOST; // memory of the arrays
  bool on_device_ = false;
  bool other_streams_ = false; // an exchange may have used another stream than PETSc's default one
  bool follows_ = false;       // the next exchange is ordered with the caller's queue
  PetscSF sf_ = nullptr;
  std::vector<PetscSF> by_color_;         // if ranks have agreed on colors
  MPI_Datatype unit_ = MPI_DATATYPE_NULL; // a block row of a vector
  PetscErrorCode error_ = PETSC_SUCCESS;
};

} // namespace finegrain

// Creates a PetscSF from these global block rows (leaves) to their owners (roots), of which this rank has `rows`.
// Collective.
PetscErrorCode FinegrainMakeForest(MPI_Comm comm, PetscInt rows, const std::vector<PetscInt> &global, PetscSF *sf);

// Fetches one value of each row from its owner.
template <class T> PetscErrorCode FinegrainFetch(PetscSF sf, MPI_Datatype unit, const finegrain::HostArray<T> &owned,
                                                 finegrain::HostArray<T> *others)
{
  PetscFunctionBegin;
  PetscCall(PetscSFBcastBegin(sf, unit, owned.data(), others->data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, unit, owned.data(), others->data(), MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
