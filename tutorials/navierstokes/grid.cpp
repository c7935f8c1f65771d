// SPDX-License-Identifier: BSD-2-Clause
#include "grid.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

double Norm(const Vector3 &a) { return std::sqrt(Dot(a, a)); }

static Vector3 Cross(const Vector3 &a, const Vector3 &b)
{
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

static PetscInt Count(const Index3 &cells) { return cells[0] * cells[1] * cells[2]; }

// ---- cutting and placing

static void Place(std::vector<Piece> &pieces, int ranks, PetscInt *fullest)
{
  std::vector<PetscInt> load(std::size_t(ranks), 0);
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return Count(pieces[a].cells) > Count(pieces[b].cells); });
  for (std::size_t p : order) {
    const auto emptiest = std::min_element(load.begin(), load.end());
    pieces[p].rank = int(emptiest - load.begin());
    *emptiest += Count(pieces[p].cells);
  }
  *fullest = *std::max_element(load.begin(), load.end());
}

std::vector<Piece> CutAndPlace(const std::vector<Index3> &blocks, PetscInt least, int ranks)
{
  std::vector<Piece> pieces;
  PetscInt cells = 0, fullest = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    pieces.push_back({b, {0, 0, 0}, blocks[b], 0});
    cells += Count(blocks[b]);
  }
  for (;;) {
    Place(pieces, ranks, &fullest);
    const bool few = PetscInt(pieces.size()) < least || pieces.size() < std::size_t(ranks);
    const bool uneven = least == 0 && double(fullest) * ranks > 1.1 * double(cells);
    if (!few && !uneven) return pieces;
    const auto largest = std::max_element(
      pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) { return Count(a.cells) < Count(b.cells); });
    const std::size_t along =
      std::size_t(std::max_element(largest->cells.begin(), largest->cells.end()) - largest->cells.begin());
    const PetscInt half = largest->cells[along] / 2;
    // Ranks without cells, or loads that no cut balances, are allowed.
    if (half == 0 || (!few && pieces.size() > 16 * std::size_t(ranks))) return pieces;
    Piece rest = *largest;
    rest.first[along] += half;
    rest.cells[along] -= half;
    largest->cells[along] = half;
    pieces.insert(largest + 1, rest);
  }
}

// ---- cells and faces of a piece

namespace
{

// A face at the surface of a piece, as all ranks know it.
struct Surface {
  Vector3 center, to_center; // of the face; from the cell's center to it
  double cell, side;         // global index of the cell, and which of its sides
};
constexpr int surface_numbers = int(sizeof(Surface) / sizeof(double));

class PieceBuilder
{
public:
  PieceBuilder(const Geometry &geometry, const Piece &piece, PetscInt offset, Grid *grid)
      : piece_(piece), offset_(offset), grid_(grid)
  {
    const Index3 n = {piece.cells[0] + 1, piece.cells[1] + 1, piece.cells[2] + 1};
    vertices_.reserve(std::size_t(Count(n)));
    for (PetscInt k = 0; k < n[2]; ++k)
      for (PetscInt j = 0; j < n[1]; ++j)
        for (PetscInt i = 0; i < n[0]; ++i)
          vertices_.push_back(
            geometry.vertex(piece.block, {piece.first[0] + i, piece.first[1] + j, piece.first[2] + k}));
    AddCells(geometry.blocks);
  }

  // Faces inside a piece are added to the grid; those of the surface are returned, with the area out of the piece.
  void AddFaces(std::vector<Surface> &surface, std::vector<Vector3> &areas)
  {
    for (std::size_t d = 0; d < 3; ++d) {
      Index3 n = piece_.cells;
      n[d] += 1;
      for (PetscInt k = 0; k < n[2]; ++k)
        for (PetscInt j = 0; j < n[1]; ++j)
          for (PetscInt i = 0; i < n[0]; ++i) AddFace(d, {i, j, k}, surface, areas);
    }
  }

private:
  void AddCells(const std::vector<Index3> &blocks)
  {
    PetscInt before = 0;
    for (std::size_t b = 0; b < piece_.block; ++b) before += Count(blocks[b]);
    const Index3 &block = blocks[piece_.block];
    for (PetscInt k = 0; k < piece_.cells[2]; ++k)
      for (PetscInt j = 0; j < piece_.cells[1]; ++j)
        for (PetscInt i = 0; i < piece_.cells[0]; ++i) {
          Vector3 sum = {0, 0, 0};
          for (PetscInt corner = 0; corner < 8; ++corner)
            sum = sum + Vertex({i + corner % 2, j + corner / 2 % 2, k + corner / 4});
          grid_->center.push_back(0.125 * sum);
          grid_->volume.push_back(0);
          grid_->natural.push_back(before + piece_.first[0] + i +
                                   block[0] * (piece_.first[1] + j + block[1] * (piece_.first[2] + k)));
        }
  }

  void AddFace(std::size_t d, const Index3 &at, std::vector<Surface> &surface, std::vector<Vector3> &areas)
  {
    const std::size_t e = (d + 1) % 3, f = (d + 2) % 3;
    Index3 corner[4] = {at, at, at, at};
    corner[1][e] += 1;
    corner[2][e] += 1;
    corner[2][f] += 1;
    corner[3][f] += 1;
    const Vector3 v[4] = {Vertex(corner[0]), Vertex(corner[1]), Vertex(corner[2]), Vertex(corner[3])};
    Vector3 area = 0.5 * Cross(v[2] - v[0], v[3] - v[1]);
    const Vector3 middle = 0.25 * (v[0] + v[1] + v[2] + v[3]);
    Index3 low = at, high = at;
    low[d] -= 1;
    const bool has_low = low[d] >= 0, has_high = high[d] < piece_.cells[d];
    const PetscInt a = has_low ? Cell(low) : Cell(high), b = Cell(high);
    // Blocks may be left-handed.
    const Vector3 from_a = middle - grid_->center[std::size_t(a)];
    if (Dot(area, from_a) < 0) area = -1.0 * area;
    grid_->volume[std::size_t(a)] += Dot(area, from_a) / 3;
    if (has_low && has_high) {
      const Vector3 from_b = middle - grid_->center[std::size_t(b)];
      grid_->volume[std::size_t(b)] -= Dot(area, from_b) / 3;
      grid_->faces.push_back({a, b, int(2 * d + 1), int(2 * d), area, from_a, from_b});
    } else {
      surface.push_back({middle, from_a, double(grid_->first + a), double(2 * d + (has_low ? 1 : 0))});
      areas.push_back(area);
    }
  }

  PetscInt Cell(const Index3 &c) const { return offset_ + c[0] + piece_.cells[0] * (c[1] + piece_.cells[1] * c[2]); }
  Vector3 Vertex(const Index3 &v) const
  {
    return vertices_[std::size_t(v[0] + (piece_.cells[0] + 1) * (v[1] + (piece_.cells[1] + 1) * v[2]))];
  }

  const Piece &piece_;
  PetscInt offset_;
  Grid *grid_;
  std::vector<Vector3> vertices_;
};

// Finds faces by their centers, up to a thousandth of the smallest face.
class Places
{
public:
  Places(const std::vector<Surface> &surface, double spacing) : surface_(surface), spacing_(spacing)
  {
    for (std::size_t s = 0; s < surface.size(); ++s) at_[Key(surface[s].center)].push_back(s);
  }

  // Another face of the surface than `self` with this center; null if there is none.
  const Surface *Find(const Vector3 &center, const Surface &self) const
  {
    const Key3 key = Key(center);
    for (int step = 0; step < 27; ++step) {
      const auto found = at_.find({key[0] + step % 3 - 1, key[1] + step / 3 % 3 - 1, key[2] + step / 9 - 1});
      if (found == at_.end()) continue;
      for (std::size_t s : found->second)
        if (Norm(surface_[s].center - center) <= spacing_ &&
            (surface_[s].cell != self.cell || surface_[s].side != self.side))
          return &surface_[s];
    }
    return nullptr;
  }

private:
  using Key3 = std::array<long long, 3>;
  Key3 Key(const Vector3 &x) const
  {
    return {std::llround(x[0] / spacing_), std::llround(x[1] / spacing_), std::llround(x[2] / spacing_)};
  }

  const std::vector<Surface> &surface_;
  double spacing_;
  std::map<Key3, std::vector<std::size_t>> at_;
};

} // namespace

static PetscErrorCode Gather(MPI_Comm comm, const std::vector<Surface> &mine, std::vector<Surface> *all)
{
  PetscMPIInt ranks, here;
  std::vector<PetscMPIInt> counts, starts;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  counts.resize(std::size_t(ranks));
  starts.resize(std::size_t(ranks));
  PetscCall(PetscMPIIntCast(PetscInt(mine.size()) * surface_numbers, &here));
  PetscCallMPI(MPI_Allgather(&here, 1, MPI_INT, counts.data(), 1, MPI_INT, comm));
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  all->resize(std::size_t(starts.back() + counts.back()) / surface_numbers);
  PetscCallMPI(
    MPI_Allgatherv(mine.data(), here, MPI_DOUBLE, all->data(), counts.data(), starts.data(), MPI_DOUBLE, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The piece of a local cell.
static std::size_t PieceOf(const Grid &grid, PetscInt cell)
{
  return std::size_t(std::upper_bound(grid.offset.begin(), grid.offset.end(), cell) - grid.offset.begin()) - 1;
}

// Each face of the surface is joined to another one, also across a period, or is a boundary.
static PetscErrorCode Join(const Geometry &geometry, const std::vector<Surface> &mine,
                           const std::vector<Vector3> &areas, Grid *grid)
{
  std::vector<Surface> all;
  std::map<PetscInt, PetscInt> ghosts;
  std::vector<const Surface *> partner(mine.size(), nullptr);
  double smallest = PETSC_MAX_REAL, spacing;

  PetscFunctionBeginUser;
  for (const Vector3 &area : areas) smallest = std::min(smallest, Norm(area));
  PetscCallMPI(MPI_Allreduce(&smallest, &spacing, 1, MPI_DOUBLE, MPI_MIN, grid->comm));
  PetscCheck(spacing > 0, grid->comm, PETSC_ERR_ARG_WRONG, "A face of a block has no area");
  PetscCall(Gather(grid->comm, mine, &all));
  const Places places(all, 1e-3 * std::sqrt(spacing));
  const auto here = [&](double cell) {
    return PetscInt(cell) >= grid->first && PetscInt(cell) < grid->first + grid->owned;
  };
  for (std::size_t s = 0; s < mine.size(); ++s) {
    partner[s] = places.Find(mine[s].center, mine[s]);
    for (const Vector3 &period : geometry.periods)
      for (double sign : {1., -1.})
        if (!partner[s]) partner[s] = places.Find(mine[s].center + sign * period, mine[s]);
    if (partner[s] && !here(partner[s]->cell)) ghosts[PetscInt(partner[s]->cell)] = 0;
  }
  for (auto &[cell, local] : ghosts) {
    local = grid->owned + grid->ghosts++;
    grid->global.push_back(cell);
  }
  for (std::size_t s = 0; s < mine.size(); ++s) {
    const PetscInt a = PetscInt(mine[s].cell) - grid->first;
    Face face = {a, 0, int(mine[s].side), 0, areas[s], mine[s].to_center, {0, 0, 0}};
    if (partner[s]) {
      const bool own = here(partner[s]->cell);
      // For two own cells the loop visits both faces.
      if (own && std::pair(partner[s]->cell, partner[s]->side) < std::pair(mine[s].cell, mine[s].side)) continue;
      face.b = own ? PetscInt(partner[s]->cell) - grid->first : ghosts[PetscInt(partner[s]->cell)];
      face.side_b = int(partner[s]->side);
      face.from_b = partner[s]->to_center;
      ++(own ? grid->joined : grid->shared);
    } else {
      const Piece &piece = grid->own[PieceOf(*grid, a)];
      const int condition = geometry.boundary(piece.block, face.side_a, mine[s].center);
      PetscCheck(condition >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "Side %s of block %d meets no other block at (%g, %g, %g) and has no boundary condition there",
                 Sides[face.side_a], int(piece.block) + 1, mine[s].center[0], mine[s].center[1], mine[s].center[2]);
      face.b = ~PetscInt(condition);
    }
    grid->faces.push_back(face);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateGrid(MPI_Comm comm, const Geometry &geometry, PetscInt least, Grid *grid)
{
  PetscMPIInt rank, ranks;
  std::vector<Surface> surface;
  std::vector<Vector3> areas;
  PetscLayout layout;
  double all = 0;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  *grid = Grid();
  grid->comm = comm;
  for (const Index3 &block : geometry.blocks) all += double(block[0]) * double(block[1]) * double(block[2]);
  PetscCheck(6 * all <= double(PETSC_MAX_INT), comm, PETSC_ERR_USER_INPUT,
             "%g cells with up to six unknowns are more than the PetscInt of this PETSc counts, %" PetscInt_FMT
             ": give fewer cells",
             all, PETSC_MAX_INT);
  grid->pieces = CutAndPlace(geometry.blocks, least, ranks);
  for (const Piece &piece : grid->pieces) {
    grid->cells += Count(piece.cells);
    if (piece.rank < rank) grid->first += Count(piece.cells);
    if (piece.rank != rank) continue;
    grid->own.push_back(piece);
    grid->offset.push_back(grid->owned);
    grid->owned += Count(piece.cells);
  }
  for (PetscInt c = 0; c < grid->owned; ++c) grid->global.push_back(grid->first + c);
  for (std::size_t p = 0; p < grid->own.size(); ++p)
    PieceBuilder(geometry, grid->own[p], grid->offset[p], grid).AddFaces(surface, areas);
  PetscCall(Join(geometry, surface, areas, grid));
  grid->inner = std::size_t(
    std::stable_partition(grid->faces.begin(), grid->faces.end(), [&](const Face &f) { return f.b < grid->owned; }) -
    grid->faces.begin());
  for (double volume : grid->volume)
    PetscCheck(volume > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "A cell has volume %g: is a block turned inside out?", volume);
  PetscCall(PetscLayoutCreateFromSizes(comm, grid->owned, PETSC_DECIDE, 1, &layout));
  PetscCall(PetscSFCreate(comm, &grid->exchange));
  PetscCall(PetscSFSetGraphLayout(grid->exchange, layout, grid->ghosts, nullptr, PETSC_USE_POINTER,
                                  grid->global.data() + grid->owned));
  PetscCall(PetscLayoutDestroy(&layout));
  grid->volume.resize(std::size_t(grid->owned + grid->ghosts));
  PetscCall(PetscSFBcastBegin(grid->exchange, MPI_DOUBLE, grid->volume.data(), grid->volume.data() + grid->owned,
                              MPI_REPLACE));
  PetscCall(
    PetscSFBcastEnd(grid->exchange, MPI_DOUBLE, grid->volume.data(), grid->volume.data() + grid->owned, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DestroyGrid(Grid *grid)
{
  PetscFunctionBeginUser;
  PetscCall(PetscSFDestroy(&grid->exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintGrid(const Grid &grid)
{
  PetscInt mine[3] = {grid.joined, grid.shared, grid.owned}, sums[3], fullest;
  PetscMPIInt ranks;
  std::size_t blocks = 0;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(grid.comm, &ranks));
  PetscCallMPI(MPI_Allreduce(mine, sums, 3, MPIU_INT, MPI_SUM, grid.comm));
  PetscCallMPI(MPI_Allreduce(&mine[2], &fullest, 1, MPIU_INT, MPI_MAX, grid.comm));
  for (const Piece &piece : grid.pieces) blocks = std::max(blocks, piece.block + 1);
  PetscCall(PetscPrintf(grid.comm,
                        "%d blocks in %d pieces on %d ranks: %" PetscInt_FMT " cells, at most %" PetscInt_FMT
                        " on a rank; %" PetscInt_FMT " faces between pieces of a rank, %" PetscInt_FMT
                        " between ranks\n",
                        int(blocks), int(grid.pieces.size()), ranks, grid.cells, fullest, sums[0], sums[1] / 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckClosed(const Grid &grid, double *gap)
{
  std::vector<Vector3> sum(std::size_t(grid.owned), {0, 0, 0});
  double worst[2] = {0, 0}, all[2];

  PetscFunctionBeginUser;
  for (const Face &face : grid.faces) {
    sum[std::size_t(face.a)] = sum[std::size_t(face.a)] + face.area;
    if (face.b >= 0 && face.b < grid.owned) sum[std::size_t(face.b)] = sum[std::size_t(face.b)] - face.area;
    worst[1] = std::max(worst[1], Norm(face.area));
  }
  for (const Vector3 &s : sum) worst[0] = std::max(worst[0], Norm(s));
  PetscCallMPI(MPI_Allreduce(worst, all, 2, MPI_DOUBLE, MPI_MAX, grid.comm));
  *gap = all[0] / all[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}
