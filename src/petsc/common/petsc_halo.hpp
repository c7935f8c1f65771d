// The engine's halo over PetscSF: fetches ghosts, adds what others have for own rows, logs both.
#pragma once

#include "common/matrix_view.hpp"

#include <petscsf.h>

namespace finegrain
{

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

  // The first error since the last call; the engine lets none through.
  PetscErrorCode take_error();

private:
  void check(PetscErrorCode code)
  {
    if (!error_) error_ = code;
  }

  PetscSF forest(Index color) const { return color == all ? sf_ : by_color_[std::size_t(color)]; }

  PetscObject owner_ = nullptr;
  PetscMemType memory_ = PETSC_MEMTYPE_HOST; // of the arrays
  bool on_device_ = false;
  PetscSF sf_ = nullptr;
  std::vector<PetscSF> by_color_;         // where ranks have agreed on colors
  MPI_Datatype unit_ = MPI_DATATYPE_NULL; // a block row of a vector
  PetscErrorCode error_ = PETSC_SUCCESS;
};

} // namespace finegrain

// A tree from these global block rows to their owners, of which this rank has `rows`. Collective.
PetscErrorCode FinegrainMakeForest(MPI_Comm comm, PetscInt rows, const std::vector<PetscInt> &global, PetscSF *sf);
