// SPDX-License-Identifier: BSD-2-Clause
// Results that ranks find together before a global factorization: colors of a power of the matrix's pattern, and the
// pattern of the factor in each rank's rows. shared_rows.cpp sets up the exchange.
#pragma once

#include "pc/ranks/colors_and_keys.hpp"

#include <algorithm>

namespace finegrain::shared
{

// Ascending lists of global indices, stored one after the other. Without lists no memory is allocated.
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

// Returns the position of a number in an ascending list, or -1.
Index find(const std::vector<PetscInt> &sorted, PetscInt number);

// Range of the global block rows that this rank owns.
struct Owned {
  MPI_Comm comm;
  PetscInt first;
  Index rows;

  bool has(PetscInt row) const { return row >= first && row < first + rows; }
};

// Fetches the lists of `wanted` rows from their owners. entries, unless null: a PetscSF from each of their entries
// to that of the owner.
PetscErrorCode FetchLists(const Owned &owned, const Lists &own, const std::vector<PetscInt> &wanted, Lists *lists,
                          PetscSF *entries = nullptr);

// Fetches a value of each row of `others` and appends it to those of owned rows.
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

// Separates columns outside of the owned rows, as indices in a list of them.
FinegrainNeighbors split_lists(const Owned &owned, const Lists &lists, Graph *inside);

// Colors |A|^power independently of the ranks. Collective, as all functions here that return a PetscErrorCode.
PetscErrorCode FindColors(PC pc, const PC_Finegrain &e, const Owned &owned, PetscInt power, const OperatorView &view,
                          const HostArray<std::int64_t> &key, Coloring *coloring, ColoringKind *kind,
                          bool *symmetric);

// Blocks of a row: the global column and the index of the matrix's block, or -1.
using Entries = std::vector<std::pair<PetscInt, Index>>;

// Owned rows of the factor.
struct FactorRows {
  Lists lists;
  std::vector<Index> source;
  Index fill = 0;
  Offset dropped = 0;

  // Appends a row.
  void add(const Entries &ascending);
};

// Lists the matrix's blocks in an owned row, those in owned columns first.
Entries find_entries(const Owned &owned, const OperatorView &view, const std::vector<PetscInt> &ghosts, Index row);

// Finds the pattern of the factor in owned rows. Fill of level `levels` depends on rows that are at most this many
// couplings away.
PetscErrorCode FindPattern(const Owned &owned, const OperatorView &view, const std::vector<PetscInt> &ghosts,
                           PetscInt levels, const Coloring &coloring, const HostArray<std::int64_t> &key,
                           FactorRows *rows);

} // namespace finegrain::shared
