// From a Mat to the engine's operator view.
#pragma once

#include "compat.hpp"

#include "engine.hpp"

#include <vector>

namespace finegrain
{

// How a matrix stores its values on this rank. Holds no reference to the matrix: the PC does.
struct Operator {
  bool     by_blocks = false; // BAIJ; otherwise AIJ
  bool     parallel  = false; // MPIAIJ or MPIBAIJ
  PetscInt block     = 1;     // block size

  // AIJ with n > 1: where each row of each block begins and which of its columns are there (Source).
  HostArray<Offset>        base;
  HostArray<std::uint32_t> mask;

  std::size_t bytes() const { return base.span() * sizeof(Offset) + mask.span() * sizeof(std::uint32_t); }
};

} // namespace finegrain

// Finds the parts of `mat` and its block structure. block_size is that of an AIJ matrix, 0 for the matrix's own;
// `option` names the option that sets it. Every error is raised on all ranks of the matrix. Collective.
PetscErrorCode OperatorAnalyze(Mat mat, PetscInt block_size, const char *option, finegrain::Operator *op,
                               finegrain::OperatorView *view);

// Access to the values of the owned part, on the host. `mat` has the structure that was analyzed.
PetscErrorCode OperatorGetSource(Mat mat, const finegrain::Operator &op, finegrain::Source *source);
PetscErrorCode OperatorRestoreSource(Mat mat, const finegrain::Operator &op, finegrain::Source *source);

// Raises the error of a rank on all ranks, so that none waits for the others: returns `local` where it is set (the
// error has been raised there already) and an error of its own elsewhere. Collective.
PetscErrorCode FinegrainErrorOnAnyRank(PetscObject object, PetscErrorCode local);
