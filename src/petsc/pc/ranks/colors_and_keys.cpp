// SPDX-License-Identifier: BSD-2-Clause
// Colors, and rows that other ranks have as ghosts, for relaxations and factorizations that do not depend on
// the number of ranks.
#include "pc/ranks/colors_and_keys.hpp"
#include "common/row_keys.hpp"
#include "pc/options/settings.hpp"
#include "pc/ranks/local_grid.hpp"

#include <petscdmda.h>

#include <algorithm>

using namespace finegrain;

PetscErrorCode FinegrainFindNeighbors(MPI_Comm comm, PetscInt first, const OperatorView &view,
                                      const std::vector<PetscInt> &ghosts, FinegrainNeighbors *n)
{
  const Graph &g = view.coupling;
  const Index rows = view.owned.rows;
  std::vector<PetscInt> to, from, incoming;
  const PetscInt *degree;
  PetscSF sf;

  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(comm, [&] {
    to.resize(std::size_t(g.entries()));
    from.resize(to.size());
    for (Index row = 0; row < g.rows; ++row)
      for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e) {
        to[std::size_t(e)] = ghosts[std::size_t(g.col(e))];
        from[std::size_t(e)] = first + row;
      }
  }));
  PetscCall(FinegrainMakeForest(comm, rows, to, &sf));
  PetscCall(PetscSFComputeDegreeBegin(sf, &degree));
  PetscCall(PetscSFComputeDegreeEnd(sf, &degree));
  PetscCall(FinegrainOnAllRanks(comm, [&] {
    std::size_t count = 0;
    for (Index row = 0; row < rows; ++row) count += std::size_t(degree[row]);
    incoming.resize(count);
  }));
  PetscCall(PetscSFGatherBegin(sf, MPIU_INT, from.data(), incoming.data()));
  PetscCall(PetscSFGatherEnd(sf, MPIU_INT, from.data(), incoming.data()));
  PetscCall(FinegrainOnAllRanks(comm, [&] {
    std::vector<std::vector<PetscInt>> neighbors(static_cast<std::size_t>(rows));
    auto next = incoming.cbegin();
    for (Index row = 0; row < rows; ++row) {
      std::vector<PetscInt> &mine = neighbors[std::size_t(row)];
      mine.assign(next, next + degree[row]);
      next += degree[row];
      std::sort(mine.begin(), mine.end());
      const auto begin = to.cbegin() + (g.rows ? g.ptr(row) : 0), end = to.cbegin() + (g.rows ? g.ptr(row + 1) : 0);
      n->symmetric = n->symmetric && std::equal(mine.cbegin(), mine.cend(), begin, end); // ghosts ascend
      mine.insert(mine.end(), begin, end);
      std::sort(mine.begin(), mine.end());
      mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
      n->global.insert(n->global.end(), mine.begin(), mine.end());
    }
    std::vector<PetscInt> all = n->global;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    n->graph = {rows, make_array<Index>("finegrain::ptr", std::size_t(rows) + 1),
                make_array<Index>("finegrain::col", n->global.size())};
    n->graph.ptr(0) = 0;
    Index at = 0;
    for (Index row = 0; row < rows; ++row) {
      for (const PetscInt c : neighbors[std::size_t(row)])
        n->graph.col(at++) = Index(std::lower_bound(all.begin(), all.end(), c) - all.begin());
      n->graph.ptr(row + 1) = at;
    }
    n->global = all;
  }));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FinegrainColorByHash(MPI_Comm comm, const Graph &owned, const FinegrainNeighbors &n,
                                    const HostArray<std::int64_t> &key, Coloring *coloring)
{
  HostArray<std::int64_t> ghost_key;
  HostArray<Index> ghost_color;
  std::optional<HashColoring> colors;
  int unfinished = 1;
  PetscSF sf;

  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(comm, [&] {
    ghost_key = make_array<std::int64_t>("finegrain::key", n.global.size());
    ghost_color = make_array<Index>("finegrain::color", n.global.size());
    Kokkos::deep_copy(ghost_color, Index(-1));
  }));
  PetscCall(FinegrainMakeForest(comm, owned.rows, n.global, &sf));
  PetscCall(FinegrainFetch(sf, MPI_INT64_T, key, &ghost_key));
  PetscCall(FinegrainOnAllRanks(comm, [&] { colors.emplace(owned, n.graph, key, ghost_key); }));
  while (unfinished) {
    int mine = 0;
    PetscCall(FinegrainOnAllRanks(comm, [&] { mine = !colors->advance(ghost_color.data()); }));
    PetscCall(FinegrainFetch(sf, MPI_INT32_T, colors->color(), &ghost_color));
    PetscCallMPI(MPI_Allreduce(&mine, &unfinished, 1, MPI_INT, MPI_MAX, comm));
  }
  PetscCall(FinegrainOnAllRanks(comm, [&] { *coloring = colors->coloring(); }));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainColorByParity(PC pc, const OperatorView &view, PetscSF sf, Coloring *coloring, bool *fits)
{
  DM da;
  PetscInt i, j, k, m, n, p;
  std::optional<Coloring> parity;
  HostArray<Index> ghost_color, own;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFindGrid(pc, &da));
  if (da) PetscCall(DMDAGetCorners(da, &i, &j, &k, &m, &n, &p));
  PetscCall(FinegrainOnAllRanks(pc, [&] {
    if (da) parity = color_red_black({{Index(m), Index(n), Index(p)}}, {{Index(i), Index(j), Index(k)}}, view.owned);
    ghost_color = make_array<Index>("finegrain::color", std::size_t(view.ghosts));
    own = parity ? parity->color : HostArray<Index>("finegrain::color", std::size_t(view.owned.rows));
  }));
  PetscCall(FinegrainFetch(sf, MPI_INT32_T, own, &ghost_color));
  int mine = parity && is_valid(view.coupling, *parity, ghost_color.data()), all;
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  *fits = all;
  if (all) *coloring = *parity;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainFindKeys(PC pc, const PC_Finegrain &e, OperatorView *view)
{
  DM da;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFindGrid(pc, &da));
  PetscCall(FinegrainFindKeys(pc->pmat, da, e.analysis.op, view));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainFindColorsAndKeys(PC pc, const PC_Finegrain &e, OperatorView *view)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  const Index rows = view->owned.rows;
  const PCFinegrainColoringType coloring = e.settings.coloring;
  ColorsAndKeys &agreed = view->agreed;
  bool red_black = coloring == PC_FINEGRAIN_COLORING_AUTO || coloring == PC_FINEGRAIN_COLORING_REDBLACK, fits = false;
  const PetscInt *degree;
  PetscInt first;
  PetscSF sf;

  PetscFunctionBegin;
  PetscCheck(red_black || coloring == PC_FINEGRAIN_COLORING_JP, comm, PETSC_ERR_ARG_INCOMP, "%s",
             PCFinegrainText(
               pc, "@_exchange color needs colors that do not depend on the ranks: @_coloring jp, or redblack with "
                   "a DMDA")
               .c_str());
  PetscCheck(
    !e.settings.coloring_balance, comm, PETSC_ERR_ARG_INCOMP, "%s",
    PCFinegrainText(pc, "@_coloring_balance depends on the ranks; it goes with @_exchange none and sweep").c_str());
  PetscCall(MatGetOwnershipRange(pc->pmat, &first, nullptr));
  first /= e.analysis.op.block;
  PetscCall(PCFinegrainFindKeys(pc, e, view));
  PetscCall(FinegrainMakeForest(comm, rows, e.analysis.op.ghosts, &sf));
  PetscCall(FinegrainOnAllRanks(pc, [&] {
    agreed.ghost_color = make_array<Index>("finegrain::color", std::size_t(view->ghosts));
    agreed.sent.assign(std::size_t(rows), 0);
  }));
  if (red_black) PetscCall(PCFinegrainColorByParity(pc, *view, sf, &agreed.coloring, &fits));
  if (!fits && coloring == PC_FINEGRAIN_COLORING_REDBLACK) {
    PetscCall(PetscSFDestroy(&sf));
    SETERRQ(comm, PETSC_ERR_ARG_INCOMP,
            "%s redblack does not fit: there is no DMDA, or points of the same parity are coupled; %s jp fits any "
            "matrix",
            PCFinegrainOption(pc, "coloring").c_str(), PCFinegrainOption(pc, "coloring").c_str());
  }
  if (!fits) {
    FinegrainNeighbors n;
    Graph owned;
    PetscCall(FinegrainFindNeighbors(comm, first, *view, e.analysis.op.ghosts, &n));
    PetscCall(FinegrainOnAllRanks(pc, [&] { owned = symmetrize(view->owned); }));
    PetscCall(FinegrainColorByHash(comm, owned, n, agreed.key, &agreed.coloring));
    agreed.symmetrized = !n.symmetric;
  }
  agreed.kind = fits ? ColoringKind::red_black : ColoringKind::hash;
  PetscCall(FinegrainFetch(sf, MPI_INT32_T, agreed.coloring.color, &agreed.ghost_color));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &agreed.coloring.colors, 1, MPI_INT32_T, MPI_MAX, comm));

  PetscCall(PetscSFComputeDegreeBegin(sf, &degree));
  PetscCall(PetscSFComputeDegreeEnd(sf, &degree));
  for (Index row = 0; row < rows; ++row) agreed.sent[std::size_t(row)] = degree[row] > 0;
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}
