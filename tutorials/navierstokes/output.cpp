// SPDX-License-Identifier: BSD-2-Clause
#include "output.hpp"

#include <petscdmda.h>

#include <algorithm>
#include <fstream>

namespace
{

// A piece's values at its vertices.
class Vertices
{
public:
  Vertices(const Flow &flow, std::size_t piece)
      : flow_(flow), piece_(flow.grid.own[piece]), offset_(flow.grid.offset[piece]), n_(std::size_t(flow.n))
  {
    size_ = {piece_.cells[0] + 1, piece_.cells[1] + 1, piece_.cells[2] + 1};
    const std::size_t all = std::size_t(size_[0] * size_[1] * size_[2]);
    sum_.assign(all * n_, 0);
    weight_.assign(all, 0);
    for (PetscInt c = 0; c < piece_.cells[0] * piece_.cells[1] * piece_.cells[2]; ++c)
      for (PetscInt corner = 0; corner < 8; ++corner) {
        Index3 v = Cell(c);
        for (std::size_t d = 0; d < 3; ++d) v[d] += corner >> d & 1;
        if (!OnSurface(v)) Add(v, flow.q.data() + std::size_t(offset_ + c) * n_);
      }
    for (const Face &face : flow.grid.faces) {
      std::array<double, 6> value = {};
      for (std::size_t u = 0; u < n_; ++u) value[u] = At(face, u);
      AddFace(face.a, face.side_a, value.data());
      if (face.b >= 0) AddFace(face.b, face.side_b, value.data());
    }
  }

  const Index3 &Size() const { return size_; }
  double operator()(std::size_t vertex, std::size_t unknown) const
  {
    return sum_[vertex * n_ + unknown] / weight_[vertex];
  }

private:
  Index3 Cell(PetscInt c) const
  {
    return {c % piece_.cells[0], c / piece_.cells[0] % piece_.cells[1], c / piece_.cells[0] / piece_.cells[1]};
  }
  bool OnSurface(const Index3 &v) const
  {
    for (std::size_t d = 0; d < 3; ++d)
      if (v[d] == 0 || v[d] == piece_.cells[d]) return true;
    return false;
  }
  double At(const Face &face, std::size_t u) const
  {
    const std::size_t a = std::size_t(face.a) * n_ + u;
    if (face.b >= 0) return 0.5 * (flow_.q[a] + flow_.q[std::size_t(face.b) * n_ + u]);
    const Given &given = flow_.At(face);
    if (given.use[u] == Given::value) return given.state[u];
    if (given.use[u] == Given::flat) return flow_.q[a];
    const double *g = flow_.gradient.data() + 3 * a;
    return flow_.q[a] + Dot({g[0], g[1], g[2]}, face.from_a);
  }
  void AddFace(PetscInt cell, int side, const double *value)
  {
    const std::size_t along = std::size_t(side / 2);
    const PetscInt c = cell - offset_;
    if (c < 0 || c >= piece_.cells[0] * piece_.cells[1] * piece_.cells[2]) return;
    Index3 v = Cell(c);
    v[along] += side % 2;
    if (v[along] != 0 && v[along] != piece_.cells[along]) return;
    for (PetscInt corner = 0; corner < 4; ++corner) {
      Index3 at = v;
      at[(along + 1) % 3] += corner & 1;
      at[(along + 2) % 3] += corner >> 1;
      Add(at, value);
    }
  }
  void Add(const Index3 &v, const double *value)
  {
    const std::size_t at = std::size_t(v[0] + size_[0] * (v[1] + size_[1] * v[2]));
    for (std::size_t u = 0; u < n_; ++u) sum_[at * n_ + u] += value[u];
    weight_[at] += 1;
  }

  const Flow &flow_;
  const Piece &piece_;
  PetscInt offset_;
  std::size_t n_;
  Index3 size_;
  std::vector<double> sum_, weight_;
};

// A structured grid of the piece's vertices.
PetscErrorCode CreateVertices(const Flow &flow, const Piece &piece, const Index3 &size, DM *grid)
{
  DM places;
  Vec coordinates;
  PetscScalar *x;
  PetscInt at = 0;

  PetscFunctionBeginUser;
  PetscCall(DMDACreate3d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR,
                         size[0], size[1], size[2], 1, 1, 1, flow.n - 2, 1, nullptr, nullptr, nullptr, grid));
  PetscCall(DMSetUp(*grid));
  PetscCall(DMGetCoordinateDM(*grid, &places));
  PetscCall(DMCreateGlobalVector(places, &coordinates));
  PetscCall(VecGetArrayWrite(coordinates, &x));
  for (PetscInt k = 0; k < size[2]; ++k)
    for (PetscInt j = 0; j < size[1]; ++j)
      for (PetscInt i = 0; i < size[0]; ++i) {
        const Vector3 vertex =
          flow.problem.geometry.vertex(piece.block, {piece.first[0] + i, piece.first[1] + j, piece.first[2] + k});
        for (double component : vertex) x[at++] = PetscScalar(component);
      }
  PetscCall(VecRestoreArrayWrite(coordinates, &x));
  PetscCall(DMSetCoordinates(*grid, coordinates));
  PetscCall(VecDestroy(&coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Writes some of the unknowns to a file; those without names are the components of one vector.
PetscErrorCode WriteUnknowns(const Vertices &vertices, const std::vector<std::size_t> &unknowns, PetscInt number,
                             const char *name, DM grid, PetscViewer viewer)
{
  const Index3 &size = vertices.Size();
  Vec values;
  PetscScalar *array;
  PetscInt components;

  PetscFunctionBeginUser;
  PetscCall(DMCreateGlobalVector(grid, &values));
  PetscCall(PetscObjectSetName(reinterpret_cast<PetscObject>(values), name));
  PetscCall(VecGetBlockSize(values, &components));
  PetscCall(VecGetArrayWrite(values, &array));
  for (std::size_t v = 0; v < std::size_t(size[0] * size[1] * size[2]); ++v)
    for (std::size_t c = 0; c < std::size_t(components); ++c)
      array[v * std::size_t(components) + c] =
        c < unknowns.size() ? PetscScalar(vertices(v, unknowns[c])) : PetscScalar(number);
  PetscCall(VecRestoreArrayWrite(values, &array));
  PetscCall(VecView(values, viewer));
  PetscCall(VecDestroy(&values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WritePiece(const std::string &name, const Flow &flow, std::size_t piece, PetscInt number)
{
  static const char *const names[] = {"p", "s1", "s2"};
  const Vertices vertices(flow, piece);
  std::vector<std::size_t> scalars = {0};
  DM grid, vectors;
  PetscViewer viewer;

  PetscFunctionBeginUser;
  for (std::size_t u = 4; u < std::size_t(flow.n); ++u) scalars.push_back(u);
  PetscCall(CreateVertices(flow, flow.grid.own[piece], vertices.Size(), &grid));
  for (std::size_t c = 0; c < scalars.size(); ++c) PetscCall(DMDASetFieldName(grid, PetscInt(c), names[c]));
  PetscCall(DMDASetFieldName(grid, PetscInt(scalars.size()), "piece"));
  PetscCall(DMDACreateCompatibleDMDA(grid, 3, &vectors));
  PetscCall(PetscViewerVTKOpen(PETSC_COMM_SELF, name.c_str(), FILE_MODE_WRITE, &viewer));
  PetscCall(WriteUnknowns(vertices, scalars, number, "flow", grid, viewer));
  PetscCall(WriteUnknowns(vertices, {1, 2, 3}, number, "velocity", vectors, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(DMDestroy(&vectors));
  PetscCall(DMDestroy(&grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string PieceName(const std::string &prefix, std::size_t piece)
{
  return prefix + "_" + std::to_string(piece) + ".vts";
}

} // namespace

PetscErrorCode WriteVtk(const std::string &prefix, const Flow &flow)
{
  PetscMPIInt rank;
  std::size_t own = 0;

  PetscFunctionBeginUser;
  PetscCheck(!PetscDefined(USE_COMPLEX), flow.grid.comm, PETSC_ERR_SUP, "-vtk needs a PETSc of real numbers");
  PetscCallMPI(MPI_Comm_rank(flow.grid.comm, &rank));
  for (std::size_t p = 0; p < flow.grid.pieces.size(); ++p)
    if (flow.grid.pieces[p].rank == rank) PetscCall(WritePiece(PieceName(prefix, p), flow, own++, PetscInt(p)));
  if (rank == 0) {
    std::ofstream file(prefix + ".vtm");
    file
      << "<?xml version=\"1.0\"?>\n<VTKFile type=\"vtkMultiBlockDataSet\" version=\"1.0\">\n<vtkMultiBlockDataSet>\n";
    for (std::size_t p = 0; p < flow.grid.pieces.size(); ++p) {
      const std::string name = PieceName(prefix, p);
      file << "<DataSet index=\"" << p << "\" name=\"block " << flow.grid.pieces[p].block << "\" file=\""
           << name.substr(name.rfind('/') + 1) << "\"/>\n";
    }
    file << "</vtkMultiBlockDataSet>\n</VTKFile>\n";
    PetscCheck(file.flush(), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s.vtm", prefix.c_str());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// ---- restart

// Vectors in the order of ranks and of uncut blocks, and the scatter between them.
static PetscErrorCode CreateNatural(const Flow &flow, Vec *own, Vec *natural, VecScatter *scatter)
{
  IS places;
  const PetscInt rows = flow.n * flow.grid.owned;

  PetscFunctionBeginUser;
  PetscCall(VecCreate(flow.grid.comm, own));
  PetscCall(VecSetSizes(*own, rows, PETSC_DECIDE));
  PetscCall(VecSetType(*own, VECSTANDARD));
  PetscCall(VecDuplicate(*own, natural));
  PetscCall(
    ISCreateBlock(flow.grid.comm, flow.n, flow.grid.owned, flow.grid.natural.data(), PETSC_USE_POINTER, &places));
  PetscCall(VecScatterCreate(*own, nullptr, *natural, places, scatter));
  PetscCall(ISDestroy(&places));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WriteRestart(const std::string &name, const Flow &flow, const Progress &progress)
{
  Vec own, natural;
  VecScatter scatter;
  PetscViewer viewer;
  const std::vector<double> *states[] = {&flow.q, &progress.old, &progress.older};
  PetscReal numbers[] = {PetscReal(progress.time), PetscReal(progress.first)};
  PetscInt times = progress.times;
  PetscScalar *array;

  PetscFunctionBeginUser;
  PetscCall(CreateNatural(flow, &own, &natural, &scatter));
  PetscCall(PetscViewerBinaryOpen(flow.grid.comm, name.c_str(), FILE_MODE_WRITE, &viewer));
  PetscCall(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE));
  PetscCall(PetscViewerBinaryWrite(viewer, &times, 1, PETSC_INT));
  PetscCall(PetscViewerBinaryWrite(viewer, numbers, 2, PETSC_REAL));
  for (const auto *state : states) {
    PetscCall(VecGetArrayWrite(own, &array));
    for (std::size_t e = 0; e < std::size_t(flow.n * flow.grid.owned); ++e)
      array[e] = state->empty() ? PetscScalar(0) : PetscScalar((*state)[e]);
    PetscCall(VecRestoreArrayWrite(own, &array));
    PetscCall(VecScatterBegin(scatter, own, natural, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(scatter, own, natural, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecView(natural, viewer));
  }
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&natural));
  PetscCall(VecDestroy(&own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadRestart(const std::string &name, Flow *flow, Progress *progress)
{
  Vec own, natural;
  VecScatter scatter;
  PetscViewer viewer;
  std::vector<double> *states[] = {&flow->q, &progress->old, &progress->older};
  PetscReal numbers[2];
  const PetscScalar *array;

  PetscFunctionBeginUser;
  PetscCall(CreateNatural(*flow, &own, &natural, &scatter));
  PetscCall(PetscViewerBinaryOpen(flow->grid.comm, name.c_str(), FILE_MODE_READ, &viewer));
  PetscCall(PetscViewerBinaryRead(viewer, &progress->times, 1, nullptr, PETSC_INT));
  PetscCall(PetscViewerBinaryRead(viewer, numbers, 2, nullptr, PETSC_REAL));
  progress->time = double(numbers[0]);
  progress->first = double(numbers[1]);
  for (std::size_t k = 0; k < 3; ++k) {
    PetscCall(VecLoad(natural, viewer));
    PetscCall(VecScatterBegin(scatter, natural, own, INSERT_VALUES, SCATTER_REVERSE));
    PetscCall(VecScatterEnd(scatter, natural, own, INSERT_VALUES, SCATTER_REVERSE));
    // Only as many old states exist as times.
    if (PetscInt(k) > progress->times) continue;
    states[k]->resize(std::max(states[k]->size(), std::size_t(flow->n * flow->grid.owned)));
    PetscCall(VecGetArrayRead(own, &array));
    for (std::size_t e = 0; e < std::size_t(flow->n * flow->grid.owned); ++e)
      (*states[k])[e] = double(PetscRealPart(array[e]));
    PetscCall(VecRestoreArrayRead(own, &array));
  }
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&natural));
  PetscCall(VecDestroy(&own));
  PetscFunctionReturn(PETSC_SUCCESS);
}
