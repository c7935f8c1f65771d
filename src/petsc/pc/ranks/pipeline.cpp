// SPDX-License-Identifier: BSD-2-Clause
#include "pc/ranks/pipeline.hpp"
#include "common/runtime.hpp"
#include "pc/options/settings.hpp"
#include "pc/ranks/colors_and_keys.hpp"
#include "pc/ranks/shared_rows.hpp"
#include "pc/ranks/local_grid.hpp"

#include <petscdmda.h>
#include <petsctime.h>

#include <cstring>
#include <map>

namespace finegrain
{

using namespace shared;

namespace
{

// Constants of the model, for CPUs of 2020 to 2025: a sweep reads a row with this bandwidth in bytes/s, and needs
// `row_seconds` more per row. Ranks that share a memory have less bandwidth each, which moves no optimum.
constexpr double bandwidth = 2e10, row_seconds = 1e-8;

// Half of a round trip between the first two ranks, the least of a few. Collective.
PetscErrorCode MeasureLatency(PC pc, double *seconds)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  constexpr int trips = 6, size = 256;
  PetscScalar buffer[size] = {};
  PetscMPIInt rank, ranks, tag; // PETSc's tags are none that a program has messages with
  PetscLogDouble from, to;

  PetscFunctionBegin;
  *seconds = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (ranks < 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectGetNewTag(reinterpret_cast<PetscObject>(pc), &tag));
  for (int trip = 0; trip < trips && rank < 2; ++trip) {
    PetscCall(PetscTime(&from));
    for (int way = 0; way < 2; ++way)
      if (way == rank) PetscCallMPI(MPI_Send(buffer, size, MPIU_SCALAR, 1 - rank, tag, comm));
      else PetscCallMPI(MPI_Recv(buffer, size, MPIU_SCALAR, 1 - rank, tag, comm, MPI_STATUS_IGNORE));
    PetscCall(PetscTime(&to));
    *seconds = trip ? std::min(*seconds, (to - from) / 2) : (to - from) / 2;
  }
  PetscCallMPI(MPI_Bcast(seconds, 1, MPI_DOUBLE, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscInt PipelineExchange::WholeGrid::number(const std::array<std::int64_t, 3> &point) const
{
  PetscInt rank = 0, ranks = 1, local = 0, points = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::vector<PetscInt> &b = begin[a];
    const auto from = std::upper_bound(b.begin(), b.end(), PetscInt(point[a])) - 1;
    rank += ranks * PetscInt(from - b.begin());
    ranks *= PetscInt(b.size()) - 1;
    local += points * (PetscInt(point[a]) - *from);
    points *= from[1] - from[0];
  }
  return row[std::size_t(rank)] + local;
}

PetscErrorCode PipelineExchange::find_whole_grid(PC pc, const PC_Finegrain &e, Index rows)
{
  const PetscObject object = reinterpret_cast<PetscObject>(pc);
  const PetscInt *sizes[3], *row;
  PetscInt ranks[3] = {1, 1, 1}, largest[3] = {1, 1, 1}, own[3] = {1, 1, 1};
  PetscMPIInt size;
  DM da;

  PetscFunctionBegin;
  PetscCall(PCFinegrainFindGrid(pc, &da));
  if (da) {
    PetscCall(DMDAGetInfo(da, nullptr, nullptr, nullptr, nullptr, &ranks[0], &ranks[1], &ranks[2], nullptr, nullptr,
                          nullptr, nullptr, nullptr, nullptr));
    PetscCall(DMDAGetCorners(da, nullptr, nullptr, nullptr, &own[0], &own[1], &own[2]));
  }
  int mine[] = {e.settings.grid.empty(), da && PetscInt64(own[0]) * own[1] * own[2] == rows},
      all[2]; // grids are a rank's own
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MIN, PetscObjectComm(object)));
  PetscCheck(all[0], PetscObjectComm(object), PETSC_ERR_ARG_INCOMP, "%s",
             PCFinegrainText(pc, "@_global goes over the grid of a DMDA, and @_grid is one of each rank; leave "
                                 "out @_grid, or use @type powerqilu with -pc_powerqilu_global, which couples the "
                                 "grids of all ranks")
               .c_str());
  PetscCheck(all[1], PetscObjectComm(object), PETSC_ERR_ARG_WRONGSTATE, "%s",
             PCFinegrainText(pc, "@_global needs the DMDA that the matrix is of, a block row a point: set it "
                                 "with KSPSetDM(), or use @type powerqilu with -pc_powerqilu_global, which "
                                 "factors any matrix over all ranks")
               .c_str());
  PetscCall(DMDAGetOwnershipRanges(da, &sizes[0], &sizes[1], &sizes[2]));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm(object), &size));
  PetscCall(MatGetOwnershipRanges(pc->pmat, &row));
  PetscCall(FinegrainOnAllRanks(pc, [&] {
    for (std::size_t a = 0; a < 3; ++a) {
      whole_grid_.begin[a].assign(1, 0);
      for (PetscInt r = 0; r < ranks[a]; ++r) {
        const PetscInt points = sizes[a] ? sizes[a][r] : 1; // no array where there is no such axis
        whole_grid_.begin[a].push_back(whole_grid_.begin[a].back() + points);
        largest[a] = std::max(largest[a], points);
      }
    }
    shape_ = {{Index(largest[0]), Index(largest[1]), Index(largest[2])},
              {Index(ranks[0]), Index(ranks[1]), Index(ranks[2])}};
    whole_grid_.row.assign(row, row + size);
    for (PetscInt &first : whole_grid_.row) first /= e.analysis.op.block;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Every coupling is to a point beside, not across a period: else the order of ranks is not that of the points.
PetscErrorCode PipelineExchange::check_star(PC pc, const OperatorView &view) const
{
  const auto fits = [&](std::int64_t a, std::int64_t b) {
    const auto p = whole_grid_.place(a), q = whole_grid_.place(b);
    std::int64_t distance = 0;
    for (std::size_t d = 0; d < 3; ++d) distance += std::abs(p[d] - q[d]);
    return distance <= 1;
  };
  const auto &key = view.agreed.key, &ghost_key = view.agreed.ghost_key;
  std::int64_t worst = -1, found;

  PetscFunctionBegin;
  for (Index row = 0; row < view.owned.rows; ++row) {
    bool good = true;
    for (Index k = view.owned.ptr(row); k < view.owned.ptr(row + 1); ++k)
      good &= fits(key(row), key(view.owned.col(k)));
    if (view.coupling.entries() > 0)
      for (Index k = view.coupling.ptr(row); k < view.coupling.ptr(row + 1); ++k)
        good &= fits(key(row), ghost_key(view.coupling.col(k)));
    if (!good) worst = std::max(worst, key(row));
  }
  PetscCallMPI(
    MPI_Allreduce(&worst, &found, 1, MPI_INT64_T, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(pc))));
  if (found >= 0) {
    const auto p = whole_grid_.place(found);
    SETERRQ(
      PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_INCOMP, "%s",
      PCFinegrainText(pc, "@_global goes over stars of width 1 without periodic axes, and point (" +
                            std::to_string(p[0]) + ", " + std::to_string(p[1]) + ", " + std::to_string(p[2]) +
                            ") is coupled to one that is not beside it; leave out @_global, or use @type powerqilu "
                            "with -pc_powerqilu_global")
        .c_str());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PipelineExchange::find_stages(PC pc, PC_Finegrain *e, const Owned &owned, const OperatorView &view,
                                             Coloring *coloring, SharedRows *rows)
{
  PetscFunctionBegin;
  PetscCall(find_whole_grid(pc, *e, owned.rows));
  PetscCall(check_star(pc, view));
  PetscCall(MeasureLatency(pc, &latency_));
  // One sweep reads the diagonal block or not, and half of the others.
  const double bytes =
    3.5 * double(e->analysis.op.block * e->analysis.op.block) * double(storage_size(e->analysis.options.precision));
  const PipelineCost cost = {bytes / bandwidth + row_seconds, latency_ / 2, latency_};
  const Box &requested = e->analysis.options.tile;
  PetscCall(FinegrainOnAllRanks(pc, [&] {
    prediction_ = requested.points() > 0 ? predict_pipeline(shape_, cost, requested) : choose_pipeline(shape_, cost);
    coloring->color = HostArray<Index>("finegrain::color", std::size_t(owned.rows)); // zero
  }));
  e->analysis.options.tile = prediction_.tile;
  coloring->colors = 0;
  rows->whole_grid = {Index(whole_grid_.edge(0)), Index(whole_grid_.edge(1)), Index(whole_grid_.edge(2))};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PipelineExchange::find_pattern(const PC_Finegrain &e, const Owned &owned, const OperatorView &view,
                                              const Coloring &coloring, FactorRows *rows, bool *second_ring)
{
  PetscFunctionBegin;
  second_ring_ = *second_ring = e.analysis.options.method == Method::sip;
  if (!second_ring_) {
    PetscCall(SharedExchange::find_pattern(e, owned, view, coloring, rows, second_ring));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FinegrainOnAllRanks(owned.comm, [&] {
    for (Index row = 0; row < owned.rows; ++row) {
      // Sorts entries by global number; that of a block of the matrix precedes the -1 of the star.
      Entries list = find_entries(owned, view, e.analysis.op.ghosts, row);
      const auto point = whole_grid_.place(view.agreed.key(row));
      list.push_back({owned.first + row, -1});
      for (std::size_t a = 0; a < 3; ++a)
        for (const int step : {-1, 1}) {
          auto beside = point;
          beside[a] += step;
          if (beside[a] >= 0 && beside[a] < whole_grid_.edge(a)) list.push_back({whole_grid_.number(beside), -1});
        }
      const auto col = [](const auto &entry) { return entry.first; };
      std::stable_sort(list.begin(), list.end(), [&](const auto &x, const auto &y) { return col(x) < col(y); });
      list.erase(
        std::unique(list.begin(), list.end(), [&](const auto &x, const auto &y) { return col(x) == col(y); }),
        list.end());
      rows->add(list);
    }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The rows that this rank and its neighbors send each other, by rank and tile of the sender.
struct PipelineExchange::Routes {
  using Rows = std::map<std::pair<PetscMPIInt, Index>, std::vector<Index>>;
  Rows to, from;
  std::vector<Index> first, last; // own tiles that are beside each other's row
};

PetscErrorCode PipelineExchange::check_tags(Index tiles) const
{
  PetscMPIInt *bound, has_bound;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &has_bound));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &tiles, 1, MPI_INT32_T, MPI_MAX, comm_));
  PetscCheck(has_bound && tiles <= *bound, comm_, PETSC_ERR_ARG_OUTOFRANGE,
             "This MPI numbers messages up to %d, and a rank has %d tiles; give larger ones with "
             "PCFinegrainSetTile() or its option",
             has_bound ? int(*bound) : 0, int(tiles));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Both sides know all couplings between them, and list rows by global numbers.
PetscErrorCode PipelineExchange::find_routes(const SharedRows &s, const SharedStorage &storage,
                                             const HostArray<Index> &tile_of, const PetscSFNode *remote,
                                             PetscMPIInt me, Routes *routes) const
{
  const Index rows = near_.graph.rows;
  const std::size_t others = rows_of_others_.size();

  PetscFunctionBegin;
  routes->first.assign(others, storage.stages);
  routes->last.assign(others, -1);
  for (Index row = 0; row < rows; ++row)
    for (Index k = near_.graph.ptr(row); k < near_.graph.ptr(row + 1); ++k) {
      const std::size_t other = std::size_t(near_.graph.col(k));
      const PetscMPIInt rank = PetscMPIInt(remote[other].rank);
      PetscCheck((rank > me) == (s.key(rows + Index(other)) > s.key(row)), PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "The ranks of the DMDA are not in the order of its points");
      auto &list = routes->to[{rank, storage.stage(row)}];
      if (list.empty() || list.back() != row) list.push_back(row);
      routes->first[other] = std::min(routes->first[other], storage.stage(row));
      routes->last[other] = std::max(routes->last[other], storage.stage(row));
    }
  for (std::size_t other = 0; other < others; ++other)
    if (routes->last[other] >= 0)
      routes->from[{PetscMPIInt(remote[other].rank), tile_of(other)}].push_back(Index(other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Messages of all routes; blocks are listed by global numbers of their columns.
void PipelineExchange::make_messages(const SharedRows &s, const SharedStorage &storage, const PetscSFNode *remote,
                                     PetscMPIInt me, const Routes &routes)
{
  const Graph &g = s.selection.graph;
  const Index rows = near_.graph.rows;
  const auto add_blocks = [&](Index row, const auto &wanted, std::vector<Index> *blocks) {
    std::vector<std::pair<std::int64_t, Index>> list;
    for (Index f = g.ptr(row); f < g.ptr(row + 1); ++f)
      if ((second_ring_ || wanted(g.col(f))) && storage.is_upper[std::size_t(f)])
        list.push_back({s.key(g.col(f)), storage.entry(f)});
    std::sort(list.begin(), list.end());
    for (const auto &[key, entry] : list) blocks->push_back(entry);
  };
  for (auto *messages : {&sent_[0], &sent_[1], &received_[0], &received_[1]})
    messages->of_tile.assign(std::size_t(storage.stages), {});
  for (const auto &[where, list] : routes.to) {
    const PetscMPIInt rank = where.first;
    Message m{rank, PetscMPIInt(where.second), where.second, list, {}, {}, {}};
    const auto theirs = [&](Index c) { return c >= rows && PetscMPIInt(remote[c - rows].rank) == rank; };
    if (rank > me)
      for (const Index row : list) add_blocks(row, theirs, &m.blocks);
    sent_[rank < me].list.push_back(std::move(m));
  }
  for (const auto &[where, list] : routes.from) {
    const PetscMPIInt rank = where.first;
    const auto ours = [&](Index c) { return c < rows; };
    Message m{rank, PetscMPIInt(where.second), rank < me ? storage.stages : Index(-1), list, {}, {}, {}};
    for (const Index other : list) {
      const std::size_t o = std::size_t(other);
      if (rank < me) add_blocks(rows + other, ours, &m.blocks);
      m.tile = rank < me ? std::min(m.tile, routes.first[o]) : std::max(m.tile, routes.last[o]);
    }
    received_[rank > me].list.push_back(std::move(m));
  }
}

PetscErrorCode PipelineExchange::create(PetscObject owner, const Operator &op, const OperatorView &view,
                                        const SharedStorage &storage)
{
  HostArray<Index> tile_of;
  const PetscSFNode *remote;
  PetscMPIInt me;
  PetscSF sf;

  PetscFunctionBegin;
  PetscCall(SharedExchange::create(owner, op, view, storage));
  owner_ = owner;
  block_ = std::size_t(op.block);
  block_bytes_ = storage.block_bytes;
  PetscCallMPI(MPI_Comm_dup(PetscObjectComm(owner), &comm_));
  PetscCallMPI(MPI_Comm_rank(comm_, &me));
  PetscCall(check_tags(storage.stages));
  PetscCall(
    FinegrainOnAllRanks(owner, [&] { tile_of = HostArray<Index>("finegrain::tile", rows_of_others_.size()); }));
  PetscCall(FinegrainMakeForest(comm_, view.owned.rows, rows_of_others_, &sf));
  PetscCall(FinegrainFetch(sf, MPI_INT32_T, storage.stage, &tile_of));
  PetscCall(PetscSFGetGraph(sf, nullptr, nullptr, nullptr, &remote));
  PetscCall(FinegrainOnAllRanks(owner, [&]() -> PetscErrorCode {
    Routes routes;
    PetscFunctionBegin;
    PetscCall(find_routes(view.shared, storage, tile_of, remote, me, &routes));
    make_messages(view.shared, storage, remote, me, routes);
    for (const bool backward : {false, true}) {
      PetscCall(make_requests(&sent_[backward], true, !backward));
      PetscCall(make_requests(&received_[backward], false, !backward));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PipelineExchange::view(PetscViewer viewer) const
{
  const PipelinePrediction &p = prediction_;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(
    viewer,
    "pipeline: %d x %d x %d ranks, %d tiles of %d x %d x %d points on a rank; by a model, messages of %.1f us, "
    "a sweep takes %.0f tile steps, efficiency %.0f %%\n",
    int(shape_.ranks.i), int(shape_.ranks.j), int(shape_.ranks.k), int(p.tiles), int(p.tile.i), int(p.tile.j),
    int(p.tile.k), 1e6 * latency_, p.steps, 100 * p.efficiency));
  if (shape_.ranks.i > 1 && shape_.ranks.j > 1 && shape_.ranks.k > 1)
    PetscCall(PetscViewerASCIIPrintf(viewer, "the last rank begins when the first is done: cut two axes of the DMDA "
                                             "among ranks, -da_processors_x 1\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace finegrain
