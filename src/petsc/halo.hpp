// The engine's halo over PetscSF.
#pragma once

#include "operator.hpp"

#include <petscsf.h>

namespace finegrain
{

class PetscHalo final : public Halo
{
public:
  // Nothing is done before create(). Collective.
  PetscErrorCode create(PC pc, const Operator &op, PetscInt rows);
  PetscErrorCode destroy();

  void begin(const Scalar *x, Scalar *ghosts) override;
  void end(const Scalar *x, Scalar *ghosts) override;
  void residual(bool interior, bool starts) override;

  // The first error since the last call; the engine lets none through.
  PetscErrorCode take_error();

private:
  void check(PetscErrorCode code)
  {
    if (!error_) error_ = code;
  }

  PC             pc_    = nullptr; // for log events
  PetscSF        sf_    = nullptr;
  MPI_Datatype   unit_  = MPI_DATATYPE_NULL; // a block row of a vector
  PetscErrorCode error_ = PETSC_SUCCESS;
};

} // namespace finegrain
