// SPDX-License-Identifier: BSD-2-Clause
// What ranks find out together before an analysis: keys of rows, couplings between ranks, colors.
#pragma once

#include "pc/pc_finegrain.hpp"

// Keys of owned rows and of the view's ghosts, the order of terms in sums over all ranks' rows: natural indices of a
// DMDA, whose numbering depends on the number of ranks, else global block rows. Collective.
PetscErrorCode PCFinegrainFindGhostKeys(PC pc, const PC_Finegrain &e, finegrain::OperatorView *view);

// Lets the ranks agree on colors and on the order of terms, for Exchange::color. Collective.
PetscErrorCode PCFinegrainAgree(PC pc, const PC_Finegrain &e, finegrain::OperatorView *view);

// One number for each owned row, sent to where the row is a leaf.
template <class T> PetscErrorCode FinegrainFetch(PetscSF sf, MPI_Datatype unit, const finegrain::HostArray<T> &owned,
                                                 finegrain::HostArray<T> *others)
{
  PetscFunctionBegin;
  PetscCall(PetscSFBcastBegin(sf, unit, owned.data(), others->data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, unit, owned.data(), others->data(), MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Couplings of owned rows to rows of others in either direction: ours, and those that others have to us.
struct FinegrainNeighbors {
  finegrain::Graph graph; // columns: places in `global`
  std::vector<PetscInt> global;
  bool symmetric = true; // of this rank's rows: ours are theirs
};
// From the view's couplings, whose columns are places in `ghosts`. Collective.
PetscErrorCode FinegrainFindNeighbors(MPI_Comm comm, PetscInt first, const finegrain::OperatorView &view,
                                      const std::vector<PetscInt> &ghosts, FinegrainNeighbors *n);

// Jones and Plassmann's coloring over all ranks: rounds until every row has its color. `owned` is symmetric. The
// number of colors is this rank's. Collective.
PetscErrorCode FinegrainColorByHash(MPI_Comm comm, const finegrain::Graph &owned, const FinegrainNeighbors &n,
                                    const finegrain::HostArray<std::int64_t> &key, finegrain::Coloring *coloring);

// Red and black by the parity of the global indices of a DMDA, if that is a coloring on all ranks. Collective.
PetscErrorCode PCFinegrainColorByParity(PC pc, const finegrain::OperatorView &view, PetscSF sf,
                                        finegrain::Coloring *coloring, bool *fits);
