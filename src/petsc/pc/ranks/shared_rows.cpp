// SPDX-License-Identifier: BSD-2-Clause
#include "pc/ranks/shared_rows.hpp"
#include "pc/ranks/colors_and_keys.hpp"

namespace finegrain
{

using namespace shared;

namespace
{

// PetscSF under construction, from array elements on this rank to elements of their owners' arrays.
struct Tree {
  std::vector<PetscInt> local;
  std::vector<Root> remote;

  PetscErrorCode create(MPI_Comm comm, PetscInt roots, PetscSF *sf)
  {
    PetscFunctionBegin;
    PetscCall(PetscSFCreate(comm, sf));
    PetscCall(PetscSFSetGraph(*sf, roots, PetscInt(local.size()), local.data(), PETSC_COPY_VALUES, remote.data(),
                              PETSC_COPY_VALUES));
    PetscCall(PetscSFSetUp(*sf));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

// Finds the inverted diagonal blocks of other ranks' rows and of their owners: by color, or all in one group.
PetscErrorCode FindDiagonals(MPI_Comm comm, Index rows, const std::vector<PetscInt> &others,
                             const SharedStorage &storage, const HostArray<Index> *color, std::vector<Tree> *groups)
{
  HostArray<Index> position;
  const PetscSFNode *remote;
  PetscSF sf;

  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(comm, [&] { position = make_array<Index>("finegrain::position", others.size()); }));
  PetscCall(FinegrainMakeForest(comm, rows, others, &sf));
  PetscCall(FinegrainFetch(sf, MPI_INT32_T, storage.diagonal, &position));
  PetscCall(PetscSFGetGraph(sf, nullptr, nullptr, nullptr, &remote));
  PetscCall(FinegrainOnAllRanks(comm, [&] {
    for (Index g = 0; g < Index(others.size()); ++g) {
      Tree &tree = (*groups)[color ? std::size_t((*color)(rows + g)) : 0];
      tree.local.push_back(storage.diagonal(rows + g));
      tree.remote.push_back({{remote[g].rank, position(g)}});
    }
  }));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode SharedExchange::find_rows(PC pc, PC_Finegrain *e, OperatorView *view)
{
  Owned owned = {PetscObjectComm(reinterpret_cast<PetscObject>(pc)), 0, view->owned.rows};
  Coloring coloring;
  FactorRows mine;
  Lists theirs;
  FinegrainNeighbors out;
  Graph inside;
  OperatorView factor;
  const PetscInt *degree;
  bool second_ring = false;
  SharedRows &s = view->shared;
  PetscSF sf;

  PetscFunctionBegin;
  PetscCall(destroy());
  eisenstat_ = e->analysis.options.eisenstat;
  PetscCall(MatGetOwnershipRange(pc->pmat, &owned.first, nullptr));
  owned.first /= e->analysis.op.block;
  PetscCall(PCFinegrainFindKeys(pc, *e, view));
  const HostArray<std::int64_t> &key = view->agreed.key;
  PetscCall(find_stages(pc, e, owned, *view, &coloring, &s));
  PetscCall(find_pattern(*e, owned, *view, coloring, &mine, &second_ring));

  // Rows of other ranks that owned rows read, and rows that read owned ones, which transposed sweeps need.
  PetscCall(FinegrainOnAllRanks(pc, [&] {
    out = split_lists(owned, mine.lists, &inside);
    factor.owned.rows = owned.rows;
    factor.coupling = out.graph;
  }));
  PetscCall(FinegrainFindNeighbors(owned.comm, owned.first, factor, out.global, &near_));
  PetscCall(FinegrainOnAllRanks(pc, [&] { rows_of_others_ = near_.global; }));
  if (second_ring) PetscCall(add_second_ring(owned, mine.lists));
  PetscCall(FetchLists(owned, mine.lists, rows_of_others_, &theirs, &entries_));
  PetscCall(FinegrainOnAllRanks(pc, [&] { collect(owned, mine, theirs, &s); }));
  s.colors = coloring.colors;
  s.fill = mine.fill;
  s.dropped = mine.dropped;
  PetscCall(Extend(owned, rows_of_others_, MPI_INT32_T, coloring.color, &s.color));
  PetscCall(Extend(owned, rows_of_others_, MPI_INT64_T, key, &s.key));
  PetscCall(FinegrainMakeForest(owned.comm, owned.rows, rows_of_others_, &sf));
  PetscCall(PetscSFComputeDegreeBegin(sf, &degree));
  PetscCall(PetscSFComputeDegreeEnd(sf, &degree));
  for (Index row = 0; row < owned.rows; ++row) s.sent[std::size_t(row)] = degree[row] > 0;
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Builds the graph of all rows on this rank from the lists of owned and other rows.
void SharedExchange::collect(const Owned &owned, const FactorRows &mine, const Lists &theirs, SharedRows *rows)
{
  SharedRows &s = *rows;
  const Index all = owned.rows + Index(rows_of_others_.size());
  const auto local = [&](PetscInt c) {
    const Index other = owned.has(c) ? 0 : find(rows_of_others_, c);
    return owned.has(c) ? Index(c - owned.first) : other < 0 ? other : owned.rows + other;
  };
  std::vector<Index> col, entry;
  s.selection.graph = {all, make_array<Index>("finegrain::ptr", std::size_t(all) + 1), {}};
  s.selection.graph.ptr(0) = 0;
  const auto add_row = [&](const Lists &lists, std::size_t i, const std::vector<Index> &source,
                           std::vector<Index> &place) {
    std::vector<std::pair<Index, PetscInt>> list;
    for (PetscInt k = lists.ptr[i]; k < lists.ptr[i + 1]; ++k)
      if (const Index c = local(lists.col[std::size_t(k)]); c >= 0) list.push_back({c, k});
    std::sort(list.begin(), list.end());
    for (const auto &[c, k] : list) {
      place[std::size_t(k)] = Index(col.size());
      col.push_back(c);
      entry.push_back(source.empty() ? Index(-1) : source[std::size_t(k)]);
    }
  };
  place_.assign(theirs.col.size(), -1);
  own_entry_.assign(mine.lists.col.size(), -1);
  kept_.assign(theirs.col.size(), -1);
  for (Index row = 0; row < all; ++row) {
    if (row < owned.rows) add_row(mine.lists, std::size_t(row), mine.source, own_entry_);
    else add_row(theirs, std::size_t(row - owned.rows), {}, kept_);
    s.selection.graph.ptr(row + 1) = Index(col.size());
  }
  s.selection.graph.col = to_array("finegrain::col", col);
  s.selection.entry = to_array("finegrain::entry", entry);
  s.sent.resize(std::size_t(owned.rows));
}

PetscErrorCode SharedExchange::find_pattern(const PC_Finegrain &e, const Owned &owned, const OperatorView &view,
                                            const Coloring &coloring, FactorRows *rows, bool *)
{
  PetscFunctionBegin;
  PetscCall(
    FindPattern(owned, view, e.analysis.op.ghosts, e.analysis.options.levels, coloring, view.agreed.key, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Adds the columns of other ranks' rows to the list of rows.
PetscErrorCode SharedExchange::add_second_ring(const Owned &owned, const Lists &mine)
{
  const std::vector<PetscInt> &near = near_.global;
  Lists theirs;

  PetscFunctionBegin;
  PetscCall(FetchLists(owned, mine, near, &theirs));
  PetscCall(FinegrainOnAllRanks(owned.comm, [&] {
    for (const PetscInt c : theirs.col)
      if (!owned.has(c)) rows_of_others_.push_back(c);
    std::sort(rows_of_others_.begin(), rows_of_others_.end());
    rows_of_others_.erase(std::unique(rows_of_others_.begin(), rows_of_others_.end()), rows_of_others_.end());
    for (std::size_t k = 0; k < near_.graph.col.extent(0); ++k)
      near_.graph.col(k) = find(rows_of_others_, near[std::size_t(near_.graph.col(k))]);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SharedExchange::create(PetscObject owner, const Operator &, const OperatorView &view,
                                      const SharedStorage &storage)
{
  std::vector<Index> own, theirs;
  std::vector<Tree> diagonal;
  const PetscSFNode *remote;
  Tree lower;

  PetscFunctionBegin;
  // The exchange of entries also sends the index of each block at its owner.
  PetscCall(FinegrainOnAllRanks(owner, [&] {
    own.resize(own_entry_.size());
    theirs.resize(kept_.size());
    diagonal.resize(1);
    for (std::size_t k = 0; k < own.size(); ++k) own[k] = own_entry_[k] < 0 ? -1 : storage.entry(own_entry_[k]);
  }));
  PetscCall(PetscSFBcastBegin(entries_, MPI_INT32_T, own.data(), theirs.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(entries_, MPI_INT32_T, own.data(), theirs.data(), MPI_REPLACE));
  PetscCall(PetscSFGetGraph(entries_, nullptr, nullptr, nullptr, &remote));
  PetscCall(FinegrainOnAllRanks(owner, [&] {
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      place_[k] = kept_[k] < 0 ? -1 : theirs[k];
      if (place_[k] < 0 || storage.is_upper[std::size_t(kept_[k])]) continue;
      lower.local.push_back(storage.entry(kept_[k]));
      lower.remote.push_back({{remote[k].rank, theirs[k]}});
    }
  }));
  PetscCall(lower.create(PetscObjectComm(owner), view.shared.selection.graph.entries(), &lower_)); // upper bound
  PetscCallMPI(MPI_Type_contiguous(PetscMPIInt(storage.block_bytes), MPI_BYTE, &block_unit_));
  PetscCallMPI(MPI_Type_commit(&block_unit_));
  PetscCallMPI(MPI_Type_contiguous(PetscMPIInt(storage.diagonal_bytes), MPI_BYTE, &diagonal_unit_));
  PetscCallMPI(MPI_Type_commit(&diagonal_unit_));
  if (eisenstat_) {
    PetscCall(FindDiagonals(PetscObjectComm(owner), view.owned.rows, rows_of_others_, storage, nullptr, &diagonal));
    PetscCall(diagonal[0].create(PetscObjectComm(owner), view.shared.selection.graph.rows, &all_diagonal_));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SharedExchange::destroy()
{
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&entries_));
  PetscCall(PetscSFDestroy(&lower_));
  PetscCall(PetscSFDestroy(&all_diagonal_));
  for (MPI_Datatype *unit : {&block_unit_, &diagonal_unit_})
    if (*unit != MPI_DATATYPE_NULL) PetscCallMPI(MPI_Type_free(unit));
  near_ = {};
  rows_of_others_.clear();
  own_entry_.clear();
  kept_.clear();
  place_.clear();
  error_ = PETSC_SUCCESS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void SharedExchange::fetch_lower(void *lower)
{
  check(PetscSFBcastBegin(lower_, block_unit_, lower, lower, MPI_REPLACE));
  check(PetscSFBcastEnd(lower_, block_unit_, lower, lower, MPI_REPLACE));
}

void SharedExchange::fetch_diagonal(void *diagonal)
{
  check(PetscSFBcastBegin(all_diagonal_, diagonal_unit_, diagonal, diagonal, MPI_REPLACE));
  check(PetscSFBcastEnd(all_diagonal_, diagonal_unit_, diagonal, diagonal, MPI_REPLACE));
}

PetscErrorCode SharedExchange::take_error()
{
  const PetscErrorCode error = error_;
  error_ = PETSC_SUCCESS;
  return error;
}

PetscErrorCode ColorExchange::find_stages(PC pc, PC_Finegrain *e, const Owned &owned, const OperatorView &view,
                                          Coloring *coloring, SharedRows *rows)
{
  bool symmetric = true;

  PetscFunctionBegin;
  PetscCall(FindColors(pc, *e, owned, PetscInt(colored_power(e->analysis.options)), view, view.agreed.key, coloring,
                       &rows->coloring, &symmetric));
  rows->symmetrized = !symmetric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ColorExchange::create(PetscObject owner, const Operator &op, const OperatorView &view,
                                     const SharedStorage &storage)
{
  const MPI_Comm comm = PetscObjectComm(owner);
  const SharedRows &s = view.shared;
  const Index rows = view.owned.rows, all = s.selection.graph.rows;
  const std::size_t colors = std::size_t(s.colors);
  Operator extended;
  OperatorView colored;
  std::vector<Tree> diagonal, upper;
  const PetscSFNode *remote;

  PetscFunctionBegin;
  PetscCall(SharedExchange::create(owner, op, view, storage));
  // Exchange of vector entries, by color.
  PetscCall(FinegrainOnAllRanks(owner, [&] {
    extended = op;
    extended.ghosts = rows_of_others_;
    colored.ghosts = all - rows;
    colored.agreed.coloring.colors = s.colors;
    colored.agreed.ghost_color = Kokkos::subview(s.color, std::make_pair(std::size_t(rows), std::size_t(all)));
    diagonal.resize(colors);
    upper.resize(colors);
    diagonal_.resize(colors);
    upper_.resize(colors);
  }));
  PetscCall(rows_.create(owner, extended, colored, rows));

  PetscCall(FindDiagonals(comm, rows, rows_of_others_, storage, &s.color, &diagonal));

  // Exchange of upper blocks, by color.
  PetscCall(PetscSFGetGraph(entries_, nullptr, nullptr, nullptr, &remote));
  PetscCall(FinegrainOnAllRanks(owner, [&] {
    std::vector<Index> row_of(std::size_t(s.selection.graph.entries()));
    for (Index row = 0; row < all; ++row)
      for (Index f = s.selection.graph.ptr(row); f < s.selection.graph.ptr(row + 1); ++f)
        row_of[std::size_t(f)] = row;
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      if (place_[k] < 0 || !storage.is_upper[std::size_t(kept_[k])]) continue;
      Tree &tree = upper[std::size_t(s.color(row_of[std::size_t(kept_[k])]))];
      tree.local.push_back(storage.entry(kept_[k]));
      tree.remote.push_back({{remote[k].rank, place_[k]}});
    }
  }));
  for (std::size_t c = 0; c < colors; ++c) {
    PetscCall(diagonal[c].create(comm, all, &diagonal_[c]));
    PetscCall(upper[c].create(comm, s.selection.graph.entries(), &upper_[c]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ColorExchange::destroy()
{
  PetscFunctionBegin;
  PetscCall(rows_.destroy());
  for (auto *list : {&diagonal_, &upper_}) {
    for (PetscSF &sf : *list) PetscCall(PetscSFDestroy(&sf));
    list->clear();
  }
  PetscCall(SharedExchange::destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

void ColorExchange::begin(Travel travel, Index color, const SharedArrays &a)
{
  const std::size_t c = std::size_t(color);
  if (travel != Travel::factor) return rows_.begin(color, a.x, a.others);
  check(PetscSFBcastBegin(diagonal_[c], diagonal_unit_, a.diagonal, a.diagonal, MPI_REPLACE));
  check(PetscSFBcastBegin(upper_[c], block_unit_, a.upper, a.upper, MPI_REPLACE));
}

void ColorExchange::end(Travel travel, Index color, const SharedArrays &a)
{
  const std::size_t c = std::size_t(color);
  if (travel != Travel::factor) return rows_.end(color, a.x, a.others);
  check(PetscSFBcastEnd(diagonal_[c], diagonal_unit_, a.diagonal, a.diagonal, MPI_REPLACE));
  check(PetscSFBcastEnd(upper_[c], block_unit_, a.upper, a.upper, MPI_REPLACE));
}

PetscErrorCode ColorExchange::take_error()
{
  const PetscErrorCode error = SharedExchange::take_error();
  return error ? error : rows_.take_error();
}

} // namespace finegrain

PetscErrorCode FinegrainTakeError(FinegrainRanks *ranks)
{
  PetscFunctionBegin;
  PetscCall(ranks->halo.take_error());
  if (ranks->shared) PetscCall(ranks->shared->take_error());
  PetscFunctionReturn(PETSC_SUCCESS);
}
