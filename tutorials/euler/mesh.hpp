// SPDX-License-Identifier: BSD-2-Clause
// Vertex-centered finite volumes on tetrahedra in a duct of 3 x 1 x 1 with a bump on its floor. Each vertex has a
// median-dual cell. Two cells meet at the edge between their vertices; the faces of the mesh's own tetrahedra are
// needed at the boundary only.
#pragma once

#include <petscsys.h>

#include <array>
#include <vector>

#if PETSC_VERSION_LT(3, 19, 0) && !defined(PETSC_SUCCESS)
#define PETSC_SUCCESS PetscErrorCode(0)
#endif

using Vector3 = std::array<double, 3>;

inline double Dot(const Vector3 &a, const Vector3 &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

enum class Numbering { natural, shuffle, rcm };
inline const char *const Numberings[] = {"natural", "shuffle", "rcm"};

struct MeshOptions {
  PetscInt cells[3] = {24, 10, 10};     // cubes along x, y, z, each cut in six tetrahedra
  Numbering numbering = Numbering::rcm; // of the vertices: reverse Cuthill-McKee, as in unstructured codes
  PetscReal bump = PetscReal(0.1);      // height
  PetscReal perturb = PetscReal(0.3);   // range of a vertex's random displacement, in distances of vertices
};

enum class Boundary { wall, inflow, outflow };

struct Edge {
  PetscInt a, b; // local numbers, of which at least one is owned by this rank
  Vector3 area;  // of the face between the two dual cells, from a to b
};

struct Patch { // share of a vertex in the boundary: a third of each of its triangles
  PetscInt vertex;
  Boundary kind;
  Vector3 area; // outward
};

// A rank owns a contiguous range of the vertices' numbers, and knows their neighbors. Local numbers: its own
// vertices first, then these ghosts. Edges are in the order of their vertices' numbers, so that sums over the edges
// of a vertex are bitwise identical on any number of ranks.
struct Mesh {
  PetscInt vertices, first, owned;
  std::vector<PetscInt> ghosts; // global numbers, ascending
  std::vector<Edge> edges;
  std::vector<Patch> patches;
  std::vector<double> volume; // of own dual cells
};

PetscErrorCode CreateMesh(MPI_Comm comm, const MeshOptions &options, Mesh *mesh);

// Prints counts, neighbors of interior vertices, and the largest gap of a dual cell.
PetscErrorCode PrintMesh(MPI_Comm comm, const MeshOptions &options, const Mesh &mesh);
