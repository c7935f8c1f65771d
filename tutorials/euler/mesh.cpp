// SPDX-License-Identifier: BSD-2-Clause
#include "mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <numeric>

namespace
{

constexpr double length = 3;

Vector3 operator+(const Vector3 &a, const Vector3 &b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector3 operator-(const Vector3 &a, const Vector3 &b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector3 operator*(double s, const Vector3 &a) { return {s * a[0], s * a[1], s * a[2]}; }
Vector3 Cross(const Vector3 &a, const Vector3 &b)
{
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// splitmix64: a random number that every rank computes from the same key.
std::uint64_t Hash(std::uint64_t key)
{
  key += 0x9e3779b97f4a7c15u;
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
  return key ^ (key >> 31);
}

double Random(std::uint64_t key) { return double(Hash(key) >> 11) * 0x1p-53; }

using Point = std::array<PetscInt, 3>;

// The lattice of points from which the mesh is made. Kuhn's six tetrahedra of a cube share the diagonal from its
// first corner to its last. Here layers of cubes are mirrored at random, along each axis. Faces of neighbors still
// match, and vertices have 10 to 26 neighbors instead of 14.
class Lattice
{
public:
  explicit Lattice(const MeshOptions &o) : options(o)
  {
    for (std::size_t d = 0; d < 3; ++d)
      for (PetscInt i = 0; i < o.cells[d]; ++i) mirrored[d].push_back(Hash(std::uint64_t(i) * 3 + d) >> 63);
  }

  PetscInt Points() const { return (options.cells[0] + 1) * (options.cells[1] + 1) * (options.cells[2] + 1); }
  PetscInt Index(const Point &p) const
  {
    return p[0] + (options.cells[0] + 1) * (p[1] + (options.cells[1] + 1) * p[2]);
  }
  Point At(PetscInt index) const
  {
    const PetscInt n = options.cells[0] + 1, m = options.cells[1] + 1;
    return {index % n, index / n % m, index / n / m};
  }

  // Calls f(index) for each neighbor of a point. Two points of a cube are connected if all the coordinates in which
  // they differ, in the cube's own directions, grow from one to the other.
  template <class F> void Neighbors(const Point &p, F f) const
  {
    for (PetscInt s = 0; s < 27; ++s) {
      const Point step = {s % 3 - 1, s / 3 % 3 - 1, s / 9 - 1};
      Point q = p;
      bool up = false, down = false, inside = true;
      for (std::size_t d = 0; d < 3; ++d) {
        q[d] += step[d];
        inside = inside && q[d] >= 0 && q[d] <= options.cells[d];
        if (!inside || step[d] == 0) continue;
        ((step[d] > 0) != mirrored[d][std::size_t(std::min(p[d], q[d]))] ? up : down) = true;
      }
      if (inside && up != down) f(Index(q));
    }
  }

  // Calls f(points) for each tetrahedron of a cube; the points are in the order of a positive volume.
  template <class F> void Tetrahedra(const Point &cube, F f) const
  {
    std::array<std::size_t, 3> axes = {0, 1, 2};
    bool odd = false;
    for (std::size_t d = 0; d < 3; ++d) odd ^= mirrored[d][std::size_t(cube[d])];
    do { // a path from the cube's first corner to its last, along one axis after the other
      std::array<Point, 4> corners;
      for (std::size_t d = 0; d < 3; ++d) corners[0][d] = cube[d] + mirrored[d][std::size_t(cube[d])];
      for (std::size_t c = 0; c < 3; ++c) {
        corners[c + 1] = corners[c];
        corners[c + 1][axes[c]] += mirrored[axes[c]][std::size_t(cube[axes[c]])] ? -1 : 1;
      }
      const bool odd_walk = (axes[0] > axes[1]) != ((axes[1] > axes[2]) != (axes[0] > axes[2]));
      if (odd != odd_walk) std::swap(corners[2], corners[3]);
      f(corners);
    } while (std::next_permutation(axes.begin(), axes.end()));
  }

  // The coordinates of a point: spacing that varies smoothly, a random displacement, and the floor raised to the
  // bump. Points on a side of the box stay on it.
  Vector3 Place(const Point &p) const
  {
    Vector3 x;
    for (std::size_t d = 0; d < 3; ++d) {
      const double n = double(options.cells[d]);
      x[d] = double(p[d]) / n;
      if (p[d] > 0 && p[d] < options.cells[d])
        x[d] += double(options.perturb) * (Random(std::uint64_t(Index(p)) * 4 + d) - 0.5) / n;
    }
    const Vector3 y = x;
    for (std::size_t d = 0; d < 3; ++d)
      x[d] += 0.03 * std::sin(2 * std::numbers::pi * y[d]) * std::cos(std::numbers::pi * y[(d + 1) % 3]);
    const double from = length * (x[0] - 0.5), aside = x[1] - 0.5;
    x[2] += (1 - x[2]) * double(options.bump) * std::exp(-(from * from + aside * aside) / (2 * 0.25 * 0.25));
    x[0] *= length;
    return x;
  }

  // The numbers of all points.
  std::vector<PetscInt> Number() const
  {
    const std::size_t points = std::size_t(Points());
    std::vector<PetscInt> order(points), number(points);
    std::iota(order.begin(), order.end(), PetscInt(0));
    if (options.numbering == Numbering::shuffle)
      std::sort(order.begin(), order.end(), [](PetscInt a, PetscInt b) { return Key(a) < Key(b); });
    if (options.numbering == Numbering::rcm) order = ReverseCuthillMcKee();
    for (std::size_t i = 0; i < order.size(); ++i) number[std::size_t(order[i])] = PetscInt(i);
    return number;
  }

private:
  static std::uint64_t Key(PetscInt index) { return Hash(~std::uint64_t(index)); }

  // Numbers the shuffled vertices: those of the same degree keep no order of the lattice.
  std::vector<PetscInt> ReverseCuthillMcKee() const
  {
    std::vector<PetscInt> order = {0};
    std::vector<unsigned char> degree(std::size_t(Points()), 0);
    std::vector<bool> seen(degree.size(), false);
    for (PetscInt i = 0; i < Points(); ++i) Neighbors(At(i), [&](PetscInt) { ++degree[std::size_t(i)]; });
    seen[0] = true;
    for (std::size_t head = 0; head < order.size(); ++head) {
      const std::size_t end = order.size();
      Neighbors(At(order[head]), [&](PetscInt next) {
        if (!seen[std::size_t(next)]) order.push_back(next);
        seen[std::size_t(next)] = true;
      });
      std::sort(order.begin() + std::ptrdiff_t(end), order.end(), [&](PetscInt a, PetscInt b) {
        return std::pair(degree[std::size_t(a)], Key(a)) < std::pair(degree[std::size_t(b)], Key(b));
      });
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  MeshOptions options;
  std::vector<bool> mirrored[3];
};

// Finds the edges of own vertices, by the vertices' numbers, and the ghosts at their other ends.
void FindEdges(const Lattice &lattice, const std::vector<PetscInt> &number, Mesh *mesh,
               std::vector<std::pair<PetscInt, PetscInt>> *edges)
{
  const PetscInt end = mesh->first + mesh->owned;
  for (PetscInt index = 0; index < mesh->vertices; ++index) {
    const PetscInt a = number[std::size_t(index)];
    if (a < mesh->first || a >= end) continue;
    lattice.Neighbors(lattice.At(index), [&](PetscInt neighbor) {
      const PetscInt b = number[std::size_t(neighbor)];
      const bool mine = b >= mesh->first && b < end;
      if (!mine) mesh->ghosts.push_back(b);
      if (!mine || a < b) edges->emplace_back(std::min(a, b), std::max(a, b));
    });
  }
  std::sort(edges->begin(), edges->end());
  std::sort(mesh->ghosts.begin(), mesh->ghosts.end());
  mesh->ghosts.erase(std::unique(mesh->ghosts.begin(), mesh->ghosts.end()), mesh->ghosts.end());
}

PetscInt LocalNumber(const Mesh &mesh, PetscInt number)
{
  if (number >= mesh.first && number < mesh.first + mesh.owned) return number - mesh.first;
  return mesh.owned +
         PetscInt(std::lower_bound(mesh.ghosts.begin(), mesh.ghosts.end(), number) - mesh.ghosts.begin());
}

// True if three points are on a side of the box; `kind` is the side's kind.
bool OnBoundary(const MeshOptions &o, const Point &a, const Point &b, const Point &c, Boundary *kind)
{
  for (std::size_t d = 0; d < 3; ++d) {
    if (a[d] != b[d] || a[d] != c[d] || (a[d] != 0 && a[d] != o.cells[d])) continue;
    *kind = d > 0 ? Boundary::wall : a[d] == 0 ? Boundary::inflow : Boundary::outflow;
    return true;
  }
  return false;
}

} // namespace

PetscErrorCode CreateMesh(MPI_Comm comm, const MeshOptions &o, Mesh *mesh)
{
  // Vertices of a tetrahedron at the ends of each edge, then the other two, in an even order.
  constexpr std::size_t edge_of[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2},
                                         {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}};
  PetscFunctionBeginUser;
  const Lattice lattice(o);
  const std::vector<PetscInt> number = lattice.Number(); // every rank numbers all points, without communication
  mesh->vertices = lattice.Points();
  mesh->owned = PETSC_DECIDE;
  PetscCall(PetscSplitOwnership(comm, &mesh->owned, &mesh->vertices));
  PetscCallMPI(MPI_Exscan(&mesh->owned, &mesh->first, 1, MPIU_INT, MPI_SUM, comm));
  PetscMPIInt rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) mesh->first = 0;

  std::vector<std::pair<PetscInt, PetscInt>> keys;
  FindEdges(lattice, number, mesh, &keys);
  mesh->edges.clear();
  for (const auto &[a, b] : keys) mesh->edges.push_back({LocalNumber(*mesh, a), LocalNumber(*mesh, b), {}});
  mesh->volume.assign(std::size_t(mesh->owned), 0);
  std::map<std::pair<PetscInt, Boundary>, Vector3> patches;

  const auto own = [&](PetscInt n) { return n >= mesh->first && n < mesh->first + mesh->owned; };
  double least = 1;
  const auto add = [&](const std::array<Point, 4> &corners) {
    std::array<PetscInt, 4> n;
    std::array<Vector3, 4> x;
    for (std::size_t c = 0; c < 4; ++c) n[c] = number[std::size_t(lattice.Index(corners[c]))];
    if (std::none_of(n.begin(), n.end(), own)) return;
    for (std::size_t c = 0; c < 4; ++c) x[c] = lattice.Place(corners[c]);
    const double volume = Dot(x[1] - x[0], Cross(x[2] - x[0], x[3] - x[0])) / 6;
    least = std::min(least, volume);
    for (std::size_t c = 0; c < 4; ++c)
      if (own(n[c])) mesh->volume[std::size_t(n[c] - mesh->first)] += volume / 4;
    for (const auto &e : edge_of) {
      const bool forward = n[e[0]] < n[e[1]];
      const std::pair key(std::min(n[e[0]], n[e[1]]), std::max(n[e[0]], n[e[1]]));
      if (!own(key.first) && !own(key.second)) continue;
      // The quadrilateral of the midpoints of the edge, of the tetrahedron, and of the two triangles at the edge.
      const Vector3 area = 1. / 24 * Cross(x[e[2]] + x[e[3]] - x[e[0]] - x[e[1]], x[e[3]] - x[e[2]]);
      Vector3 &sum = mesh->edges[std::size_t(std::lower_bound(keys.begin(), keys.end(), key) - keys.begin())].area;
      sum = forward ? sum + area : sum - area;
    }
    for (std::size_t opposite = 0; opposite < 4; ++opposite) {
      const std::size_t t[3] = {(opposite + 1) % 4, (opposite + 2) % 4, (opposite + 3) % 4};
      Boundary kind;
      if (!OnBoundary(o, corners[t[0]], corners[t[1]], corners[t[2]], &kind)) continue;
      Vector3 third = 1. / 6 * Cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
      if (Dot(third, x[opposite] - x[t[0]]) > 0) third = -1 * third;
      for (const std::size_t c : t) {
        if (!own(n[c])) continue;
        Vector3 &sum = patches[{n[c] - mesh->first, kind}];
        sum = sum + third;
      }
    }
  };
  for (PetscInt k = 0; k < o.cells[2]; ++k)
    for (PetscInt j = 0; j < o.cells[1]; ++j)
      for (PetscInt i = 0; i < o.cells[0]; ++i) lattice.Tetrahedra({i, j, k}, add);
  PetscCheck(least > 0, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
             "A tetrahedron is inside out: less of -perturb or -bump");
  mesh->patches.clear();
  for (const auto &[at, area] : patches) mesh->patches.push_back({at.first, at.second, area});
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintMesh(MPI_Comm comm, const MeshOptions &o, const Mesh &mesh)
{
  enum { interior, neighbors, edges, sums };
  double sum[sums] = {}, total[sums], volume = 0, most[3] = {}, largest[3]; // neighbors, ghosts, gap
  const std::size_t n = std::size_t(mesh.owned);
  std::vector<Vector3> gap(n, Vector3{});
  std::vector<double> surface(n, 0);
  std::vector<PetscInt> degree(n, 0);
  std::vector<bool> inside(n, true);

  PetscFunctionBeginUser;
  const auto close = [&](PetscInt vertex, double sign, const Vector3 &area) {
    if (vertex >= mesh.owned) return;
    gap[std::size_t(vertex)] = gap[std::size_t(vertex)] + sign * area;
    surface[std::size_t(vertex)] += std::sqrt(Dot(area, area));
  };
  for (const Edge &e : mesh.edges) {
    close(e.a, 1, e.area);
    close(e.b, -1, e.area);
    if (e.a < mesh.owned) ++degree[std::size_t(e.a)];
    if (e.b < mesh.owned) ++degree[std::size_t(e.b)];
  }
  for (const Patch &p : mesh.patches) {
    close(p.vertex, 1, p.area);
    inside[std::size_t(p.vertex)] = false;
  }
  most[1] = double(mesh.ghosts.size());
  for (std::size_t i = 0; i < n; ++i) {
    sum[edges] += double(degree[i]) / 2;
    volume += mesh.volume[i];
    most[2] = std::max(most[2], std::sqrt(Dot(gap[i], gap[i])) / surface[i]);
    if (!inside[i]) continue;
    sum[interior] += 1;
    sum[neighbors] += double(degree[i]);
    most[0] = std::max(most[0], double(degree[i]));
  }
  PetscMPIInt ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCallMPI(MPI_Allreduce(sum, total, sums, MPI_DOUBLE, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(most, largest, 3, MPI_DOUBLE, MPI_MAX, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &volume, 1, MPI_DOUBLE, MPI_SUM, comm));
  PetscCall(PetscPrintf(
    comm,
    "%d vertices (%s), %.0f edges, %d tetrahedra, volume %.6f; on %d rank(s), at most %.0f ghosts on one\n"
    "neighbors of an interior vertex: mean %.2f, max %.0f\n"
    "dual cells are closed to %.0e of their surface\n",
    int(mesh.vertices), Numberings[int(o.numbering)], total[edges], int(6 * o.cells[0] * o.cells[1] * o.cells[2]),
    volume, int(ranks), largest[1], total[neighbors] / std::max(total[interior], 1.), largest[0], largest[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
