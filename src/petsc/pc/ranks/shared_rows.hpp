// SPDX-License-Identifier: BSD-2-Clause
// The rows that ranks share in one factorization of the whole matrix (Method::shared), and the exchange of what they
// compute of it: after each color here, by tiles in pipeline.hpp.
#pragma once

#include "pc/ranks/global_coloring.hpp"
#include "pc/ranks/shared_pattern.hpp"

namespace finegrain
{

// What both kinds of exchange have: which rows are shared, and the lower blocks of transposed sweeps.
class SharedExchange : public SharedHalo
{
public:
  virtual ~SharedExchange() = default;
  // Finds the stages of rows, the pattern of the factor in their order, and which rows of others owned rows read:
  // view->shared; and the order of terms in residuals. Collective.
  PetscErrorCode find_rows(PC pc, PC_Finegrain *e, OperatorView *view);
  // After the engine's analysis. Collective.
  virtual PetscErrorCode create(PetscObject owner, const Operator &op, const OperatorView &view,
                                const SharedStorage &storage);
  virtual PetscErrorCode destroy();
  // A line of PCView(). Collective.
  virtual PetscErrorCode view(PetscViewer) const { return PETSC_SUCCESS; }

  void fetch_lower(void *lower) override;
  void fetch_diagonal(void *diagonal) override;
  // The first error since the last call: the engine lets none through.
  virtual PetscErrorCode take_error();

protected:
  // Colors of owned rows, or all of one color where tiles order them. Collective.
  virtual PetscErrorCode find_stages(PC pc, PC_Finegrain *e, const shared::Owned &owned, const OperatorView &view,
                                     Coloring *coloring, SharedRows *rows) = 0;
  // The factor's pattern in owned rows. *far: whether owned rows need all blocks of others beside them, and not those
  // alone that couple the two. Collective.
  virtual PetscErrorCode find_pattern(const PC_Finegrain &e, const shared::Owned &owned, const OperatorView &view,
                                      const Coloring &coloring, shared::FactorRows *rows, bool *second_ring);
  void check(PetscErrorCode code)
  {
    if (!error_) error_ = code;
  }
  PetscErrorCode add_second_ring(const shared::Owned &owned, const shared::Lists &mine);
  void collect(const shared::Owned &owned, const shared::FactorRows &mine, const shared::Lists &theirs,
               SharedRows *rows);

  std::vector<PetscInt> others_; // global numbers of the rows behind the owned ones
  FinegrainNeighbors near_;      // couplings of owned rows to them, in either direction
  std::vector<Index> own_entry_; // of the selection's graph, for each entry that others may ask for
  std::vector<Index> kept_;      // of the graph, for each leaf of entries_; -1: a column that is no row here
  std::vector<Index> place_;     // of that entry at its owner, in the lower or upper part; -1 as well
  PetscSF entries_ = nullptr;    // from entries of others' rows to those of their owners
  PetscSF lower_ = nullptr, all_diagonal_ = nullptr; // the second: for Eisenstat's trick only
  bool eisenstat_ = false;
  MPI_Datatype block_unit_ = MPI_DATATYPE_NULL, diagonal_unit_ = MPI_DATATYPE_NULL;
  PetscErrorCode error_ = PETSC_SUCCESS;
};

// Rows travel after each color, to all that have them.
class ColorExchange final : public SharedExchange
{
public:
  PetscErrorCode create(PetscObject owner, const Operator &op, const OperatorView &view,
                        const SharedStorage &storage) override;
  PetscErrorCode destroy() override;
  void begin(Travel travel, Index color, const SharedArrays &a) override;
  void end(Travel travel, Index color, const SharedArrays &a) override;
  PetscErrorCode take_error() override;

protected:
  PetscErrorCode find_stages(PC pc, PC_Finegrain *e, const shared::Owned &owned, const OperatorView &view,
                             Coloring *coloring, SharedRows *rows) override;

private:
  PetscHalo rows_;
  std::vector<PetscSF> diagonal_, upper_; // by color
};

} // namespace finegrain

// Whether one factor is computed by all ranks.
inline bool FinegrainSharesRows(const finegrain::EngineOptions &options)
{
  return options.method == finegrain::Method::shared || options.pipelined;
}

// The first error of an exchange since the last call: the engine lets none through.
PetscErrorCode FinegrainTakeError(FinegrainRanks *ranks);
