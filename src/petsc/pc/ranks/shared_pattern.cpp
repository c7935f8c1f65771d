// SPDX-License-Identifier: BSD-2-Clause
#include "pc/ranks/shared_pattern.hpp"
#include "pc/options/settings.hpp"
#include "pc/ranks/colors_and_keys.hpp"

#include <numeric>
#include <tuple>

namespace finegrain::shared
{

static void sort_unique(std::vector<PetscInt> &v)
{
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
}

Index find(const std::vector<PetscInt> &sorted, PetscInt number)
{
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), number);
  return at != sorted.end() && *at == number ? Index(at - sorted.begin()) : Index(-1);
}

PetscErrorCode FetchLists(const Owned &owned, const Lists &own, const std::vector<PetscInt> &wanted, Lists *lists,
                          PetscSF *entries)
{
  const std::size_t count = wanted.size();
  std::vector<PetscInt> size, start, length;
  std::vector<Root> remote;
  const PetscSFNode *row;
  PetscSF sf, by_entry;

  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(owned.comm, [&] {
    size.resize(own.count());
    start.resize(count);
    length.resize(count);
    for (std::size_t i = 0; i < size.size(); ++i) size[i] = own.ptr[i + 1] - own.ptr[i];
  }));
  PetscCall(FinegrainMakeForest(owned.comm, owned.rows, wanted, &sf));
  PetscCall(PetscSFBcastBegin(sf, MPIU_INT, own.ptr.data(), start.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPIU_INT, own.ptr.data(), start.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastBegin(sf, MPIU_INT, size.data(), length.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPIU_INT, size.data(), length.data(), MPI_REPLACE));
  PetscCall(PetscSFGetGraph(sf, nullptr, nullptr, nullptr, &row));
  PetscCall(FinegrainOnAllRanks(owned.comm, [&] {
    lists->ptr.assign(1, 0);
    for (std::size_t i = 0; i < count; ++i) {
      for (PetscInt k = 0; k < length[i]; ++k) remote.push_back({{row[i].rank, start[i] + k}});
      lists->ptr.push_back(PetscInt(remote.size()));
    }
    lists->col.resize(remote.size());
  }));
  PetscCall(PetscSFDestroy(&sf));
  PetscCall(PetscSFCreate(owned.comm, &by_entry));
  PetscCall(PetscSFSetGraph(by_entry, PetscInt(own.col.size()), PetscInt(remote.size()), nullptr, PETSC_COPY_VALUES,
                            remote.data(), PETSC_COPY_VALUES));
  PetscCall(PetscSFBcastBegin(by_entry, MPIU_INT, own.col.data(), lists->col.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(by_entry, MPIU_INT, own.col.data(), lists->col.data(), MPI_REPLACE));
  if (entries) *entries = by_entry;
  else PetscCall(PetscSFDestroy(&by_entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

FinegrainNeighbors split_lists(const Owned &owned, const Lists &lists, Graph *inside)
{
  FinegrainNeighbors n;
  std::vector<Index> in, out;
  for (const PetscInt c : lists.col)
    if (!owned.has(c)) n.global.push_back(c);
  sort_unique(n.global);
  n.graph = {owned.rows, make_array<Index>("finegrain::ptr", std::size_t(owned.rows) + 1), {}};
  *inside = {owned.rows, make_array<Index>("finegrain::ptr", std::size_t(owned.rows) + 1), {}};
  n.graph.ptr(0) = inside->ptr(0) = 0;
  for (Index row = 0; row < owned.rows; ++row) {
    for (const PetscInt *c = lists.begin(std::size_t(row)); c < lists.end(std::size_t(row)); ++c)
      if (owned.has(*c)) in.push_back(Index(*c - owned.first));
      else out.push_back(find(n.global, *c));
    n.graph.ptr(row + 1) = Index(out.size());
    inside->ptr(row + 1) = Index(in.size());
  }
  n.graph.col = to_array("finegrain::col", out);
  inside->col = to_array("finegrain::col", in);
  return n;
}

// Finds the rows within `power` couplings of each owned row, from those within one.
static PetscErrorCode FindPower(const Owned &owned, const std::vector<PetscInt> &near, PetscInt power,
                                const Lists &one, Lists *all)
{
  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(owned.comm, [&] { *all = one; }));
  for (PetscInt step = 1; step < power; ++step) {
    Lists theirs, extended;
    PetscCall(FetchLists(owned, *all, near, &theirs));
    PetscCall(FinegrainOnAllRanks(owned.comm, [&] {
      for (std::size_t row = 0; row < one.count(); ++row) {
        std::vector<PetscInt> list(all->begin(row), all->end(row));
        for (const PetscInt *c = one.begin(row); c < one.end(row); ++c) {
          const Lists &lists = owned.has(*c) ? *all : theirs;
          const std::size_t at = owned.has(*c) ? std::size_t(*c - owned.first) : std::size_t(find(near, *c));
          list.insert(list.end(), lists.begin(at), lists.end(at));
        }
        sort_unique(list);
        list.erase(std::remove(list.begin(), list.end(), owned.first + PetscInt(row)), list.end());
        extended.add(list);
      }
      *all = std::move(extended);
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindColors(PC pc, const PC_Finegrain &e, const Owned &owned, PetscInt power, const OperatorView &view,
                          const HostArray<std::int64_t> &key, Coloring *coloring, ColoringKind *kind, bool *symmetric)
{
  const bool red_black = e.settings.coloring == PC_FINEGRAIN_COLORING_REDBLACK;
  bool fits = false;
  FinegrainNeighbors near;
  Lists one, all;
  Graph inside;

  PetscFunctionBegin;
  PetscCheck(red_black || e.settings.coloring == PC_FINEGRAIN_COLORING_AUTO ||
               e.settings.coloring == PC_FINEGRAIN_COLORING_JP,
             owned.comm, PETSC_ERR_ARG_INCOMP, "%s",
             PCFinegrainText(pc, "@_global needs colors that do not depend on the ranks: @_coloring jp, or "
                                 "redblack with a DMDA")
               .c_str());
  PetscCheck(!e.settings.coloring_balance, owned.comm, PETSC_ERR_ARG_INCOMP, "%s",
             PCFinegrainText(pc, "@_coloring_balance depends on the ranks; leave it or @_global out").c_str());
  *kind = ColoringKind::hash;
  if (power == 1 && e.settings.coloring != PC_FINEGRAIN_COLORING_JP) {
    PetscSF sf;
    PetscCall(FinegrainMakeForest(owned.comm, owned.rows, e.analysis.op.ghosts, &sf));
    PetscCall(PCFinegrainColorByParity(pc, view, sf, coloring, &fits));
    PetscCall(PetscSFDestroy(&sf));
    if (fits) *kind = ColoringKind::red_black;
  }
  PetscCheck(fits || !red_black, owned.comm, PETSC_ERR_ARG_INCOMP, "%s",
             PCFinegrainText(pc,
                             "@_coloring redblack does not fit: there is no DMDA, or points of the same parity are "
                             "coupled, or @_levels and @_power need more colors; @_coloring jp fits any matrix")
               .c_str());
  if (!fits) {
    FinegrainNeighbors of_power;
    PetscCall(FinegrainFindNeighbors(owned.comm, owned.first, view, e.analysis.op.ghosts, &near));
    PetscCall(FinegrainOnAllRanks(owned.comm, [&] {
      bool was_symmetric;
      const Graph own = symmetrize(view.owned, &was_symmetric);
      *symmetric = was_symmetric && near.symmetric;
      for (Index row = 0; row < owned.rows; ++row) {
        std::vector<PetscInt> list;
        for (Index k = own.ptr(row); k < own.ptr(row + 1); ++k) list.push_back(owned.first + own.col(k));
        for (Index k = near.graph.ptr(row); k < near.graph.ptr(row + 1); ++k)
          list.push_back(near.global[std::size_t(near.graph.col(k))]);
        sort_unique(list);
        one.add(list);
      }
    }));
    PetscCall(FindPower(owned, near.global, power, one, &all));
    PetscCall(FinegrainOnAllRanks(owned.comm, [&] { of_power = split_lists(owned, all, &inside); }));
    PetscCall(FinegrainColorByHash(owned.comm, inside, of_power, key, coloring));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &coloring->colors, 1, MPI_INT32_T, MPI_MAX, owned.comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void FactorRows::add(const Entries &ascending)
{
  for (const auto &[c, k] : ascending) {
    lists.col.push_back(c);
    source.push_back(k);
    fill += k < 0;
  }
  lists.end_list();
}

Entries find_entries(const Owned &owned, const OperatorView &view, const std::vector<PetscInt> &ghosts, Index row)
{
  Entries list;
  for (Index k = view.owned.ptr(row); k < view.owned.ptr(row + 1); ++k)
    list.push_back({owned.first + view.owned.col(k), k});
  if (view.coupling.entries() > 0)
    for (Index k = view.coupling.ptr(row); k < view.coupling.ptr(row + 1); ++k)
      list.push_back({ghosts[std::size_t(view.coupling.col(k))], view.owned.entries() + k});
  return list;
}

// Rows of the matrix that a rank knows: its own, those fetched from other ranks in rounds, and their colors.
struct KnownRows {
  const Lists &matrix;
  const std::vector<Index> &number; // indices of the blocks of `matrix`
  const std::vector<PetscInt> &others;
  const std::vector<Lists> &rounds;
  const std::vector<std::vector<PetscInt>> &requested;
  const HostArray<Index> &color;
  const HostArray<std::int64_t> &keys;
};

// Finds the fill in owned rows.
static PetscErrorCode FillPattern(const Owned &owned, PetscInt levels, const KnownRows &known, FactorRows *rows)
{
  const auto &[matrix, number, all_others, rounds, requested, all_colors, all_keys] = known;
  const std::vector<PetscInt> &others = all_others; // because lambdas cannot capture structured bindings
  const HostArray<Index> &color = all_colors;
  const HostArray<std::int64_t> &keys = all_keys;

  PetscFunctionBegin;
  // Graph of all known rows. Of the outermost rows only the diagonal is known, which is all that the fill needs.
  const Index all = owned.rows + Index(others.size());
  const auto local = [&](PetscInt c) { return owned.has(c) ? Index(c - owned.first) : owned.rows + find(others, c); };
  std::vector<std::vector<std::pair<Index, Index>>> row_of(static_cast<std::size_t>(all));
  for (Index row = 0; row < owned.rows; ++row)
    for (PetscInt k = matrix.ptr[std::size_t(row)]; k < matrix.ptr[std::size_t(row) + 1]; ++k)
      row_of[std::size_t(row)].push_back({local(matrix.col[std::size_t(k)]), number[std::size_t(k)]});
  for (std::size_t round = 0; round < rounds.size(); ++round)
    for (std::size_t i = 0; i < requested[round].size(); ++i)
      for (const PetscInt *c = rounds[round].begin(i); c < rounds[round].end(i); ++c)
        row_of[std::size_t(local(requested[round][i]))].push_back({local(*c), -1});
  Selection selection;
  std::vector<Index> col, entry;
  selection.graph = {all, make_array<Index>("finegrain::ptr", std::size_t(all) + 1), {}};
  selection.graph.ptr(0) = 0;
  for (Index row = 0; row < all; ++row) {
    auto &list = row_of[std::size_t(row)];
    const bool diagonal = std::any_of(list.begin(), list.end(), [&](const auto &pair) { return pair.first == row; });
    if (!diagonal) list.push_back({row, -1}); // in owned rows the engine reports it as missing
    std::sort(list.begin(), list.end());
    for (const auto &[c, k] : list) {
      col.push_back(c);
      entry.push_back(k);
    }
    selection.graph.ptr(row + 1) = Index(col.size());
  }
  selection.graph.col = to_array("finegrain::col", col);
  selection.entry = to_array("finegrain::entry", entry);

  auto ordering = make_array<Index>("finegrain::order", std::size_t(all));
  std::iota(ordering.data(), ordering.data() + all, Index(0));
  std::sort(ordering.data(), ordering.data() + all,
            [&](Index a, Index b) { return std::tuple(color(a), keys(a)) < std::tuple(color(b), keys(b)); });
  const auto filled = find_fill(selection, ordering, int(levels), color, &rows->dropped, owned.rows);
  PetscCheck(filled, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "ILU(%" PetscInt_FMT ") has more blocks on a rank than 2^31", levels);
  for (Index row = 0; row < owned.rows; ++row) {
    Entries list;
    for (Index f = filled->graph.ptr(row); f < filled->graph.ptr(row + 1); ++f) {
      const Index c = filled->graph.col(f);
      list.push_back({c < owned.rows ? owned.first + c : others[std::size_t(c - owned.rows)], filled->entry(f)});
    }
    std::sort(list.begin(), list.end());
    rows->add(list);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindPattern(const Owned &owned, const OperatorView &view, const std::vector<PetscInt> &ghosts,
                           PetscInt levels, const Coloring &coloring, const HostArray<std::int64_t> &key,
                           FactorRows *rows)
{
  Lists matrix;
  std::vector<Index> number; // indices of the blocks of `matrix`
  std::vector<PetscInt> known, others;
  std::vector<Lists> rounds;
  std::vector<std::vector<PetscInt>> requested;
  HostArray<Index> color;
  HostArray<std::int64_t> keys;

  std::vector<PetscInt> wanted, fresh;
  const auto collect_foreign = [&](const Lists &lists) {
    wanted.clear();
    for (const PetscInt c : lists.col)
      if (!owned.has(c)) wanted.push_back(c);
    sort_unique(wanted);
    others.insert(others.end(), wanted.begin(), wanted.end());
  };

  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(owned.comm, [&] {
    for (Index row = 0; row < owned.rows; ++row) {
      Entries list = find_entries(owned, view, ghosts, row);
      std::sort(list.begin(), list.end());
      for (const auto &[c, k] : list) {
        matrix.col.push_back(c);
        number.push_back(k);
      }
      matrix.end_list();
    }
    collect_foreign(matrix);
  }));
  for (PetscInt round = 0; round < levels; ++round) {
    PetscCall(FinegrainOnAllRanks(owned.comm, [&] {
      fresh.clear();
      std::set_difference(wanted.begin(), wanted.end(), known.begin(), known.end(), std::back_inserter(fresh));
      rounds.emplace_back();
      requested.push_back(fresh);
      known.insert(known.end(), fresh.begin(), fresh.end());
      std::sort(known.begin(), known.end());
    }));
    PetscCall(FetchLists(owned, matrix, fresh, &rounds.back()));
    PetscCall(FinegrainOnAllRanks(owned.comm, [&] { collect_foreign(rounds.back()); }));
  }
  sort_unique(others);
  PetscCall(Extend(owned, others, MPI_INT32_T, coloring.color, &color));
  PetscCall(Extend(owned, others, MPI_INT64_T, key, &keys));

  PetscCall(FinegrainOnAllRanks(owned.comm, [&] {
    return FillPattern(owned, levels, {matrix, number, others, rounds, requested, color, keys}, rows);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace finegrain::shared
