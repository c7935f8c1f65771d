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
  Numbering numbering = Numbering::rcm; // of the vertices: reverse Cuthill-McKee, as unstructured codes have it
  PetscReal bump = PetscReal(0.1);      // height
  PetscReal perturb = PetscReal(0.3);   // range of a vertex's random displacement, of the distance to the next
};

enum class Boundary { wall, inflow, outflow };

struct Edge {
  PetscInt a, b; // local numbers; one of them at least is of this rank
  Vector3 area;  // of the face between the two dual cells, from a to b
};

struct Patch { // what a vertex has of the boundary: a third of each triangle at it
  PetscInt vertex;
  Boundary kind;
  Vector3 area; // outward
};

// A rank owns a contiguous range of the vertices' numbers, and sees their neighbors. Local numbers: its own vertices
// first, then these ghosts. Edges are in the order of their vertices' numbers, so that what is added up over the
// edges of a vertex is the same to the last bit on any number of ranks.
struct Mesh {
  PetscInt vertices, first, owned;
  std::vector<PetscInt> ghosts; // their numbers, ascending
  std::vector<Edge> edges;
  std::vector<Patch> patches;
  std::vector<double> volume; // of own dual cells
};

PetscErrorCode CreateMesh(MPI_Comm comm, const MeshOptions &options, Mesh *mesh);

// Counts, neighbors of interior vertices, and how far the dual cells are from closed.
PetscErrorCode PrintMesh(MPI_Comm comm, const MeshOptions &options, const Mesh &mesh);
