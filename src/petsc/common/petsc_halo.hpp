// SPDX-License-Identifier: BSD-2-Clause
// The engine's halo over PetscSF: fetches ghosts, adds what others have for own rows, logs both.
//
// PetscSF packs and unpacks on the stream of the context that was current at the first exchange of a kind, and keeps
// it. As long as that was PETSc's default stream whenever something was exchanged, all is in order with kernels
// there.
#pragma once

#include "common/matrix_view.hpp"

#include <petscsf.h>

namespace finegrain
{

// PetscSFNode with a name: nvcc 13.0 aborts at vectors of a struct that has none.
struct Root : PetscSFNode {
};

class PetscHalo final : public Halo
{
public:
  // Nothing is done before create(). Collective.
  // `owner` is for log events; its vectors have `rows` block rows on this rank.
  PetscErrorCode create(PetscObject owner, const Operator &op, const OperatorView &view, PetscInt rows);
  PetscErrorCode destroy();

  void begin(Index color, const Scalar *x, Scalar *ghosts) override;
  void end(Index color, const Scalar *x, Scalar *ghosts) override;
  void add(Index color, const Scalar *ghosts, Scalar *x) override;
  void residual(bool interior, bool starts) override;

  bool takes_device_arrays() const override { return on_device_; }
  bool follows(const Queue &queue) override;

  // The first error since the last call; the engine lets none through.
  PetscErrorCode take_error();

private:
  void check(PetscErrorCode code)
  {
    if (!error_) error_ = code;
  }

  void note_context();
  PetscSF forest(Index color) const { return color == all ? sf_ : by_color_[std::size_t(color)]; }

  PetscObject owner_ = nullptr;
  PetscMemType memory_ = PETSC_MEMTYPE_HOST; // of the arrays
  bool on_device_ = false;
  bool other_streams_ = false; // some of PetscSF's exchanges may have a stream other than PETSc's default one
  bool follows_ = false;       // the next exchange follows who has asked
  PetscSF sf_ = nullptr;
  std::vector<PetscSF> by_color_;         // where ranks have agreed on colors
  MPI_Datatype unit_ = MPI_DATATYPE_NULL; // a block row of a vector
  PetscErrorCode error_ = PETSC_SUCCESS;
};

} // namespace finegrain

// A tree from these global block rows to their owners, of which this rank has `rows`. Collective.
PetscErrorCode FinegrainMakeForest(MPI_Comm comm, PetscInt rows, const std::vector<PetscInt> &global, PetscSF *sf);
