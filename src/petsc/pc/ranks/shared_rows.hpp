// SPDX-License-Identifier: BSD-2-Clause
// Rows that ranks share in a global factorization (Method::shared), and the exchange of results: after each color in
// this file, by tiles in pipeline.hpp.
#pragma once

#include "pc/ranks/colors_and_keys.hpp"
#include "pc/ranks/shared_pattern.hpp"

namespace finegrain
{

// Base of both exchanges: shared rows, and lower blocks for transposed sweeps.
class SharedExchange : public SharedHalo
{
public:
  virtual ~SharedExchange() = default;
  // Finds the stages of rows, the pattern of the factor in their order, and the rows of other ranks that owned rows
  // read (view->shared), and the order of terms in residuals. Collective.
  PetscErrorCode find_rows(PC pc, PC_Finegrain *e, OperatorView *view);
  // To be called after the engine's analysis. Collective.
  virtual PetscErrorCode create(PetscObject owner, const Operator &op, const OperatorView &view,
                                const SharedStorage &storage);
  virtual PetscErrorCode destroy();
  // Prints a line of PCView(). Collective.
  virtual PetscErrorCode view(PetscViewer) const { return PETSC_SUCCESS; }

  void fetch_lower(void *lower) override;
  void fetch_diagonal(void *diagonal) override;
  // Returns the first error since the last call. The exchange stores errors, because the engine does not pass them
  // on.
  virtual PetscErrorCode take_error();

protected:
  // Finds the colors of owned rows; with tiles all rows have one color. Collective.
  virtual PetscErrorCode find_stages(PC pc, PC_Finegrain *e, const shared::Owned &owned, const OperatorView &view,
                                     Coloring *coloring, SharedRows *rows) = 0;
  // Finds the pattern of the factor in owned rows. *second_ring: owned rows need all blocks of adjacent rows of
  // other ranks, and not only those that couple the two. Collective.
  virtual PetscErrorCode find_pattern(const PC_Finegrain &e, const shared::Owned &owned, const OperatorView &view,
                                      const Coloring &coloring, shared::FactorRows *rows, bool *second_ring);
  void check(PetscErrorCode code)
  {
    if (!error_) error_ = code;
  }
  PetscErrorCode add_second_ring(const shared::Owned &owned, const shared::Lists &mine);
  void collect(const shared::Owned &owned, const shared::FactorRows &mine, const shared::Lists &theirs,
               SharedRows *rows);

  std::vector<PetscInt> rows_of_others_; // global indices of the rows after the owned ones
  FinegrainNeighbors near_;              // couplings of owned rows to them, in either direction
  std::vector<Index> own_entry_;         // for each entry of owned rows: its index in the selection's graph
  std::vector<Index> kept_;  // for each leaf of entries_: its index in the graph; -1: its column is no row here
  std::vector<Index> place_; // for each leaf of entries_: index of the block at its owner, lower or upper part; or -1
  PetscSF entries_ = nullptr;                        // from entries of other ranks' rows to those of their owners
  PetscSF lower_ = nullptr, all_diagonal_ = nullptr; // the second one for Eisenstat's trick only
  bool eisenstat_ = false;
  MPI_Datatype block_unit_ = MPI_DATATYPE_NULL, diagonal_unit_ = MPI_DATATYPE_NULL;
  PetscErrorCode error_ = PETSC_SUCCESS;
};

// Exchange of rows after each color, with all ranks that have them.
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

// True for a global factorization.
inline bool FinegrainSharesRows(const finegrain::EngineOptions &options)
{
  return options.method == finegrain::Method::shared || options.pipelined;
}

// Returns the first error of an exchange since the last call.
PetscErrorCode FinegrainTakeError(FinegrainRanks *ranks);
