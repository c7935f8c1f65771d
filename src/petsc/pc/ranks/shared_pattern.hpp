// SPDX-License-Identifier: BSD-2-Clause
// What ranks find out together before they factor one matrix: colors of a power of its pattern, and the pattern of
// the factor in each rank's rows. shared_rows.cpp makes the exchange of it.
#pragma once

#include "pc/ranks/global_coloring.hpp"

#include <algorithm>

namespace finegrain::shared
{

// Lists of global numbers, ascending, one after the other. Nothing is allocated for none.
struct Lists {
  std::vector<PetscInt> ptr, col;

  std::size_t count() const { return ptr.empty() ? 0 : ptr.size() - 1; }
  const PetscInt *begin(std::size_t i) const { return col.data() + ptr[i]; }
  const PetscInt *end(std::size_t i) const { return col.data() + ptr[i + 1]; }
  void add(const std::vector<PetscInt> &list)
  {
    col.insert(col.end(), list.begin(), list.end());
    end_list();
  }
  void end_list()
  {
    if (ptr.empty()) ptr.push_back(0);
    ptr.push_back(PetscInt(col.size()));
  }
};

// The place of a number in a list that ascends; -1: it is not there.
Index find(const std::vector<PetscInt> &sorted, PetscInt number);

// This rank's share of the global block rows.
struct Owned {
  MPI_Comm comm;
  PetscInt first;
  Index rows;

  bool has(PetscInt row) const { return row >= first && row < first + rows; }
};

// The lists of these rows, which others own. entries, if wanted: a tree from each of their entries to the owner's.
PetscErrorCode FetchLists(const Owned &owned, const Lists &own, const std::vector<PetscInt> &wanted, Lists *lists,
                          PetscSF *entries = nullptr);

// Numbers of owned rows and of others behind them.
template <class T> PetscErrorCode Extend(const Owned &owned, const std::vector<PetscInt> &others, MPI_Datatype unit,
                                         const HostArray<T> &own, HostArray<T> *all)
{
  HostArray<T> fetched;
  PetscSF sf;

  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(owned.comm, [&] {
    fetched = HostArray<T>("finegrain::fetched", others.size());
    *all = HostArray<T>("finegrain::all", std::size_t(owned.rows) + others.size());
  }));
  PetscCall(FinegrainMakeForest(owned.comm, owned.rows, others, &sf));
  PetscCall(FinegrainFetch(sf, unit, own, &fetched));
  PetscCall(PetscSFDestroy(&sf));
  std::copy_n(own.data(), std::size_t(owned.rows), all->data());
  std::copy_n(fetched.data(), others.size(), all->data() + owned.rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Columns outside of the owned rows, as places in a list of them.
FinegrainNeighbors split_lists(const Owned &owned, const Lists &lists, Graph *inside);

// Colors of |A|^power that do not depend on the ranks. Collective, as all that returns a PetscErrorCode here.
PetscErrorCode FindColors(PC pc, const PC_Finegrain &e, const Owned &owned, PetscInt power, const OperatorView &view,
                          const HostArray<std::int64_t> &key, Coloring *coloring, ColoringKind *kind,
                          bool *symmetric);

// Blocks of a row: global columns, and for each the number of the matrix's block, or -1.
using Entries = std::vector<std::pair<PetscInt, Index>>;

// Owned rows of the factor.
struct FactorRows {
  Lists lists;
  std::vector<Index> source;
  Index fill = 0;
  Offset dropped = 0;

  // Behind the rows that are there.
  void add(const Entries &ascending);
};

// The matrix's blocks in an owned row, those inside of the rank first.
Entries find_entries(const Owned &owned, const OperatorView &view, const std::vector<PetscInt> &ghosts, Index row);

// The factor's pattern in owned rows. Fill of `levels` comes from rows that are at most so many couplings away.
PetscErrorCode FindPattern(const Owned &owned, const OperatorView &view, const std::vector<PetscInt> &ghosts,
                           PetscInt levels, const Coloring &coloring, const HostArray<std::int64_t> &key,
                           FactorRows *rows);

} // namespace finegrain::shared
