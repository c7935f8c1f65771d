// SPDX-License-Identifier: BSD-2-Clause
// Results that ranks find together before an analysis: keys of rows, couplings between ranks, colors.
#pragma once

#include "pc/pc_finegrain.hpp"

// Finds keys of owned rows and of the view's ghosts with the grid of the PC (FinegrainFindKeys()). Collective.
PetscErrorCode PCFinegrainFindKeys(PC pc, const PC_Finegrain &e, finegrain::OperatorView *view);

// Finds colors and an order of terms that do not depend on the number of ranks, for Exchange::color. Collective.
PetscErrorCode PCFinegrainFindColorsAndKeys(PC pc, const PC_Finegrain &e, finegrain::OperatorView *view);

// Couplings of owned rows to rows of other ranks, in either direction.
struct FinegrainNeighbors {
  finegrain::Graph graph; // columns are indices in `global`
  std::vector<PetscInt> global;
  bool symmetric = true; // true if the couplings of this rank's rows are equal in both directions
};
// Finds them from the view's couplings, whose columns are indices in `ghosts`. Collective.
PetscErrorCode FinegrainFindNeighbors(MPI_Comm comm, PetscInt first, const finegrain::OperatorView &view,
                                      const std::vector<PetscInt> &ghosts, FinegrainNeighbors *n);

// Computes Jones and Plassmann's coloring over all ranks, in rounds until every row has a color. `owned` must be
// symmetric. The number of colors is that of this rank. Collective.
PetscErrorCode FinegrainColorByHash(MPI_Comm comm, const finegrain::Graph &owned, const FinegrainNeighbors &n,
                                    const finegrain::HostArray<std::int64_t> &key, finegrain::Coloring *coloring);

// Colors rows by the parity of the global indices of a DMDA, if that is a coloring on all ranks. Collective.
PetscErrorCode PCFinegrainColorByParity(PC pc, const finegrain::OperatorView &view, PetscSF sf,
                                        finegrain::Coloring *coloring, bool *fits);
