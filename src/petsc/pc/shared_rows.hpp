// The rows that ranks share in one factorization of the whole matrix (Method::shared), and the exchange of what they
// compute of it.
#pragma once

#include "common/petsc_halo.hpp"

struct PCEngine;

namespace finegrain
{

class SharedExchange final : public SharedHalo
{
public:
  // Finds colors of |A|^q, the pattern of ILU(p) in their order, and which rows of others owned rows read:
  // view->shared; and the order of terms in residuals. Collective.
  PetscErrorCode find_rows(PC pc, const PCEngine &e, OperatorView *view);
  // After the engine's analysis. Collective.
  PetscErrorCode create(PetscObject owner, const Operator &op, const OperatorView &view,
                        const SharedStorage &storage);
  PetscErrorCode destroy();

  void begin(Index color, const Scalar *x, Scalar *others) override { rows_.begin(color, x, others); }
  void end(Index color, const Scalar *x, Scalar *others) override { rows_.end(color, x, others); }
  void begin_rows(Index color, void *diagonal, void *upper) override;
  void end_rows(Index color, void *diagonal, void *upper) override;
  void fetch_lower(void *lower) override;

  PetscErrorCode take_error();

private:
  void check(PetscErrorCode code)
  {
    if (!error_) error_ = code;
  }

  std::vector<PetscInt> others_; // global numbers of the rows behind the owned ones
  PetscSF entries_ = nullptr;    // from entries of others' rows to those of their owners
  std::vector<Index> own_entry_; // of the selection's graph, for each entry that others may ask for
  std::vector<Index> kept_;      // of the graph, for each leaf of entries_; -1: a column that is no row here
  PetscHalo rows_;
  std::vector<PetscSF> diagonal_, upper_; // by color
  PetscSF lower_ = nullptr;
  MPI_Datatype diagonal_unit_ = MPI_DATATYPE_NULL, block_unit_ = MPI_DATATYPE_NULL;
  PetscErrorCode error_ = PETSC_SUCCESS;
};

} // namespace finegrain
